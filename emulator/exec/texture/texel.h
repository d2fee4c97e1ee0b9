/* Texels and blends of texels, inside the texture unit: sample.c uses texel.c, which finds and
 * reads texels, and blend.c, which sums them. Compiled for each level of x86-64, like sample.h. */
#ifndef WARPBOOK_TEXEL_H
#define WARPBOOK_TEXEL_H

#include "sample.h"

/* exec_axis_position is a position on one axis: the texel at or below the position (low), the texel
 * above it (high), and the weight of `high` in 1/256. EXEC_OUTSIDE stands for the border. */
#define EXEC_OUTSIDE (-1)
typedef struct exec_axis_position {
    int32_t low, high; /* texel indices */
    uint32_t weight;   /* weight of `high`, in 1/256 */
} exec_axis_position;

/* The channels of a texel in the format of its memory; 0 for channels that the format does not
 * have. */
typedef struct exec_texel {
    uint32_t v[4]; /* bits of the channels: red, green, blue, alpha */
} exec_texel;

/* Four texels and their share of the total weight: from one mipmap level, or one slice of a
 * volume. */
typedef struct exec_slice {
    const mem_mip_level *level; /* mipmap level */
    exec_axis_position x, y;    /* the two columns and the two rows of the texels */
    int32_t z;                  /* slice, layer, or 6 * layer + face of the texels */
    uint32_t whole;             /* share of the total weight, in 1/256 */
} exec_slice;

#define EXEC_SLICES \
    4 /* maximum number of slices in a blend: two slices in each of two levels of a volume */

/* Results go through pointers where a processor would wait to put a structure together from the
 * halves of a register. */

/* Index of the texel at I on an axis of N texels, under an address mode. */
int32_t EXEC_FOR_ISA(exec_wrapped_texel_index)(int64_t i, uint32_t n, mem_wrap wrap);
/* Convert coordinate X to texels on an axis of N texels. Very large coordinates are reduced
 * without changing the texel. */
double EXEC_FOR_ISA(exec_coordinate_in_texels)(float x, uint32_t n, const mem_sampler *s,
                                               mem_wrap wrap);
/* The position of X on an axis of N texels: the texel that contains it or, if LINEAR, the two
 * texels between which it lies. */
void EXEC_FOR_ISA(exec_find_axis_position)(float x, uint32_t n, const mem_sampler *s, mem_wrap wrap,
                                           bool linear, exec_axis_position *out);
/* The position of X on a cubemap axis: the texels may lie on the neighbouring face. */
exec_axis_position EXEC_FOR_ISA(exec_find_seamless_position)(float x, uint32_t n,
                                                             const mem_sampler *s);
/* The face that direction AT hits, and the position on it, from 0 to 1 (Programming Guide, "Cubemap
 * Textures"). */
uint32_t EXEC_FOR_ISA(exec_find_face)(const float at[3], float on[2]);
/* Move texel X, Y, which is one step across an edge of FACE, to the neighbouring face. Faces have N
 * x N texels. */
uint32_t EXEC_FOR_ISA(exec_cross_edge)(uint32_t face, int32_t n, int32_t *x, int32_t *y);

/* exec_read_raw reads a texel in the format of its memory, exec_read_texel as the kernel receives
 * it; outside the texture both return the border. Both add the sectors that they read to f->taps.
 */
void EXEC_FOR_ISA(exec_read_raw)(const exec_fetch *f, const mem_mip_level *l, int32_t x, int32_t y,
                                 int32_t z, exec_texel *out);
void EXEC_FOR_ISA(exec_read_texel)(const exec_fetch *f, const mem_mip_level *l, int32_t x,
                                   int32_t y, int32_t z, exec_texel *out);
/* The bits of the float that BITS, channel C of object O, represent. */
uint32_t EXEC_FOR_ISA(exec_channel_float)(const mem_object *o, uint32_t c, uint32_t bits);

/* The weighted sum of COUNT slices, at most EXEC_SLICES, whose shares add up to 256. */
exec_texel EXEC_FOR_ISA(exec_blend)(const exec_fetch *f, const exec_slice *part, uint32_t count);

static inline int32_t exec_sign_extend(uint32_t v, uint32_t bits)
{
    return (int32_t)(v << (32 - bits)) >> (32 - bits);
}

/* sRGB conversion applies to the colour channels, not to alpha. */
static inline bool exec_is_srgb(const mem_object *o, uint32_t c)
{
    return o->sampler.srgb && o->image.format.bits == 8 && c < 3;
}

static inline bool exec_is_filtered(const exec_fetch *f)
{
    return f->object->sampler.linear && !f->whole && exec_reads_floats(f->object);
}

/* Does filtering continue across the edges of a cubemap's faces? */
static inline bool exec_is_seamless(const exec_fetch *f, bool linear)
{
    return linear && f->object->sampler.seamless &&
           (f->geometry == EXEC_TEX_CUBE || f->geometry == EXEC_TEX_ACUBE);
}

/* Round PRODUCT, the product of two weights in 1/256, from 1/65536 to 1/256. */
static inline uint32_t exec_weight_product(uint32_t product)
{
    return (product + 128) >> 8;
}

#endif
