// flags: -gencode arch=compute_90a,code=[sm_90a,compute_90a]
// Sums of products by warpgroups: every type that wgmma multiplies, on bits that are special,
// ordinary, near to each other and small, to what came, bit for bit.
#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>
#include <vector>

constexpr int TESTS = 4, KINDS = 4; // of operands, of each kind

// 64 rows of 32 bytes of A, 8 of B; what threads hold of C and D.
struct Operands {
    uint8_t a[64][32], b[8][32];
    uint32_t c[128][4];
};

__device__ uint64_t descriptor(const void *p)
{
    // Rows of 16 bytes, eight together; the next 16 bytes of them behind, then the next eight rows.
    const uint64_t address = __cvta_generic_to_shared(p);
    return (address & 0x3ffff) >> 4 | (uint64_t)(128 >> 4) << 16 | (uint64_t)(256 >> 4) << 32;
}

__device__ void place(uint8_t *to, const uint8_t from[][32], int rows)
{
    for (int i = threadIdx.x; i < rows * 32; i += blockDim.x) {
        const int row = i / 32, k = i % 32;
        to[row / 8 * 256 + k / 16 * 128 + row % 8 * 16 + k % 16] = from[row][k];
    }
}

#define D4 "{%0, %1, %2, %3}"
#define D2 "{%0, %1}"
#define FORM(name, d, text, tail)                                                                  \
    struct name {                                                                                  \
        static constexpr const char *words = text;                                                 \
        static __device__ void multiply(uint32_t r[4], uint64_t a, uint64_t b, int add)            \
        {                                                                                          \
            asm volatile("{ .reg .pred p; setp.ne.b32 p, %6, 0;\n"                                 \
                         "wgmma.mma_async.sync.aligned." text " " d ", %4, %5, p" tail "; }"       \
                         : "+r"(r[0]), "+r"(r[1]), "+r"(r[2]), "+r"(r[3])                          \
                         : "l"(a), "l"(b), "r"(add));                                              \
        }                                                                                          \
    };

FORM(F16, D4, "m64n8k16.f32.f16.f16", ", 1, 1, 0, 0")
FORM(F16_A, D4, "m64n8k16.f32.f16.f16", ", -1, 1, 0, 0")
FORM(F16_B, D4, "m64n8k16.f32.f16.f16", ", 1, -1, 0, 0")
FORM(F16_AB, D4, "m64n8k16.f32.f16.f16", ", -1, -1, 0, 0")
FORM(H16, D2, "m64n8k16.f16.f16.f16", ", 1, 1, 0, 0")
FORM(H16_A, D2, "m64n8k16.f16.f16.f16", ", -1, 1, 0, 0")
FORM(BF16, D4, "m64n8k16.f32.bf16.bf16", ", 1, 1, 0, 0")
FORM(TF32, D4, "m64n8k8.f32.tf32.tf32", ", 1, 1")
FORM(E44, D4, "m64n8k32.f32.e4m3.e4m3", ", 1, 1")
FORM(E45, D4, "m64n8k32.f32.e4m3.e5m2", ", 1, 1")
FORM(E54, D4, "m64n8k32.f32.e5m2.e4m3", ", 1, 1")
FORM(E55, D4, "m64n8k32.f32.e5m2.e5m2", ", 1, 1")
FORM(H44, D2, "m64n8k32.f16.e4m3.e4m3", ", 1, 1")
FORM(H55, D2, "m64n8k32.f16.e5m2.e5m2", ", 1, 1")
FORM(H45, D2, "m64n8k32.f16.e4m3.e5m2", ", 1, -1")
FORM(SS, D4, "m64n8k32.s32.s8.s8", "")
FORM(SU, D4, "m64n8k32.s32.s8.u8", "")
FORM(US, D4, "m64n8k32.s32.u8.s8", "")
FORM(UU, D4, "m64n8k32.s32.u8.u8", "")
FORM(SS_SAT, D4, "m64n8k32.s32.s8.s8.satfinite", "")
FORM(UU_SAT, D4, "m64n8k32.s32.u8.u8.satfinite", "")
FORM(BITS, D4, "m64n8k256.s32.b1.b1.and.popc", "")

template <class Form> __global__ void __launch_bounds__(128) multiply(const Operands *in, uint32_t (*out)[128][4], int add)
{
    __shared__ alignas(1024) uint8_t a[2048];
    __shared__ alignas(1024) uint8_t b[256];
    const Operands *o = in + blockIdx.x;
    place(a, o->a, 64);
    place(b, o->b, 8);
    uint32_t d[4];
    for (int i = 0; i < 4; i++)
        d[i] = o->c[threadIdx.x][i];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    Form::multiply(d, descriptor(a), descriptor(b), add);
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])::"memory");
    for (int i = 0; i < 4; i++)
        out[blockIdx.x][threadIdx.x][i] = d[i];
}

static uint64_t state;
static uint32_t bits()
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(state >> 32);
}

// A number of EXPONENT and FRACTION bits. Kinds: 0 any bits, 1 ordinary, 2 near to each other,
// 3 small ones.
static uint32_t number(int kind, int exponent, int fraction)
{
    const uint32_t r = bits(), sign = (r & 1) << (exponent + fraction);
    const uint32_t part = bits() & ((1u << fraction) - 1);
    const int bias = (1 << (exponent - 1)) - 1;
    switch (kind) {
    case 0:
        return bits() & (uint32_t)((2ull << (exponent + fraction)) - 1);
    case 1:
        return sign | (uint32_t)(bias + (int)(r >> 8) % 16 - 8 + (exponent == 4 ? 2 : 0)) % (1u << exponent) << fraction | part;
    case 2:
        return sign | (uint32_t)(bias + (int)(r >> 8) % 3 - 1) << fraction | part;
    default:
        return sign | (uint32_t)((r >> 8) % 3) << fraction | part;
    }
}

struct Shape {
    int exponent, fraction, bytes; // of an element; exponent 0: any bits
};

static void fill(uint8_t *p, int n, int kind, Shape s)
{
    for (int i = 0; i < n; i += s.bytes) {
        uint32_t v = s.exponent ? number(kind, s.exponent, s.fraction) : kind == 2 ? bits() & 0x81 : bits();
        if (s.exponent == 8 && s.bytes == 4 && s.fraction == 10)
            v = v << 13 | (bits() & 0x1fff);
        for (int k = 0; k < s.bytes; k++)
            p[i + k] = (uint8_t)(v >> 8 * k);
    }
}

static uint64_t sum_of(const void *from, size_t n)
{
    uint64_t h = 0xcbf29ce484222325ull;
    for (size_t i = 0; i < n; i++)
        h = (h ^ ((const uint8_t *)from)[i]) * 0x100000001b3ull;
    return h;
}

template <class Form> static void run(const char *what, Shape a, Shape b, Shape c)
{
    std::vector<Operands> host(TESTS * KINDS);
    state = 12345;
    for (int k = 0; k < TESTS * KINDS; k++) {
        const int kind = k / TESTS;
        fill(host[k].a[0], 64 * 32, kind, a);
        fill(host[k].b[0], 8 * 32, kind, b);
        fill((uint8_t *)host[k].c[0], 128 * 16, kind == 3 && c.exponent == 8 ? 2 : kind, c);
        if (k % TESTS == 3 && kind == 3)
            for (auto &t : host[k].c)
                for (uint32_t &v : t)
                    v = 0x80000000;
    }
    Operands *in;
    uint32_t(*out)[128][4];
    const size_t size = sizeof(uint32_t[TESTS * KINDS][128][4]);
    cudaMalloc(&in, sizeof(Operands) * host.size());
    cudaMalloc(&out, size);
    cudaMemcpy(in, host.data(), sizeof(Operands) * host.size(), cudaMemcpyHostToDevice);
    std::vector<uint32_t> d(size / 4);
    for (int add = 1; add >= 0; add--) {
        multiply<Form><<<TESTS * KINDS, 128>>>(in, out, add);
        cudaError_t e = cudaMemcpy(d.data(), out, size, cudaMemcpyDeviceToHost);
        printf("%s%s%s:", Form::words, what, add ? "" : ", nothing to add to");
        if (e) {
            printf(" %s\n", cudaGetErrorName(e));
            exit(1);
        }
        for (int kind = 0; kind < KINDS; kind++)
            printf(" %016llx", (unsigned long long)sum_of(&d[kind * TESTS * 512], TESTS * 2048));
        printf("\n");
    }
    cudaFree(in);
    cudaFree(out);
}

int main()
{
    const Shape f16 = {5, 10, 2}, bf16 = {8, 7, 2}, tf32 = {8, 10, 4}, f32 = {8, 23, 4}, e4m3 = {4, 3, 1}, e5m2 = {5, 2, 1}, any = {0, 0, 4};
    run<F16>("", f16, f16, f32);
    run<F16_A>(", -a", f16, f16, f32);
    run<F16_B>(", -b", f16, f16, f32);
    run<F16_AB>(", -a -b", f16, f16, f32);
    run<H16>("", f16, f16, f16);
    run<H16_A>(", -a", f16, f16, f16);
    run<BF16>("", bf16, bf16, f32);
    run<TF32>("", tf32, tf32, f32);
    run<E44>("", e4m3, e4m3, f32);
    run<E45>("", e4m3, e5m2, f32);
    run<E54>("", e5m2, e4m3, f32);
    run<E55>("", e5m2, e5m2, f32);
    run<H44>("", e4m3, e4m3, f16);
    run<H55>("", e5m2, e5m2, f16);
    run<H45>(", -b", e4m3, e5m2, f16);
    run<SS>("", any, any, any);
    run<SU>("", any, any, any);
    run<US>("", any, any, any);
    run<UU>("", any, any, any);
    run<SS_SAT>("", any, any, any);
    run<UU_SAT>("", any, any, any);
    run<BITS>("", any, any, any);
    return 0;
}
