/* From the addresses of a warp's lanes to host memory: checked, counted, and told apart by shape,
 * so that what runs side by side is moved as one piece. Inside the SM: the load, store and atomic
 * handlers (load.c, store.c, atomic.c), and reach.c that does it. */
#ifndef WARPBOOK_REACH_H
#define WARPBOOK_REACH_H

#include "../exec.h"

typedef enum sm_how { SM_LOAD, SM_STORE, SM_ATOM, SM_RED } sm_how;

typedef enum sm_shape {
    SM_SHAPE_FAULT, /* the launch has been stopped */
    SM_SHAPE_RUN,   /* lane l at host + l * bytes */
    SM_SHAPE_SAME,  /* every lane at host */
    SM_SHAPE_EACH   /* lane l at at[l]; lanes that are not active point where an active one does */
} sm_shape;

typedef struct sm_reach {
    uint8_t *host; /* RUN: only bytes of active lanes and of those between them may be read */
    uint64_t at[SM_LANES] __attribute__((aligned(64))); /* EACH: host addresses */
} sm_reach;

/* sm_insn.mode of loads, stores and atomics: bytes of a lane's whole access, and flags. */
enum {
    SM_M_BYTES = 0x3f,
    SM_M_ADDR32 = 0x40,   /* the address register has 32-bit lanes */
    SM_M_STRONG = 0x80,   /* volatile, relaxed and so on: one host access an element */
    SM_M_BYPASS = 0x100,  /* not served by L1 */
    SM_M_GENERIC = 0x200, /* the address says which space */
    SM_M_STORE = 0x400,   /* st, with the operands of its handlers, */
    SM_M_LANE8 = 0x800 /* whose registers have 8 bytes a lane, though its elements are narrower */
};

/* Lanes of MASK access address register + imm + BIAS, as SPACE (global, shared, const, local; param
 * for generic addresses of kernel parameters). */
sm_shape SM_LEVEL(sm_reach)(sm_warp *w, const sm_insn *i, uint32_t mask, uint64_t bias,
                            ptx_space space, sm_how how, sm_reach *r);

/* reach_device.c: the same for global and constant memory. */
sm_shape SM_LEVEL(sm_reach_device)(sm_warp *w, const sm_insn *i, uint32_t mask, uint64_t bias,
                                   ptx_space space, sm_how how, sm_reach *r);

/* Generic addresses: the active lanes by space. Minus the space's window an address of shared or
 * local memory is an offset in it. */
typedef struct sm_parts {
    uint32_t global, shared, local, param;
} sm_parts;
sm_parts SM_LEVEL(sm_split_generic)(const sm_warp *w, const sm_insn *i);

/* Order of the parts of a generic access, and what turns their addresses into the space's. */
static const ptx_space sm_window_space[4] __attribute__((unused)) = {
    PTX_SPACE_GLOBAL, PTX_SPACE_SHARED, PTX_SPACE_LOCAL, PTX_SPACE_PARAM};
static const uint64_t sm_window_bias[4]
    __attribute__((unused)) = {0, -SM_SHARED_WINDOW, -SM_LOCAL_WINDOW, 0};

/* Where lane L's access of BYTES begins. */
static inline uint8_t *sm_lane_at(sm_shape shape, const sm_reach *r, uint32_t l, uint32_t bytes)
{
    return shape == SM_SHAPE_SAME  ? r->host
           : shape == SM_SHAPE_RUN ? r->host + (size_t)l * bytes
                                   : (uint8_t *)(uintptr_t)r->at[l];
}

/* What an instruction does to the lanes of MASK, which have been resolved. */
typedef void (*sm_lanes_fn)(sm_warp *w, const sm_insn *i, uint32_t mask, sm_shape shape,
                            const sm_reach *r);

/* Resolve the lanes of w->mask in SPACE, and ACT on them. */
const sm_insn *SM_LEVEL(sm_run_space)(sm_warp *w, const sm_insn *i, ptx_space space, sm_how how,
                                      sm_lanes_fn act);

/* An access with generic addresses: every part is resolved before any is made, as a later part must
 * not see what an earlier one put into the address register. GLOBAL: for lanes in global memory;
 * OTHER: in all other memory. */
const sm_insn *SM_LEVEL(sm_run_generic)(sm_warp *w, const sm_insn *i, sm_how how,
                                        sm_lanes_fn global, sm_lanes_fn other);

/* The handlers of one form of access, by space; NULL where there is none. */
typedef struct sm_by_space {
    sm_fn global, shared, local, constant, generic;
} sm_by_space;
sm_fn SM_LEVEL(sm_pick_space)(const sm_by_space *f, ptx_space space);

/* The lane width that fits all registers of operand O, which DECLARED tells of each; 0: there are
 * no registers. False: they differ. */
bool SM_LEVEL(sm_one_width)(const sm_translation *t, const ptx_operand *o,
                            uint32_t (*declared)(const sm_translation *t, const ptx_value *v),
                            uint32_t *width);

/* Fill in what all memory instructions share, ADDRESS being the operand in brackets. ELEMENT bytes,
 * in->vec of them. False when the form is not there. */
bool SM_LEVEL(sm_set_access)(sm_translation *t, const ptx_insn *in, const ptx_operand *address,
                             uint32_t element, sm_insn *out);

/* reach.c: tell the observers of the block of an access to SPACE, at addresses AT. */
void SM_LEVEL(sm_observe)(const sm_warp *w, const sm_insn *i, uint32_t mask, ptx_space space,
                          const uint64_t at[SM_LANES], sm_how how);

/* access.c: find the first lane of MASK that may not do this and stop the launch. ADDRESS holds
 * the addresses (offsets for shared and local) of the active lanes. */
const sm_insn *sm_access_fault(sm_warp *w, const sm_insn *i, uint32_t mask,
                               const uint64_t address[SM_LANES], ptx_space space, sm_how how);

/* Likewise of one lane's access to shared memory at ADDRESS, of the cluster's. Returns false. */
bool sm_shared_fault(sm_warp *w, const sm_insn *i, uint32_t lane, uint64_t address, sm_how how);

#endif
