// Images through textures as programs use them: filters, scaling, linear and pitched memory.
#include "check.h"

#include <cmath>
#include <cstring>
#include <vector>

enum { W = 61, H = 37 };

static cudaTextureObject_t texture(cudaResourceDesc r, cudaTextureAddressMode mode,
                                   cudaTextureFilterMode filter, cudaTextureReadMode read,
                                   bool normalized)
{
    cudaTextureDesc t;
    memset(&t, 0, sizeof t);
    t.addressMode[0] = t.addressMode[1] = mode;
    t.filterMode = filter;
    t.readMode = read;
    t.normalizedCoords = normalized;
    cudaTextureObject_t o = 0;
    OK(cudaCreateTextureObject(&o, &r, &t, NULL));
    return o;
}

static cudaResourceDesc of_array(cudaArray_t a)
{
    cudaResourceDesc r;
    memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    return r;
}

__global__ void box(cudaTextureObject_t t, float *out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= W || y >= H)
        return;
    float sum = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            sum += tex2D<float>(t, x + dx + 0.5f, y + dy + 0.5f);
    out[y * W + x] = sum / 9;
}

__global__ void scale(cudaTextureObject_t t, float *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h)
        out[y * w + x] = tex2D<float>(t, (x + 0.5f) / w, (y + 0.5f) / h);
}

__global__ void colours(cudaTextureObject_t bytes, cudaTextureObject_t floats, float *worst)
{
    for (int y = 0; y < 4; y++)
        for (int x = threadIdx.x; x < 16; x += 32) {
            uchar4 b = tex2D<uchar4>(bytes, x, y);
            float4 f = tex2D<float4>(floats, x, y);
            float off = fabsf(b.x / 255.0f - f.x) + fabsf(b.y / 255.0f - f.y) +
                        fabsf(b.z / 255.0f - f.z) + fabsf(b.w / 255.0f - f.w);
            atomicMax((int *)worst, __float_as_int(off));
        }
}

__global__ void gather_line(cudaTextureObject_t t, int *out, int n)
{
    int i = threadIdx.x - 1; // before the first and behind the last: zero
    if (i <= n)
        out[threadIdx.x] = tex1Dfetch<int>(t, i);
}

static float wrapped(const std::vector<float> &image, int x, int y, bool clamp)
{
    if (clamp) {
        x = x < 0 ? 0 : x >= W ? W - 1 : x;
        y = y < 0 ? 0 : y >= H ? H - 1 : y;
    } else if (x < 0 || y < 0 || x >= W || y >= H) {
        return 0;
    }
    return image[y * W + x];
}

int main()
{
    std::vector<float> image(W * H);
    for (int i = 0; i < W * H; i++)
        image[i] = (float)((i * 7919) % 251);
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    cudaArray_t a;
    OK(cudaMallocArray(&a, &f, W, H));
    OK(cudaMemcpy2DToArray(a, 0, 0, image.data(), W * 4, W * 4, H, cudaMemcpyHostToDevice));
    float *out;
    OK(cudaMalloc(&out, 4 * W * H * sizeof(float)));
    std::vector<float> back(W * H);
    const dim3 block(16, 8), grid((W + 15) / 16, (H + 7) / 8);

    // A box filter, outside: the edge again, or nothing.
    for (int clamp = 0; clamp < 2; clamp++) {
        cudaTextureObject_t t =
            texture(of_array(a), clamp ? cudaAddressModeClamp : cudaAddressModeBorder,
                    cudaFilterModePoint, cudaReadModeElementType, false);
        box<<<grid, block>>>(t, out);
        OK(cudaMemcpy(back.data(), out, W * H * 4, cudaMemcpyDeviceToHost));
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++) {
                float sum = 0;
                for (int dy = -1; dy <= 1; dy++)
                    for (int dx = -1; dx <= 1; dx++)
                        sum += wrapped(image, x + dx, y + dy, clamp);
                CHECK(back[y * W + x] == sum / 9);
            }
        OK(cudaDestroyTextureObject(t));
    }

    // Twice as large by linear filtering: weights have eight bits.
    cudaTextureObject_t t = texture(of_array(a), cudaAddressModeClamp, cudaFilterModeLinear,
                                    cudaReadModeElementType, true);
    scale<<<dim3((2 * W + 15) / 16, (2 * H + 7) / 8), block>>>(t, out, 2 * W, 2 * H);
    std::vector<float> large(4 * W * H);
    OK(cudaMemcpy(large.data(), out, 4 * W * H * 4, cudaMemcpyDeviceToHost));
    for (int y = 0; y < 2 * H; y++)
        for (int x = 0; x < 2 * W; x++) {
            const float u = (x + 0.5f) / 2 - 0.5f, v = (y + 0.5f) / 2 - 0.5f;
            const int i = (int)floorf(u), j = (int)floorf(v);
            const float a_ = u - i, b_ = v - j;
            const float want = (1 - a_) * (1 - b_) * wrapped(image, i, j, true) +
                               a_ * (1 - b_) * wrapped(image, i + 1, j, true) +
                               (1 - a_) * b_ * wrapped(image, i, j + 1, true) +
                               a_ * b_ * wrapped(image, i + 1, j + 1, true);
            CHECK(fabsf(large[y * 2 * W + x] - want) <= 2.0f * 251 / 256);
        }
    OK(cudaDestroyTextureObject(t));

    // The same pixels as bytes and as normalized floats.
    cudaChannelFormatDesc u = cudaCreateChannelDesc<uchar4>();
    cudaArray_t b;
    OK(cudaMallocArray(&b, &u, 16, 4));
    std::vector<unsigned char> pixels(16 * 4 * 4);
    for (size_t i = 0; i < pixels.size(); i++)
        pixels[i] = (unsigned char)(i * 37);
    OK(cudaMemcpy2DToArray(b, 0, 0, pixels.data(), 64, 64, 4, cudaMemcpyHostToDevice));
    cudaTextureObject_t bytes = texture(of_array(b), cudaAddressModeClamp, cudaFilterModePoint,
                                        cudaReadModeElementType, false);
    cudaTextureObject_t floats = texture(of_array(b), cudaAddressModeClamp, cudaFilterModePoint,
                                         cudaReadModeNormalizedFloat, false);
    OK(cudaMemset(out, 0, 4));
    colours<<<1, 32>>>(bytes, floats, out);
    float worst = 1;
    OK(cudaMemcpy(&worst, out, 4, cudaMemcpyDeviceToHost));
    CHECK(worst <= 4e-6f);
    OK(cudaDestroyTextureObject(bytes));
    OK(cudaDestroyTextureObject(floats));

    // Linear memory.
    int *line, *copied;
    OK(cudaMalloc(&line, 20 * sizeof(int)));
    OK(cudaMalloc(&copied, 32 * sizeof(int)));
    int numbers[22] = {};
    for (int i = 0; i < 20; i++)
        numbers[i] = 100 - i * i;
    OK(cudaMemcpy(line, numbers, 80, cudaMemcpyHostToDevice));
    cudaResourceDesc r;
    memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = line;
    r.res.linear.desc = cudaCreateChannelDesc<int>();
    r.res.linear.sizeInBytes = 80;
    t = texture(r, cudaAddressModeClamp, cudaFilterModePoint, cudaReadModeElementType, false);
    gather_line<<<1, 32>>>(t, copied, 20);
    int got[22];
    OK(cudaMemcpy(got, copied, 22 * 4, cudaMemcpyDeviceToHost));
    CHECK(got[0] == 0 && got[21] == 0);
    CHECK(memcmp(got + 1, numbers, 80) == 0);
    OK(cudaDestroyTextureObject(t));

    // Pitched memory.
    float *pitched;
    size_t pitch;
    OK(cudaMallocPitch(&pitched, &pitch, W * 4, H));
    OK(cudaMemcpy2D(pitched, pitch, image.data(), W * 4, W * 4, H, cudaMemcpyHostToDevice));
    memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypePitch2D;
    r.res.pitch2D.devPtr = pitched;
    r.res.pitch2D.desc = f;
    r.res.pitch2D.width = W;
    r.res.pitch2D.height = H;
    r.res.pitch2D.pitchInBytes = pitch;
    t = texture(r, cudaAddressModeClamp, cudaFilterModePoint, cudaReadModeElementType, false);
    box<<<grid, block>>>(t, out);
    // The object may go as soon as the kernel has been launched.
    OK(cudaDestroyTextureObject(t));
    OK(cudaMemcpy(back.data(), out, W * H * 4, cudaMemcpyDeviceToHost));
    CHECK(back[5 * W + 5] == (image[4 * W + 4] + image[4 * W + 5] + image[4 * W + 6] +
                              image[5 * W + 4] + image[5 * W + 5] + image[5 * W + 6] +
                              image[6 * W + 4] + image[6 * W + 5] + image[6 * W + 6]) / 9);
    // What cudaMalloc and a pool give may be a texture, after allocations of any size.
    for (int i = 1; i < 9; i++) {
        char *odd;
        OK(i % 2 ? cudaMalloc(&odd, 100 * i) : cudaMallocAsync(&odd, 100 * i, 0));
        r.res.pitch2D.devPtr = odd;
        r.res.pitch2D.desc = cudaCreateChannelDesc<char>();
        r.res.pitch2D.height = 2;
        r.res.pitch2D.pitchInBytes = 64;
        r.res.pitch2D.width = 36;
        t = texture(r, cudaAddressModeClamp, cudaFilterModePoint, cudaReadModeElementType, false);
        OK(cudaDestroyTextureObject(t));
    }
    OK(cudaFreeArray(a));
    OK(cudaFreeArray(b));
    return print_failures();
}
