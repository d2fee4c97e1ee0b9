// Arrays, and the kernels that fetch from textures on them.
#include "textures.h"

const char *const geometry_name[] = {"1d", "2d", "3d", "a1d", "a2d", "cube", "acube"};
const Format F32 = {cudaChannelFormatKindFloat, 32, 1}, F16 = {cudaChannelFormatKindFloat, 16, 1},
             U8 = {cudaChannelFormatKindUnsigned, 8, 1}, S8 = {cudaChannelFormatKindSigned, 8, 1},
             U16 = {cudaChannelFormatKindUnsigned, 16, 1},
             S16 = {cudaChannelFormatKindSigned, 16, 1},
             U32 = {cudaChannelFormatKindUnsigned, 32, 1},
             S32 = {cudaChannelFormatKindSigned, 32, 1};

Format with(Format f, int channels)
{
    f.channels = channels;
    return f;
}

std::string Format::name() const
{
    const char *k = kind == cudaChannelFormatKindFloat      ? "f"
                    : kind == cudaChannelFormatKindUnsigned ? "u"
                    : kind == cudaChannelFormatKindSigned   ? "s"
                                                            : "n";
    return k + std::to_string(bits) + "x" + std::to_string(channels);
}

// Floats are drawn in [-2, 2), halves as any number that is finite, integers as any bits.
Fill random_texels(Format f)
{
    return [f](Random &r, std::vector<unsigned char> &to, int) {
        for (size_t k = 0; k < to.size(); k += f.bits / 8) {
            if (f.kind == cudaChannelFormatKindFloat && f.bits == 32) {
                float x = r.in(-2, 2);
                memcpy(&to[k], &x, 4);
            } else if (f.kind == cudaChannelFormatKindFloat) {
                uint16_t h = (uint16_t)(r.next() & 0xbfff); // exponents below 16
                memcpy(&to[k], &h, 2);
            } else {
                uint64_t bits = r.next();
                memcpy(&to[k], &bits, f.bits / 8);
            }
        }
    };
}

Fill float_texels(std::vector<float> values)
{
    return [values](Random &, std::vector<unsigned char> &to, int level) {
        for (size_t k = 0; k < to.size() / 4; k++) {
            float x = values[(k + (size_t)level) % values.size()];
            memcpy(&to[4 * k], &x, 4);
        }
    };
}

Fill byte_texels(std::vector<unsigned char> bytes)
{
    return [bytes](Random &, std::vector<unsigned char> &to, int) {
        for (size_t k = 0; k < to.size(); k++)
            to[k] = bytes[k % bytes.size()];
    };
}

static size_t side(int n, int level)
{
    return n >> level ? n >> level : 1;
}

static void fill_level(cudaArray_t array, const Texture &t, int level, Random &r)
{
    const bool flat = t.geometry == G1D || t.geometry == GA1D;
    const size_t w = side(t.width, level), h = flat ? 1 : side(t.height, level);
    const size_t d = t.geometry == G3D        ? side(t.depth, level)
                     : t.geometry == GCUBE    ? 6
                     : t.geometry == GACUBE   ? 6 * t.depth
                     : t.geometry >= GA1D     ? t.depth
                                              : 1;
    std::vector<unsigned char> bytes(w * h * d * t.format.bytes());
    t.fill(r, bytes, level);
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(bytes.data(), w * t.format.bytes(), w, h);
    p.dstArray = array;
    p.extent = make_cudaExtent(w, h, d);
    p.kind = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3D(&p));
}

Array make_array(const std::string &name, const Texture &t)
{
    Array a;
    Random r(name + " texels");
    const cudaChannelFormatDesc desc = t.format.desc();
    if (t.buffer || t.pitched) {
        const size_t h = t.buffer ? 1 : t.height, row = (size_t)t.width * t.format.bytes();
        OK(cudaMallocPitch(&a.memory, &a.pitch, row, h));
        std::vector<unsigned char> bytes(row * h);
        t.fill(r, bytes, 0);
        OK(cudaMemset(a.memory, 0x5a, a.pitch * h));
        OK(cudaMemcpy2D(a.memory, a.pitch, bytes.data(), row, row, h, cudaMemcpyHostToDevice));
        if (t.buffer) {
            a.resource.resType = cudaResourceTypeLinear;
            a.resource.res.linear.devPtr = a.memory;
            a.resource.res.linear.desc = desc;
            a.resource.res.linear.sizeInBytes = row;
        } else {
            a.resource.resType = cudaResourceTypePitch2D;
            a.resource.res.pitch2D.devPtr = a.memory;
            a.resource.res.pitch2D.desc = desc;
            a.resource.res.pitch2D.width = t.width;
            a.resource.res.pitch2D.height = h;
            a.resource.res.pitch2D.pitchInBytes = a.pitch;
        }
        return a;
    }
    cudaExtent e = make_cudaExtent(t.width, t.height, 0);
    unsigned flags = t.flags;
    switch (t.geometry) {
    case G1D:
        e.height = 0;
        break;
    case G2D:
        break;
    case G3D:
        e.depth = t.depth;
        break;
    case GA1D:
        e.height = 0;
        e.depth = t.depth;
        flags |= cudaArrayLayered;
        break;
    case GA2D:
        e.depth = t.depth;
        flags |= cudaArrayLayered;
        break;
    case GCUBE:
        e.depth = 6;
        flags |= cudaArrayCubemap;
        break;
    case GACUBE:
        e.depth = 6 * t.depth;
        flags |= cudaArrayCubemap | cudaArrayLayered;
        break;
    }
    if (t.levels > 1) {
        OK(cudaMallocMipmappedArray(&a.mipmap, &desc, e, t.levels, flags));
        for (int k = 0; k < t.levels; k++) {
            cudaArray_t level;
            OK(cudaGetMipmappedArrayLevel(&level, a.mipmap, k));
            fill_level(level, t, k, r);
        }
        a.resource.resType = cudaResourceTypeMipmappedArray;
        a.resource.res.mipmap.mipmap = a.mipmap;
    } else {
        OK(cudaMalloc3DArray(&a.array, &desc, e, flags));
        fill_level(a.array, t, 0, r);
        a.resource.resType = cudaResourceTypeArray;
        a.resource.res.array.array = a.array;
    }
    return a;
}

void free_array(Array &a)
{
    if (a.array)
        OK(cudaFreeArray(a.array));
    if (a.mipmap)
        OK(cudaFreeMipmappedArray(a.mipmap));
    OK(cudaFree(a.memory));
}

template <class V>
__device__ V one(cudaTextureObject_t t, Geometry g, Op op, const At &a)
{
    const float2 dx = {a.gx[0], a.gx[1]}, dy = {a.gy[0], a.gy[1]};
    const float4 ex = {a.gx[0], a.gx[1], a.gx[2], 0}, ey = {a.gy[0], a.gy[1], a.gy[2], 0};
    if (op == FETCH)
        return tex1Dfetch<V>(t, a.index);
    if (op == GATHER)
        return a.index == 0   ? tex2Dgather<V>(t, a.x, a.y, 0)
               : a.index == 1 ? tex2Dgather<V>(t, a.x, a.y, 1)
               : a.index == 2 ? tex2Dgather<V>(t, a.x, a.y, 2)
                              : tex2Dgather<V>(t, a.x, a.y, 3);
    switch (g) {
    case G1D:
        return op == PLAIN   ? tex1D<V>(t, a.x)
               : op == LEVEL ? tex1DLod<V>(t, a.x, a.level)
                             : tex1DGrad<V>(t, a.x, a.gx[0], a.gy[0]);
    case G2D:
        return op == PLAIN   ? tex2D<V>(t, a.x, a.y)
               : op == LEVEL ? tex2DLod<V>(t, a.x, a.y, a.level)
                             : tex2DGrad<V>(t, a.x, a.y, dx, dy);
    case G3D:
        return op == PLAIN   ? tex3D<V>(t, a.x, a.y, a.z)
               : op == LEVEL ? tex3DLod<V>(t, a.x, a.y, a.z, a.level)
                             : tex3DGrad<V>(t, a.x, a.y, a.z, ex, ey);
    case GA1D:
        return op == PLAIN   ? tex1DLayered<V>(t, a.x, a.layer)
               : op == LEVEL ? tex1DLayeredLod<V>(t, a.x, a.layer, a.level)
                             : tex1DLayeredGrad<V>(t, a.x, a.layer, a.gx[0], a.gy[0]);
    case GA2D:
        return op == PLAIN   ? tex2DLayered<V>(t, a.x, a.y, a.layer)
               : op == LEVEL ? tex2DLayeredLod<V>(t, a.x, a.y, a.layer, a.level)
                             : tex2DLayeredGrad<V>(t, a.x, a.y, a.layer, dx, dy);
    case GCUBE:
        return op == PLAIN ? texCubemap<V>(t, a.x, a.y, a.z)
                           : texCubemapLod<V>(t, a.x, a.y, a.z, a.level);
    default:
        return op == PLAIN ? texCubemapLayered<V>(t, a.x, a.y, a.z, a.layer)
                           : texCubemapLayeredLod<V>(t, a.x, a.y, a.z, a.layer, a.level);
    }
}

__global__ void fetch_all(cudaTextureObject_t t, Geometry g, Op op, char read, const At *at,
                          uint4 *out, int n)
{
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= n)
        return;
    if (read == 'f') {
        float4 v = one<float4>(t, g, op, at[k]);
        out[k] = make_uint4(__float_as_uint(v.x), __float_as_uint(v.y), __float_as_uint(v.z),
                            __float_as_uint(v.w));
    } else if (read == 'i') {
        int4 v = one<int4>(t, g, op, at[k]);
        out[k] = make_uint4(v.x, v.y, v.z, v.w);
    } else {
        out[k] = one<uint4>(t, g, op, at[k]);
    }
}

Words fetch(const std::string &name, const Texture &t, char read, Op op, const std::vector<At> &at,
            int words)
{
    Array a = make_array(name, t);
    cudaTextureObject_t object;
    OK(cudaCreateTextureObject(&object, &a.resource, &t.sampler, t.view));
    At *places;
    uint4 *out;
    const int n = (int)at.size();
    OK(cudaMalloc(&places, at.size() * sizeof(At)));
    OK(cudaMalloc(&out, at.size() * sizeof(uint4)));
    OK(cudaMemcpy(places, at.data(), at.size() * sizeof(At), cudaMemcpyHostToDevice));
    fetch_all<<<(n + 127) / 128, 128>>>(object, t.geometry, op, read, places, out, n);
    OK(cudaGetLastError());
    std::vector<uint4> back(at.size());
    OK(cudaMemcpy(back.data(), out, back.size() * sizeof(uint4), cudaMemcpyDeviceToHost));
    OK(cudaDestroyTextureObject(object));
    OK(cudaFree(places));
    OK(cudaFree(out));
    free_array(a);
    Words w;
    for (const uint4 &v : back) {
        const uint32_t all[4] = {v.x, v.y, v.z, v.w};
        w.insert(w.end(), all, all + words);
    }
    return w;
}

Words words_of(const void *p, size_t bytes)
{
    Words w((bytes + 3) / 4, 0);
    memcpy(w.data(), p, bytes);
    return w;
}

Words array_words(cudaArray_t array, const Texture &t)
{
    cudaExtent e;
    OK(cudaArrayGetInfo(nullptr, &e, nullptr, array));
    e.height = e.height ? e.height : 1;
    e.depth = e.depth ? e.depth : 1;
    std::vector<unsigned char> back(e.width * e.height * e.depth * t.format.bytes());
    cudaMemcpy3DParms p = {};
    p.srcArray = array;
    p.dstPtr = make_cudaPitchedPtr(back.data(), e.width * t.format.bytes(), e.width, e.height);
    p.extent = e;
    p.kind = cudaMemcpyDeviceToHost;
    OK(cudaMemcpy3D(&p));
    return words_of(back.data(), back.size());
}
