/* Template for the handlers of one kind of store. store.c includes it for each kind, with KIND (its
 * name), MEM (type in memory) and REG (type of a register's lane) defined, and WIDE if no host
 * access is as wide as MEM. Included several times, so it has no include guard. */

/* Store one element of all lanes from the register at SLOT. The element of lane l goes to HOST + l
 * * STEP. */
static inline void NAMED(contiguous)(sm_warp *w, uint32_t slot, uint8_t *host, uint32_t step)
{
    const REG *s = SM_R(const REG, w, slot);
    MEM *p = (MEM *)host;
    if (step == sizeof(MEM)) {
        EXEC_IVDEP for (uint32_t l = 0; l < SM_LANES; l++)
        {
            p[l] = s[l];
        }
        return;
    }
    for (uint32_t l = 0; l < SM_LANES; l++)
        *(MEM *)(host + (size_t)l * step) = s[l];
}

/* Store one element of all lanes to the same address HOST. */
static inline void NAMED(same_address)(sm_warp *w, uint32_t slot, uint8_t *host,
                                       uint32_t trial_step)
{
    *(MEM *)host = SM_R(const REG, w, slot)[SM_LANES - lanes_at_a_time(trial_step)];
}

/* Store one element of all lanes, row by row. HOST: where each row is. */
static inline void NAMED(rows)(sm_warp *w, uint32_t slot, uint8_t *const host[SM_ROWS],
                               bool side_by_side)
{
    const REG *s = SM_R(const REG, w, slot);
    for (uint32_t n = 0; n < SM_ROWS; n++) {
        const uint32_t k = n ^ (lanes_at_a_time(sizeof(MEM)) / SM_ROW - 1);
        MEM *p = (MEM *)host[k];
        if (!side_by_side) {
            *p = s[k * SM_ROW];
            continue;
        }
        EXEC_IVDEP_NO_UNROLL for (uint32_t l = 0; l < SM_ROW; l++)
        {
            p[l] = s[k * SM_ROW + l];
        }
    }
}

/* Store one element of the lanes in MASK from the register at SLOT. STEP: bytes of a lane's whole
 * access; SKIP: offset of the element in it. */
static void NAMED(move)(sm_warp *w, uint32_t slot, uint32_t mask, exec_request_pattern pattern,
                        const exec_host_addresses *r, uint32_t step, uint32_t skip)
{
    const REG *s = SM_R(const REG, w, slot);
    if (mask != SM_FULL) {
        const uint32_t lanes = lanes_at_a_time(step);
        for (uint32_t rest = mask, now; rest; rest &= ~now) {
            now = first_store_group(rest, lanes);
            for (uint32_t m = now; m;) {
                const uint32_t l = 31 - (uint32_t)__builtin_clz(m);
                *(MEM *)(exec_lane_host_address(pattern, r, l, step) + skip) = s[l];
                m ^= 1u << l;
            }
        }
    } else if (pattern == EXEC_PATTERN_CONTIGUOUS) {
        NAMED(contiguous)(w, slot, r->host + skip, step);
    } else if (pattern == EXEC_PATTERN_SAME_ADDRESS) {
        NAMED(same_address)(w, slot, r->host + skip, step);
    } else {
        const uint32_t last = lanes_at_a_time(step) - 1;
        for (uint32_t k = 0; k < SM_LANES; k++) {
            const uint32_t l = k ^ last;
            *(MEM *)(uintptr_t)(r->at[l] + skip) = s[l];
        }
    }
}

#ifndef WIDE
/* Store one element with one host access per lane (strong stores). */
static void NAMED(strong)(sm_warp *w, uint32_t slot, uint32_t mask, exec_request_pattern pattern,
                          const exec_host_addresses *r, uint32_t step, uint32_t skip)
{
    const REG *s = SM_R(const REG, w, slot);
    for (uint32_t rest = mask, now; rest; rest &= ~now) {
        now = first_store_group(rest, lanes_at_a_time(step));
        for (uint32_t m = now; m;) {
            const uint32_t l = 31 - (uint32_t)__builtin_clz(m);
            MEM *p = (MEM *)(exec_lane_host_address(pattern, r, l, step) + skip);
            __atomic_store_n(p, s[l], __ATOMIC_RELEASE);
            m ^= 1u << l;
        }
    }
}
#endif

#define HOW  EXEC_STORE /* kind of access for access_kind.h */
#define SLOT b          /* field of sm_insn: slot of the register to store */
#include "access_kind.h"

#undef KIND
#undef MEM
#undef REG
#undef WIDE
