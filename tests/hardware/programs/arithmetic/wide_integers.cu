// Integers of 128 bits: nvcc makes chains through the carry flag of them (sub.cc, subc, addc),
// calls for quotients, and its own conversions. Operands are edges and random bits; a line is a
// hash of all results of an operation, and one line a pair prints a few results in full.
#include <cstdint>
#include <cstdio>
#include <vector>

typedef __int128 s128;
typedef unsigned __int128 u128;

// name, type of the operands, result in two words
#define OPERATIONS(X)                                                        \
    X(u_add, u128, a + b)                                                    \
    X(u_sub, u128, a - b)                                                    \
    X(u_mul, u128, a *b)                                                     \
    X(u_div, u128, b ? a / b : 0)                                            \
    X(u_rem, u128, b ? a % b : 0)                                            \
    X(s_div, s128, b &&b != -1 ? a / b : 0)                                  \
    X(s_rem, s128, b &&b != -1 ? a % b : 0)                                  \
    X(s_mul, s128, (s128)((u128)a * (u128)b))                                \
    X(u_div_word, u128, (uint64_t)b ? a / (uint64_t)b : 0)                   \
    X(u_rem_word, u128, (uint64_t)b ? a % (uint64_t)b : 0)                   \
    X(s_div_word, s128, (int32_t)b > 0 ? a / (int32_t)b : 0)                 \
    X(u_div_ten, u128, a / 10 + b % 10)                                      \
    X(s_div_ten, s128, a / -10 + b % 1000000007)                             \
    X(u_shl, u128, a << ((unsigned)b & 127))                                 \
    X(u_shr, u128, a >> ((unsigned)b & 127))                                 \
    X(s_shr, s128, a >> ((unsigned)b & 127))                                 \
    X(u_compare, u128, (a < b) | (a <= b) << 1 | (a == b) << 2)              \
    X(s_compare, s128, (a < b) | (a <= b) << 1 | (a == b) << 2)              \
    X(s_neg, s128, (s128)(0 - (u128)a))                                      \
    X(s_abs, s128, a < 0 ? (s128)(0 - (u128)a) : a)                          \
    X(u_min, u128, a < b ? a : b)                                            \
    X(s_max, s128, a < b ? b : a)                                            \
    X(logic, u128, (a & b) ^ (a | ~b))                                       \
    X(mul_wide, u128, (u128)(uint64_t)a *(uint64_t)b)                        \
    X(s_mul_wide, s128, (s128)(int64_t)a *(int64_t)b)                        \
    X(u_mad, u128, a *b + (a >> 64))                                         \
    X(sub_word, u128, a - (uint64_t)b)                                       \
    X(u_to_double, u128, __double_as_longlong((double)a))                    \
    X(s_to_double, s128, __double_as_longlong((double)a))                    \
    X(u_to_float, u128, __float_as_uint((float)a))                           \
    X(s_to_float, s128, __float_as_uint((float)a))                           \
    X(double_to_u, u128, (u128)fabs(ldexp((double)(int64_t)a, (int)b & 63))) \
    X(double_to_s, s128, (s128)ldexp((double)(int64_t)a, (int)b & 63))

#define KERNEL(name, type, result)                                     \
    __global__ void name(const ulonglong2 *in, ulonglong2 *out, int n) \
    {                                                                  \
        const int t = blockIdx.x * blockDim.x + threadIdx.x;           \
        if (t >= n * n)                                                \
            return;                                                    \
        const ulonglong2 x = in[t / n], y = in[t % n];                 \
        const type a = (type)((u128)x.y << 64 | x.x);                  \
        const type b = (type)((u128)y.y << 64 | y.x);                  \
        (void)b;                                                       \
        const u128 r = (u128)(type)(result);                           \
        out[t] = make_ulonglong2((uint64_t)r, (uint64_t)(r >> 64));    \
    }
OPERATIONS(KERNEL)

static uint64_t state = 1;
static uint64_t draw()
{
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

int main()
{
    static const uint64_t words[] = {0,
                                     1,
                                     10,
                                     0x7fffffffffffffff,
                                     0x8000000000000000,
                                     0xffffffff,
                                     0x100000000,
                                     0xffffffffffffffff};
    std::vector<ulonglong2> in;
    for (uint64_t high : words)
        for (uint64_t low : words)
            in.push_back(make_ulonglong2(low, high));
    for (int k = 0; k < 64; k++) {
        const uint64_t low = draw(), high = draw();
        in.push_back(k % 2 ? make_ulonglong2(low, high >> draw() % 64)
                           : make_ulonglong2(low >> draw() % 64, k % 4 ? 0 : -1));
    }
    const int n = (int)in.size();
    ulonglong2 *device_in, *device_out;
    std::vector<ulonglong2> out((size_t)n * n);
    cudaMalloc(&device_in, in.size() * sizeof in[0]);
    cudaMalloc(&device_out, out.size() * sizeof out[0]);
    cudaMemcpy(device_in, in.data(), in.size() * sizeof in[0], cudaMemcpyHostToDevice);
    auto show = [&](const char *name, auto kernel) {
        kernel<<<(n * n + 127) / 128, 128>>>(device_in, device_out, n);
        cudaMemcpy(out.data(), device_out, out.size() * sizeof out[0], cudaMemcpyDeviceToHost);
        uint64_t h = 0xcbf29ce484222325;
        for (ulonglong2 r : out) {
            h = (h ^ r.x) * 0x100000001b3;
            h = (h ^ r.y) * 0x100000001b3;
        }
        printf("%s %s %016llx", name, cudaGetErrorName(cudaGetLastError()), (unsigned long long)h);
        for (int t : {2 * n + 2, 30 * n + 17, 67 * n + 9, 99 * n + 100, 127 * n + 64})
            printf(" %llx:%016llx", out[t].y, out[t].x);
        printf("\n");
    };
#define SHOW(name, type, result) show(#name, name);
    OPERATIONS(SHOW)
    return 0;
}
