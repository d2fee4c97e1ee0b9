// alone: it needs both APIs
// Virtual memory of the driver API: addresses that are reserved, memory that is made and mapped
// there, who may access it, and memory that is passed on as a file descriptor. What each right and
// wrong use returns.
#include "say.h"

#include <cuda.h>
#include <fcntl.h>

#define TRY(call)                                                         \
    do {                                                                  \
        const CUresult code_ = (call);                                    \
        const char *text_ = NULL;                                         \
        cuGetErrorName(code_, &text_);                                    \
        printf("%s: %s\t%s\n", section_name, #call, text_ ? text_ : "?"); \
        fflush(stdout);                                                   \
    } while (0)
#define RUN(call)                                                             \
    do {                                                                      \
        const cudaError_t code_ = (call);                                     \
        cudaGetLastError();                                                   \
        printf("%s: %s\t%s\n", section_name, #call, cudaGetErrorName(code_)); \
        fflush(stdout);                                                       \
    } while (0)
#define TELL(what, format, ...)                                          \
    do {                                                                 \
        printf("%s: %s\t" format "\n", section_name, what, __VA_ARGS__); \
        fflush(stdout);                                                  \
    } while (0)

enum { MB2 = 2 << 20 };
static const char *section_name;
static CUmemAllocationProp prop;   // plain device memory
static CUmemAllocationProp shared; // that can be passed on as a file descriptor
static CUmemAccessDesc access_;    // for the device, reading and writing
static CUdeviceptr at, other;
static CUmemGenericAllocationHandle h, h2;
static int *d, host[4];
static size_t size;

__global__ void set(int *p, long i, int value)
{
    p[i] = value;
}
__global__ void get(const int *p, long i, int *to)
{
    *to = p[i];
}
static int *ints(CUdeviceptr p)
{
    return (int *)p;
}

static void begin(const char *name)
{
    section_name = name;
    prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    access_.location = prop.location;
    access_.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    shared = prop;
    shared.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    cudaMalloc(&d, 64);
}
/* Reserve three times 2 MB at `at`, make 2 MB `h` and map it first there. */
static void map_one(const char *name, const CUmemAllocationProp *of)
{
    begin(name);
    TRY(cuMemAddressReserve(&at, 3 * MB2, 0, 0, 0));
    TRY(cuMemCreate(&h, MB2, of, 0));
    TRY(cuMemMap(at, MB2, 0, h, 0));
}

static void granularity()
{
    begin("granularity");
    const auto least = CU_MEM_ALLOC_GRANULARITY_MINIMUM,
               best = CU_MEM_ALLOC_GRANULARITY_RECOMMENDED;
    TRY(cuMemGetAllocationGranularity(&size, &prop, least));
    TELL("least", "%zu", size);
    TRY(cuMemGetAllocationGranularity(&size, &prop, best));
    TELL("recommended", "%zu", size);
    TRY(cuMemGetAllocationGranularity(&size, &shared, least));
    TELL("of memory to pass on", "%zu", size);
    TRY(cuMemGetAllocationGranularity(&size, &prop, (CUmemAllocationGranularity_flags)7));
    TRY(cuMemGetAllocationGranularity(NULL, &prop, least));
    TRY(cuMemGetAllocationGranularity(&size, NULL, least));
    CUmemAllocationProp bad = prop;
    bad.type = CU_MEM_ALLOCATION_TYPE_INVALID;
    TRY(cuMemGetAllocationGranularity(&size, &bad, least));
    bad = prop;
    bad.location.id = 99;
    TRY(cuMemGetAllocationGranularity(&size, &bad, least));
    bad.location.type = CU_MEM_LOCATION_TYPE_INVALID;
    TRY(cuMemGetAllocationGranularity(&size, &bad, least));
}

static void reserve()
{
    begin("reserve");
    TRY(cuMemAddressReserve(NULL, MB2, 0, 0, 0));
    TRY(cuMemAddressReserve(&at, 0, 0, 0, 0));
    TRY(cuMemAddressReserve(&at, 1, 0, 0, 0));
    TRY(cuMemAddressReserve(&at, 65536, 0, 0, 0));
    TRY(cuMemAddressReserve(&at, MB2 + 4096, 0, 0, 0));
    TRY(cuMemAddressReserve(&at, MB2, 3, 0, 0));
    TRY(cuMemAddressReserve(&at, MB2, 256, 0, 0));
    TRY(cuMemAddressReserve(&at, MB2, 6 << 20, 0, 0));
    TRY(cuMemAddressReserve(&at, MB2, 0, 0, 1));
    TRY(cuMemAddressReserve(&at, MB2, 4096, 0, 0));
    TELL("a multiple of 2 MB", "%d", at % MB2 == 0);
    TRY(cuMemAddressFree(at, MB2));
    TRY(cuMemAddressFree(at, MB2));
    TRY(cuMemAddressReserve(&at, MB2, 1 << 30, 0, 0));
    TELL("a multiple of 1 GB", "%d", at % (1 << 30) == 0);
    TRY(cuMemAddressReserve(&other, MB2, 0, at + (1 << 28), 0));
    TELL("where it was wished", "%d", other == at + (1 << 28));
    TRY(cuMemAddressReserve(&other, MB2, 0, at, 0));
    TELL("elsewhere", "%d", other != at);
    TRY(cuMemAddressReserve(&other, MB2, 0, at + 5, 0));
    TRY(cuMemAddressReserve(&other, MB2, 0, at + 4096, 0));
    TRY(cuMemAddressReserve(&other, MB2, 0, at + 65536, 0));
    TRY(cuMemAddressFree(at, MB2 / 2));
    TRY(cuMemAddressFree(at, 0));
    TRY(cuMemAddressFree(at, 2 * MB2));
    TRY(cuMemAddressFree(at + 4096, MB2));
    TRY(cuMemAddressFree(0, MB2));
    TRY(cuMemAddressFree((CUdeviceptr)d, MB2));
    TRY(cuMemFree(at));
    RUN(cudaFree(ints(at)));
    TRY(cuMemAddressFree(at, MB2));
    TRY(cuMemAddressReserve(&at, 4 * MB2, 0, 0, 0));
    TRY(cuMemAddressFree(at + 2 * MB2, 2 * MB2));
    TRY(cuMemAddressFree(at, 4 * MB2));
    TRY(cuMemAddressReserve(&at, (size_t)1 << 36, 0, 0, 0));
    TRY(cuMemAddressReserve(&at, (size_t)1 << 60, 0, 0, 0));
}

static void create()
{
    begin("create");
    CUmemAllocationProp bad = prop;
    TRY(cuMemCreate(NULL, MB2, &prop, 0));
    TRY(cuMemCreate(&h, 0, &prop, 0));
    TRY(cuMemCreate(&h, 1, &prop, 0));
    TRY(cuMemCreate(&h, 65536, &prop, 0));
    TRY(cuMemCreate(&h, MB2 + 65536, &prop, 0));
    TRY(cuMemCreate(&h, MB2, NULL, 0));
    TRY(cuMemCreate(&h, MB2, &prop, 1));
    TRY(cuMemCreate(&h, (size_t)1 << 46, &prop, 0));
    bad.type = CU_MEM_ALLOCATION_TYPE_INVALID;
    TRY(cuMemCreate(&h, MB2, &bad, 0));
    bad.type = CU_MEM_ALLOCATION_TYPE_MANAGED;
    TRY(cuMemCreate(&h, MB2, &bad, 0));
    bad = prop;
    bad.location.type = CU_MEM_LOCATION_TYPE_INVALID;
    TRY(cuMemCreate(&h, MB2, &bad, 0));
    bad = prop;
    bad.location.id = 99;
    TRY(cuMemCreate(&h, MB2, &bad, 0));
    bad = prop;
    bad.requestedHandleTypes = CU_MEM_HANDLE_TYPE_WIN32;
    TRY(cuMemCreate(&h, MB2, &bad, 0));
    bad.requestedHandleTypes = (CUmemAllocationHandleType)0x70;
    TRY(cuMemCreate(&h, MB2, &bad, 0));
    bad = prop;
    bad.win32HandleMetaData = &size;
    TRY(cuMemCreate(&h, MB2, &bad, 0));
    bad = prop;
    bad.allocFlags.compressionType = 1;
    TRY(cuMemCreate(&h, MB2, &bad, 0));
    bad = prop;
    bad.allocFlags.gpuDirectRDMACapable = 1;
    TRY(cuMemCreate(&h, MB2, &bad, 0));
    TRY(cuMemRelease(h));
    size_t free0, free1, free2, total;
    TRY(cuMemGetInfo(&free0, &total));
    TRY(cuMemCreate(&h, 32 * (size_t)MB2, &shared, 0));
    TRY(cuMemGetInfo(&free1, &total));
    TELL("bytes less", "%zd", (ssize_t)(free0 - free1));
    CUmemAllocationProp is = {};
    TRY(cuMemGetAllocationPropertiesFromHandle(&is, h));
    TELL("properties", "%d %d %d %d", is.type, is.requestedHandleTypes, is.location.type,
         is.location.id);
    TRY(cuMemGetAllocationPropertiesFromHandle(NULL, h));
    TRY(cuMemRelease(h));
    TRY(cuMemGetInfo(&free2, &total));
    TELL("bytes back", "%zd", (ssize_t)(free2 - free1));
}

static void map()
{
    begin("map");
    TRY(cuMemAddressReserve(&at, 4 * MB2, 0, 0, 0));
    TRY(cuMemCreate(&h, 2 * MB2, &prop, 0));
    TRY(cuMemCreate(&h2, MB2, &prop, 0));
    TRY(cuMemMap(at, MB2, 4096, h, 0));
    TRY(cuMemMap(at, MB2, MB2, h, 0));
    TRY(cuMemUnmap(at, MB2));
    TRY(cuMemMap(at, 3 * MB2, 0, h, 0));
    TRY(cuMemMap(at, 2 * MB2, MB2, h, 0));
    TRY(cuMemMap(at, 4096, 0, h2, 0));
    TRY(cuMemMap(at, MB2 + 65536, 0, h, 0));
    TRY(cuMemMap(at, 0, 0, h2, 0));
    TRY(cuMemMap(at, MB2, 0, h2, 1));
    TRY(cuMemMap(at + 4096, MB2, 0, h2, 0));
    TRY(cuMemMap(at + 4 * MB2, MB2, 0, h2, 0));
    TRY(cuMemMap((CUdeviceptr)d, MB2, 0, h2, 0));
    TRY(cuMemMap(0, MB2, 0, h2, 0));
    TRY(cuMemMap(at, MB2, 0, h, 0));
    TRY(cuMemUnmap(at, MB2));
    TRY(cuMemMap(at, 2 * MB2, 0, h, 0));
    TRY(cuMemMap(at, 2 * MB2, 0, h, 0));
    TRY(cuMemMap(at + MB2, MB2, 0, h2, 0));
    TRY(cuMemMap(at + 2 * MB2, MB2, 0, h2, 0));
    TRY(cuMemMap(at + 3 * MB2, MB2, 0, h2, 0));
    TRY(cuMemUnmap(at, MB2));
    TRY(cuMemUnmap(at + MB2, MB2));
    TRY(cuMemUnmap(at, 4096));
    TRY(cuMemUnmap(at, 0));
    TRY(cuMemUnmap(at + 4096, MB2));
    TRY(cuMemUnmap((CUdeviceptr)d, MB2));
    TRY(cuMemAddressFree(at, 4 * MB2));
    TRY(cuMemUnmap(at, 5 * MB2));
    TRY(cuMemUnmap(at, 3 * MB2));
    TRY(cuMemUnmap(at, 3 * MB2));
    TRY(cuMemUnmap(at + 2 * MB2, 2 * MB2));
    TRY(cuMemUnmap(at + 3 * MB2, MB2));
    TRY(cuMemUnmap(at, 2 * MB2));
    TRY(cuMemAddressFree(at, 4 * MB2));
    TRY(cuMemRelease(h));
    TRY(cuMemRelease(h2));
}

static void map_past_end()
{
    begin("map past the end");
    TRY(cuMemAddressReserve(&at, 2 * MB2, 0, 0, 0));
    TRY(cuMemCreate(&h, 2 * MB2, &prop, 0));
    TRY(cuMemMap(at + MB2, 2 * MB2, 0, h, 0));
    TRY(cuMemAddressFree(at, 2 * MB2));
    TRY(cuMemUnmap(at + MB2, 2 * MB2));
    TRY(cuMemAddressFree(at, 2 * MB2));
}

static void give_access()
{
    map_one("access", &prop);
    CUmemLocation here = prop.location, nowhere = here;
    unsigned long long flags = 99;
    nowhere.id = 99;
    TRY(cuMemGetAccess(&flags, &here, at));
    TELL("before", "%llu", flags);
    TRY(cuMemGetAccess(&flags, &here, at + MB2));
    TRY(cuMemGetAccess(&flags, &here, (CUdeviceptr)d));
    TELL("of cudaMalloc", "%llu", flags);
    TRY(cuMemGetAccess(&flags, &nowhere, at));
    TRY(cuMemSetAccess(at, MB2, &access_, 0));
    TRY(cuMemSetAccess(at, MB2, NULL, 1));
    TRY(cuMemSetAccess(at, 0, &access_, 1));
    TRY(cuMemSetAccess(at, 4096, &access_, 1));
    TRY(cuMemSetAccess(at + 4096, MB2 - 4096, &access_, 1));
    TRY(cuMemSetAccess(at, 2 * MB2, &access_, 1));
    TRY(cuMemSetAccess(at + MB2, MB2, &access_, 1));
    TRY(cuMemSetAccess((CUdeviceptr)d, MB2, &access_, 1));
    CUmemAccessDesc bad = access_;
    bad.flags = (CUmemAccess_flags)2;
    TRY(cuMemSetAccess(at, MB2, &bad, 1));
    bad.flags = (CUmemAccess_flags)7;
    TRY(cuMemSetAccess(at, MB2, &bad, 1));
    bad = access_;
    bad.location.id = 99;
    TRY(cuMemSetAccess(at, MB2, &bad, 1));
    bad.location.type = CU_MEM_LOCATION_TYPE_HOST;
    TRY(cuMemSetAccess(at, MB2, &bad, 1));
    CUmemAccessDesc twice[2] = {access_, access_};
    TRY(cuMemSetAccess(at, MB2, twice, 2));
    TRY(cuMemSetAccess(at, MB2, &access_, 1));
    TRY(cuMemGetAccess(&flags, &here, at + 12345));
    TELL("after", "%llu", flags);
    TRY(cuMemGetAccess(NULL, &here, at));
    TRY(cuMemGetAccess(&flags, NULL, at));
    bad = access_;
    bad.flags = CU_MEM_ACCESS_FLAGS_PROT_READ;
    TRY(cuMemSetAccess(at, MB2, &bad, 1));
    TRY(cuMemGetAccess(&flags, &here, at));
    TELL("to read", "%llu", flags);
    RUN(cudaMemset(ints(at), 1, 64));
    RUN(cudaMemcpy(host, ints(at), 16, cudaMemcpyDefault));
    bad.flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
    TRY(cuMemSetAccess(at, MB2, &bad, 1));
    TRY(cuMemGetAccess(&flags, &here, at));
    TELL("none again", "%llu", flags);
    TRY(cuMemCreate(&h2, MB2, &prop, 0));
    TRY(cuMemMap(at + MB2, MB2, 0, h2, 0));
    TRY(cuMemSetAccess(at, 2 * MB2, &access_, 1));
    TRY(cuMemGetAccess(&flags, &here, at + MB2));
    TELL("of both at once", "%llu", flags);
    TRY(cuMemUnmap(at, MB2));
    TRY(cuMemMap(at, MB2, 0, h, 0));
    TRY(cuMemGetAccess(&flags, &here, at));
    TELL("mapped again", "%llu", flags);
}

static void copies()
{
    map_one("copies", &prop);
    RUN(cudaMemset(ints(at), 1, 64));
    RUN(cudaMemcpy(ints(at), host, 16, cudaMemcpyHostToDevice));
    RUN(cudaMemcpy(host, ints(at), 16, cudaMemcpyDefault));
    RUN(cudaMemset(ints(at + MB2), 1, 64));
    RUN(cudaMemcpy(ints(at + MB2), host, 16, cudaMemcpyHostToDevice));
    TRY(cuMemcpyHtoD(at + MB2, host, 16));
    RUN(cudaDeviceSynchronize());
}

static void use()
{
    map_one("use", &prop);
    TRY(cuMemCreate(&h2, MB2, &prop, 0));
    TRY(cuMemMap(at + MB2, MB2, 0, h2, 0));
    TRY(cuMemSetAccess(at, 2 * MB2, &access_, 1));
    TRY(cuMemAddressReserve(&other, MB2, 0, 0, 0));
    TRY(cuMemMap(other, MB2, 0, h, 0));
    TRY(cuMemSetAccess(other, MB2, &access_, 1));
    RUN(cudaMemset(ints(at), 0, 2 * MB2));
    set<<<1, 1>>>(ints(at), 5, 42);
    get<<<1, 1>>>(ints(other), 5, ints(at) + (MB2 / 4) + 1);
    RUN(cudaMemcpy(host, ints(at + MB2) - 1, 16, cudaMemcpyDefault));
    TELL("across two, through the other address", "%d %d %d %d", host[0], host[1], host[2],
         host[3]);
    cudaPointerAttributes a;
    RUN(cudaPointerGetAttributes(&a, ints(at) + 3));
    TELL("attributes", "%d %d %d %d", a.type, a.device, a.devicePointer == ints(at) + 3,
         !a.hostPointer);
    RUN(cudaPointerGetAttributes(&a, ints(at + 2 * MB2)));
    TELL("of reserved addresses", "%d %d", a.type, a.device);
    CUdeviceptr base = 0;
    TRY(cuMemGetAddressRange(&base, &size, at + MB2 + 8));
    TELL("range", "%lld %zu", (long long)(base - at), size);
    TRY(cuMemGetAddressRange(&base, &size, at + 2 * MB2));
    TRY(cuPointerGetAttribute(&base, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, at + MB2 + 8));
    TELL("range from", "%lld", (long long)(base - at));
    TRY(cuPointerGetAttribute(&size, CU_POINTER_ATTRIBUTE_RANGE_SIZE, at + MB2 + 8));
    TELL("range of", "%zu", size);
    TRY(cuPointerGetAttribute(&base, CU_POINTER_ATTRIBUTE_CONTEXT, at));
    int is = 9;
    TRY(cuPointerGetAttribute(&is, CU_POINTER_ATTRIBUTE_MAPPED, at));
    TELL("mapped", "%d", is);
    TRY(cuPointerGetAttribute(&is, CU_POINTER_ATTRIBUTE_MAPPED, at + 2 * MB2));
    TRY(cuPointerGetAttribute(&is, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, at));
    RUN(cudaFree(ints(at)));
    TRY(cuMemFree(at));
    RUN(cudaFreeAsync(ints(at), 0));
    CUmemGenericAllocationHandle again = 0;
    TRY(cuMemRetainAllocationHandle(&again, ints(at) + 9));
    TELL("the same handle", "%d", again == h);
    TRY(cuMemRetainAllocationHandle(&again, ints(at + 2 * MB2)));
    TRY(cuMemRetainAllocationHandle(&again, d));
    TRY(cuMemRelease(h));
    TRY(cuMemRelease(h));
    RUN(cudaMemcpy(host, ints(at) + 5, 4, cudaMemcpyDefault));
    TELL("released, still mapped", "%d", host[0]);
    TRY(cuMemRetainAllocationHandle(&again, ints(at)));
    TRY(cuMemUnmap(at, MB2));
    TRY(cuMemUnmap(other, MB2));
    TRY(cuMemMap(at, MB2, 0, again, 0));
    TRY(cuMemSetAccess(at, MB2, &access_, 1));
    RUN(cudaMemcpy(host, ints(at) + 5, 4, cudaMemcpyDefault));
    TELL("mapped again, what it holds", "%d", host[0]);
}

static void share()
{
    map_one("share", &shared);
    int fd = -1, none = -1;
    const auto posix = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    TRY(cuMemSetAccess(at, MB2, &access_, 1));
    RUN(cudaMemset(ints(at), 3, MB2));
    TRY(cuMemCreate(&h2, MB2, &prop, 0));
    TRY(cuMemExportToShareableHandle(&none, h2, posix, 0));
    TRY(cuMemExportToShareableHandle(&none, h, CU_MEM_HANDLE_TYPE_NONE, 0));
    TRY(cuMemExportToShareableHandle(&none, h, CU_MEM_HANDLE_TYPE_WIN32, 0));
    TRY(cuMemExportToShareableHandle(&none, h, posix, 1));
    TRY(cuMemExportToShareableHandle(NULL, h, posix, 0));
    TRY(cuMemExportToShareableHandle(&fd, h, posix, 0));
    TELL("a descriptor", "%d %d", fd >= 0, fcntl(fd, F_GETFD));
    TRY(cuMemImportFromShareableHandle(&h2, (void *)-1, posix));
    TRY(cuMemImportFromShareableHandle(&h2, (void *)999, posix));
    none = open("/dev/null", O_RDWR);
    TRY(cuMemImportFromShareableHandle(&h2, (void *)(size_t)none, posix));
    TRY(cuMemImportFromShareableHandle(&h2, (void *)(size_t)fd, CU_MEM_HANDLE_TYPE_NONE));
    TRY(cuMemImportFromShareableHandle(NULL, (void *)(size_t)fd, posix));
    TRY(cuMemRelease(h));
    TRY(cuMemUnmap(at, MB2));
    TRY(cuMemImportFromShareableHandle(&h, (void *)(size_t)fd, posix));
    TRY(cuMemImportFromShareableHandle(&h2, (void *)(size_t)fd, posix));
    TELL("the same handle twice", "%d", h == h2);
    close(fd);
    CUmemAllocationProp is = {};
    TRY(cuMemGetAllocationPropertiesFromHandle(&is, h));
    TELL("properties", "%d %d %d %d", is.type, is.requestedHandleTypes, is.location.type,
         is.location.id);
    TRY(cuMemMap(at, 2 * MB2, 0, h, 0));
    TRY(cuMemMap(at, MB2, 0, h, 0));
    TRY(cuMemSetAccess(at, MB2, &access_, 1));
    RUN(cudaMemcpy(host, ints(at), 4, cudaMemcpyDefault));
    TELL("what it holds", "%x", host[0]);
    TRY(cuMemExportToShareableHandle(&fd, h, posix, 0));
    TRY(cuMemRelease(h));
    TRY(cuMemRelease(h2));
    TRY(cuMemImportFromShareableHandle(&h, (void *)(size_t)fd, posix));
    TRY(cuMemRelease(h));
    TRY(cuMemUnmap(at, MB2));
    TRY(cuMemAddressFree(at, 3 * MB2));
}

static void without_context()
{
    section_name = "without context";
    TRY(cuMemAddressReserve(&at, MB2, 0, 0, 0));
    TRY(cuInit(0));
    prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    access_.location = prop.location;
    access_.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    TRY(cuMemGetAllocationGranularity(&size, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    TRY(cuMemAddressReserve(&at, MB2, 0, 0, 0));
    TRY(cuMemCreate(&h, MB2, &prop, 0));
    TRY(cuMemMap(at, MB2, 0, h, 0));
    TRY(cuMemSetAccess(at, MB2, &access_, 1));
    TRY(cuMemRelease(h));
    TRY(cuMemUnmap(at, MB2));
    TRY(cuMemAddressFree(at, MB2));
}

static void reset()
{
    map_one("reset", &prop);
    TRY(cuMemSetAccess(at, MB2, &access_, 1));
    RUN(cudaMemset(ints(at), 5, 64));
    RUN(cudaDeviceReset());
    RUN(cudaMemcpy(host, ints(at), 4, cudaMemcpyDefault));
    TELL("what it holds", "%x", host[0]);
    TRY(cuMemUnmap(at, MB2));
    TRY(cuMemRelease(h));
    TRY(cuMemAddressFree(at, 3 * MB2));
}

/* What a kernel's access gives, and what stays of it. */
static void fault(int *p, bool write)
{
    int *to = d;
    if (write)
        set<<<1, 1>>>(p, 3, 1);
    else
        get<<<1, 1>>>(p, 3, to);
    RUN(cudaDeviceSynchronize());
    TRY(cuMemUnmap(at, MB2));
    TRY(cuMemRelease(h));
    TRY(cuMemAddressFree(at, 3 * MB2));
}
static void reserved_only()
{
    map_one("kernel, reserved only", &prop);
    fault(ints(at + MB2), false);
}
static void no_access()
{
    map_one("kernel, no access", &prop);
    fault(ints(at), false);
}
static void to_read_only()
{
    map_one("kernel, to read only", &prop);
    access_.flags = CU_MEM_ACCESS_FLAGS_PROT_READ;
    TRY(cuMemSetAccess(at, MB2, &access_, 1));
    get<<<1, 1>>>(ints(at), 3, d);
    RUN(cudaDeviceSynchronize());
    fault(ints(at), true);
}
static void unmapped()
{
    map_one("kernel, unmapped", &prop);
    TRY(cuMemSetAccess(at, MB2, &access_, 1));
    TRY(cuMemUnmap(at, MB2));
    fault(ints(at), false);
}
static void released_twice()
{
    begin("released twice");
    TRY(cuMemCreate(&h, MB2, &prop, 0));
    TRY(cuMemRelease(h));
    TRY(cuMemRelease(h));
}
static void map_released()
{
    begin("map released");
    TRY(cuMemAddressReserve(&at, MB2, 0, 0, 0));
    TRY(cuMemCreate(&h, MB2, &prop, 0));
    TRY(cuMemRelease(h));
    TRY(cuMemMap(at, MB2, 0, h, 0));
}

int main(int argc, char **argv)
{
    static const section all[] = {
        {"granularity", granularity},
        {"reserve", reserve},
        {"create", create},
        {"map", map},
        {"access", give_access},
        {"copies", copies},
        {"use", use},
        {"share", share},
        {"without-context", without_context},
        {"reset", reset},
        {"reserved", reserved_only},
        {"no-access", no_access},
        {"to-read", to_read_only},
        {"unmapped", unmapped},
        {"released-twice", released_twice},
        {"map-released", map_released},
        {"map-past-end", map_past_end},
    };
    return run_sections(all, sizeof all / sizeof *all, argc, argv);
}
