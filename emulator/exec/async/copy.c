/* cp.async from global to shared memory (PTX ISA 9.7.9.25.3). The ISA allows a copy to complete
 * at any time before a wait. In the emulator it reads when it is issued and writes at the wait:
 * sm/async/copies.h. Also cache hints for L2, which have no effect on results. */
#include "../../compile/compile.h"
#include "../../observe/observe.h"
#include "../../ptx/traits.h"
#include "../../sm/async/copies.h"
#include "../../sm/fault.h"
#include "../lanes.h"
#include "../memory/reach.h"

typedef struct async_copy {
    sm_insn from;   /* the instruction as a load from global memory */
    sm_insn to;     /* the instruction as a store to shared memory */
    uint32_t bytes; /* bytes that the instruction writes per lane */
    uint32_t size;  /* position, in the register window, of the operand src-size or ignore-src */
    bool has_size;  /* the instruction has an operand src-size or ignore-src */
    bool predicate; /* the operand is ignore-src, a predicate */
} async_copy;

/* The bytes that each lane reads from global memory; the rest of its copy is zeros. */
static void read_sizes(const sm_warp *w, const async_copy *c, uint32_t size[SM_LANES])
{
    for (uint32_t l = 0; l < SM_LANES; l++) {
        size[l] = c->bytes;
        if (c->predicate) {
            size[l] = SM_P(w, c->size) >> l & 1 ? 0 : c->bytes;
        } else if (c->has_size) {
            const uint32_t n = SM_R(const uint32_t, w, c->size)[l];
            size[l] = n < c->bytes ? n : c->bytes;
        }
    }
}

/* Read the first SIZE bytes of a lane's copy one at a time, because the bytes after them need
 * not be allocated. False: the launch has been stopped. */
static bool read_partial_copy(sm_warp *w, const async_copy *c, uint32_t lane, uint32_t size,
                              uint8_t *to)
{
    sm_insn byte = c->from;
    byte.mode = (uint16_t)((byte.mode & ~SM_M_BYTES) | 1);
    for (uint32_t k = 0; k < size; k++, byte.imm++) {
        exec_host_addresses r;
        const exec_request_pattern pattern = EXEC_FOR_ISA(exec_host_addresses)(
            w, &byte, 1u << lane, 0, PTX_SPACE_GLOBAL, EXEC_LOAD, &r);
        if (pattern == EXEC_PATTERN_FAULT)
            return false;
        to[k] = *exec_lane_host_address(pattern, &r, lane, 1);
    }
    return true;
}

/* Record in TO from where each lane of C reads its first SIZE[lane] bytes. */
static void record_copy_sources(const sm_warp *w, const async_copy *c,
                                const uint32_t size[SM_LANES], sm_copy *to)
{
    const bool narrow = c->from.mode & SM_M_ADDR32;
    to->from_low = UINT64_MAX;
    EXEC_EACH_LANE(w->mask) {
        const uint64_t at = narrow ? SM_R(const uint32_t, w, c->from.a)[l] + (uint32_t)c->from.imm
                                   : SM_R(const uint64_t, w, c->from.a)[l] + c->from.imm;
        to->from[l] = at;
        to->from_bytes[l] = (uint8_t)size[l];
        to->from_low = at < to->from_low ? at : to->from_low;
        to->from_high = at + size[l] > to->from_high ? at + size[l] : to->from_high;
    }
}

/* Queue a copy: when a thread waits for the copy, DATA is written to the host addresses in R. */
static bool queue_copy(sm_warp *w, const sm_insn *i, uint32_t bytes, const uint32_t size[SM_LANES],
                       exec_request_pattern pattern, const exec_host_addresses *r,
                       uint8_t data[SM_LANES][16])
{
    const sm_block *b = w->block;
    sm_copy *added = sm_copies_add(w, i, bytes);
    EXEC_EACH_LANE(added ? w->mask : 0) {
        added->offset[l] = (uint64_t)(exec_lane_host_address(pattern, r, l, bytes) - b->shared);
        if (added->offset[l] >= b->shared_bytes) {
            sm_stop_launch(
                w, i, SM_FAULT_ADDRESS, 1u << l, 0, bytes, PTX_SPACE_SHARED,
                "cp.async writes to the shared memory of another block of the cluster, and only "
                "cp.async.bulk does that");
            return false;
        }
    }
    if (added) {
        added->lanes = w->mask;
        memcpy(added->data, data, sizeof added->data);
        if (b->observed)
            record_copy_sources(w, i->extra, size, added);
    }
    return added != NULL;
}

static const sm_insn *copy_async(sm_warp *w, const sm_insn *i)
{
    const async_copy *c = i->extra;
    uint32_t size[SM_LANES];
    uint8_t data[SM_LANES][16] = {{0}};
    uint32_t whole = 0;
    read_sizes(w, c, size);
    EXEC_EACH_LANE(w->mask) {
        whole |= (uint32_t)(size[l] == c->bytes) << l;
        if (size[l] < c->bytes && !read_partial_copy(w, c, l, size[l], data[l]))
            return NULL;
    }
    exec_host_addresses r;
    exec_request_pattern pattern;
    if (whole) {
        pattern = EXEC_FOR_ISA(exec_host_addresses)(w, &c->from, whole, 0, PTX_SPACE_GLOBAL,
                                                    EXEC_LOAD, &r);
        if (pattern == EXEC_PATTERN_FAULT)
            return NULL;
        EXEC_EACH_LANE(whole)
            memcpy(data[l], exec_lane_host_address(pattern, &r, l, c->bytes), c->bytes);
    }
    pattern =
        EXEC_FOR_ISA(exec_host_addresses)(w, &c->to, w->mask, 0, PTX_SPACE_SHARED, EXEC_STORE, &r);
    if (pattern == EXEC_PATTERN_FAULT)
        return NULL;
    return queue_copy(w, i, c->bytes, size, pattern, &r, data) ? i + 1 : NULL;
}

/* Fill in VIEW: instruction OUT as a load or as a store, with operand K as its address and SLOT as
 * the position of its data. */
static bool instruction_as_access(compile_translation *t, const ptx_insn *in, unsigned k,
                                  uint32_t slot, uint32_t bytes, const sm_insn *out, sm_insn *view)
{
    *view = *out;
    view->a = slot;
    view->imm = (uint64_t)in->opd[k].v[0].offset;
    return EXEC_FOR_ISA(exec_set_access)(t, in, &in->opd[k], bytes, view);
}

EXEC_SELECT(cp_async)
{
    const ptx_value *n = exec_operand_value(in, 2);
    if (in->operand_count < 3 || !n || n->kind != PTX_VAL_IMM ||
        (n->imm != 4 && n->imm != 8 && n->imm != 16))
        return NULL;
    async_copy c = {.bytes = (uint32_t)n->imm};
    /* With .L2::cache_hint, the last operand is a cache policy. */
    const unsigned given =
        in->operand_count - (ptx_has_modifier(in, PTX_MOD_L2_cache_hint) ? 1 : 0);
    if (given > 3) {
        const ptx_value *v = exec_operand_value(in, 3);
        c.has_size = true;
        c.predicate = v->kind == PTX_VAL_REG && t->func->regs[v->reg].type == PTX_pred;
        c.size = compile_slot_of_value(t, v, 4);
    }
    if (!instruction_as_access(t, in, 1, out->b, c.bytes, out, &c.from) ||
        !instruction_as_access(t, in, 0, out->a, c.bytes, out, &c.to))
        return NULL;
    /* The per-instruction statistics hold the load only. The store is added directly to the
     * counters of the launch, as for a generic access. */
    c.to.mode |= SM_M_GENERIC;
    return exec_fn_with_form(t, out, copy_async, &c, sizeof c);
}

EXEC_FN(commit)
{
    sm_copies_commit(w);
    return i + 1;
}

EXEC_SELECT(cp_async_commit)
{
    return commit;
}

EXEC_FN(wait_groups)
{
    return sm_copies_complete_groups(w, SM_R(const uint32_t, w, i->a)) ? i + 1 : NULL;
}

EXEC_FN(wait_all)
{
    static const uint32_t none[SM_LANES];
    sm_copies_commit(w);
    return sm_copies_complete_groups(w, none) ? i + 1 : NULL;
}

EXEC_SELECT(cp_async_wait)
{
    return in->operand_count > 0 ? wait_groups : wait_all;
}

static const sm_insn *skip_instruction(sm_warp *w, const sm_insn *i)
{
    (void)w;
    return i + 1;
}

/* griddepcontrol: kernels do not overlap, but observers are told where they may. */
static const sm_insn *control_grid_dependency(sm_warp *w, const sm_insn *i)
{
    if (w->block->observed)
        observe_fence(w, i);
    return i + 1;
}

/* Instructions without effect: applypriority, discard and setmaxnreg, which are hints. */
EXEC_SELECT(no_effect)
{
    const ptx_sync sync = ptx_traits_of(in)->sync;
    return sync == PTX_SYNC_admits || sync == PTX_SYNC_depends ? control_grid_dependency
                                                               : skip_instruction;
}

/* createpolicy: the cache policy is an opaque value that only hints use. */
EXEC_FN(no_policy)
{
    EXEC_LANES_DO(w, uint64_t, SM_R(uint64_t, w, i->d), 0);
    return i + 1;
}

EXEC_SELECT(createpolicy)
{
    return no_policy;
}
