/* Textures and surfaces over arrays, layers, levels, linear and pitched memory. */
#include "try.h"
__global__ void read2(cudaTextureObject_t t, float *o, int w, int h, float dx)
{
    int x = threadIdx.x, y = blockIdx.x;
    if (x < w && y < h)
        o[y * w + x] = tex2D<float>(t, x + dx, y + dx);
}
__global__ void read4(cudaTextureObject_t t, float4 *o)
{
    o[threadIdx.x] = tex1Dfetch<float4>(t, threadIdx.x);
}
__global__ void readu(cudaTextureObject_t t, unsigned *o)
{
    uchar4 c = tex2D<uchar4>(t, threadIdx.x, blockIdx.x);
    o[blockIdx.x * blockDim.x + threadIdx.x] = c.x | c.y << 8 | c.z << 16 | c.w << 24;
}
__global__ void lay(cudaTextureObject_t t, float *o)
{
    o[blockIdx.x * 8 + threadIdx.x] = tex2DLayered<float>(t, threadIdx.x + 0.5f, 1.5f, blockIdx.x);
}
__global__ void surf(cudaSurfaceObject_t s, int w, int h)
{
    int x = threadIdx.x, y = blockIdx.x;
    float v;
    surf2Dread(&v, s, x * 4, y, cudaBoundaryModeClamp);
    surf2Dwrite(v * 2 + y, s, x * 4, y, cudaBoundaryModeTrap);
}
__global__ void surf3(cudaSurfaceObject_t s)
{
    surf3Dwrite((float)(threadIdx.x + 10 * threadIdx.y + 100 * threadIdx.z), s, threadIdx.x * 4,
                threadIdx.y, threadIdx.z);
}
__global__ void lod(cudaTextureObject_t t, float *o)
{
    o[threadIdx.x] = tex2DLod<float>(t, 0.3f, 0.7f, threadIdx.x * 0.25f);
}
int main()
{
    const int W = 16, H = 8;
    float h[W * H], r[W * H * 4];
    for (int i = 0; i < W * H; i++)
        h[i] = i;
    cudaChannelFormatDesc c = cudaCreateChannelDesc<float>();
    cudaArray_t a;
    OK(cudaMallocArray(&a, &c, W, H, cudaArraySurfaceLoadStore));
    OK(cudaMemcpy2DToArray(a, 0, 0, h, W * 4, W * 4, H, cudaMemcpyHostToDevice));
    cudaResourceDesc rd = {};
    rd.resType = cudaResourceTypeArray;
    rd.res.array.array = a;
    float *o;
    OK(cudaMalloc(&o, 65536));
    for (int f = 0; f < 2; f++)
        for (int m = 0; m < 4; m++)
            for (int n = 0; n < 2; n++) {
                cudaTextureDesc td = {};
                td.filterMode = f ? cudaFilterModeLinear : cudaFilterModePoint;
                td.addressMode[0] = td.addressMode[1] = (cudaTextureAddressMode)m;
                td.normalizedCoords = n;
                td.readMode = cudaReadModeElementType;
                td.borderColor[0] = 9;
                cudaTextureObject_t t;
                cudaError_t e = cudaCreateTextureObject(&t, &rd, &td, 0);
                if (e) {
                    printf("%d %d %d %s\n", f, m, n, cudaGetErrorName(e));
                    continue;
                }
                read2<<<H, W>>>(t, o, W, H, n ? 0.13f : -1.7f);
                OK(cudaMemcpy(r, o, W * H * 4, cudaMemcpyDeviceToHost));
                printf("%d %d %d: %08x %g %g\n", f, m, n, hash_(r, W * H * 4), r[0], r[77]);
                cudaTextureDesc back;
                OK(cudaGetTextureObjectTextureDesc(&back, t));
                printf(" %d %d %d %d", back.filterMode, back.addressMode[0], back.normalizedCoords,
                       back.readMode);
                cudaResourceDesc rb;
                OK(cudaGetTextureObjectResourceDesc(&rb, t));
                printf(" %d %d", rb.resType, rb.res.array.array == a);
                cudaResourceViewDesc vd;
                printf(" view %s\n",
                       cudaGetErrorName(cudaGetTextureObjectResourceViewDesc(&vd, t)));
                cudaGetLastError();
                OK(cudaDestroyTextureObject(t));
            }
    cudaSurfaceObject_t s;
    OK(cudaCreateSurfaceObject(&s, &rd));
    surf<<<H, W>>>(s, W, H);
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy2DFromArray(r, W * 4, a, 0, 0, W * 4, H, cudaMemcpyDeviceToHost));
    printf("surface %08x\n", hash_(r, W * H * 4));
    OK(cudaDestroySurfaceObject(s));
    cudaArray_t v;
    OK(cudaMalloc3DArray(&v, &c, make_cudaExtent(8, 4, 4), cudaArraySurfaceLoadStore));
    rd.res.array.array = v;
    OK(cudaCreateSurfaceObject(&s, &rd));
    surf3<<<1, dim3(8, 4, 4)>>>(s);
    cudaMemcpy3DParms m = {};
    m.srcArray = v;
    m.dstPtr = make_cudaPitchedPtr(r, 32, 8, 4);
    m.extent = make_cudaExtent(8, 4, 4);
    m.kind = cudaMemcpyDeviceToHost;
    OK(cudaMemcpy3D(&m));
    printf("volume %08x %g\n", hash_(r, 512), r[127]);
    cudaArray_t l;
    OK(cudaMalloc3DArray(&l, &c, make_cudaExtent(8, 4, 3), cudaArrayLayered));
    m = {};
    m.srcPtr = make_cudaPitchedPtr(h, 32, 8, 4);
    m.dstArray = l;
    m.extent = make_cudaExtent(8, 4, 3);
    m.kind = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3D(&m));
    rd.res.array.array = l;
    cudaTextureDesc td = {};
    cudaTextureObject_t t;
    OK(cudaCreateTextureObject(&t, &rd, &td, 0));
    lay<<<3, 8>>>(t, o);
    OK(cudaMemcpy(r, o, 96, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 24; i++)
        printf("%g ", r[i]);
    puts("");
    float4 *lin;
    OK(cudaMalloc(&lin, 1024));
    OK(cudaMemcpy(lin, h, 512, cudaMemcpyHostToDevice));
    cudaResourceDesc lr = {};
    lr.resType = cudaResourceTypeLinear;
    lr.res.linear.devPtr = lin;
    lr.res.linear.desc = cudaCreateChannelDesc<float4>();
    lr.res.linear.sizeInBytes = 512;
    OK(cudaCreateTextureObject(&t, &lr, &td, 0));
    read4<<<1, 32>>>(t, (float4 *)o);
    OK(cudaMemcpy(r, o, 512, cudaMemcpyDeviceToHost));
    printf("linear %08x\n", hash_(r, 512));
    unsigned char *pp;
    size_t pitch;
    OK(cudaMallocPitch(&pp, &pitch, 64, 8));
    OK(cudaMemcpy2D(pp, pitch, h, 64, 64, 8, cudaMemcpyHostToDevice));
    cudaResourceDesc pr = {};
    pr.resType = cudaResourceTypePitch2D;
    pr.res.pitch2D.devPtr = pp;
    pr.res.pitch2D.desc = cudaCreateChannelDesc<uchar4>();
    pr.res.pitch2D.width = 16;
    pr.res.pitch2D.height = 8;
    pr.res.pitch2D.pitchInBytes = pitch;
    OK(cudaCreateTextureObject(&t, &pr, &td, 0));
    readu<<<8, 16>>>(t, (unsigned *)o);
    OK(cudaMemcpy(r, o, 512, cudaMemcpyDeviceToHost));
    printf("pitched %08x\n", hash_(r, 512));
    pr.res.pitch2D.pitchInBytes = 33;
    TRY(cudaCreateTextureObject(&t, &pr, &td, 0));
    pr.res.pitch2D.pitchInBytes = pitch;
    pr.res.pitch2D.devPtr = pp + 1;
    TRY(cudaCreateTextureObject(&t, &pr, &td, 0));
    lr.res.linear.sizeInBytes = (size_t)1 << 40;
    TRY(cudaCreateTextureObject(&t, &lr, &td, 0));
    lr.res.linear.devPtr = 0;
    TRY(cudaCreateTextureObject(&t, &lr, &td, 0));
    td.readMode = cudaReadModeNormalizedFloat;
    rd.res.array.array = a;
    TRY(cudaCreateTextureObject(&t, &rd, &td, 0));
    td.readMode = cudaReadModeElementType;
    rd.res.array.array = l;
    TRY(cudaCreateSurfaceObject(&s, &rd));
    rd.resType = (cudaResourceType)9;
    TRY(cudaCreateTextureObject(&t, &rd, &td, 0));
    TRY(cudaDestroyTextureObject(0));
    TRY(cudaDestroySurfaceObject(0));
    cudaMipmappedArray_t mm;
    OK(cudaMallocMipmappedArray(&mm, &c, make_cudaExtent(16, 16, 0), 5));
    for (int k = 0; k < 5; k++) {
        cudaArray_t la;
        OK(cudaGetMipmappedArrayLevel(&la, mm, k));
        float lv[256];
        for (float &x : lv)
            x = k * 10;
        cudaExtent ex;
        cudaChannelFormatDesc ld;
        unsigned fl;
        OK(cudaArrayGetInfo(&ld, &ex, &fl, la));
        printf("level %d: %zu %zu %zu %u\n", k, ex.width, ex.height, ex.depth, fl);
        OK(cudaMemcpy2DToArray(la, 0, 0, lv, ex.width * 4, ex.width * 4, ex.height,
                               cudaMemcpyHostToDevice));
    }
    cudaArray_t la;
    TRY(cudaGetMipmappedArrayLevel(&la, mm, 5));
    cudaResourceDesc mr = {};
    mr.resType = cudaResourceTypeMipmappedArray;
    mr.res.mipmap.mipmap = mm;
    cudaTextureDesc mt = {};
    mt.normalizedCoords = 1;
    mt.mipmapFilterMode = cudaFilterModeLinear;
    mt.maxMipmapLevelClamp = 4;
    mt.filterMode = cudaFilterModeLinear;
    OK(cudaCreateTextureObject(&t, &mr, &mt, 0));
    lod<<<1, 20>>>(t, o);
    OK(cudaMemcpy(r, o, 80, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 20; i++)
        printf("%g ", r[i]);
    puts("");
    size_t mw;
    TRY(cudaDeviceGetTexture1DLinearMaxWidth(&mw, &c, 0));
    printf("%zu\n", mw);
    OK(cudaFreeArray(a));
    OK(cudaFreeMipmappedArray(mm));
    TRY(cudaDeviceSynchronize());
    return 0;
}
