/* CUDA arrays and mipmapped arrays (Runtime API, "Memory Management"). */
#include "array.h"
#include "../../memory/memory.h"
#include "../checks/checks.h"
#include "../core/context.h"
#include "../core/state.h"

#include <stdlib.h>

#define LEVEL_ALIGNMENT 512u /* alignment of mipmap levels in bytes */
#define ROW_ALIGNMENT   64u  /* alignment of rows in bytes */

static rt_array *find_array(const void *handle)
{
    rt_array *a = rt.memory.arrays;
    while (a && a != handle)
        a = a->next;
    return a;
}

rt_array *rt_array_of(cudaArray_const_t handle)
{
    rt_array *a = find_array(handle);
    return a && !a->mipmapped ? a : NULL;
}

rt_array *rt_mipmap_of(cudaMipmappedArray_const_t handle)
{
    rt_array *a = find_array(handle);
    return a && a->mipmapped ? a : NULL;
}

/* --- channel formats -------------------------------------------------------------------------- */

/* Store the format for a channel kind from cudaChannelFormatKindUnsignedNormalized8X1 on: the kind
 * alone determines the format. Returns false for other kinds. */
static bool format_of_kind(enum cudaChannelFormatKind f, mem_format *out)
{
    static const uint8_t channels[] = {1, 2, 4};
    const unsigned k = (unsigned)f - cudaChannelFormatKindUnsignedNormalized8X1;
    if (f < cudaChannelFormatKindUnsignedNormalized8X1 ||
        f > cudaChannelFormatKindSignedNormalized16X4)
        return false;
    *out = (mem_format){.number = k < 6 ? MEM_UNORM : MEM_SNORM,
                        .bits = k / 3 % 2 ? 16 : 8,
                        .channels = channels[k % 3]};
    return true;
}

bool rt_format_of_channels(const struct cudaChannelFormatDesc *desc, mem_format *out)
{
    const int bits[4] = {desc->x, desc->y, desc->z, desc->w};
    uint32_t count = 0;
    while (count < 4 && bits[count])
        count++;
    for (uint32_t k = 0; k < 4; k++)
        if (bits[k] != (k < count ? bits[0] : 0))
            return false;
    if (count != 1 && count != 2 && count != 4)
        return false;
    if (format_of_kind(desc->f, out))
        return out->bits == bits[0] && out->channels == count;
    *out = (mem_format){.bits = (uint8_t)bits[0], .channels = (uint8_t)count};
    switch (desc->f) {
    case cudaChannelFormatKindUnsigned:
        out->number = MEM_UINT;
        return bits[0] == 8 || bits[0] == 16 || bits[0] == 32;
    case cudaChannelFormatKindSigned:
        out->number = MEM_SINT;
        return bits[0] == 8 || bits[0] == 16 || bits[0] == 32;
    case cudaChannelFormatKindFloat: out->number = MEM_FLOAT; return bits[0] == 16 || bits[0] == 32;
    default: return false;
    }
}

cudaError_t rt_error_of_channels(const struct cudaChannelFormatDesc *desc)
{
    return rt_error_because(cudaErrorInvalidChannelDescriptor,
                            "the channels have %d, %d, %d and %d bits: there are 1, 2 or 4 of the "
                            "same 8, 16 or 32 bits, floats of 16 or 32",
                            desc->x, desc->y, desc->z, desc->w);
}

/* --- creation --------------------------------------------------------------------------------- */

static uint64_t round_up(uint64_t value, uint64_t align)
{
    return (value + align - 1) / align * align;
}

static uint32_t at_least_one(uint64_t n)
{
    return n ? (uint32_t)n : 1;
}

/* Place the mipmap levels in a row from address 0; image.bytes becomes their total size. */
static void lay_out_mipmap_levels(mem_image *image, struct cudaExtent extent)
{
    const uint64_t texel = mem_texel_bytes(image->format);
    uint64_t end = 0;
    for (uint32_t k = 0; k < image->levels; k++) {
        mem_mip_level *l = &image->level[k];
        l->width = at_least_one(extent.width >> k);
        l->height = at_least_one(extent.height >> k);
        l->depth = at_least_one(image->layered || image->cube ? extent.depth : extent.depth >> k);
        l->pitch = round_up(l->width * texel, ROW_ALIGNMENT);
        /* The height of a slice is rounded up to eight rows, as on a GPU. */
        l->slice = l->pitch * (image->dims > 1 ? round_up(l->height, 8) : l->height);
        l->base = end;
        end = round_up(end + l->slice * l->depth, LEVEL_ALIGNMENT);
    }
    image->bytes = end;
}

static bool is_extent_within(struct cudaExtent e, size_t width, size_t height, size_t depth)
{
    return e.width <= width && e.height <= height && e.depth <= depth;
}

/* Is the extent within the device's limits, which attr.def lists as attributes? */
static bool fits_extent_limits(struct cudaExtent e, unsigned flags, bool mipmapped)
{
    const bool layered = flags & cudaArrayLayered, cube = flags & cudaArrayCubemap;
    const bool surface = flags & cudaArraySurfaceLoadStore;
    if (flags & cudaArrayTextureGather) {
        return e.height && (layered || !e.depth) && !cube &&
               is_extent_within(e, 32768, 32768, 2048);
    }
    if (cube) {
        const bool six = layered ? e.depth && e.depth % 6 == 0 : e.depth == 6;
        return e.width == e.height && six && is_extent_within(e, 32768, 32768, 2046);
    }
    if (layered)
        return e.depth && is_extent_within(e, 32768, 32768, 2048);
    if (e.depth) {
        return e.height &&
               (is_extent_within(e, 16384, 16384, 16384) || is_extent_within(e, 8192, 8192, 32768));
    }
    if (mipmapped)
        return is_extent_within(e, 32768, 32768, 0);
    return e.height ? is_extent_within(e, 131072, 65536, 0)
                    : is_extent_within(e, surface ? 32768 : 131072, 0, 0);
}

static void set_level_addresses(mem_image *image, uint64_t at)
{
    image->base = at;
    for (uint32_t k = 0; k < image->levels; k++)
        image->level[k].base += at;
}

/* The channel kind with the highest number. */
#define LAST_CHANNEL_KIND cudaChannelFormatKindUnsignedNormalized1010102
/* Flags that cudaMallocArray and similar calls accept. */
#define KNOWN_ARRAY_FLAGS                                                                       \
    (cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap | cudaArrayTextureGather | \
     cudaArraySparse | cudaArrayDeferredMapping)

static cudaError_t make_array(const char *what, rt_array **out,
                              const struct cudaChannelFormatDesc *desc, struct cudaExtent extent,
                              unsigned levels, unsigned flags, bool mipmapped)
{
    mem_format format;
    if (!out || !desc || !extent.width || flags & ~(unsigned)KNOWN_ARRAY_FLAGS)
        return cudaErrorInvalidValue;
    if (flags & (cudaArraySparse | cudaArrayDeferredMapping)) {
        rt_print_message(
            "%s: sparse arrays and arrays without memory of their own are not supported", what);
        return cudaErrorNotSupported;
    }
    if (desc->f == cudaChannelFormatKindNV12 ||
        (desc->f > cudaChannelFormatKindSignedNormalized16X4 && desc->f <= LAST_CHANNEL_KIND)) {
        rt_print_message(
            "%s: block-compressed, planar and packed channel formats are not supported", what);
        return cudaErrorNotSupported;
    }
    if (!rt_format_of_channels(desc, &format))
        return rt_error_of_channels(desc);
    if (!fits_extent_limits(extent, flags, mipmapped))
        return cudaErrorInvalidValue;
    rt_array *a = calloc(1, sizeof *a);
    if (!a)
        return cudaErrorMemoryAllocation;
    a->image =
        (mem_image){.kind = MEM_IMAGE_ARRAY,
                    .format = format,
                    .dims = flags & (cudaArrayLayered | cudaArrayCubemap) ? (extent.height ? 2 : 1)
                            : extent.depth                                ? 3
                            : extent.height                               ? 2
                                                                          : 1,
                    .layered = flags & cudaArrayLayered,
                    .cube = flags & cudaArrayCubemap,
                    .levels = levels};
    lay_out_mipmap_levels(&a->image, extent);
    a->desc = *desc;
    a->extent = extent;
    a->flags = flags;
    a->mipmapped = mipmapped;
    uint64_t at = 0;
    if (mipmapped)
        a->level = calloc(levels, sizeof *a->level);
    if (!mipmapped || a->level)
        at = mem_alloc(a->image.bytes, LEVEL_ALIGNMENT, MEM_ARRAY, NULL);
    if (!at) {
        free(a->level);
        free(a);
        return cudaErrorMemoryAllocation;
    }
    rt_note_owned_memory(at);
    rt_note_unwritten_memory((const void *)(uintptr_t)at, a->image.bytes);
    set_level_addresses(&a->image, at);
    a->next = rt.memory.arrays;
    rt.memory.arrays = a;
    *out = a;
    return cudaSuccess;
}

cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                              struct cudaExtent extent, unsigned flags)
{
    cudaError_t e = rt_lock();
    return rt_unlock(
        e ? e : make_array("cudaMalloc3DArray", (rt_array **)array, desc, extent, 1, flags, false));
}

cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                            size_t width, size_t height, unsigned flags)
{
    const struct cudaExtent extent = {width, height, 0};
    cudaError_t e = rt_lock();
    e = RT_INVALID_IF(e, flags & (cudaArrayLayered | cudaArrayCubemap));
    return rt_unlock(
        e ? e : make_array("cudaMallocArray", (rt_array **)array, desc, extent, 1, flags, false));
}

cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *array,
                                     const struct cudaChannelFormatDesc *desc,
                                     struct cudaExtent extent, unsigned levels, unsigned flags)
{
    cudaError_t e = rt_lock();
    /* Create as many levels as halving the longest side allows; layers are no side. */
    size_t longest = extent.width > extent.height ? extent.width : extent.height;
    if (!(flags & (cudaArrayLayered | cudaArrayCubemap)) && extent.depth > longest)
        longest = extent.depth;
    unsigned most = 0;
    while (most < MEM_MAX_LEVELS && longest >> most)
        most++;
    levels = !levels ? 1 : levels > most && most ? most : levels;
    e = RT_INVALID_IF(e, levels > MEM_MAX_LEVELS);
    return rt_unlock(e ? e
                       : make_array("cudaMallocMipmappedArray", (rt_array **)array, desc, extent,
                                    levels, flags, true));
}

cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *out, cudaMipmappedArray_const_t mipmap,
                                       unsigned level)
{
    cudaError_t e = rt_lock();
    rt_array *m = rt_mipmap_of(mipmap);
    e = RT_ERROR_IF(e, !m, cudaErrorInvalidResourceHandle);
    e = RT_INVALID_IF(e, !out || level >= m->image.levels);
    if (!e && !m->level[level]) {
        rt_array *a = calloc(1, sizeof *a);
        if (!a)
            return rt_unlock(cudaErrorMemoryAllocation);
        *a = *m;
        const mem_mip_level *l = &m->image.level[level];
        a->image.levels = 1;
        a->image.level[0] = *l;
        a->extent = (struct cudaExtent){l->width, m->extent.height ? l->height : 0,
                                        m->extent.depth ? l->depth : 0};
        a->mipmapped = false;
        a->level = NULL;
        a->whole = m;
        a->next = rt.memory.arrays;
        rt.memory.arrays = a;
        m->level[level] = a;
    }
    return RT_UNLOCK_WITH(e, out, (cudaArray_t)m->level[level]);
}

/* --- freeing ---------------------------------------------------------------------------------- */

static void unlink_array(rt_array *a)
{
    rt_array **slot = &rt.memory.arrays;
    while (*slot != a)
        slot = &(*slot)->next;
    *slot = a->next;
    free(a->level);
    free(a);
}

static void release_array(rt_array *a)
{
    if (!a->whole) {
        rt_note_free((const void *)(uintptr_t)a->image.base);
        rt_drop_memory_owner(a->image.base);
        mem_free_range(a->image.base);
    }
    for (uint32_t k = 0; a->level && k < a->image.levels; k++)
        if (a->level[k])
            unlink_array(a->level[k]);
    unlink_array(a);
}

static cudaError_t free_array(const void *handle, bool mipmapped)
{
    cudaError_t e = rt_lock();
    if (!e && handle) {
        e = rt_finish_all(); /* kernels may still use the array, so wait, as cudaFree does */
        rt_array *a = mipmapped ? rt_mipmap_of(handle) : rt_array_of(handle);
        /* a level is freed with its mipmapped array */
        e = RT_ERROR_IF(e, !a || a->whole, cudaErrorInvalidResourceHandle);
        if (!e)
            release_array(a);
    }
    return rt_unlock(e);
}

cudaError_t cudaFreeArray(cudaArray_t array)
{
    return free_array(array, false);
}

cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t array)
{
    return free_array(array, true);
}

void rt_reset_arrays(void)
{
    for (rt_array *a = rt.memory.arrays, *next; a; a = next) {
        next = a->next;
        if (!a->whole && !rt_memory_owner(a->image.base)) {
            release_array(a);
            next = rt.memory.arrays; /* the levels of a mipmapped array have been freed too */
        }
    }
}

/* --- queries ---------------------------------------------------------------------------------- */

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent,
                             unsigned *flags, cudaArray_t array)
{
    cudaError_t e = rt_lock();
    const rt_array *a = rt_array_of(array);
    e = RT_ERROR_IF(e, !a, cudaErrorInvalidResourceHandle);
    if (!e && desc)
        *desc = a->desc;
    if (!e && extent)
        *extent = a->extent;
    if (!e && flags)
        *flags = a->flags;
    return rt_unlock(e);
}

cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t array)
{
    cudaError_t e = rt_lock();
    const rt_array *a = rt_array_of(array);
    if (!e && (!a || !desc))
        e = desc ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue;
    return RT_UNLOCK_WITH(e, desc, a->desc);
}

/* The three queries about sparse, deferred-mapping and planar arrays return this error. The
 * emulator cannot create such arrays, and for any other array the queries are an error. */
static cudaError_t unsupported_array_query(void)
{
    cudaError_t e = rt_lock();
    return rt_unlock(e ? e : cudaErrorInvalidValue);
}

cudaError_t cudaArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *out,
                                           cudaArray_t array, int device)
{
    (void)out, (void)array, (void)device;
    return unsupported_array_query();
}

cudaError_t cudaMipmappedArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *out,
                                                    cudaMipmappedArray_t array, int device)
{
    (void)out, (void)array, (void)device;
    return unsupported_array_query();
}

cudaError_t cudaArrayGetSparseProperties(struct cudaArraySparseProperties *out, cudaArray_t array)
{
    (void)out, (void)array;
    return unsupported_array_query();
}

cudaError_t cudaMipmappedArrayGetSparseProperties(struct cudaArraySparseProperties *out,
                                                  cudaMipmappedArray_t array)
{
    (void)out, (void)array;
    return unsupported_array_query();
}

cudaError_t cudaArrayGetPlane(cudaArray_t *out, cudaArray_t array, unsigned plane)
{
    (void)out, (void)plane;
    cudaError_t e = rt_lock();
    const bool there = rt_array_of(array);
    return rt_unlock(e ? e : there ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle);
}
