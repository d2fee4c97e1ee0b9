/* The layout of tensor maps. A tensor map is the host's description of a tensor in global memory
 * and of the boxes that are copied from and to the tensor (CUDA Driver API, "Tensor Map Object
 * Management"; PTX ISA 5.5). A program holds a map as 128 opaque bytes, whose layout here differs
 * from a GPU's layout. cudriver/tensor_map.c encodes tensor maps, sm/async/box.c reads them. */
#pragma once

#include <stdint.h>

#define MEM_TENSOR_MAP_MARK  UINT64_C(0x70616d20726f736e) /* marks a valid tensor map */
#define MEM_TENSOR_MAP_BYTES 128                          /* size of a CUtensorMap in bytes */
#define MEM_MAX_TENSOR_DIMS  5 /* maximum number of dimensions of a tensor */

/* A tensor map: what a program passes to cuTensorMapEncodeTiled and similar calls. */
typedef struct mem_tensor_map {
    uint64_t address; /* device address of the tensor */
    uint64_t mark;    /* MEM_TENSOR_MAP_MARK if the map has been encoded */
    /* Bytes between neighbouring elements along dimensions 1 to 4. */
    uint64_t stride[MEM_MAX_TENSOR_DIMS - 1];
    uint32_t last[MEM_MAX_TENSOR_DIMS]; /* highest valid index along each dimension */
    uint16_t box[MEM_MAX_TENSOR_DIMS];  /* elements that a box spans along each dimension */
    uint8_t step[MEM_MAX_TENSOR_DIMS];  /* traversal stride: every step-th element is copied */
    uint8_t rank;                       /* number of dimensions */
    uint8_t type;                       /* element type: CUtensorMapDataType */
    uint8_t interleave;                 /* interleaved layout: CUtensorMapInterleave */
    uint8_t swizzle;                    /* swizzle of shared memory: CUtensorMapSwizzle */
    uint8_t promotion;                  /* size of L2 fetches: CUtensorMapL2promotion */
    uint8_t fill;                       /* value outside the tensor: CUtensorMapFloatOOBfill */
    uint8_t mode; /* MEM_TENSOR_TILES, or a mode of im2col, which uses the next four fields */
    int16_t lower[3], upper[3]; /* corners of the bounding box, along dimensions 1 to 3 */
    uint16_t channels;          /* number of channels per pixel that a copy takes */
    uint16_t pixels;            /* number of pixels per column that a copy takes */
} mem_tensor_map;
_Static_assert(sizeof(mem_tensor_map) <= MEM_TENSOR_MAP_BYTES,
               "a tensor map fits into CUtensorMap, 128 opaque bytes");

/* Modes of tensor maps (mem_tensor_map.mode). */
enum {
    MEM_TENSOR_TILES,  /* tiled: rectangular boxes */
    MEM_TENSOR_IM2COL, /* im2col: columns of pixels for convolutions */
    MEM_TENSOR_WIDE    /* im2col::w: the driver encodes it, but the device cannot use it */
};

/* Element types (mem_tensor_map.type), with the numbers of CUtensorMapDataType. */
enum {
    MEM_TENSOR_F16 = 6,
    MEM_TENSOR_F32 = 7,
    MEM_TENSOR_F64 = 8,
    MEM_TENSOR_BF16 = 9,
    MEM_TENSOR_F32_FTZ = 10,
    MEM_TENSOR_TF32 = 11,
    MEM_TENSOR_TF32_FTZ = 12,
    MEM_TENSOR_TYPES =
        13 /* number of element types; the packed types that follow are not supported */
};

/* Bytes of an element of a tensor of data type TYPE; 0 for an unknown type. */
static inline uint32_t mem_tensor_bytes(uint32_t type)
{
    static const uint8_t bytes[MEM_TENSOR_TYPES] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
    return type < MEM_TENSOR_TYPES ? bytes[type] : 0;
}
