/* The calls of libcudart.so.12 that have another shape in libcudart.so.13, by means of the latter.
 * Source: Runtime API 12.4, and 12.8 for copies in batches. */
#include "stubs.h"

#include "../cudart/entry/driver_table.h"

#include <string.h>

/* The version that the library says it is of: the last one of toolkit 12. */
#define VERSION 12090

/* Define SYMBOL of toolkit 12; EXPR calls `next`, which is NEXT of toolkit 13 (jumps.awk). */
#define CALL_12(symbol, next_symbol, params, expr)                                             \
    extern __typeof__(next_symbol) next_##next_symbol __attribute__((visibility("hidden")));   \
    cudaError_t of_12_##symbol params __asm__(#symbol) __attribute__((visibility("default"))); \
    cudaError_t of_12_##symbol params                                                          \
    {                                                                                          \
        __typeof__(next_symbol) *const next = next_##next_symbol;                              \
        return expr;                                                                           \
    }
/* The same, and the symbol for the calling thread's own default stream. */
#define CALL_12_PTSZ(symbol, next_symbol, params, expr) \
    CALL_12(symbol, next_symbol, params, expr)          \
    extern __typeof__(next_symbol) next_symbol##_ptsz;  \
    CALL_12(symbol##_ptsz, next_symbol##_ptsz, params, expr)

extern __typeof__(__cudaWarpbookDriver) next___cudaWarpbookDriver
    __attribute__((visibility("hidden")));
extern __typeof__(cudaDeviceGetAttribute) next_cudaDeviceGetAttribute
    __attribute__((visibility("hidden")));

int of_12_report_unsupported(const char *name, atomic_flag *said)
{
    next___cudaWarpbookDriver()->say_missing(name, said);
    return cudaErrorNotSupported;
}

/* --- versions --------------------------------------------------------------------------------- */

static cudaError_t say_version(cudaError_t e, int *version)
{
    if (!e)
        *version = VERSION;
    return e;
}

CALL_12(cudaRuntimeGetVersion, cudaRuntimeGetVersion, (int *version),
        say_version(next(version), version))
CALL_12_PTSZ(cudaGetDriverEntryPoint, cudaGetDriverEntryPointByVersion,
             (const char *symbol, void **function, unsigned long long flags,
              enum cudaDriverEntryPointQueryResult *status),
             next(symbol, function, VERSION, flags, status))

/* --- devices ---------------------------------------------------------------------------------- */

#define BOTH(type, name, length) type name length;
#define ONLY_12(name, attribute) int name;
#define ONLY_13(type, name, length)
typedef struct properties {
#include "../toolkit/device_prop.def"
    int reserved[63];
} properties;
#undef BOTH
#undef ONLY_12

enum { BYTES_OF_11 = 712 }; /* the struct of toolkit 11, which 12's begins with */
_Static_assert(sizeof(properties) == 1032, "cudaDeviceProp of toolkit 12 has 1032 bytes");

/* The first BYTES bytes of the properties, if E says that the device has them. */
static cudaError_t give_properties(cudaError_t e, const struct cudaDeviceProp *all, int device,
                                   void *out, size_t bytes)
{
    properties p = {0};
    if (e || !out)
        return e;
#define BOTH(type, name, length) memcpy(&p.name, &all->name, sizeof p.name);
#define ONLY_12(name, attribute) \
    next_cudaDeviceGetAttribute(&p.name, (enum cudaDeviceAttr)(attribute), device);
#include "../toolkit/device_prop.def"
    memcpy(out, &p, bytes);
    return cudaSuccess;
}

#define PROPERTIES(bytes)                                                           \
    ({                                                                              \
        struct cudaDeviceProp all;                                                  \
        give_properties(next(out ? &all : NULL, device), &all, device, out, bytes); \
    })
CALL_12(cudaGetDeviceProperties, cudaGetDeviceProperties, (void *out, int device),
        __extension__ PROPERTIES(BYTES_OF_11))
CALL_12(cudaGetDeviceProperties_v2, cudaGetDeviceProperties, (properties * out, int device),
        __extension__ PROPERTIES(sizeof *out))

/* There is one device, whatever is wanted. */
CALL_12(cudaChooseDevice, cudaChooseDevice, (int *device, const void *wanted),
        next(device, wanted ? &(struct cudaDeviceProp){0} : NULL))

/* These do nothing since devices have numbers of double precision. */
CALL_12(cudaSetDoubleForDevice, cudaGetLastError, (double *number),
        ((void)next, (void)number, cudaSuccess))
CALL_12(cudaSetDoubleForHost, cudaGetLastError, (double *number),
        ((void)next, (void)number, cudaSuccess))

/* --- memory ----------------------------------------------------------------------------------- */

static struct cudaMemLocation location_of(int device)
{
    return device == cudaCpuDeviceId
               ? (struct cudaMemLocation){.type = cudaMemLocationTypeHost}
               : (struct cudaMemLocation){.type = cudaMemLocationTypeDevice, .id = device};
}

CALL_12(cudaMemAdvise, cudaMemAdvise,
        (const void *p, size_t bytes, enum cudaMemoryAdvise advice, int device),
        next(p, bytes, advice, location_of(device)))
CALL_12_PTSZ(cudaMemPrefetchAsync, cudaMemPrefetchAsync,
             (const void *p, size_t bytes, int device, cudaStream_t stream),
             next(p, bytes, location_of(device), 0, stream))

/* A failure is never said to be of one of the copies. */
static cudaError_t say_no_index(cudaError_t e, size_t *failed)
{
    if (e && failed)
        *failed = SIZE_MAX;
    return e;
}

CALL_12_PTSZ(cudaMemcpyBatchAsync, cudaMemcpyBatchAsync,
             (void **dst, void **src, size_t *size, size_t count, struct cudaMemcpyAttributes *attr,
              size_t *first, size_t attrs, size_t *failed, cudaStream_t stream),
             say_no_index(next(dst, (const void *const *)src, size, count, attr, first, attrs,
                               stream),
                          failed))
CALL_12_PTSZ(cudaMemcpy3DBatchAsync, cudaMemcpy3DBatchAsync,
             (size_t count, struct cudaMemcpy3DBatchOp *op, size_t *failed,
              unsigned long long flags, cudaStream_t stream),
             say_no_index(next(count, op, flags, stream), failed))

/* --- structs that grew: 13's begin with 12's -------------------------------------------------- */

enum { POINTER_BYTES = 24, RESOURCE_BYTES = 64, VIEW_BYTES = 48 }; /* sizes in toolkit 12 */
_Static_assert(offsetof(struct cudaPointerAttributes, reserved) == POINTER_BYTES &&
                   offsetof(struct cudaResourceViewDesc, reserved) == VIEW_BYTES &&
                   offsetof(struct cudaResourceDesc, res.pitch2D.pitchInBytes) + 8 ==
                       RESOURCE_BYTES,
               "the structs of toolkit 13 begin with those of 12");

/* Call `next` with a whole struct of TYPE in the place of OUT, and give its first BYTES bytes. */
#define SHORTENED(type, out, bytes, ...)                              \
    __extension__({                                                   \
        struct type whole;                                            \
        const cudaError_t e = next(out ? &whole : NULL, __VA_ARGS__); \
        if (!e && out)                                                \
            memcpy(out, &whole, bytes);                               \
        e;                                                            \
    })

/* The whole struct that begins with the BYTES bytes at FROM; NULL: there are none. */
static void *lengthened(void *whole, size_t size, const void *from, size_t bytes)
{
    memset(whole, 0, size);
    return from ? memcpy(whole, from, bytes) : NULL;
}
#define LENGTHENED(type, from, bytes) \
    lengthened(&(struct type){0}, sizeof(struct type), from, bytes)

CALL_12(cudaPointerGetAttributes, cudaPointerGetAttributes, (void *out, const void *p),
        SHORTENED(cudaPointerAttributes, out, POINTER_BYTES, p))
CALL_12(cudaCreateTextureObject, cudaCreateTextureObject,
        (cudaTextureObject_t * out, const void *resource, const struct cudaTextureDesc *texture,
         const void *view),
        next(out, LENGTHENED(cudaResourceDesc, resource, RESOURCE_BYTES), texture,
             LENGTHENED(cudaResourceViewDesc, view, VIEW_BYTES)))
CALL_12(cudaCreateSurfaceObject, cudaCreateSurfaceObject,
        (cudaSurfaceObject_t * out, const void *resource),
        next(out, LENGTHENED(cudaResourceDesc, resource, RESOURCE_BYTES)))
CALL_12(cudaGetTextureObjectResourceDesc, cudaGetTextureObjectResourceDesc,
        (void *out, cudaTextureObject_t texture),
        SHORTENED(cudaResourceDesc, out, RESOURCE_BYTES, texture))
CALL_12(cudaGetTextureObjectResourceViewDesc, cudaGetTextureObjectResourceViewDesc,
        (void *out, cudaTextureObject_t texture),
        SHORTENED(cudaResourceViewDesc, out, VIEW_BYTES, texture))
CALL_12(cudaGetSurfaceObjectResourceDesc, cudaGetSurfaceObjectResourceDesc,
        (void *out, cudaSurfaceObject_t surface),
        SHORTENED(cudaResourceDesc, out, RESOURCE_BYTES, surface))

/* --- streams and graphs: edges without data --------------------------------------------------- */

CALL_12_PTSZ(cudaStreamGetCaptureInfo, cudaStreamGetCaptureInfo,
             (cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id),
             next(stream, status, id, NULL, NULL, NULL, NULL))
CALL_12_PTSZ(cudaStreamGetCaptureInfo_v2, cudaStreamGetCaptureInfo,
             (cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id,
              cudaGraph_t *graph, const cudaGraphNode_t **after, size_t *count),
             next(stream, status, id, graph, after, NULL, count))
CALL_12_PTSZ(cudaStreamUpdateCaptureDependencies, cudaStreamUpdateCaptureDependencies,
             (cudaStream_t stream, cudaGraphNode_t *after, size_t count, unsigned flags),
             next(stream, after, NULL, count, flags))
CALL_12(cudaGraphAddDependencies, cudaGraphAddDependencies,
        (cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t count),
        next(graph, from, to, NULL, count))
CALL_12(cudaGraphRemoveDependencies, cudaGraphRemoveDependencies,
        (cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t count),
        next(graph, from, to, NULL, count))
CALL_12(cudaGraphAddNode, cudaGraphAddNode,
        (cudaGraphNode_t * out, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count,
         struct cudaGraphNodeParams *params),
        next(out, graph, after, NULL, count, params))
CALL_12(cudaGraphGetEdges, cudaGraphGetEdges,
        (cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *count),
        next(graph, from, to, NULL, count))
CALL_12(cudaGraphNodeGetDependencies, cudaGraphNodeGetDependencies,
        (cudaGraphNode_t node, cudaGraphNode_t *out, size_t *count), next(node, out, NULL, count))
CALL_12(cudaGraphNodeGetDependentNodes, cudaGraphNodeGetDependentNodes,
        (cudaGraphNode_t node, cudaGraphNode_t *out, size_t *count), next(node, out, NULL, count))
