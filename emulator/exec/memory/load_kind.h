/* Template for the handlers of one kind of load. load.c includes it for each kind, with KIND (its
 * name), MEM (type in memory), REG (type of a register's lane) and VALUE(v) defined, and WIDE if no
 * host access is as wide as MEM. Included several times, so it has no include guard. */

/* Load one element for all lanes into the register at SLOT. Lane l's is at HOST + l * STEP. */
static inline void NAMED(contiguous)(sm_warp *w, uint32_t slot, const uint8_t *host, uint32_t step)
{
    REG *d = SM_R(REG, w, slot);
    const MEM *p = (const MEM *)host;
    if (step == sizeof(MEM)) {
        EXEC_IVDEP for (uint32_t l = 0; l < SM_LANES; l++)
        {
            d[l] = VALUE(p[l]);
        }
    } else if (step == 2 * sizeof(MEM)) {
        EXEC_IVDEP for (uint32_t l = 0; l < SM_LANES; l++)
        {
            d[l] = VALUE(p[2 * l]);
        }
    } else if (step == 4 * sizeof(MEM)) {
        EXEC_IVDEP for (uint32_t l = 0; l < SM_LANES; l++)
        {
            d[l] = VALUE(p[4 * l]);
        }
    } else {
        for (uint32_t l = 0; l < SM_LANES; l++)
            d[l] = VALUE(*(const MEM *)(host + (size_t)l * step));
    }
}

/* Load one element for all lanes from the same address HOST. */
static inline void NAMED(same_address)(sm_warp *w, uint32_t slot, const uint8_t *host,
                                       uint32_t step)
{
    (void)step;
    REG *d = SM_R(REG, w, slot);
    const REG scalar_result = VALUE(*(const MEM *)host);
    for (uint32_t l = 0; l < SM_LANES; l++)
        d[l] = scalar_result;
}

/* Load one element for all lanes, row by row. HOST: where each row is. */
static inline void NAMED(rows)(sm_warp *w, uint32_t slot, uint8_t *const host[SM_ROWS],
                               bool side_by_side)
{
    REG *d = SM_R(REG, w, slot);
    for (uint32_t k = 0; k < SM_ROWS; k++, d += SM_ROW) {
        const MEM *p = (const MEM *)host[k];
        if (side_by_side) {
            EXEC_IVDEP_NO_UNROLL for (uint32_t l = 0; l < SM_ROW; l++)
            {
                d[l] = VALUE(p[l]);
            }
        } else {
            const REG scalar_result = VALUE(p[0]);
            EXEC_IVDEP_NO_UNROLL for (uint32_t l = 0; l < SM_ROW; l++)
            {
                d[l] = scalar_result;
            }
        }
    }
}

/* Load one element for the lanes in MASK into the register at SLOT. STEP: bytes of a lane's whole
 * access; SKIP: offset of the element in it. */
static void NAMED(move)(sm_warp *w, uint32_t slot, uint32_t mask, exec_request_pattern pattern,
                        const exec_host_addresses *r, uint32_t step, uint32_t skip)
{
    REG *d = SM_R(REG, w, slot);
    if (mask != SM_FULL)
        SM_EACH_LANE(l, mask)
            d[l] = VALUE(*(const MEM *)(exec_lane_host_address(pattern, r, l, step) + skip));
    else if (pattern == EXEC_PATTERN_CONTIGUOUS)
        NAMED(contiguous)(w, slot, r->host + skip, step);
    else if (pattern == EXEC_PATTERN_SAME_ADDRESS)
        NAMED(same_address)(w, slot, r->host + skip, step);
    else
        for (uint32_t l = 0; l < SM_LANES; l++)
            d[l] = VALUE(*(const MEM *)(uintptr_t)(r->at[l] + skip));
}

#ifndef WIDE
/* Load one element with one host access per lane, in lane order, so that concurrent writes are seen
 * completely or not at all (PTX ISA 8: strong operations are single-copy atomic up to 64 bits). */
static void NAMED(strong)(sm_warp *w, uint32_t slot, uint32_t mask, exec_request_pattern pattern,
                          const exec_host_addresses *r, uint32_t step, uint32_t skip)
{
    REG *d = SM_R(REG, w, slot);
    SM_EACH_LANE(l, mask) {
        const uint8_t *p = exec_lane_host_address(pattern, r, l, step) + skip;
        const MEM v = __atomic_load_n((const MEM *)p, __ATOMIC_ACQUIRE);
        d[l] = VALUE(v);
    }
}
#endif

#define HOW  EXEC_LOAD /* kind of access for access_kind.h */
#define SLOT d         /* field of sm_insn: slot of the register to load */
#include "access_kind.h"

static const sm_insn *NAMED(constant)(sm_warp *w, const sm_insn *i)
{
    return EXEC_FOR_ISA(exec_run_space)(w, i, PTX_SPACE_CONST, EXEC_LOAD, NAMED(all));
}

#undef KIND
#undef MEM
#undef REG
#undef VALUE
#undef WIDE
