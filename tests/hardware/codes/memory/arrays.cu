/* What the runtime returns for arrays, copies of arrays, and texture and surface objects: one line a
 * call, "name<TAB>code". Only calls whose outcome is defined are here. */
#include "say.h"

static cudaChannelFormatDesc desc(int x, int y, int z, int w, cudaChannelFormatKind f)
{
    return cudaCreateChannelDesc(x, y, z, w, f);
}

static const cudaChannelFormatKind U = cudaChannelFormatKindUnsigned,
                                   S = cudaChannelFormatKindSigned, F = cudaChannelFormatKindFloat;

static void make(const char *name, cudaChannelFormatDesc d, size_t w, size_t h, size_t depth,
                 unsigned flags)
{
    cudaArray_t a = NULL;
    char text[200];
    snprintf(text, sizeof text, "cudaMalloc3DArray %s", name);
    SAY(text, cudaMalloc3DArray(&a, &d, make_cudaExtent(w, h, depth), flags));
    if (a)
        cudaFreeArray(a);
}

static void arrays()
{
    const cudaChannelFormatDesc f = desc(32, 0, 0, 0, F);
    cudaArray_t a = NULL;
    SAY("cudaMallocArray", cudaMallocArray(&a, &f, 16, 16));
    cudaFreeArray(a);
    SAY("cudaMallocArray null", cudaMallocArray(NULL, &f, 16, 16));
    SAY("cudaMallocArray no description", cudaMallocArray(&a, NULL, 16, 16));
    SAY("cudaMallocArray 0 wide", cudaMallocArray(&a, &f, 0, 16));
    SAY("cudaMallocArray layered", cudaMallocArray(&a, &f, 16, 16, cudaArrayLayered));
    SAY("cudaMallocArray cubemap", cudaMallocArray(&a, &f, 16, 16, cudaArrayCubemap));
    SAY("cudaMallocArray no such flag", cudaMallocArray(&a, &f, 16, 16, 0x4000));
    SAY("cudaMallocArray too wide", cudaMallocArray(&a, &f, 131073, 0));
    SAY("cudaMallocArray too wide in two dimensions", cudaMallocArray(&a, &f, 131073, 2));
    SAY("cudaMallocArray too high", cudaMallocArray(&a, &f, 2, 65537));
    SAY("cudaMallocArray gather too wide",
        cudaMallocArray(&a, &f, 32769, 2, cudaArrayTextureGather));
    SAY("cudaMallocArray gather of one dimension",
        cudaMallocArray(&a, &f, 16, 0, cudaArrayTextureGather));
    SAY("cudaMallocArray far too much", cudaMallocArray(&a, &f, 131072, 65536));
    if (a)
        cudaFreeArray(a);
    make("1 dimension", f, 16, 0, 0, 0);
    make("3 dimensions", f, 16, 16, 16, 0);
    make("without height", f, 16, 0, 16, 0);
    make("too deep", f, 2, 2, 16385, 0);
    make("3d too wide", f, 16385, 2, 2, 0);
    make("layered", f, 16, 16, 16, cudaArrayLayered);
    make("layered of one dimension", f, 16, 0, 16, cudaArrayLayered);
    make("layered without layers", f, 16, 16, 0, cudaArrayLayered);
    make("layered 2048", f, 4, 4, 2048, cudaArrayLayered);
    make("layered 2049", f, 4, 4, 2049, cudaArrayLayered);
    make("layered too wide", f, 32769, 4, 4, cudaArrayLayered);
    make("cubemap", f, 16, 16, 6, cudaArrayCubemap);
    make("cubemap of 5 faces", f, 16, 16, 5, cudaArrayCubemap);
    make("cubemap not square", f, 16, 8, 6, cudaArrayCubemap);
    make("cubemap layered", f, 16, 16, 12, cudaArrayCubemap | cudaArrayLayered);
    make("cubemap layered of 13 faces", f, 16, 16, 13, cudaArrayCubemap | cudaArrayLayered);
    make("3d gather", f, 16, 16, 16, cudaArrayTextureGather);
    make("3d surface", f, 16, 16, 16, cudaArraySurfaceLoadStore);
    make("surface too wide", f, 32769, 0, 0, cudaArraySurfaceLoadStore);
    make("colour attachment", f, 16, 16, 0, cudaArrayColorAttachment);
    make("three channels", desc(8, 8, 8, 0, U), 16, 16, 0, 0);
    make("channels of different widths", desc(8, 16, 0, 0, U), 16, 16, 0, 0);
    make("a channel left out", desc(8, 0, 8, 0, U), 16, 16, 0, 0);
    make("no channels", desc(0, 0, 0, 0, U), 16, 16, 0, 0);
    make("kind none", desc(8, 0, 0, 0, cudaChannelFormatKindNone), 16, 16, 0, 0);
    make("no such kind", desc(8, 0, 0, 0, (cudaChannelFormatKind)99), 16, 16, 0, 0);
    make("24 bits", desc(24, 0, 0, 0, U), 16, 16, 0, 0);
    make("64 bits", desc(64, 0, 0, 0, U), 16, 16, 0, 0);
    make("8-bit float", desc(8, 0, 0, 0, F), 16, 16, 0, 0);
    make("half", desc(16, 0, 0, 0, F), 16, 16, 0, 0);
    make("signed", desc(32, 32, 0, 0, S), 16, 16, 0, 0);
    make("unsigned normalized 8x4",
         desc(8, 8, 8, 8, cudaChannelFormatKindUnsignedNormalized8X4), 16, 16, 0, 0);
    make("unsigned normalized 8x4 of 16 bits",
         desc(16, 16, 16, 16, cudaChannelFormatKindUnsignedNormalized8X4), 16, 16, 0, 0);
    SAY("cudaFreeArray NULL", cudaFreeArray(NULL));

    SAY("cudaMallocArray again", cudaMallocArray(&a, &f, 16, 16));
    cudaChannelFormatDesc d;
    cudaExtent e;
    unsigned flags;
    SAY("cudaArrayGetInfo", cudaArrayGetInfo(&d, &e, &flags, a));
    printf("cudaArrayGetInfo gives\t%d %zu %zu %zu %u\n", d.x, e.width, e.height, e.depth, flags);
    SAY("cudaArrayGetInfo into nothing", cudaArrayGetInfo(NULL, NULL, NULL, a));
    SAY("cudaGetChannelDesc", cudaGetChannelDesc(&d, a));
    cudaArrayMemoryRequirements needs;
    SAY("cudaArrayGetMemoryRequirements", cudaArrayGetMemoryRequirements(&needs, a, 0));
    cudaArraySparseProperties sparse;
    SAY("cudaArrayGetSparseProperties", cudaArrayGetSparseProperties(&sparse, a));
    cudaArray_t plane;
    SAY("cudaArrayGetPlane", cudaArrayGetPlane(&plane, a, 0));

    static float host[32 * 32];
    float *device;
    cudaMalloc(&device, sizeof host);
    SAY("cudaMemcpy2DToArray",
        cudaMemcpy2DToArray(a, 0, 0, host, 64, 64, 16, cudaMemcpyHostToDevice));
    SAY("cudaMemcpy2DToArray of device memory",
        cudaMemcpy2DToArray(a, 0, 0, device, 64, 64, 16, cudaMemcpyDeviceToDevice));
    SAY("cudaMemcpy2DToArray too wide",
        cudaMemcpy2DToArray(a, 0, 0, host, 128, 68, 16, cudaMemcpyHostToDevice));
    SAY("cudaMemcpy2DToArray too high",
        cudaMemcpy2DToArray(a, 0, 0, host, 64, 64, 17, cudaMemcpyHostToDevice));
    SAY("cudaMemcpy2DToArray offset too far",
        cudaMemcpy2DToArray(a, 4, 0, host, 64, 64, 16, cudaMemcpyHostToDevice));
    SAY("cudaMemcpy2DToArray part of a texel",
        cudaMemcpy2DToArray(a, 0, 0, host, 64, 6, 1, cudaMemcpyHostToDevice));
    SAY("cudaMemcpy2DToArray offset in a texel",
        cudaMemcpy2DToArray(a, 2, 0, host, 64, 4, 1, cudaMemcpyHostToDevice));
    SAY("cudaMemcpy2DToArray pitch too small",
        cudaMemcpy2DToArray(a, 0, 0, host, 32, 64, 16, cudaMemcpyHostToDevice));
    SAY("cudaMemcpy2DToArray null source",
        cudaMemcpy2DToArray(a, 0, 0, NULL, 64, 64, 16, cudaMemcpyHostToDevice));
    SAY("cudaMemcpy2DToArray nothing",
        cudaMemcpy2DToArray(a, 0, 0, host, 64, 0, 0, cudaMemcpyHostToDevice));
    SAY("cudaMemcpy2DToArray wrong direction",
        cudaMemcpy2DToArray(a, 0, 0, host, 64, 64, 16, cudaMemcpyDeviceToHost));
    SAY("cudaMemcpy2DToArray to host",
        cudaMemcpy2DToArray(a, 0, 0, host, 64, 64, 16, cudaMemcpyHostToHost));
    SAY("cudaMemcpy2DToArray default",
        cudaMemcpy2DToArray(a, 0, 0, host, 64, 64, 16, cudaMemcpyDefault));
    SAY("cudaMemcpy2DToArray no such kind",
        cudaMemcpy2DToArray(a, 0, 0, host, 64, 64, 16, (cudaMemcpyKind)77));
    SAY("cudaMemcpy2DFromArray",
        cudaMemcpy2DFromArray(host, 64, a, 0, 0, 64, 16, cudaMemcpyDeviceToHost));
    SAY("cudaMemcpy2DFromArray too wide",
        cudaMemcpy2DFromArray(host, 128, a, 0, 0, 68, 16, cudaMemcpyDeviceToHost));
    SAY("cudaMemcpy2DFromArray wrong direction",
        cudaMemcpy2DFromArray(host, 64, a, 0, 0, 64, 16, cudaMemcpyHostToDevice));
    SAY("cudaMemcpyToArray", cudaMemcpyToArray(a, 0, 0, host, 1024, cudaMemcpyHostToDevice));
    SAY("cudaMemcpyToArray from the middle of a row",
        cudaMemcpyToArray(a, 32, 0, host, 512, cudaMemcpyHostToDevice));
    SAY("cudaMemcpyToArray too much",
        cudaMemcpyToArray(a, 0, 0, host, 1028, cudaMemcpyHostToDevice));
    cudaArray_t b;
    cudaMallocArray(&b, &f, 16, 16);
    SAY("cudaMemcpy2DArrayToArray", cudaMemcpy2DArrayToArray(a, 0, 0, b, 0, 0, 64, 16));
    SAY("cudaMemcpy2DArrayToArray too wide", cudaMemcpy2DArrayToArray(a, 0, 0, b, 4, 0, 64, 16));
    cudaMemcpy3DParms p;
    memset(&p, 0, sizeof p);
    p.srcPtr = make_cudaPitchedPtr(host, 64, 16, 16);
    p.dstArray = a;
    p.extent = make_cudaExtent(16, 16, 1);
    p.kind = cudaMemcpyHostToDevice;
    SAY("cudaMemcpy3D to an array", cudaMemcpy3D(&p));
    p.extent.depth = 0;
    SAY("cudaMemcpy3D of no depth", cudaMemcpy3D(&p));
    p.extent = make_cudaExtent(17, 16, 1);
    SAY("cudaMemcpy3D too wide", cudaMemcpy3D(&p));
    p.extent = make_cudaExtent(16, 16, 2);
    SAY("cudaMemcpy3D too deep", cudaMemcpy3D(&p));
    p.extent = make_cudaExtent(16, 16, 1);
    p.dstPtr = make_cudaPitchedPtr(device, 64, 16, 16);
    SAY("cudaMemcpy3D to an array and a pointer", cudaMemcpy3D(&p));
    p.dstArray = NULL;
    p.dstPtr.ptr = NULL;
    SAY("cudaMemcpy3D to nothing", cudaMemcpy3D(&p));
    SAY("cudaMemcpy3D null", cudaMemcpy3D(NULL));
    SAY("cudaFreeArray", cudaFreeArray(b));
    cudaFreeArray(a);
    cudaFree(device);
}

static void mipmaps()
{
    const cudaChannelFormatDesc f = desc(32, 0, 0, 0, F);
    cudaMipmappedArray_t m = NULL;
    cudaArray_t level = NULL;
    SAY("cudaMallocMipmappedArray",
        cudaMallocMipmappedArray(&m, &f, make_cudaExtent(16, 16, 0), 5));
    for (unsigned k = 4; k < 6; k++) {
        char name[80];
        snprintf(name, sizeof name, "cudaGetMipmappedArrayLevel %u of 5", k);
        SAY(name, cudaGetMipmappedArrayLevel(&level, m, k));
    }
    cudaExtent e;
    cudaGetMipmappedArrayLevel(&level, m, 2);
    SAY("cudaArrayGetInfo of a level", cudaArrayGetInfo(NULL, &e, NULL, level));
    printf("cudaArrayGetInfo of a level gives\t%zu %zu %zu\n", e.width, e.height, e.depth);
    SAY("cudaGetMipmappedArrayLevel null", cudaGetMipmappedArrayLevel(NULL, m, 0));
    SAY("cudaFreeMipmappedArray", cudaFreeMipmappedArray(m));
    SAY("cudaFreeMipmappedArray NULL", cudaFreeMipmappedArray(NULL));
    m = NULL;
    SAY("cudaMallocMipmappedArray 9 levels of 16",
        cudaMallocMipmappedArray(&m, &f, make_cudaExtent(16, 16, 0), 9));
    if (m) {
        SAY("cudaGetMipmappedArrayLevel 5 of 9", cudaGetMipmappedArrayLevel(&level, m, 5));
        cudaFreeMipmappedArray(m);
    }
    m = NULL;
    SAY("cudaMallocMipmappedArray 0 levels",
        cudaMallocMipmappedArray(&m, &f, make_cudaExtent(16, 16, 0), 0));
    if (m)
        cudaFreeMipmappedArray(m);
    SAY("cudaMallocMipmappedArray null",
        cudaMallocMipmappedArray(NULL, &f, make_cudaExtent(16, 16, 0), 2));
}

/* Null pointers, where a library may look through them: a section each. */
static void nullArrayInfo()
{
    cudaChannelFormatDesc d;
    SAY("cudaArrayGetInfo of null", cudaArrayGetInfo(&d, NULL, NULL, NULL));
}

static void nullChannelDesc()
{
    cudaChannelFormatDesc d;
    SAY("cudaGetChannelDesc of null", cudaGetChannelDesc(&d, NULL));
}

static void nullCopy()
{
    static float host[256];
    SAY("cudaMemcpy2DToArray null array",
        cudaMemcpy2DToArray(NULL, 0, 0, host, 64, 64, 16, cudaMemcpyHostToDevice));
}

static void nullResource()
{
    cudaResourceDesc r;
    cudaTextureDesc t;
    cudaTextureObject_t o;
    memset(&r, 0, sizeof r);
    memset(&t, 0, sizeof t);
    SAY("cudaCreateTextureObject of no array", cudaCreateTextureObject(&o, &r, &t, NULL));
    SAY("cudaCreateSurfaceObject of no array", cudaCreateSurfaceObject(&o, &r));
    r.resType = (cudaResourceType)9;
    SAY("cudaCreateTextureObject no such resource", cudaCreateTextureObject(&o, &r, &t, NULL));
}

static void nullDescription()
{
    cudaTextureDesc t;
    cudaTextureObject_t o;
    memset(&t, 0, sizeof t);
    SAY("cudaCreateTextureObject no resource", cudaCreateTextureObject(&o, NULL, &t, NULL));
}

static void nullTextureDesc()
{
    cudaArray_t a;
    const cudaChannelFormatDesc f = desc(32, 0, 0, 0, F);
    cudaMallocArray(&a, &f, 16, 16, cudaArraySurfaceLoadStore);
    cudaResourceDesc r;
    cudaTextureObject_t o;
    memset(&r, 0, sizeof r);
    r.res.array.array = a;
    SAY("cudaCreateTextureObject no texture", cudaCreateTextureObject(&o, &r, NULL, NULL));
}

static void nullResult()
{
    cudaArray_t a;
    const cudaChannelFormatDesc f = desc(32, 0, 0, 0, F);
    cudaMallocArray(&a, &f, 16, 16, cudaArraySurfaceLoadStore);
    cudaResourceDesc r;
    cudaTextureDesc t;
    memset(&r, 0, sizeof r);
    memset(&t, 0, sizeof t);
    r.res.array.array = a;
    SAY("cudaCreateSurfaceObject null", cudaCreateSurfaceObject(NULL, &r));
    SAY("cudaCreateTextureObject null", cudaCreateTextureObject(NULL, &r, &t, NULL));
}

static void nullAnswer()
{
    cudaArray_t a;
    const cudaChannelFormatDesc f = desc(32, 0, 0, 0, F);
    cudaMallocArray(&a, &f, 16, 16);
    cudaResourceDesc r;
    cudaTextureDesc t;
    cudaTextureObject_t o;
    memset(&r, 0, sizeof r);
    memset(&t, 0, sizeof t);
    r.res.array.array = a;
    cudaCreateTextureObject(&o, &r, &t, NULL);
    SAY("cudaGetTextureObjectResourceDesc null", cudaGetTextureObjectResourceDesc(NULL, o));
}

static void texture(const char *name, const cudaResourceDesc &r, const cudaTextureDesc &t,
                    const cudaResourceViewDesc *v = NULL)
{
    cudaTextureObject_t o = 0;
    char text[200];
    snprintf(text, sizeof text, "cudaCreateTextureObject %s", name);
    SAY(text, cudaCreateTextureObject(&o, &r, &t, v));
    if (o)
        cudaDestroyTextureObject(o);
}

static void textures()
{
    cudaArray_t floats, bytes, words, plain;
    const cudaChannelFormatDesc f = desc(32, 0, 0, 0, F), u8 = desc(8, 8, 8, 8, U),
                                u32 = desc(32, 0, 0, 0, U);
    cudaMallocArray(&floats, &f, 16, 16);
    cudaMallocArray(&bytes, &u8, 16, 16);
    cudaMallocArray(&words, &u32, 16, 16, cudaArraySurfaceLoadStore);
    cudaMallocArray(&plain, &f, 16, 16, cudaArraySurfaceLoadStore);
    cudaResourceDesc r, none;
    cudaTextureDesc t, usual;
    memset(&r, 0, sizeof r);
    memset(&usual, 0, sizeof usual);
    none = r;
    r.resType = cudaResourceTypeArray;
    r.res.array.array = floats;
    t = usual;
    texture("of floats", r, t);
    t.filterMode = cudaFilterModeLinear;
    texture("of floats linear", r, t);
    t.readMode = cudaReadModeNormalizedFloat;
    texture("of floats as normalized floats", r, t);
    t = usual;
    t.addressMode[0] = t.addressMode[1] = cudaAddressModeWrap;
    texture("wrap without normalized coordinates", r, t);
    t.addressMode[0] = (cudaTextureAddressMode)9;
    texture("no such address mode", r, t);
    t = usual;
    t.filterMode = (cudaTextureFilterMode)9;
    texture("no such filter", r, t);
    t = usual;
    t.readMode = (cudaTextureReadMode)9;
    texture("no such read mode", r, t);
    t = usual;
    t.sRGB = 1;
    texture("of floats srgb", r, t);
    t = usual;
    t.maxAnisotropy = 16;
    texture("anisotropic", r, t);
    t.maxAnisotropy = 99;
    texture("too anisotropic", r, t);
    t = usual;
    r.res.array.array = bytes;
    texture("of bytes", r, t);
    t.filterMode = cudaFilterModeLinear;
    texture("of bytes linear", r, t);
    t.readMode = cudaReadModeNormalizedFloat;
    texture("of bytes linear as normalized floats", r, t);
    t.sRGB = 1;
    texture("of bytes srgb", r, t);
    t = usual;
    t.sRGB = 1;
    texture("of bytes srgb elements", r, t);
    t = usual;
    r.res.array.array = words;
    texture("of words", r, t);
    t.readMode = cudaReadModeNormalizedFloat;
    texture("of words as normalized floats", r, t);
    t = usual;
    t.filterMode = cudaFilterModeLinear;
    texture("of words linear", r, t);
    t = usual;
    r.res.array.array = floats;
    r.flags = 1;
    texture("flags", r, t);
    r.flags = 0;
    cudaTextureObject_t o;
    cudaResourceViewDesc v, plainView;
    memset(&v, 0, sizeof v);
    v.format = cudaResViewFormatFloat1;
    v.width = v.height = 16;
    plainView = v;
    texture("view", r, t, &v);
    v.format = cudaResViewFormatUnsignedChar4;
    texture("view of another kind", r, t, &v);
    v.format = cudaResViewFormatFloat2;
    texture("view of another size", r, t, &v);
    v.format = cudaResViewFormatNone;
    texture("view without a format", r, t, &v);
    v = plainView;
    v.width = 8;
    texture("view narrower", r, t, &v);
    v = plainView;
    v.width = 0;
    texture("view of no width", r, t, &v);
    v = plainView;
    v.lastMipmapLevel = 1;
    texture("view of a level that is not there", r, t, &v);
    v = plainView;
    v.firstLayer = 1;
    texture("view of layers the wrong way round", r, t, &v);
    v = plainView;
    v.depth = 1;
    texture("view with a depth", r, t, &v);

    char *memory;
    cudaMalloc(&memory, 1 << 20);
    r = none;
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = memory;
    r.res.linear.desc = f;
    r.res.linear.sizeInBytes = 4096;
    texture("of linear memory", r, t);
    t.filterMode = cudaFilterModeLinear;
    texture("of linear memory linear", r, t);
    t = usual;
    t.normalizedCoords = 1;
    texture("of linear memory normalized", r, t);
    t = usual;
    t.addressMode[0] = cudaAddressModeBorder;
    texture("of linear memory border", r, t);
    t = usual;
    r.res.linear.devPtr = memory + 4;
    texture("of linear memory at 4", r, t);
    r.res.linear.devPtr = memory + 16;
    texture("of linear memory at 16", r, t);
    r.res.linear.devPtr = memory + 32;
    texture("of linear memory at 32", r, t);
    r.res.linear.devPtr = memory + 256;
    texture("of linear memory at 256", r, t);
    r.res.linear.devPtr = memory;
    r.res.linear.sizeInBytes = 0;
    texture("of no linear memory", r, t);
    r.res.linear.sizeInBytes = 3;
    texture("of part of a texel", r, t);
    r.res.linear.sizeInBytes = (size_t)5 << 28;
    texture("of linear memory too large", r, t);
    r.res.linear.sizeInBytes = 4096;
    r.res.linear.devPtr = NULL;
    texture("of linear memory null", r, t);
    r.res.linear.devPtr = memory;
    r.res.linear.desc = desc(8, 8, 8, 0, U);
    texture("of linear memory of three channels", r, t);

    r = none;
    r.resType = cudaResourceTypePitch2D;
    r.res.pitch2D.devPtr = memory;
    r.res.pitch2D.desc = f;
    r.res.pitch2D.width = 16;
    r.res.pitch2D.height = 16;
    r.res.pitch2D.pitchInBytes = 512;
    texture("pitched", r, t);
    t.filterMode = cudaFilterModeLinear;
    texture("pitched linear", r, t);
    t = usual;
    r.res.pitch2D.pitchInBytes = 64;
    texture("pitched by 64", r, t);
    r.res.pitch2D.pitchInBytes = 80;
    texture("pitched by 80", r, t);
    r.res.pitch2D.pitchInBytes = 32;
    texture("pitched by less than a row", r, t);
    r.res.pitch2D.pitchInBytes = 512;
    r.res.pitch2D.devPtr = memory + 16;
    texture("pitched at 16", r, t);
    r.res.pitch2D.devPtr = memory + 32;
    texture("pitched at 32", r, t);
    r.res.pitch2D.devPtr = memory;
    r.res.pitch2D.width = 0;
    texture("pitched of no width", r, t);
    r.res.pitch2D.width = 16;
    r.res.pitch2D.height = 0;
    texture("pitched of no height", r, t);
    r.res.pitch2D.height = 16;
    r.res.pitch2D.devPtr = NULL;
    texture("pitched null", r, t);

    cudaMipmappedArray_t m;
    cudaMallocMipmappedArray(&m, &f, make_cudaExtent(16, 16, 0), 5);
    r = none;
    r.resType = cudaResourceTypeMipmappedArray;
    r.res.mipmap.mipmap = m;
    texture("of a mipmap", r, t);
    t.normalizedCoords = 1;
    texture("of a mipmap normalized", r, t);
    t.mipmapFilterMode = cudaFilterModeLinear;
    texture("of a mipmap linear levels", r, t);
    cudaFreeMipmappedArray(m);
    t = usual;

    r = none;
    r.resType = cudaResourceTypeArray;
    r.res.array.array = plain;
    SAY("cudaCreateTextureObject to ask about", cudaCreateTextureObject(&o, &r, &t, NULL));
    cudaResourceDesc r2;
    cudaTextureDesc t2;
    SAY("cudaGetTextureObjectResourceDesc", cudaGetTextureObjectResourceDesc(&r2, o));
    printf("cudaGetTextureObjectResourceDesc gives the array\t%d\n", r2.res.array.array == plain);
    SAY("cudaGetTextureObjectTextureDesc", cudaGetTextureObjectTextureDesc(&t2, o));
    SAY("cudaGetTextureObjectResourceViewDesc without one",
        cudaGetTextureObjectResourceViewDesc(&v, o));
    SAY("cudaDestroyTextureObject", cudaDestroyTextureObject(o));
    SAY("cudaDestroyTextureObject 0", cudaDestroyTextureObject(0));
    cudaSurfaceObject_t s = 0;
    SAY("cudaCreateSurfaceObject", cudaCreateSurfaceObject(&s, &r));
    SAY("cudaGetSurfaceObjectResourceDesc", cudaGetSurfaceObjectResourceDesc(&r2, s));
    SAY("cudaDestroySurfaceObject", cudaDestroySurfaceObject(s));
    SAY("cudaDestroySurfaceObject 0", cudaDestroySurfaceObject(0));
    r.res.array.array = floats;
    SAY("cudaCreateSurfaceObject without the flag", cudaCreateSurfaceObject(&s, &r));
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = memory;
    r.res.linear.desc = f;
    r.res.linear.sizeInBytes = 4096;
    SAY("cudaCreateSurfaceObject of linear memory", cudaCreateSurfaceObject(&s, &r));
    size_t width;
    SAY("cudaDeviceGetTexture1DLinearMaxWidth",
        cudaDeviceGetTexture1DLinearMaxWidth(&width, &f, 0));
    SAY("cudaDeviceGetTexture1DLinearMaxWidth null",
        cudaDeviceGetTexture1DLinearMaxWidth(NULL, &f, 0));
    SAY("cudaDeviceGetTexture1DLinearMaxWidth device 99",
        cudaDeviceGetTexture1DLinearMaxWidth(&width, &f, 99));
    cudaFreeArray(floats);
    cudaFreeArray(bytes);
    cudaFreeArray(words);
    cudaFreeArray(plain);
    cudaFree(memory);
}

__global__ void store(cudaSurfaceObject_t s, int x)
{
    surf1Dwrite(1.0f, s, x);
}

__global__ void fetch(cudaTextureObject_t t, float *out)
{
    *out = tex1D<float>(t, 0.5f);
}

static void fault()
{
    cudaArray_t a;
    const cudaChannelFormatDesc f = desc(32, 0, 0, 0, F);
    cudaMallocArray(&a, &f, 16, 0, cudaArraySurfaceLoadStore);
    cudaResourceDesc r;
    memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    cudaSurfaceObject_t s;
    cudaCreateSurfaceObject(&s, &r);
    store<<<1, 1>>>(s, 60);
    SAY("surf1Dwrite of the last texel", cudaDeviceSynchronize());
    store<<<1, 1>>>(s, 64);
    SAY("surf1Dwrite past the end", cudaDeviceSynchronize());
    SAY("cudaMallocArray afterwards", cudaMallocArray(&a, &f, 16, 0));
    SAY("cudaDestroySurfaceObject afterwards", cudaDestroySurfaceObject(s));
}

int main(int argc, char **argv)
{
    static const section all[] = {{"arrays", arrays},
                                  {"null array info", nullArrayInfo},
                                  {"null channel desc", nullChannelDesc},
                                  {"null copy", nullCopy},
                                  {"null resource", nullResource},
                                  {"null description", nullDescription},
                                  {"null texture desc", nullTextureDesc},
                                  {"null result", nullResult},
                                  {"null answer", nullAnswer},
                                  {"mipmaps", mipmaps},
                                  {"textures", textures},
                                  {"fault", fault}};
    return run_sections(all, sizeof all / sizeof *all, argc, argv);
}
