/* One fetch by the texture unit: from coordinates to a texel or a blend of texels (PTX ISA 9.7.10;
 * Programming Guide, "Texture Fetching"). Implemented in sample.c, used by texture.c. */
#ifndef WARPBOOK_SAMPLE_H
#define WARPBOOK_SAMPLE_H

#include "../../memory/image.h"
#include "../arith/half.h"

/* Geometry of a texture instruction: .1d .2d .3d .a1d .a2d .cube .acube; a: layered. */
typedef enum exec_geometry {
    EXEC_TEX_1D,   /* a 1D texture */
    EXEC_TEX_2D,   /* a 2D texture */
    EXEC_TEX_3D,   /* a 3D texture */
    EXEC_TEX_A1D,  /* a layered 1D texture */
    EXEC_TEX_A2D,  /* a layered 2D texture */
    EXEC_TEX_CUBE, /* a cube map */
    EXEC_TEX_ACUBE /* a layered cube map */
} exec_geometry;

static inline bool exec_is_layered(exec_geometry g)
{
    return g == EXEC_TEX_A1D || g == EXEC_TEX_A2D || g == EXEC_TEX_ACUBE;
}

/* Number of coordinates of a geometry, without the layer. */
static inline uint32_t exec_axis_count(exec_geometry g)
{
    return g == EXEC_TEX_1D || g == EXEC_TEX_A1D   ? 1
           : g == EXEC_TEX_2D || g == EXEC_TEX_A2D ? 2
                                                   : 3;
}

/* The sectors read by a warp's lanes: addresses of 32-byte sectors, with repetitions, lane after
 * lane. A lane reads at most eight texels in each of two mipmap levels, and a texel is not wider
 * than a sector. */
typedef struct exec_texture_sectors {
    uint32_t count;             /* number of addresses in `at` */
    uint64_t at[16 * SM_LANES]; /* device addresses of the sectors */
    uint16_t end[SM_LANES];     /* end of each lane's part of `at`; undefined for inactive lanes */
} exec_texture_sectors;

/* Device addresses of the texels that a lane reads. */
typedef struct exec_texel_reads {
    uint32_t count;  /* number of addresses in `at` */
    uint64_t at[16]; /* device addresses of the texels */
} exec_texel_reads;

typedef struct exec_fetch {
    const mem_object *object; /* the texture */
    intptr_t delta;           /* host address of the texture's memory minus its device address */
    exec_geometry geometry;   /* geometry of the instruction: 1d, 2d and so on */
    /* How the mipmap level is chosen: level 0; given by the instruction; from gradients. */
    enum { EXEC_LEVEL_ZERO, EXEC_LEVEL_GIVEN, EXEC_LEVEL_GRADIENT } level_from;
    int gather;      /* for tld4: channel that is read from four texels; -1: an ordinary fetch */
    bool whole;      /* coordinates are integer texel indices (see `cell`) */
    float at[3];     /* coordinates x, y and z, unless `whole` */
    int32_t cell[3]; /* texel indices of x, y and z, if `whole` */
    uint32_t layer;  /* layer of a layered texture */
    float level;     /* level of detail given by the instruction, with EXEC_LEVEL_GIVEN */
    float d[2][3];   /* gradients dP/dx and dP/dy, with EXEC_LEVEL_GRADIENT */
    exec_texture_sectors *taps; /* receives the sectors that are read */
    exec_texel_reads
        *reads; /* receives the addresses of the texels that are read; NULL: not needed */
} exec_fetch;

/* Compute the four result words: floats if the texture is read as floats, otherwise integers
 * extended to 32 bits. False: a texel of linear memory lies past the end of its allocation. */
bool EXEC_FOR_ISA(exec_sample)(const exec_fetch *f, uint32_t out[4]);

/* Does the texture object return floats? */
static inline bool exec_reads_floats(const mem_object *o)
{
    return (o->image.format.number != MEM_UINT && o->image.format.number != MEM_SINT) ||
           o->sampler.to_float;
}

/* Address of byte X of row Y of slice Z of a level in the device's layout, for counting sectors. */
static inline uint64_t exec_texel_address(const mem_image *image, const mem_mip_level *l,
                                          uint64_t x, uint64_t y, uint64_t z)
{
    const uint64_t slice = l->base + z * l->slice;
    return image->kind == MEM_IMAGE_ARRAY && image->dims > 1
               ? slice + mem_texel_tile_offset(x, y, l->pitch)
               : slice + y * l->pitch + x;
}

#endif
