/* What the host's side and the kernels agree on. C and CUDA C++. */
#pragma once

/* X(constant, name in kernels) */
#define RAND_TYPES(X)      \
    X(RAND_XORWOW, xorwow) \
    X(RAND_MRG, mrg)       \
    X(RAND_PHILOX, philox)

/* X(constant, name in kernels, type of a number). Poisson numbers of small mean come from a table.
 */
#define RAND_KINDS(X)                                    \
    X(RAND_BITS, bits, unsigned)                         \
    X(RAND_UNIFORM, uniform, float)                      \
    X(RAND_UNIFORM_DOUBLE, uniform_double, double)       \
    X(RAND_NORMAL, normal, float)                        \
    X(RAND_NORMAL_DOUBLE, normal_double, double)         \
    X(RAND_LOG_NORMAL, log_normal, float)                \
    X(RAND_LOG_NORMAL_DOUBLE, log_normal_double, double) \
    X(RAND_POISSON, poisson, unsigned)                   \
    X(RAND_POISSON_NORMAL, poisson_normal, unsigned)

#define X(constant, name) constant,
enum rand_type { RAND_TYPES(X) RAND_TYPE_COUNT };
#undef X
#define X(constant, name, number) constant,
enum rand_kind { RAND_KINDS(X) RAND_KIND_COUNT };
#undef X

/* One of a generator's sequences, each of which a thread goes through. */
typedef struct rand_state {
    unsigned s[6];       /* XORWOW: v and d; MRG: s1 and s2; Philox: counter and key */
    unsigned has_normal; /* `normal` waits for the sequence's next number from a normal one */
    float normal;
} rand_state;

/* A table for Poisson numbers: uniform u in cell j gives j if it lies below at[j], else other[j].
 */
typedef struct rand_table {
    const double *at;
    const unsigned *other;
    unsigned first, length; /* what is added to j; number of cells */
} rand_table;

/* A call: COUNT numbers, beginning with number PART of a turn of sequence FIRST of SEQUENCES. */
typedef struct rand_call {
    rand_state *states;
    void *out;
    unsigned long long count;
    unsigned sequences, first, part;
    double mean, deviation; /* a Poisson number's mean is its lambda */
    rand_table table;
} rand_call;

enum { RAND_THREADS = 256, RAND_MOST_OF_A_TURN = 4 };
