/* Sequences and what is made of their numbers, the same for the CPU (C) and for kernels (CUDA C++):
 * the formulas of cuRAND's documents, in the order of operations that its numbers show. */
#pragma once

#include "kernel_args.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#ifdef __CUDACC__
#define RAND_BOTH static __device__ __forceinline__
#else
#define RAND_BOTH static inline
#endif

#define RAND_2POW32_INV     2.3283064e-10f
#define RAND_2PI            6.2831855f
#define RAND_2POW32_INV_2PI (RAND_2POW32_INV * RAND_2PI)
#define RAND_2POW32_INV_D   2.3283064365386963e-10
#define RAND_2POW53_INV_D   1.1102230246251565e-16
enum { XORWOW_STEP_OF_D = 362437 };
#define MRG_M1        4294967087u
#define MRG_M2        4294944443u
#define MRG_NORM      2.3283065498378288e-10
#define MRG_BITS_NORM 1.000000048662

/* A number of each type. */
typedef union rand_number {
    unsigned u;
    float f;
    double d;
} rand_number;

RAND_BOTH unsigned rand_xorwow(rand_state *state)
{
    unsigned *v = state->s;
    const unsigned t = v[0] ^ v[0] >> 2;
    v[0] = v[1];
    v[1] = v[2];
    v[2] = v[3];
    v[3] = v[4];
    v[4] = (v[4] ^ v[4] << 4) ^ (t ^ t << 1);
    v[5] += XORWOW_STEP_OF_D;
    return v[4] + v[5];
}

/* From 1 to MRG_M1. */
RAND_BOTH double rand_mrg(rand_state *state)
{
    unsigned *a = state->s, *b = state->s + 3;
    const uint64_t p = (1403580ull * a[1] + 810728ull * (MRG_M1 - a[0])) % MRG_M1;
    const uint64_t q = (527612ull * b[2] + 1370589ull * (MRG_M2 - b[0])) % MRG_M2;
    a[0] = a[1];
    a[1] = a[2];
    a[2] = (unsigned)p;
    b[0] = b[1];
    b[1] = b[2];
    b[2] = (unsigned)q;
    return (double)(p > q ? p - q : p + MRG_M1 - q);
}

/* Four numbers; the counter goes on. */
RAND_BOTH void rand_philox(rand_state *state, unsigned out[4])
{
    unsigned *s = state->s, key0 = s[4], key1 = s[5];
    unsigned c0 = s[0], c1 = s[1], c2 = s[2], c3 = s[3];
    for (int round = 0; round < 10; round++) {
        const uint64_t p = (uint64_t)0xD2511F53 * c0, q = (uint64_t)0xCD9E8D57 * c2;
        c0 = (unsigned)(q >> 32) ^ c1 ^ key0;
        c1 = (unsigned)q;
        c2 = (unsigned)(p >> 32) ^ c3 ^ key1;
        c3 = (unsigned)p;
        key0 += 0x9E3779B9;
        key1 += 0xBB67AE85;
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
    if (++s[0] == 0 && ++s[1] == 0 && ++s[2] == 0)
        ++s[3];
}

RAND_BOTH unsigned rand_bits_of_mrg(rand_state *s)
{
    return (unsigned)(rand_mrg(s) * MRG_BITS_NORM);
}

RAND_BOTH float rand_uniform(unsigned x)
{
    return x * RAND_2POW32_INV + RAND_2POW32_INV / 2.0f;
}

RAND_BOTH double rand_uniform_double(unsigned x, unsigned y)
{
    const uint64_t z = x ^ (uint64_t)y << (53 - 32);
    return z * RAND_2POW53_INV_D + RAND_2POW53_INV_D / 2.0;
}

/* Box and Muller's pair, of uniform U and an angle, which a double has as a multiple of pi. */
RAND_BOTH void rand_pair(float u, float angle, float out[2])
{
    const float s = sqrtf(-2.0f * logf(u));
#ifdef __CUDACC__
    __sincosf(angle, &out[0], &out[1]);
#else
    out[0] = sinf(angle);
    out[1] = cosf(angle);
#endif
    out[0] *= s;
    out[1] *= s;
}

RAND_BOTH void rand_pair_double(double u, double angle, double out[2])
{
    const double s = sqrt(-2.0 * log(u));
#ifdef __CUDACC__
    sincospi(angle, &out[0], &out[1]);
#else
    out[0] = sin(angle * 3.1415926535897932);
    out[1] = cos(angle * 3.1415926535897932);
#endif
    out[0] *= s;
    out[1] *= s;
}

RAND_BOTH void rand_pair_of_bits(unsigned x, unsigned y, float out[2])
{
    rand_pair(rand_uniform(x), y * RAND_2POW32_INV_2PI + RAND_2POW32_INV_2PI / 2, out);
}

RAND_BOTH void rand_pair_of_bits_double(const unsigned x[4], double out[2])
{
    const uint64_t z = x[2] ^ (uint64_t)x[3] << (53 - 32);
    rand_pair_double(rand_uniform_double(x[0], x[1]),
                     z * (RAND_2POW53_INV_D * 2.0) + RAND_2POW53_INV_D, out);
}

/* Two normal numbers of XORWOW or MRG, four of Philox. */
RAND_BOTH void rand_normals(int type, rand_state *s, float out[4])
{
    unsigned x[4];
    if (type == RAND_PHILOX) {
        rand_philox(s, x);
        rand_pair_of_bits(x[0], x[1], out);
        rand_pair_of_bits(x[2], x[3], out + 2);
    } else if (type == RAND_MRG) {
        const float u = (float)(rand_mrg(s) * MRG_NORM);
        rand_pair(u, (float)(rand_mrg(s) * MRG_NORM) * RAND_2PI, out);
    } else {
        x[0] = rand_xorwow(s);
        x[1] = rand_xorwow(s);
        rand_pair_of_bits(x[0], x[1], out);
    }
}

RAND_BOTH void rand_normals_double(int type, rand_state *s, double out[4])
{
    unsigned x[4];
    if (type == RAND_PHILOX) {
        for (int i = 0; i < 4; i += 2) {
            rand_philox(s, x);
            rand_pair_of_bits_double(x, out + i);
        }
    } else if (type == RAND_MRG) {
        const double u = rand_mrg(s) * MRG_NORM;
        rand_pair_double(u, rand_mrg(s) * MRG_NORM * 2.0, out);
    } else {
        for (int i = 0; i < 4; i++)
            x[i] = rand_xorwow(s);
        rand_pair_of_bits_double(x, out);
    }
}

/* How many numbers of KIND a sequence gives at a time. */
RAND_BOTH int rand_turn_length(int type, int kind)
{
    return type == RAND_PHILOX ? 4 : kind >= RAND_NORMAL && kind <= RAND_LOG_NORMAL_DOUBLE ? 2 : 1;
}

RAND_BOTH void rand_turn_bits(int type, rand_state *s, unsigned x[4])
{
    if (type == RAND_PHILOX)
        rand_philox(s, x);
    else
        x[0] = type == RAND_MRG ? rand_bits_of_mrg(s) : rand_xorwow(s);
}

RAND_BOTH unsigned rand_from_table(const rand_table *t, unsigned x)
{
    const double u = x * RAND_2POW32_INV_D + RAND_2POW32_INV_D;
    const unsigned j = (unsigned)floor(t->length * u);
    if (j >= t->length)
        return t->first + t->length;
    return t->first + (u < t->at[j] ? j : t->other[j]);
}

/* Normal numbers, of which a sequence of XORWOW or MRG uses one at a time. */
RAND_BOTH void rand_turn_poisson_normal(int type, rand_state *s, double lambda, rand_number out[4])
{
    float z[4];
    const int count = rand_turn_length(type, RAND_POISSON_NORMAL);
    if (count == 1 && s->has_normal) {
        z[0] = s->normal;
        s->has_normal = 0;
    } else {
        rand_normals(type, s, z);
        if (count == 1) {
            s->normal = z[1];
            s->has_normal = 1;
        }
    }
    for (int i = 0; i < count; i++)
        out[i].u = (unsigned)(sqrt(lambda) * z[i] + lambda + 0.5);
}

RAND_BOTH void rand_turn_uniform_double(int type, rand_state *s, rand_number out[4])
{
    unsigned x[8];
    if (type == RAND_MRG) {
        out[0].d = rand_mrg(s) * MRG_NORM;
    } else if (type == RAND_XORWOW) {
        x[0] = rand_xorwow(s);
        x[1] = rand_xorwow(s);
        out[0].d = rand_uniform_double(x[0], x[1]);
    } else {
        rand_philox(s, x);
        rand_philox(s, x + 4);
        for (int i = 0; i < 4; i++)
            out[i].d = rand_uniform_double(x[2 * i], x[2 * i + 1]);
    }
}

/* The next numbers of KIND of a sequence. */
RAND_BOTH void rand_turn(int type, int kind, rand_state *s, const rand_call *c, rand_number out[4])
{
    const int count = rand_turn_length(type, kind);
    unsigned x[4];
    float f[4];
    double d[4];
    switch (kind) {
    case RAND_BITS:
    case RAND_POISSON:
        rand_turn_bits(type, s, x);
        for (int i = 0; i < count; i++)
            out[i].u = kind == RAND_BITS ? x[i] : rand_from_table(&c->table, x[i]);
        break;
    case RAND_UNIFORM:
        if (type == RAND_MRG) {
            out[0].f = (float)(rand_mrg(s) * MRG_NORM);
            break;
        }
        rand_turn_bits(type, s, x);
        for (int i = 0; i < count; i++)
            out[i].f = rand_uniform(x[i]);
        break;
    case RAND_UNIFORM_DOUBLE: rand_turn_uniform_double(type, s, out); break;
    case RAND_NORMAL:
    case RAND_LOG_NORMAL:
        rand_normals(type, s, f);
        for (int i = 0; i < count; i++) {
            const float z = (float)c->mean + (float)c->deviation * f[i];
            out[i].f = kind == RAND_NORMAL ? z : expf(z);
        }
        break;
    case RAND_NORMAL_DOUBLE:
    case RAND_LOG_NORMAL_DOUBLE:
        rand_normals_double(type, s, d);
        for (int i = 0; i < count; i++) {
            const double z = c->mean + c->deviation * d[i];
            out[i].d = kind == RAND_NORMAL_DOUBLE ? z : exp(z);
        }
        break;
    default: rand_turn_poisson_normal(type, s, c->mean, out);
    }
}

/* Turn TURN of a call, by the sequence whose turn it is. What of it is not asked for is left for
 * the next call. */
RAND_BOTH void rand_turn_of_call(int type, int kind, size_t size, rand_state *s, const rand_call *c,
                                 uint64_t turn)
{
    rand_number number[RAND_MOST_OF_A_TURN];
    const rand_state before = *s;
    const int length = rand_turn_length(type, kind);
    rand_turn(type, kind, s, c, number);
    for (int i = 0; i < length; i++) {
        const uint64_t at = turn * length + i;
        if (at >= c->part && at - c->part < c->count)
            memcpy((char *)c->out + (at - c->part) * size, &number[i], size);
    }
    if ((turn + 1) * length > c->part + c->count)
        *s = before;
}

/* How many turns a call has. */
RAND_BOTH uint64_t rand_turns(int type, int kind, const rand_call *c)
{
    const int length = rand_turn_length(type, kind);
    return (c->part + c->count + length - 1) / length;
}
