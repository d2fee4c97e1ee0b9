/* One texel and a blend of several, inside the texture unit: sample.c asks, texel.c finds
 * and reads, blend.c sums. Compiled for each level of x86-64, as sample.h is. */
#ifndef WARPBOOK_TEXEL_H
#define WARPBOOK_TEXEL_H

#include "sample.h"

/* Where a coordinate falls on one axis: the texel at or below, the one above, and the weight of the
 * latter in 1/256. SM_OUTSIDE: the border. */
#define SM_OUTSIDE (-1)
typedef struct sm_spot {
    int32_t low, high;
    uint32_t weight;
} sm_spot;

/* The channels of a texel as they lie in memory; those that the format does not have are 0. */
typedef struct sm_texel {
    uint32_t v[4];
} sm_texel;

/* Four texels, and their part of all weight: a level, or a slice of a volume. */
typedef struct sm_slice {
    const mem_level *level;
    sm_spot x, y;
    int32_t z;
    uint32_t whole; /* of 256 */
} sm_slice;

#define SM_SLICES 4 /* at most: two of each of two levels of a volume */

/* Texel I of an axis of N under an address mode. */
int32_t SM_LEVEL(sm_into_range)(int64_t i, uint32_t n, mem_wrap wrap);
/* Coordinate X of an axis of N in texels. Far ones are brought near, which changes no texel. */
double SM_LEVEL(sm_in_texels)(float x, uint32_t n, const mem_sampler *s, mem_wrap wrap);
sm_spot SM_LEVEL(sm_find_spot)(float x, uint32_t n, const mem_sampler *s, mem_wrap wrap,
                               bool linear);
/* The same on a cube: the texels may lie on the next face. */
sm_spot SM_LEVEL(sm_find_open_spot)(float x, uint32_t n, const mem_sampler *s);
/* Face of the direction AT, and where on it, from 0 to 1 (Programming Guide, "Cubemap Textures").
 */
uint32_t SM_LEVEL(sm_find_face)(const float at[3], float on[2]);
/* Face and place of the texel X, Y that is one step across an edge of FACE; faces have N by N. */
uint32_t SM_LEVEL(sm_cross_edge)(uint32_t face, int32_t n, int32_t *x, int32_t *y);

/* A texel as it lies in memory, and as the kernel gets it; outside, the border. Both note in the
 * fetch's taps what they read. */
sm_texel SM_LEVEL(sm_read_raw)(const sm_fetch *f, const mem_level *l, int32_t x, int32_t y,
                               int32_t z);
sm_texel SM_LEVEL(sm_read_texel)(const sm_fetch *f, const mem_level *l, int32_t x, int32_t y,
                                 int32_t z);
/* The float that BITS of channel C stand for, as bits. */
uint32_t SM_LEVEL(sm_channel_float)(const mem_object *o, uint32_t c, uint32_t bits);

/* The sum of COUNT slices, SM_SLICES at most, whose wholes make 256. */
sm_texel SM_LEVEL(sm_blend)(const sm_fetch *f, const sm_slice *part, uint32_t count);

static inline int32_t sm_extend(uint32_t v, uint32_t bits)
{
    return (int32_t)(v << (32 - bits)) >> (32 - bits);
}

/* sRGB is for the colours, not for alpha. */
static inline bool sm_is_srgb(const mem_object *o, uint32_t c)
{
    return o->sampler.srgb && o->image.format.bits == 8 && c < 3;
}

static inline bool sm_filters(const sm_fetch *f)
{
    return f->object->sampler.linear && !f->whole && sm_reads_floats(f->object);
}

/* Does the filter go on across the edges of a cube's faces? */
static inline bool sm_is_seamless(const sm_fetch *f, bool linear)
{
    return linear && f->object->sampler.seamless &&
           (f->geometry == SM_TEX_CUBE || f->geometry == SM_TEX_ACUBE);
}

/* A product of two weights, in 1/256. */
static inline uint32_t sm_up(uint32_t product)
{
    return (product + 128) >> 8;
}

#endif
