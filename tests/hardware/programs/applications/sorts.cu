// Sorting networks and a merge: bitonic in shared and in global memory, odd-even, radix by bits.
#include <algorithm>
#include <cstdio>
#include <vector>

__device__ void compare(unsigned &a, unsigned &b, bool up)
{
    if ((a > b) == up) {
        unsigned t = a;
        a = b;
        b = t;
    }
}

__global__ void bitonic_block(unsigned *v)
{
    __shared__ unsigned s[512];
    int t = threadIdx.x;
    s[t] = v[t], s[t + 256] = v[t + 256];
    for (int size = 2; size <= 512; size *= 2)
        for (int stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            int at = 2 * t - (t & (stride - 1));
            compare(s[at], s[at + stride], (t & (size / 2)) == 0);
        }
    __syncthreads();
    v[t] = s[t], v[t + 256] = s[t + 256];
}

__global__ void bitonic_step(unsigned *v, int j, int k)
{
    unsigned i = threadIdx.x + blockDim.x * blockIdx.x, ixj = i ^ j;
    if (ixj > i)
        compare(v[i], v[ixj], (i & k) == 0);
}

__global__ void odd_even(unsigned *v, int n, int phase)
{
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + phase;
    if (i + 1 < n)
        compare(v[i], v[i + 1], true);
}

// One bit a launch: zeros first. One block.
__global__ void radix_bit(const unsigned *in, unsigned *out, int n, int bit)
{
    __shared__ int counts[1024];
    int t = threadIdx.x;
    unsigned v = t < n ? in[t] : ~0u;
    int one = v >> bit & 1;
    counts[t] = !one;
    __syncthreads();
    for (int d = 1; d < 1024; d *= 2) {
        int add = t >= d ? counts[t - d] : 0;
        __syncthreads();
        counts[t] += add;
        __syncthreads();
    }
    int zeros = counts[1023];
    int at = one ? zeros + t - counts[t] : counts[t] - 1;
    if (at < n && t < n)
        out[at] = v;
}

__global__ void merge_paths(const unsigned *a, int na, const unsigned *b, int nb, unsigned *out,
                            int each)
{
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * each;
    if (first >= na + nb)
        return;
    int low = max(0, first - nb), high = min(first, na);
    while (low < high) {
        int mid = (low + high) / 2;
        if (a[mid] <= b[first - 1 - mid])
            low = mid + 1;
        else
            high = mid;
    }
    int i = low, j = first - low;
    for (int k = first; k < min(first + each, na + nb); k++)
        out[k] = j >= nb || (i < na && a[i] <= b[j]) ? a[i++] : b[j++];
}

int main()
{
    const int n = 1 << 12;
    std::vector<unsigned> h(n), sorted, got(n);
    for (int i = 0; i < n; i++)
        h[i] = i * 2654435761u >> 7;
    sorted = h;
    std::sort(sorted.begin(), sorted.end());
    unsigned *a, *b;
    cudaMalloc(&a, n * sizeof(unsigned));
    cudaMalloc(&b, n * sizeof(unsigned));
    auto load = [&] { cudaMemcpy(a, h.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice); };
    auto verdict = [&](const char *name, unsigned *from, int count) {
        cudaMemcpy(got.data(), from, count * sizeof(unsigned), cudaMemcpyDeviceToHost);
        std::vector<unsigned> want(h.begin(), h.begin() + count);
        std::sort(want.begin(), want.end());
        printf("%s: %s, first %u, last %u\n", name,
               std::equal(want.begin(), want.end(), got.begin()) ? "sorted" : "not sorted", got[0],
               got[count - 1]);
    };
    load();
    bitonic_block<<<1, 256>>>(a);
    verdict("bitonic block", a, 512);
    load();
    for (int k = 2; k <= n; k *= 2)
        for (int j = k / 2; j > 0; j /= 2)
            bitonic_step<<<n / 256, 256>>>(a, j, k);
    verdict("bitonic", a, n);
    load();
    for (int i = 0; i < 301; i++)
        odd_even<<<2, 128>>>(a, 301, i & 1);
    verdict("odd-even", a, 301);
    load();
    unsigned *from = a, *to = b;
    for (int bit = 0; bit < 26; bit++) {
        radix_bit<<<1, 1024>>>(from, to, 1000, bit);
        std::swap(from, to);
    }
    verdict("radix", from, 1000);
    std::vector<unsigned> halves(h);
    std::sort(halves.begin(), halves.begin() + 1500);
    std::sort(halves.begin() + 1500, halves.end());
    cudaMemcpy(a, halves.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice);
    merge_paths<<<4, 128>>>(a, 1500, a + 1500, n - 1500, b, 8);
    verdict("merge", b, n);
    return 0;
}
