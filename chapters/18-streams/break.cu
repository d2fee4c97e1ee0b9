// Break this order of two kernels, one of which is in the default stream. Make them race.
// Judged by: ./warpbook break streams
#include "lab.h"

enum { DEFAULT, ONE, TWO, APART, STREAMS }; // APART is made with cudaStreamNonBlocking

struct choice {
    int first, second; // the streams of the two kernels
};

static choice yours(void)
{
    choice c;
    // TODO 1 (about 2 lines): choose the two streams, one of them DEFAULT, so that the kernels race
    c.first = DEFAULT;
    c.second = DEFAULT;
    // END TODO 1
    return c;
}

enum { N = 4096, BLOCK = 256 };

__global__ void twice(int *out, const int *in)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    out[i] = 2 * in[i];
}

int main(void)
{
    lab_begin("Break streams");
    const choice c = yours();
    lab_bound(c.first >= 0 && c.first < STREAMS, "first is DEFAULT, ONE, TWO or APART");
    lab_bound(c.second >= 0 && c.second < STREAMS, "second is DEFAULT, ONE, TWO or APART");
    lab_bound(c.first == DEFAULT || c.second == DEFAULT, "one of the two streams is DEFAULT");
    cudaStream_t stream[STREAMS] = {};
    CUDA_CHECK(cudaStreamCreate(&stream[ONE]));
    CUDA_CHECK(cudaStreamCreate(&stream[TWO]));
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream[APART], cudaStreamNonBlocking));

    LAB_CHECK_AT("twice", N) {
        lab_array<int> in(N), between(N, LAB_POISON), out(N, LAB_POISON);
        twice<<<N / BLOCK, BLOCK, 0, stream[c.first]>>>(between.device, in.device);
        twice<<<N / BLOCK, BLOCK, 0, stream[c.second]>>>(out.device, between.device);
        lab_launched();
        CUDA_CHECK(cudaDeviceSynchronize());
        lab_expect(out, [&](long i) { return 4 * in[i]; }, 0, "a product of ints is exact");
    }
    for (int k = ONE; k < STREAMS; k++) CUDA_CHECK(cudaStreamDestroy(stream[k]));
    return lab_end();
}
