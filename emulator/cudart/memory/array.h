/* CUDA arrays: their handles and layout, and checks that texture and copy functions share. Call
 * these functions with the runtime's lock held. */
#pragma once

#include "../../memory/image.h"
#include "../core/call.h"

/* A CUDA array, one level of a mipmapped array, or a mipmapped array. cudaArray_t and
 * cudaMipmappedArray_t point to it. */
typedef struct rt_array {
    mem_image image; /* memory layout of the array; for a mipmap level, of that level only */
    struct cudaChannelFormatDesc desc; /* channel format of an element */
    struct cudaExtent extent; /* requested size; 0 for dimensions that the array does not have */
    unsigned flags;           /* flags given to cudaMallocArray and similar calls */
    bool mipmapped;           /* this is a mipmapped array, not a plain array or a level */
    struct rt_array *whole;   /* for a mipmap level: the mipmapped array that owns the memory */
    struct rt_array **level;  /* for a mipmapped array: its levels, each NULL until requested */
    struct rt_array *next;    /* next in the list of all arrays */
} rt_array;

/* The CUDA array of a handle; NULL if the handle is not an array, or is a mipmapped array. */
rt_array *rt_array_of(cudaArray_const_t handle);
/* The mipmapped array of a handle; NULL if the handle is not a mipmapped array. */
rt_array *rt_mipmap_of(cudaMipmappedArray_const_t handle);

/* Convert a channel descriptor to a format; returns false if no array may have the descriptor.
 * rt_error_of_channels: the error, whose reason is kept. */
cudaError_t rt_error_of_channels(const struct cudaChannelFormatDesc *desc);
bool rt_format_of_channels(const struct cudaChannelFormatDesc *desc, mem_format *out);
