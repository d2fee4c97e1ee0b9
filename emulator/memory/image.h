/* Images (CUDA arrays, and linear memory read as texels), and the texture and surface objects with
 * which kernels access images.
 *
 * The texels of an array are stored row by row in one allocation of kind MEM_ARRAY. A device
 * interleaves them (block-linear layout), which only affects the number of sectors: see
 * mem_texel_tile_offset. The CUDA runtime creates images and objects; texture instructions read
 * them. Source: Programming Guide, "Texture and Surface Memory"; Runtime API, "Texture Object
 * Management". */
#ifndef WARPBOOK_IMAGE_H
#define WARPBOOK_IMAGE_H

#include "memory.h"

/* How the bits of a channel are read. UNORM and SNORM are always read as floats in [0, 1] and [-1,
 * 1]; UINT and SINT only if the sampler has to_float. */
typedef enum mem_channel_kind {
    MEM_UINT,  /* unsigned integers */
    MEM_SINT,  /* signed integers */
    MEM_FLOAT, /* floating-point numbers */
    MEM_UNORM, /* unsigned, normalized to 0..1 */
    MEM_SNORM  /* signed, normalized to -1..1 */
} mem_channel_kind;

typedef struct mem_format {
    mem_channel_kind number; /* kind of number in each channel */
    uint8_t bits;            /* bits of a channel: 8, 16 or 32 */
    uint8_t channels;        /* number of channels: 1, 2 or 4 */
} mem_format;

static inline uint32_t mem_texel_bytes(mem_format f)
{
    return (uint32_t)f.bits / 8 * f.channels;
}

/* One level of a mipmap. */
typedef struct mem_mip_level {
    uint64_t base; /* device address of the first texel */
    /* Size in texels, at least 1 each; depth: number of slices, layers or faces. */
    uint32_t width, height, depth;
    uint64_t pitch, slice; /* bytes from row to row, and from slice to slice */
} mem_mip_level;

/* Maximum number of mipmap levels: enough for a longest side of 2^17 texels. */
#define MEM_MAX_LEVELS 18

typedef struct mem_image {
    enum {
        MEM_IMAGE_BUFFER,  /* linear memory */
        MEM_IMAGE_PITCHED, /* rows in pitched memory */
        MEM_IMAGE_ARRAY    /* a CUDA array */
    } kind;                /* linear memory, pitched memory or an array */
    mem_format format;     /* format of a texel */
    uint8_t dims;          /* number of dimensions: 1, 2 or 3 */
    /* If layered, depth is the number of layers; if cube, of faces; if both, of faces of all cubes.
     */
    bool layered, cube;                  /* a layered texture; a cube map */
    uint32_t levels;                     /* number of mipmap levels */
    mem_mip_level level[MEM_MAX_LEVELS]; /* [levels] the mipmap levels */
    uint64_t base, bytes; /* address and size of the whole image, inside one allocation */
} mem_image;

typedef enum mem_wrap {
    MEM_WRAP,
    MEM_CLAMP,
    MEM_MIRROR,
    MEM_BORDER
} mem_wrap; /* texture address mode */

typedef struct mem_sampler {
    mem_wrap wrap[3]; /* address modes for x, y, z */
    bool linear;      /* linear filter; false: the nearest texel */
    bool mip_linear;  /* linear filter between mipmap levels */
    bool normalized;  /* coordinates are relative to the image size */
    bool to_float;    /* cudaReadModeNormalizedFloat: integers are read as normalized floats */
    bool srgb;        /* convert sRGB texels to linear values */
    bool seamless;    /* cube maps are filtered across edges */
    float border[4];  /* colour outside the texture */
    float bias, min_level,
        max_level;       /* value added to the mipmap level; smallest and largest level */
    uint32_t anisotropy; /* maximum anisotropy */
} mem_sampler;

typedef struct mem_object {
    enum { MEM_NO_OBJECT, MEM_TEXTURE, MEM_SURFACE } kind; /* a texture or a surface */
    uint64_t handle;                                       /* handle of the texture or surface */
    mem_image image;                                       /* the image that is read or written */
    mem_sampler sampler; /* how texels are read; only for textures */
} mem_object;

/* Create an object from *O, which is copied except for its handle. Returns the handle for kernels,
 * never 0; 0 if the host is out of memory. Any thread may call this and the following functions. */
uint64_t mem_object_add(const mem_object *o);
/* Destroy the object HANDLE. Returns false if there is no such object. No kernel may be running. */
bool mem_object_drop(uint64_t handle);
/* Destroy all objects. */
void mem_object_drop_all(void);
/* The object HANDLE, or NULL. Takes no lock; the pointer is valid until the object is destroyed. */
const mem_object *mem_object_find(uint64_t handle);

/* The offset of byte BYTE of row ROW in a slice of an array with the layout of a device: blocks of
 * 64 bytes by 8 rows (512 bytes), in which pieces of 16 bytes are arranged so that a 32-byte sector
 * holds parts of two rows (Tegra TRM, "block linear, GOB"). ROW_BYTES is the width of a row. */
static inline uint64_t mem_texel_tile_offset(uint64_t byte, uint64_t row, uint64_t row_bytes)
{
    const uint64_t across = (row_bytes + 63) / 64;
    return (row / 8 * across + byte / 64) * 512 + byte % 64 / 32 * 256 + row % 8 / 2 * 64 +
           byte % 32 / 16 * 32 + row % 2 * 16 + byte % 16;
}

#endif
