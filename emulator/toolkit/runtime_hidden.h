/* Structs and calls that toolkit 12 has in another shape than 13 get another name while 12's
 * headers are read, and lose it again when TOOLKIT_HIDDEN_END is defined. Included twice. */
/* clang-format off */
#ifndef TOOLKIT_HIDDEN_END
#define cudaDeviceProp                       of_12_cudaDeviceProp
#define cudaPointerAttributes                of_12_cudaPointerAttributes
#define cudaResourceDesc                     of_12_cudaResourceDesc
#define cudaResourceViewDesc                 of_12_cudaResourceViewDesc
#define cudaChooseDevice                     of_12_cudaChooseDevice
#define cudaCreateSurfaceObject              of_12_cudaCreateSurfaceObject
#define cudaCreateTextureObject              of_12_cudaCreateTextureObject
#define cudaGetSurfaceObjectResourceDesc     of_12_cudaGetSurfaceObjectResourceDesc
#define cudaGetTextureObjectResourceDesc     of_12_cudaGetTextureObjectResourceDesc
#define cudaGetTextureObjectResourceViewDesc of_12_cudaGetTextureObjectResourceViewDesc
#define cudaGraphAddDependencies             of_12_cudaGraphAddDependencies
#define cudaGraphAddNode                     of_12_cudaGraphAddNode
#define cudaGraphGetEdges                    of_12_cudaGraphGetEdges
#define cudaGraphNodeGetDependencies         of_12_cudaGraphNodeGetDependencies
#define cudaGraphNodeGetDependentNodes       of_12_cudaGraphNodeGetDependentNodes
#define cudaGraphRemoveDependencies          of_12_cudaGraphRemoveDependencies
#define cudaMemAdvise                        of_12_cudaMemAdvise
#define cudaMemPrefetchAsync                 of_12_cudaMemPrefetchAsync
#define cudaMemcpy3DBatchAsync               of_12_cudaMemcpy3DBatchAsync
#define cudaMemcpyBatchAsync                 of_12_cudaMemcpyBatchAsync
#define cudaPointerGetAttributes             of_12_cudaPointerGetAttributes
#define cudaStreamUpdateCaptureDependencies  of_12_cudaStreamUpdateCaptureDependencies
#define cudaLibraryLoadData                  of_12_cudaLibraryLoadData
#define cudaLibraryLoadFromFile              of_12_cudaLibraryLoadFromFile
#else
#undef cudaDeviceProp
#undef cudaPointerAttributes
#undef cudaResourceDesc
#undef cudaResourceViewDesc
#undef cudaChooseDevice
#undef cudaCreateSurfaceObject
#undef cudaCreateTextureObject
#undef cudaGetSurfaceObjectResourceDesc
#undef cudaGetTextureObjectResourceDesc
#undef cudaGetTextureObjectResourceViewDesc
#undef cudaGraphAddDependencies
#undef cudaGraphAddNode
#undef cudaGraphGetEdges
#undef cudaGraphNodeGetDependencies
#undef cudaGraphNodeGetDependentNodes
#undef cudaGraphRemoveDependencies
#undef cudaMemAdvise
#undef cudaMemPrefetchAsync
#undef cudaMemcpy3DBatchAsync
#undef cudaMemcpyBatchAsync
#undef cudaPointerGetAttributes
#undef cudaStreamUpdateCaptureDependencies
#undef cudaLibraryLoadData
#undef cudaLibraryLoadFromFile
#undef cudaGetDeviceProperties
#undef cudaStreamGetCaptureInfo
#endif
/* clang-format on */
