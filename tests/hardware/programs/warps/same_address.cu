/* Several lanes of a warp store to one address: whose value stays there, by the width of what a lane
 * stores, in global and in shared memory, by all lanes and by some. */
#include <cstdio>
#include <cuda_runtime.h>

/* The place of lane T's store in pattern P. */
__device__ static int place(int p, int t)
{
    switch (p) {
    case 0:
        return 0;
    case 1:
        return t / 2;
    case 2:
        return t & 7;
    case 3:
        return t / 8;
    case 4:
        return (t * 7 + 5) % 9;
    default:
        return (31 - t) / 5;
    }
}

template <class T> __device__ static T value_of(int t);
template <> __device__ char value_of(int t)
{
    return (char)t;
}
template <> __device__ short value_of(int t)
{
    return (short)t;
}
template <> __device__ int value_of(int t)
{
    return t;
}
template <> __device__ long long value_of(int t)
{
    return t;
}
template <> __device__ int2 value_of(int t)
{
    return make_int2(t, t);
}
template <> __device__ int4 value_of(int t)
{
    return make_int4(t, t, t, t);
}
template <> __device__ double2 value_of(int t)
{
    return make_double2(__hiloint2double(t, t), __hiloint2double(t, t));
}

template <class T> __global__ void to_global(T *out, unsigned lanes, int p)
{
    const int t = threadIdx.x;
    if (lanes >> t & 1) {
        out[place(p, t)] = value_of<T>(t);
    }
}

template <class T> __global__ void to_shared(T *out, unsigned lanes, int p)
{
    __shared__ T part[32];
    const int t = threadIdx.x;
    part[t] = value_of<T>(99);
    __syncthreads();
    if (lanes >> t & 1) {
        part[place(p, t)] = value_of<T>(t);
    }
    __syncthreads();
    out[t] = part[t];
}

/* The first byte of each of 32 places: the lane that was there last. */
static void print_lanes(const char *what, unsigned lanes, const unsigned char *out, size_t width)
{
    printf("%s %zu %08x:", what, width, lanes);
    for (size_t k = 0; k < 32; k++) {
        if (out[k * width] != 99) {
            printf(" %d", out[k * width]);
        }
    }
    printf("\n");
}

template <class T> static void run(void)
{
    static const unsigned masks[] = {~0u, 0xaaaaaaaau, 0x0000ffffu, 0x80000001u, 0x12345678u};
    static unsigned char out[32 * sizeof(T)];
    T *device;
    cudaMalloc(&device, sizeof out);
    for (unsigned lanes : masks) {
        for (int p = 0; p < 6; p++) {
            cudaMemset(device, 99, sizeof out);
            to_global<<<1, 32>>>(device, lanes, p);
            cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost);
            print_lanes("global", lanes, out, sizeof(T));
            to_shared<<<1, 32>>>(device, lanes, p);
            cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost);
            print_lanes("shared", lanes, out, sizeof(T));
        }
    }
    cudaFree(device);
}

int main(void)
{
    run<char>();
    run<short>();
    run<int>();
    run<long long>();
    run<int2>();
    run<int4>();
    run<double2>();
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
