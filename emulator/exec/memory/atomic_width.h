/* Template for the lanes of an atomic operation. atomic.c includes it for each width, with WIDTH
 * (bits), MEM (type in memory) and REG (type of a register's lane) defined. The functions are
 * inlined into every operation, so calling NEXT costs nothing. Included several times, so it has no
 * include guard. */
#define NAMED(what) EXEC_PASTE(what, WIDTH)

/* Function type: the new value in memory, from the old value and operands b and c. */
typedef MEM (*NAMED(next))(MEM old, MEM b, MEM c);

/* A block runs on one host thread, so no other thread writes its shared memory. */
static inline __attribute__((always_inline)) void
NAMED(shared_lanes)(sm_warp *w, const sm_insn *i, uint32_t mask, exec_request_pattern pattern,
                    const exec_host_addresses *r, NAMED(next) next)
{
    /* load the pointers before the loop, as for the compiler the stores may change them */
    const REG *b = SM_R(const REG, w, i->b), *c = SM_R(const REG, w, i->c);
    REG *d = SM_R(REG, w, i->d);
    uint64_t changes = 0;
    EXEC_EACH_LANE(mask) {
        MEM *p = (MEM *)exec_lane_host_address(pattern, r, l, sizeof(MEM));
        const MEM old = *p, value = next(old, (MEM)b[l], (MEM)c[l]);
        *p = value;
        changes += value != old;
        d[l] = old;
    }
    w->worker->shared_changes += changes;
}

/* All lanes have the same address: one atomic operation serves all lanes. */
static inline __attribute__((always_inline)) void
NAMED(global_one)(sm_warp *w, const sm_insn *i, uint32_t mask, MEM *p, NAMED(next) next)
{
    MEM seen = __atomic_load_n(p, __ATOMIC_RELAXED), value, was[SM_LANES];
    uint32_t changes;
    do {
        changes = 0;
        value = seen;
        EXEC_EACH_LANE(mask) {
            const MEM old = value;
            was[l] = old;
            value = next(old, (MEM)SM_R(const REG, w, i->b)[l], (MEM)SM_R(const REG, w, i->c)[l]);
            changes += value != old;
        }
    } while (
        !__atomic_compare_exchange_n(p, &seen, value, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
    w->worker->changes += changes;
    EXEC_EACH_LANE(mask) {
        /* cppcheck-suppress uninitvar ; was[] is filled for the lanes of the mask */
        SM_R(REG, w, i->d)[l] = was[l];
    }
}

static inline __attribute__((always_inline)) void
NAMED(global_lanes)(sm_warp *w, const sm_insn *i, uint32_t mask, exec_request_pattern pattern,
                    const exec_host_addresses *r, exec_host_update by, NAMED(next) next)
{
    if (pattern == EXEC_PATTERN_SAME_ADDRESS) {
        NAMED(global_one)(w, i, mask, (MEM *)r->host, next);
        return;
    }
    const REG *b = SM_R(const REG, w, i->b), *c = SM_R(const REG, w, i->c);
    REG *d = SM_R(REG, w, i->d);
    uint64_t changes = 0;
    if (pattern == EXEC_PATTERN_EACH_LANE)
        fetch_lines(r);
    EXEC_EACH_LANE(mask) {
        MEM *p = (MEM *)exec_lane_host_address(pattern, r, l, sizeof(MEM));
        MEM value, old;
        if (by == HOST_SUM) {
            old = __atomic_fetch_add(p, (MEM)b[l], __ATOMIC_SEQ_CST);
            value = next(old, (MEM)b[l], (MEM)c[l]);
        } else if (by == HOST_EXCHANGE) {
            value = (MEM)b[l];
            old = __atomic_exchange_n(p, value, __ATOMIC_SEQ_CST);
        } else {
            old = __atomic_load_n(p, __ATOMIC_RELAXED);
            do {
                value = next(old, (MEM)b[l], (MEM)c[l]);
            } while (!__atomic_compare_exchange_n(p, &old, value, false, __ATOMIC_SEQ_CST,
                                                  __ATOMIC_RELAXED));
        }
        changes += value != old;
        d[l] = old;
    }
    w->worker->changes += changes;
}

#undef NAMED
#undef WIDTH
#undef MEM
#undef REG
