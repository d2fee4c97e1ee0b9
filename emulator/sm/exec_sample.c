/* What a texture unit does with one lane's coordinates: the level, the texels, their weights, the
 * sum. Weights have eight bits of fraction (Programming Guide, "Linear Filtering"); how the rest is
 * rounded comes from tests/gpu/h200/textures. */
#include "exec_half.h"
#include "sample.h"

/* Where a coordinate falls on one axis: the texel at or below, the one above, and the weight of the
 * latter in 1/256. OUTSIDE: the border. */
#define OUTSIDE (-1)
typedef struct spot {
    int32_t low, high;
    uint32_t weight;
} spot;

/* --- coordinates --------------------------------------------------------------------------------
 */

static int32_t into_range(int64_t i, uint32_t n, mem_wrap wrap)
{
    const int64_t size = n;
    switch (wrap) {
    case MEM_WRAP:
        i %= size;
        return (int32_t)(i < 0 ? i + size : i);
    case MEM_MIRROR:
        i %= 2 * size;
        i = i < 0 ? i + 2 * size : i;
        return (int32_t)(i < size ? i : 2 * size - 1 - i);
    case MEM_BORDER:
        return i < 0 || i >= size ? OUTSIDE : (int32_t)i;
    default:
        return (int32_t)(i < 0 ? 0 : i >= size ? size - 1 : i);
    }
}

/* A coordinate in texels, in 1/256. Far ones are brought near, which changes no texel. */
static double in_texels(float x, uint32_t n, const mem_sampler *s, mem_wrap wrap)
{
    double u = x;
    if (isnan(u)) {
        return 0;
    }
    if (s->normalized) {
        if (wrap == MEM_WRAP) {
            u = isinf(u) ? 0 : u - floor(u);
        } else if (wrap == MEM_MIRROR) {
            u = isinf(u) ? 0 : u - 2 * floor(u / 2);
        }
        u *= n;
    }
    const double most = 1 << 24;
    return u < -most ? -most : u > most ? most : u;
}

static spot find_spot(float x, uint32_t n, const mem_sampler *s, mem_wrap wrap, bool linear)
{
    const double u = in_texels(x, n, s, wrap);
    if (!linear) {
        const int32_t i = into_range((int64_t)floor(u), n, wrap);
        return (spot){i, i, 0};
    }
    const int64_t q = (int64_t)floor(u * 256 + 0.5) - 128;
    const int64_t i = q >> 8;
    return (spot){into_range(i, n, wrap), into_range(i + 1, n, wrap), (uint32_t)(q & 255)};
}

/* Face of the direction AT, and where on it, from 0 to 1 (Programming Guide, "Cubemap Textures").
 */
static uint32_t find_face(const float at[3], float on[2])
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
    on[0] = (s / m + 1) / 2;
    on[1] = (t / m + 1) / 2;
    return face;
}

/* --- texels -------------------------------------------------------------------------------------
 */

static uint32_t channel_bits(const uint8_t *p, uint32_t bits)
{
    uint32_t v = 0;
    memcpy(&v, p, bits / 8);
    return v;
}

static int32_t extend(uint32_t v, uint32_t bits)
{
    return (int32_t)(v << (32 - bits)) >> (32 - bits);
}

static float from_srgb(uint32_t v)
{
    const double c = v / 255.0;
    return (float)(c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4));
}

static float to_float(uint32_t v, mem_format f)
{
    switch (f.number) {
    case MEM_FLOAT:
        return f.bits == 16 ? sm_from_f16(v) : sm_f32(v);
    case MEM_UINT:
    case MEM_UNORM:
        return (float)v / (float)((1u << f.bits) - 1);
    default: {
        const float most = (float)((1u << (f.bits - 1)) - 1);
        const float x = (float)extend(v, f.bits) / most;
        return x < -1 ? -1 : x;
    }
    }
}

/* Bits of a texel; channels that the format does not have are 0, the last one 1. */
typedef struct texel {
    uint32_t v[4];
} texel;

static texel read_texel(const sm_fetch *f, const mem_level *l, int32_t x, int32_t y, int32_t z)
{
    const mem_object *o = f->object;
    const mem_format format = o->image.format;
    const bool floats = sm_reads_floats(o);
    texel t = {{0, 0, 0, floats ? sm_bits32(1) : 1}};
    if (x < 0 || y < 0 || z < 0) {
        for (uint32_t c = 0; c < 4; c++) {
            t.v[c] = sm_bits32(o->sampler.border[c]);
        }
        return t;
    }
    const uint32_t bytes = mem_texel_bytes(format);
    const uint64_t at = (uint64_t)x * bytes;
    f->taps->at[f->taps->count++] =
        sm_laid_out(&o->image, l, at, (uint64_t)y, (uint64_t)z) & ~UINT64_C(31);
    const uint8_t *p = (const uint8_t *)(l->base + (uint64_t)z * l->slice + (uint64_t)y * l->pitch +
                                         at + f->delta);
    for (uint32_t c = 0; c < format.channels; c++) {
        const uint32_t bits = channel_bits(p + c * format.bits / 8, format.bits);
        if (floats && o->sampler.srgb && format.bits == 8 && c < 3) {
            t.v[c] = sm_bits32(from_srgb(bits));
        } else if (floats) {
            t.v[c] = sm_bits32(to_float(bits, format));
        } else {
            t.v[c] = format.number == MEM_SINT ? (uint32_t)extend(bits, format.bits) : bits;
        }
    }
    return t;
}

/* --- one level ----------------------------------------------------------------------------------
 */

typedef struct footprint {
    spot x, y, z;
} footprint;

static footprint find_footprint(const sm_fetch *f, const mem_level *l, bool linear)
{
    const mem_sampler *s = &f->object->sampler;
    const uint32_t axes = sm_axes(f->geometry);
    const spot none = {0, 0, 0};
    footprint p = {none, none, none};
    float at[3] = {f->at[0], f->at[1], f->at[2]};
    uint32_t layer = f->layer, layers = l->depth;
    if (f->geometry == SM_TEX_CUBE || f->geometry == SM_TEX_ACUBE) {
        const uint32_t face = find_face(f->at, at);
        const uint32_t cubes = layers / 6;
        layer = f->geometry == SM_TEX_CUBE ? 0 : layer < cubes ? layer : cubes - 1;
        p.z.low = p.z.high = (int32_t)(layer * 6 + face);
    } else if (sm_layered(f->geometry)) {
        p.z.low = p.z.high = (int32_t)(layer < layers ? layer : layers - 1);
    }
    if (f->whole) {
        p.x.low = into_range(f->cell[0], l->width, s->wrap[0]);
        p.y.low = axes > 1 ? into_range(f->cell[1], l->height, s->wrap[1]) : 0;
        p.z.low = f->geometry == SM_TEX_3D ? into_range(f->cell[2], l->depth, s->wrap[2]) : p.z.low;
        return p;
    }
    p.x = find_spot(at[0], l->width, s, s->wrap[0], linear);
    if (axes > 1) {
        p.y = find_spot(at[1], l->height, s, s->wrap[1], linear);
    }
    if (f->geometry == SM_TEX_3D) {
        p.z = find_spot(at[2], l->depth, s, s->wrap[2], linear);
    }
    return p;
}

static void blend(const sm_fetch *f, const mem_level *l, const footprint *p, double sum[4])
{
    const spot *const axis[3] = {&p->x, &p->y, &p->z};
    for (uint32_t c = 0; c < 4; c++) {
        sum[c] = 0;
    }
    for (uint32_t corner = 0; corner < 8; corner++) {
        int32_t i[3];
        double weight = 1;
        bool there = true;
        for (uint32_t k = 0; k < 3; k++) {
            const bool high = corner >> k & 1;
            const bool flat = axis[k]->low == axis[k]->high && axis[k]->weight == 0;
            there = there && !(high && flat);
            i[k] = high ? axis[k]->high : axis[k]->low;
            weight *= flat ? 1 : (high ? axis[k]->weight : 256 - axis[k]->weight) / 256.0;
        }
        if (!there) {
            continue;
        }
        const texel t = read_texel(f, l, i[0], i[1], i[2]);
        for (uint32_t c = 0; c < 4; c++) {
            sum[c] += weight * sm_f32(t.v[c]);
        }
    }
}

static texel sample_level(const sm_fetch *f, uint32_t index)
{
    const mem_object *o = f->object;
    const mem_level *l = &o->image.level[index];
    const bool linear = o->sampler.linear && !f->whole && sm_reads_floats(o);
    const footprint p = find_footprint(f, l, linear);
    if (!linear) {
        return read_texel(f, l, p.x.low, p.y.low, p.z.low);
    }
    double sum[4];
    texel t;
    blend(f, l, &p, sum);
    for (uint32_t c = 0; c < 4; c++) {
        t.v[c] = sm_bits32((float)sum[c]);
    }
    return t;
}

/* --- levels -------------------------------------------------------------------------------------
 */

/* log2 of how many texels of level 0 lie between neighbouring pixels, the longer way. */
static float level_of_gradient(const sm_fetch *f)
{
    const mem_level *l = &f->object->image.level[0];
    const double size[3] = {l->width, l->height, l->depth};
    const uint32_t axes = sm_axes(f->geometry);
    double longest = 0;
    for (uint32_t k = 0; k < 2; k++) {
        double sum = 0;
        for (uint32_t a = 0; a < axes; a++) {
            const double d = f->d[k][a] * size[a];
            sum += d * d;
        }
        longest = sum > longest ? sum : longest;
    }
    return longest > 0 ? (float)(log2(longest) / 2) : -INFINITY;
}

static texel sample_mipmap(const sm_fetch *f)
{
    const mem_object *o = f->object;
    const mem_sampler *s = &o->sampler;
    const float last = (float)(o->image.levels - 1);
    float level = f->level_from == SM_LEVEL_GRADIENT ? level_of_gradient(f)
                  : f->level_from == SM_LEVEL_GIVEN  ? f->level
                                                     : 0;
    level += s->bias;
    level = level > s->max_level ? s->max_level : level;
    level = level >= s->min_level ? level : s->min_level;
    level = level > last ? last : level;
    level = level >= 0 ? level : 0;
    if (!s->mip_linear) {
        return sample_level(f, (uint32_t)floorf(level + 0.5f));
    }
    const uint32_t q = (uint32_t)floorf(level * 256 + 0.5f), low = q >> 8;
    texel a = sample_level(f, low);
    if ((q & 255) == 0) {
        return a;
    }
    const texel b = sample_level(f, low + 1);
    for (uint32_t c = 0; c < 4; c++) {
        const double w = (q & 255) / 256.0;
        a.v[c] = sm_bits32((float)((1 - w) * sm_f32(a.v[c]) + w * sm_f32(b.v[c])));
    }
    return a;
}

/* --- linear memory and gathers ------------------------------------------------------------------
 */

static texel sample_buffer(const sm_fetch *f)
{
    const mem_level *l = &f->object->image.level[0];
    const int64_t i = f->whole
                          ? f->cell[0]
                          : (int64_t)in_texels(f->at[0], l->width, &f->object->sampler, MEM_BORDER);
    const texel nothing = {{0, 0, 0, 0}};
    return i < 0 || i >= l->width ? nothing : read_texel(f, l, (int32_t)i, 0, 0);
}

/* The four texels that linear filtering would blend, counter-clockwise from the lower left one. */
static texel gather(const sm_fetch *f)
{
    const mem_level *l = &f->object->image.level[0];
    const footprint p = find_footprint(f, l, true);
    const int32_t x[4] = {p.x.low, p.x.high, p.x.high, p.x.low};
    const int32_t y[4] = {p.y.high, p.y.high, p.y.low, p.y.low};
    texel out;
    for (uint32_t k = 0; k < 4; k++) {
        out.v[k] = read_texel(f, l, x[k], y[k], p.z.low).v[f->gather];
    }
    return out;
}

void SM_LEVEL(sm_sample)(const sm_fetch *f, uint32_t out[4])
{
    const mem_image *image = &f->object->image;
    const texel t = f->gather >= 0                    ? gather(f)
                    : image->kind == MEM_IMAGE_BUFFER ? sample_buffer(f)
                    : image->levels > 1 && !f->whole  ? sample_mipmap(f)
                                                      : sample_level(f, 0);
    memcpy(out, t.v, sizeof t.v);
}
