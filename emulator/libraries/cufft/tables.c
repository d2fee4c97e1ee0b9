/* Tables of roots of unity, from long double: each is rounded once. */
#include "cufft.h"

#include "../../base/list.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct number {
    double x, y;
} number;

/* exp(-2 pi i k / n): the angle within an eighth of a turn, so that what is a multiple is exact. */
static number root(uint64_t k, uint64_t n)
{
    const uint64_t quarters = 4 * (k % n), quarter = quarters / n, rest = quarters % n;
    const bool upper = 2 * rest > n;
    const long double angle =
        acosl(-1) / 2 * (long double)(upper ? n - rest : rest) / (long double)n;
    const double c = (double)cosl(angle), s = 2 * rest == n ? c : (double)sinl(angle);
    const number first = upper ? (number){s, -c} : (number){c, -s};
    switch (quarter) {
    case 0: return first;
    case 1: return (number){first.y, -first.x};
    case 2: return (number){-first.x, -first.y};
    default: return (number){-first.y, first.x};
    }
}

/* exp(-pi i k^2 / n) */
static number chirp(uint64_t k, uint64_t n)
{
    return root(k * k % (2 * n), 2 * n);
}

int fft_fine_bits(long long n)
{
    int bits = 0;
    while (1LL << bits < n)
        bits++;
    return (bits + 1) / 2;
}

long long fft_convolution(long long n)
{
    long long length = 1;
    while (length < 2 * n - 1)
        length *= 2;
    return length;
}

/* V's spectrum, N a power of two. */
static bool transform(number *v, long long n)
{
    number *w = calloc((size_t)n, sizeof *w);
    if (!w)
        return false;
    for (long long k = 0; k < n / 2; k++)
        w[k] = root((uint64_t)k, (uint64_t)n);
    for (long long i = 1, j = 0; i < n; i++) {
        long long bit = n / 2;
        for (; j & bit; bit /= 2)
            j ^= bit;
        j ^= bit;
        if (i < j) {
            const number other = v[i];
            v[i] = v[j];
            v[j] = other;
        }
    }
    for (long long half = 1; half < n; half *= 2)
        for (long long first = 0; first < n; first += 2 * half)
            for (long long k = 0; k < half; k++) {
                number *a = &v[first + k], *b = a + half;
                const number f = w[k * (n / half / 2)],
                             d = {b->x * f.x - b->y * f.y, b->x * f.y + b->y * f.x};
                *b = (number){a->x - d.x, a->y - d.y};
                *a = (number){a->x + d.x, a->y + d.y};
            }
    free(w);
    return true;
}

/* The spectrum of the conjugate chirp, by the length of the convolution, which is not normalised
 * otherwise. */
static bool fill_filter(number *v, long long n)
{
    const long long length = fft_convolution(n);
    for (long long k = 0; k < n; k++) {
        const number c = chirp((uint64_t)k, (uint64_t)n);
        v[k] = (number){c.x / (double)length, -c.y / (double)length};
        if (k)
            v[length - k] = v[k];
    }
    return transform(v, length);
}

static long long entries(enum fft_table_kind kind, long long n)
{
    const int bits = fft_fine_bits(n);
    switch (kind) {
    case FFT_FINE: return 1LL << bits;
    case FFT_COARSE: return (n >> bits) + 1;
    case FFT_FILTER: return fft_convolution(n);
    default: return n;
    }
}

static bool fill(number *v, enum fft_table_kind kind, long long n)
{
    if (kind == FFT_FILTER)
        return fill_filter(v, n);
    const int shift = kind == FFT_COARSE ? fft_fine_bits(n) : 0;
    for (long long k = 0; k < entries(kind, n); k++)
        v[k] = kind == FFT_CHIRP ? chirp((uint64_t)k, (uint64_t)n)
                                 : root((uint64_t)k << shift, (uint64_t)n);
    return true;
}

CUdeviceptr fft_table_of(fft_plan *plan, enum fft_table_kind kind, long long n)
{
    for (int i = 0; i < plan->table_count; i++)
        if (plan->table[i].kind == kind && plan->table[i].n == n)
            return plan->table[i].at;
    const bool wide = kind == FFT_FINE || kind == FFT_COARSE || fft_is_double(plan->problem.type);
    const size_t count = (size_t)entries(kind, n),
                 size = count * (wide ? sizeof(number) : sizeof(float[2]));
    number *v = calloc(count, sizeof *v);
    fft_table *new = LIST_ADD(plan->table, plan->table_count);
    CUdeviceptr at = 0;
    if (v && new &&fill(v, kind, n) && cuMemAlloc(&at, size) == CUDA_SUCCESS) {
        for (size_t k = 0; !wide && k < count; k++)
            memcpy((char *)v + k * sizeof(float[2]), (float[2]){(float)v[k].x, (float)v[k].y},
                   sizeof(float[2]));
        cuMemcpyHtoD(at, v, size);
        *new = (fft_table){kind, n, at};
    } else {
        plan->table_count -= new != NULL;
    }
    free(v);
    return at;
}

void fft_free_tables(fft_plan *plan)
{
    for (int i = 0; i < plan->table_count; i++)
        cuMemFree(plan->table[i].at);
    free(plan->table);
    plan->table = NULL;
    plan->table_count = 0;
}
