// A right program whose texts try to leave the page: run-page compiles and records it. </script><b>bold</b> <!-- & "
#include <cstdio>

// Escape sequence [31mred, U+2028   and a mark of direction ‮.
template <int N> __global__ void spread(float *out, const float *in, int n)
{
    __shared__ float tile[64];
    int t = threadIdx.x;
    tile[t] = t < n ? in[t * N % n] : 0;
    __syncthreads();
    if (t % 2)
        tile[t] += 1;
    __syncthreads();
    out[t] = tile[(t * 2) % 64];
}

#line 100 "leaves</script><img src=x onerror=alert(1)>.cu"
__global__ void elsewhere(float *out)
{
    out[threadIdx.x] *= 2;
}

int main(int argc, char **)
{
    float *in, *out;
    cudaMalloc(&in, 64 * sizeof *in);
    cudaMalloc(&out, 64 * sizeof *out);
    cudaMemset(in, 0, 64 * sizeof *in);
    if (argc < 2) {
        spread<7><<<3, 64>>>(out, in, 64);
        elsewhere<<<1, 64>>>(out);
    }
    return cudaDeviceSynchronize() != cudaSuccess;
}
