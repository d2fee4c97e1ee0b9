/* Images (CUDA arrays, and linear memory read as texels), and the texture and surface objects with
 * which kernels access images.
 *
 * The texels of an array are stored row by row in one allocation of kind MEM_ARRAY. A device
 * interleaves them (block-linear layout), which only affects the number of sectors: see
 * mem_texel_tile_offset. The CUDA runtime creates images and objects; texture instructions read
 * them. Source: Programming Guide, "Texture and Surface Memory"; Runtime API, "Texture Object
 * Management". */
#pragma once

#include "memory.h"

#include <stdatomic.h>

/* How the bits of a channel are read. UNORM and SNORM are always read as floats in [0, 1] and [-1,
 * 1]; UINT and SINT only if the sampler has to_float. */
typedef enum mem_channel_kind {
    MEM_UINT,  /* unsigned integers */
    MEM_SINT,  /* signed integers */
    MEM_FLOAT, /* floating-point numbers */
    MEM_UNORM, /* unsigned, normalized to 0..1 */
    MEM_SNORM  /* signed, normalized to -1..1 */
} mem_channel_kind;

/* The format of a texel. */
typedef struct mem_format {
    mem_channel_kind number; /* kind of number in each channel */
    uint8_t bits;            /* bits of a channel: 8, 16 or 32 */
    uint8_t channels;        /* number of channels: 1, 2 or 4 */
} mem_format;

/* Size of a texel in bytes. */
static inline uint32_t mem_texel_bytes(mem_format f)
{
    return (uint32_t)f.bits / 8 * f.channels;
}

/* One level of a mipmap. */
typedef struct mem_mip_level {
    uint64_t base;          /* device address of the first texel */
    uint32_t width, height; /* size in texels, at least 1 */
    uint32_t depth;         /* number of slices, layers or cube faces, at least 1 */
    uint64_t pitch;         /* bytes from row to row */
    uint64_t slice;         /* bytes from slice to slice */
} mem_mip_level;

/* Maximum number of mipmap levels: enough for a longest side of 2^17 texels. */
#define MEM_MAX_LEVELS 18

/* An image: texels in device memory, and how they are laid out. */
typedef struct mem_image {
    enum {
        MEM_IMAGE_BUFFER,  /* linear memory */
        MEM_IMAGE_PITCHED, /* rows in pitched memory */
        MEM_IMAGE_ARRAY    /* a CUDA array */
    } kind;                /* linear memory, pitched memory or an array */
    mem_format format;     /* format of a texel */
    uint8_t dims;          /* number of dimensions: 1, 2 or 3 */
    /* If layered, depth: number of layers; if cube, of faces; if both, of faces of all cubes. */
    bool layered;                        /* the image consists of layers */
    bool cube;                           /* the image is a cube map, or layers of cube maps */
    uint32_t levels;                     /* number of mipmap levels */
    mem_mip_level level[MEM_MAX_LEVELS]; /* [levels] the mipmap levels, the largest first */
    uint64_t base;                       /* device address of the image, in one allocation */
    uint64_t bytes;                      /* size of the whole image in bytes */
} mem_image;

/* Texture address modes: what a coordinate outside of the image reads. */
typedef enum mem_wrap {
    MEM_WRAP,   /* the image repeats */
    MEM_CLAMP,  /* the nearest texel at the edge */
    MEM_MIRROR, /* the image repeats, mirrored every other time */
    MEM_BORDER  /* the border colour */
} mem_wrap;

/* What a program hardly meant a fetch from a texture to do. */
typedef enum mem_notice {
    MEM_NOTICE_CLAMPED = 1,  /* a coordinate outside was clamped, because MEM_WRAP was ignored */
    MEM_NOTICE_NO_FILTER = 2 /* tex1D of linear memory: zeros */
} mem_notice;

/* How a texture instruction reads an image. */
typedef struct mem_sampler {
    mem_wrap wrap[3];    /* address modes for x, y, z */
    bool linear;         /* linear filter; false: the nearest texel */
    bool mip_linear;     /* linear filter between mipmap levels */
    bool normalized;     /* coordinates are relative to the image size */
    bool to_float;       /* cudaReadModeNormalizedFloat: integers are read as normalized floats */
    bool srgb;           /* convert sRGB texels to linear values */
    bool seamless;       /* cube maps are filtered across edges */
    float border[4];     /* border colour: what MEM_BORDER reads outside of the image */
    float bias;          /* value added to the mipmap level */
    float min_level;     /* smallest mipmap level that is read */
    float max_level;     /* largest mipmap level that is read */
    uint32_t anisotropy; /* maximum anisotropy: cudaTextureDesc.maxAnisotropy */
    bool ignores_wrap;   /* MEM_WRAP or MEM_MIRROR was requested without normalized coordinates */
    atomic_uint
        *noticed; /* a bit for each mem_notice of the object's fetches; NULL: not recorded */
} mem_sampler;

/* A texture object or a surface object. */
typedef struct mem_object {
    enum { MEM_NO_OBJECT, MEM_TEXTURE, MEM_SURFACE } kind; /* a texture or a surface */
    uint64_t handle;                                       /* handle of the texture or surface */
    mem_image image;                                       /* the image that is read or written */
    mem_sampler sampler; /* how texels are read; only for textures */
} mem_object;

/* Create a texture or surface object from *O, which is copied except for its handle. Returns the
 * handle for kernels, never 0; 0 if the host is out of memory. Any thread may call this and the
 * following functions. */
uint64_t mem_object_add(const mem_object *o);
/* Destroy the texture or surface object HANDLE. Returns false if there is no such object. No kernel
 * may be running. */
bool mem_object_drop(uint64_t handle);
/* Destroy all texture and surface objects. */
void mem_object_drop_all(void);
/* The texture or surface object HANDLE, or NULL. Takes no lock; the pointer is valid until the
 * object is destroyed. */
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
