/* Arrays, textures and surfaces (Driver API, "Memory Management", "Texture Object Management",
 * "Surface Object Management"): converts descriptors and calls the runtime. */
#include "cudriver.h"

#include <string.h>

/* Convert an array format to a channel descriptor; returns false if the format does not exist. */
static bool channel_format(CUarray_format format, unsigned count, struct cudaChannelFormatDesc *out)
{
    int bits;
    enum cudaChannelFormatKind kind;
    switch ((int)format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_UNSIGNED_INT32:
        bits = 8 << (format - CU_AD_FORMAT_UNSIGNED_INT8);
        kind = cudaChannelFormatKindUnsigned;
        break;
    case CU_AD_FORMAT_SIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT32:
        bits = 8 << (format - CU_AD_FORMAT_SIGNED_INT8);
        kind = cudaChannelFormatKindSigned;
        break;
    case CU_AD_FORMAT_HALF:
    case CU_AD_FORMAT_FLOAT:
        bits = format == CU_AD_FORMAT_HALF ? 16 : 32;
        kind = cudaChannelFormatKindFloat;
        break;
    default: return false;
    }
    *out = (struct cudaChannelFormatDesc){bits, count > 1 ? bits : 0, count > 2 ? bits : 0,
                                          count > 3 ? bits : 0, kind};
    return count == 1 || count == 2 || count == 4;
}

/* The array format of a channel descriptor, also for an array that the runtime created. */
static CUarray_format format_of_channel(const struct cudaChannelFormatDesc *c)
{
    const int step = c->x == 32 ? 2 : c->x == 16;
    return c->f == cudaChannelFormatKindUnsigned
               ? (CUarray_format)(CU_AD_FORMAT_UNSIGNED_INT8 + step)
           : c->f == cudaChannelFormatKindSigned ? (CUarray_format)(CU_AD_FORMAT_SIGNED_INT8 + step)
           : c->x == 16                          ? CU_AD_FORMAT_HALF
                                                 : CU_AD_FORMAT_FLOAT;
}

static unsigned channel_count(const struct cudaChannelFormatDesc *c)
{
    return c->w ? 4 : c->y ? 2 : 1;
}

/* --- calls on arrays -----------------------------------------------------------------------------
 * The flags have the same numbers in both APIs. */

static cudaError_t create_array(cudaArray_t *out, const CUDA_ARRAY3D_DESCRIPTOR *d)
{
    struct cudaChannelFormatDesc c;
    const struct cudaExtent extent = {d->Width, d->Height, d->Depth};
    return d->Width && channel_format(d->Format, d->NumChannels, &c)
               ? cudaMalloc3DArray(out, &c, extent, d->Flags)
               : cudaErrorInvalidValue;
}

CUresult cuArray3DCreate(CUarray *out, const CUDA_ARRAY3D_DESCRIPTOR *d)
{
    CU_CALL_IF(out && d, create_array((cudaArray_t *)out, d));
}

static cudaError_t create_array_2d(cudaArray_t *out, const CUDA_ARRAY_DESCRIPTOR *d)
{
    const CUDA_ARRAY3D_DESCRIPTOR whole = {
        .Width = d->Width, .Height = d->Height, .Format = d->Format, .NumChannels = d->NumChannels};
    return create_array(out, &whole);
}

CUresult cuArrayCreate(CUarray *out, const CUDA_ARRAY_DESCRIPTOR *d)
{
    CU_CALL_IF(out && d, create_array_2d((cudaArray_t *)out, d));
}

static cudaError_t describe_array(CUDA_ARRAY3D_DESCRIPTOR *out, CUarray array)
{
    struct cudaChannelFormatDesc c;
    struct cudaExtent extent;
    unsigned flags = 0;
    cudaError_t e = cudaArrayGetInfo(&c, &extent, &flags, (cudaArray_t)array);
    e = RT_INVALID_IF(e, !out);
    if (!e) {
        *out = (CUDA_ARRAY3D_DESCRIPTOR){.Width = extent.width,
                                         .Height = extent.height,
                                         .Depth = extent.depth,
                                         .Format = format_of_channel(&c),
                                         .NumChannels = channel_count(&c),
                                         .Flags = flags};
    }
    return e;
}

CUresult cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR *out, CUarray array)
{
    CU_CALL_WITHOUT_CONTEXT(true, describe_array(out, array));
}

static cudaError_t describe_array_2d(CUDA_ARRAY_DESCRIPTOR *out, CUarray array)
{
    CUDA_ARRAY3D_DESCRIPTOR d;
    cudaError_t e = describe_array(&d, array);
    e = RT_INVALID_IF(e, !out);
    if (!e)
        *out = (CUDA_ARRAY_DESCRIPTOR){d.Width, d.Height, d.Format, d.NumChannels};
    return e;
}

CUresult cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR *out, CUarray array)
{
    CU_CALL_WITHOUT_CONTEXT(true, describe_array_2d(out, array));
}

static cudaError_t create_mipmap(cudaMipmappedArray_t *out, const CUDA_ARRAY3D_DESCRIPTOR *d,
                                 unsigned levels)
{
    struct cudaChannelFormatDesc c;
    const struct cudaExtent extent = {d->Width, d->Height, d->Depth};
    return d->Width && channel_format(d->Format, d->NumChannels, &c)
               ? cudaMallocMipmappedArray(out, &c, extent, levels, d->Flags)
               : cudaErrorInvalidValue;
}

CUresult cuMipmappedArrayCreate(CUmipmappedArray *out, const CUDA_ARRAY3D_DESCRIPTOR *d,
                                unsigned int levels)
{
    CU_CALL_IF(out && d, create_mipmap((cudaMipmappedArray_t *)out, d, levels));
}

/* --- textures and surfaces -------------------------------------------------------------------- */

static cudaError_t resource_of_description(const CUDA_RESOURCE_DESC *d,
                                           struct cudaResourceDesc *out)
{
    memset(out, 0, sizeof *out);
    out->resType = (enum cudaResourceType)d->resType;
    bool known = true;
    switch ((int)d->resType) {
    case CU_RESOURCE_TYPE_ARRAY:
        out->res.array.array = (cudaArray_t)d->res.array.hArray;
        known = out->res.array.array;
        break;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
        out->res.mipmap.mipmap = (cudaMipmappedArray_t)d->res.mipmap.hMipmappedArray;
        known = out->res.mipmap.mipmap;
        break;
    case CU_RESOURCE_TYPE_LINEAR:
        out->res.linear.devPtr = cu_pointer(d->res.linear.devPtr);
        out->res.linear.sizeInBytes = d->res.linear.sizeInBytes;
        known =
            channel_format(d->res.linear.format, d->res.linear.numChannels, &out->res.linear.desc);
        break;
    case CU_RESOURCE_TYPE_PITCH2D:
        out->res.pitch2D.devPtr = cu_pointer(d->res.pitch2D.devPtr);
        out->res.pitch2D.width = d->res.pitch2D.width;
        out->res.pitch2D.height = d->res.pitch2D.height;
        out->res.pitch2D.pitchInBytes = d->res.pitch2D.pitchInBytes;
        known = channel_format(d->res.pitch2D.format, d->res.pitch2D.numChannels,
                               &out->res.pitch2D.desc);
        break;
    default: known = false;
    }
    return known && !d->flags ? cudaSuccess : cudaErrorInvalidValue;
}

static void convert_resource_back(const struct cudaResourceDesc *r, CUDA_RESOURCE_DESC *out)
{
    memset(out, 0, sizeof *out);
    out->resType = (CUresourcetype)r->resType;
    switch (r->resType) {
    case cudaResourceTypeArray: out->res.array.hArray = (CUarray)r->res.array.array; break;
    case cudaResourceTypeMipmappedArray:
        out->res.mipmap.hMipmappedArray = (CUmipmappedArray)r->res.mipmap.mipmap;
        break;
    case cudaResourceTypeLinear:
        out->res.linear.devPtr = (uintptr_t)r->res.linear.devPtr;
        out->res.linear.format = format_of_channel(&r->res.linear.desc);
        out->res.linear.numChannels = channel_count(&r->res.linear.desc);
        out->res.linear.sizeInBytes = r->res.linear.sizeInBytes;
        break;
    default:
        out->res.pitch2D.devPtr = (uintptr_t)r->res.pitch2D.devPtr;
        out->res.pitch2D.format = format_of_channel(&r->res.pitch2D.desc);
        out->res.pitch2D.numChannels = channel_count(&r->res.pitch2D.desc);
        out->res.pitch2D.width = r->res.pitch2D.width;
        out->res.pitch2D.height = r->res.pitch2D.height;
        out->res.pitch2D.pitchInBytes = r->res.pitch2D.pitchInBytes;
    }
}

/* Are integers read as normalized floats without CU_TRSF_READ_AS_INTEGER? True for 8 and 16 bits
 * only. */
static bool reads_as_normalized_float(const CUDA_RESOURCE_DESC *d)
{
    CUDA_ARRAY3D_DESCRIPTOR a;
    cudaArray_t level;
    CUarray_format f;
    switch ((int)d->resType) {
    case CU_RESOURCE_TYPE_LINEAR: f = d->res.linear.format; break;
    case CU_RESOURCE_TYPE_PITCH2D: f = d->res.pitch2D.format; break;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
        if (cudaGetMipmappedArrayLevel(&level, (cudaMipmappedArray_t)d->res.mipmap.hMipmappedArray,
                                       0) ||
            describe_array(&a, (CUarray)level))
            return false;
        f = a.Format;
        break;
    default:
        if (describe_array(&a, d->res.array.hArray))
            return false;
        f = a.Format;
    }
    return f == CU_AD_FORMAT_UNSIGNED_INT8 || f == CU_AD_FORMAT_UNSIGNED_INT16 ||
           f == CU_AD_FORMAT_SIGNED_INT8 || f == CU_AD_FORMAT_SIGNED_INT16;
}

static cudaError_t create_texture(CUtexObject *out, const CUDA_RESOURCE_DESC *d,
                                  const CUDA_TEXTURE_DESC *t, const CUDA_RESOURCE_VIEW_DESC *view)
{
    struct cudaResourceDesc r;
    cudaError_t e = resource_of_description(d, &r);
    if (e)
        return e;
    struct cudaTextureDesc to = {
        .filterMode = (enum cudaTextureFilterMode)t->filterMode,
        .readMode = !(t->flags & CU_TRSF_READ_AS_INTEGER) && reads_as_normalized_float(d)
                        ? cudaReadModeNormalizedFloat
                        : cudaReadModeElementType,
        .sRGB = (t->flags & CU_TRSF_SRGB) != 0,
        .normalizedCoords = (t->flags & CU_TRSF_NORMALIZED_COORDINATES) != 0,
        .maxAnisotropy = t->maxAnisotropy,
        .mipmapFilterMode = (enum cudaTextureFilterMode)t->mipmapFilterMode,
        .mipmapLevelBias = t->mipmapLevelBias,
        .minMipmapLevelClamp = t->minMipmapLevelClamp,
        .maxMipmapLevelClamp = t->maxMipmapLevelClamp,
        .disableTrilinearOptimization = (t->flags & CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION) != 0,
        .seamlessCubemap = (t->flags & CU_TRSF_SEAMLESS_CUBEMAP) != 0};
    memcpy(to.borderColor, t->borderColor, sizeof to.borderColor);
    for (int k = 0; k < 3; k++)
        to.addressMode[k] = (enum cudaTextureAddressMode)t->addressMode[k];
    struct cudaResourceViewDesc v = {0};
    if (view) {
        v = (struct cudaResourceViewDesc){.format = (enum cudaResourceViewFormat)view->format,
                                          .width = view->width,
                                          .height = view->height,
                                          .depth = view->depth,
                                          .firstMipmapLevel = view->firstMipmapLevel,
                                          .lastMipmapLevel = view->lastMipmapLevel,
                                          .firstLayer = view->firstLayer,
                                          .lastLayer = view->lastLayer};
    }
    cudaTextureObject_t made;
    e = cudaCreateTextureObject(&made, &r, &to, view ? &v : NULL);
    if (!e)
        *out = made;
    return e;
}

CUresult cuTexObjectCreate(CUtexObject *out, const CUDA_RESOURCE_DESC *d,
                           const CUDA_TEXTURE_DESC *t, const CUDA_RESOURCE_VIEW_DESC *view)
{
    CU_CALL_IF(out && d && t, create_texture(out, d, t, view));
}

static cudaError_t get_texture_resource(CUDA_RESOURCE_DESC *out, CUtexObject object)
{
    struct cudaResourceDesc r;
    cudaError_t e = cudaGetTextureObjectResourceDesc(&r, object);
    if (!e)
        convert_resource_back(&r, out);
    return e;
}

CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *out, CUtexObject object)
{
    CU_CALL_IF(out, get_texture_resource(out, object));
}

static cudaError_t get_texture_desc(CUDA_TEXTURE_DESC *out, CUtexObject object)
{
    struct cudaTextureDesc t;
    struct cudaResourceDesc r;
    CUDA_RESOURCE_DESC d;
    cudaError_t e = cudaGetTextureObjectTextureDesc(&t, object);
    e = e ? e : cudaGetTextureObjectResourceDesc(&r, object);
    if (e)
        return e;
    convert_resource_back(&r, &d);
    const bool plain = t.readMode == cudaReadModeElementType && reads_as_normalized_float(&d);
    *out = (CUDA_TEXTURE_DESC){
        .filterMode = (CUfilter_mode)t.filterMode,
        .flags = (plain ? CU_TRSF_READ_AS_INTEGER : 0) |
                 (t.normalizedCoords ? CU_TRSF_NORMALIZED_COORDINATES : 0) |
                 (t.sRGB ? CU_TRSF_SRGB : 0) |
                 (t.disableTrilinearOptimization ? CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION : 0) |
                 (t.seamlessCubemap ? CU_TRSF_SEAMLESS_CUBEMAP : 0),
        .maxAnisotropy = t.maxAnisotropy,
        .mipmapFilterMode = (CUfilter_mode)t.mipmapFilterMode,
        .mipmapLevelBias = t.mipmapLevelBias,
        .minMipmapLevelClamp = t.minMipmapLevelClamp,
        .maxMipmapLevelClamp = t.maxMipmapLevelClamp};
    memcpy(out->borderColor, t.borderColor, sizeof out->borderColor);
    for (int k = 0; k < 3; k++)
        out->addressMode[k] = (CUaddress_mode)t.addressMode[k];
    return cudaSuccess;
}

CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *out, CUtexObject object)
{
    CU_CALL_IF(out, get_texture_desc(out, object));
}

static cudaError_t create_surface(CUsurfObject *out, const CUDA_RESOURCE_DESC *d)
{
    struct cudaResourceDesc r;
    cudaSurfaceObject_t made;
    cudaError_t e = resource_of_description(d, &r);
    e = e ? e : cudaCreateSurfaceObject(&made, &r);
    if (!e)
        *out = made;
    return e;
}

CUresult cuSurfObjectCreate(CUsurfObject *out, const CUDA_RESOURCE_DESC *d)
{
    CU_CALL_IF(out && d, create_surface(out, d));
}

static cudaError_t get_surface_resource(CUDA_RESOURCE_DESC *out, CUsurfObject object)
{
    struct cudaResourceDesc r;
    cudaError_t e = cudaGetSurfaceObjectResourceDesc(&r, object);
    if (!e)
        convert_resource_back(&r, out);
    return e;
}

CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *out, CUsurfObject object)
{
    CU_CALL_IF(out, get_surface_resource(out, object));
}
