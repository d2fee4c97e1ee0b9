/* Structs and calls that toolkit 12 has in another shape than 13 get another name while 12's
 * headers are read, and lose it again when TOOLKIT_HIDDEN_END is defined. Included twice. */
/* clang-format off */
#ifndef TOOLKIT_HIDDEN_END
#define cudaDeviceProp                       toolkits_cudaDeviceProp
#define cudaPointerAttributes                toolkits_cudaPointerAttributes
#define cudaResourceDesc                     toolkits_cudaResourceDesc
#define cudaResourceViewDesc                 toolkits_cudaResourceViewDesc
#define cudaChooseDevice                     toolkits_cudaChooseDevice
#define cudaCreateSurfaceObject              toolkits_cudaCreateSurfaceObject
#define cudaCreateTextureObject              toolkits_cudaCreateTextureObject
#define cudaGetSurfaceObjectResourceDesc     toolkits_cudaGetSurfaceObjectResourceDesc
#define cudaGetTextureObjectResourceDesc     toolkits_cudaGetTextureObjectResourceDesc
#define cudaGetTextureObjectResourceViewDesc toolkits_cudaGetTextureObjectResourceViewDesc
#define cudaGraphAddDependencies             toolkits_cudaGraphAddDependencies
#define cudaGraphAddNode                     toolkits_cudaGraphAddNode
#define cudaGraphGetEdges                    toolkits_cudaGraphGetEdges
#define cudaGraphNodeGetDependencies         toolkits_cudaGraphNodeGetDependencies
#define cudaGraphNodeGetDependentNodes       toolkits_cudaGraphNodeGetDependentNodes
#define cudaGraphRemoveDependencies          toolkits_cudaGraphRemoveDependencies
#define cudaMemAdvise                        toolkits_cudaMemAdvise
#define cudaMemPrefetchAsync                 toolkits_cudaMemPrefetchAsync
#define cudaMemcpy3DBatchAsync               toolkits_cudaMemcpy3DBatchAsync
#define cudaMemcpyBatchAsync                 toolkits_cudaMemcpyBatchAsync
#define cudaPointerGetAttributes             toolkits_cudaPointerGetAttributes
#define cudaStreamUpdateCaptureDependencies  toolkits_cudaStreamUpdateCaptureDependencies
#define cudaLibraryLoadData                  toolkits_cudaLibraryLoadData
#define cudaLibraryLoadFromFile              toolkits_cudaLibraryLoadFromFile
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
