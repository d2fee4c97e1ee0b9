/* Where sequences begin. XORWOW's shift register is linear over bits and MRG's two recurrences are
 * linear modulo a prime, so that going on by any number of steps is one product with a matrix. */
#include "curand.h"
#include "sequence.h"

#include <stdlib.h>

enum { BITS = 160, WORDS = 5 };

/* What becomes of each bit of XORWOW's register. */
typedef struct bit_matrix {
    unsigned column[BITS][WORDS];
} bit_matrix;

static void apply_bits(const bit_matrix *m, unsigned v[WORDS])
{
    unsigned sum[WORDS] = {0};
    for (int i = 0; i < BITS; i++)
        if (v[i / 32] >> i % 32 & 1)
            for (int k = 0; k < WORDS; k++)
                sum[k] ^= m->column[i][k];
    memcpy(v, sum, sizeof sum);
}

static void square_bits(bit_matrix *m)
{
    const bit_matrix old = *m;
    for (int i = 0; i < BITS; i++)
        apply_bits(&old, m->column[i]);
}

static bit_matrix one_step(void)
{
    bit_matrix m = {0};
    for (int i = 0; i < BITS; i++) {
        rand_state s = {0};
        s.s[i / 32] = 1u << i % 32;
        rand_xorwow(&s);
        memcpy(m.column[i], s.s, sizeof m.column[i]);
    }
    return m;
}

static rand_state start_xorwow(unsigned long long seed)
{
    const unsigned t0 = 1099087573u * ((unsigned)seed ^ 0xaad26b49),
                   t1 = 2591861531u * ((unsigned)(seed >> 32) ^ 0xf7dcefdd);
    return (rand_state){.s = {123456789u + t0, 362436069u ^ t0, 521288629u + t1, 88675123u ^ t1,
                              5783321u + t0, 6615241u + t1 + t0}};
}

/* Sequences are 2^67 numbers apart; with order SEEDED each has a seed of its own. */
static void seed_xorwow(curandGenerator_t g, rand_state *s, uint64_t rows)
{
    enum { LOG_APART = 67, SEEDS_APART = 3133713 };
    bit_matrix step = one_step(), apart = step;
    for (int i = 0; i < LOG_APART; i++)
        square_bits(&apart);
    for (unsigned k = 0; k < g->sequences; k++) {
        s[k] = g->order == ORDER_SEEDED ? start_xorwow(g->seed + (uint64_t)k * SEEDS_APART)
               : k                      ? s[k - 1]
                                        : start_xorwow(g->seed);
        if (k && g->order != ORDER_SEEDED)
            apply_bits(&apart, s[k].s);
    }
    for (unsigned k = 0; k < g->sequences; k++)
        s[k].s[WORDS] += (unsigned)rows * XORWOW_STEP_OF_D;
    for (; rows; rows >>= 1) {
        for (unsigned k = 0; rows & 1 && k < g->sequences; k++)
            apply_bits(&step, s[k].s);
        square_bits(&step);
    }
}

typedef struct matrix {
    uint64_t at[3][3];
} matrix;

static matrix product(const matrix *a, const matrix *b, uint64_t modulus)
{
    matrix p = {0};
    for (int i = 0; i < 9; i++)
        for (int k = 0; k < 3; k++)
            p.at[i / 3][i % 3] =
                (p.at[i / 3][i % 3] + a->at[i / 3][k] * b->at[k][i % 3] % modulus) % modulus;
    return p;
}

static void apply(const matrix *m, unsigned v[3], uint64_t modulus)
{
    unsigned out[3];
    for (int i = 0; i < 3; i++) {
        uint64_t sum = 0;
        for (int k = 0; k < 3; k++)
            sum = (sum + m->at[i][k] * v[k] % modulus) % modulus;
        out[i] = (unsigned)sum;
    }
    memcpy(v, out, sizeof out);
}

/* One of the two recurrences, in words FROM of each state: sequences are 2^76 numbers apart. */
static void seed_recurrence(curandGenerator_t g, rand_state *s, int from, matrix step,
                            uint64_t modulus, uint64_t rows)
{
    enum { LOG_APART = 76 };
    matrix apart = step;
    for (int i = 0; i < LOG_APART; i++)
        apart = product(&apart, &apart, modulus);
    const unsigned low = (unsigned)g->seed ^ 0x55555555,
                   high = (unsigned)(g->seed >> 32) ^ 0xAAAAAAAA;
    for (int i = 0; i < 3; i++)
        s[0].s[from + i] =
            g->seed ? (unsigned)(12345ull * ((from + i) % 2 ? high : low) % modulus) : 12345;
    for (; rows; rows >>= 1) {
        if (rows & 1)
            apply(&step, s[0].s + from, modulus);
        step = product(&step, &step, modulus);
    }
    for (unsigned k = 1; k < g->sequences; k++) {
        memcpy(s[k].s + from, s[k - 1].s + from, 3 * sizeof *s->s);
        apply(&apart, s[k].s + from, modulus);
    }
}

static void seed_mrg(curandGenerator_t g, rand_state *s, uint64_t rows)
{
    const matrix first = {{{0, 1, 0}, {0, 0, 1}, {MRG_M1 - 810728, 1403580, 0}}};
    const matrix second = {{{0, 1, 0}, {0, 0, 1}, {MRG_M2 - 1370589, 0, 527612}}};
    seed_recurrence(g, s, 0, first, MRG_M1, rows);
    seed_recurrence(g, s, 3, second, MRG_M2, rows);
}

static void seed_philox(curandGenerator_t g, rand_state *s, uint64_t rows)
{
    for (unsigned k = 0; k < g->sequences; k++)
        s[k] = (rand_state){.s = {(unsigned)rows, (unsigned)(rows >> 32), k, 0, (unsigned)g->seed,
                                  (unsigned)(g->seed >> 32)}};
}

/* ORDER_DYNAMIC has as many as on an H200. */
static unsigned sequences_of(const struct curandGenerator_st *g)
{
    static const unsigned number[][3] = {/* legacy, dynamic, others */
                                         [RAND_XORWOW] = {4096, 2816, 4096},
                                         [RAND_MRG] = {4096, 270336, 81920},
                                         [RAND_PHILOX] = {65536, 67584, 65536}};
    return number[g->type][g->order == ORDER_LEGACY ? 0 : g->order == ORDER_DYNAMIC ? 1 : 2];
}

curandStatus_t rand_seed(curandGenerator_t g)
{
    static void (*const make[])(curandGenerator_t, rand_state *, uint64_t) = {
        [RAND_XORWOW] = seed_xorwow, [RAND_MRG] = seed_mrg, [RAND_PHILOX] = seed_philox};
    const unsigned length = (unsigned)rand_turn_length(g->type, RAND_BITS);
    const uint64_t position = g->offset + g->turns, turns = position / length;
    g->sequences = sequences_of(g);
    rand_state *s = calloc(g->sequences, sizeof *s);
    rand_number unused[RAND_MOST_OF_A_TURN];
    if (!s)
        return CURAND_STATUS_ALLOCATION_FAILED;
    make[g->type](g, s, turns / g->sequences);
    g->first = (unsigned)(turns % g->sequences);
    g->part = (unsigned)(position % length);
    for (unsigned k = 0; k < g->first; k++)
        rand_turn(g->type, RAND_BITS, &s[k], NULL, unused);
    g->states = rand_memory(g->on_host, s, g->sequences * sizeof *s);
    free(s);
    return g->states ? CURAND_STATUS_SUCCESS : CURAND_STATUS_ALLOCATION_FAILED;
}
