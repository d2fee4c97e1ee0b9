// Prefix sums three ways: Hillis and Steele, Blelloch with padding against conflicts, warp
// shuffles.
#include <cstdio>
#include <vector>

#define BANKS  32
#define PAD(i) ((i) + (i) / BANKS)

__global__ void hillis(const int *in, int *out, int n)
{
    extern __shared__ int temp[];
    int t = threadIdx.x, from = 0;
    temp[t] = t > 0 && t - 1 < n ? in[t - 1] : 0;
    __syncthreads();
    for (int offset = 1; offset < blockDim.x; offset *= 2) {
        from = 1 - from;
        int *to = temp + from * blockDim.x, *was = temp + (1 - from) * blockDim.x;
        to[t] = t >= offset ? was[t] + was[t - offset] : was[t];
        __syncthreads();
    }
    if (t < n)
        out[t] = temp[from * blockDim.x + t];
}

__global__ void blelloch(const int *in, int *out, int *sums, int n)
{
    extern __shared__ int temp[];
    int t = threadIdx.x, size = 2 * blockDim.x, base = blockIdx.x * size, offset = 1;
    for (int k = t; k < size; k += blockDim.x)
        temp[PAD(k)] = base + k < n ? in[base + k] : 0;
    for (int d = size >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d)
            temp[PAD(offset * (2 * t + 2) - 1)] += temp[PAD(offset * (2 * t + 1) - 1)];
        offset *= 2;
    }
    if (t == 0) {
        if (sums)
            sums[blockIdx.x] = temp[PAD(size - 1)];
        temp[PAD(size - 1)] = 0;
    }
    for (int d = 1; d < size; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (t < d) {
            int a = PAD(offset * (2 * t + 1) - 1), b = PAD(offset * (2 * t + 2) - 1), v = temp[a];
            temp[a] = temp[b];
            temp[b] += v;
        }
    }
    __syncthreads();
    for (int k = t; k < size; k += blockDim.x)
        if (base + k < n)
            out[base + k] = temp[PAD(k)];
}

__global__ void add_sums(int *out, const int *sums, int n, int size)
{
    int i = blockIdx.x * size + threadIdx.x;
    for (int k = 0; k < size; k += blockDim.x)
        if (i + k < n)
            out[i + k] += sums[blockIdx.x];
}

__global__ void shuffles(const int *in, int *out, int n)
{
    __shared__ int sums[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int own = i < n ? in[i] : 0, v = own;
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        int other = __shfl_up_sync(0xffffffff, v, d);
        if (lane >= d)
            v += other;
    }
    if (lane == 31)
        sums[warp] = v;
    __syncthreads();
    if (warp == 0) {
        int s = lane < blockDim.x / 32 ? sums[lane] : 0;
        for (int d = 1; d < 32; d *= 2) {
            int other = __shfl_up_sync(0xffffffff, s, d);
            if (lane >= d)
                s += other;
        }
        sums[lane] = s;
    }
    __syncthreads();
    if (i < n)
        out[i] = v - own + (warp ? sums[warp - 1] : 0);
}

int main()
{
    const int n = 10000, size = 512, blocks = (n + size - 1) / size;
    std::vector<int> h(n), got(n);
    for (int i = 0; i < n; i++)
        h[i] = i * 31 % 17 - 5;
    int *in, *out, *sums;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&out, n * sizeof(int));
    cudaMalloc(&sums, size * sizeof(int));
    cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    auto verdict = [&](const char *name, int count, int block) {
        cudaMemcpy(got.data(), out, count * sizeof(int), cudaMemcpyDeviceToHost);
        int want = 0, wrong = 0;
        for (int i = 0; i < count; i++) {
            if (i % block == 0)
                want = 0;
            wrong += got[i] != want;
            want += h[i];
        }
        printf("%s: %d wrong, last %d\n", name, wrong, got[count - 1]);
    };
    hillis<<<1, 512, 2 * 512 * sizeof(int)>>>(in, out, 500);
    verdict("hillis", 500, 500);
    int bytes = PAD(size) * sizeof(int);
    blelloch<<<blocks, size / 2, bytes>>>(in, out, sums, n);
    blelloch<<<1, size / 2, bytes>>>(sums, sums, nullptr, blocks);
    add_sums<<<blocks, 128>>>(out, sums, n, size);
    verdict("blelloch", n, n);
    shuffles<<<(n + 255) / 256, 256>>>(in, out, n);
    verdict("shuffles", n, 256);
    return 0;
}
