// A kernel for each type of generator and kind of number: a thread goes through one sequence and takes every turn that is
// that sequence's. Neighbours write next to each other.
#include "sequence.h"

template <int type, int kind, typename number> static __device__ void generate(const rand_call &c)
{
    const uint64_t index = blockIdx.x * blockDim.x + threadIdx.x, turns = rand_turns(type, kind, &c);
    if (index >= c.sequences || index >= turns)
        return;
    rand_state *mine = &c.states[(c.first + index) % c.sequences], s = *mine;
    for (uint64_t turn = index; turn < turns; turn += c.sequences)
        rand_turn_of_call(type, kind, sizeof(number), &s, &c, turn);
    *mine = s;
}

#define KERNEL(type, type_name, kind, kind_name, number)                                              \
    extern "C" __global__ void __launch_bounds__(RAND_THREADS) type_name##_##kind_name(rand_call c) \
    {                                                                                                 \
        generate<type, kind, number>(c);                                                              \
    }
#define XORWOW(kind, name, number) KERNEL(RAND_XORWOW, xorwow, kind, name, number)
#define MRG(kind, name, number)    KERNEL(RAND_MRG, mrg, kind, name, number)
#define PHILOX(kind, name, number) KERNEL(RAND_PHILOX, philox, kind, name, number)
RAND_KINDS(XORWOW)
RAND_KINDS(MRG)
RAND_KINDS(PHILOX)
