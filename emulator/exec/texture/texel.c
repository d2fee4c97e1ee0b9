/* From coordinates to texels of a level, and from texels to values (Programming Guide, "Texture
 * Fetching"). Coordinates are rounded as on an H200 (tests/hardware/textures/h200, compared by
 * tests/hardware/textures/run-textures). */
#include "texel.h"

/* --- coordinates --- */

int32_t EXEC_FOR_ISA(exec_wrapped_texel_index)(int64_t i, uint32_t n, mem_wrap wrap)
{
    const int64_t size = n;
    if (i >= 0 && i < size)
        return (int32_t)i;
    switch (wrap) {
    case MEM_WRAP: i %= size; return (int32_t)(i < 0 ? i + size : i);
    case MEM_MIRROR:
        i %= 2 * size;
        i = i < 0 ? i + 2 * size : i;
        return (int32_t)(i < size ? i : 2 * size - 1 - i);
    case MEM_BORDER: return EXEC_OUTSIDE;
    default: return (int32_t)(i < 0 ? 0 : size - 1);
    }
}

/* Normalized coordinates are truncated to 21 fraction bits. */
#define COORDINATE_FRACTION_BITS 21
#define COORDINATE_ONE           (INT64_C(1) << COORDINATE_FRACTION_BITS)

/* Convert coordinate X to texels. Very large coordinates are reduced without changing the texel.
 * NaN and subnormals count as zero. */
double EXEC_FOR_ISA(exec_coordinate_in_texels)(float x, uint32_t n, const mem_sampler *s,
                                               mem_wrap wrap)
{
    const double most = 1 << 24;
    double u = isnan(x) || fabsf(x) < 0x1p-126f ? 0 : x;
    if (!s->normalized)
        return u < -most ? -most : u > most ? most : u;
    if (isinf(u))
        u = wrap == MEM_WRAP || wrap == MEM_MIRROR ? 0 : u;
    else if (fabs(u) > most)
        u = fmod(u, 2) + (u < 0 ? -most : most);
    u = u < -2 * most ? -2 * most : u > 2 * most ? 2 * most : u;
    int64_t cut = (int64_t)floor(u * COORDINATE_ONE);
    if (wrap == MEM_WRAP) {
        cut &= COORDINATE_ONE - 1;
    } else if (wrap == MEM_MIRROR) {
        cut &= 2 * COORDINATE_ONE -
               1; /* a mirrored texture repeats after twice its size: once forward, once back */
    }
    return (double)cut * n / (double)COORDINATE_ONE;
}

exec_axis_position EXEC_FOR_ISA(exec_find_seamless_position)(float x, uint32_t n,
                                                             const mem_sampler *s)
{
    const int64_t q =
        (int64_t)floor(EXEC_FOR_ISA(exec_coordinate_in_texels)(x, n, s, MEM_CLAMP) * 256 + 0.5) -
        128;
    const int32_t i = (int32_t)(q >> 8);
    return (exec_axis_position){i, i + 1, (uint32_t)(q & 255)};
}

void EXEC_FOR_ISA(exec_find_axis_position)(float x, uint32_t n, const mem_sampler *s, mem_wrap wrap,
                                           bool linear, exec_axis_position *out)
{
    int64_t texel,
        q; /* the texel that contains X; its distance from the first one's centre in 1/256 */
    bool inside;
    if (s->normalized && x >= 0 && x < 2) { /* in whole numbers, which hold all bits */
        int64_t cut = (int32_t)(x * (float)COORDINATE_ONE);
        inside = cut < COORDINATE_ONE;
        cut = wrap == MEM_WRAP ? cut & (COORDINATE_ONE - 1) : cut;
        texel = cut * n >> COORDINATE_FRACTION_BITS;
        q = ((cut * n + COORDINATE_ONE / 512) >> (COORDINATE_FRACTION_BITS - 8)) - 128;
    } else {
        const double u = EXEC_FOR_ISA(exec_coordinate_in_texels)(x, n, s, wrap);
        inside = u >= 0 && u < n;
        texel = (int64_t)floor(u);
        q = (int64_t)floor(u * 256 + 0.5) - 128;
    }
    if (s->ignores_wrap && wrap == MEM_CLAMP && s->noticed && !inside)
        atomic_fetch_or(s->noticed, MEM_NOTICE_CLAMPED);
    if (!linear) {
        const int32_t i = EXEC_FOR_ISA(exec_wrapped_texel_index)(texel, n, wrap);
        *out = (exec_axis_position){i, i, 0};
        return;
    }
    const int64_t i = q >> 8;
    *out = (exec_axis_position){EXEC_FOR_ISA(exec_wrapped_texel_index)(i, n, wrap),
                                EXEC_FOR_ISA(exec_wrapped_texel_index)(i + 1, n, wrap),
                                (uint32_t)(q & 255)};
    if (out->low == out->high && wrap == MEM_CLAMP) {
        out->weight = 0; /* the coordinate is clamped before filtering, so the neighbouring texel
                          * has no weight */
    }
}

uint32_t EXEC_FOR_ISA(exec_find_face)(const float at[3], float on[2])
{
    const float x = at[0], y = at[1], z = at[2];
    const float ax = fabsf(x), ay = fabsf(y), az = fabsf(z);
    uint32_t face;
    float m, s, t;
    if (az >= ax && az >= ay) {
        face = z < 0 ? 5 : 4;
        m = az;
        s = z < 0 ? -x : x;
        t = -y;
    } else if (ay >= ax) {
        face = y < 0 ? 3 : 2;
        m = ay;
        s = x;
        t = y < 0 ? -z : z;
    } else {
        face = x < 0 ? 1 : 0;
        m = ax;
        s = x < 0 ? z : -z;
        t = -y;
    }
    on[0] = m > 0 ? (s / m + 1) / 2 : 0.5f; /* a zero vector selects the middle of the face */
    on[1] = m > 0 ? (t / m + 1) / 2 : 0.5f;
    return face;
}

/* Move a texel across a cube edge: the neighbouring face is the one that a direction slightly
 * beyond the edge hits. */
uint32_t EXEC_FOR_ISA(exec_cross_edge)(uint32_t face, int32_t n, int32_t *x, int32_t *y)
{
    const float beyond = 1 + 0.25f / (float)n;
    const float s = *x < 0 ? -beyond : *x >= n ? beyond : (2 * (float)*x + 1) / (float)n - 1;
    const float t = *y < 0 ? -beyond : *y >= n ? beyond : (2 * (float)*y + 1) / (float)n - 1;
    const float at[6][3] = {{1, -t, -s}, {-1, -t, s}, {s, 1, t},
                            {s, -1, -t}, {s, -t, 1},  {-s, -t, -1}};
    float on[2];
    const uint32_t other = EXEC_FOR_ISA(exec_find_face)(at[face], on);
    *x = (int32_t)(on[0] * (float)n);
    *y = (int32_t)(on[1] * (float)n);
    return other;
}

/* --- texels --- */

static uint32_t channel_bits(const uint8_t *p, uint32_t bits)
{
    uint32_t v = 0;
    memcpy(&v, p, bits / 8);
    return v;
}

/* Convert a half to a float; a NaN keeps its bits. */
static uint32_t half_to_float_bits(uint32_t h)
{
    return (h & 0x7fff) > 0x7c00 ? (h & 0x8000) << 16 | 0x7f800000 | (h & 0x3ff) << 13
                                 : exec_bits32(exec_from_f16(h));
}

static float from_srgb(uint8_t v)
{
    static const uint32_t table[256] = {
#include "srgb.def"
    };
    return (float)table[v] / 65536;
}

/* The bits of the float that BITS, one channel in format F, represent. */
static uint32_t channel_to_float(uint32_t bits, mem_format f)
{
    switch (f.number) {
    case MEM_FLOAT: return f.bits == 16 ? half_to_float_bits(bits) : bits;
    case MEM_UINT:
    case MEM_UNORM: return exec_bits32((float)bits / (float)(UINT32_MAX >> (32 - f.bits)));
    default: {
        const float x = (float)exec_sign_extend(bits, f.bits) / (float)(INT32_MAX >> (32 - f.bits));
        return exec_bits32(x < -1 ? -1 : x);
    }
    }
}

uint32_t EXEC_FOR_ISA(exec_channel_float)(const mem_object *o, uint32_t c, uint32_t bits)
{
    return exec_is_srgb(o, c) ? exec_bits32(from_srgb((uint8_t)bits))
                              : channel_to_float(bits, o->image.format);
}

/* A channel of the border colour, converted to the bits of the texture's format. */
static uint32_t border_channel_bits(float colour, mem_format f, bool floats)
{
    if (f.bits == 32)
        return exec_bits32(colour);
    if (f.number == MEM_FLOAT)
        return exec_to_f16_toward_zero(colour);
    const uint32_t all = (1u << f.bits) - 1;
    if (!floats)
        return exec_bits32(colour) & all;
    const bool sign = f.number == MEM_SINT || f.number == MEM_SNORM;
    const float low = sign ? -1 : 0;
    const float x = !(colour > low) ? low : colour > 1 ? 1 : colour;
    /* Round up from 9/16 on, as recorded on an H200. */
    return (uint32_t)(int32_t)ceil((double)x * (sign ? all / 2 : all) - 0.5625) & all;
}

void EXEC_FOR_ISA(exec_read_raw)(const exec_fetch *f, const mem_mip_level *l, int32_t x, int32_t y,
                                 int32_t z, exec_texel *out)
{
    const mem_object *o = f->object;
    const mem_format format = o->image.format;
    *out = (exec_texel){{0, 0, 0, 0}};
    if (x < 0 || y < 0 || z < 0) {
        for (uint32_t c = 0; c < format.channels && !f->whole; c++)
            out->v[c] = border_channel_bits(o->sampler.border[c], format, exec_reads_floats(o));
        return;
    }
    const uint64_t at = (uint64_t)x * mem_texel_bytes(format);
    f->taps->at[f->taps->count++] =
        exec_texel_address(&o->image, l, at, (uint64_t)y, (uint64_t)z) & ~UINT64_C(31);
    const uint64_t from = l->base + (uint64_t)z * l->slice + (uint64_t)y * l->pitch + at;
    const uint8_t *p = (const uint8_t *)(from + (uint64_t)f->delta);
    if (f->reads)
        f->reads->at[f->reads->count++ % 16] = from;
    for (uint32_t c = 0; c < format.channels; c++)
        out->v[c] = channel_bits(p + c * format.bits / 8, format.bits);
}

void EXEC_FOR_ISA(exec_read_texel)(const exec_fetch *f, const mem_mip_level *l, int32_t x,
                                   int32_t y, int32_t z, exec_texel *out)
{
    const mem_object *o = f->object;
    const mem_format format = o->image.format;
    EXEC_FOR_ISA(exec_read_raw)(f, l, x, y, z, out);
    for (uint32_t c = 0; c < format.channels; c++) {
        if (!exec_reads_floats(o)) {
            out->v[c] = format.number == MEM_SINT
                            ? (uint32_t)exec_sign_extend(out->v[c], format.bits)
                            : out->v[c];
        } else {
            out->v[c] = EXEC_FOR_ISA(exec_channel_float)(o, c, out->v[c]);
        }
    }
}
