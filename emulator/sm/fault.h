/* Stopping a launch with a fault, and access to memory by generic addresses. */
#ifndef WARPBOOK_FAULT_H
#define WARPBOOK_FAULT_H

#include "../core/warp.h"

#include <pthread.h>
#include <stdatomic.h>

struct sm_fault_box {
    pthread_mutex_t lock; /* protects `fault` while it is filled in */
    atomic_bool set;      /* a fault has stopped the launch */
    sm_fault fault;       /* the first fault */
};

static inline bool sm_has_faulted(const sm_grid *g)
{
    return atomic_load_explicit(&g->fault->set, memory_order_relaxed);
}

/* Stop the grid for a reason that belongs to no instruction, such as a deadlock or lack of memory.
 * TEXT is the whole message. */
void sm_stop_grid(const sm_grid *g, const sm_block *b, sm_fault_kind kind, const char *text);

/* Stop the launch with a fault at instruction I, in the first lane of LANES. FORMAT makes the first
 * sentence of the message; source line, thread and block are appended. Returns NULL, so that a
 * handler can write `return sm_stop_launch(...)`. */
const sm_insn *sm_stop_launch(sm_warp *w, const sm_insn *i, sm_fault_kind kind, uint32_t lanes,
                              uint64_t address, uint32_t size, ptx_space space, const char *format,
                              ...) __attribute__((format(printf, 8, 9)));

/* Host pointer to the SIZE bytes that lane LANE accesses through a generic address, in shared,
 * local, parameter, global or constant memory; NULL unless all bytes are valid. */
void *sm_host_pointer_of_generic(const sm_warp *w, uint32_t lane, uint64_t address, uint64_t size);

#endif
