/* Tensor maps changed in kernels: tensormap.replace (PTX ISA 9.7.9.26) and tensormap.cp_fenceproxy
 * (9.7.13.16). Each copy reads its map anew: a missing fence has no effect. */
#include "bulk.h"

#include "../../memory/tensor_map.h"
#include "../../sm/fault.h"

typedef struct tensor_map_change {
    exec_address_operand at, from; /* address of the map to change; address of the map to copy */
    ptx_space space;               /* state space of `at` */
    ptx_mod field;                 /* field to replace */
    uint32_t ordinal;              /* position, in the register window, of the operand ordinal */
    uint32_t value;                /* position, in the register window, of the new value */
    bool wide;                     /* the new value has 64 bits */
} tensor_map_change;

/* Host address of the 128 bytes of a tensor map. NULL: not allocated; the launch is stopped. */
static uint8_t *map_host_address(sm_warp *w, const sm_insn *i, uint32_t l,
                                 const exec_address_operand *p, ptx_space space, bool write)
{
    const uint64_t address = exec_operand_address(w, p, l);
    const uint32_t bytes = MEM_TENSOR_MAP_BYTES;
    sm_mbarrier at;
    if (!EXEC_FOR_ISA(exec_bulk_aligned)(w, i, l, "address of the tensor map", address,
                                         write && space == PTX_SPACE_GLOBAL ? 64 : 16))
        return NULL;
    if (space == PTX_SPACE_SHARED) {
        return EXEC_FOR_ISA(exec_bulk_shared)(w, i, l, address, bytes, true,
                                              write ? "writes" : "reads", &at)
                   ? at.block->shared + at.offset
                   : NULL;
    }
    uint8_t *host = sm_host_pointer_of_generic(w, l, address, bytes);
    if (host)
        return host;
    char where[400];
    mem_describe(address, bytes, where, sizeof where);
    sm_stop_launch(w, i, SM_FAULT_ADDRESS, 1u << l, address, bytes, space,
                   "%s of a tensor map at 0x%llx: %s", ptx_op_name(sm_site_insn(w, i)->op),
                   (unsigned long long)address, where);
    return NULL;
}

/* --- tensormap.replace ------------------------------------------------------------------------ */

/* The ISA numbers element types differently from the driver. */
static uint8_t driver_element_type(uint64_t value)
{
    static const uint8_t types[] = {0,
                                    1,
                                    2,
                                    3,
                                    4,
                                    5,
                                    MEM_TENSOR_F16,
                                    MEM_TENSOR_F32,
                                    MEM_TENSOR_F32_FTZ,
                                    MEM_TENSOR_F64,
                                    MEM_TENSOR_BF16,
                                    MEM_TENSOR_TF32,
                                    MEM_TENSOR_TF32_FTZ};
    return value < sizeof types ? types[value] : MEM_TENSOR_TYPES;
}

/* tensormap.replace: change one field of the map M. False: the map has no such dimension. */
static bool set_map_field(mem_tensor_map *m, ptx_mod field, uint32_t k, uint64_t value)
{
    if (k >= MEM_MAX_TENSOR_DIMS ||
        (field == PTX_MOD_global_stride && k + 1 == MEM_MAX_TENSOR_DIMS))
        return false;
    switch (field) {
    case PTX_MOD_global_address: m->address = value; return true;
    case PTX_MOD_rank: /* the ISA counts ranks from 0: rank 0 is one dimension */
        m->rank = value < MEM_MAX_TENSOR_DIMS ? (uint8_t)(value + 1) : 0;
        return true;
    case PTX_MOD_box_dim: m->box[k] = value <= 256 ? (uint16_t)value : 0; return true;
    case PTX_MOD_global_dim: m->last[k] = (uint32_t)value - 1; return true;
    case PTX_MOD_global_stride: m->stride[k] = value; return true;
    case PTX_MOD_element_stride: m->step[k] = value <= 8 ? (uint8_t)value : 0; return true;
    case PTX_MOD_elemtype: m->type = driver_element_type(value); return true;
    case PTX_MOD_interleave_layout: m->interleave = (uint8_t)value; return true;
    case PTX_MOD_swizzle_mode: m->swizzle = (uint8_t)value; return true;
    default: m->fill = (uint8_t)value; return true;
    }
}

EXEC_FN(replace_field)
{
    const tensor_map_change *c = i->extra;
    EXEC_EACH_LANE(w->mask) {
        uint8_t *at = map_host_address(w, i, l, &c->at, c->space, true);
        if (!at)
            return NULL;
        mem_tensor_map m;
        memcpy(&m, at, sizeof m);
        const uint32_t k = c->ordinal ? SM_R(const uint32_t, w, c->ordinal)[l] : 0;
        const uint64_t value =
            c->wide ? SM_R(const uint64_t, w, c->value)[l] : SM_R(const uint32_t, w, c->value)[l];
        if (m.mark != MEM_TENSOR_MAP_MARK || !set_map_field(&m, c->field, k, value)) {
            return sm_stop_launch(w, i, SM_FAULT_ILLEGAL, 1u << l,
                                  exec_operand_address(w, &c->at, l), MEM_TENSOR_MAP_BYTES,
                                  PTX_SPACE_NONE, "tensormap.replace: %s",
                                  m.mark != MEM_TENSOR_MAP_MARK
                                      ? "there is no tensor map at this address: copy one that "
                                        "cuTensorMapEncodeTiled() "
                                        "made to these 128 bytes, then change it"
                                      : "a tensor map has five dimensions at most");
        }
        memcpy(at, &m, sizeof m);
    }
    return i + 1;
}

EXEC_SELECT(tensormap_replace)
{
    static const ptx_mod fields[] = {
        PTX_MOD_global_address, PTX_MOD_rank,           PTX_MOD_box_dim,  PTX_MOD_global_dim,
        PTX_MOD_global_stride,  PTX_MOD_element_stride, PTX_MOD_elemtype, PTX_MOD_interleave_layout,
        PTX_MOD_swizzle_mode,   PTX_MOD_fill_mode};
    tensor_map_change *c = compile_alloc_with_code(t, sizeof *c);
    if (!c || !exec_read_address_operand(t, in, 0, &c->at))
        return NULL;
    c->space = in->space;
    for (size_t k = 0; k < sizeof fields / sizeof *fields; k++)
        c->field = ptx_has_modifier(in, fields[k]) ? fields[k] : c->field;
    const bool each = c->field == PTX_MOD_box_dim || c->field == PTX_MOD_global_dim ||
                      c->field == PTX_MOD_global_stride || c->field == PTX_MOD_element_stride;
    c->wide = in->type[0] == PTX_b64;
    if (in->operand_count != (each ? 3 : 2) ||
        c->wide != (c->field == PTX_MOD_global_address || c->field == PTX_MOD_global_stride))
        return NULL;
    c->ordinal = each ? exec_operand_slot(t, in, 1, 4, 0) : 0;
    c->value = exec_operand_slot(t, in, each ? 2 : 1, c->wide ? 8 : 4, 0);
    out->extra = c;
    return replace_field;
}

/* --- tensormap.cp_fenceproxy: all lanes of the warp copy one map together --------------------- */

EXEC_FN(copy_map)
{
    const tensor_map_change *c = i->extra;
    EXEC_EACH_LANE(w->mask) {
        const uint8_t *from = map_host_address(w, i, l, &c->from, PTX_SPACE_SHARED, false);
        uint8_t *to = from ? map_host_address(w, i, l, &c->at, PTX_SPACE_GLOBAL, true) : NULL;
        if (!to)
            return NULL;
        memcpy(to, from, MEM_TENSOR_MAP_BYTES);
    }
    return i + 1;
}

EXEC_SELECT(tensormap_copy)
{
    tensor_map_change *c = compile_alloc_with_code(t, sizeof *c);
    const ptx_value *bytes = exec_operand_value(in, 2);
    if (!c || in->space != PTX_SPACE_GLOBAL || in->space2 != PTX_SPACE_SHARED ||
        !exec_read_address_operand(t, in, 0, &c->at) ||
        !exec_read_address_operand(t, in, 1, &c->from) || !bytes || bytes->kind != PTX_VAL_IMM ||
        bytes->imm != MEM_TENSOR_MAP_BYTES)
        return NULL;
    out->extra = c;
    return copy_map;
}
