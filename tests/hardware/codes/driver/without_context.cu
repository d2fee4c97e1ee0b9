// alone: TRY is its own
/* What can be used, waited for and given back where no context is current, and from a context that
 * is not the one it belongs to. */
#include "say.h"
#include "try_driver.h"

/* Sections make the same calls: a line begins with its section's name. */
static const char *where;
#undef TRY
#define TRY(x)                                     \
    do {                                           \
        CUresult e_ = (x);                         \
        printf("%s: %s\t%s\n", where, #x, nm(e_)); \
        fflush(stdout);                            \
    } while (0)

#include <thread>

static CUmodule module;
static CUfunction kernel;
static CUstream stream, pending;
static CUevent event;
static CUdeviceptr memory, pooled;
static CUmemoryPool pool;
static CUarray array;
static CUmipmappedArray mipmap;
static CUgraph graph;
static CUgraphExec exec;
static CUlinkState linker;
static CUlibrary library;
static CUkernel of_library;
static void *pinned, *registered;
static char pageable[4096];
static CUarray_format format = CU_AD_FORMAT_FLOAT;

static void make()
{
    OK(cuModuleLoadData(&module, ptx));
    OK(cuModuleGetFunction(&kernel, module, "first"));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuStreamCreate(&pending, CU_STREAM_NON_BLOCKING));
    OK(cuEventCreate(&event, 0));
    OK(cuMemAlloc(&memory, 4096));
    OK(cuMemAllocAsync(&pooled, 4096, stream));
    OK(cuStreamSynchronize(stream));
    OK(cuDeviceGetDefaultMemPool(&pool, 0));
    CUDA_ARRAY_DESCRIPTOR flat = {64, 0, format, 1};
    OK(cuArrayCreate(&array, &flat));
    CUDA_ARRAY3D_DESCRIPTOR deep = {64, 64, 0, format, 1, 0};
    OK(cuMipmappedArrayCreate(&mipmap, &deep, 2));
    OK(cuGraphCreate(&graph, 0));
    CUgraphNode node;
    OK(cuGraphAddEmptyNode(&node, graph, NULL, 0));
    OK(cuGraphInstantiate(&exec, graph, 0));
    OK(cuLinkCreate(0, NULL, NULL, &linker));
    OK(cuLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
    OK(cuLibraryGetKernel(&of_library, library, "first"));
    OK(cuMemAllocHost(&pinned, 4096));
    registered = aligned_alloc(4096, 4096);
    OK(cuMemHostRegister(registered, 4096, 0));
    void *args[] = {&memory};
    OK(cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, pending, args, NULL));
}

static void idle(void *) {}

static void use()
{
    int value;
    unsigned flags;
    size_t size;
    CUdeviceptr at;
    CUcontext c;
    const char *name;
    CUfunction f;
    CUkernel k;
    CUmodule m;
    void *args[] = {&memory};
    TRY(cuStreamQuery(stream));
    TRY(cuStreamSynchronize(stream));
    TRY(cuStreamSynchronize(NULL));
    TRY(cuStreamSynchronize(CU_STREAM_PER_THREAD));
    TRY(cuStreamGetFlags(stream, &flags));
    TRY(cuStreamGetPriority(stream, &value));
    TRY(cuStreamGetCtx(stream, &c));
    TRY(cuStreamWaitEvent(stream, event, 0));
    TRY(cuEventRecord(event, stream));
    TRY(cuEventRecord(event, NULL));
    TRY(cuEventSynchronize(event));
    TRY(cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, stream, args, NULL));
    TRY(cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, NULL, args, NULL));
    TRY(cuLaunchHostFunc(stream, idle, NULL));
    TRY(cuMemcpyHtoDAsync(memory, pageable, 64, stream));
    TRY(cuMemcpyDtoHAsync(pageable, memory, 64, stream));
    TRY(cuMemcpyAsync(memory, memory + 64, 64, stream));
    TRY(cuMemcpyHtoD(memory, pageable, 64));
    TRY(cuMemcpyDtoH(pageable, memory, 64));
    TRY(cuMemsetD8(memory, 0, 64));
    TRY(cuMemsetD8Async(memory, 0, 64, stream));
    TRY(cuMemAlloc(&at, 64));
    TRY(cuMemAllocAsync(&at, 64, stream));
    TRY(cuMemAllocFromPoolAsync(&at, 64, pool, stream));
    TRY(cuMemGetInfo(&size, &size));
    TRY(cuMemGetAddressRange(&at, &size, memory));
    TRY(cuPointerGetAttribute(&value, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, memory));
    TRY(cuPointerGetAttribute(&at, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, memory));
    TRY(cuMemHostGetDevicePointer(&at, pinned, 0));
    TRY(cuMemHostGetFlags(&flags, pinned));
    TRY(cuModuleGetFunction(&f, module, "add"));
    TRY(cuModuleGetGlobal(&at, &size, module, "scale"));
    TRY(cuModuleGetFunctionCount(&flags, module));
    TRY(cuModuleEnumerateFunctions(&f, 1, module));
    TRY(cuModuleLoadData(&m, ptx));
    TRY(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel));
    TRY(cuFuncSetAttribute(kernel, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 50));
    TRY(cuFuncSetCacheConfig(kernel, CU_FUNC_CACHE_PREFER_L1));
    TRY(cuFuncGetName(&name, kernel));
    TRY(cuFuncGetModule(&m, kernel));
    TRY(cuFuncGetParamInfo(kernel, 0, &size, NULL));
    TRY(cuFuncLoad(kernel));
    TRY(cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, kernel, 32, 0));
    TRY(cuLibraryGetKernel(&k, library, "first"));
    TRY(cuLibraryGetModule(&m, library));
    TRY(cuLibraryGetGlobal(&at, &size, library, "scale"));
    TRY(cuKernelGetFunction(&f, of_library));
    TRY(cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, of_library, 0));
    TRY(cuGraphLaunch(exec, stream));
    TRY(cuGraphUpload(exec, stream));
    TRY(cuLinkAddData(linker, CU_JIT_INPUT_PTX, (void *)ptx, sizeof ptx, "", 0, NULL, NULL));
    TRY(cuCtxSynchronize());
    TRY(cuDeviceGetMemPool(&pool, 0));
    TRY(cuMemPoolTrimTo(pool, 0));
}

static void give_back()
{
    TRY(cuEventDestroy(event));
    TRY(cuStreamDestroy(pending));
    TRY(cuMemFreeAsync(pooled, stream));
    TRY(cuStreamDestroy(stream));
    TRY(cuMemFree(memory));
    TRY(cuMemFree(0));
    TRY(cuMemFree(12345));
    TRY(cuMemFreeHost(pinned));
    TRY(cuMemFreeHost(pageable));
    TRY(cuMemFreeHost(NULL));
    TRY(cuMemHostUnregister(registered));
    TRY(cuArrayDestroy(array));
    TRY(cuMipmappedArrayDestroy(mipmap));
    TRY(cuGraphExecDestroy(exec));
    TRY(cuGraphDestroy(graph));
    TRY(cuLinkDestroy(linker));
    TRY(cuModuleUnload(module));
    TRY(cuModuleUnload(NULL));
    TRY(cuLibraryUnload(library));
    TRY(cuStreamDestroy(NULL));
    TRY(cuEventDestroy(NULL));
}

static CUcontext primary;

static void begin()
{
    OK(cuInit(0));
    OK(cuDevicePrimaryCtxRetain(&primary, 0));
    OK(cuCtxSetCurrent(primary));
    make();
}

static void before()
{
    TRY(cuMemFree(0));
    TRY(cuInit(0));
    TRY(cuMemFree(0)); /* before there is any context */
    TRY(cuMemFreeHost(NULL));
    TRY(cuMemFreeHost(pageable));
    TRY(cuModuleUnload(NULL));
    TRY(cuStreamDestroy(NULL));
    TRY(cuEventDestroy(NULL));
}

static void none()
{
    begin();
    OK(cuCtxSetCurrent(NULL));
    use();
    give_back();
}

static void thread()
{
    begin();
    std::thread([] {
        use();
        give_back();
    }).join();
}

static void other()
{
    CUcontext mine;
    begin();
    OK(cuCtxCreate(&mine, NULL, 0, 0));
    use();
    give_back();
    TRY(cuCtxDestroy(mine));
}

static void released()
{
    CUcontext top;
    begin();
    OK(cuCtxPopCurrent(&top));
    OK(cuDevicePrimaryCtxRelease(0));
    TRY(cuMemFree(memory));
    TRY(cuMemFreeHost(pinned));
    TRY(cuCtxGetCurrent(&top));
}

static void gone()
{
    CUcontext top;
    begin();
    OK(cuCtxPopCurrent(&top));
    OK(cuDevicePrimaryCtxRelease(0));
    TRY(cuEventDestroy(event));
    TRY(cuStreamDestroy(stream));
    TRY(cuModuleUnload(module));
}

static const section sections[] = {{"before", before},
                                   {"none is current", none},
                                   {"another thread", thread},
                                   {"another is current", other},
                                   {"the primary one is released", released},
                                   {"what was of a context that is gone", gone}};

int main(int argc, char **argv)
{
    where = argc > 1 ? argv[1] : "";
    return run_sections(sections, sizeof sections / sizeof *sections, argc, argv);
}
