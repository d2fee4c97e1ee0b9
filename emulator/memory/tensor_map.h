/* Tensor maps: what the host says of a tensor in global memory and of the boxes that are copied out
 * of it and into it (CUDA Driver API, "Tensor Map Object Management"; PTX ISA 5.5). A program keeps
 * 128 opaque bytes; this is what is in them here. cudriver/tensor_map.c encodes them, sm/box.c
 * reads them. A GPU lays them out otherwise. */
#ifndef WARPBOOK_TENSOR_MAP_H
#define WARPBOOK_TENSOR_MAP_H

#include <stdint.h>

#define MEM_TENSOR_MAP_MARK  UINT64_C(0x70616d20726f736e)
#define MEM_TENSOR_MAP_BYTES 128
#define MEM_TENSOR_MOST      5 /* dimensions */

/* Values of type, interleave, swizzle, promotion and fill are those of the driver's enumerations.
 */
typedef struct mem_tensor_map {
    uint64_t address;
    uint64_t mark;                        /* MEM_TENSOR_MAP_MARK in one that was encoded */
    uint64_t stride[MEM_TENSOR_MOST - 1]; /* bytes from one to the next along dimensions 1 to 4 */
    uint32_t last[MEM_TENSOR_MOST];       /* the highest index along each */
    uint16_t box[MEM_TENSOR_MOST];        /* elements that it spans */
    uint8_t step[MEM_TENSOR_MOST];        /* of which every so many-th is copied */
    uint8_t rank, type, interleave, swizzle, promotion, fill;
    uint8_t mode;               /* MEM_TENSOR_*; other than of tiles: */
    int16_t lower[3], upper[3]; /* of the bounding box, along dimensions 1 to 3 */
    uint16_t channels, pixels;
} mem_tensor_map;
_Static_assert(sizeof(mem_tensor_map) <= MEM_TENSOR_MAP_BYTES, "a tensor map is opaque[16]");

enum {
    MEM_TENSOR_TILES,
    MEM_TENSOR_IM2COL, /* columns of pixels for convolutions instead of boxes */
    MEM_TENSOR_WIDE    /* the driver encodes it, the device cannot use it */
};

enum {
    MEM_TENSOR_F16 = 6,
    MEM_TENSOR_F32 = 7,
    MEM_TENSOR_F64 = 8,
    MEM_TENSOR_BF16 = 9,
    MEM_TENSOR_F32_FTZ = 10,
    MEM_TENSOR_TF32 = 11,
    MEM_TENSOR_TF32_FTZ = 12,
    MEM_TENSOR_TYPES = 13 /* the packed ones that follow are not for this device */
};

/* Bytes of an element; 0: no such type. */
static inline uint32_t mem_tensor_bytes(uint32_t type)
{
    static const uint8_t bytes[MEM_TENSOR_TYPES] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
    return type < MEM_TENSOR_TYPES ? bytes[type] : 0;
}

#endif
