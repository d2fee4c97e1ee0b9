// Transforms of a table of plans against a long double one: for each its relative error as a norm,
// what of the output's gaps was written and whether the input was kept; of advanced layouts two
// values, too. The same lines come from a GPU with NVIDIA's library (recorded) and from ours.
#include "check.h"

#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <cufft.h>
#include <map>
#include <string>
#include <vector>

typedef long double real;
typedef std::complex<real> complex;

#define DONE(expr)                                                          \
    do {                                                                    \
        const int got_ = (int)(expr);                                       \
        if (got_ != CUFFT_SUCCESS) {                                        \
            failures++;                                                     \
            printf("%s:%d: %s gave %d\n", __FILE__, __LINE__, #expr, got_); \
        }                                                                   \
    } while (0)

/* --- the reference --- */

static const std::vector<complex> &roots(int n)
{
    static std::map<int, std::vector<complex>> known;
    std::vector<complex> &w = known[n];
    if (w.empty())
        for (int k = 0; k < n; k++)
            w.push_back(std::polar(real(1), -2 * acosl(-1) * k / n));
    return w;
}

/* OUT[k] = sum of IN[j STEP] exp(-2 pi i j k / n), by the least prime factor of n. */
static void transform(const complex *in, size_t step, complex *out, int n)
{
    int p = 2;
    while (p < n && n % p)
        p = p * p > n ? n : p + 1;
    if (n == 1) {
        *out = *in;
        return;
    }
    const int m = n / p;
    const std::vector<complex> &w = roots(n);
    std::vector<complex> part(n);
    for (int q = 0; q < p; q++)
        transform(in + q * step, step * p, &part[(size_t)q * m], m);
    for (int k = 0; k < m; k++)
        for (int r = 0; r < p; r++) {
            complex sum = 0;
            for (int q = 0; q < p; q++)
                sum += part[(size_t)q * m + k] * w[(int64_t)q * (k + (int64_t)r * m) % n];
            out[k + (size_t)r * m] = sum;
        }
}

/* --- plans --- */

struct layout {
    int embed[3], stride, dist; /* stride 0: the default one */
};

struct plan {
    cufftType type;
    int rank, n[3], batch;
    bool in_place, inverse;
    layout in, out;
    bool is_wrong; /* a half spectrum has imaginary parts where a real line's has none */
};

static bool is_double(cufftType t)
{
    return t == CUFFT_D2Z || t == CUFFT_Z2D || t == CUFFT_Z2Z;
}
static bool is_real_in(cufftType t)
{
    return t == CUFFT_R2C || t == CUFFT_D2Z;
}
static bool is_real_out(cufftType t)
{
    return t == CUFFT_C2R || t == CUFFT_Z2D;
}
static const char *name_of(cufftType t)
{
    return t == CUFFT_C2C   ? "C2C"
           : t == CUFFT_Z2Z ? "Z2Z"
           : t == CUFFT_R2C ? "R2C"
           : t == CUFFT_D2Z ? "D2Z"
           : t == CUFFT_C2R ? "C2R"
                            : "Z2D";
}

static uint32_t hash(uint32_t v)
{
    v = (v ^ v >> 16) * 0x7feb352du;
    v = (v ^ v >> 15) * 0x846ca68bu;
    return v ^ v >> 16;
}
static real hashed(uint32_t v)
{
    return ldexpl((int32_t)hash(v) >> 8, -23);
}

/* One side of a plan: where its elements lie. */
struct side {
    int rank,
        width[3]; /* elements of each dimension: half of the last one if the other side is real */
    size_t pitch[3], dist;
    bool is_real;
    side(const plan &p, bool is_out) : rank(p.rank)
    {
        const layout &l = is_out ? p.out : p.in;
        is_real = is_out ? is_real_out(p.type) : is_real_in(p.type);
        const bool half = !is_real && p.type != CUFFT_C2C && p.type != CUFFT_Z2Z;
        int embed[3];
        for (int d = 0; d < rank; d++)
            width[d] = embed[d] = p.n[d];
        if (half)
            width[rank - 1] = embed[rank - 1] = p.n[rank - 1] / 2 + 1;
        if (is_real && p.in_place)
            embed[rank - 1] = 2 * (p.n[rank - 1] / 2 + 1);
        for (int d = 0; l.stride && d < rank; d++)
            embed[d] = l.embed[d];
        size_t at = l.stride ? l.stride : 1;
        for (int d = rank; d-- > 0; at *= embed[d])
            pitch[d] = at;
        dist = l.stride ? l.dist : at;
    }
    size_t count() const
    {
        size_t c = 1;
        for (int d = 0; d < rank; d++)
            c *= width[d];
        return c;
    }
    size_t at(int b, size_t i) const
    {
        size_t where = b * dist;
        for (int d = rank; d-- > 0; i /= width[d])
            where += i % width[d] * pitch[d];
        return where;
    }
    size_t span(int batch) const
    {
        return at(batch - 1, count() - 1) + 1;
    }
};

/* A transform of all dimensions. */
static std::vector<complex> reference(const plan &p, std::vector<complex> v)
{
    size_t inner = 1;
    for (int d = p.rank; d-- > 0; inner *= p.n[d]) {
        const int n = p.n[d];
        std::vector<complex> line(n);
        for (size_t o = 0; o < v.size() / n; o++) {
            complex *first = &v[o / inner * inner * n + o % inner];
            transform(first, inner, line.data(), n);
            for (int k = 0; k < n; k++)
                first[k * inner] = line[k];
        }
    }
    return v;
}

/* What goes into batch B, as a whole volume; that of a real result has its symmetry. */
static std::vector<complex> volume(const plan &p, int b)
{
    size_t count = 1;
    for (int d = 0; d < p.rank; d++)
        count *= p.n[d];
    std::vector<complex> v(count);
    for (size_t i = 0; i < count; i++) {
        const uint32_t seed = 2 * (uint32_t)(i + b * count);
        v[i] = complex(hashed(seed), is_real_in(p.type) ? 0 : hashed(seed + 1));
    }
    if (!is_real_out(p.type))
        return v;
    std::vector<complex> even(count);
    for (size_t i = 0; i < count; i++) {
        size_t mirror = 0, rest = i, unit = 1;
        for (int d = p.rank; d-- > 0; rest /= p.n[d], unit *= p.n[d])
            mirror += (p.n[d] - rest % p.n[d]) % p.n[d] * unit;
        even[i] = (v[i] + std::conj(v[mirror])) / real(4);
        if (p.is_wrong && mirror == i)
            even[i] += complex(0, 1);
    }
    return even;
}

/* The place in the whole volume of element I of a side. */
static size_t in_volume(const plan &p, const side &s, size_t i)
{
    return i / s.width[s.rank - 1] * p.n[s.rank - 1] + i % s.width[s.rank - 1];
}

/* --- a run --- */

static cufftResult execute(const plan &p, cufftHandle h, void *in, void *out)
{
    const int way = p.inverse ? CUFFT_INVERSE : CUFFT_FORWARD;
    switch (p.type) {
    case CUFFT_C2C:
        return cufftExecC2C(h, (cufftComplex *)in, (cufftComplex *)out, way);
    case CUFFT_Z2Z:
        return cufftExecZ2Z(h, (cufftDoubleComplex *)in, (cufftDoubleComplex *)out, way);
    case CUFFT_R2C:
        return cufftExecR2C(h, (cufftReal *)in, (cufftComplex *)out);
    case CUFFT_D2Z:
        return cufftExecD2Z(h, (cufftDoubleReal *)in, (cufftDoubleComplex *)out);
    case CUFFT_C2R:
        return cufftExecC2R(h, (cufftComplex *)in, (cufftReal *)out);
    default:
        return cufftExecZ2D(h, (cufftDoubleComplex *)in, (cufftDoubleReal *)out);
    }
}

static cufftHandle make(plan p)
{
    cufftHandle h = 0;
    if (p.in.stride)
        DONE(cufftPlanMany(&h, p.rank, p.n, p.in.embed, p.in.stride, p.in.dist, p.out.embed,
                           p.out.stride, p.out.dist, p.type, p.batch));
    else if (p.rank == 1)
        DONE(cufftPlan1d(&h, p.n[0], p.type, p.batch));
    else if (p.batch > 1)
        DONE(cufftPlanMany(&h, p.rank, p.n, NULL, 0, 0, NULL, 0, 0, p.type, p.batch));
    else if (p.rank == 2)
        DONE(cufftPlan2d(&h, p.n[0], p.n[1], p.type));
    else
        DONE(cufftPlan3d(&h, p.n[0], p.n[1], p.n[2], p.type));
    return h;
}

static void say(const plan &p)
{
    printf("%s %s %s n=", name_of(p.type), p.in_place ? "in-place" : "apart",
           p.inverse ? "inverse" : "forward");
    for (int d = 0; d < p.rank; d++)
        printf("%s%d", d ? "x" : "", p.n[d]);
    printf(" batch=%d", p.batch);
    if (p.is_wrong)
        printf(" not symmetric");
    const layout *sides[] = {&p.in, &p.out};
    for (int s = 0; s < 2 && p.in.stride; s++) {
        printf(" %s=%d,%d,", s ? "out" : "in", sides[s]->stride, sides[s]->dist);
        for (int d = 0; d < p.rank; d++)
            printf("%s%d", d ? "x" : "", sides[s]->embed[d]);
    }
}

template <typename T> void run(const plan &p)
{
    enum { GUARD = 64 };
    const side in(p, false), out(p, true);
    const int reals_in = in.is_real ? 1 : 2, reals_out = out.is_real ? 1 : 2;
    size_t size_in = in.span(p.batch) * reals_in + GUARD,
           size_out = out.span(p.batch) * reals_out + GUARD;
    if (p.in_place)
        size_in = size_out = std::max(size_in, size_out);
    const T unset = (T)-777;
    std::vector<T> host_in(size_in, unset), got(size_out, unset);
    std::vector<std::vector<complex>> wanted;
    for (int b = 0; b < p.batch; b++) {
        std::vector<complex> v = volume(p, b);
        for (size_t i = 0; i < in.count(); i++)
            for (int c = 0; c < reals_in; c++) {
                complex &value = v[in_volume(p, in, i)];
                host_in[in.at(b, i) * reals_in + c] = (T)(c ? value.imag() : value.real());
            }
        if (p.inverse)
            for (complex &x : v)
                x = std::conj(x);
        v = reference(p, v);
        if (p.inverse)
            for (complex &x : v)
                x = std::conj(x);
        wanted.push_back(v);
    }
    T *device_in, *device_out;
    OK(cudaMalloc(&device_in, size_in * sizeof(T)));
    OK(cudaMalloc(&device_out, size_out * sizeof(T)));
    OK(cudaMemcpy(device_in, host_in.data(), size_in * sizeof(T), cudaMemcpyHostToDevice));
    OK(cudaMemcpy(device_out, got.data(), size_out * sizeof(T), cudaMemcpyHostToDevice));
    const cufftHandle h = make(p);
    DONE(execute(p, h, device_in, p.in_place ? device_in : device_out));
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(got.data(), p.in_place ? device_in : device_out, size_out * sizeof(T),
                  cudaMemcpyDeviceToHost));
    std::vector<T> kept(size_in);
    OK(cudaMemcpy(kept.data(), device_in, size_in * sizeof(T), cudaMemcpyDeviceToHost));
    DONE(cufftDestroy(h));
    OK(cudaFree(device_in));
    OK(cudaFree(device_out));

    std::vector<bool> is_result(size_out);
    real off = 0, size = 0;
    for (int b = 0; b < p.batch; b++)
        for (size_t i = 0; i < out.count(); i++)
            for (int c = 0; c < reals_out; c++) {
                const complex &value = wanted[b][in_volume(p, out, i)];
                const real want = c ? value.imag() : value.real();
                const size_t at = out.at(b, i) * reals_out + c;
                const real d = std::isfinite(got[at]) ? got[at] - want : real(1e30);
                off += d * d, size += want * want;
                is_result[at] = true;
            }
    say(p);
    printf(" error %.3Le", sqrtl(off / size));
    if (!p.in_place) {
        size_t written = 0;
        for (size_t i = 0; i < size_out; i++)
            written += !is_result[i] && got[i] != unset;
        printf(" gaps %zu%s", written,
               memcmp(kept.data(), host_in.data(), size_in * sizeof(T)) ? " input-lost" : "");
    }
    if (p.in.stride)
        for (size_t i : {size_t(1), out.count() - 1}) {
            const size_t at = out.at(p.batch - 1, i) * reals_out;
            printf(out.is_real ? " [%.5g]" : " [%.5g %.5g]", (double)got[at],
                   (double)got[at + reals_out - 1]);
        }
    printf("\n");
    fflush(stdout);
}

static void run_any(const plan &p)
{
    if (is_double(p.type))
        run<double>(p);
    else
        run<float>(p);
}

static const cufftType types[] = {CUFFT_C2C, CUFFT_R2C, CUFFT_C2R, CUFFT_Z2Z, CUFFT_D2Z, CUFFT_Z2D};

static int longest = 1 << 20;

/* Every type; place and direction in turn, so that neighbours have another one. Plans that are
 * left out have their turn. */
static void run_types(int rank, const int *n, int batch)
{
    static unsigned turn;
    const int elements = n[0] * (rank > 1 ? n[1] : 1) * (rank > 2 ? n[2] : 1);
    for (cufftType t : types) {
        const unsigned now = hash(turn++);
        plan p = {t, rank, {n[0], rank > 1 ? n[1] : 0, rank > 2 ? n[2] : 0}, batch, (now & 1) != 0};
        p.inverse = is_real_out(t) || (!is_real_in(t) && now & 2);
        if (elements <= longest)
            run_any(p);
    }
}

static void run_layouts()
{
    static const plan plans[] = {
        {CUFFT_C2C, 1, {12}, 5, false, false, {{12}, 5, 1}, {{12}, 1, 12}},
        {CUFFT_C2C, 1, {16}, 3, true, true, {{16}, 3, 1}, {{16}, 3, 1}},
        {CUFFT_Z2Z, 1, {100}, 4, false, true, {{100}, 2, 211}, {{100}, 3, 301}},
        {CUFFT_C2C, 1, {131}, 3, false, false, {{131}, 1, 140}, {{131}, 3, 1}},
        {CUFFT_C2C, 1, {5000}, 2, false, false, {{5000}, 2, 1}, {{5000}, 1, 5003}},
        {CUFFT_Z2Z, 1, {9000}, 2, false, true, {{9000}, 1, 9001}, {{9000}, 2, 1}},
        {CUFFT_R2C, 1, {20}, 3, false, false, {{20}, 1, 24}, {{11}, 1, 13}},
        {CUFFT_R2C, 1, {20}, 3, false, false, {{20}, 3, 1}, {{11}, 2, 30}},
        {CUFFT_R2C, 1, {21}, 3, true, false, {{22}, 1, 22}, {{11}, 1, 11}},
        {CUFFT_D2Z, 1, {9000}, 2, false, false, {{9000}, 2, 1}, {{4501}, 1, 4600}},
        {CUFFT_C2R, 1, {20}, 3, false, true, {{11}, 3, 1}, {{20}, 2, 50}},
        {CUFFT_Z2D, 1, {9001}, 2, false, true, {{4501}, 1, 4600}, {{9001}, 2, 1}},
        {CUFFT_C2R, 1, {262}, 2, true, true, {{132}, 1, 132}, {{264}, 1, 264}},
        {CUFFT_C2C, 2, {6, 10}, 3, false, false, {{7, 12}, 1, 90}, {{6, 11}, 2, 140}},
        {CUFFT_C2C, 2, {16, 8}, 2, false, true, {{16, 8}, 2, 1}, {{17, 9}, 1, 160}},
        {CUFFT_R2C, 2, {9, 14}, 2, false, false, {{9, 15}, 1, 140}, {{9, 9}, 1, 90}},
        {CUFFT_D2Z, 2, {8, 30}, 2, true, false, {{8, 32}, 1, 256}, {{8, 16}, 1, 128}},
        {CUFFT_C2R, 2, {9, 14}, 2, false, true, {{9, 9}, 1, 90}, {{9, 15}, 1, 140}},
        {CUFFT_Z2D, 2, {37, 130}, 2, false, true, {{37, 67}, 2, 5000}, {{38, 131}, 1, 5001}},
        {CUFFT_C2C, 3, {4, 5, 6}, 2, false, false, {{4, 6, 7}, 1, 170}, {{5, 5, 8}, 2, 420}},
        {CUFFT_R2C, 3, {4, 3, 7}, 2, false, false, {{4, 4, 8}, 1, 128}, {{4, 3, 5}, 1, 61}},
        {CUFFT_Z2D, 3, {4, 3, 8}, 2, false, true, {{4, 3, 5}, 1, 61}, {{4, 4, 8}, 1, 128}},
    };
    for (const plan &p : plans)
        run_any(p);
}

/* Lines of which the imaginary part of an element without a partner must not count. */
static void run_wrong_halves()
{
    for (int n : {2, 8, 9, 20, 131, 262, 5000, 9001})
        for (cufftType t : {CUFFT_C2R, CUFFT_Z2D}) {
            plan p = {t, 1, {n}, 1, false, true};
            p.is_wrong = true;
            run_any(p);
        }
}

/* transforms [LONGEST]: plans of at most so many elements. */
int main(int count, char **arguments)
{
    if (count > 1)
        longest = atoi(arguments[1]);
    static const int lengths[] = {
        1,     2,     3,      4,      5,     6,       7,       8,      9,     10,    11,    12,
        13,    14,    15,     16,     17,    19,      21,      26,     30,    31,    32,    49,
        60,    61,    64,     81,     97,    100,     101,     105,    120,   121,   125,   127,
        128,   131,   169,    210,    243,   254,     256,     257,    343,   360,   500,   512,
        625,   1000,  1001,   1009,   1024,  1155,    2000,    2018,   2048,  2187,  2401,  3125,
        3840,  4093,  4096,   4097,   5040,  8192,    10000,   10007,  16384, 16807, 16129, 32768,
        59049, 65536, 100000, 131072, 20014, 1 << 18, 1000000, 1 << 20};
    for (int n : lengths)
        run_types(1, &n, n <= 64 ? 7 : n <= 1024 ? 3 : n <= 4096 ? 2 : 1);
    static const int planes[][2] = {{1, 1},    {1, 8},     {8, 1},     {2, 2},      {3, 5},
                                    {8, 16},   {16, 15},   {31, 17},   {64, 64},    {100, 36},
                                    {5, 131},  {262, 3},   {7, 1024},  {1024, 7},   {2, 5000},
                                    {5000, 3}, {256, 256}, {1009, 30}, {1024, 1024}};
    for (const int *n : planes)
        for (int batch = 1; batch <= (n[0] * n[1] < 300 ? 3 : 1); batch += 2)
            run_types(2, n, batch);
    static const int volumes[][3] = {{2, 3, 4},   {8, 8, 8},  {5, 6, 7},   {16, 12, 10},
                                     {32, 33, 1}, {1, 33, 4}, {131, 4, 2}, {64, 64, 64}};
    for (const int *n : volumes)
        run_types(3, n, n[0] * n[1] * n[2] < 300 ? 2 : 1);
    run_layouts();
    run_wrong_halves();
    return print_failures();
}
