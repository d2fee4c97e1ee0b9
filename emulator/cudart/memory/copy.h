/* Copies and fills. */
#pragma once

#include "../streams/op.h"

/* Source or destination of a copy: address and strides of a 3D box of bytes. The box's width,
 * height and depth are arguments of rt_queue_copy. */
typedef struct rt_copy_box {
    uint64_t base; /* address of the first byte */
    size_t pitch;  /* bytes between the starts of two rows */
    size_t slice;  /* bytes between the starts of two slices */
} rt_copy_box;

/* Copy under the rules of cudaMemcpy3D, and of cudaMemcpyAsync if ASYNC. WHAT names the call in
 * messages. S NULL: only check the arguments. */
cudaError_t rt_queue_copy(const char *what, rt_copy_box dst, rt_copy_box src, size_t width,
                          size_t height, size_t depth, enum cudaMemcpyKind kind, rt_stream *s,
                          bool async);
/* Fill with elements of UNIT bytes (1, 2 or 4). WIDTH is in bytes. S NULL: only check. */
cudaError_t rt_queue_fill(const char *what, rt_copy_box dst, uint32_t value, size_t unit,
                          size_t width, size_t height, size_t depth, rt_stream *s, bool async);
/* Performs cudaMemcpy3D, for arrays too. S NULL: only check the arguments. */
cudaError_t rt_queue_copy3d(const char *what, const struct cudaMemcpy3DParms *p, rt_stream *s,
                            bool async);

/* Size of an element of ARRAY in bytes; 1 if ARRAY is not a valid array. */
size_t rt_array_element_size(cudaArray_const_t array);
