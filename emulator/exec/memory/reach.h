/* Translate the addresses of a warp's lanes to host memory. Addresses are checked, counted and
 * classified by their pattern, so that adjacent data can be copied as a whole. Used by the load,
 * store and atomic handlers. */
#ifndef WARPBOOK_REACH_H
#define WARPBOOK_REACH_H

#include "../../core/observer.h"
#include "../exec.h"

typedef enum sm_access_op {
    SM_LOAD,    /* reads */
    SM_STORE,   /* writes */
    SM_ATOM,    /* atomic operation that returns the old value */
    SM_RED      /* atomic operation without a result */
} sm_access_op; /* kind of memory instruction */

typedef enum sm_request_pattern {
    SM_PATTERN_FAULT,        /* the launch has been stopped */
    SM_PATTERN_CONTIGUOUS,   /* the data of lane l is at host + l * bytes */
    SM_PATTERN_SAME_ADDRESS, /* all lanes access the data at `host` */
    SM_PATTERN_EACH_LANE /* the data of lane l is at at[l]; inactive lanes repeat the address of an
                          * active lane */
} sm_request_pattern;

typedef struct sm_host_addresses {
    uint8_t *host; /* SM_PATTERN_CONTIGUOUS: only the bytes from the first to the last active lane
                    * may be read */
    /* SM_PATTERN_EACH_LANE: host addresses of the lanes */
    uint64_t at[SM_LANES] __attribute__((aligned(64)));
} sm_host_addresses;

/* Bits of field `mode` of loads, stores and atomics: size in bytes of a lane's whole access, and
 * flags. */
enum {
    SM_M_BYTES = 0x3f,    /* bits with the size of a lane's access */
    SM_M_ADDR32 = 0x40,   /* the address register has 32-bit lanes */
    SM_M_STRONG = 0x80,   /* volatile, relaxed, acquire, ...: one host access per element */
    SM_M_BYPASS = 0x100,  /* the access bypasses L1 */
    SM_M_GENERIC = 0x200, /* generic address: the address determines the space */
    SM_M_STORE = 0x400,   /* st instruction: its handlers have another operand layout than those
                           * of ld */
    SM_M_LANE8 = 0x800    /* st: registers have 8 bytes per lane although elements are narrower */
};

/* Resolve the addresses (address register + imm + BIAS) of the lanes in MASK in SPACE: global,
 * shared, const, local, or param for generic addresses of kernel parameters. */
sm_request_pattern SM_FOR_ISA(sm_host_addresses)(sm_warp *w, const sm_insn *i, uint32_t mask,
                                                 uint64_t bias, ptx_space space, sm_access_op how,
                                                 sm_host_addresses *r);

/* sm_resolve_device, in reach_device.c, resolves addresses in global and constant memory. */
sm_request_pattern SM_FOR_ISA(sm_resolve_device)(sm_warp *w, const sm_insn *i, uint32_t mask,
                                                 uint64_t bias, ptx_space space, sm_access_op how,
                                                 sm_host_addresses *r);

/* The active lanes of an access with generic addresses, as one lane mask per state space. An
 * address in shared or local memory minus the start of the space's window is an offset. */
typedef struct sm_lanes_by_space {
    uint32_t global, shared, local, param; /* masks of the lanes that access each space */
} sm_lanes_by_space;
sm_lanes_by_space SM_FOR_ISA(sm_split_generic)(const sm_warp *w, const sm_insn *i);

/* The order in which a generic access handles the state spaces, and the start of each space's
 * window. */
static const ptx_space sm_generic_spaces[4] __attribute__((unused)) = {
    PTX_SPACE_GLOBAL, PTX_SPACE_SHARED, PTX_SPACE_LOCAL, PTX_SPACE_PARAM};
static const uint64_t sm_generic_window_bias[4]
    __attribute__((unused)) = {0, -SM_SHARED_WINDOW, -SM_LOCAL_WINDOW, 0};

/* Host address of lane L's access of BYTES bytes. */
static inline uint8_t *sm_lane_host_address(sm_request_pattern pattern, const sm_host_addresses *r,
                                            uint32_t l, uint32_t bytes)
{
    return pattern == SM_PATTERN_SAME_ADDRESS ? r->host
           : pattern == SM_PATTERN_CONTIGUOUS ? r->host + (size_t)l * bytes
                                              : (uint8_t *)(uintptr_t)r->at[l];
}

/* Type of a function that executes an instruction for the lanes in MASK, whose addresses have been
 * resolved. */
typedef void (*sm_lanes_fn)(sm_warp *w, const sm_insn *i, uint32_t mask, sm_request_pattern pattern,
                            const sm_host_addresses *r);

/* Resolve the lanes of w->mask in SPACE and call ACT for them. */
const sm_insn *SM_FOR_ISA(sm_run_space)(sm_warp *w, const sm_insn *i, ptx_space space,
                                        sm_access_op how, sm_lanes_fn act);

/* Execute an access with generic addresses. The addresses in all spaces are resolved before the
 * first space is accessed, because a load may overwrite the address register. GLOBAL: called for
 * lanes in global memory; OTHER: for all other lanes. */
const sm_insn *SM_FOR_ISA(sm_run_generic)(sm_warp *w, const sm_insn *i, sm_access_op how,
                                          sm_lanes_fn global, sm_lanes_fn other);

/* The handlers of one form of access, by state space; NULL: not allowed in that space. */
typedef struct sm_by_space {
    sm_fn global, shared, local, constant, generic; /* handler for each state space */
} sm_by_space;
sm_fn SM_FOR_ISA(sm_pick_space)(const sm_by_space *f, ptx_space space);

/* Set *width to the lane width that all registers of operand O have in common; DECLARED returns
 * the width of one register. *width is 0 if there are no registers. False: the widths differ. */
bool SM_FOR_ISA(sm_common_lane_width)(const sm_translation *t, const ptx_operand *o,
                                      uint32_t (*declared)(const sm_translation *t,
                                                           const ptx_value *v),
                                      uint32_t *width);

/* Fill in the fields that all memory instructions share. ADDRESS: the operand in brackets. ELEMENT:
 * bytes of an element; there are in->vec of them. False: the form is not supported. */
bool SM_FOR_ISA(sm_set_access)(sm_translation *t, const ptx_insn *in, const ptx_operand *address,
                               uint32_t element, sm_insn *out);

/* reach.c: report an access to SPACE at addresses AT, which have the pattern PATTERN, to the
 * observers of the block. */
void SM_FOR_ISA(sm_observe)(const sm_warp *w, const sm_insn *i, uint32_t mask, ptx_space space,
                            const uint64_t at[SM_LANES], sm_request_pattern pattern,
                            sm_access_op how);

/* Report a request of all lanes, for which a fast path applies, to the observers of the block.
 * Addresses in shared memory have 32 bits, in global memory 64 bits. */
void SM_FOR_ISA(sm_observe_fast_request)(const sm_warp *w, const sm_insn *i, ptx_space space,
                                         sm_access_layout layout, sm_access_op how);

/* access.c: find the first lane in MASK whose access is invalid and stop the launch with a message.
 * ADDRESS: addresses (shared and local: offsets) of the active lanes. */
const sm_insn *sm_stop_bad_access(sm_warp *w, const sm_insn *i, uint32_t mask,
                                  const uint64_t address[SM_LANES], ptx_space space,
                                  sm_access_op how);

/* access.c: stop the launch because lane LANE's access to ADDRESS in the cluster's shared memory
 * is invalid. Returns false. */
bool sm_stop_bad_shared_access(sm_warp *w, const sm_insn *i, uint32_t lane, uint64_t address,
                               sm_access_op how);

#endif
