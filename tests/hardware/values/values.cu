/* Runs every form of one family on operands that are the same each time, and records the results
 * or compares them with a recording.
 *
 *   FAMILY record FILE    write what this device makes
 *   FAMILY compare FILE   print TAP: one line a form, with the first operands that differ
 *
 * FILE holds for each form one line, "name<TAB>bytes<TAB>threads", and then BYTES of each thread's
 * result, little-endian. Operands are drawn from a generator that the form's name seeds, so a form
 * keeps its operands when others come or go. */
#include "values.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 512

/* --- operands ----------------------------------------------------------------------------------*/
static const uint64_t int_values[] = {
    0,          1,          2,          3,          4,          5,          7,
    8,          9,          15,         16,         17,         24,         31,
    32,         33,         63,         64,         65,         0x7f,       0x80,
    0x81,       0xff,       0x100,      0x7ffe,     0x7fff,     0x8000,     0x8001,
    0xffff,     0x10000,    0x7fffff,   0x800000,   0xffffff,   0x1000000,  0x7ffffffe,
    0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff, 0x55555555, 0xaaaaaaaa,
    0x12345678, 0xdeadbeef, 0x80808080, 0x7f80ff00, 0x00010001, 0x80007fff, 0xfff00fff};

static const uint64_t wide_values[] = {
    0x100000000,        0xffffffff80000000, 0xffffffff7fffffff, 0x1ffffffff,
    0x20000000000000,   0x20000000000001,   0x7ffffffffffffffe, 0x7fffffffffffffff,
    0x8000000000000000, 0x8000000000000001, 0xfffffffffffffffe, 0xffffffffffffffff,
    0x5555555555555555, 0x123456789abcdef0, 0xfedcba9876543210, 0x00000001ffffffff};

static const uint32_t f32_values[] = {
    0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x40000000, 0xc0000000, 0x3f000000, 0xbf000000,
    0x3fc00000, 0x40200000, 0xc0200000, 0x40490fdb, 0x3eaaaaab, 0x00000001, 0x80000001, 0x00400000,
    0x007fffff, 0x807fffff, 0x00800000, 0x80800000, 0x00800001, 0x01000000, 0x7f7fffff, 0xff7fffff,
    0x7f000000, 0x7e800000, 0x7e800001, 0xfe900000, 0x7f800000, 0xff800000, 0x7fffffff, 0x7fc00000,
    0xffc12345, 0x7f800001, 0xffa00000, 0x3f7fffff, 0x3f800001, 0x4b800000, 0x4b800001, 0x4effffff,
    0x4f000000, 0xcf000000, 0xcf000001, 0x4f7fffff, 0x4f800000, 0x5effffff, 0x5f000000, 0xdf000000,
    0x5f800000, 0x477fe000, 0x477fefff, 0x477ff000, 0x38800000, 0x33800000, 0x33000000, 0x33000001,
    0x43e00000, 0x43e80000, 0x47600000, 0x47700000, 0x3c800000, 0x42fe0000, 0x42ff0000, 0x437f0000,
    0x43800000, 0xc3000000, 0xc3010000, 0x0d000000, 0x20000000, 0x1fc00000, 0xc2fc0000, 0xc3150000};

static const uint64_t f64_values[] = {
    0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000,
    0x4000000000000000, 0x3fe0000000000000, 0xbfe0000000000000, 0x3ff8000000000000,
    0x4004000000000000, 0xc004000000000000, 0x400921fb54442d18, 0x3fd5555555555555,
    0x0000000000000001, 0x8000000000000001, 0x0008000000000000, 0x000fffffffffffff,
    0x0010000000000000, 0x8010000000000000, 0x0010000000000001, 0x7fefffffffffffff,
    0xffefffffffffffff, 0x7fe0000000000000, 0x7ff0000000000000, 0xfff0000000000000,
    0x7fffffffffffffff, 0x7ff8000000000000, 0xfff8000000000001, 0x7ff0000000000001,
    0xfff4000000000abc, 0x7ff8000000000123, 0x3fefffffffffffff, 0x3ff0000000000001,
    0x4330000000000000, 0x4340000000000001, 0x41dfffffffc00000, 0x41e0000000000000,
    0xc1e0000000000000, 0xc1e0000000200000, 0x41efffffffe00000, 0x41f0000000000000,
    0x43dfffffffffffff, 0x43e0000000000000, 0xc3e0000000000000, 0x43f0000000000000,
    0x47efffffe0000000, 0x47efffffefffffff, 0x47effffff0000000, 0x3810000000000000,
    0x380fffffffffffff, 0x36a0000000000000, 0x3690000000000000, 0x3690000000000001,
    0x40effc0000000000, 0x40effdffffffffff, 0x40effe0000000000, 0x3e70000000000000,
    0x3ff0000010000000, 0x3ff0000030000000, 0x3ff0020000000000, 0x3ff0060000000000};

static const uint16_t f16_values[] = {
    0x0000, 0x8000, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x3800, 0xb800, 0x3e00, 0x4100, 0xc100,
    0x4248, 0x3555, 0x0001, 0x8001, 0x0200, 0x03ff, 0x83ff, 0x0400, 0x8400, 0x0401, 0x7bff,
    0xfbff, 0x7800, 0x7c00, 0xfc00, 0x7fff, 0x7e00, 0xfe01, 0x7c01, 0xfd00, 0x3bff, 0x3c01,
    0x6400, 0x6800, 0x57f0, 0x5bf8, 0x5c00, 0xd808, 0x5f00, 0x5f40, 0x0c00, 0xe800, 0x4e40};

static const uint16_t bf16_values[] = {
    0x0000, 0x8000, 0x3f80, 0xbf80, 0x4000, 0xc000, 0x3f00, 0xbf00, 0x3fc0, 0x4020, 0xc020,
    0x4049, 0x3eab, 0x0001, 0x8001, 0x0040, 0x007f, 0x807f, 0x0080, 0x8080, 0x0081, 0x7f7f,
    0xff7f, 0x7f00, 0x7f80, 0xff80, 0x7fff, 0x7fc0, 0xffc1, 0x7f81, 0xffa0, 0x3f7f, 0x3f81,
    0x4300, 0x4380, 0x42fe, 0x437f, 0x4f00, 0xcf00, 0x4f80, 0x5f00, 0xdf00, 0x5f80, 0x2000};

static uint64_t state;

static uint64_t draw(void)
{
    /* splitmix64 */
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

#define COUNT(list) (sizeof(list) / sizeof(list)[0])
#define PICK(list)  (list)[draw() % COUNT(list)]

static bool is(const char *kind, const char *name)
{
    return strcmp(kind, name) == 0;
}

static unsigned bits_of(const char *kind)
{
    if (is(kind, "e4m3x2") || is(kind, "e5m2x2")) {
        return 16;
    }
    if (strstr(kind, "x2")) {
        return 32;
    }
    return strstr(kind, "64") ? 64 : strstr(kind, "16") ? 16 : strstr(kind, "8") ? 8 : 32;
}

/* Elements of matrices. A warp multiplies whole ones, so what they are like is chosen for a warp:
 * one NaN, or one product much larger than the rest, decides about a whole row. */
typedef struct matrix_format {
    const char *kind; /* of an operand of 64 bits, full of such elements */
    int bits, fraction, bias;
    int wide, tiny, large; /* exponents: +-wide; near the least product; near the largest */
} matrix_format;

static const matrix_format matrix_formats[] = {
    {"f4", 16, 10, 15, 14, -15, 13},     {"b4", 16, 7, 127, 30, -66, 60},
    {"t2", 32, 23, 127, 30, -66, 60},    {"v2", 32, 23, 127, 45, -127, 120},
    {"e8", 8, 3, 7, 6, -7, 6},           {"g8", 8, 2, 15, 14, -15, 13},
    {"f1", 64, 52, 1023, 60, -515, 505},
};

enum { ONES, WIDE = 5, TINY = 8, SPARSE, FEW_SPECIAL, LARGE, SPARSE_WIDE, RANDOM };

static uint64_t matrix_element(const matrix_format *f, unsigned way)
{
    const uint64_t random = draw(), more = draw();
    const int top = (1 << (f->bits - 1 - f->fraction)) - 1; /* exponent field of infinities */
    uint64_t magnitude = random & ((UINT64_C(1) << f->fraction) - 1);
    int field = f->bias + (int)(more % 7) - 3;
    if (way == ONES) {
        magnitude &= UINT64_C(3) << (f->fraction - 2);
    } else if (way >= WIDE && way < TINY) {
        field = f->bias + (int)(more % (2 * f->wide + 1)) - f->wide;
    } else if (way == TINY) {
        field = f->bias + f->tiny + (int)(more % 4);
    } else if (way == SPARSE || way == SPARSE_WIDE) {
        if (more >> 32 & (way == SPARSE ? 1 : 7)) {
            return random >> 63 << (f->bits - 1);
        }
        field = way == SPARSE ? field : f->bias + (int)(more % (2 * f->wide + 1)) - f->wide;
    } else if (way == LARGE) {
        field = f->bias + f->large + (int)(more % 3);
    } else if (way >= RANDOM) {
        field = (int)(more % (unsigned)top);
    }
    if (way == FEW_SPECIAL && (more >> 32) % 64 == 0) {
        field = top;
        magnitude &= more >> 40 & 1 ? ~UINT64_C(0) : 0;
    }
    field = field < 0 ? 0 : field > top ? top : field;
    return random >> 63 << (f->bits - 1) | (uint64_t)field << f->fraction | magnitude;
}

static bool matrix_operand(const char *kind, unsigned way, uint64_t *out)
{
    for (unsigned k = 0; k < COUNT(matrix_formats); k++) {
        const matrix_format *f = &matrix_formats[k];
        if (is(kind, f->kind)) {
            *out = 0;
            for (int at = 0; at < 64; at += f->bits) {
                *out |= matrix_element(f, way) << at;
            }
            return true;
        }
    }
    return false;
}

/* One operand: a special value, random bits, or a number of moderate size. */
static uint64_t operand(const char *kind)
{
    const unsigned way = draw() % 8;
    const uint64_t random = draw();
    if (is(kind, "p")) {
        return random & 1;
    }
    if (is(kind, "n")) {
        return way == 0 ? (uint32_t)random : way == 1 ? random % 256 : random % 71;
    }
    if (is(kind, "s5")) {
        return (uint32_t)(int32_t)((int64_t)(random % 71) - 35);
    }
    if (is(kind, "c")) { /* of shfl: segment mask and clamp */
        static const uint32_t clamp[] = {0x1f, 0x1f, 0, 0x1c1f, 0x181f, 0x1e00, 0x100f, 0x1010};
        return PICK(clamp);
    }
    if (is(kind, "f32")) {
        return way < 4   ? PICK(f32_values)
               : way < 6 ? (uint32_t)random
                         : (uint32_t)((random & 0x807fffff) | (117 + random % 24) << 23);
    }
    if (is(kind, "f64")) {
        return way < 4   ? PICK(f64_values)
               : way < 6 ? random
                         : (random & 0x800fffffffffffff) | (1013 + random % 40) << 52;
    }
    if (is(kind, "f16")) {
        return way < 4 ? PICK(f16_values) : random & 0xffff;
    }
    if (is(kind, "bf16")) {
        return way < 4   ? PICK(bf16_values)
               : way < 6 ? random & 0xffff
                         : (random & 0x807f) | (117 + random % 20) << 7;
    }
    if (is(kind, "f16x2")) {
        return operand("f16") << 16 | operand("f16");
    }
    if (is(kind, "bf16x2")) {
        return operand("bf16") << 16 | operand("bf16");
    }
    if (is(kind, "u16x2") || is(kind, "s16x2")) {
        return operand("u16") << 16 | operand("u16");
    }
    if (is(kind, "e4m3x2") || is(kind, "e5m2x2")) {
        return random & 0xffff;
    }
    if (is(kind, "x8")) {
        return random;
    }
    const unsigned bits = bits_of(kind);
    uint64_t x = way < 4   ? PICK(int_values)
                 : way < 6 ? random >> (draw() % bits + 64 - bits)
                           : random;
    if (bits == 64 && way < 2) {
        x = PICK(wide_values);
    }
    return bits == 64 ? x : x & ((UINT64_C(1) << bits) - 1);
}

/* The special values first, each alone or in step with another; then what operand() draws. */
static void fill(const form_row *f, uint64_t *in)
{
    state = 0xcbf29ce484222325;
    for (const char *c = f->name; *c; c++) {
        state = (state ^ (unsigned char)*c) * 0x100000001b3;
    }
    for (int t = 0; t < THREADS; t++) {
        for (int k = 0; k < f->sources; k++) {
            if (!matrix_operand(f->from[k], (unsigned)t / 32, &in[k * THREADS + t])) {
                in[k * THREADS + t] = operand(f->from[k]);
            }
        }
    }
    /* A single source sees every special value. */
    for (unsigned t = 0; f->sources == 1 && t < THREADS / 4; t++) {
        const char *kind = f->from[0];
        const uint64_t x = is(kind, "f32")    ? f32_values[t % COUNT(f32_values)]
                           : is(kind, "f64")  ? f64_values[t % COUNT(f64_values)]
                           : is(kind, "f16")  ? f16_values[t % COUNT(f16_values)]
                           : is(kind, "bf16") ? bf16_values[t % COUNT(bf16_values)]
                                              : in[t];
        in[t] = x;
    }
}

/* --- numbers -----------------------------------------------------------------------------------*/
static double number(const char *kind, uint64_t bits)
{
    if (is(kind, "f64")) {
        double x;
        memcpy(&x, &bits, 8);
        return x;
    }
    if (is(kind, "f16")) {
        const double m = bits & 0x3ff;
        const int e = (int)(bits >> 10 & 31);
        const double x = e == 31 ? (m ? NAN : INFINITY)
                         : e     ? ldexp(m + 1024, e - 25)
                                 : ldexp(m, -24);
        return bits & 0x8000 ? -x : x;
    }
    const uint32_t u = (uint32_t)(is(kind, "bf16") ? bits << 16 : bits);
    float x;
    memcpy(&x, &u, 4);
    return x;
}

/* Distance in units of the last place: steps from one number to the other. */
static double steps(uint64_t a, uint64_t b, unsigned bits)
{
    const uint64_t top = UINT64_C(1) << (bits - 1);
    const int64_t x = a & top ? -(int64_t)(a & (top - 1)) : (int64_t)a;
    const int64_t y = b & top ? -(int64_t)(b & (top - 1)) : (int64_t)b;
    return fabs((double)x - (double)y);
}

/* Is GOT near enough to WANT? *worst grows to the largest error seen, in the tolerance's unit. */
static bool near(const form_row *f, const char *kind, uint64_t got, uint64_t want, double *worst)
{
    if (got == want) {
        return true;
    }
    if (is(f->tolerance, "-")) {
        return false;
    }
    if (is(kind, "f16x2") || is(kind, "bf16x2")) {
        const char *half = is(kind, "f16x2") ? "f16" : "bf16";
        return near(f, half, got & 0xffff, want & 0xffff, worst) &&
               near(f, half, got >> 16, want >> 16, worst);
    }
    const double x = number(kind, got), y = number(kind, want);
    if (x != x || y != y || isinf(x) || isinf(y)) {
        return false;
    }
    double error, limit;
    if (strncmp(f->tolerance, "ulp:", 4) == 0) {
        limit = atof(f->tolerance + 4);
        error = steps(got, want, bits_of(kind));
    } else if (strncmp(f->tolerance, "abs:", 4) == 0) {
        limit = atof(f->tolerance + 4);
        error = fabs(x - y);
    } else if (strncmp(f->tolerance, "rel:", 4) == 0) {
        limit = atof(f->tolerance + 4);
        error = fabs(x - y) / fabs(y);
    } else { /* lg2: absolute near 1, relative elsewhere */
        limit = ldexp(1, -22);
        error = fabs(x - y) / (fabs(y) > 1 ? fabs(y) : 1);
    }
    *worst = error > *worst ? error : *worst;
    return error <= limit;
}

/* --- running -----------------------------------------------------------------------------------*/
static unsigned long long *device_in, *device_out;

static cudaError_t ready(void)
{
    if (device_in) {
        return cudaSuccess;
    }
    cudaError_t e = cudaMalloc((void **)&device_in, 5 * THREADS * 8);
    if (e == cudaSuccess) {
        e = cudaMalloc((void **)&device_out, THREADS * 8);
    }
    return e;
}

static cudaError_t run(const form_row *f, const uint64_t *in, uint64_t *out)
{
    cudaError_t e = ready();
    if (e != cudaSuccess) {
        return e;
    }
    inputs s;
    for (int k = 0; k < 5; k++) {
        s.s[k] = device_in + k * THREADS;
    }
    e = cudaMemcpy(device_in, in, 5 * THREADS * 8, cudaMemcpyHostToDevice);
    if (e == cudaSuccess) {
        f->kernel<<<THREADS / 128, 128>>>(s, device_out);
        e = cudaGetLastError();
    }
    if (e == cudaSuccess) {
        e = cudaMemcpy(out, device_out, THREADS * 8, cudaMemcpyDeviceToHost);
    }
    if (e != cudaSuccess) { /* the next form starts afresh */
        cudaDeviceReset();
        cudaGetLastError();
        device_in = NULL;
    }
    return e;
}

static int result_bytes(const form_row *f)
{
    return is(f->to, "p") ? 1 : (int)bits_of(f->to) / 8;
}

static int record(const char *path)
{
    FILE *file = fopen(path, "wb");
    if (!file) {
        perror(path);
        return 1;
    }
    int bad = 0;
    static uint64_t in[5 * THREADS], out[THREADS];
    for (unsigned n = 0; n < form_count; n++) {
        const form_row *f = &form_table[n];
        fill(f, in);
        const cudaError_t e = run(f, in, out);
        if (e != cudaSuccess) {
            fprintf(stderr, "%s: %s\n", f->name, cudaGetErrorString(e));
            bad = 1;
            continue;
        }
        const int bytes = result_bytes(f);
        fprintf(file, "%s\t%d\t%d\n", f->name, bytes, THREADS);
        for (int t = 0; t < THREADS; t++) {
            fwrite(&out[t], (size_t)bytes, 1, file);
        }
    }
    return fclose(file) != 0 || bad;
}

/* The recorded results of a form, or NULL. */
static const unsigned char *find(const unsigned char *text, size_t size, const char *name)
{
    size_t at = 0;
    while (at < size) {
        const unsigned char *end = (const unsigned char *)memchr(text + at, '\n', size - at);
        if (!end) {
            return NULL;
        }
        char head[256];
        int bytes = 0, threads = 0;
        const size_t length = (size_t)(end - (text + at));
        snprintf(head, sizeof head, "%.*s", (int)length, (const char *)text + at);
        char *tab = strchr(head, '\t');
        if (!tab || sscanf(tab, "%d %d", &bytes, &threads) != 2) {
            return NULL;
        }
        *tab = 0;
        at += length + 1;
        const size_t body = (size_t)bytes * (size_t)threads;
        if (strcmp(head, name) == 0) {
            return threads == THREADS && at + body <= size ? text + at : NULL;
        }
        at += body;
    }
    return NULL;
}

static int compare(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return 1;
    }
    static unsigned char text[8 << 20];
    const size_t size = fread(text, 1, sizeof text, file);
    fclose(file);
    static uint64_t in[5 * THREADS], out[THREADS];
    int failed = 0;
    for (unsigned n = 0; n < form_count; n++) {
        const form_row *f = &form_table[n];
        const unsigned char *want = find(text, size, f->name);
        if (!want) {
            printf("ok %u - %s: %s # SKIP not recorded\n", n + 1, family_name, f->name);
            continue;
        }
        fill(f, in);
        const cudaError_t e = run(f, in, out);
        if (e != cudaSuccess) {
            printf("not ok %u - %s: %s\n# launch: %s\n", n + 1, family_name, f->name,
                   cudaGetErrorString(e));
            failed = 1;
            continue;
        }
        const int bytes = result_bytes(f);
        const uint64_t ones = UINT64_MAX >> (64 - 8 * bytes);
        int differ = 0, first = 0;
        double worst = 0;
        uint64_t first_want = 0;
        for (int t = 0; t < THREADS; t++) {
            uint64_t w = 0;
            memcpy(&w, want + (size_t)t * (size_t)bytes, (size_t)bytes);
            if (!near(f, f->to, out[t] & ones, w, &worst)) {
                if (!differ++) {
                    first = t;
                    first_want = w;
                }
            }
        }
        printf("%sok %u - %s: %s\n", differ ? "not " : "", n + 1, family_name, f->name);
        if (!is(f->tolerance, "-")) {
            printf("# largest difference %g, of %s\n", worst, f->tolerance);
        }
        if (differ) {
            failed = 1;
            printf("# %d of %d differ; thread %d:", differ, THREADS, first);
            for (int k = 0; k < f->sources; k++) {
                printf(" 0x%llx", (unsigned long long)in[k * THREADS + first]);
            }
            printf(" gave 0x%llx, the GPU 0x%llx\n", (unsigned long long)(out[first] & ones),
                   (unsigned long long)first_want);
        }
    }
    return failed;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "record") == 0) {
        return record(argv[2]);
    }
    if (argc == 3 && strcmp(argv[1], "compare") == 0) {
        return compare(argv[2]);
    }
    fprintf(stderr, "usage: %s record|compare FILE\n", argv[0]);
    return 2;
}
