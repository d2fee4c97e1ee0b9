/* CUDA arrays: handles, what they hold, and the checks that textures and copies share. All of this
 * with the lock held. */
#ifndef WARPBOOK_ARRAY_H
#define WARPBOOK_ARRAY_H

#include "../../memory/image.h"
#include "../cudart.h"

/* A CUDA array, a level of a mipmapped one, or a mipmapped one itself; cudaArray_t and
 * cudaMipmappedArray_t point to it. */
typedef struct rt_array {
    mem_image image; /* of a level: that level alone */
    struct cudaChannelFormatDesc desc;
    struct cudaExtent extent; /* as asked for: 0 where there is no such dimension */
    unsigned flags;
    bool mipmapped;
    struct rt_array *whole;  /* a level's mipmapped array, which owns the memory; else NULL */
    struct rt_array **level; /* [image.levels] of a mipmapped array, made when asked for */
    struct rt_array *next;
} rt_array;

/* NULL: there is no such array, or it is a mipmapped one. */
rt_array *rt_array_of(cudaArray_const_t handle);
rt_array *rt_mipmap_of(cudaMipmappedArray_const_t handle);

/* Channels as the device reads them. False: no array may have them. */
bool rt_channels(const struct cudaChannelFormatDesc *desc, mem_format *out);

#endif
