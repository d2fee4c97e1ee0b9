/* Images: CUDA arrays and pieces of linear memory as texels, and the texture and surface objects by
 * which kernels name them.
 *
 * An array's texels lie row after row in one allocation of kind MEM_ARRAY; a device interleaves
 * them (block-linear), which only counts of sectors can tell: mem_texel_tile. The runtime makes
 * images and objects, the SM reads them. Source: Programming Guide, "Texture and Surface Memory";
 * Runtime API, "Texture Object Management". */
#ifndef WARPBOOK_IMAGE_H
#define WARPBOOK_IMAGE_H

#include "memory.h"

/* How the bits of a channel are read. UNORM and SNORM are always read as floats in [0, 1] and
 * [-1, 1]; UINT and SINT are where the sampler asks for normalized floats. */
typedef enum mem_number { MEM_UINT, MEM_SINT, MEM_FLOAT, MEM_UNORM, MEM_SNORM } mem_number;

typedef struct mem_format {
    mem_number number;
    uint8_t bits;     /* of a channel: 8, 16, 32 */
    uint8_t channels; /* 1, 2, 4 */
} mem_format;

static inline uint32_t mem_texel_bytes(mem_format f)
{
    return (uint32_t)f.bits / 8 * f.channels;
}

/* One level of a mipmap. */
typedef struct mem_level {
    uint64_t base;                 /* device address of its first texel */
    uint32_t width, height, depth; /* texels, at least 1 each; depth: slices, layers or faces */
    uint64_t pitch, slice;         /* bytes from row to row, from slice to slice */
} mem_level;

#define MEM_LEVELS 18 /* of a mipmap whose longer side has 2^17 texels */

typedef struct mem_image {
    enum { MEM_IMAGE_BUFFER, MEM_IMAGE_PITCHED, MEM_IMAGE_ARRAY } kind;
    mem_format format;
    uint8_t dims;       /* 1, 2 or 3 */
    bool layered, cube; /* depth counts layers, faces, or faces of cubes */
    uint32_t levels;
    mem_level level[MEM_LEVELS];
    uint64_t base, bytes; /* all of it, inside one allocation */
} mem_image;

typedef enum mem_wrap { MEM_WRAP, MEM_CLAMP, MEM_MIRROR, MEM_BORDER } mem_wrap;

typedef struct mem_sampler {
    mem_wrap wrap[3]; /* x, y, z */
    bool linear;      /* else the nearest texel */
    bool mip_linear;
    bool normalized; /* coordinates count in image sizes */
    bool to_float;   /* integers are read as normalized floats */
    bool srgb;
    bool seamless; /* cube maps filter across edges */
    float border[4];
    float bias, min_level, max_level;
    uint32_t anisotropy;
} mem_sampler;

typedef struct mem_object {
    enum { MEM_NO_OBJECT, MEM_TEXTURE, MEM_SURFACE } kind;
    uint64_t handle;
    mem_image image;
    mem_sampler sampler; /* textures */
} mem_object;

/* Make an object of *O (copied; its handle is ignored). Returns the handle, never 0, that kernels
 * get; 0 where the host is out of memory. Thread-safe, as is what follows. */
uint64_t mem_object_add(const mem_object *o);
/* False: there is none with that handle. Kernels must not run meanwhile. */
bool mem_object_drop(uint64_t handle);
/* Every object of this process goes. */
void mem_object_drop_all(void);
/* NULL: no object has that handle. Without a lock; valid until it is dropped. */
const mem_object *mem_object_find(uint64_t handle);

/* Where the byte BYTE of row ROW lies in an array that is laid out as devices do, from the slice's
 * first byte: groups of 64 bytes by 8 rows (512 bytes), in them pieces of 16 bytes so that a
 * 32-byte sector holds two rows' (the Tegra TRM's "block linear, GOB"). ROW_BYTES is the width. */
static inline uint64_t mem_texel_tile(uint64_t byte, uint64_t row, uint64_t row_bytes)
{
    const uint64_t across = (row_bytes + 63) / 64;
    return (row / 8 * across + byte / 64) * 512 + byte % 64 / 32 * 256 + row % 8 / 2 * 64 +
           byte % 32 / 16 * 32 + row % 2 * 16 + byte % 16;
}

#endif
