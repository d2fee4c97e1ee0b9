// Surfaces, what can be asked of textures and surfaces, and the limits of the device.
#include "textures.h"

typedef unsigned char u8;

template <class V>
__device__ V read(cudaSurfaceObject_t s, Geometry g, int x, int y, int z, bool zero)
{
    const cudaSurfaceBoundaryMode m = zero ? cudaBoundaryModeZero : cudaBoundaryModeClamp;
#define READ(call_zero, call_clamp) return zero ? call_zero : call_clamp
#define Z cudaBoundaryModeZero
#define C cudaBoundaryModeClamp
    (void)m;
    switch (g) {
    case G1D:
        READ(surf1Dread<V>(s, x, Z), surf1Dread<V>(s, x, C));
    case G2D:
        READ(surf2Dread<V>(s, x, y, Z), surf2Dread<V>(s, x, y, C));
    case G3D:
        READ(surf3Dread<V>(s, x, y, z, Z), surf3Dread<V>(s, x, y, z, C));
    case GA1D:
        READ(surf1DLayeredread<V>(s, x, z, Z), surf1DLayeredread<V>(s, x, z, C));
    case GA2D:
        READ(surf2DLayeredread<V>(s, x, y, z, Z), surf2DLayeredread<V>(s, x, y, z, C));
    case GCUBE:
        READ(surfCubemapread<V>(s, x, y, z, Z), surfCubemapread<V>(s, x, y, z, C));
    default:
        READ(surfCubemapLayeredread<V>(s, x, y, z, Z), surfCubemapLayeredread<V>(s, x, y, z, C));
    }
}

template <class V>
__device__ void write(V v, cudaSurfaceObject_t s, Geometry g, int x, int y, int z, bool zero)
{
#define WRITE(call_zero, call_clamp) \
    if (zero)                        \
        call_zero;                   \
    else                             \
        call_clamp;                  \
    break
    switch (g) {
    case G1D:
        WRITE(surf1Dwrite(v, s, x, Z), surf1Dwrite(v, s, x, C));
    case G2D:
        WRITE(surf2Dwrite(v, s, x, y, Z), surf2Dwrite(v, s, x, y, C));
    case G3D:
        WRITE(surf3Dwrite(v, s, x, y, z, Z), surf3Dwrite(v, s, x, y, z, C));
    case GA1D:
        WRITE(surf1DLayeredwrite(v, s, x, z, Z), surf1DLayeredwrite(v, s, x, z, C));
    case GA2D:
        WRITE(surf2DLayeredwrite(v, s, x, y, z, Z), surf2DLayeredwrite(v, s, x, y, z, C));
    case GCUBE:
        WRITE(surfCubemapwrite(v, s, x, y, z, Z), surfCubemapwrite(v, s, x, y, z, C));
    default:
        WRITE(surfCubemapLayeredwrite(v, s, x, y, z, Z), surfCubemapLayeredwrite(v, s, x, y, z, C));
    }
}

struct Spot {
    int x, y, z;
};

template <class V>
__global__ void reads(cudaSurfaceObject_t s, Geometry g, const Spot *p, V *out, int n, bool zero)
{
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < n)
        out[k] = read<V>(s, g, p[k].x, p[k].y, p[k].z, zero);
}

// One after another, as spots may meet where they are clamped.
template <class V>
__global__ void writes(cudaSurfaceObject_t s, Geometry g, const Spot *p, const V *in, int n,
                       bool zero)
{
    for (int k = 0; k < n; k++)
        write(in[k], s, g, p[k].x, p[k].y, p[k].z, zero);
}

template <class T>
static T *upload(const std::vector<T> &v)
{
    T *p;
    OK(cudaMalloc(&p, v.size() * sizeof(T)));
    OK(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
    return p;
}

static Words words_of(const void *p, size_t bytes)
{
    Words w((bytes + 3) / 4, 0);
    memcpy(w.data(), p, bytes);
    return w;
}

static Words array_words(cudaArray_t array, const Texture &t)
{
    cudaExtent e;
    OK(cudaArrayGetInfo(nullptr, &e, nullptr, array));
    e.height = e.height ? e.height : 1;
    e.depth = e.depth ? e.depth : 1;
    std::vector<u8> back(e.width * e.height * e.depth * t.format.bytes());
    cudaMemcpy3DParms p = {};
    p.srcArray = array;
    p.dstPtr = make_cudaPitchedPtr(back.data(), e.width * t.format.bytes(), e.width, e.height);
    p.extent = e;
    p.kind = cudaMemcpyDeviceToHost;
    OK(cudaMemcpy3D(&p));
    return words_of(back.data(), back.size());
}

template <class V>
static Words surface(const std::string &name, Texture t, bool writing, bool zero)
{
    t.flags |= cudaArraySurfaceLoadStore;
    t.fill = random_texels(t.format);
    Array a = make_array(name, t);
    cudaSurfaceObject_t s;
    OK(cudaCreateSurfaceObject(&s, &a.resource));
    Random r(name);
    const int n = 96, size = (int)sizeof(V);
    const bool cube = t.geometry == GCUBE || t.geometry == GACUBE;
    const int layers = t.geometry == GCUBE ? 6 : t.geometry == GACUBE ? 6 * t.depth : t.depth;
    std::vector<Spot> spots(n);
    for (Spot &p : spots) {
        p.x = (r.below(t.width + 6) - 3) * size;
        p.y = r.below(t.height + 6) - 3;
        p.z = cube ? r.below(layers) : r.below(layers + 4) - 2;
    }
    std::vector<V> values(n);
    for (V &v : values)
        for (int k = 0; k < size; k++)
            ((u8 *)&v)[k] = (u8)r.next();
    Spot *p = upload(spots);
    V *v = upload(values);
    Words w;
    if (writing) {
        writes<V><<<1, 1>>>(s, t.geometry, p, v, n, zero);
        OK(cudaGetLastError());
        w = array_words(a.array, t);
    } else {
        reads<V><<<1, 128>>>(s, t.geometry, p, v, n, zero);
        OK(cudaGetLastError());
        OK(cudaMemcpy(values.data(), v, n * sizeof(V), cudaMemcpyDeviceToHost));
        w = words_of(values.data(), n * sizeof(V));
    }
    OK(cudaDestroySurfaceObject(s));
    OK(cudaFree(p));
    OK(cudaFree(v));
    free_array(a);
    return w;
}

template <class V>
static void add_surface(const std::string &type, Format f, Geometry g)
{
    for (int writing = 0; writing < 2; writing++)
        for (int zero = 0; zero < 2; zero++) {
            const std::string name = std::string("surface ") + geometry_name[g] + " " + type +
                                     (writing ? " write" : " read") + (zero ? " zero" : " clamp");
            add(name, [=] {
                Texture t;
                t.geometry = g;
                t.format = f;
                t.width = g >= GCUBE ? 8 : 13;
                t.height = g >= GCUBE ? 8 : 7;
                t.depth = g == G3D ? 5 : 2;
                return surface<V>(name, t, writing, zero);
            });
        }
}

/* --- by PTX --- */

// sust.p stores 32 bits a channel converted to the format of the surface.
__global__ void formatted(cudaSurfaceObject_t s, const uint4 *in, int n)
{
    for (int k = 0; k < n; k++) {
        asm volatile("sust.p.1d.v4.b32.clamp [%0, {%1}], {%2, %3, %4, %5};" ::"l"(s), "r"(k),
                     "r"(in[k].x), "r"(in[k].y), "r"(in[k].z), "r"(in[k].w)
                     : "memory");
    }
}

static void formatted_stores()
{
    const Format all[] = {with(U8, 4), with(S8, 4), with(U16, 2), with(S16, 4), with(U32, 4),
                          with(F16, 4), with(F32, 4), with(F32, 1), with(U8, 1), with(S32, 1)};
    for (Format f : all) {
        const std::string name = "sust.p " + f.name();
        add(name, [=] {
            Texture t;
            t.geometry = G1D;
            t.format = f;
            t.width = 64;
            t.flags = cudaArraySurfaceLoadStore;
            t.fill = byte_texels({0x5a});
            Array a = make_array(name, t);
            cudaSurfaceObject_t s;
            OK(cudaCreateSurfaceObject(&s, &a.resource));
            Random r(name);
            std::vector<uint4> in(64);
            for (uint4 &v : in) {
                uint32_t c[4];
                for (uint32_t &x : c) {
                    float y = r.in(-300, 300);
                    x = (uint32_t)r.next() >> r.below(32);
                    if (f.kind == cudaChannelFormatKindSigned && r.below(2))
                        x = -x;
                    if (f.kind == cudaChannelFormatKindFloat)
                        memcpy(&x, &y, 4);
                }
                v = make_uint4(c[0], c[1], c[2], c[3]);
            }
            uint4 *p = upload(in);
            formatted<<<1, 1>>>(s, p, 64);
            OK(cudaGetLastError());
            Words w = array_words(a.array, t);
            OK(cudaDestroySurfaceObject(s));
            OK(cudaFree(p));
            free_array(a);
            return w;
        });
    }
}

#define REDUCE(form, type, reg)                                                                \
    __global__ void reduce_##type##_##form(cudaSurfaceObject_t s, const Spot *p, int n)        \
    {                                                                                          \
        for (int k = 0; k < n; k++)                                                            \
            asm volatile("sured.b." #form ".2d." #type ".clamp [%0, {%1, %2}], %3;" ::"l"(s),  \
                         "r"(p[k].x), "r"(p[k].y), reg(p[k].z)                                 \
                         : "memory");                                                          \
    }
REDUCE(add, u32, "r")
REDUCE(min, u32, "r")
REDUCE(max, u32, "r")
REDUCE(min, s32, "r")
REDUCE(max, s32, "r")
REDUCE(and, b32, "r")
REDUCE(or, b32, "r")

__global__ void reduce_formatted(cudaSurfaceObject_t s, const Spot *p, int n)
{
    for (int k = 0; k < n; k++)
        asm volatile("sured.p.add.2d.b32.clamp [%0, {%1, %2}], %3;" ::"l"(s), "r"(p[k].x / 4),
                     "r"(p[k].y), "r"(p[k].z)
                     : "memory");
}

static void reductions()
{
    typedef void (*Kernel)(cudaSurfaceObject_t, const Spot *, int);
    const struct {
        const char *name;
        Kernel kernel;
        Format format;
    } all[] = {{"sured.b.add.u32", reduce_u32_add, U32}, {"sured.b.min.u32", reduce_u32_min, U32},
               {"sured.b.max.u32", reduce_u32_max, U32}, {"sured.b.min.s32", reduce_s32_min, S32},
               {"sured.b.max.s32", reduce_s32_max, S32}, {"sured.b.and.b32", reduce_b32_and, U32},
               {"sured.b.or.b32", reduce_b32_or, U32},   {"sured.p.add.b32", reduce_formatted, U32}};
    for (auto one : all) {
        const std::string name = one.name;
        const Kernel kernel = one.kernel;
        const Format format = one.format;
        add(name, [=] {
            Texture t;
            t.format = format;
            t.width = t.height = 8;
            t.flags = cudaArraySurfaceLoadStore;
            t.fill = random_texels(format);
            Array a = make_array(name, t);
            cudaSurfaceObject_t s;
            OK(cudaCreateSurfaceObject(&s, &a.resource));
            Random r(name);
            std::vector<Spot> spots(48);
            for (Spot &p : spots)
                p = {(r.below(12) - 2) * 4, r.below(12) - 2, (int)r.next()};
            Spot *p = upload(spots);
            kernel<<<1, 1>>>(s, p, 48);
            OK(cudaGetLastError());
            Words w = array_words(a.array, t);
            OK(cudaDestroySurfaceObject(s));
            OK(cudaFree(p));
            free_array(a);
            return w;
        });
    }
}

#define ASK(kind, what)                                                            \
    do {                                                                           \
        uint32_t v_;                                                               \
        asm volatile(kind "." what ".b32 %0, [%1];" : "=r"(v_) : "l"(object));     \
        *out++ = v_;                                                               \
    } while (0)

__global__ void ask_texture(unsigned long long object, uint32_t *out)
{
    ASK("txq", "width");
    ASK("txq", "height");
    ASK("txq", "depth");
    ASK("txq", "channel_data_type");
    ASK("txq", "channel_order");
    ASK("txq", "normalized_coords");
    ASK("txq", "num_mipmap_levels");
    ASK("txq", "num_samples");
    ASK("txq", "array_size");
}

__global__ void ask_surface(unsigned long long object, uint32_t *out)
{
    ASK("suq", "width");
    ASK("suq", "height");
    ASK("suq", "depth");
    ASK("suq", "channel_data_type");
    ASK("suq", "channel_order");
    ASK("suq", "array_size");
}

static void questions()
{
    for (int g = G1D; g <= GA2D; g++)
        for (int surface = 0; surface < 2; surface++) {
            const std::string name = std::string(surface ? "suq " : "txq ") + geometry_name[g];
            add(name, [=] {
                Texture t;
                t.geometry = (Geometry)g;
                t.format = with(U8, 4);
                t.width = 13;
                t.height = 7;
                t.depth = 5;
                t.levels = !surface && g == G2D ? 3 : 1;
                t.sampler.normalizedCoords = t.levels > 1;
                t.sampler.maxMipmapLevelClamp = 9;
                t.flags = surface ? cudaArraySurfaceLoadStore : 0;
                t.fill = random_texels(t.format);
                Array a = make_array(name, t);
                const int count = surface ? 6 : 9;
                std::vector<uint32_t> zero(count);
                uint32_t *out = upload(zero);
                unsigned long long object;
                if (surface) {
                    OK(cudaCreateSurfaceObject(&object, &a.resource));
                    ask_surface<<<1, 1>>>(object, out);
                } else {
                    OK(cudaCreateTextureObject(&object, &a.resource, &t.sampler, nullptr));
                    ask_texture<<<1, 1>>>(object, out);
                }
                OK(cudaGetLastError());
                OK(cudaMemcpy(zero.data(), out, count * 4, cudaMemcpyDeviceToHost));
                OK(surface ? cudaDestroySurfaceObject(object) : cudaDestroyTextureObject(object));
                OK(cudaFree(out));
                free_array(a);
                return Words(zero);
            });
        }
}

// Coordinates that are texels' numbers: tex.GEOMETRY with .s32 coordinates.
__global__ void whole(cudaTextureObject_t t, Geometry g, const Spot *p, float *out, int n)
{
    const int k = threadIdx.x;
    if (k >= n)
        return;
    float a, b, c, d;
    if (g == G2D)
        asm volatile("tex.2d.v4.f32.s32 {%0, %1, %2, %3}, [%4, {%5, %6}];"
                     : "=f"(a), "=f"(b), "=f"(c), "=f"(d)
                     : "l"(t), "r"(p[k].x), "r"(p[k].y));
    else
        asm volatile("tex.3d.v4.f32.s32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];"
                     : "=f"(a), "=f"(b), "=f"(c), "=f"(d)
                     : "l"(t), "r"(p[k].x), "r"(p[k].y), "r"(p[k].z));
    out[k] = a + 0 * (b + c + d);
}

static void whole_coordinates()
{
    for (int g = G2D; g <= G3D; g++) {
        const std::string name = std::string("whole coordinates ") + geometry_name[g];
        add(name, [=] {
            Texture t;
            t.geometry = (Geometry)g;
            t.width = 13;
            t.height = 7;
            t.depth = 5;
            t.address(cudaAddressModeClamp);
            t.fill = random_texels(F32);
            Array a = make_array(name, t);
            cudaTextureObject_t object;
            OK(cudaCreateTextureObject(&object, &a.resource, &t.sampler, nullptr));
            Random r(name);
            std::vector<Spot> spots(64);
            for (Spot &p : spots)
                p = {r.below(18) - 3, r.below(12) - 3, r.below(10) - 3};
            std::vector<float> back(64);
            Spot *p = upload(spots);
            float *out = upload(back);
            whole<<<1, 64>>>(object, t.geometry, p, out, 64);
            OK(cudaGetLastError());
            OK(cudaMemcpy(back.data(), out, 256, cudaMemcpyDeviceToHost));
            OK(cudaDestroyTextureObject(object));
            OK(cudaFree(p));
            OK(cudaFree(out));
            free_array(a);
            return words_of(back.data(), 256);
        });
    }
}

#define LIMIT(name) {#name, cudaDevAttr##name}
static const struct {
    const char *name;
    cudaDeviceAttr attribute;
} limits[] = {
    LIMIT(MaxTexture1DWidth),          LIMIT(MaxTexture2DWidth),
    LIMIT(MaxTexture2DHeight),         LIMIT(MaxTexture3DWidth),
    LIMIT(MaxTexture3DHeight),         LIMIT(MaxTexture3DDepth),
    LIMIT(MaxTexture2DLayeredWidth),   LIMIT(MaxTexture2DLayeredHeight),
    LIMIT(MaxTexture2DLayeredLayers),  LIMIT(SurfaceAlignment),
    LIMIT(MaxTexture1DLayeredWidth),   LIMIT(MaxTexture1DLayeredLayers),
    LIMIT(MaxTexture2DGatherWidth),    LIMIT(MaxTexture2DGatherHeight),
    LIMIT(MaxTexture3DWidthAlt),       LIMIT(MaxTexture3DHeightAlt),
    LIMIT(MaxTexture3DDepthAlt),       LIMIT(TexturePitchAlignment),
    LIMIT(MaxTextureCubemapWidth),     LIMIT(MaxTextureCubemapLayeredWidth),
    LIMIT(MaxTextureCubemapLayeredLayers), LIMIT(MaxSurface1DWidth),
    LIMIT(MaxSurface2DWidth),          LIMIT(MaxSurface2DHeight),
    LIMIT(MaxSurface3DWidth),          LIMIT(MaxSurface3DHeight),
    LIMIT(MaxSurface3DDepth),          LIMIT(MaxSurface1DLayeredWidth),
    LIMIT(MaxSurface1DLayeredLayers),  LIMIT(MaxSurface2DLayeredWidth),
    LIMIT(MaxSurface2DLayeredHeight),  LIMIT(MaxSurface2DLayeredLayers),
    LIMIT(MaxSurfaceCubemapWidth),     LIMIT(MaxSurfaceCubemapLayeredWidth),
    LIMIT(MaxSurfaceCubemapLayeredLayers), LIMIT(MaxTexture1DLinearWidth),
    LIMIT(MaxTexture2DLinearWidth),    LIMIT(MaxTexture2DLinearHeight),
    LIMIT(MaxTexture2DLinearPitch),    LIMIT(MaxTexture2DMipmappedWidth),
    LIMIT(MaxTexture2DMipmappedHeight), LIMIT(MaxTexture1DMipmappedWidth),
    LIMIT(TextureAlignment)};

void surface_cases()
{
    for (int g = G1D; g <= GACUBE; g++)
        add_surface<float>("float", F32, (Geometry)g);
    add_surface<u8>("uchar", U8, G2D);
    add_surface<short2>("short2", with(S16, 2), G2D);
    add_surface<uint2>("uint2", with(U32, 2), G2D);
    add_surface<float4>("float4", with(F32, 4), G2D);
    formatted_stores();
    reductions();
    questions();
    whole_coordinates();
    for (auto l : limits)
        add(std::string("limit ") + l.name, [=] {
            int value = 0;
            OK(cudaDeviceGetAttribute(&value, l.attribute, 0));
            return Words{(uint32_t)value};
        });
    add("limit linear width of float4", [] {
        size_t width = 0;
        const cudaChannelFormatDesc d = with(F32, 4).desc();
        OK(cudaDeviceGetTexture1DLinearMaxWidth(&width, &d, 0));
        return Words{(uint32_t)width};
    });
}
