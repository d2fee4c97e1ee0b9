/* Blending of texels: the weights of the texels, and their weighted sum. Weights have eight
 * fraction bits (Programming Guide, "Linear Filtering"). The rounding is that of an H200
 * (tests/hardware/textures/h200, compared by tests/hardware/textures/run-textures). */
#include "texel.h"

#include <limits.h>

/* Divide the weight WHOLE among the four texels of a slice (x fastest). */
static void bilinear_weights(uint32_t whole, uint32_t x, uint32_t y, uint32_t weight[4])
{
    const uint32_t right = exec_weight_product(x * whole), left = whole - right;
    weight[3] = exec_weight_product(right * y);
    weight[1] = right - weight[3];
    weight[0] = exec_weight_product(left * (256 - y));
    weight[2] = left - weight[0];
}

/* The sum of four products as the texture unit computes it: terms have four bits more than a
 * significand, counted from the largest term's first bit, and lower bits are truncated. */
typedef struct slice_sum {
    int64_t sum;        /* the sum, in units of 2^exponent */
    int exponent;       /* power of two of one unit of `sum` */
    bool nan, up, down; /* a NaN, plus infinity or minus infinity occurs */
} slice_sum;

static slice_sum sum_weighted_texels(const uint32_t bits[4], const uint32_t weight[4],
                                     int significand)
{
    slice_sum s = {.exponent = -1000};
    for (uint32_t k = 0; k < 4; k++) {
        const int e = (int)(bits[k] >> 23 & 255);
        if (weight[k] && e != 255 && e)
            s.exponent = e > s.exponent ? e : s.exponent;
    }
    for (uint32_t k = 0; k < 4; k++) {
        const int e = (int)(bits[k] >> 23 & 255);
        const int64_t m = 0x800000 | (bits[k] & 0x7fffff);
        if (!weight[k] || !e)
            continue;
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

static int bit_length(unsigned __int128 x)
{
    const uint64_t high = (uint64_t)(x >> 64), low = (uint64_t)x;
    return high ? 128 - __builtin_clzll(high) : low ? 64 - __builtin_clzll(low) : 0;
}

/* Round SUM * 2^EXPONENT to SIGNIFICAND bits, halves away from zero; results below the smallest
 * normal number are zero. */
static double round_sum(__int128 sum, int exponent, int significand, int smallest)
{
    unsigned __int128 m = sum < 0 ? -(unsigned __int128)sum : (unsigned __int128)sum;
    const int bits = bit_length(m);
    int drop = bits - significand;
    if (drop + exponent < smallest)
        drop = smallest - exponent;
    if (drop > 0) {
        m = drop > bits ? 0 : (m >> drop) + (m >> (drop - 1) & 1);
        exponent += drop;
    }
    const double x = ldexp((double)m, exponent);
    return sum < 0 ? -x : x;
}

static uint32_t add_slice_sums(const slice_sum *s, uint32_t count, bool half)
{
    bool nan = false, up = false, down = false;
    int highest = INT_MIN;
    for (uint32_t k = 0; k < count; k++) {
        nan |= s[k].nan;
        up |= s[k].up;
        down |= s[k].down;
        highest = s[k].sum && s[k].exponent > highest ? s[k].exponent : highest;
    }
    if (nan || (up && down))
        return EXEC_NAN_F32;
    if (up || down)
        return up ? 0x7f800000 : 0xff800000;
    /* Of terms far below the largest term, only the sign can matter. */
    __int128 sum = 0;
    for (uint32_t k = 0; k < count; k++) {
        const int apart = highest - s[k].exponent;
        if (s[k].sum)
            sum += apart < 80 ? s[k].sum * ((__int128)1 << (80 - apart)) : s[k].sum < 0 ? -1 : 1;
    }
    const int exponent = sum ? highest - 80 : 0;
    const double x = half ? round_sum(sum, exponent, 11, -24) : round_sum(sum, exponent, 24, -149);
    const float y = half && fabs(x) > 65504 ? copysignf(INFINITY, (float)x) : (float)x;
    return fabsf(y) < 0x1p-126f ? 0 : exec_bits32(y);
}

/* Blend normalized integers: in 16 bits, with the conversion to float last. */
static uint32_t blend_normalized(const uint32_t *v, const uint32_t *weight, uint32_t texels,
                                 mem_format f)
{
    int64_t sum = 0;
    const bool sign = f.number == MEM_SINT || f.number == MEM_SNORM;
    for (uint32_t k = 0; k < texels; k++)
        sum += (sign ? (int64_t)exec_sign_extend(v[k], f.bits) : (int64_t)v[k]) * weight[k];
    if (!sign) {
        sum *= f.bits == 8 ? 257 : 1; /* 257 maps 255 to 65535 */
        return exec_bits32((float)((sum + 128) >> 8) / 65535);
    }
    /* maps 127 to 32767 with the rounding of the texture unit */
    int64_t x = f.bits == 8 ? sum + (((sum >> 4) + (sum >> 12) + 4) >> 3) : (sum + 128) >> 8;
    x = x < -32767 ? -32767 : x;
    return exec_bits32((float)x / 32767);
}

static bool is_outside(int32_t i, uint32_t n)
{
    return i < 0 || i >= (int32_t)n;
}

/* Position of a texel: column, row, and slice or face. */
typedef struct texel_position {
    int32_t x, y, z; /* column; row; slice, layer, or 6 * layer + face */
} texel_position;

static texel_position slice_texel_position(const exec_slice *s, uint32_t k, bool seamless)
{
    texel_position p = {k & 1 ? s->x.high : s->x.low, k & 2 ? s->y.high : s->y.low, s->z};
    if (seamless && (is_outside(p.x, s->level->width) || is_outside(p.y, s->level->height))) {
        const uint32_t face = (uint32_t)p.z % 6;
        p.z += (int32_t)EXEC_FOR_ISA(exec_cross_edge)(face, (int32_t)s->level->width, &p.x, &p.y) -
               (int32_t)face;
    }
    return p;
}

/* At the corner of a cube only three texels meet: they share the weight of the fourth. */
static void share_weight_at_cube_corner(const exec_slice *s, uint32_t weight[4])
{
    for (uint32_t k = 0; k < 4; k++) {
        if (is_outside(k & 1 ? s->x.high : s->x.low, s->level->width) &&
            is_outside(k & 2 ? s->y.high : s->y.low, s->level->height)) {
            const uint32_t third = (weight[k] + 1) / 3;
            weight[k ^ 1] += third;
            weight[k ^ 2] += third;
            weight[k ^ 3] += weight[k] - 2 * third;
            weight[k] = 0;
        }
    }
}

/* The blend of floats of which one has all the weight, as at the centre of a texel: BITS is that
 * one. */
static uint32_t flush_single_texel(uint32_t bits)
{
    const uint32_t e = bits >> 23 & 255;
    return e == 0 ? 0 : e == 255 && bits & 0x7fffff ? EXEC_NAN_F32 : bits;
}

exec_texel EXEC_FOR_ISA(exec_blend)(const exec_fetch *f, const exec_slice *part, uint32_t count)
{
    const mem_object *o = f->object;
    const mem_format format = o->image.format;
    const uint32_t texels = 4 * count;
    const bool seamless = exec_is_seamless(f, exec_is_filtered(f));
    uint32_t weight[4 * EXEC_SLICES], v[4][4 * EXEC_SLICES], single = texels;
    for (uint32_t k = 0; k < count; k++) {
        bilinear_weights(part[k].whole, part[k].x.weight, part[k].y.weight, weight + 4 * k);
        if (seamless)
            share_weight_at_cube_corner(&part[k], weight + 4 * k);
    }
    for (uint32_t k = 0; k < texels; k++) {
        const exec_slice *s = &part[k / 4];
        exec_texel t = {{0, 0, 0, 0}};
        /* cppcheck-suppress uninitvar ; the first loop fills four for each slice */
        if (weight[k]) {
            const texel_position at = slice_texel_position(s, k % 4, seamless);
            EXEC_FOR_ISA(exec_read_raw)(f, s->level, at.x, at.y, at.z, &t);
        }
        single = weight[k] == 256 ? k : single;
        for (uint32_t c = 0; c < 4; c++)
            v[c][k] = t.v[c];
    }
    exec_texel out = {{0, 0, 0, 0}};
    for (uint32_t c = 0; c < format.channels; c++) {
        if (format.number != MEM_FLOAT && !exec_is_srgb(o, c)) {
            out.v[c] = blend_normalized(v[c], weight, texels, format);
            continue;
        }
        if (single < texels && format.number == MEM_FLOAT) {
            out.v[c] = flush_single_texel(EXEC_FOR_ISA(exec_channel_float)(o, c, v[c][single]));
            continue;
        }
        const bool half = format.bits < 32; /* sRGB texels are blended like halves */
        for (uint32_t k = 0; k < texels; k++)
            v[c][k] = EXEC_FOR_ISA(exec_channel_float)(o, c, v[c][k]);
        slice_sum s[EXEC_SLICES];
        for (uint32_t k = 0; k < count; k++)
            s[k] = sum_weighted_texels(v[c] + 4 * k, weight + 4 * k, half ? 11 : 24);
        out.v[c] = add_slice_sums(s, count, half);
    }
    return out;
}
