/* Creates tensor maps (Driver API, "Tensor Map Object Management") and checks their parameters.
 * memory/tensor_map.h defines the format of a tensor map. */
#include "cudriver.h"

#include "../memory/tensor_map.h"

#include <assert.h>
#include <string.h>

enum {
    MAX_BOX_DIM = 256,           /* largest size of a box along a dimension, elements */
    MAX_ELEMENT_STRIDE = 8,      /* largest traversal stride, elements */
    MAX_PIXELS_PER_COLUMN = 1024 /* largest number of pixels per column of an im2col copy */
};
#define MAX_GLOBAL_STRIDE  (UINT64_C(1) << 40) /* strides of tensors are below it, bytes */
#define MAX_GLOBAL_DIM     (UINT64_C(1) << 32) /* largest size of a tensor along a dimension */
#define MAX_GLOBAL_ADDRESS (UINT64_C(1) << 57) /* addresses of tensors are below it */
/* Maximum bytes of a box: the shared memory of an SM. */
#define MAX_BOX_BYTES (UINT64_C(228) << 10)

_Static_assert(sizeof(CUtensorMap) == MEM_TENSOR_MAP_BYTES,
               "MEM_TENSOR_MAP_BYTES is the size of CUtensorMap in cuda.h");

/* The parameters that tiled and im2col tensor maps have in common. */
typedef struct tensor_params {
    CUtensorMap *to;          /* receives the tensor map */
    CUtensorMapDataType type; /* element type of the tensor */
    cuuint32_t rank;          /* number of dimensions */
    const void *address;      /* global address of the tensor */
    const cuuint64_t *dim;    /* [rank] sizes of the tensor in elements */
    const cuuint64_t *stride; /* [rank - 1] strides of the tensor in bytes */
    const cuuint32_t *step;   /* [rank] traversal strides: every step-th element is copied */
    CUtensorMapInterleave interleave; /* interleaved layout */
    CUtensorMapSwizzle swizzle;       /* swizzle of shared memory banks */
    CUtensorMapL2promotion promotion; /* size of promoted L2 fetches */
    CUtensorMapFloatOOBfill fill;     /* value of elements outside the tensor */
} tensor_params;

static bool is_float(CUtensorMapDataType t)
{
    return t >= CU_TENSOR_MAP_DATA_TYPE_FLOAT16 && t <= CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ;
}

static bool is_address_aligned(uint64_t address, CUtensorMapInterleave interleave)
{
    return address % (interleave == CU_TENSOR_MAP_INTERLEAVE_32B ? 32 : 16) == 0 &&
           address < MAX_GLOBAL_ADDRESS;
}

/* Does the swizzle mode permit a box with INNER bytes along the first dimension? */
static bool is_box_allowed_by_swizzle(const tensor_params *t, uint64_t inner)
{
    switch (t->interleave) {
    case CU_TENSOR_MAP_INTERLEAVE_NONE: break;
    case CU_TENSOR_MAP_INTERLEAVE_16B:
    case CU_TENSOR_MAP_INTERLEAVE_32B:
        return inner % 16 == 0 && (unsigned)t->swizzle <= CU_TENSOR_MAP_SWIZZLE_128B;
    default: return false;
    }
    switch (t->swizzle) {
    case CU_TENSOR_MAP_SWIZZLE_NONE: return inner % 16 == 0;
    case CU_TENSOR_MAP_SWIZZLE_32B: return inner % 16 == 0 && inner <= 32;
    case CU_TENSOR_MAP_SWIZZLE_64B: return inner % 16 == 0 && inner <= 64;
    case CU_TENSOR_MAP_SWIZZLE_128B: return inner % 16 == 0 && inner <= 128;
    default: return false;
    }
}

static bool are_params_within_limits(const tensor_params *t, uint64_t inner)
{
    if (!t->to || !mem_tensor_bytes((uint32_t)t->type) || t->rank < 1 ||
        t->rank > MEM_MAX_TENSOR_DIMS || (t->interleave && t->rank < 3) || !t->dim || !t->step ||
        !t->stride || !is_address_aligned((uintptr_t)t->address, t->interleave) ||
        (unsigned)t->promotion > CU_TENSOR_MAP_L2_PROMOTION_L2_256B ||
        (t->fill &&
         (t->fill != CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA || !is_float(t->type))) ||
        !is_box_allowed_by_swizzle(t, inner))
        return false;
    const uint64_t by = t->interleave == CU_TENSOR_MAP_INTERLEAVE_32B ? 32 : 16;
    for (cuuint32_t d = 0; d < t->rank; d++)
        if (t->dim[d] == 0 || t->dim[d] > MAX_GLOBAL_DIM ||
            (d && (t->stride[d - 1] % by || t->stride[d - 1] >= MAX_GLOBAL_STRIDE)) ||
            t->step[d] == 0 || t->step[d] > MAX_ELEMENT_STRIDE)
            return false;
    return true;
}

static mem_tensor_map tensor_map_of_params(const tensor_params *t)
{
    mem_tensor_map m = {
        .address = (uintptr_t)t->address,
        .mark = MEM_TENSOR_MAP_MARK,
        .rank = (uint8_t)t->rank,
        .type = (uint8_t)t->type,
        .interleave = (uint8_t)t->interleave,
        .swizzle = (uint8_t)t->swizzle,
        .promotion = (uint8_t)t->promotion,
        .fill = (uint8_t)t->fill,
    };
    for (cuuint32_t d = 0; d < t->rank; d++) {
        m.last[d] = (uint32_t)(t->dim[d] - 1);
        m.step[d] = (uint8_t)(d || t->interleave ? t->step[d] : 1);
        if (d)
            m.stride[d - 1] = t->stride[d - 1];
    }
    return m;
}

static cudaError_t store_tensor_map(const mem_tensor_map *m, CUtensorMap *to)
{
    memset(to, 0, sizeof *to);
    memcpy(to, m, sizeof *m);
    return cudaSuccess;
}

static cudaError_t encode_tiled(const tensor_params *t, const cuuint32_t *box)
{
    if (!box ||
        !are_params_within_limits(t, (uint64_t)box[0] * mem_tensor_bytes((uint32_t)t->type)))
        return cudaErrorInvalidValue;
    mem_tensor_map m = tensor_map_of_params(t);
    uint64_t bytes = mem_tensor_bytes(m.type);
    for (cuuint32_t d = 0; d < t->rank; d++) {
        if (box[d] == 0 || box[d] > MAX_BOX_DIM)
            return cudaErrorInvalidValue;
        m.box[d] = (uint16_t)box[d];
        bytes *= box[d];
    }
    return bytes > MAX_BOX_BYTES ? cudaErrorInvalidValue : store_tensor_map(&m, t->to);
}

CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank,
                                void *address, const cuuint64_t *dim, const cuuint64_t *stride,
                                const cuuint32_t *box, const cuuint32_t *step,
                                CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill)
{
    const tensor_params t = {map,  type,       rank,    address,   dim, stride,
                             step, interleave, swizzle, promotion, fill};
    CU_CALL_IF(true, encode_tiled(&t, box));
}

/* Store the corners of the bounding box; returns false if they are out of range. The more
 * dimensions, the fewer bits per corner coordinate. */
static bool store_bounding_box_corners(const tensor_params *t, const int *lower, const int *upper,
                                       mem_tensor_map *m)
{
    assert(t->rank <= MEM_MAX_TENSOR_DIMS); /* the program's arrays `lower` and `upper` are read up
                                           to element rank - 3 */
    const int most = t->rank == 3 ? 32767 : t->rank == 4 ? 127 : 15;
    for (cuuint32_t d = 0; d + 2 < t->rank; d++) {
        const int64_t first = lower[d], last = (int64_t)t->dim[d + 1] - 1 + upper[d];
        if (lower[d] > most || lower[d] < -most - 1 || upper[d] > most || upper[d] < -most - 1 ||
            last < first)
            return false;
        m->lower[d] = (int16_t)lower[d];
        m->upper[d] = (int16_t)upper[d];
    }
    return true;
}

static cudaError_t encode_im2col(const tensor_params *t, const int *lower, const int *upper,
                                 cuuint32_t channels, cuuint32_t pixels)
{
    if (t->rank < 3 || !lower || !upper || channels == 0 || channels > MAX_BOX_DIM || pixels == 0 ||
        pixels > MAX_PIXELS_PER_COLUMN ||
        (uint64_t)channels * pixels * mem_tensor_bytes((uint32_t)t->type) > MAX_BOX_BYTES ||
        !are_params_within_limits(t, (uint64_t)channels * mem_tensor_bytes((uint32_t)t->type)))
        return cudaErrorInvalidValue;
    mem_tensor_map m = tensor_map_of_params(t);
    if (!store_bounding_box_corners(t, lower, upper, &m))
        return cudaErrorInvalidValue;
    m.mode = MEM_TENSOR_IM2COL;
    m.channels = (uint16_t)channels;
    m.pixels = (uint16_t)pixels;
    return store_tensor_map(&m, t->to);
}

CUresult cuTensorMapEncodeIm2col(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank,
                                 void *address, const cuuint64_t *dim, const cuuint64_t *stride,
                                 const int *lower, const int *upper, cuuint32_t channels,
                                 cuuint32_t pixels, const cuuint32_t *step,
                                 CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                 CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill)
{
    const tensor_params t = {map,  type,       rank,    address,   dim, stride,
                             step, interleave, swizzle, promotion, fill};
    CU_CALL_IF(true, encode_im2col(&t, lower, upper, channels, pixels));
}

/* Encode a map of mode im2col::w, which exists from compute capability 10.0 on. A driver encodes it
 * for any device, but the emulated copies do not support it. */
static cudaError_t encode_im2col_wide(const tensor_params *t, int lower, int upper,
                                      cuuint32_t channels, cuuint32_t pixels,
                                      CUtensorMapIm2ColWideMode mode)
{
    const int corner[2][3] = {{lower}, {upper}};
    const cudaError_t e = (unsigned)mode > CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128
                              ? cudaErrorInvalidValue
                              : encode_im2col(t, corner[0], corner[1], channels, pixels);
    if (!e) {
        mem_tensor_map m;
        memcpy(&m, t->to, sizeof m);
        m.mode = MEM_TENSOR_WIDE;
        return store_tensor_map(&m, t->to);
    }
    return e;
}

CUresult cuTensorMapEncodeIm2colWide(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank,
                                     void *address, const cuuint64_t *dim, const cuuint64_t *stride,
                                     int lower, int upper, cuuint32_t channels, cuuint32_t pixels,
                                     const cuuint32_t *step, CUtensorMapInterleave interleave,
                                     CUtensorMapIm2ColWideMode mode, CUtensorMapSwizzle swizzle,
                                     CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill)
{
    const tensor_params t = {map,  type,       rank,    address,   dim, stride,
                             step, interleave, swizzle, promotion, fill};
    CU_CALL_IF(true, encode_im2col_wide(&t, lower, upper, channels, pixels, mode));
}

static cudaError_t replace_address(CUtensorMap *map, const void *address)
{
    mem_tensor_map m;
    if (!map || !address)
        return cudaErrorInvalidValue;
    memcpy(&m, map, sizeof m);
    if (!is_address_aligned((uintptr_t)address, CU_TENSOR_MAP_INTERLEAVE_NONE))
        return cudaErrorInvalidValue;
    m.address = (uintptr_t)address;
    return store_tensor_map(&m, map);
}

CUresult cuTensorMapReplaceAddress(CUtensorMap *map, void *address)
{
    CU_CALL_IF(true, replace_address(map, address));
}
