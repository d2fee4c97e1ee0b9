/* tex, tld4 and txq (PTX ISA 9.7.10) with texture objects: a 64-bit handle names texture and
 * sampler (unified mode). */
#include "texture.h"

#include "../../observe/observe.h"
#include "../../sm/fault.h"
#include "../lanes.h"

/* A texture instruction; field `extra` of its sm_insn points to this. */
typedef struct texture_form {
    exec_texture_operand place; /* window slots of handle and coordinates */
    exec_fetch fetch;           /* the part of the fetch that all lanes share */
    uint32_t level;             /* window slot of the level of detail */
    uint32_t d[2][3];           /* window slots of the gradients dP/dx and dP/dy */
    uint32_t count;             /* number of result registers */
    uint32_t to[4];             /* [count] window slots of the result registers */
} texture_form;

static inline float lane_float(const sm_warp *w, uint32_t slot, uint32_t l)
{
    return SM_R(float, w, slot)[l];
}

static void read_coordinates(const sm_warp *w, const texture_form *m, uint32_t l, exec_fetch *f)
{
    const uint32_t *slot = m->place.slot;
    if (exec_is_layered(f->geometry))
        f->layer = SM_R(uint32_t, w, *slot++)[l];
    const uint32_t axes = exec_axis_count(f->geometry);
    for (uint32_t a = 0; a < axes; a++) {
        if (f->whole)
            f->cell[a] = SM_R(int32_t, w, slot[a])[l];
        else
            f->at[a] = lane_float(w, slot[a], l);
        if (f->level_from == EXEC_LEVEL_GRADIENT) {
            f->d[0][a] = lane_float(w, m->d[0][a], l);
            f->d[1][a] = lane_float(w, m->d[1][a], l);
        }
    }
    if (f->level_from == EXEC_LEVEL_GIVEN)
        f->level = lane_float(w, m->level, l);
}

/* Forms of a fetch that are not modelled: anisotropic filters along gradients, and for mipmaps
 * unnormalized coordinates and gradients of cubemap directions. Returns the name of the form
 * that F uses, or NULL if F is modelled. */
static const char *unmodelled_form(const exec_fetch *f)
{
    const mem_sampler *s = &f->object->sampler;
    if (f->whole && f->object->image.kind != MEM_IMAGE_BUFFER && f->geometry == EXEC_TEX_1D)
        return "tex1Dfetch from an object without linear memory (a GPU returns zeros)";
    if (f->object->image.cube && f->gather >= 0 && s->seamless)
        return "gathering across the edges of a cube map (seamlessCubemap)";
    if (f->level_from == EXEC_LEVEL_GRADIENT &&
        s->anisotropy > 1) /* an anisotropic filter is not modelled, even without a mipmap */
        return "anisotropic filtering (maxAnisotropy above 1)";
    if (f->object->image.levels == 1)
        return NULL;
    if (!s->normalized && !f->whole)
        return "a mipmap with coordinates that are not normalized";
    if (f->level_from != EXEC_LEVEL_GRADIENT) {
        return s->mip_linear && s->anisotropy > 1 && s->anisotropy != 16
                   ? "blending of two mipmap levels with a maxAnisotropy other than 1 and 16"
                   : NULL;
    }
    return f->object->image.cube ? "gradients on mipmapped cubemaps" : NULL;
}

/* How many lanes the texture unit serves together: groups of four; for filters of volumes and of
 * 128-bit texels two lanes, for 128-bit texels in two passes over the channels. For linear
 * memory eight lanes, four if texels have 128 bits. */
static exec_texture_cost texture_request_cost(const exec_fetch *f)
{
    const mem_object *o = f->object;
    if (o->image.kind == MEM_IMAGE_BUFFER) {
        const uint32_t lanes = mem_texel_bytes(o->image.format) == 16 ? 4 : 8;
        return (exec_texture_cost){lanes, lanes, 1, false};
    }
    const bool linear = o->sampler.linear && !f->whole && f->gather < 0 && exec_reads_floats(o);
    const bool wide = linear && mem_texel_bytes(o->image.format) == 16;
    return (exec_texture_cost){4, wide || (linear && f->geometry == EXEC_TEX_3D) ? 2 : 4,
                               wide ? 2 : 1, false};
}

static const sm_insn *run_fetch(sm_warp *w, const sm_insn *i)
{
    const texture_form *m = i->extra;
    exec_texture_sectors taps;
    exec_texel_reads reads = {0};
    exec_fetch f = m->fetch;
    uint64_t handle = 0;
    taps.count = 0;
    f.taps = &taps;
    f.reads = w->block->observed ? &reads : NULL;
    f.object = NULL;
    EXEC_EACH_LANE(w->mask) {
        const uint64_t now = SM_R(uint64_t, w, m->place.handle)[l];
        if (!f.object || now != handle) {
            handle = now;
            f.object =
                EXEC_FOR_ISA(exec_object)(w, i, l, handle, MEM_TEXTURE, f.geometry, &f.delta);
            if (!f.object)
                return NULL;
            const char *what = unmodelled_form(&f);
            if (what) {
                return sm_stop_launch(w, i, SM_FAULT_UNSUPPORTED, 1u << l, 0, 0, PTX_SPACE_TEX,
                                      "%s is not supported here", what);
            }
        }
        read_coordinates(w, m, l, &f);
        uint32_t v[4];
        if (!EXEC_FOR_ISA(exec_sample)(&f, v)) {
            return sm_stop_launch(
                w, i, SM_FAULT_ADDRESS, 1u << l, f.object->image.base, 0, PTX_SPACE_TEX,
                "reads past the end of the memory of texture object 0x%llx, which has "
                "%llu bytes, fewer than the texture was created with",
                (unsigned long long)handle, (unsigned long long)f.object->image.bytes);
        }
        taps.end[l] = (uint16_t)taps.count;
        if (f.reads) {
            observe_texture_reads(w, i, l, reads.at, reads.count,
                                  mem_texel_bytes(f.object->image.format));
            reads.count = 0;
        }
        for (uint32_t c = 0; c < m->count; c++)
            SM_R(uint32_t, w, m->to[c])[l] = v[c];
    }
    exec_put_pred(w, i->q,
                  w->mask); /* every texel is resident, because there are no sparse arrays */
    if (w->mask)
        EXEC_FOR_ISA(exec_count_taps)(w, i, &taps, texture_request_cost(&f));
    return i + 1;
}

static bool find_gradient_slots(compile_translation *t, const ptx_insn *in, texture_form *m)
{
    const uint32_t axes = exec_axis_count(m->place.geometry);
    for (uint32_t k = 0; k < 2; k++) {
        const ptx_operand *o = &in->opd[2 + k];
        if (o->count < axes)
            return false;
        for (uint32_t a = 0; a < axes; a++)
            m->d[k][a] = compile_slot_of_value(t, &o->v[a], 4);
    }
    return true;
}

static int gathered_channel(const ptx_insn *in)
{
    return in->op != PTX_OP_tld4             ? -1
           : ptx_has_modifier(in, PTX_MOD_r) ? 0
           : ptx_has_modifier(in, PTX_MOD_g) ? 1
           : ptx_has_modifier(in, PTX_MOD_b) ? 2
                                             : 3;
}

EXEC_SELECT(tex)
{
    if (in->operand_count < 2 || in->type_count < 2 || in->opd[0].count < 1 || in->opd[0].count > 4)
        return NULL;
    const uint32_t operands = in->op == PTX_OP_tex_grad ? 4 : in->op == PTX_OP_tex_level ? 3 : 2;
    if (in->type[0] == PTX_f16x2 || in->operand_count > operands) {
        snprintf(t->error, sizeof t->error, "%s",
                 in->type[0] == PTX_f16x2
                     ? "fetches that return packed halves are not emulated"
                     : "fetches with offsets or depth comparison are not emulated");
        return NULL;
    }
    texture_form *m = compile_alloc_with_code(t, sizeof *m);
    if (!m || !EXEC_FOR_ISA(exec_place_of)(t, in, &in->opd[1], &m->place))
        return NULL;
    m->fetch = (exec_fetch){.geometry = m->place.geometry,
                            .whole = in->type[1] == PTX_s32,
                            .gather = gathered_channel(in)};
    if (in->op == PTX_OP_tex_level) {
        m->fetch.level_from = EXEC_LEVEL_GIVEN;
        m->level = exec_operand_slot(t, in, 2, 4, 0);
    } else if (in->op == PTX_OP_tex_grad) {
        m->fetch.level_from = EXEC_LEVEL_GRADIENT;
        if (!find_gradient_slots(t, in, m))
            return NULL;
    }
    if (m->fetch.whole && m->fetch.level_from != EXEC_LEVEL_ZERO) {
        snprintf(t->error, sizeof t->error,
                 "fetches from a given mipmap level with integer coordinates are not emulated");
        return NULL;
    }
    m->count = in->opd[0].count;
    for (uint32_t c = 0; c < m->count; c++)
        m->to[c] = compile_slot_of_value(t, &in->opd[0].v[c], 4);
    out->extra = m;
    return run_fetch;
}

/* --- queries --- */

/* The CL_* number of a texture's data type, by the PTX ISA's channel types and orders. */
static uint32_t data_type(const mem_object *o)
{
    const mem_format f = o->image.format;
    const uint32_t wide = f.bits == 8 ? 0 : f.bits == 16 ? 1 : 2;
    switch (f.number) {
    case MEM_FLOAT: return f.bits == 16 ? 0x10dd : 0x10de;
    case MEM_SINT: return o->sampler.to_float ? 0x10d0 + wide : 0x10d7 + wide;
    case MEM_UINT: return o->sampler.to_float ? 0x10d2 + wide : 0x10da + wide;
    case MEM_SNORM: return 0x10d0 + wide;
    default: return 0x10d2 + wide;
    }
}

static uint32_t query_result(const mem_object *o, uint32_t mod, uint32_t level)
{
    const mem_image *m = &o->image;
    const mem_mip_level *l = &m->level[level < m->levels ? level : m->levels - 1];
    const bool stack = m->layered || m->cube;
    switch (mod) {
    case PTX_MOD_width: return l->width;
    case PTX_MOD_height: return m->dims > 1 ? l->height : 0;
    case PTX_MOD_depth: return m->dims > 2 ? l->depth : 0;
    case PTX_MOD_channel_data_type: return data_type(o);
    case PTX_MOD_channel_order:
        return m->format.channels == 1 ? 0x10b0 : m->format.channels == 2 ? 0x10b2 : 0x10b5;
    case PTX_MOD_normalized_coords: return o->sampler.normalized;
    case PTX_MOD_num_mipmap_levels: return m->levels;
    case PTX_MOD_num_samples: return 1;
    default: return stack ? l->depth : 0;
    }
}

static const sm_insn *run_query(sm_warp *w, const sm_insn *i)
{
    const int kind = i->mode >> 12 ? MEM_SURFACE : MEM_TEXTURE;
    EXEC_EACH_LANE(w->mask) {
        const mem_object *o =
            EXEC_FOR_ISA(exec_object_for_query)(w, i, l, SM_R(uint64_t, w, i->a)[l], kind);
        if (!o)
            return NULL;
        SM_R(uint32_t, w, i->d)
        [l] = query_result(o, i->mode & 0xfff, i->b ? SM_R(uint32_t, w, i->b)[l] : 0);
    }
    return i + 1;
}

static sm_fn select_query(compile_translation *t, const ptx_insn *in, sm_insn *out, int kind)
{
    static const ptx_mod known[] = {PTX_MOD_width,
                                    PTX_MOD_height,
                                    PTX_MOD_depth,
                                    PTX_MOD_channel_data_type,
                                    PTX_MOD_channel_order,
                                    PTX_MOD_normalized_coords,
                                    PTX_MOD_num_mipmap_levels,
                                    PTX_MOD_num_samples,
                                    PTX_MOD_array_size};
    const ptx_value *v = exec_operand_value(in, 1);
    if (!v || v->kind != PTX_VAL_REG)
        return NULL;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        if (ptx_has_modifier(in, known[k])) {
            out->mode = (uint16_t)((uint32_t)known[k] | (kind == MEM_SURFACE ? 1u << 12 : 0));
            out->b = exec_operand_slot(t, in, 2, 4, 0);
            return run_query;
        }
    }
    snprintf(t->error, sizeof t->error, "queries of a sampler's settings are not emulated");
    return NULL;
}

EXEC_SELECT(txq)
{
    return select_query(t, in, out, MEM_TEXTURE);
}

EXEC_SELECT(suq)
{
    return select_query(t, in, out, MEM_SURFACE);
}
