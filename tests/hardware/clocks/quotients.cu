// For which exponents an exact f32 division leaves its short path: for each exponent of the
// dividend the first and the last exponent of the divisor with which it does not. Exponents as they
// stand in the word, 0 to 255. A warp divides one pair four times; the path is short if the fastest
// took at most 180 cycles (60 to 125 there, 250 and more outside).
#include <cstdio>
#include <vector>

enum { EXPONENTS = 256, FRACTIONS = 4 };

__device__ unsigned cycles_of(float a, float b)
{
    unsigned least = ~0u;
    for (int k = 0; k < 4; k++) {
        float q;
        long long from, to;
        asm volatile("mov.u64 %0, %%clock64;\n\tdiv.rn.f32 %2, %3, %4;\n\t"
                     "add.f32 %2, %2, 0f00000000;\n\tmov.u64 %1, %%clock64;"
                     : "=l"(from), "=l"(to), "=f"(q)
                     : "f"(a), "f"(b)
                     : "memory");
        const unsigned took = (unsigned)(to - from) + (q == 123.456f);
        least = took < least ? took : least;
    }
    return least;
}

__global__ void all_pairs(unsigned *cycles, unsigned fraction_a, unsigned fraction_b)
{
    const unsigned pair = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const float a = __uint_as_float(pair / EXPONENTS << 23 | fraction_a),
                b = __uint_as_float(pair % EXPONENTS << 23 | fraction_b);
    const unsigned took = cycles_of(a, b);
    if (threadIdx.x % 32 == 0)
        cycles[pair] = min(cycles[pair], took);
}

int main()
{
    static const unsigned fractions[FRACTIONS][2] = {
        {0, 0}, {1, 0x7fffff}, {0x7fffff, 1}, {0x400000, 0x200000}};
    unsigned *cycles;
    std::vector<unsigned> host(EXPONENTS * EXPONENTS);
    cudaMalloc(&cycles, host.size() * sizeof host[0]);
    std::vector<int> slow(host.size());
    for (const auto &f : fractions) {
        cudaMemset(cycles, 255, host.size() * sizeof host[0]);
        for (int repeat = 0; repeat < 4; repeat++)
            all_pairs<<<EXPONENTS * EXPONENTS / 8, 256>>>(cycles, f[0], f[1]);
        cudaMemcpy(host.data(), cycles, host.size() * sizeof host[0], cudaMemcpyDeviceToHost);
        for (size_t k = 0; k < host.size(); k++)
            slow[k] += host[k] > 180;
    }
    puts("dividend\tfirst\tlast");
    int mixed = 0;
    for (int a = 0; a < EXPONENTS; a++) {
        int first = -1, last = -1, count = 0;
        for (int b = 0; b < EXPONENTS; b++) {
            mixed += slow[a * EXPONENTS + b] % FRACTIONS != 0;
            if (slow[a * EXPONENTS + b] == 0)
                first = first < 0 ? b : first, last = b, count++;
        }
        mixed += first >= 0 && last - first + 1 != count;
        first < 0 ? printf("%d\t-\t-\n", a) : printf("%d\t%d\t%d\n", a, first, last);
    }
    if (mixed)
        fprintf(stderr, "%d pairs depend on the fraction, or are no range\n", mixed);
    return mixed != 0 || cudaGetLastError() != cudaSuccess;
}
