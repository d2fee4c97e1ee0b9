/* ldmatrix beside plain loads of shared memory: TURNS of them a warp, each at a place that the one
 * before it names. */
#include "record.h"

enum { TURNS = 1024, WORDS = 2048 };

template <int MATRICES, bool TURNED> static __device__ void load(unsigned *v, unsigned at)
{
    if constexpr (MATRICES == 4 && TURNED)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
                     : "r"(at));
    else if constexpr (MATRICES == 4)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
                     : "r"(at));
    else if constexpr (MATRICES == 1)
        asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(v[0]) : "r"(at));
    else
        asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v[0]) : "r"(at));
}

/* The words are zeros, which ptxas does not know. */
template <int MATRICES, bool TURNED> __global__ void chain(unsigned *out)
{
    __shared__ __align__(128) unsigned memory[WORDS];
    for (int i = threadIdx.x; i < WORDS; i += blockDim.x)
        memory[i] = 0;
    __syncthreads();
    const unsigned begin =
        (unsigned)__cvta_generic_to_shared(memory) + (MATRICES ? 16 : 4) * (threadIdx.x % 32);
    unsigned v[4] = {};
    for (int k = 0; k < TURNS; k++)
        load<MATRICES, TURNED>(v, begin + v[0]);
    if (v[0] == 12345)
        out[0] = v[0];
}

int main()
{
    device_array<unsigned> out(1);
    for (unsigned threads : {32u, 128u, 512u, 1024u}) {
        measure(
            "chain_words", threads, 132, 0, [&] { chain<0, false><<<132, threads>>>(out.p); });
        measure(
            "chain_x1", threads, 132, 0, [&] { chain<1, false><<<132, threads>>>(out.p); });
        measure(
            "chain_x4", threads, 132, 0, [&] { chain<4, false><<<132, threads>>>(out.p); });
        measure("chain_x4_turned", threads, 132, 0,
                [&] { chain<4, true><<<132, threads>>>(out.p); });
    }
    return 0;
}
