/* The kernels of libcufft, compiled to PTX when warpbook is built: fft_f32 and fft_f64. */
#include "butterflies.cuh"
#include "kernel_args.h"

/* n / d of n * d < 2^32 without a division. */
struct divisor {
    unsigned d, magic;
    __device__ explicit divisor(unsigned by) : d(by), magic(0xffffffffu / by + 1) {}
    /* That of A or of B, in registers: a reference to either would put both into memory. */
    __device__ divisor(bool is_a, const divisor &a, const divisor &b)
        : d(is_a ? a.d : b.d), magic(is_a ? a.magic : b.magic)
    {
    }
    __device__ unsigned quotient(unsigned n) const
    {
        return d == 1 ? n : __umulhi(n, magic);
    }
};

/* Where a line of the block begins, in elements and as an index. */
struct line_place {
    long long in, in_index, out, out_index;
};
static_assert(sizeof(line_place) == FFT_PLACE_SIZE, "the host asks for as much shared memory");

/* The elements of a block's lines in shared memory. Beside one another are the elements of a line,
 * or with a side that is walked by lines the same element of all of them. */
template <typename C> struct tile {
    static constexpr int PER = FFT_PER, PAD = sizeof(C) == 8 ? FFT_PAD_F32 : FFT_PAD_F64;
    C *elements;
    unsigned length, lines;
    bool by_lines;
    __device__ C &at(unsigned line, unsigned j) const
    {
        const unsigned i = by_lines ? j * lines + line : line * length + j;
        return elements[i + (i >> PAD)];
    }
};

/* Thread THREAD of those that deal with LENGTH elements of LINES lines. */
struct place {
    unsigned line, j;
    __device__ place(unsigned thread, bool by_lines, const divisor &length, const divisor &lines)
    {
        const divisor by(by_lines, lines, length);
        const unsigned slow = by.quotient(thread), fast = thread - slow * by.d;
        line = by_lines ? fast : slow, j = by_lines ? slow : fast;
    }
};

/* --- a transform of the lines in a tile, by Stockham: SPAN is the product of the radices before
 * --- */

template <int R, typename C> __device__ void step(const tile<C> &t, const C *roots, unsigned span)
{
    constexpr int TURNS = (tile<C>::PER + R - 1) / R;
    const unsigned count = t.length / R, total = count * t.lines, stride = count / span;
    const divisor length(count), lines(t.lines), before(span);
    C v[TURNS][R];
#pragma unroll
    for (int turn = 0; turn < TURNS; turn++) {
        const unsigned thread = threadIdx.x + turn * blockDim.x;
        if (thread < total) {
            const place p(thread, t.by_lines, length, lines);
            const unsigned k = p.j - before.quotient(p.j) * span;
#pragma unroll
            for (int q = 0; q < R; q++)
                v[turn][q] = t.at(p.line, p.j + q * count);
            if (span > 1)
#pragma unroll
                for (int q = 1; q < R; q++)
                    v[turn][q] = v[turn][q] * roots[q * k * stride];
            butterfly<R, C>::run(v[turn]);
        }
    }
    __syncthreads();
#pragma unroll
    for (int turn = 0; turn < TURNS; turn++) {
        const unsigned thread = threadIdx.x + turn * blockDim.x;
        if (thread < total) {
            const place p(thread, t.by_lines, length, lines);
            const unsigned group = before.quotient(p.j) * span, k = p.j - group;
#pragma unroll
            for (int q = 0; q < R; q++)
                t.at(p.line, group * R + k + q * span) = v[turn][q];
        }
    }
    __syncthreads();
}

/* Of any other radix: a thread sums up an element. */
template <typename C>
__device__ void step_of(unsigned radix, const tile<C> &t, const C *roots, unsigned span)
{
    const unsigned count = t.length / radix, total = t.length * t.lines, stride = count / span;
    const divisor length(t.length), lines(t.lines), before(span), group(span * radix);
    C sum[tile<C>::PER];
#pragma unroll
    for (int turn = 0; turn < tile<C>::PER; turn++) {
        const unsigned thread = threadIdx.x + turn * blockDim.x;
        if (thread < total) {
            const place p(thread, t.by_lines, length, lines);
            const unsigned g = group.quotient(p.j), rest = p.j - g * group.d,
                           k = rest - before.quotient(rest) * span;
            C s = t.at(p.line, g * span + k);
            unsigned root = 0;
#pragma unroll 1
            for (unsigned q = 1; q < radix; q++) {
                root += rest * stride;
                root -= root >= t.length ? t.length : 0;
                s = s + t.at(p.line, g * span + k + q * count) * roots[root];
            }
            sum[turn] = s;
        }
    }
    __syncthreads();
#pragma unroll
    for (int turn = 0; turn < tile<C>::PER; turn++) {
        const unsigned thread = threadIdx.x + turn * blockDim.x;
        if (thread < total) {
            const place p(thread, t.by_lines, length, lines);
            t.at(p.line, p.j) = sum[turn];
        }
    }
    __syncthreads();
}

template <typename C> __device__ void transform(const fft_pass &pass, const tile<C> &t)
{
    const C *roots = (const C *)pass.roots;
    unsigned span = 1;
#pragma unroll 1
    for (int i = 0; i < pass.radix_count; i++) {
        const unsigned radix = pass.radix[i];
        switch (radix) {
        case 2:
            step<2>(t, roots, span);
            break;
        case 3:
            step<3>(t, roots, span);
            break;
        case 4:
            step<4>(t, roots, span);
            break;
        case 5:
            step<5>(t, roots, span);
            break;
        case 7:
            step<7>(t, roots, span);
            break;
        case 8:
            step<8>(t, roots, span);
            break;
        default:
            step_of(radix, t, roots, span);
        }
        span *= radix;
    }
}

/* --- between memory and a tile --- */

/* AT is where the index 0 of a line lies. */
template <typename C>
__device__ C load(const fft_pass &pass, const C *complex_at, long long at, long long i)
{
    typedef typename real_of<C>::type T;
    const fft_side &s = pass.in;
    const T *real_at = (const T *)complex_at;
    C v;
    if (i >= s.count)
        return make<C>(0, 0);
    switch (s.form) {
    case FFT_REAL:
        v = make<C>(real_at[at + i * s.step], 0);
        break;
    case FFT_PAIRS:
        v = make<C>(real_at[at + 2 * i * s.step], real_at[at + (2 * i + 1) * s.step]);
        break;
    case FFT_HALF: /* what has no partner is real */
        v = complex_at[at + (2 * i > s.count ? s.count - i : i) * s.step];
        if (2 * i > s.count)
            v.y = -v.y;
        if (i == 0 || 2 * i == s.count)
            v.y = 0;
        break;
    case FFT_SPLIT: {
        C a = complex_at[at + i * s.step], b = conj(complex_at[at + (s.count - i) * s.step]);
        if (i == 0)
            a.y = b.y = 0;
        const C odd = (a - b) * conj(((const C *)pass.split)[i]);
        v = a + b - times_minus_i(odd);
        break;
    }
    default:
        v = complex_at[at + i * s.step];
    }
    if (s.swap)
        v = swapped(v);
    return s.table ? v * ((const C *)s.table)[i] : v;
}

/* Element J of a line, whose index is I, after the transform. */
template <typename C>
__device__ C result(const fft_pass &pass, const tile<C> &t, unsigned line, unsigned j, long long i)
{
    const fft_side &s = pass.out;
    C v = t.at(line, j);
    if (s.table && i < s.count) {
        const C w = ((const C *)s.table)[i];
        v = v * (s.conjugate ? conj(w) : w);
    }
    return s.swap ? swapped(v) : v;
}

template <typename C>
__device__ void store(const fft_pass &pass, const tile<C> &t, unsigned line, unsigned j,
                      const line_place &from)
{
    typedef typename real_of<C>::type T;
    const fft_side &s = pass.out;
    const long long i = from.out_index + j * s.jump, at = from.out + i * s.step;
    if (i >= s.count || (s.form == FFT_HALF && 2 * i > s.count))
        return;
    if (s.form == FFT_SPLIT) {
        const unsigned pairs = (unsigned)s.count - 1, here = j == pairs ? 0 : j,
                       mirror = here == 0 ? 0 : pairs - j;
        const C a = result(pass, t, line, here, here),
                b = conj(result(pass, t, line, mirror, mirror)),
                even = make<C>((a.x + b.x) / 2, (a.y + b.y) / 2),
                odd = make<C>((a.x - b.x) / 2, (a.y - b.y) / 2);
        ((C *)s.at)[at] = even + times_minus_i(odd) * ((const C *)pass.split)[j];
        return;
    }
    C v = result(pass, t, line, j, i);
    if (pass.fine) {
        const long long turn = from.in_index * j;
        const double2 w = ((const double2 *)pass.coarse)[turn >> pass.bits] *
                          ((const double2 *)pass.fine)[turn & ((1 << pass.bits) - 1)];
        v = v * make<C>((T)w.x, (T)w.y);
    }
    if (s.form == FFT_HALF && (i == 0 || 2 * i == s.count))
        v.y = 0;
    if (s.form == FFT_REAL) {
        ((T *)s.at)[at] = v.x;
    } else if (s.form == FFT_PAIRS) {
        ((T *)s.at)[at + i * s.step] = v.x;
        ((T *)s.at)[at + (i + 1) * s.step] = v.y;
    } else {
        ((C *)s.at)[at] = v;
    }
}

__device__ line_place find_line(const fft_pass &pass, long long line)
{
    line_place p = {0, 0, 0, 0};
#pragma unroll 1
    for (int d = 0; d < pass.dims; d++) {
        const long long next = line / pass.extent[d], i = line - next * pass.extent[d];
        p.in += i * pass.in.pitch[d], p.in_index += i * pass.in.index[d];
        p.out += i * pass.out.pitch[d], p.out_index += i * pass.out.index[d];
        line = next;
    }
    return p;
}

template <typename C> __device__ void fft(const fft_pass &pass)
{
    extern __shared__ double2 room[];
    line_place *places = (line_place *)room;
    const tile<C> t = {(C *)(places + pass.lines), (unsigned)pass.length, (unsigned)pass.lines,
                       pass.in.by_lines || pass.out.by_lines};
    const unsigned total = t.length * t.lines;
    const long long first = blockIdx.x * (long long)pass.lines, left = pass.line_count - first;
    const divisor length(t.length), lines(t.lines);
#pragma unroll 1
    for (unsigned l = threadIdx.x; l < t.lines && l < left; l += blockDim.x)
        places[l] = find_line(pass, first + l);
    __syncthreads();
#pragma unroll 1
    for (unsigned thread = threadIdx.x; thread < total; thread += blockDim.x) {
        const place p(thread, pass.in.by_lines, length, lines);
        t.at(p.line, p.j) = p.line < left ? load(pass, (const C *)pass.in.at, places[p.line].in,
                                                 places[p.line].in_index + p.j * pass.in.jump)
                                          : make<C>(0, 0);
    }
    __syncthreads();
    transform(pass, t);
    if (pass.filter) {
#pragma unroll 1
        for (unsigned thread = threadIdx.x; thread < total; thread += blockDim.x) {
            const place p(thread, t.by_lines, length, lines);
            C &v = t.at(p.line, p.j);
            v = swapped(v * ((const C *)pass.filter)[p.j]);
        }
        __syncthreads();
        transform(pass, t);
    }
    const divisor results(pass.results);
#pragma unroll 1
    for (unsigned thread = threadIdx.x; thread < results.d * t.lines; thread += blockDim.x) {
        const place p(thread, pass.out.by_lines, results, lines);
        if (p.line < left)
            store(pass, t, p.line, p.j, places[p.line]);
    }
}

extern "C" __global__ void __launch_bounds__(FFT_THREADS_F32)
    fft_f32(const __grid_constant__ fft_pass pass)
{
    fft<float2>(pass);
}

extern "C" __global__ void __launch_bounds__(FFT_THREADS_F64)
    fft_f64(const __grid_constant__ fft_pass pass)
{
    fft<double2>(pass);
}
