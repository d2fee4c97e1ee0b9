/* What strong operations are meant for. To the PTX ISA volatile accesses are as strong as relaxed
 * ones and do not race with one another. Programs write them for two things: flags that other
 * threads wait for, and data that should not stay in registers, which volatile orders no better. */
#ifndef WARPBOOK_SANITIZER_INTENT_H
#define WARPBOOK_SANITIZER_INTENT_H

#include "../core/code.h"
#include "../core/observer.h"

typedef enum {
    SAN_SYNCHRONISES, /* it waits for other threads, takes a lock, or asks for more order than
                         volatile */
    SAN_COUNTS,       /* it is an atomic operation on data */
    SAN_HOLDS_DATA    /* it is volatile and moves data: a store, or a load whose value goes into
                         results */
} san_intent;

/* What strong instruction IN of unit U is meant for. */
san_intent san_intent_of(const sm_unit *u, const ptx_insn *in);

/* Do two such operations, in different warps, race as plain ones would? */
static inline bool san_intents_race(san_intent a, san_intent b)
{
    return (a == SAN_HOLDS_DATA || b == SAN_HOLDS_DATA) && a != SAN_SYNCHRONISES &&
           b != SAN_SYNCHRONISES;
}

/* Is IN a compare-and-swap that may change its word: does it compare with another value than it
 * stores? */
bool san_takes_lock(const ptx_insn *in);

/* The function of U that IN is in; NULL: none. */
const ptx_func *san_func_of(const sm_unit *u, const ptx_insn *in);

#endif
