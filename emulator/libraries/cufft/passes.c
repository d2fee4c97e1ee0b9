/* From a plan to passes: a dimension after the other, and long lines in parts. A length N = A B is
 * B transforms of A elements that lie B apart, turned by exp(-2 pi i b a / N), then A transforms of
 * B. A length with a great prime factor is a convolution (Bluestein), which is two transforms of a
 * power of two; the inverse of a transform is one with real and imaginary parts swapped. */
#include "cufft.h"

#include <limits.h>
#include <string.h>

enum { MOST_PARTS = 3, LONGEST_PART = 1024 };

typedef struct job {
    fft_plan *plan;
    const fft_problem *problem;
    fft_passes *made;
    char *work;
    bool inverse, failed;
} job;

/* The places of lines: an extent of each dimension, the nearest first. */
typedef struct lines {
    int dims;
    long long extent[FFT_DIMS];
} lines;

bool fft_is_double(cufftType type)
{
    return type & CUFFT_OF_DOUBLES;
}

size_t fft_complex_size(cufftType type)
{
    return fft_is_double(type) ? sizeof(double[2]) : sizeof(float[2]);
}

static const void *table(job *j, enum fft_table_kind kind, long long n)
{
    if (!j->plan)
        return NULL;
    const CUdeviceptr at = fft_table_of(j->plan, kind, n);
    j->failed |= !at;
    return (const void *)at;
}

/* The work area after the first BYTES, of which SIZE are used. */
static void *work_area(job *j, size_t bytes, size_t size)
{
    if (j->made->work_size < bytes + size)
        j->made->work_size = bytes + size;
    return j->work ? j->work + bytes : NULL;
}

static int longest_pass(const job *j)
{
    return fft_is_double(j->problem->type) ? FFT_THREADS_F64 * FFT_PER : FFT_THREADS_F32 * FFT_PER;
}

/* The radices of N; 0: it has a greater prime factor. */
static int radices_of(long long n, int *radix)
{
    static const int first[] = {8, 4, 2, 7, 5, 3};
    int count = 0, next = 0;
    for (int r = first[0]; n > 1; r = ++next < (int)(sizeof first / sizeof *first) ? first[next]
                                      : next == 6                                  ? 11
                                                                                   : r + 2) {
        if (r > FFT_GREATEST_RADIX)
            return 0;
        for (; n % r == 0; n /= r, count++)
            if (radix && count < FFT_RADICES)
                radix[count] = r;
    }
    return count > 0 ? count : 1;
}

static bool is_smooth(long long n)
{
    return radices_of(n, NULL) > 0;
}

/* Can one block transform lines of N? */
static bool is_short(const job *j, long long n)
{
    return (is_smooth(n) ? n : fft_convolution(n)) <= longest_pass(j);
}

/* N as a product of COUNT parts, none too long and about as long as one another. */
static bool split(long long n, int count, int *part)
{
    long long near = 1, power;
    if (count == 1) {
        *part = n <= LONGEST_PART ? (int)n : 0;
        return *part > 0;
    }
    do {
        near++;
        power = 1;
        for (int i = 0; i < count; i++)
            power *= near;
    } while (power <= n && near < LONGEST_PART);
    for (long long i = 0; i < LONGEST_PART - 1; i++) {
        const long long f = i < near - 1 ? near - i : i + 2; /* from near down to 2, then up */
        if (n % f == 0 && split(n / f, count - 1, part + 1)) {
            *part = (int)f;
            return true;
        }
    }
    return false;
}

static bool walks_by_lines(const fft_side *s, const lines *l)
{
    return l->dims && s->pitch[0] + s->index[0] * s->step < s->jump * s->step;
}

/* Transforms of LENGTH along LINES. NULL: there is no room for one more. */
static fft_pass *add_pass(job *j, long long length, const lines *l, const fft_side *in,
                          const fft_side *out)
{
    const bool is_double = fft_is_double(j->problem->type);
    const int enough = 512; /* elements of a block of short lines */
    fft_passes *m = j->made;
    if (m->count == FFT_PASSES) {
        j->failed = true;
        return NULL;
    }
    fft_pass *p = &m->pass[m->count++];
    *p = (fft_pass){.length = (int)length,
                    .dims = l->dims,
                    .results = (int)(out->count < length ? out->count : length),
                    .line_count = 1,
                    .in = *in,
                    .out = *out,
                    .roots = table(j, FFT_ROOTS, length)};
    p->radix_count = length > 1 ? radices_of(length, p->radix) : 0;
    for (int d = 0; d < l->dims; d++)
        p->line_count *= p->extent[d] = l->extent[d];
    p->in.by_lines = walks_by_lines(in, l);
    p->out.by_lines = walks_by_lines(out, l);
    long long most = longest_pass(j) / length, wanted = enough / length;
    if ((p->in.by_lines || p->out.by_lines) && wanted < (is_double ? 8 : 16))
        wanted = is_double ? 8 : 16; /* 128 bytes */
    most = most < wanted ? most : wanted;
    most = most < p->line_count ? most : p->line_count;
    p->lines = most > 1 ? (int)most : 1;
    j->failed |= p->line_count / p->lines >= INT_MAX;
    return p;
}

/* One more dimension of lines, nearer than those that there are. */
static void add_nearest(lines *l, fft_side *in, fft_side *out, long long extent)
{
    memmove(l->extent + 1, l->extent, (size_t)l->dims * sizeof *l->extent);
    l->extent[0] = extent;
    fft_side *sides[] = {in, out};
    for (int s = 0; s < 2; s++) {
        memmove(sides[s]->pitch + 1, sides[s]->pitch, (size_t)l->dims * sizeof(long long));
        memmove(sides[s]->index + 1, sides[s]->index, (size_t)l->dims * sizeof(long long));
        sides[s]->pitch[0] = sides[s]->index[0] = 0;
    }
    l->dims++;
}

/* A side in the work area, where lines of N lie one behind another. */
static fft_side in_work(void *at, long long n, const lines *l)
{
    fft_side s = {.at = at, .count = n, .step = 1, .jump = 1};
    for (int d = 0; d < l->dims; d++, n *= l->extent[d - 1])
        s.pitch[d] = n;
    return s;
}

/* A transform of N in COUNT parts, between them in the work area AT. */
static void add_parts(job *j, long long n, int count, const int *part, const lines *l, fft_side in,
                      fft_side out, void *at)
{
    long long behind[MOST_PARTS],
        before = 1; /* elements of the work area from a result to the next */
    for (int i = 0; i < count; before *= part[i], i++) {
        const bool is_last = i == count - 1;
        const long long rest = n / before;
        lines more = *l;
        fft_side from = i ? in_work(at, n, l) : in, to = is_last ? out : in_work(at, n, l);
        behind[i] = rest / part[i];
        long long unit = before;
        for (int t = i; t-- > 0;) {
            unit /= part[t];
            add_nearest(&more, &from, &to, part[t]);
            from.pitch[0] = behind[t];
            if (is_last)
                to.index[0] = unit;
            else
                to.pitch[0] = behind[t];
        }
        from.jump = behind[i];
        to.jump = is_last ? before : behind[i];
        if (!is_last) {
            add_nearest(&more, &from, &to, behind[i]);
            from.index[0] = to.index[0] = 1;
        }
        fft_pass *p = add_pass(j, part[i], &more, &from, &to);
        if (!p || is_last)
            continue;
        p->fine = table(j, FFT_FINE, rest);
        p->coarse = table(j, FFT_COARSE, rest);
        p->bits = fft_fine_bits(rest);
    }
}

/* Bytes of the work area that lines of N take. */
static size_t size_of_lines(const job *j, long long n, const lines *l)
{
    size_t size = (size_t)n * fft_complex_size(j->problem->type);
    for (int d = 0; d < l->dims; d++)
        size *= (size_t)l->extent[d];
    return size;
}

/* A transform of N in parts if it has them. */
static bool add_smooth(job *j, long long n, const lines *l, const fft_side *in, const fft_side *out,
                       size_t used)
{
    int part[MOST_PARTS];
    for (int count = 2; is_smooth(n) && count <= MOST_PARTS; count++)
        if (split(n, count, part)) {
            add_parts(j, n, count, part, l, *in, *out, work_area(j, used, size_of_lines(j, n, l)));
            return true;
        }
    return false;
}

static void add_convolution(job *j, long long n, const lines *l, fft_side in, fft_side out,
                            size_t used)
{
    const long long length = fft_convolution(n);
    const size_t size = size_of_lines(j, length, l);
    const void *filter = table(j, FFT_FILTER, n);
    in.table = out.table = table(j, FFT_CHIRP, n);
    out.conjugate = 1;
    out.swap = !out.swap;
    if (length <= longest_pass(j)) {
        fft_pass *p = add_pass(j, length, l, &in, &out);
        if (p)
            p->filter = filter;
        return;
    }
    fft_side spectrum = in_work(work_area(j, used, size), length, l), product = spectrum;
    product.table = filter;
    product.swap = 1;
    if (!add_smooth(j, length, l, &in, &product, used + size) ||
        !add_smooth(j, length, l, &spectrum, &out, used + size))
        j->failed = true;
}

/* Transforms of N along LINES; the work area's first USED bytes are others'. */
static void add_lines(job *j, long long n, const lines *l, fft_side in, fft_side out, size_t used)
{
    const bool is_from_real = in.form == FFT_REAL, is_to_real = out.form == FFT_REAL;
    in.jump = out.jump = 1;
    in.swap = out.swap = j->inverse;
    in.count = out.count = n;
    const void *split_roots = NULL;
    const int first = j->made->count;
    if ((is_from_real || is_to_real) && n % 2 == 0 && is_short(j, n / 2)) {
        split_roots = table(j, FFT_ROOTS, n);
        n /= 2;
        in.count = n;
        out.count = is_from_real ? n + 1 : n;
        in.form = is_from_real ? FFT_PAIRS : FFT_SPLIT;
        out.form = is_from_real ? FFT_SPLIT : FFT_PAIRS;
    } else if (is_from_real) {
        out.form = FFT_HALF;
    }
    if (!is_smooth(n))
        add_convolution(j, n, l, in, out, used);
    else if (n <= longest_pass(j))
        add_pass(j, n, l, &in, &out);
    else if (!add_smooth(j, n, l, &in, &out, used))
        add_convolution(j, n, l, in, out, used);
    if (split_roots && !j->failed) {
        j->made->pass[first].split = split_roots;
        j->made->pass[first].results = (int)out.count;
    }
}

/* Transforms along dimension D of a volume of WIDTHS. */
static void add_dimension(job *j, int d, const long long *width, fft_side in, fft_side out,
                          const fft_layout *from, const fft_layout *to, size_t used)
{
    const fft_problem *p = j->problem;
    lines l = {0};
    in.step = from->step[d];
    out.step = to->step[d];
    for (int o = -1; o < p->rank; o++) {
        const long long extent = o < 0 ? p->batch : width[o],
                        near = o < 0 ? from->dist : from->step[o],
                        near_out = o < 0 ? to->dist : to->step[o];
        if (o == d || extent == 1)
            continue;
        int place = l.dims++;
        for (; place && in.pitch[place - 1] + out.pitch[place - 1] > near + near_out; place--) {
            l.extent[place] = l.extent[place - 1];
            in.pitch[place] = in.pitch[place - 1];
            out.pitch[place] = out.pitch[place - 1];
        }
        l.extent[place] = extent;
        in.pitch[place] = near;
        out.pitch[place] = near_out;
    }
    add_lines(j, p->n[d], &l, in, out, used);
}

/* The usual layout of a side of WIDTHS numbers, of which EMBEDDED of the last dimension have room.
 */
static fft_layout basic_layout(int rank, const long long *width, long long embedded)
{
    fft_layout l = {0};
    long long step = 1;
    for (int d = rank; d-- > 0; step *= d == rank - 1 ? embedded : width[d])
        l.step[d] = step;
    l.dist = step;
    return l;
}

bool fft_make_passes(fft_plan *plan, const fft_problem *p, void *in, void *out, void *work,
                     bool inverse, fft_passes *made)
{
    job j = {plan, p, made, work, inverse, false};
    const int last = p->rank - 1;
    const bool from_real = p->type == CUFFT_R2C || p->type == CUFFT_D2Z,
               to_real = p->type == CUFFT_C2R || p->type == CUFFT_Z2D;
    const long long n = p->n[last], half = n / 2 + 1, reals = in == out ? 2 * half : n;
    long long width[FFT_RANK];
    memcpy(width, p->n, sizeof width);
    width[last] = from_real || to_real ? half : n;
    fft_layout from = p->in, to = p->out;
    if (p->is_basic) {
        from = basic_layout(p->rank, width, from_real ? reals : width[last]);
        to = basic_layout(p->rank, width, to_real ? reals : width[last]);
    }
    fft_side source = {.at = in, .form = from_real ? FFT_REAL : to_real ? FFT_HALF : FFT_COMPLEX};
    const fft_side end = {.at = out, .form = to_real ? FFT_REAL : FFT_COMPLEX};
    made->count = 0;
    made->work_size = 0;
    for (int d = 0; d < p->rank; d++)
        if (p->n[d] < 1)
            return true; /* nothing to transform: only the first length is checked */
    if (!to_real) {
        int first = last; /* of no length 1, if there is one: that would be a copy */
        while (!from_real && first > 0 && p->n[first] == 1)
            first--;
        add_dimension(&j, first, width, source, end, &from, &to, 0);
        for (int d = last; d-- > 0;)
            if (d != first && p->n[d] > 1)
                add_dimension(&j, d, width, end, end, &to, &to, 0);
        return !j.failed;
    }
    size_t used = 0; /* the volume between dimensions: the input stays */
    const fft_layout middle = basic_layout(p->rank, width, half);
    for (int d = last; d-- > 0;) {
        if (p->n[d] == 1)
            continue;
        used = (size_t)(middle.dist * p->batch) * fft_complex_size(p->type);
        const fft_side kept = {.at = work_area(&j, 0, used)};
        source.form = FFT_COMPLEX;
        add_dimension(&j, d, width, source, kept, &from, &middle, used);
        from = middle;
        source.at = kept.at;
    }
    source.form = FFT_HALF;
    add_dimension(&j, last, width, source, end, &from, &to, used);
    return !j.failed;
}
