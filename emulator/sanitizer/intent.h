/* The purpose of a strong operation. In the PTX ISA, volatile accesses are as strong as relaxed
 * ones and do not race with one another. Programs use volatile for two purposes: flags that other
 * threads wait for, and data not to be kept in registers, which volatile does not order. */
#pragma once

#include "../core/code.h"
#include "../core/observer.h"

typedef enum {
    SAN_SYNCHRONISES,     /* the operation waits for other threads, takes a lock, or requires more
                           * order than volatile gives */
    SAN_ATOMIC_ON_DATA,   /* the operation is atomic and works on data */
    SAN_VOLATILE_ON_DATA, /* the operation is volatile and moves data: a store, or a load whose
                           * value goes into results */
    SAN_TEXTURE_READ /* no strong operation: the read of a texture or surface, whose cache does not
                      * see what the kernel writes */
} san_intent;        /* what a strong operation is meant for */

/* The purpose of the strong instruction IN of unit U. */
san_intent san_intent_of(const sm_unit *u, const ptx_insn *in);

/* Do two strong operations with these purposes, in different warps, race like plain accesses? */
static inline bool san_intents_race(san_intent a, san_intent b)
{
    return (a == SAN_VOLATILE_ON_DATA || b == SAN_VOLATILE_ON_DATA) && a != SAN_SYNCHRONISES &&
           b != SAN_SYNCHRONISES;
}

/* Is the value that IN loads compared for equality with a variable, as in `while (turn != me)`?
 * Each thread then waits for a value of its own, and only one continues. */
bool san_awaits_own_value(const sm_unit *u, const ptx_insn *in);

/* Is IN a compare-and-swap that may change its word, comparing with another than it stores? */
bool san_takes_lock(const ptx_insn *in);

/* Does IN test an mbarrier? Observers see it as an atomic update, but it writes nothing. */
bool san_tests_mbarrier(const ptx_insn *in);

/* The function of U that contains IN; NULL: none. */
const ptx_func *san_function_of(const sm_unit *u, const ptx_insn *in);
