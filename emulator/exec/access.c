/* Finds why a memory access is invalid, and stops the launch with a message that explains it. */
#include "../sm/array_name.h"
#include "../sm/cluster.h"
#include "../sm/fault.h"
#include "memory/reach.h"

#include <stdio.h>

static const char *access_verb(exec_access_op how)
{
    return how == EXEC_LOAD ? "reads" : how == EXEC_STORE ? "writes" : "updates";
}

static const char *byte_or_bytes(uint64_t n)
{
    return n == 1 ? "byte" : "bytes";
}

static const sm_insn *stop_misaligned(sm_warp *w, const sm_insn *i, uint32_t lane, uint64_t address,
                                      uint32_t bytes, ptx_space space, exec_access_op how)
{
    const char *in = space == PTX_SPACE_SHARED  ? " of shared memory"
                     : space == PTX_SPACE_LOCAL ? " of local memory"
                                                : "";
    return sm_stop_launch(w, i, SM_FAULT_MISALIGNED, 1u << lane, address, bytes, space,
                          "misaligned address: %s %u bytes at 0x%llx%s, which is no multiple of %u",
                          access_verb(how), bytes, (unsigned long long)address, in, bytes);
}

/* Stop the launch because an access at OFFSET does not fit in memory of SIZE bytes: the block's
 * shared memory, the thread's local memory or the kernel's parameters. */
static const sm_insn *stop_out_of_bounds(sm_warp *w, const sm_insn *i, uint32_t lane,
                                         uint64_t offset, uint32_t bytes, ptx_space space,
                                         exec_access_op how, uint64_t size, const char *what)
{
    const uint32_t only = 1u << lane;
    const int64_t before = (int64_t)offset;
    if (size == 0) {
        return sm_stop_launch(w, i, SM_FAULT_ADDRESS, only, offset, bytes, space,
                              "%s %u %s of %s, which has none", access_verb(how), bytes,
                              byte_or_bytes(bytes), what);
    }
    if (before < 0 || (space == PTX_SPACE_SHARED && (int32_t)offset < 0)) {
        const long long ahead =
            space == PTX_SPACE_SHARED ? -(long long)(int32_t)offset : -(long long)before;
        return sm_stop_launch(w, i, SM_FAULT_ADDRESS, only, offset, bytes, space,
                              "%s %u %s that begin %lld bytes before %s", access_verb(how), bytes,
                              byte_or_bytes(bytes), ahead, what);
    }
    char place[SM_ARRAY_NAME_BYTES];
    snprintf(place, sizeof place, "offset %llu", (unsigned long long)offset);
    if (space == PTX_SPACE_SHARED)
        sm_shared_name(w->block->grid, offset, place, sizeof place);
    if (offset < size) {
        return sm_stop_launch(
            w, i, SM_FAULT_ADDRESS, only, offset, bytes, space,
            "%s %u %s at %s: the last %llu lie past the end of %s, which has %llu bytes",
            access_verb(how), bytes, byte_or_bytes(bytes), place,
            (unsigned long long)(offset + bytes - size), what, (unsigned long long)size);
    }
    return sm_stop_launch(w, i, SM_FAULT_ADDRESS, only, offset, bytes, space,
                          "%s %u %s that begin %llu bytes past the end of %s, which has %llu "
                          "bytes: %s",
                          access_verb(how), bytes, byte_or_bytes(bytes),
                          (unsigned long long)(offset - size), what, (unsigned long long)size,
                          place);
}

static const sm_insn *stop_device_access(sm_warp *w, const sm_insn *i, uint32_t lane,
                                         uint64_t address, uint32_t bytes, ptx_space space,
                                         exec_access_op how, const mem_range *h)
{
    const uint32_t only = 1u << lane;
    const unsigned long long at = address;
    char where[400];
    const uint64_t window = address & SM_WINDOW_MASK;
    if (h && space == PTX_SPACE_CONST && h->kind != MEM_CONSTANT) {
        return sm_stop_launch(w, i, SM_FAULT_ADDRESS, only, address, bytes, space,
                              "ld.const reads 0x%llx, which is not constant memory", at);
    }
    if (window == SM_SHARED_WINDOW || window == SM_LOCAL_WINDOW) {
        return sm_stop_launch(
            w, i, SM_FAULT_ADDRESS, only, address, bytes, space,
            "an instruction for global memory %s %s memory (generic address 0x%llx)",
            access_verb(how), window == SM_SHARED_WINDOW ? "shared" : "local", at);
    }
    const uint32_t element = ptx_type_bytes(sm_site_insn(w, i)->type[0]);
    uint64_t meant = address;
    const mem_range *r = mem_find_of_overflowed_index(w->worker->grid->map, element, &meant);
    if (r) {
        mem_describe(meant, element, where, sizeof where);
        return sm_stop_launch(
            w, i, SM_FAULT_ADDRESS, only, address, bytes, space,
            "%s %u %s at 0x%llx: the index has overflowed an int: this is %llu times 2^32 elements "
            "of %u %s before element %llu %s",
            access_verb(how), bytes, byte_or_bytes(bytes), at,
            (unsigned long long)((meant - address) / element >> 32), element,
            byte_or_bytes(element), (unsigned long long)((meant - r->base) / element), where);
    }
    mem_describe(address, bytes, where, sizeof where);
    return sm_stop_launch(w, i, SM_FAULT_ADDRESS, only, address, bytes, space,
                          "%s %u %s at 0x%llx: %s", access_verb(how), bytes, byte_or_bytes(bytes),
                          at, where);
}

const sm_insn *exec_stop_bad_access(sm_warp *w, const sm_insn *i, uint32_t mask,
                                    const uint64_t address[SM_LANES], ptx_space space,
                                    exec_access_op how)
{
    const uint32_t bytes = i->mode & SM_M_BYTES;
    SM_EACH_LANE(l, mask) {
        const uint64_t at = address[l];
        if (space == PTX_SPACE_SHARED || space == PTX_SPACE_LOCAL) {
            const bool shared = space == PTX_SPACE_SHARED;
            const uint64_t size = shared ? w->block->shared_bytes : w->local_stride;
            if (at > size || size - at < bytes) {
                return stop_out_of_bounds(w, i, l, at, bytes, space, how, size,
                                          shared ? "the block's shared memory"
                                                 : "the thread's local memory");
            }
            if (at % bytes)
                return stop_misaligned(w, i, l, at, bytes, space, how);
            continue;
        }
        if (space == PTX_SPACE_PARAM) {
            if (how != EXEC_LOAD) {
                return sm_stop_launch(w, i, SM_FAULT_ADDRESS, 1u << l, at, bytes, space,
                                      "%s a kernel parameter: kernels may only read them",
                                      access_verb(how));
            }
            if (!sm_host_pointer_of_generic(w, l, at, bytes)) {
                return sm_stop_launch(w, i, SM_FAULT_ADDRESS, 1u << l, at, bytes, space,
                                      "reads %u %s past the kernel's parameters", bytes,
                                      byte_or_bytes(bytes));
            }
            if (at % bytes)
                return stop_misaligned(w, i, l, at, bytes, space, how);
            continue;
        }
        const mem_range *h = mem_find_in_snapshot(w->worker->grid->map, at);
        if (!h || h->size - (at - h->base) < bytes ||
            (space == PTX_SPACE_CONST && h->kind != MEM_CONSTANT) ||
            (h->read_only && how != EXEC_LOAD))
            return stop_device_access(w, i, l, at, bytes, space, how, h);
        if (at % bytes)
            return stop_misaligned(w, i, l, at, bytes, space, how);
    }
    return sm_stop_launch(
        w, i, SM_FAULT_ILLEGAL, mask, address[__builtin_ctz(mask)], bytes, space,
        "internal error: the bounds check rejected a valid access; please report this");
}

bool exec_stop_bad_shared_access(sm_warp *w, const sm_insn *i, uint32_t lane, uint64_t address,
                                 exec_access_op how)
{
    const uint32_t bytes = i->mode & SM_M_BYTES;
    uint64_t at[SM_LANES] = {0}, offset;
    at[lane] = address - w->block->shared_base;
    if (w->block->cluster->count == 1 || address >> SM_RANK_SHIFT == w->block->rank)
        exec_stop_bad_access(w, i, 1u << lane, at, PTX_SPACE_SHARED, how);
    else if (!sm_cluster_find_block(w->block, address, bytes, &offset))
        sm_stop_bad_cluster_address(w, i, lane, address, bytes, access_verb(how));
    else
        stop_misaligned(w, i, lane, offset, bytes, PTX_SPACE_SHARED, how);
    return false;
}
