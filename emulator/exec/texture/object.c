/* Look up and check texture and surface objects, and count accesses to them. */
#include "texture.h"

#include "../../clock/clock.h"
#include "../../profiler/l1.h"
#include "../../sm/fault.h"

#include <stdio.h>

static const char *const object_kind_name[] = {"object", "texture", "surface"};

const mem_object *EXEC_FOR_ISA(exec_object_for_query)(sm_warp *w, const sm_insn *i, uint32_t lane,
                                                      uint64_t handle, int kind)
{
    const mem_object *o = mem_object_find(handle);
    const unsigned long long shown = handle;
    if (!o) {
        sm_stop_launch(
            w, i, SM_FAULT_ADDRESS, 1u << lane, handle, 0, PTX_SPACE_TEX,
            "there is no %s object 0x%llx: it was never created, or destroyed before the "
            "kernel ran",
            object_kind_name[kind], shown);
        return NULL;
    }
    if ((int)o->kind != kind) {
        sm_stop_launch(w, i, SM_FAULT_ADDRESS, 1u << lane, handle, 0, PTX_SPACE_TEX,
                       "0x%llx is a %s object, and this instruction is for %ss", shown,
                       object_kind_name[o->kind], object_kind_name[kind]);
        return NULL;
    }
    return o;
}

/* Describe an image, for instance "a cubemap of 4 layers". */
static void describe_image(const mem_image *m, char *buf, size_t size)
{
    const char *dims = m->dims == 1 ? "one" : m->dims == 2 ? "two" : "three";
    if (m->kind == MEM_IMAGE_BUFFER) {
        snprintf(buf, size, "linear memory, which tex1Dfetch reads");
    } else if (m->cube) {
        snprintf(buf, size, "a %scubemap", m->layered ? "layered " : "");
    } else {
        snprintf(buf, size, "%s of %s dimension%s",
                 m->kind == MEM_IMAGE_PITCHED ? "pitched memory"
                 : m->layered                 ? "a layered array"
                                              : "an array",
                 dims, m->dims == 1 ? "" : "s");
    }
}

static bool fits_geometry(const mem_image *m, int kind, exec_geometry g)
{
    switch (g) {
    case EXEC_TEX_CUBE: return m->cube && !m->layered;
    case EXEC_TEX_ACUBE: return m->cube && m->layered;
    case EXEC_TEX_A2D:
        /* for surfaces the faces of a cubemap are layers */
        return m->dims == 2 && (m->cube ? kind == MEM_SURFACE : m->layered);
    case EXEC_TEX_A1D: return m->dims == 1 && m->layered;
    default: return m->dims == exec_axis_count(g) && !m->layered && !m->cube;
    }
}

const mem_object *EXEC_FOR_ISA(exec_object)(sm_warp *w, const sm_insn *i, uint32_t lane,
                                            uint64_t handle, int kind, exec_geometry geometry,
                                            intptr_t *delta)
{
    static const char *const geometries[] = {"1d", "2d", "3d", "a1d", "a2d", "cube", "acube"};
    const mem_object *o = EXEC_FOR_ISA(exec_object_for_query)(w, i, lane, handle, kind);
    if (!o)
        return NULL;
    const mem_image *m = &o->image;
    if (!fits_geometry(m, kind, geometry)) {
        char text[80];
        describe_image(m, text, sizeof text);
        sm_stop_launch(w, i, SM_FAULT_ADDRESS, 1u << lane, handle, 0, PTX_SPACE_TEX,
                       "an instruction for .%s %ss is given %s object 0x%llx, which is made of %s",
                       geometries[geometry], object_kind_name[kind], object_kind_name[kind],
                       (unsigned long long)handle, text);
        return NULL;
    }
    if (!m->bytes) {
        sm_stop_launch(w, i, SM_FAULT_ADDRESS, 1u << lane, m->base, 0, PTX_SPACE_TEX,
                       "%s object 0x%llx has no texels: its width, height or memory is too small",
                       object_kind_name[kind], (unsigned long long)handle);
        return NULL;
    }
    const mem_range *r = mem_find_in_snapshot(w->worker->grid->map, m->base);
    if (!r || r->size - (m->base - r->base) < m->bytes) {
        sm_stop_launch(w, i, SM_FAULT_ADDRESS, 1u << lane, m->base, 0, PTX_SPACE_TEX,
                       "the memory of %s object 0x%llx has been freed", object_kind_name[kind],
                       (unsigned long long)handle);
        return NULL;
    }
    *delta = r->delta;
    return o;
}

/* The distinct sectors of AT[0 .. n), grouped by 128-byte line: the line number in the upper bits,
 * a mask of sectors in the lower four. */
static uint32_t collect_lines(const uint64_t *at, uint32_t n, uint64_t line[])
{
    enum { SLOT_COUNT = 1024 };
    uint16_t slot[SLOT_COUNT] = {0};
    uint32_t count = 0;
    for (uint32_t k = 0; k < n; k++) {
        const uint64_t number = at[k] / 128;
        const uint64_t bit = UINT64_C(1) << at[k] / 32 % 4;
        uint32_t h = (uint32_t)((number * UINT64_C(0x9e3779b97f4a7c15)) >> 54);
        while (slot[h] && line[slot[h] - 1] >> 4 != number)
            h = (h + 1) % SLOT_COUNT;
        if (!slot[h]) {
            line[count] = number << 4;
            slot[h] = (uint16_t)++count;
        }
        line[slot[h] - 1] |= bit;
    }
    return count;
}

/* The number of distinct values in AT[0 .. n); n is at most 128. */
static uint32_t count_distinct(const uint64_t *at, uint32_t n)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t j = 0;
        while (j < k && at[j] != at[k])
            j++;
        count += j == k;
    }
    return count;
}

static void count_texture_request(insn_stats *s, uint32_t mask, const exec_texture_sectors *taps,
                                  exec_texture_cost how)
{
    for (uint32_t first = 0; first < SM_LANES; first += how.request) {
        const uint32_t lanes = (how.request < 32 ? (1u << how.request) - 1 : SM_FULL) << first;
        s->requests += (mask & lanes) != 0;
    }
    uint32_t begin = 0;
    for (uint32_t first = 0; first < SM_LANES; first += how.sectors) {
        uint32_t end = begin;
        for (uint32_t l = first; l < first + how.sectors; l++)
            end = mask >> l & 1 ? taps->end[l] : end;
        s->sectors += how.passes * count_distinct(taps->at + begin, end - begin);
        begin = end;
    }
}

void EXEC_FOR_ISA(exec_count_taps)(sm_warp *w, const sm_insn *i, const exec_texture_sectors *taps,
                                   exec_texture_cost how)
{
    sm_worker *k = w->worker;
    if (!k->counting)
        return;
    insn_stats *s = &k->site[i->site];
    uint64_t *v = k->extra.v;
    uint64_t line[16 * SM_LANES];
    const uint32_t lines = collect_lines(taps->at, taps->count, line);
    bool far = false;
    for (uint32_t n = 0; n < lines; n++) {
        const uint32_t bits = (uint32_t)line[n] & 15;
        const uint64_t number = line[n] >> 4;
        s->ideal += (uint32_t)__builtin_popcount(bits);
        v[CTR_l1_passes]++;
        if (how.writes) {
            v[CTR_l2_write_lines]++;
            v[CTR_l2_write_sectors] += (uint32_t)__builtin_popcount(bits);
            mem_touch_line(&k->touched, MEM_WRITE, number * 128, bits);
            continue;
        }
        const uint32_t miss = l1_missing_sectors(k->l1, number, bits);
        if (miss) {
            far = true;
            v[CTR_l2_read_lines]++;
            v[CTR_l2_read_sectors] += (uint32_t)__builtin_popcount(miss);
            mem_touch_line(&k->touched, MEM_READ, number * 128, miss);
            if (k->clock)
                clock_add_texel_miss(w, number);
        }
    }
    count_texture_request(s, w->mask, taps, how);
    s->lanes += (uint32_t)__builtin_popcount(w->mask);
    s->far += far;
}

/* --- operands --- */

static bool read_geometry(const ptx_insn *in, exec_geometry *out)
{
    static const struct {
        ptx_mod mod;
        exec_geometry geometry;
    } words[] = {{PTX_MOD_g1d, EXEC_TEX_1D},     {PTX_MOD_g2d, EXEC_TEX_2D},
                 {PTX_MOD_g3d, EXEC_TEX_3D},     {PTX_MOD_a1d, EXEC_TEX_A1D},
                 {PTX_MOD_a2d, EXEC_TEX_A2D},    {PTX_MOD_cube, EXEC_TEX_CUBE},
                 {PTX_MOD_acube, EXEC_TEX_ACUBE}};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        if (ptx_has_modifier(in, words[k].mod)) {
            *out = words[k].geometry;
            return true;
        }
    }
    return false;
}

bool EXEC_FOR_ISA(exec_place_of)(compile_translation *t, const ptx_insn *in, const ptx_operand *o,
                                 exec_texture_operand *out)
{
    if (!read_geometry(in, &out->geometry)) {
        snprintf(t->error, sizeof t->error, "multisample textures are not emulated");
        return false;
    }
    const uint32_t lead = o->vector ? o->lead : 1;
    if (o->count && o->v[0].kind != PTX_VAL_REG) {
        snprintf(t->error, sizeof t->error,
                 "texture references were removed in CUDA 12; give the kernel a texture object");
        return false;
    }
    if (lead != 1) {
        snprintf(t->error, sizeof t->error,
                 "samplers that are separate from textures are not emulated");
        return false;
    }
    out->handle = compile_slot_of_value(t, &o->v[0], 8);
    out->count = o->count - lead;
    if (out->count < exec_axis_count(out->geometry) + exec_is_layered(out->geometry) ||
        out->count > 4) {
        snprintf(t->error, sizeof t->error, "the number of coordinates does not fit the geometry");
        return false;
    }
    for (uint32_t k = 0; k < out->count; k++)
        out->slot[k] = compile_slot_of_value(t, &o->v[lead + k], 4);
    return true;
}
