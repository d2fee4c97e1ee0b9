/* The fast paths for common access patterns (reach_often.h), for loads or stores: EXEC_ACCESS_OP is
 * EXEC_LOAD or EXEC_STORE. Not inlined, so that all kinds of loads, or of stores, share one copy of
 * the code. Included once by load.c and once by store.c. */
static __attribute__((noinline)) exec_fast_place try_global(sm_warp *w, const sm_insn *i)
{
    return fast_global(w, i, EXEC_ACCESS_OP);
}

static __attribute__((noinline)) exec_fast_place try_shared(sm_warp *w, const sm_insn *i)
{
    return fast_shared(w, i, EXEC_ACCESS_OP);
}

#undef EXEC_ACCESS_OP
