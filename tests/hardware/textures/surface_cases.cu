// Surfaces: reads and writes of every geometry.
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

void add_surface_cases()
{
    for (int g = G1D; g <= GACUBE; g++)
        add_surface<float>("float", F32, (Geometry)g);
    add_surface<u8>("uchar", U8, G2D);
    add_surface<short2>("short2", with(S16, 2), G2D);
    add_surface<uint2>("uint2", with(U32, 2), G2D);
    add_surface<float4>("float4", with(F32, 4), G2D);
}
