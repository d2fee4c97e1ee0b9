/* Template for one kind of load or store: the handlers by state space. load_kind.h and store_kind.h
 * include it with KIND, MEM, HOW (EXEC_LOAD or EXEC_STORE), SLOT (the field of sm_insn that holds
 * the slot of the only element) and WIDE defined, and with the functions NAMED(contiguous),
 * NAMED(same_address), NAMED(rows), NAMED(move) and NAMED(strong). Included several times, so it
 * has no include guard. */

/* Transfer the data of a request for the lanes in MASK between registers and memory. Their
 * addresses have been resolved. */
static void NAMED(all)(sm_warp *w, const sm_insn *i, uint32_t mask, exec_request_pattern pattern,
                       const exec_host_addresses *r)
{
    const uint32_t *slot = i->vec == 1 ? &i->SLOT : i->extra;
    for (uint32_t e = 0; e < i->vec; e++) {
        const uint32_t step = i->vec * sizeof(MEM), skip = e * sizeof(MEM);
#ifndef WIDE
        if (i->mode & SM_M_STRONG) {
            NAMED(strong)(w, slot[e], mask, pattern, r, step, skip);
            continue;
        }
#endif
        NAMED(move)(w, slot[e], mask, pattern, r, step, skip);
    }
}

/* Transfer the data of a request between registers and the place P that a fast path has found. All
 * lanes access adjacent data or one address. */
static __attribute__((noinline)) const sm_insn *NAMED(placed)(sm_warp *w, const sm_insn *i,
                                                              exec_fast_place p)
{
    const uint32_t *slot = i->vec == 1 ? &i->SLOT : i->extra;
    for (uint32_t e = 0; e < i->vec; e++) {
        uint8_t *host = p.host + e * sizeof(MEM);
        if (p.layout == SM_LAYOUT_CONSECUTIVE)
            NAMED(contiguous)(w, slot[e], host, i->vec * sizeof(MEM));
        else
            NAMED(same_address)(w, slot[e], host, i->vec * sizeof(MEM));
    }
    return i + 1;
}

/* Transfer the data of a request in which each row, a group of SM_ROW lanes,
 * accesses adjacent data or one address. */
static __attribute__((noinline)) const sm_insn *NAMED(placed_rows)(sm_warp *w, const sm_insn *i,
                                                                   exec_fast_place p)
{
    uint8_t *host[SM_ROWS];
    for (uint32_t k = 0; k < SM_ROWS; k++)
        host[k] = p.host + distance_from_first(w, i, SM_ROW * k);
    NAMED(rows)(w, i->SLOT, host, p.layout == SM_LAYOUT_ROWS);
    return i + 1;
}

/* Transfer the data of any request to the place P, after reporting the request to the observers. */
static __attribute__((noinline)) const sm_insn *NAMED(observed)(sm_warp *w, const sm_insn *i,
                                                                exec_fast_place p, ptx_space space)
{
    EXEC_FOR_ISA(exec_observe_fast_request)(w, i, space, (sm_access_layout)p.layout, HOW);
    return p.layout >= SM_LAYOUT_ROWS ? NAMED(placed_rows)(w, i, p) : NAMED(placed)(w, i, p);
}

static const sm_insn *NAMED(global)(sm_warp *w, const sm_insn *i)
{
    if (w->mask != SM_FULL)
        return EXEC_FOR_ISA(exec_run_space)(w, i, PTX_SPACE_GLOBAL, HOW, NAMED(all));
    const exec_fast_place p = try_global(w, i);
    if (!p.host)
        return EXEC_FOR_ISA(exec_run_space)(w, i, PTX_SPACE_GLOBAL, HOW, NAMED(all));
    if (__builtin_expect(w->worker->sees & SM_SEES_GLOBAL, 0))
        return NAMED(observed)(w, i, p, PTX_SPACE_GLOBAL);
    if (p.layout >= SM_LAYOUT_ROWS)
        return NAMED(placed_rows)(w, i, p);
    if (p.layout != SM_LAYOUT_CONSECUTIVE || i->vec != 1)
        return NAMED(placed)(w, i, p);
    NAMED(contiguous)(w, i->SLOT, p.host, sizeof(MEM));
    return i + 1;
}

/* Transfer the data of a request of all lanes in shared memory. */
static __attribute__((noinline)) const sm_insn *NAMED(shared_place)(sm_warp *w, const sm_insn *i)
{
    const exec_fast_place p = try_shared(w, i);
    if (!p.host)
        return EXEC_FOR_ISA(exec_run_space)(w, i, PTX_SPACE_SHARED, HOW, NAMED(all));
    if (__builtin_expect(w->worker->sees & SM_SEES_SHARED, 0))
        return NAMED(observed)(w, i, p, PTX_SPACE_SHARED);
    if (p.layout >= SM_LAYOUT_ROWS)
        return NAMED(placed_rows)(w, i, p);
    if (p.layout != SM_LAYOUT_CONSECUTIVE || i->vec != 1)
        return NAMED(placed)(w, i, p);
    NAMED(contiguous)(w, i->SLOT, p.host, sizeof(MEM));
    return i + 1;
}

static const sm_insn *NAMED(shared)(sm_warp *w, const sm_insn *i)
{
    if (w->mask != SM_FULL)
        return EXEC_FOR_ISA(exec_run_space)(w, i, PTX_SPACE_SHARED, HOW, NAMED(all));
    const sm_address_memo *m = usable_address_memo(w, i);
    uint8_t *row[SM_ROWS];
    if (m && find_known_rows(w, i, m, row)) {
        NAMED(rows)(w, i->SLOT, row, m->distance != 0);
        return i + 1;
    }
    return NAMED(shared_place)(w, i);
}

static const sm_insn *NAMED(local)(sm_warp *w, const sm_insn *i)
{
    return EXEC_FOR_ISA(exec_run_space)(w, i, PTX_SPACE_LOCAL, HOW, NAMED(all));
}

static const sm_insn *NAMED(generic)(sm_warp *w, const sm_insn *i)
{
    if (all_addresses_global(w, i))
        return NAMED(global)(w, i);
    return EXEC_FOR_ISA(exec_run_generic)(w, i, HOW, NAMED(all), NAMED(all));
}

#undef HOW
#undef SLOT
