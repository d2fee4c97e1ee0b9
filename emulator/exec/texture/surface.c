/* suld, sust and sured (PTX ISA 9.7.11) with surface objects. x is in bytes for .b forms and in
 * texels for .p forms; y, z and layers are always in texels. */
#include "texture.h"

#include "../../core/observer.h"
#include "../../observe/observe.h"
#include "../../sm/fault.h"
#include "../lanes.h"

/* What an access outside the surface does. */
typedef enum bounds_mode {
    BOUNDS_TRAP,  /* .trap: the launch is stopped */
    BOUNDS_CLAMP, /* .clamp: the nearest texel inside the surface is accessed */
    BOUNDS_ZERO   /* .zero: loads return 0, stores are ignored */
} bounds_mode;

typedef enum surface_op {
    SURFACE_LOAD,            /* suld */
    SURFACE_STORE,           /* sust.b: stores bytes as they are */
    SURFACE_STORE_CONVERTED, /* sust.p: converts to the surface's format */
    SURFACE_REDUCE           /* sured */
} surface_op;

/* A surface instruction; field `extra` of its sm_insn points to this. */
typedef struct surface_form {
    exec_texture_operand place;               /* window slots of handle and coordinates */
    surface_op operation;                     /* load, store or reduction */
    bounds_mode bounds;                       /* what an access outside the surface does */
    bool texels;                              /* coordinate x counts texels instead of bytes */
    uint32_t element;                         /* bytes per register value */
    uint32_t count;                           /* number of registers */
    uint32_t to[4];                           /* [count] window slots of the registers */
    uint32_t lane_bytes;                      /* bytes per lane of a register: 4 or 8 */
    void (*reduce)(void *at, uint64_t value); /* sured: updates the element at `at` */
} surface_form;

/* --- addresses --- */

/* Find the bytes that lane L accesses. *host is NULL if the lane accesses nothing, because the
 * out-of-bounds mode allows an access outside. False: a fault. */
static bool find_surface_bytes(sm_warp *w, const sm_insn *i, const surface_form *m,
                               const mem_object *o, uint32_t l, intptr_t delta,
                               exec_texture_sectors *taps, uint8_t **host)
{
    const mem_image *image = &o->image;
    const mem_mip_level *level = &image->level[0];
    const uint32_t texel = mem_texel_bytes(image->format);
    const uint32_t *slot = m->place.slot;
    const exec_geometry g = m->place.geometry;
    const uint32_t bytes = m->texels ? texel : m->element * m->count;
    const int64_t row = (int64_t)level->width * texel;
    int64_t at[3] = {0, 0, 0}; /* coordinates: x in bytes, y, slice */
    const int64_t end[3] = {row - bytes, level->height - 1, level->depth - 1};
    if (exec_is_layered(g))
        at[2] = SM_R(int32_t, w, *slot++)[l];
    for (uint32_t a = 0; a < exec_axis_count(g); a++)
        at[a] = SM_R(int32_t, w, slot[a])[l];
    at[0] *= m->texels ? texel : 1;
    *host = NULL;
    if (!m->texels && at[0] % bytes) {
        sm_stop_launch(
            w, i, SM_FAULT_MISALIGNED, 1u << l, (uint64_t)at[0], bytes, PTX_SPACE_TEX,
            "x = %lld of a surface access of %u bytes: x counts bytes and must be a multiple of "
            "that; write x * sizeof(element)",
            (long long)at[0], bytes);
        return false;
    }
    for (uint32_t a = 0; a < 3; a++) {
        if (at[a] >= 0 && at[a] <= end[a])
            continue;
        if (m->bounds == BOUNDS_CLAMP) {
            /* a layer index is unsigned, so it cannot be below 0 */
            const bool low = at[a] < 0 && !(a == 2 && exec_is_layered(g));
            at[a] = low || end[a] < 0 ? 0 : end[a];
        } else if (m->bounds == BOUNDS_ZERO) {
            return true;
        } else {
            static const char *const axis[] = {"x", "y", "z"};
            sm_stop_launch(w, i, SM_FAULT_ADDRESS, 1u << l, o->handle, bytes, PTX_SPACE_TEX,
                           "%s = %lld lies outside the surface, which is %u x %u x %u texels of %u "
                           "bytes%s",
                           exec_is_layered(g) && a == 2 ? "layer" : axis[a], (long long)at[a],
                           level->width, level->height, level->depth, texel,
                           a ? "" : "; x counts bytes");
            return false;
        }
    }
    if (end[0] < 0)
        return true; /* nothing is accessed, because a row is shorter than the access */
    taps->at[taps->count++] =
        exec_texel_address(image, level, (uint64_t)at[0], (uint64_t)at[1], (uint64_t)at[2]) &
        ~UINT64_C(31);
    *host = (uint8_t *)(level->base + (uint64_t)at[2] * level->slice +
                        (uint64_t)at[1] * level->pitch + (uint64_t)at[0] + delta);
    return true;
}

/* --- transfers --- */

static void load_surface(sm_warp *w, const surface_form *m, uint32_t l, const uint8_t *host)
{
    for (uint32_t c = 0; c < m->count; c++) {
        uint64_t v = 0;
        if (host)
            memcpy(&v, host + c * m->element, m->element);
        if (m->lane_bytes == 8)
            SM_R(uint64_t, w, m->to[c])[l] = v;
        else
            SM_R(uint32_t, w, m->to[c])[l] = (uint32_t)v;
    }
}

static uint64_t register_value(const sm_warp *w, const surface_form *m, uint32_t c, uint32_t l)
{
    return m->lane_bytes == 8 ? SM_R(uint64_t, w, m->to[c])[l] : SM_R(uint32_t, w, m->to[c])[l];
}

/* Convert 32 bits to a channel in the surface's format. */
static uint32_t convert_to_format(uint32_t v, mem_format f)
{
    const uint32_t most = f.bits == 32 ? UINT32_MAX : (1u << f.bits) - 1;
    switch (f.number) {
    case MEM_UINT: return v < most ? v : most;
    case MEM_SINT: {
        const int64_t top = (int64_t)(most / 2), s = (int32_t)v;
        return (uint32_t)(s > top ? top : s < -top - 1 ? -top - 1 : s);
    }
    case MEM_FLOAT: return f.bits == 16 ? exec_to_f16_toward_zero(exec_f32(v)) : v;
    default: {
        const float low = f.number == MEM_SNORM ? -1 : 0, x = exec_f32(v);
        const float top = (float)(f.number == MEM_SNORM ? most / 2 : most);
        return (uint32_t)(int32_t)rintf((isnan(x) ? 0 : x < low ? low : x > 1 ? 1 : x) * top);
    }
    }
}

static void store_surface(sm_warp *w, const surface_form *m, const mem_object *o, uint32_t l,
                          uint8_t *host)
{
    const mem_format f = o->image.format;
    if (m->operation == SURFACE_STORE_CONVERTED) {
        for (uint32_t c = 0; c < f.channels && c < m->count; c++) {
            const uint32_t v = convert_to_format((uint32_t)register_value(w, m, c, l), f);
            memcpy(host + c * f.bits / 8, &v, f.bits / 8);
        }
        return;
    }
    for (uint32_t c = 0; c < m->count; c++) {
        const uint64_t v = register_value(w, m, c, l);
        memcpy(host + c * m->element, &v, m->element);
    }
}

/* Report to the observers that the lanes of MASK have written BYTES bytes each at AT. */
static void observe_stores(const sm_warp *w, const sm_insn *i, const surface_form *m,
                           uint32_t bytes, uint32_t mask, const uint64_t at[SM_LANES])
{
    if (mask) {
        observe_surface_writes(
            &(sm_access){.warp = w,
                         .insn = sm_site_insn(w, i),
                         .site = i->site,
                         .space = PTX_SPACE_GLOBAL,
                         .mask = mask,
                         .address = at,
                         .bytes = bytes,
                         .effect = m->operation == SURFACE_REDUCE ? SM_UPDATES : SM_WRITES});
    }
}

static const sm_insn *run_surface(sm_warp *w, const sm_insn *i)
{
    const surface_form *m = i->extra;
    const mem_object *o = NULL;
    uint64_t handle = 0;
    intptr_t delta = 0;
    exec_texture_sectors taps;
    uint64_t at[SM_LANES];
    uint32_t written = 0;
    taps.count = 0;
    EXEC_EACH_LANE(w->mask) {
        const uint64_t now = SM_R(uint64_t, w, m->place.handle)[l];
        if (!o || now != handle) {
            handle = now;
            o = EXEC_FOR_ISA(exec_object)(w, i, l, handle, MEM_SURFACE, m->place.geometry, &delta);
            if (!o)
                return NULL;
        }
        uint8_t *host;
        if (!find_surface_bytes(w, i, m, o, l, delta, &taps, &host))
            return NULL;
        taps.end[l] = (uint16_t)taps.count;
        if (m->operation == SURFACE_LOAD)
            load_surface(w, m, l, host);
        else if (host && m->operation == SURFACE_REDUCE)
            m->reduce(host, register_value(w, m, 0, l));
        else if (host)
            store_surface(w, m, o, l, host);
        if (host && m->operation == SURFACE_LOAD && w->block->observed) {
            const uint64_t from = (uint64_t)(uintptr_t)host - (uint64_t)delta;
            observe_texture_reads(w, i, l, &from, 1, m->element * m->count);
        }
        if (host && m->operation != SURFACE_LOAD) {
            at[l] = (uint64_t)(uintptr_t)host - (uint64_t)delta;
            written |= 1u << l;
        }
    }
    if (w->block->observed) {
        const uint32_t texel = o ? mem_texel_bytes(o->image.format) : 0;
        observe_stores(w, i, m, m->texels ? texel : m->element * m->count, written, at);
    }
    if (w->mask) {
        EXEC_FOR_ISA(exec_count_taps)
        (w, i, &taps, (exec_texture_cost){8, 8, 1, m->operation != SURFACE_LOAD});
    }
    return i + 1;
}

/* --- reductions --- */

#define DEFINE_REDUCTION(name, type, expression)                                      \
    static void name(void *at, uint64_t value)                                        \
    {                                                                                 \
        const type b = (type)value;                                                   \
        type a = __atomic_load_n((type *)at, __ATOMIC_RELAXED);                       \
        while (!__atomic_compare_exchange_n((type *)at, &a, (type)(expression), true, \
                                            __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {    \
        }                                                                             \
    }
DEFINE_REDUCTION(add_32, uint32_t, a + b)
DEFINE_REDUCTION(add_64, uint64_t, a + b)
DEFINE_REDUCTION(min_u32, uint32_t, a < b ? a : b)
DEFINE_REDUCTION(max_u32, uint32_t, a > b ? a : b)
DEFINE_REDUCTION(min_s32, int32_t, a < b ? a : b)
DEFINE_REDUCTION(max_s32, int32_t, a > b ? a : b)
DEFINE_REDUCTION(min_u64, uint64_t, a < b ? a : b)
DEFINE_REDUCTION(max_u64, uint64_t, a > b ? a : b)
DEFINE_REDUCTION(min_s64, int64_t, a < b ? a : b)
DEFINE_REDUCTION(max_s64, int64_t, a > b ? a : b)
DEFINE_REDUCTION(and_32, uint32_t, a &b)
DEFINE_REDUCTION(or_32, uint32_t, a | b)
DEFINE_REDUCTION(and_64, uint64_t, a &b)
DEFINE_REDUCTION(or_64, uint64_t, a | b)
#undef DEFINE_REDUCTION

typedef void (*reduction)(void *at, uint64_t value);

static reduction select_reduction(const ptx_insn *in)
{
    const ptx_type t = in->type[0];
    const bool wide = ptx_type_bytes(t) == 8, sign = ptx_type_class(t) == 'S';
    if (ptx_has_modifier(in, PTX_MOD_add))
        return wide ? add_64 : add_32;
    if (ptx_has_modifier(in, PTX_MOD_min))
        return wide ? (sign ? min_s64 : min_u64) : sign ? min_s32 : min_u32;
    if (ptx_has_modifier(in, PTX_MOD_max))
        return wide ? (sign ? max_s64 : max_u64) : sign ? max_s32 : max_u32;
    if (ptx_has_modifier(in, PTX_MOD_and))
        return wide ? and_64 : and_32;
    return ptx_has_modifier(in, PTX_MOD_or) ? (wide ? or_64 : or_32) : NULL;
}

/* --- selection --- */

static surface_form *make_surface_form(compile_translation *t, const ptx_insn *in, surface_op what,
                                       uint32_t place, uint32_t data)
{
    if (in->operand_count != 2 || in->type_count < 1 || in->opd[data].count < 1 ||
        in->opd[data].count > 4)
        return NULL;
    surface_form *m = compile_alloc_with_code(t, sizeof *m);
    if (!m || !EXEC_FOR_ISA(exec_place_of)(t, in, &in->opd[place], &m->place))
        return NULL;
    m->operation = what;
    m->bounds = ptx_has_modifier(in, PTX_MOD_clamp)  ? BOUNDS_CLAMP
                : ptx_has_modifier(in, PTX_MOD_zero) ? BOUNDS_ZERO
                                                     : BOUNDS_TRAP;
    m->element = ptx_type_bytes(in->type[0]);
    m->lane_bytes = m->element == 8 ? 8 : 4;
    m->count = in->opd[data].count;
    for (uint32_t c = 0; c < m->count; c++)
        m->to[c] = compile_slot_of_value(t, &in->opd[data].v[c], m->lane_bytes);
    return m;
}

EXEC_SELECT(suld)
{
    out->extra = make_surface_form(t, in, SURFACE_LOAD, 1, 0);
    return out->extra ? run_surface : NULL;
}

EXEC_SELECT(sust)
{
    const bool formatted = in->op == PTX_OP_sust_p;
    surface_form *m =
        make_surface_form(t, in, formatted ? SURFACE_STORE_CONVERTED : SURFACE_STORE, 0, 1);
    if (!m)
        return NULL;
    m->texels = formatted;
    out->extra = m;
    return run_surface;
}

EXEC_SELECT(sured)
{
    surface_form *m = make_surface_form(t, in, SURFACE_REDUCE, 0, 1);
    if (!m || m->count != 1 || !(m->reduce = select_reduction(in)))
        return NULL;
    m->texels = in->op == PTX_OP_sured_p;
    out->extra = m;
    return run_surface;
}
