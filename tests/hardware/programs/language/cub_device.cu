// CUB: whole-device algorithms and the parts that a block of one's own is made of.
#include <cstdio>
#include <cub/cub.cuh>
#include <vector>

template <int THREADS, int ITEMS> __global__ void block_parts(const int *in, int *out, int *sums)
{
    using Load = cub::BlockLoad<int, THREADS, ITEMS, cub::BLOCK_LOAD_TRANSPOSE>;
    using Sort = cub::BlockRadixSort<int, THREADS, ITEMS>;
    using Scan = cub::BlockScan<int, THREADS>;
    using Reduce = cub::BlockReduce<int, THREADS>;
    using Store = cub::BlockStore<int, THREADS, ITEMS, cub::BLOCK_STORE_WARP_TRANSPOSE>;
    __shared__ union {
        typename Load::TempStorage load;
        typename Sort::TempStorage sort;
        typename Scan::TempStorage scan;
        typename Reduce::TempStorage reduce;
        typename Store::TempStorage store;
    } temp;
    int items[ITEMS], base = blockIdx.x * THREADS * ITEMS;
    Load(temp.load).Load(in + base, items);
    __syncthreads();
    Sort(temp.sort).Sort(items);
    __syncthreads();
    int sum = Reduce(temp.reduce).Sum(items);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum;
    __syncthreads();
    Scan(temp.scan).InclusiveSum(items, items);
    __syncthreads();
    Store(temp.store).Store(out + base, items);
}

static unsigned long long hash(const int *device, int n)
{
    std::vector<int> h(n);
    cudaMemcpy(h.data(), device, n * sizeof(int), cudaMemcpyDeviceToHost);
    unsigned long long v = 0;
    for (int x : h)
        v = v * 1099511628211ull + (unsigned)x;
    return v;
}

#define RUN(name, ...)                                           \
    {                                                            \
        size_t bytes = 0;                                        \
        void *temp = nullptr;                                    \
        cub::name(temp, bytes, __VA_ARGS__);                     \
        cudaMalloc(&temp, bytes);                                \
        cudaError_t error = cub::name(temp, bytes, __VA_ARGS__); \
        cudaFree(temp);                                          \
        printf("%s: %s\n", #name, cudaGetErrorName(error));      \
    }

int main()
{
    const int n = 30000;
    std::vector<int> h(n);
    for (int i = 0; i < n; i++)
        h[i] = (i * 48271u) % 65521;
    int *in, *out, *keys, *count;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&out, n * sizeof(int));
    cudaMalloc(&keys, n * sizeof(int));
    cudaMalloc(&count, 300 * sizeof(int));
    cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    int result;
    RUN(DeviceReduce::Sum, in, count, n)
    cudaMemcpy(&result, count, sizeof result, cudaMemcpyDeviceToHost);
    printf("  %d\n", result);
    RUN(DeviceReduce::Min, in, count, n)
    cudaMemcpy(&result, count, sizeof result, cudaMemcpyDeviceToHost);
    printf("  %d\n", result);
    RUN(DeviceScan::ExclusiveSum, in, out, n)
    printf("  %llx\n", hash(out, n));
    RUN(DeviceRadixSort::SortKeys, in, out, n)
    printf("  %llx\n", hash(out, n));
    RUN(DeviceRadixSort::SortPairsDescending, in, keys, in, out, n)
    printf("  %llx %llx\n", hash(keys, n), hash(out, n));
    RUN(DeviceHistogram::HistogramEven, in, count, 257, 0, 65536, n)
    printf("  %llx\n", hash(count, 256));
    RUN(DeviceSelect::If, in, out, count, n, [] __device__(int x) { return x % 3 == 0; })
    cudaMemcpy(&result, count, sizeof result, cudaMemcpyDeviceToHost);
    printf("  %d %llx\n", result, hash(out, result));
    RUN(DeviceRunLengthEncode::Encode, keys, out, in, count, n)
    cudaMemcpy(&result, count, sizeof result, cudaMemcpyDeviceToHost);
    printf("  %d %llx\n", result, hash(out, result));
    cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    block_parts<128, 4><<<n / 512, 128>>>(in, out, count);
    printf("block parts %llx %llx %s\n", hash(out, n / 512 * 512), hash(count, n / 512),
           cudaGetErrorName(cudaGetLastError()));
    return 0;
}
