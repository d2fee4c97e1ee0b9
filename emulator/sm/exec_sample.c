/* What a texture unit does with one lane's coordinates: the level, the texels, their weights, the
 * sum. Weights have eight bits of fraction (Programming Guide, "Linear Filtering"); how everything
 * is rounded is what an H200 does: tests/gpu/h200/textures, held against by tests/ptx/run-textures.
 */
#include "exec_half.h"
#include "sample.h"

#include <limits.h>

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

/* Normalized coordinates have 21 bits of fraction, cut off. */
#define UNIT_BITS 21
#define UNIT      (INT64_C(1) << UNIT_BITS)

/* A coordinate in texels. Far ones are brought near, which changes no texel; a NaN and what is too
 * small for a normal number are zero. */
static double in_texels(float x, uint32_t n, const mem_sampler *s, mem_wrap wrap)
{
    const double most = 1 << 24;
    double u = isnan(x) || fabsf(x) < 0x1p-126f ? 0 : x;
    if (!s->normalized) {
        return u < -most ? -most : u > most ? most : u;
    }
    if (isinf(u)) {
        u = wrap == MEM_WRAP || wrap == MEM_MIRROR ? 0 : u;
    } else if (fabs(u) > most) {
        u = fmod(u, 2) + (u < 0 ? -most : most);
    }
    u = u < -2 * most ? -2 * most : u > 2 * most ? 2 * most : u;
    int64_t cut = (int64_t)floor(u * UNIT);
    if (wrap == MEM_WRAP) {
        cut &= UNIT - 1;
    } else if (wrap == MEM_MIRROR) {
        cut &= 2 * UNIT - 1; /* there and back */
    }
    return (double)cut * n / (double)UNIT;
}

/* The texel below and the one above, which may lie on the next face of a cube. */
static spot find_open_spot(float x, uint32_t n, const mem_sampler *s)
{
    const int64_t q = (int64_t)floor(in_texels(x, n, s, MEM_CLAMP) * 256 + 0.5) - 128;
    const int32_t i = (int32_t)(q >> 8);
    return (spot){i, i + 1, (uint32_t)(q & 255)};
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
    spot p = {into_range(i, n, wrap), into_range(i + 1, n, wrap), (uint32_t)(q & 255)};
    if (p.low == p.high && wrap == MEM_CLAMP) {
        p.weight = 0; /* the coordinate is clamped, not the texel */
    }
    return p;
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
    on[0] = m > 0 ? (s / m + 1) / 2 : 0.5f; /* no direction at all: the middle */
    on[1] = m > 0 ? (t / m + 1) / 2 : 0.5f;
    return face;
}

/* Where texel X, Y of FACE lies that is one step across an edge; faces have N by N. The other face
 * is the one that a direction a little beyond the edge finds. */
static uint32_t cross_edge(uint32_t face, int32_t n, int32_t *x, int32_t *y)
{
    const float beyond = 1 + 0.25f / (float)n;
    const float s = *x < 0 ? -beyond : *x >= n ? beyond : (2 * (float)*x + 1) / (float)n - 1;
    const float t = *y < 0 ? -beyond : *y >= n ? beyond : (2 * (float)*y + 1) / (float)n - 1;
    const float at[6][3] = {{1, -t, -s}, {-1, -t, s}, {s, 1, t},
                            {s, -1, -t}, {s, -t, 1},  {-s, -t, -1}};
    float on[2];
    const uint32_t other = find_face(at[face], on);
    *x = (int32_t)(on[0] * (float)n);
    *y = (int32_t)(on[1] * (float)n);
    return other;
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

/* A NaN keeps its bits. */
static uint32_t half_bits(uint32_t h)
{
    return (h & 0x7fff) > 0x7c00 ? (h & 0x8000) << 16 | 0x7f800000 | (h & 0x3ff) << 13
                                 : sm_bits32(sm_from_f16(h));
}

static float from_srgb(uint32_t v)
{
    static const uint32_t table[256] = {
#include "srgb.def"
    };
    return (float)table[v] / 65536;
}

/* The float that BITS of a channel stand for, as bits. */
static uint32_t float_of(uint32_t bits, mem_format f)
{
    switch (f.number) {
    case MEM_FLOAT:
        return f.bits == 16 ? half_bits(bits) : bits;
    case MEM_UINT:
    case MEM_UNORM:
        return sm_bits32((float)bits / (float)((1u << f.bits) - 1));
    default: {
        const float x = (float)extend(bits, f.bits) / (float)((1u << (f.bits - 1)) - 1);
        return sm_bits32(x < -1 ? -1 : x);
    }
    }
}

/* A channel of the border: its bits as the format would hold them. */
static uint32_t border_bits(float colour, mem_format f, bool floats)
{
    if (f.bits == 32) {
        return sm_bits32(colour);
    }
    if (f.number == MEM_FLOAT) {
        return sm_cut_f16(colour);
    }
    const uint32_t all = (1u << f.bits) - 1;
    if (!floats) {
        return sm_bits32(colour) & all;
    }
    const bool sign = f.number == MEM_SINT || f.number == MEM_SNORM;
    const float low = sign ? -1 : 0;
    const float x = !(colour > low) ? low : colour > 1 ? 1 : colour;
    /* From 9/16 up: so the recorded ones are rounded. */
    return (uint32_t)(int32_t)ceil((double)x * (sign ? all / 2 : all) - 0.5625) & all;
}

/* The channels of a texel as they lie in memory; those that the format does not have are 0. */
typedef struct texel {
    uint32_t v[4];
} texel;

static texel read_raw(const sm_fetch *f, const mem_level *l, int32_t x, int32_t y, int32_t z)
{
    const mem_object *o = f->object;
    const mem_format format = o->image.format;
    texel t = {{0, 0, 0, 0}};
    if (x < 0 || y < 0 || z < 0) {
        for (uint32_t c = 0; c < format.channels && !f->whole; c++) {
            t.v[c] = border_bits(o->sampler.border[c], format, sm_reads_floats(o));
        }
        return t;
    }
    const uint64_t at = (uint64_t)x * mem_texel_bytes(format);
    f->taps->at[f->taps->count++] =
        sm_laid_out(&o->image, l, at, (uint64_t)y, (uint64_t)z) & ~UINT64_C(31);
    const uint8_t *p = (const uint8_t *)(l->base + (uint64_t)z * l->slice + (uint64_t)y * l->pitch +
                                         at + f->delta);
    for (uint32_t c = 0; c < format.channels; c++) {
        t.v[c] = channel_bits(p + c * format.bits / 8, format.bits);
    }
    return t;
}

/* sRGB is for the colours, not for alpha. */
static bool is_srgb(const mem_object *o, uint32_t c)
{
    return o->sampler.srgb && o->image.format.bits == 8 && c < 3;
}

/* As the kernel gets it. */
static texel read_texel(const sm_fetch *f, const mem_level *l, int32_t x, int32_t y, int32_t z)
{
    const mem_object *o = f->object;
    const mem_format format = o->image.format;
    texel t = read_raw(f, l, x, y, z);
    for (uint32_t c = 0; c < format.channels; c++) {
        if (!sm_reads_floats(o)) {
            t.v[c] = format.number == MEM_SINT ? (uint32_t)extend(t.v[c], format.bits) : t.v[c];
        } else {
            t.v[c] = is_srgb(o, c) ? sm_bits32(from_srgb(t.v[c])) : float_of(t.v[c], format);
        }
    }
    return t;
}

/* --- one level ----------------------------------------------------------------------------------
 */

typedef struct footprint {
    spot x, y, z;
} footprint;

static bool filters(const sm_fetch *f)
{
    return f->object->sampler.linear && !f->whole && sm_reads_floats(f->object);
}

/* Does the filter go on across the edges of a cube's faces? */
static bool is_seamless(const sm_fetch *f, bool linear)
{
    return linear && f->object->sampler.seamless &&
           (f->geometry == SM_TEX_CUBE || f->geometry == SM_TEX_ACUBE);
}

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
    if (f->whole) { /* no address mode: nothing lies outside */
        p.x.low = into_range(f->cell[0], l->width, MEM_BORDER);
        p.y.low = axes > 1 ? into_range(f->cell[1], l->height, MEM_BORDER) : 0;
        p.z.low = f->geometry == SM_TEX_3D ? into_range(f->cell[2], l->depth, MEM_BORDER) : p.z.low;
        return p;
    }
    if (is_seamless(f, linear)) {
        p.x = find_open_spot(at[0], l->width, s);
        p.y = find_open_spot(at[1], l->height, s);
        return p;
    }
    p.x = find_spot(at[0], l->width, s, s->wrap[0], linear);
    /* A texture of one dimension has a row that lies at y = 0, half of it outside. */
    if (f->geometry != SM_TEX_A1D) {
        p.y = find_spot(axes > 1 ? at[1] : 0, l->height, s, s->wrap[1], linear);
    }
    if (f->geometry == SM_TEX_3D) {
        p.z = find_spot(at[2], l->depth, s, s->wrap[2], linear);
    }
    return p;
}

static uint32_t up(uint32_t product)
{
    return (product + 128) >> 8;
}

/* Weights of a slice's four texels (x fastest), out of WHOLE. */
static void share(uint32_t whole, uint32_t x, uint32_t y, uint32_t weight[4])
{
    const uint32_t right = up(x * whole), left = whole - right;
    weight[3] = up(right * y);
    weight[1] = right - weight[3];
    weight[0] = up(left * (256 - y));
    weight[2] = left - weight[0];
}

/* Four products summed as the unit does: numbers with four bits more than a significand has,
 * counted from the largest one's first bit; what lies below is cut off. */
typedef struct slice_sum {
    int64_t sum; /* times 2^exponent */
    int exponent;
    bool nan, up, down; /* a NaN, plus infinity, minus infinity takes part */
} slice_sum;

static slice_sum sum_slice(const uint32_t bits[4], const uint32_t weight[4], int significand)
{
    slice_sum s = {.exponent = -1000};
    for (uint32_t k = 0; k < 4; k++) {
        const int e = (int)(bits[k] >> 23 & 255);
        if (weight[k] && e != 255 && e) {
            s.exponent = e > s.exponent ? e : s.exponent;
        }
    }
    for (uint32_t k = 0; k < 4; k++) {
        const int e = (int)(bits[k] >> 23 & 255);
        const int64_t m = 0x800000 | (bits[k] & 0x7fffff);
        if (!weight[k] || !e) {
            continue;
        }
        if (e == 255) {
            s.nan = s.nan || (bits[k] & 0x7fffff);
            s.up = s.up || !(bits[k] >> 31);
            s.down = s.down || bits[k] >> 31;
            continue;
        }
        const int shift = significand + 4 - 24 - (s.exponent - e);
        const int64_t part = (shift < -62 ? 0 : shift < 0 ? m >> -shift : m << shift) * weight[k];
        s.sum += bits[k] >> 31 ? -part : part;
    }
    s.exponent -= 127 + significand + 3 + 8; /* weights are in 1/256 */
    return s;
}

/* To SIGNIFICAND bits, halves away from zero; what is too small for a normal number is zero. */
static double round_sum(__int128 sum, int exponent, int significand, int smallest)
{
    unsigned __int128 m = sum < 0 ? -(unsigned __int128)sum : (unsigned __int128)sum;
    int bits = 0;
    for (unsigned __int128 rest = m; rest; rest >>= 1) {
        bits++;
    }
    int drop = bits - significand;
    if (drop + exponent < smallest) {
        drop = smallest - exponent;
    }
    if (drop > 0) {
        m = drop > bits ? 0 : (m >> drop) + (m >> (drop - 1) & 1);
        exponent += drop;
    }
    const double x = ldexp((double)m, exponent);
    return sum < 0 ? -x : x;
}

#define SLICES 4 /* at most: two of each of two levels of a volume */

static uint32_t join_slices(const slice_sum *s, uint32_t count, bool half)
{
    bool nan = false, up = false, down = false;
    int highest = INT_MIN;
    for (uint32_t k = 0; k < count; k++) {
        nan |= s[k].nan;
        up |= s[k].up;
        down |= s[k].down;
        highest = s[k].sum && s[k].exponent > highest ? s[k].exponent : highest;
    }
    if (nan || (up && down)) {
        return SM_NAN_F32;
    }
    if (up || down) {
        return up ? 0x7f800000 : 0xff800000;
    }
    /* Of what lies far below the largest only the sign can matter. */
    __int128 sum = 0;
    for (uint32_t k = 0; k < count; k++) {
        const int apart = highest - s[k].exponent;
        if (s[k].sum) {
            sum += apart < 80 ? s[k].sum * ((__int128)1 << (80 - apart)) : s[k].sum < 0 ? -1 : 1;
        }
    }
    const int exponent = sum ? highest - 80 : 0;
    const double x = half ? round_sum(sum, exponent, 11, -24) : round_sum(sum, exponent, 24, -149);
    const float y = half && fabs(x) > 65504 ? copysignf(INFINITY, (float)x) : (float)x;
    return fabsf(y) < 0x1p-126f ? 0 : sm_bits32(y);
}

/* Normalized integers are blended with 16 bits and become floats last. */
static uint32_t blend_normalized(const uint32_t *v, const uint32_t *weight, uint32_t texels,
                                 mem_format f)
{
    int64_t sum = 0;
    const bool sign = f.number == MEM_SINT || f.number == MEM_SNORM;
    for (uint32_t k = 0; k < texels; k++) {
        sum += (sign ? (int64_t)extend(v[k], f.bits) : (int64_t)v[k]) * weight[k];
    }
    if (!sign) {
        sum *= f.bits == 8 ? 257 : 1; /* 255 becomes 65535 */
        return sm_bits32((float)((sum + 128) >> 8) / 65535);
    }
    /* 127 becomes 32767, the long way round. */
    int64_t x = f.bits == 8 ? sum + (((sum >> 4) + (sum >> 12) + 4) >> 3) : (sum + 128) >> 8;
    x = x < -32767 ? -32767 : x;
    return sm_bits32((float)x / 32767);
}

/* Four texels, and their part of all weight: a level, or a slice of a volume. */
typedef struct slice {
    const mem_level *level;
    spot x, y;
    int32_t z;
    uint32_t whole; /* of 256 */
} slice;

static bool outside(int32_t i, uint32_t n)
{
    return i < 0 || i >= (int32_t)n;
}

/* Texel K of a slice's four: column, row, and slice or face. */
typedef struct place {
    int32_t x, y, z;
} place;

static place place_of(const slice *s, uint32_t k, bool seamless)
{
    place p = {k & 1 ? s->x.high : s->x.low, k & 2 ? s->y.high : s->y.low, s->z};
    if (seamless && (outside(p.x, s->level->width) || outside(p.y, s->level->height))) {
        const uint32_t face = (uint32_t)p.z % 6;
        p.z += (int32_t)cross_edge(face, (int32_t)s->level->width, &p.x, &p.y) - (int32_t)face;
    }
    return p;
}

/* At a corner of a cube three texels meet: they share what the fourth would have. */
static void share_corner(const slice *s, uint32_t weight[4])
{
    for (uint32_t k = 0; k < 4; k++) {
        if (outside(k & 1 ? s->x.high : s->x.low, s->level->width) &&
            outside(k & 2 ? s->y.high : s->y.low, s->level->height)) {
            const uint32_t third = (weight[k] + 1) / 3;
            weight[k ^ 1] += third;
            weight[k ^ 2] += third;
            weight[k ^ 3] += weight[k] - 2 * third;
            weight[k] = 0;
        }
    }
}

static texel blend(const sm_fetch *f, const slice *part, uint32_t count)
{
    const mem_object *o = f->object;
    const mem_format format = o->image.format;
    const uint32_t texels = 4 * count;
    const bool seamless = is_seamless(f, filters(f));
    uint32_t weight[4 * SLICES] = {0}, v[4][4 * SLICES] = {{0}};
    for (uint32_t k = 0; k < count; k++) {
        share(part[k].whole, part[k].x.weight, part[k].y.weight, weight + 4 * k);
        if (seamless) {
            share_corner(&part[k], weight + 4 * k);
        }
    }
    for (uint32_t k = 0; k < texels; k++) {
        const slice *s = &part[k / 4];
        if (weight[k]) {
            const place at = place_of(s, k % 4, seamless);
            const texel t = read_raw(f, s->level, at.x, at.y, at.z);
            for (uint32_t c = 0; c < 4; c++) {
                v[c][k] = t.v[c];
            }
        }
    }
    texel out = {{0, 0, 0, 0}};
    for (uint32_t c = 0; c < format.channels; c++) {
        if (format.number != MEM_FLOAT && !is_srgb(o, c)) {
            out.v[c] = blend_normalized(v[c], weight, texels, format);
            continue;
        }
        const bool half = format.bits < 32; /* sRGB is blended as halves are */
        for (uint32_t k = 0; k < texels; k++) {
            v[c][k] = is_srgb(o, c) ? sm_bits32(from_srgb(v[c][k])) : float_of(v[c][k], format);
        }
        slice_sum s[SLICES];
        for (uint32_t k = 0; k < count; k++) {
            s[k] = sum_slice(v[c] + 4 * k, weight + 4 * k, half ? 11 : 24);
        }
        out.v[c] = join_slices(s, count, half);
    }
    return out;
}

static texel sample_level(const sm_fetch *f, uint32_t index)
{
    const mem_level *l = &f->object->image.level[index];
    const bool linear = filters(f);
    const footprint p = find_footprint(f, l, linear);
    if (!linear) {
        return read_texel(f, l, p.x.low, p.y.low, p.z.low);
    }
    const slice part[2] = {{l, p.x, p.y, p.z.low, 256 - p.z.weight},
                           {l, p.x, p.y, p.z.high, p.z.weight}};
    return blend(f, part, 2);
}

/* Between two levels, the farther one with WEIGHT. A volume's share of a level is split once more,
 * the lower slice rounded. */
static texel sample_between(const sm_fetch *f, uint32_t low, uint32_t weight)
{
    const bool linear = filters(f), volume = linear && f->geometry == SM_TEX_3D;
    slice part[SLICES];
    uint32_t count = 0;
    for (uint32_t k = 0; k < 2; k++) {
        const mem_level *l = &f->object->image.level[low + k];
        const footprint p = find_footprint(f, l, linear);
        const uint32_t whole = k ? weight : 256 - weight;
        const uint32_t below = volume ? up((256 - p.z.weight) * whole) : whole;
        part[count++] = (slice){l, p.x, p.y, p.z.low, below};
        if (volume) {
            part[count++] = (slice){l, p.x, p.y, p.z.high, whole - below};
        }
    }
    return blend(f, part, count);
}

/* --- levels -------------------------------------------------------------------------------------
 */

/* About how long D is in texels: the device has no square root. */
static double length_of(const double d[3])
{
    double most = 0, middle = 0, least = 0;
    for (uint32_t a = 0; a < 3; a++) {
        const double x = fabs(d[a]);
        if (x > most) {
            least = middle;
            middle = most;
            most = x;
        } else if (x > middle) {
            least = middle;
            middle = x;
        } else {
            least = x > least ? x : least;
        }
    }
    return most + middle * 11 / 32 + least / 4;
}

/* log2 of how many texels of level 0 lie between neighbouring pixels, the longest way: along an
 * axis or a diagonal. Within 2/256 of what an H200 takes. */
static float level_of_gradient(const sm_fetch *f)
{
    const mem_level *l = &f->object->image.level[0];
    const double size[3] = {l->width, l->height, l->depth};
    double d[4][3] = {{0}};
    for (uint32_t a = 0; a < sm_axes(f->geometry); a++) {
        const double x = f->d[0][a] * size[a], y = f->d[1][a] * size[a];
        d[0][a] = x;
        d[1][a] = y;
        d[2][a] = (x + y) * 11 / 16;
        d[3][a] = (x - y) * 11 / 16;
    }
    double longest = 0;
    for (uint32_t k = 0; k < 4; k++) {
        const double length = length_of(d[k]);
        longest = length > longest ? length : longest;
    }
    return longest > 0 ? (float)log2(longest) : -INFINITY;
}

static texel sample_mipmap(const sm_fetch *f)
{
    const mem_object *o = f->object;
    const mem_sampler *s = &o->sampler;
    const float last = (float)(o->image.levels - 1);
    float level = f->level_from == SM_LEVEL_GRADIENT ? level_of_gradient(f) + s->bias
                  : f->level_from == SM_LEVEL_GIVEN  ? f->level + s->bias
                                                     : 0;
    level = level > s->max_level ? s->max_level : level;
    level = level >= s->min_level ? level : s->min_level;
    level = level > last ? last : level;
    level = level >= 0 ? level : 0;
    if (!s->mip_linear || !sm_reads_floats(o)) {
        return sample_level(f, (uint32_t)floorf(level + 0.5f));
    }
    const uint32_t q = (uint32_t)floorf(level * 256), low = q >> 8;
    int32_t weight = (int32_t)(q & 255);
    if (s->anisotropy > 1) { /* the unit then stays longer with one level */
        weight = weight < 64 ? 0 : weight > 192 ? 256 : 2 * weight - 128;
    }
    return weight == 0     ? sample_level(f, low)
           : weight == 256 ? sample_level(f, low + 1)
                           : sample_between(f, low, (uint32_t)weight);
}

/* --- linear memory and gathers ------------------------------------------------------------------
 */

/* Outside the texture there is nothing but zeros. */
static bool sample_buffer(const sm_fetch *f, texel *t)
{
    const mem_image *image = &f->object->image;
    const mem_level *l = &image->level[0];
    const int64_t i =
        f->whole ? f->cell[0]
                 : (int64_t)floor(in_texels(f->at[0], l->width, &f->object->sampler, MEM_BORDER));
    *t = (texel){{0, 0, 0, 0}};
    if (i < 0 || i >= l->width) {
        return true;
    }
    if ((uint64_t)(i + 1) * mem_texel_bytes(image->format) > image->bytes) {
        return false;
    }
    *t = read_texel(f, l, (int32_t)i, 0, 0);
    return true;
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

bool SM_LEVEL(sm_sample)(const sm_fetch *f, uint32_t out[4])
{
    const mem_image *image = &f->object->image;
    texel t;
    if (image->kind == MEM_IMAGE_BUFFER) {
        if (!sample_buffer(f, &t)) {
            return false;
        }
    } else {
        t = f->gather >= 0                   ? gather(f)
            : image->levels > 1 && !f->whole ? sample_mipmap(f)
                                             : sample_level(f, 0);
    }
    memcpy(out, t.v, sizeof t.v);
    return true;
}
