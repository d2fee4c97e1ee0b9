/* Texture and surface objects (Runtime API, "Texture Object Management" and "Surface Object
 * Management"). Texture references do not exist: CUDA 12 removed them. */
#include "../../memory/memory.h"
#include "../checks/checks.h"
#include "../core/state.h"
#include "array.h"
#include <stdio.h>
#include <stdlib.h>

/* Maximum number of texels of a texture in linear memory. */
#define MAX_BUFFER_TEXELS       (UINT64_C(1) << 28)
#define MAX_TEXTURE_PITCH       UINT64_C(2097120) /* largest distance of two rows in bytes */
#define TEXTURE_PITCH_ALIGNMENT 32u               /* value of cudaDevAttrTexturePitchAlignment */

/* The descriptors that an object was created from, for the calls that query them. */
typedef struct rt_descriptors {
    uint64_t handle;                  /* handle of the texture or surface object */
    bool surface;                     /* true: of a surface object; false: of a texture object */
    struct cudaResourceDesc resource; /* the resource of the object */
    struct cudaTextureDesc texture;   /* how texels are sampled */
    struct cudaResourceViewDesc view; /* how the resource is reinterpreted */
    atomic_uint noticed;              /* bits of mem_notice: what fetches have done */
    san_caller by;                    /* the call that created the object */
    struct rt_descriptors *next;      /* next object in the same hash bucket */
} texture_object;

static texture_object **find_link_to_texture_object(uint64_t handle, bool surface)
{
    texture_object **p = &rt.memory.objects[handle % 256];
    while (*p && ((*p)->handle != handle || (*p)->surface != surface))
        p = &(*p)->next;
    return p;
}

static cudaError_t add_texture_object(mem_object *made, const texture_object *from,
                                      unsigned long long *out)
{
    texture_object *o = malloc(sizeof *o);
    if (o && rt.sanitize & SAN_HOST)
        made->sampler.noticed = &o->noticed;
    const uint64_t handle = o ? mem_object_add(made) : 0;
    if (!handle) {
        free(o);
        return cudaErrorMemoryAllocation;
    }
    *o = *from;
    o->handle = handle;
    rt_find_position_of_call(&o->by);
    o->next = rt.memory.objects[handle % 256];
    rt.memory.objects[handle % 256] = o;
    *out = handle;
    rt_note_object(from->surface ? RT_SURFACE_OBJECT : RT_TEXTURE_OBJECT, handle);
    return cudaSuccess;
}

/* --- resources -------------------------------------------------------------------------------- */

/* Describe linear memory at AT with texels of DESC. The texture may be larger than the memory, as
 * long as no kernel reads the rest: *BYTES is reduced to the size of the allocation. */
static cudaError_t describe_linear_memory(const struct cudaChannelFormatDesc *desc, const void *at,
                                          uint64_t *bytes, mem_format *format)
{
    const uint64_t address = (uint64_t)(uintptr_t)at;
    mem_range r;
    if (!rt_format_of_channels(desc, format))
        return rt_error_of_channels(desc);
    const bool found = mem_find_range(address, &r);
    if (!at)
        return rt_error_because(cudaErrorInvalidValue, "the texture's memory is a null pointer");
    if (address % RT_ALLOCATION_ALIGNMENT && (found || mem_in_window(address))) {
        return rt_error_because(cudaErrorInvalidValue,
                                "the texture's memory begins at %p, and the address must be a "
                                "multiple of %u (textureAlignment): let it begin where an "
                                "allocation begins",
                                at, RT_ALLOCATION_ALIGNMENT);
    }
    if (!found) {
        char text[400];
        mem_describe(address, 1, text, sizeof text);
        rt_print_message("cudaCreateTextureObject: the memory at 0x%llx is %s",
                         (unsigned long long)address, text);
        return rt_error_because(cudaErrorInvalidValue, "the texture's memory at %p is %s", at,
                                text);
    }
    const uint64_t there = r.size - (address - r.base);
    *bytes = *bytes < there ? *bytes : there;
    return cudaSuccess;
}

static cudaError_t describe_buffer_image(const struct cudaResourceDesc *r, mem_image *out)
{
    mem_format format;
    const uint64_t at = (uint64_t)(uintptr_t)r->res.linear.devPtr;
    uint64_t bytes = r->res.linear.sizeInBytes;
    cudaError_t e =
        describe_linear_memory(&r->res.linear.desc, r->res.linear.devPtr, &bytes, &format);
    if (e)
        return e;
    const uint64_t width = r->res.linear.sizeInBytes / mem_texel_bytes(format);
    if (r->res.linear.sizeInBytes > rt.profile.memory_bytes)
        return cudaErrorInvalidValue;
    *out = (mem_image){
        .kind = MEM_IMAGE_BUFFER,
        .format = format,
        .dims = 1,
        .levels = 1,
        .level = {{at, (uint32_t)(width < MAX_BUFFER_TEXELS ? width : MAX_BUFFER_TEXELS), 1, 1,
                   bytes, bytes}},
        .base = at,
        .bytes = bytes};
    return cudaSuccess;
}

static cudaError_t describe_pitched_image(const struct cudaResourceDesc *r, mem_image *out)
{
    mem_format format;
    const uint64_t at = (uint64_t)(uintptr_t)r->res.pitch2D.devPtr;
    const uint64_t width = r->res.pitch2D.width, height = r->res.pitch2D.height,
                   pitch = r->res.pitch2D.pitchInBytes;
    if (!rt_format_of_channels(&r->res.pitch2D.desc, &format))
        return rt_error_of_channels(&r->res.pitch2D.desc);
    if (pitch % TEXTURE_PITCH_ALIGNMENT) {
        return rt_error_because(cudaErrorInvalidValue,
                                "the pitch of %llu bytes is no multiple of %u "
                                "(texturePitchAlignment): use the pitch that cudaMallocPitch "
                                "returns",
                                (unsigned long long)pitch, TEXTURE_PITCH_ALIGNMENT);
    }
    if (width > 131072 || height > 65000 || pitch > MAX_TEXTURE_PITCH) {
        return rt_error_because(cudaErrorInvalidValue,
                                "a texture in pitched memory has at most 131072 x 65000 texels and "
                                "a pitch of %llu bytes, this one has %llu x %llu and %llu",
                                (unsigned long long)MAX_TEXTURE_PITCH, (unsigned long long)width,
                                (unsigned long long)height, (unsigned long long)pitch);
    }
    /* Width or height may be 0: an error for an empty texture is reported only when a kernel reads
     * the texture. */
    const uint64_t needed =
        width && height ? (height - 1) * pitch + width * mem_texel_bytes(format) : 0;
    uint64_t bytes = needed;
    cudaError_t e =
        describe_linear_memory(&r->res.pitch2D.desc, r->res.pitch2D.devPtr, &bytes, &format);
    if (!e) {
        const mem_mip_level level = {at, (uint32_t)width, (uint32_t)height,
                                     1,  pitch,           pitch * height};
        *out = (mem_image){.kind = MEM_IMAGE_PITCHED,
                           .format = format,
                           .dims = 2,
                           .levels = 1,
                           .level = {level},
                           .base = at,
                           .bytes = bytes == needed ? bytes : 0};
    }
    return e;
}

static cudaError_t image_of_resource(const struct cudaResourceDesc *r, mem_image *out)
{
    const rt_array *a = NULL;
    switch (r->resType) {
    case cudaResourceTypeArray: a = rt_array_of(r->res.array.array); break;
    case cudaResourceTypeMipmappedArray: a = rt_mipmap_of(r->res.mipmap.mipmap); break;
    case cudaResourceTypeLinear: return describe_buffer_image(r, out);
    case cudaResourceTypePitch2D: return describe_pitched_image(r, out);
    default: return cudaErrorInvalidValue;
    }
    if (!a)
        return rt_error_of_handle(cudaErrorInvalidResourceHandle, "CUDA array", r->res.array.array);
    *out = a->image;
    return cudaSuccess;
}

/* --- views ------------------------------------------------------------------------------------ */

/* cudaResViewFormatUnsignedChar1 to cudaResViewFormatFloat4, by threes (1, 2 and 4 channels). */
static mem_format format_of_view(enum cudaResourceViewFormat f)
{
    static const mem_format group[] = {{MEM_UINT, 8, 0},   {MEM_SINT, 8, 0},  {MEM_UINT, 16, 0},
                                       {MEM_SINT, 16, 0},  {MEM_UINT, 32, 0}, {MEM_SINT, 32, 0},
                                       {MEM_FLOAT, 16, 0}, {MEM_FLOAT, 32, 0}};
    static const uint8_t channels[] = {1, 2, 4};
    const unsigned k = (unsigned)f - cudaResViewFormatUnsignedChar1;
    mem_format out = group[k / 3];
    out.channels = channels[k % 3];
    return out;
}

static cudaError_t apply_resource_view(const struct cudaResourceViewDesc *v, mem_image *image)
{
    if (image->kind != MEM_IMAGE_ARRAY || v->firstMipmapLevel > v->lastMipmapLevel ||
        v->lastMipmapLevel >= image->levels || v->firstLayer > v->lastLayer)
        return cudaErrorInvalidValue;
    if (v->format == cudaResViewFormatNone || v->format > cudaResViewFormatFloat4) {
        if (v->format && v->format <= cudaResViewFormatUnsignedBlockCompressed7) {
            rt_print_message("cudaCreateTextureObject: block-compressed views are not supported");
            return cudaErrorNotSupported;
        }
        return cudaErrorInvalidValue;
    }
    const mem_format f = format_of_view(v->format);
    if (mem_texel_bytes(f) != mem_texel_bytes(image->format))
        return cudaErrorInvalidValue;
    image->format = f;
    image->levels = v->lastMipmapLevel - v->firstMipmapLevel + 1;
    const bool stack = image->layered || image->cube;
    for (uint32_t k = 0; k < image->levels; k++) {
        mem_mip_level *l = &image->level[k];
        *l = image->level[k + v->firstMipmapLevel];
        if (stack) {
            if (v->lastLayer >= l->depth)
                return cudaErrorInvalidValue;
            l->base += v->firstLayer * l->slice;
            l->depth = v->lastLayer - v->firstLayer + 1;
        }
    }
    if (image->cube && image->level[0].depth % 6)
        return cudaErrorInvalidValue;
    const mem_mip_level *l = &image->level[0];
    const size_t height = image->dims > 1 ? l->height : 0, depth = image->dims > 2 ? l->depth : 0;
    return v->width == l->width && v->height == height && (stack || v->depth == depth)
               ? cudaSuccess
               : cudaErrorInvalidValue;
}

/* --- textures --------------------------------------------------------------------------------- */

/* Translate a texture descriptor. OWN is the format of the resource before its view. */
static cudaError_t sampler_of_descriptor(const struct cudaTextureDesc *t, const mem_image *image,
                                         mem_format own, mem_sampler *out)
{
    for (int k = 0; k < 3; k++) {
        if ((unsigned)t->addressMode[k] > cudaAddressModeBorder)
            return cudaErrorInvalidValue;
        out->wrap[k] = (mem_wrap)t->addressMode[k];
        /* Wrap and mirror modes need normalized coordinates. */
        if (!t->normalizedCoords && (out->wrap[k] == MEM_WRAP || out->wrap[k] == MEM_MIRROR)) {
            out->wrap[k] = MEM_CLAMP;
            out->ignores_wrap |= k < image->dims;
        }
    }
    if ((unsigned)t->filterMode > cudaFilterModeLinear ||
        (unsigned)t->mipmapFilterMode > cudaFilterModeLinear)
        return cudaErrorInvalidValue;
    const mem_format *f = &image->format;
    const bool integers = f->number == MEM_UINT || f->number == MEM_SINT;
    out->to_float = t->readMode == cudaReadModeNormalizedFloat && integers;
    if (t->readMode == cudaReadModeNormalizedFloat &&
        (own.number == MEM_FLOAT ||
         (own.bits == 32 && (own.number == MEM_UINT || own.number == MEM_SINT)))) {
        return rt_error_because(cudaErrorInvalidNormSetting,
                                "cudaReadModeNormalizedFloat needs texels of 8 or 16 bit "
                                "integers: use cudaReadModeElementType");
    }
    out->linear = t->filterMode == cudaFilterModeLinear;
    if (out->linear && integers && !out->to_float) {
        return rt_error_because(cudaErrorInvalidFilterSetting,
                                "cudaFilterModeLinear needs floats, or integers read with "
                                "cudaReadModeNormalizedFloat");
    }
    out->mip_linear = t->mipmapFilterMode == cudaFilterModeLinear;
    out->normalized = t->normalizedCoords != 0;
    out->srgb = t->sRGB != 0;
    out->seamless = t->seamlessCubemap != 0;
    for (int k = 0; k < 4; k++)
        out->border[k] = t->borderColor[k];
    out->bias = t->mipmapLevelBias;
    out->min_level = t->minMipmapLevelClamp;
    out->max_level = t->maxMipmapLevelClamp;
    out->anisotropy = t->maxAnisotropy;
    return cudaSuccess;
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *out, const struct cudaResourceDesc *r,
                                    const struct cudaTextureDesc *t,
                                    const struct cudaResourceViewDesc *v)
{
    cudaError_t e = rt_lock();
    mem_object made = {.kind = MEM_TEXTURE};
    e = RT_INVALID_IF(e, !r);
    e = RT_ERROR_IF(e, !t, cudaErrorInvalidResourceHandle);
    e = e ? e : image_of_resource(r, &made.image);
    e = RT_INVALID_IF(e, !out);
    const mem_format own = made.image.format;
    if (!e && v)
        e = apply_resource_view(v, &made.image);
    e = e ? e : sampler_of_descriptor(t, &made.image, own, &made.sampler);
    if (!e) {
        const texture_object from = {
            .resource = *r, .texture = *t, .view = v ? *v : (struct cudaResourceViewDesc){0}};
        e = add_texture_object(&made, &from, out);
    }
    return rt_unlock(e);
}

static cudaError_t destroy_object(uint64_t handle, bool surface)
{
    cudaError_t e = rt_lock();
    rt_note_object_destroyed(surface ? RT_SURFACE_OBJECT : RT_TEXTURE_OBJECT, handle);
    if (!e && handle) {
        /* Kernels launched before this call may still use the object. */
        rt_run_queued();
        texture_object **slot = find_link_to_texture_object(handle, surface);
        texture_object *o = *slot;
        if (o) {
            rt_note_destroyed(handle);
            *slot = o->next;
            mem_object_drop(handle);
            free(o);
        }
    }
    return rt_unlock(e);
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t handle)
{
    return destroy_object(handle, false);
}

static cudaError_t lock_and_find_object(uint64_t handle, bool surface, const void *out,
                                        const texture_object **o)
{
    cudaError_t e = rt_lock();
    *o = *find_link_to_texture_object(handle, surface);
    return e ? e : !out || !*o ? cudaErrorInvalidValue : cudaSuccess;
}

cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *out,
                                             cudaTextureObject_t handle)
{
    const texture_object *o;
    cudaError_t e = lock_and_find_object(handle, false, out, &o);
    return RT_UNLOCK_WITH(e, out, o->resource);
}

cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *out, cudaTextureObject_t handle)
{
    const texture_object *o;
    cudaError_t e = lock_and_find_object(handle, false, out, &o);
    if (!out && e == cudaErrorInvalidValue)
        e = cudaErrorInvalidResourceHandle; /* as on an H200 */
    return RT_UNLOCK_WITH(e, out, o->texture);
}

cudaError_t cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc *out,
                                                 cudaTextureObject_t handle)
{
    const texture_object *o;
    cudaError_t e = lock_and_find_object(handle, false, out, &o);
    return RT_UNLOCK_WITH(e, out, o->view);
}

/* Most bytes of a linear texture: an H200 allows 2^30 floats, and 2^28 elements of 16 bytes. */
#define MAX_LINEAR_BYTES (UINT64_C(1) << 32)

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *out,
                                                 const struct cudaChannelFormatDesc *desc,
                                                 int device)
{
    mem_format format;
    cudaError_t e = rt_lock();
    if (!e && desc && !rt_format_of_channels(desc, &format))
        e = rt_error_of_channels(desc);
    e = RT_ERROR_IF(e, device, cudaErrorInvalidDevice);
    e = RT_INVALID_IF(e, !out || !desc);
    return RT_UNLOCK_WITH(e, out, MAX_LINEAR_BYTES / mem_texel_bytes(format));
}

/* --- surfaces --------------------------------------------------------------------------------- */

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *out, const struct cudaResourceDesc *r)
{
    cudaError_t e = rt_lock();
    mem_object made = {.kind = MEM_SURFACE};
    e = RT_INVALID_IF(e, !out || !r || r->resType != cudaResourceTypeArray);
    e = e ? e : image_of_resource(r, &made.image);
    if (!e) {
        const texture_object from = {.surface = true, .resource = *r};
        e = add_texture_object(&made, &from, out);
    }
    return rt_unlock(e);
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t handle)
{
    return destroy_object(handle, true);
}

cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *out,
                                             cudaSurfaceObject_t handle)
{
    const texture_object *o;
    cudaError_t e = lock_and_find_object(handle, true, out, &o);
    return RT_UNLOCK_WITH(e, out, o->resource);
}

static void report_notices(const texture_object *o, unsigned notices)
{
    san_finding f = {.kind = "host", .chapter = CHAPTER_TEXTURES};
    san_call_position_of(&o->by, &f.at);
    if (notices & MEM_NOTICE_CLAMPED) {
        snprintf(f.sentence, sizeof f.sentence,
                 "a kernel has fetched outside of this texture, whose address mode wrap or mirror "
                 "has no effect without normalizedCoords: the coordinate was clamped to the edge");
        f.fix = "set normalizedCoords to 1 and pass x / width, or set cudaAddressModeClamp if that "
                "is meant";
    } else {
        snprintf(
            f.sentence, sizeof f.sentence,
            "a kernel has fetched from this texture over linear memory with tex1D: on a GPU it "
            "gets zeros");
        f.fix = "fetch with tex1Dfetch and an integer index, or copy the data to a CUDA array";
    }
    rt_report_finding(&f);
}

void rt_report_texture_notices(void)
{
    for (uint32_t k = 0; rt.sanitize & SAN_HOST && k < 256; k++) {
        for (texture_object *o = rt.memory.objects[k]; o; o = o->next) {
            const unsigned notices = atomic_exchange(&o->noticed, 0);
            if (notices)
                report_notices(o, notices);
        }
    }
}

void rt_reset_texture_objects(void)
{
    for (uint32_t k = 0; k < 256; k++) {
        while (rt.memory.objects[k]) {
            texture_object *o = rt.memory.objects[k];
            rt.memory.objects[k] = o->next;
            free(o);
        }
    }
    mem_object_drop_all();
}
