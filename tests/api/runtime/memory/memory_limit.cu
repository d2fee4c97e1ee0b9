// Allocating more than there is works, touching it does not: whatever touches device, managed, local
// or pinned memory stops with cudaErrorMemoryAllocation, and says what to do. The process lives on.
// flags: -arch=sm_90
// env: WARPBOOK_MEMORY=256M
// stderr: 256 MB of device, managed, local and pinned memory.*WARPBOOK_MEMORY
#include "check.h"

#include <cstdio>
#include <cstring>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const size_t MB = 1 << 20;

__global__ void store(char *p, size_t step, size_t n)
{
    for (size_t k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += gridDim.x * blockDim.x) {
        p[k * step] = 1;
    }
}

static char *big()
{
    char *p = nullptr;
    OK(cudaMalloc(&p, 64 * 1024 * MB));
    CHECK(p);
    return p;
}

static void little_of_much()
{
    char *p = big(), back[2] = {};
    size_t free_bytes, total;
    OK(cudaMemset(p, 0, MB));
    OK(cudaMemset(p + 60 * 1024 * MB, 0, MB));
    store<<<64, 256>>>(p, 1, MB);
    store<<<64, 256>>>(p, 40 * MB, 1600); // a page of each: 6 MB
    OK(cudaMemcpy(back, p + 80 * MB, 2, cudaMemcpyDeviceToHost));
    CHECK(back[0] == 1 && back[1] == 0);
    OK(cudaMemGetInfo(&free_bytes, &total));
    CHECK(free_bytes == 0 && total > 64 * 1024 * MB);
    OK(cudaFree(p));
    OK(cudaMemGetInfo(&free_bytes, &total));
    CHECK(free_bytes <= 256 * MB && free_bytes >= 250 * MB);
}

// What is freed can be touched again.
static void again_and_again()
{
    for (int turn = 0; turn < 6; turn++) {
        char *p;
        OK(cudaMalloc(&p, 200 * MB));
        OK(cudaMemset(p, turn, 200 * MB));
        OK(cudaFree(p));
    }
}

static void too_much_filled()
{
    OK(cudaMemset(big(), 0, 300 * MB));
    EXPECT(cudaErrorMemoryAllocation, cudaDeviceSynchronize());
}

static void too_much_copied()
{
    char *p = big();
    store<<<64, 256>>>(p, 1, 150 * MB);
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(p + 200 * MB, p, 150 * MB, cudaMemcpyDeviceToDevice));
    EXPECT(cudaErrorMemoryAllocation, cudaDeviceSynchronize());
}

static void too_much_stored()
{
    store<<<1, 32>>>(big(), 4096, 64 * 1024 * MB / 4096);
    EXPECT(cudaErrorMemoryAllocation, cudaDeviceSynchronize());
}

// Bytes that the process has had in memory at most.
static size_t peak()
{
    rusage used;
    getrusage(RUSAGE_SELF, &used);
    return used.ru_maxrss * 1024UL;
}

// A kernel stops soon after the limit, whatever it touches, and long before its time slice ends.
static void stops_promptly(char *p)
{
    const size_t before = peak();
    store<<<1, 32>>>(p, 4096, 64 * 1024 * MB / 4096);
    EXPECT(cudaErrorMemoryAllocation, cudaDeviceSynchronize());
    CHECK(peak() - before < (256 + 32) * MB);
}

static void stops_promptly_on_the_device()
{
    stops_promptly(big());
}

static void stops_promptly_in_managed_memory()
{
    char *p;
    OK(cudaMallocManaged(&p, 64 * 1024 * MB));
    stops_promptly(p);
}

static void too_much_pinned()
{
    void *p;
    OK(cudaMallocHost(&p, 200 * MB));
    EXPECT(cudaErrorMemoryAllocation, cudaMallocHost(&p, 100 * MB));
    OK(cudaMalloc(&p, MB));
}

static void too_much_of_a_pool()
{
    char *p;
    OK(cudaMallocAsync(&p, 1024 * MB, 0));
    OK(cudaMemsetAsync(p, 0, 1024 * MB, 0));
    EXPECT(cudaErrorMemoryAllocation, cudaStreamSynchronize(0));
}

static void too_much_uncounted()
{
    setenv("WARPBOOK_COUNTING", "0", 1);
    too_much_stored();
}

static void too_much_managed(bool by_host)
{
    char *p;
    OK(cudaMallocManaged(&p, 64 * 1024 * MB));
    store<<<1, 32>>>(p, MB, 64);
    OK(cudaDeviceSynchronize());
    if (by_host) {
        memset(p, 1, 300 * MB);
        store<<<1, 32>>>(p, 1, 1);
    } else {
        store<<<16, 256>>>(p, 4096, 300 * MB / 4096);
    }
    EXPECT(cudaErrorMemoryAllocation, cudaDeviceSynchronize());
}

static void too_much_managed_by_kernels()
{
    too_much_managed(false);
}

static void too_much_managed_by_the_host()
{
    too_much_managed(true);
}

__global__ void store_local(int *out, int at)
{
    volatile char mine[400 * 1024];
    for (int k = 0; k < 400 * 1024; k += 4096) {
        mine[k] = (char)k;
    }
    *out = mine[at];
}

static void too_much_local()
{
    int *out;
    OK(cudaMalloc(&out, sizeof *out));
    store_local<<<1, 1024>>>(out, 0);
    EXPECT(cudaErrorMemoryAllocation, cudaDeviceSynchronize());
}

__global__ void store_in_heap()
{
    char *p = (char *)malloc(1 << 20);
    for (int k = 0; p && k < 1 << 20; k += 4096) {
        p[k] = 1;
    }
}

static void too_much_of_the_heap()
{
    OK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1024 * MB));
    store_in_heap<<<2, 256>>>();
    EXPECT(cudaErrorMemoryAllocation, cudaDeviceSynchronize());
}

__global__ void store_in_bulk(char *p, size_t bytes)
{
    __shared__ alignas(128) char tile[32768];
    const unsigned from = (unsigned)__cvta_generic_to_shared(tile);
    for (size_t k = 0; k < bytes; k += sizeof tile) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
                     :
                     : "l"(p + k), "r"(from), "r"((unsigned)sizeof tile)
                     : "memory");
        asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

static void too_much_in_bulk()
{
    store_in_bulk<<<1, 1>>>(big(), 300 * MB);
    EXPECT(cudaErrorMemoryAllocation, cudaDeviceSynchronize());
}

static void too_much_in_an_array()
{
    const cudaChannelFormatDesc bytes = cudaCreateChannelDesc<char>();
    cudaArray_t a;
    OK(cudaMalloc3DArray(&a, &bytes, make_cudaExtent(1024, 1024, 300)));
    cudaMemcpy3DParms c = {};
    c.srcPtr = make_cudaPitchedPtr(big(), 1024, 1024, 1024);
    c.dstArray = a;
    c.extent = make_cudaExtent(1024, 1024, 300);
    c.kind = cudaMemcpyDeviceToDevice;
    OK(cudaMemcpy3D(&c));
    EXPECT(cudaErrorMemoryAllocation, cudaDeviceSynchronize());
}

__global__ void print(int lines)
{
    for (int k = 0; k < lines; k++) {
        printf("%1000d\n", k);
    }
}

static void too_much_printed()
{
    big();
    CHECK(freopen("/dev/null", "w", stdout));
    print<<<8, 32>>>(3000);
    EXPECT(cudaErrorMemoryAllocation, cudaDeviceSynchronize());
}

static size_t resident_bytes()
{
    size_t all = 0, resident = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    const bool known = f && fscanf(f, "%zu %zu", &all, &resident) == 2;
    if (f)
        fclose(f);
    return known ? resident * sysconf(_SC_PAGESIZE) : 0;
}

// Does this system give a process memory of its own for pages that it only reads? Most map one page
// of zeros instead.
static bool reading_takes_memory()
{
    const size_t bytes = 64 * MB, page = sysconf(_SC_PAGESIZE);
    volatile char *p =
        (char *)mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const size_t before = resident_bytes();
    int sum = 0;
    for (size_t k = 0; k < bytes; k += page)
        sum += p[k];
    const size_t after = resident_bytes();
    munmap((void *)p, bytes);
    return sum == 0 && after > before + bytes / 2;
}

// What has only been read takes no memory, where the system has it so.
static void much_read()
{
    if (reading_takes_memory())
        return;
    char *p = big();
    OK(cudaMemset(p, 1, 100 * MB));
    static char back[1 << 20];
    for (int k = 0; k < 400; k++) {
        OK(cudaMemcpy(back, p + (100 + k) * MB, MB, cudaMemcpyDeviceToHost));
    }
    OK(cudaMemset(p + 1024 * MB, 1, 100 * MB));
    OK(cudaDeviceSynchronize());
}

// A column of a wide array is its rows' pages, not all between them.
static void a_column()
{
    OK(cudaMemset2D(big(), 16 * MB, 1, 4, 1000));
    OK(cudaDeviceSynchronize());
}

// The error stays until the device is reset.
static void well_after_a_reset()
{
    too_much_filled();
    void *p;
    EXPECT(cudaErrorMemoryAllocation, cudaMalloc(&p, MB));
    OK(cudaDeviceReset());
    again_and_again();
}

static void less_under_a_data_limit()
{
    const rlimit data = {1024 * MB, 1024 * MB};
    unsetenv("WARPBOOK_MEMORY");
    CHECK(setrlimit(RLIMIT_DATA, &data) == 0);
    size_t free_bytes, total;
    OK(cudaMemGetInfo(&free_bytes, &total));
    CHECK(free_bytes > 256 * MB && free_bytes < 1024 * MB);
}

int main()
{
    void (*const parts[])() = {little_of_much,
                               again_and_again,
                               too_much_filled,
                               too_much_copied,
                               too_much_stored,
                               stops_promptly_on_the_device,
                               stops_promptly_in_managed_memory,
                               too_much_pinned,
                               too_much_of_a_pool,
                               too_much_uncounted,
                               too_much_managed_by_kernels,
                               too_much_managed_by_the_host,
                               too_much_local,
                               too_much_of_the_heap,
                               too_much_in_bulk,
                               too_much_in_an_array,
                               too_much_printed,
                               much_read,
                               a_column,
                               well_after_a_reset,
                               less_under_a_data_limit};
    int bad = 0;
    for (auto part : parts) {
        const pid_t child = fork();
        if (child == 0) {
            part();
            exit(print_failures());
        }
        int status = 1;
        waitpid(child, &status, 0);
        bad |= status != 0;
    }
    return bad;
}
