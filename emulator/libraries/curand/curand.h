/* cuRAND's types that the calls here take, as curand.h of toolkits 12 and 13 has them, and what the
 * files of this folder share. */
#pragma once

#include "../common/library.h"
#include "kernel_args.h"

#include <stddef.h>
#include <stdint.h>

typedef enum curandStatus_t {
    CURAND_STATUS_SUCCESS = 0,
    CURAND_STATUS_NOT_INITIALIZED = 101,
    CURAND_STATUS_ALLOCATION_FAILED = 102,
    CURAND_STATUS_TYPE_ERROR = 103,
    CURAND_STATUS_OUT_OF_RANGE = 104,
    CURAND_STATUS_LENGTH_NOT_MULTIPLE = 105,
    CURAND_STATUS_LAUNCH_FAILURE = 201,
    CURAND_STATUS_PREEXISTING_FAILURE = 202,
    CURAND_STATUS_INITIALIZATION_FAILED = 203,
    CURAND_STATUS_INTERNAL_ERROR = 999,
} curandStatus_t;

enum {
    PSEUDO_DEFAULT = 100,
    PSEUDO_XORWOW,
    PSEUDO_MRG = 121,
    PSEUDO_MTGP32 = 141,
    PSEUDO_MT19937,
    PSEUDO_PHILOX = 161
};
enum { QUASI_FIRST = 200, QUASI_LAST = 204 };
enum { ORDER_BEST = 100, ORDER_DEFAULT, ORDER_SEEDED, ORDER_LEGACY, ORDER_DYNAMIC };
enum { MOST_LAMBDA = 400000, LEAST_NORMAL_LAMBDA = 2000 };

typedef struct curandGenerator_st {
    enum rand_type type;
    bool on_host;
    int order;
    unsigned long long seed, offset;
    uint64_t turns; /* completed since the offset was set: where other settings go on */
    CUmodule kernels;
    CUstream stream;
    rand_state *states; /* in the memory of the device, or the host's; NULL: to be made from seed
                           and offset */
    unsigned sequences; /* number of states */
    unsigned first;     /* the one whose turn it is */
    unsigned part;      /* how many numbers of that turn are used */
    double lambda;      /* of `table`; 0: there is none */
    rand_table table;
} * curandGenerator_t;

#define CURAND_CALL __attribute__((visibility("default"))) curandStatus_t

/* A call's first test: returns from it without a generator. */
#define NEEDS(generator) \
    if (!(generator))    \
    return CURAND_STATUS_NOT_INITIALIZED

/* Memory of the device or, ON_HOST, of the host, holding SIZE bytes of FROM; NULL: there is none.
 */
void *rand_memory(bool on_host, const void *from, size_t size);
void rand_free(bool on_host, const void *memory);
/* The states of G at its offset. */
curandStatus_t rand_seed(curandGenerator_t g);
/* The table for Poisson numbers of mean LAMBDA, in such memory. */
curandStatus_t rand_make_table(bool on_host, double lambda, rand_table *out);
void rand_free_table(bool on_host, rand_table *table);
