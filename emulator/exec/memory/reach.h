/* Translate the addresses of a warp's lanes to host memory. Addresses are checked, counted and
 * classified by their pattern, so that adjacent data can be copied as a whole. Used by the load,
 * store and atomic handlers. */
#ifndef WARPBOOK_REACH_H
#define WARPBOOK_REACH_H

#include "../../core/observer.h"
#include "../exec.h"

typedef enum exec_access_op {
    EXEC_LOAD,    /* reads */
    EXEC_STORE,   /* writes */
    EXEC_ATOM,    /* atomic operation that returns the old value */
    EXEC_RED      /* atomic operation without a result */
} exec_access_op; /* kind of memory instruction */

typedef enum exec_request_pattern {
    EXEC_PATTERN_FAULT,        /* the launch has been stopped */
    EXEC_PATTERN_CONTIGUOUS,   /* the data of lane l is at host + l * bytes */
    EXEC_PATTERN_SAME_ADDRESS, /* all lanes access the data at `host` */
    EXEC_PATTERN_EACH_LANE /* the data of lane l is at at[l]; inactive lanes repeat the address of
                            * an active lane */
} exec_request_pattern;

typedef struct exec_host_addresses {
    uint8_t *host; /* EXEC_PATTERN_CONTIGUOUS: only the bytes from the first to the last active lane
                    * may be read */
    /* EXEC_PATTERN_EACH_LANE: host addresses of the lanes */
    uint64_t at[SM_LANES] __attribute__((aligned(64)));
} exec_host_addresses;

/* Resolve the addresses (address register + imm + BIAS) of the lanes in MASK in SPACE: global,
 * shared, const, local, or param for generic addresses of kernel parameters. */
exec_request_pattern EXEC_FOR_ISA(exec_host_addresses)(sm_warp *w, const sm_insn *i, uint32_t mask,
                                                       uint64_t bias, ptx_space space,
                                                       exec_access_op how, exec_host_addresses *r);

/* exec_resolve_device, in reach_device.c, resolves addresses in global and constant memory. */
exec_request_pattern EXEC_FOR_ISA(exec_resolve_device)(sm_warp *w, const sm_insn *i, uint32_t mask,
                                                       uint64_t bias, ptx_space space,
                                                       exec_access_op how, exec_host_addresses *r);

/* Load one word per lane from global memory, where each four lanes read one of eight rows of 16
 * bytes. False: exec_host_addresses() must be called instead, since a row is not where it should
 * be, rows do not follow one another, or the access is observed. */
enum { EXEC_ROWS = 8, EXEC_ROW_BYTES = 16 };
bool EXEC_FOR_ISA(exec_load_rows)(sm_warp *w, const sm_insn *i, const uint64_t row[EXEC_ROWS],
                                  uint32_t word[SM_LANES]);

/* The active lanes of an access with generic addresses, as one lane mask per state space. An
 * address in shared or local memory minus the start of the space's window is an offset. */
typedef struct exec_lanes_by_space {
    uint32_t global, shared, local, param; /* masks of the lanes that access each space */
} exec_lanes_by_space;
exec_lanes_by_space EXEC_FOR_ISA(exec_split_generic)(const sm_warp *w, const sm_insn *i);

/* The order in which a generic access handles the state spaces, and each window's start. */
static const ptx_space exec_generic_spaces[4] __attribute__((unused)) = {
    PTX_SPACE_GLOBAL, PTX_SPACE_SHARED, PTX_SPACE_LOCAL, PTX_SPACE_PARAM};
static const uint64_t exec_generic_window_bias[4]
    __attribute__((unused)) = {0, -SM_SHARED_WINDOW, -SM_LOCAL_WINDOW, 0};

/* Host address of lane L's access of BYTES bytes. */
static inline uint8_t *exec_lane_host_address(exec_request_pattern pattern,
                                              const exec_host_addresses *r, uint32_t l,
                                              uint32_t bytes)
{
    return pattern == EXEC_PATTERN_SAME_ADDRESS ? r->host
           : pattern == EXEC_PATTERN_CONTIGUOUS ? r->host + (size_t)l * bytes
                                                : (uint8_t *)(uintptr_t)r->at[l];
}

/* A function that executes an instruction for the lanes in MASK, their addresses resolved. */
typedef void (*exec_lanes_fn)(sm_warp *w, const sm_insn *i, uint32_t mask,
                              exec_request_pattern pattern, const exec_host_addresses *r);

/* Resolve the lanes of w->mask in SPACE and call ACT for them. */
const sm_insn *EXEC_FOR_ISA(exec_run_space)(sm_warp *w, const sm_insn *i, ptx_space space,
                                            exec_access_op how, exec_lanes_fn act);

/* Execute an access with generic addresses. The addresses in all spaces are resolved before the
 * first space is accessed, because a load may overwrite the address register. GLOBAL: called for
 * lanes in global memory; OTHER: for all other lanes. */
const sm_insn *EXEC_FOR_ISA(exec_run_generic)(sm_warp *w, const sm_insn *i, exec_access_op how,
                                              exec_lanes_fn global, exec_lanes_fn other);

/* The handlers of one form of access, by state space; NULL: not allowed in that space. */
typedef struct exec_by_space {
    sm_fn global, shared, local, constant, generic; /* handler for each state space */
} exec_by_space;
sm_fn EXEC_FOR_ISA(exec_pick_space)(const exec_by_space *f, ptx_space space);

/* Set *width to the lane width that all registers of operand O have in common; DECLARED returns
 * the width of one register. *width is 0 if there are no registers. False: the widths differ. */
bool EXEC_FOR_ISA(exec_common_lane_width)(const compile_translation *t, const ptx_operand *o,
                                          uint32_t (*declared)(const compile_translation *t,
                                                               const ptx_value *v),
                                          uint32_t *width);

/* Fill in the fields that all memory instructions share. ADDRESS: the operand in brackets. ELEMENT:
 * bytes of an element; there are in->vec of them. False: the form is not supported. */
bool EXEC_FOR_ISA(exec_set_access)(compile_translation *t, const ptx_insn *in,
                                   const ptx_operand *address, uint32_t element, sm_insn *out);

/* reach.c: report an access to SPACE at addresses AT, which have the pattern PATTERN, to the
 * observers of the block. */
void EXEC_FOR_ISA(exec_observe)(const sm_warp *w, const sm_insn *i, uint32_t mask, ptx_space space,
                                const uint64_t at[SM_LANES], exec_request_pattern pattern,
                                exec_access_op how);

/* Report a request of all lanes, for which a fast path applies, to the observers of the block.
 * Addresses in shared memory have 32 bits, in global memory 64 bits. */
void EXEC_FOR_ISA(exec_observe_fast_request)(const sm_warp *w, const sm_insn *i, ptx_space space,
                                             sm_access_layout layout, exec_access_op how);

/* access.c: find the first lane in MASK whose access is invalid and stop the launch with a message.
 * ADDRESS: addresses (shared and local: offsets) of the active lanes. */
const sm_insn *exec_stop_bad_access(sm_warp *w, const sm_insn *i, uint32_t mask,
                                    const uint64_t address[SM_LANES], ptx_space space,
                                    exec_access_op how);

/* access.c: stop the launch because lane LANE's access to ADDRESS in the cluster's shared memory
 * is invalid. Returns false. */
bool exec_stop_bad_shared_access(sm_warp *w, const sm_insn *i, uint32_t lane, uint64_t address,
                                 exec_access_op how);

#endif
