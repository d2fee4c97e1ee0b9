/* Copies of boxes of tensors (PTX ISA 9.7.9.25.5.2 to 9.7.9.25.5.4): cp.async.bulk.tensor, its
 * reductions and the prefetch. Operands are checked at issue; sm/async/flight.h says when a copy is
 * executed, sm/async/box.h what it does. */
#include "../../observe/observe.h"
#include "../../sm/async/box.h"
#include "../../sm/fault.h"
#include "bulk.h"

typedef struct tensor_copy {
    exec_address_operand map;                    /* address of the tensor map */
    exec_address_operand shared;                 /* address in shared memory */
    exec_address_operand bar;                    /* address of the mbarrier */
    uint32_t rank;                               /* dimensions of the tensor */
    uint32_t at[MEM_MAX_TENSOR_DIMS], offset[3]; /* positions, in the register window, of the
                                                    coordinates and of the im2col offsets */
    uint32_t mask; /* position, in the register window, of the multicast mask; 0: not a multicast */
    bool to_global;                       /* the copy goes to global memory */
    bool im2col;                          /* the copy has mode im2col */
    bool hint;                            /* a prefetch: nothing is copied */
    bool own;                             /* .shared::cta: the address must be the block's own */
    bool reduces;                         /* cp.reduce: combine with the destination */
    sm_combine combine[MEM_TENSOR_TYPES]; /* [element type of the map]; NULL: none */
} tensor_copy;

/* --- reading the tensor map ------------------------------------------------------------------- */

static const char *insn_text(const sm_warp *w, const sm_insn *i)
{
    return ptx_op_name(sm_site_insn(w, i)->op);
}

static bool stop_tensor_copy(sm_warp *w, const sm_insn *i, uint32_t l, sm_fault_kind kind,
                             uint64_t address, const char *what)
{
    sm_stop_launch(w, i, kind, 1u << l, address, MEM_TENSOR_MAP_BYTES, PTX_SPACE_NONE, "%s: %s",
                   insn_text(w, i), what);
    return false;
}

/* Read the tensor map at ADDRESS. False: there is none, and the launch is stopped. */
static bool read_tensor_map(sm_warp *w, const sm_insn *i, uint32_t l, uint64_t address,
                            mem_tensor_map *map)
{
    char text[300];
    const uint64_t window = address & SM_WINDOW_MASK;
    if (window == SM_SHARED_WINDOW || window == SM_LOCAL_WINDOW) {
        snprintf(
            text, sizeof text,
            "the tensor map is in %s memory, where the copy unit of the GPU does not read it: pass "
            "it "
            "as a `const __grid_constant__ CUtensorMap` parameter, and use the parameter itself "
            "(a copy of it in a variable is local)",
            window == SM_SHARED_WINDOW ? "shared" : "local");
        return stop_tensor_copy(w, i, l, SM_FAULT_ADDRESS, address, text);
    }
    if (!EXEC_FOR_ISA(exec_bulk_aligned)(w, i, l, "address of the tensor map", address, 64))
        return false;
    const void *host = sm_host_pointer_of_generic(w, l, address, MEM_TENSOR_MAP_BYTES);
    if (!host) {
        char where[200];
        mem_describe(address, MEM_TENSOR_MAP_BYTES, where, sizeof where);
        snprintf(text, sizeof text, "reads a tensor map at 0x%llx: %s", (unsigned long long)address,
                 where);
        return stop_tensor_copy(w, i, l, SM_FAULT_ADDRESS, address, text);
    }
    memcpy(map, host, sizeof *map);
    if (!sm_box_is_valid(map)) {
        snprintf(
            text, sizeof text,
            "there is no tensor map at 0x%llx: cuTensorMapEncodeTiled() makes one, on the host; "
            "was its result CUDA_SUCCESS, and did these 128 bytes reach the kernel?",
            (unsigned long long)address);
        return stop_tensor_copy(w, i, l, SM_FAULT_ILLEGAL, address, text);
    }
    return true;
}

static bool fits_tensor_map(sm_warp *w, const sm_insn *i, uint32_t l, uint64_t address,
                            const tensor_copy *c, const mem_tensor_map *map)
{
    char text[300];
    if (map->rank != c->rank) {
        snprintf(
            text, sizeof text,
            "%u coordinates for a tensor map of %u dimension%s: the instruction's .%ud must be "
            "the rank that was given to the encoding call",
            c->rank, map->rank, map->rank == 1 ? "" : "s", c->rank);
    } else if (map->mode != (c->im2col ? MEM_TENSOR_IM2COL : MEM_TENSOR_TILES)) {
        static const char *const modes[] = {"tiles", "im2col",
                                            "im2col::w, which this device does not have"};
        snprintf(text, sizeof text, "the tensor map was encoded for %s, the instruction says .%s",
                 modes[map->mode], c->im2col ? "im2col" : "tile");
    } else if (map->interleave) {
        snprintf(text, sizeof text,
                 "warpbook does not copy interleaved layouts "
                 "(CU_TENSOR_MAP_INTERLEAVE_16B and _32B); a GPU does");
        return stop_tensor_copy(w, i, l, SM_FAULT_UNSUPPORTED, address, text);
    } else if (c->reduces && !c->combine[map->type]) {
        snprintf(text, sizeof text, "there is no such reduction for the type of the tensor map");
    } else {
        return true;
    }
    return stop_tensor_copy(w, i, l, SM_FAULT_ILLEGAL, address, text);
}

/* --- finding source and destination ----------------------------------------------------------- */

/* Is the part of the box that lies inside the tensor allocated memory? */
static bool box_is_allocated(sm_warp *w, const sm_insn *i, uint32_t l, const sm_box *b,
                             sm_effect effect)
{
    bool reported = false;
    const uint32_t size = mem_tensor_bytes(b->map.type);
    sm_box_iterator walk = {.box = b};
    for (sm_box_row row; sm_box_next_row(&walk, &row);) {
        const uint64_t bytes = (uint64_t)row.count * size;
        if (!bytes ||
            EXEC_FOR_ISA(exec_bulk_global)(w, i, l, row.address, bytes, effect, &reported)) {
            if (bytes && effect == SM_READS && w->block->observed) {
                observe_copy_reads(w->block, w, i, l, PTX_SPACE_GLOBAL, row.address,
                                   (uint32_t)bytes);
            }
            continue;
        }
        char where[400];
        mem_describe(row.address, bytes, where, sizeof where);
        sm_stop_launch(
            w, i, SM_FAULT_ADDRESS, 1u << l, row.address, (uint32_t)bytes, PTX_SPACE_GLOBAL,
            "%s: %s %llu bytes at 0x%llx, which belong to the tensor according to its map: %s",
            insn_text(w, i), sm_effect_in_present(effect), (unsigned long long)bytes,
            (unsigned long long)row.address, where);
        return false;
    }
    return true;
}

/* Check that the address in shared memory is a multiple of 128. */
static bool is_box_aligned(sm_warp *w, const sm_insn *i, uint32_t l, const char *what,
                           uint64_t address)
{
    if (address % 128 == 0)
        return true;
    sm_stop_launch(
        w, i, SM_FAULT_MISALIGNED, 1u << l, address, 128, PTX_SPACE_NONE,
        "%s: the address in shared memory that it %s is 0x%llx, which is no multiple of 128: "
        "declare the "
        "array with alignas(128), with alignas(1024) under a swizzle of 128 bytes",
        insn_text(w, i), what, (unsigned long long)address);
    return false;
}

/* --- counters --------------------------------------------------------------------------------- */

/* Update the memory counters for a copy of a box to COPIES destination blocks. Memory is read
 * once for all of them. Like ncu, count zero-filled sectors as sectors brought to L1. The hardware
 * unit that copies has its own path to memory, so there are no L1 passes. */
static void count_box_requests(sm_warp *w, const tensor_copy *c, const sm_box *b, uint32_t copies)
{
    sm_worker *k = w->worker;
    uint64_t *v = k->extra.v;
    if (!k->counting)
        return;
    const exec_access_op how = !c->to_global ? EXEC_LOAD : c->reduces ? EXEC_RED : EXEC_STORE;
    const sm_insn past_l1 = {.mode = SM_M_BYPASS};
    const uint32_t size = mem_tensor_bytes(b->map.type);
    uint64_t lines = 0, sectors = 0, filled = 0;
    sm_box_iterator walk = {.box = b};
    for (sm_box_row row; sm_box_next_row(&walk, &row);) {
        filled += ((row.length - row.count) * size + 31) / 32;
        if (row.count) {
            const uint64_t end = row.address + (uint64_t)row.count * size;
            sectors += sectors_in_range(row.address, end);
            lines += lines_in_range(row.address, end);
            count_range_access(k, &past_l1, how, row.address, end);
        }
    }
    v[CTR_bulk_copies]++;
    if (!c->to_global) {
        v[CTR_bulk_ld_sectors] += (sectors + filled) * copies;
        v[CTR_l2_read_requests] += sectors != 0;
    } else {
        v[c->reduces ? CTR_bulk_red_sectors : CTR_bulk_st_sectors] += sectors;
        count_written_sectors(k, lines, sectors);
    }
}

/* --- issue ------------------------------------------------------------------------------------ */

static bool issue_tensor_store(sm_warp *w, const sm_insn *i, const tensor_copy *c, uint32_t l,
                               const sm_box *b)
{
    const uint64_t from = exec_operand_address(w, &c->shared, l);
    const uint32_t bytes = sm_box_bytes(b);
    sm_mbarrier source;
    if (!is_box_aligned(w, i, l, "reads from", from) ||
        !EXEC_FOR_ISA(exec_bulk_shared)(w, i, l, from, sm_box_shared_bytes(b), true, "reads",
                                        &source) ||
        !box_is_allocated(w, i, l, b, c->reduces ? SM_UPDATES : SM_WRITES))
        return false;
    EXEC_FOR_ISA(exec_bulk_reads)(w, i, l, &source, sm_box_shared_bytes(b));
    count_box_requests(w, c, b, 1);
    const sm_bulk_copy f = {.insn = i,
                            .warp = w,
                            .lane = l,
                            .bytes = bytes,
                            .combine = c->reduces ? c->combine[b->map.type] : NULL,
                            .box = b,
                            .from = source.block->shared,
                            .from_offset = source.offset};
    return sm_bulk_copies_add(&f);
}

static bool issue_tensor_load(sm_warp *w, const sm_insn *i, const tensor_copy *c, uint32_t l,
                              const sm_box *b)
{
    const uint64_t to = exec_operand_address(w, &c->shared, l);
    const uint32_t bytes = sm_box_bytes(b);
    const uint32_t mask = c->mask ? SM_R(const uint32_t, w, c->mask)[l] & 0xffff : 1;
    sm_bulk_copy f = {.insn = i, .warp = w, .lane = l, .bytes = bytes, .box = b};
    sm_mbarrier target;
    if (!is_box_aligned(w, i, l, "writes to", to) ||
        !EXEC_FOR_ISA(exec_bulk_shared)(w, i, l, to, sm_box_shared_bytes(b), c->own, "writes",
                                        &target) ||
        !EXEC_FOR_ISA(exec_bulk_shared)(w, i, l, exec_operand_address(w, &c->bar, l), 8, false,
                                        "updates", &f.bar) ||
        !EXEC_FOR_ISA(exec_bulk_aligned)(w, i, l, "address of its barrier", f.bar.offset, 8) ||
        !box_is_allocated(w, i, l, b, SM_READS))
        return false;
    f.to_block = target.block;
    f.to_offset = target.offset;
    count_box_requests(w, c, b, (uint32_t)__builtin_popcount(mask));
    if (!sm_bulk_copies_count_phase(w, &f.bar))
        return false;
    return c->mask ? EXEC_FOR_ISA(exec_bulk_to_many)(w, i, l, mask, &f) : sm_bulk_copies_add(&f);
}

static bool issue_tensor_copy(sm_warp *w, const sm_insn *i, const tensor_copy *c, uint32_t l)
{
    const uint64_t at = exec_operand_address(w, &c->map, l);
    sm_box b;
    if (!read_tensor_map(w, i, l, at, &b.map) || !fits_tensor_map(w, i, l, at, c, &b.map))
        return false;
    for (uint32_t d = 0; d < MEM_MAX_TENSOR_DIMS; d++)
        b.at[d] = d < c->rank ? SM_R(const int32_t, w, c->at[d])[l] : 0;
    for (uint32_t d = 0; d < 3; d++)
        b.offset[d] = c->offset[d] ? (uint16_t)SM_R(const uint32_t, w, c->offset[d])[l] : 0;
    char why[300];
    if (!c->hint && !sm_box_is_allowed(&b, c->to_global, why, sizeof why))
        return stop_tensor_copy(w, i, l, SM_FAULT_ILLEGAL, at, why);
    return c->hint        ? true
           : c->to_global ? issue_tensor_store(w, i, c, l, &b)
                          : issue_tensor_load(w, i, c, l, &b);
}

EXEC_FN(copy_tensor)
{
    EXEC_EACH_LANE(w->mask)
        if (!issue_tensor_copy(w, i, i->extra, l))
            return NULL;
    return i + 1;
}

/* --- selection -------------------------------------------------------------------------------- */

/* Parse operand K, [map, {coordinates}], a coordinate for each dimension. */
static bool parse_map_operand(compile_translation *t, const ptx_insn *in, unsigned k,
                              tensor_copy *c)
{
    static const ptx_mod ranks[] = {PTX_MOD_g1d, PTX_MOD_g2d, PTX_MOD_g3d, PTX_MOD_g4d,
                                    PTX_MOD_g5d};
    for (uint32_t r = 0; r < MEM_MAX_TENSOR_DIMS; r++)
        c->rank = ptx_has_modifier(in, ranks[r]) ? r + 1 : c->rank;
    if (in->op >= PTX_OP_cp_async_bulk_tensor_1d_global &&
        in->op <= PTX_OP_cp_async_bulk_tensor_5d_global)
        c->rank = in->op - PTX_OP_cp_async_bulk_tensor_1d_global + 1u;
    const ptx_operand *o = &in->opd[k];
    if (!exec_read_address_operand(t, in, k, &c->map) || !o->vector || o->lead != 1 ||
        o->count != 1 + c->rank) {
        snprintf(t->error, sizeof t->error, "%u coordinates must follow the tensor map", c->rank);
        return false;
    }
    for (uint32_t d = 0; d < c->rank; d++) {
        if (o->v[1 + d].kind == PTX_VAL_REG && compile_register_bytes(t, &o->v[1 + d]) != 4)
            return false;
        c->at[d] = compile_slot_of_value(t, &o->v[1 + d], 4);
    }
    return true;
}

EXEC_SELECT(cp_async_bulk_tensor)
{
    tensor_copy c = {.im2col = ptx_has_modifier(in, PTX_MOD_im2col),
                     .own = !ptx_has_modifier(in, PTX_MOD_shared_cluster)};
    if (in->space != PTX_SPACE_SHARED || in->space2 != PTX_SPACE_GLOBAL ||
        !exec_read_address_operand(t, in, 0, &c.shared) || !parse_map_operand(t, in, 1, &c) ||
        !exec_read_address_operand(t, in, 2, &c.bar))
        return NULL;
    unsigned next = 3;
    if (c.im2col) {
        const ptx_operand *o = &in->opd[next++];
        if (in->operand_count < next || c.rank < 3 || o->count != c.rank - 2) {
            snprintf(t->error, sizeof t->error,
                     "an offset for each dimension between the first and the last must follow "
                     "the barrier");
            return NULL;
        }
        for (uint32_t d = 0; d < o->count; d++)
            c.offset[d] = compile_slot_of_value(t, &o->v[d], 4);
    }
    if (ptx_has_modifier(in, PTX_MOD_multicast)) {
        const ptx_value *mask = exec_operand_value(in, next++);
        if (!mask || c.own)
            return NULL;
        c.mask = compile_slot_of_value(t, mask, 4);
    }
    next += ptx_has_modifier(in, PTX_MOD_L2_cache_hint);
    return in->operand_count == next ? exec_fn_with_form(t, out, copy_tensor, &c, sizeof c) : NULL;
}

/* Shared to global memory: operands [map], [from], and optionally a cache hint. */
static bool parse_tensor_store_operands(compile_translation *t, const ptx_insn *in, tensor_copy *c)
{
    c->to_global = true;
    return in->operand_count == 2u + ptx_has_modifier(in, PTX_MOD_L2_cache_hint) &&
           parse_map_operand(t, in, 0, c) && exec_read_address_operand(t, in, 1, &c->shared);
}

static sm_fn select_tensor_store(compile_translation *t, const ptx_insn *in, sm_insn *out)
{
    tensor_copy c = {.im2col = ptx_has_modifier(in, PTX_MOD_im2col_no_offs)};
    return parse_tensor_store_operands(t, in, &c)
               ? exec_fn_with_form(t, out, copy_tensor, &c, sizeof c)
               : NULL;
}

/* Copies to global memory. Their rows in ops.def have the destination, .global, in their names. */
EXEC_SELECT(cp_async_bulk_tensor_global)
{
    return select_tensor_store(t, in, out);
}

EXEC_SELECT(cp_reduce_async_bulk_tensor)
{
    static const ptx_type types[MEM_TENSOR_TYPES] = {
        [2] = PTX_u32, [3] = PTX_s32,  [4] = PTX_u64,  [5] = PTX_s64,  [6] = PTX_f16, [7] = PTX_f32,
        [8] = PTX_f64, [9] = PTX_bf16, [10] = PTX_f32, [11] = PTX_f32, [12] = PTX_f32};
    tensor_copy c = {.im2col = ptx_has_modifier(in, PTX_MOD_im2col_no_offs), .reduces = true};
    const bool bits = ptx_has_modifier(in, PTX_MOD_and) || ptx_has_modifier(in, PTX_MOD_or) ||
                      ptx_has_modifier(in, PTX_MOD_xor);
    for (uint32_t k = 0; k < MEM_TENSOR_TYPES; k++) {
        const ptx_type type = !bits ? types[k] : k > 3 ? PTX_b64 : PTX_b32;
        const bool known = types[k] && (!bits || k < 5);
        c.combine[k] = known ? EXEC_FOR_ISA(exec_bulk_combine)(in, type, true) : NULL;
    }
    if (ptx_has_modifier(in, PTX_MOD_add))
        c.combine[5] = NULL; /* an H200 does not add bf16 elements either */
    return in->space == PTX_SPACE_GLOBAL && in->space2 == PTX_SPACE_SHARED &&
                   parse_tensor_store_operands(t, in, &c)
               ? exec_fn_with_form(t, out, copy_tensor, &c, sizeof c)
               : NULL;
}

EXEC_SELECT(cp_async_bulk_prefetch_tensor)
{
    tensor_copy c = {.im2col = ptx_has_modifier(in, PTX_MOD_im2col), .hint = true};
    return parse_map_operand(t, in, 0, &c) ? exec_fn_with_form(t, out, copy_tensor, &c, sizeof c)
                                           : NULL;
}
