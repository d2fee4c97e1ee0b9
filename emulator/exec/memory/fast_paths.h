/* The fast paths for common access patterns (reach_often.h), for loads or stores: EXEC_ACCESS_OP is
 * EXEC_LOAD or EXEC_STORE. Not inlined, so that all kinds of loads, or of stores, share one copy of
 * the code. Included once by load.c and once by store.c. */
static __attribute__((noinline)) exec_fast_place try_contiguous_global(sm_warp *w, const sm_insn *i)
{
    return fast_contiguous_global(w, i, EXEC_ACCESS_OP);
}

static __attribute__((noinline)) exec_fast_place try_memo_shared(sm_warp *w, const sm_insn *i)
{
    return fast_memo_shared(w, i);
}

static __attribute__((noinline)) exec_request_pattern try_fast_global(sm_warp *w, const sm_insn *i,
                                                                      exec_fast_request *o)
{
    return fast_path_global(w, i, EXEC_ACCESS_OP, o);
}

static __attribute__((noinline)) exec_request_pattern try_fast_shared(sm_warp *w, const sm_insn *i,
                                                                      exec_fast_request *o)
{
    return fast_path_shared(w, i, EXEC_ACCESS_OP, o);
}

#undef EXEC_ACCESS_OP
