/* CUDA arrays: their handles and layout, and the checks that textures and copies share. Call these
 * functions with the runtime's lock held. */
#ifndef WARPBOOK_ARRAY_H
#define WARPBOOK_ARRAY_H

#include "../../memory/image.h"
#include "../cudart.h"

/* A CUDA array, one level of a mipmapped array, or a mipmapped array. cudaArray_t and
 * cudaMipmappedArray_t point to it. */
typedef struct rt_array {
    mem_image image; /* of a level: describes that level only */
    struct cudaChannelFormatDesc desc;
    struct cudaExtent extent; /* as requested; 0 for dimensions that the array does not have */
    unsigned flags;
    bool mipmapped;
    struct rt_array *whole; /* of a level: its mipmapped array, which owns the memory; else NULL */
    /* The levels of a mipmapped array, [image.levels], each created when first requested. */
    struct rt_array **level;
    struct rt_array *next;
} rt_array;

/* Look up a handle; NULL if there is no such array, or it is mipmapped. */
rt_array *rt_array_of(cudaArray_const_t handle);
rt_array *rt_mipmap_of(cudaMipmappedArray_const_t handle);

/* Translate a channel descriptor; returns false if no array may have it. */
bool rt_channels(const struct cudaChannelFormatDesc *desc, mem_format *out);

#endif
