/* What the headers of toolkit 12 lack of the runtime API 13.0, or have in another shape: the types
 * of driver_types.h and the calls of cuda_runtime_api.h that the emulator uses. A toolkit from 12.5
 * on has some of the types: ours have other names, which macros hide. */
#pragma once

/* Values that an enumeration of the toolkit lacks are cases of a `switch` all the same. */
#pragma GCC diagnostic ignored "-Wswitch"

/* --- values --- */
#define cudaErrorContained                               ((cudaError_t)226)
#define cudaErrorTensorMemoryLeak                        ((cudaError_t)721)
#define cudaErrorFunctionNotLoaded                       ((cudaError_t)913)
#define cudaErrorInvalidResourceType                     ((cudaError_t)914)
#define cudaErrorInvalidResourceConfiguration            ((cudaError_t)915)
#define cudaChannelFormatKindUnsignedNormalized1010102   ((enum cudaChannelFormatKind)31)
#define cudaMemLocationTypeNone                          ((enum cudaMemLocationType)0)
#define cudaMemAllocationTypeManaged                     ((enum cudaMemAllocationType)2)
#define cudaGraphCondTypeSwitch                          ((enum cudaGraphConditionalNodeType)2)
#define cudaGraphInstantiateConditionalHandleUnused      ((cudaGraphInstantiateResult)5)
#define cudaLaunchAttributePreferredSharedMemoryCarveout ((cudaLaunchAttributeID)14)
#define cudaLaunchAttributeNvlinkUtilCentricScheduling   ((cudaLaunchAttributeID)16)

/* --- structs of another shape --- */
#define BOTH(type, name, length)    type name length;
#define ONLY_12(name, attribute)    /* 13 lacks it */
#define ONLY_13(type, name, length) type name length;
struct cudaDeviceProp {
#include "device_prop.def"
};
#undef BOTH
#undef ONLY_12
#undef ONLY_13

struct cudaPointerAttributes {
    enum cudaMemoryType type;
    int device;
    void *devicePointer, *hostPointer;
    long reserved[8];
};

struct cudaResourceDesc {
    enum cudaResourceType resType;
    union {
        struct {
            cudaArray_t array;
        } array;
        struct {
            cudaMipmappedArray_t mipmap;
        } mipmap;
        struct {
            void *devPtr;
            struct cudaChannelFormatDesc desc;
            size_t sizeInBytes;
        } linear;
        struct {
            void *devPtr;
            struct cudaChannelFormatDesc desc;
            size_t width, height, pitchInBytes;
        } pitch2D;
        int reserved[32];
    } res;
    unsigned flags;
};

struct cudaResourceViewDesc {
    enum cudaResourceViewFormat format;
    size_t width, height, depth;
    unsigned firstMipmapLevel, lastMipmapLevel, firstLayer, lastLayer, reserved[16];
};

/* --- libraries --- */
typedef struct CUlib_st *newer_cudaLibrary_t;
#define cudaLibrary_t newer_cudaLibrary_t
enum newer_cudaJitOption { NEWER_JIT_OPTION = 0x7fffffff };
#define cudaJitOption newer_cudaJitOption
enum newer_cudaLibraryOption { NEWER_LIBRARY_HOST_TABLE, NEWER_LIBRARY_BINARY_IS_PRESERVED };
#define cudaLibraryOption            newer_cudaLibraryOption
#define cudaLibraryBinaryIsPreserved NEWER_LIBRARY_BINARY_IS_PRESERVED

/* --- copies in batches --- */
enum newer_cudaMemcpySrcAccessOrder {
    NEWER_ORDER_STREAM = 1,
    NEWER_ORDER_DURING_API_CALL,
    NEWER_ORDER_ANY
};
#define cudaMemcpySrcAccessOrder              newer_cudaMemcpySrcAccessOrder
#define cudaMemcpySrcAccessOrderStream        NEWER_ORDER_STREAM
#define cudaMemcpySrcAccessOrderDuringApiCall NEWER_ORDER_DURING_API_CALL
#define cudaMemcpySrcAccessOrderAny           NEWER_ORDER_ANY

struct newer_cudaMemcpyAttributes {
    enum cudaMemcpySrcAccessOrder srcAccessOrder;
    struct cudaMemLocation srcLocHint, dstLocHint;
    unsigned flags;
};
#define cudaMemcpyAttributes newer_cudaMemcpyAttributes

enum newer_cudaMemcpy3DOperandType { NEWER_OPERAND_POINTER = 1, NEWER_OPERAND_ARRAY };
#define cudaMemcpy3DOperandType      newer_cudaMemcpy3DOperandType
#define cudaMemcpyOperandTypePointer NEWER_OPERAND_POINTER
#define cudaMemcpyOperandTypeArray   NEWER_OPERAND_ARRAY

struct newer_cudaOffset3D {
    size_t x, y, z;
};
#define cudaOffset3D newer_cudaOffset3D

struct newer_cudaMemcpy3DOperand {
    enum cudaMemcpy3DOperandType type;
    union {
        struct {
            void *ptr;
            size_t rowLength, layerHeight;
            struct cudaMemLocation locHint;
        } ptr;
        struct {
            cudaArray_t array;
            struct cudaOffset3D offset;
        } array;
    } op;
};
#define cudaMemcpy3DOperand newer_cudaMemcpy3DOperand

struct newer_cudaMemcpy3DBatchOp {
    struct cudaMemcpy3DOperand src, dst;
    struct cudaExtent extent;
    enum cudaMemcpySrcAccessOrder srcAccessOrder;
    unsigned flags;
};
#define cudaMemcpy3DBatchOp newer_cudaMemcpy3DBatchOp

/* --- atomics between host and device --- */
enum newer_cudaAtomicOperation { NEWER_ATOMIC_FLOAT_MAX = 12 };
#define cudaAtomicOperation         newer_cudaAtomicOperation
#define cudaAtomicOperationFloatMax NEWER_ATOMIC_FLOAT_MAX

/* --- calls --- */
cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *wanted);
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *out, const struct cudaResourceDesc *r);
cudaError_t cudaCreateTextureObject(cudaTextureObject_t *out, const struct cudaResourceDesc *r,
                                    const struct cudaTextureDesc *t,
                                    const struct cudaResourceViewDesc *v);
cudaError_t cudaDeviceGetHostAtomicCapabilities(unsigned int *out,
                                                const enum cudaAtomicOperation *operations,
                                                unsigned int count, int device);
cudaError_t cudaDeviceGetP2PAtomicCapabilities(unsigned int *out,
                                               const enum cudaAtomicOperation *operations,
                                               unsigned int count, int from, int to);
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device);
cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function,
                                             unsigned int version, unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *status);
cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *out,
                                             cudaSurfaceObject_t handle);
cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *out,
                                             cudaTextureObject_t handle);
cudaError_t cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc *out,
                                                 cudaTextureObject_t handle);
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to, const cudaGraphEdgeData *data,
                                     size_t count);
cudaError_t cudaGraphAddNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *deps,
                             const cudaGraphEdgeData *edges, size_t n,
                             struct cudaGraphNodeParams *params);
cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                              cudaGraphEdgeData *data, size_t *count);
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t handle, cudaGraphNode_t *nodes,
                                         cudaGraphEdgeData *data, size_t *count);
cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t handle, cudaGraphNode_t *nodes,
                                           cudaGraphEdgeData *data, size_t *count);
cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                        const cudaGraphNode_t *to, const cudaGraphEdgeData *data,
                                        size_t count);
cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, enum cudaFuncAttribute attr,
                                            int value, int device);
cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t *kernels, unsigned int cap,
                                        cudaLibrary_t library);
cudaError_t cudaLibraryGetGlobal(void **at, size_t *bytes, cudaLibrary_t library, const char *name);
cudaError_t cudaLibraryGetKernel(cudaKernel_t *out, cudaLibrary_t library, const char *name);
cudaError_t cudaLibraryGetKernelCount(unsigned int *count, cudaLibrary_t library);
cudaError_t cudaLibraryGetManaged(void **at, size_t *bytes, cudaLibrary_t library,
                                  const char *name);
cudaError_t cudaLibraryGetUnifiedFunction(void **function, cudaLibrary_t library,
                                          const char *symbol);
cudaError_t cudaLibraryLoadData(cudaLibrary_t *out, const void *code, enum cudaJitOption *option,
                                void **value, unsigned int options,
                                enum cudaLibraryOption *library_option, void **library_value,
                                unsigned int library_options);
cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *out, const char *path,
                                    enum cudaJitOption *option, void **value, unsigned int options,
                                    enum cudaLibraryOption *library_option, void **library_value,
                                    unsigned int library_options);
cudaError_t cudaLibraryUnload(cudaLibrary_t library);
cudaError_t cudaMemAdvise(const void *p, size_t size, enum cudaMemoryAdvise advice,
                          struct cudaMemLocation location);
cudaError_t cudaMemDiscardAndPrefetchBatchAsync(void **at, size_t *size, size_t count,
                                                struct cudaMemLocation *location, size_t *first,
                                                size_t locations, unsigned long long flags,
                                                cudaStream_t stream);
cudaError_t cudaMemDiscardBatchAsync(void **at, size_t *size, size_t count,
                                     unsigned long long flags, cudaStream_t stream);
cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t *out, struct cudaMemLocation *location,
                                     enum cudaMemAllocationType type);
cudaError_t cudaMemGetMemPool(cudaMemPool_t *out, struct cudaMemLocation *location,
                              enum cudaMemAllocationType type);
cudaError_t cudaMemPrefetchAsync(const void *p, size_t size, struct cudaMemLocation location,
                                 unsigned int flags, cudaStream_t stream);
cudaError_t cudaMemPrefetchBatchAsync(void **at, size_t *size, size_t count,
                                      struct cudaMemLocation *location, size_t *first,
                                      size_t locations, unsigned long long flags,
                                      cudaStream_t stream);
cudaError_t cudaMemSetMemPool(struct cudaMemLocation *location, enum cudaMemAllocationType type,
                              cudaMemPool_t handle);
cudaError_t cudaMemcpy3DBatchAsync(size_t count, struct cudaMemcpy3DBatchOp *op,
                                   unsigned long long flags, cudaStream_t stream);
cudaError_t cudaMemcpyBatchAsync(void *const *dst, const void *const *src, const size_t *size,
                                 size_t count, struct cudaMemcpyAttributes *attr, size_t *first,
                                 size_t attrs, cudaStream_t stream);
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *out, const void *p);
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                     unsigned long long *id, cudaGraph_t *graph,
                                     const cudaGraphNode_t **deps, const cudaGraphEdgeData **edges,
                                     size_t *count);
cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device);
cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *deps,
                                                const cudaGraphEdgeData *edges, size_t n,
                                                unsigned int flags);
