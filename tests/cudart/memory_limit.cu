// Allocating more than there is works, touching it does not: copies, fills, kernels' stores and pinned
// memory stop with cudaErrorMemoryAllocation, and say what to do. The process lives on.
// env: WARPBOOK_MEMORY=256M
// stderr: 256 MB of device and pinned memory.*WARPBOOK_MEMORY
#include "check.h"

#include <cstring>
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

int main()
{
    void (*const parts[])() = {little_of_much,  again_and_again, too_much_filled, too_much_copied,
                               too_much_stored, too_much_pinned, too_much_of_a_pool};
    int bad = 0;
    for (auto part : parts) {
        const pid_t child = fork();
        if (child == 0) {
            part();
            exit(finish());
        }
        int status = 1;
        waitpid(child, &status, 0);
        bad |= status != 0;
    }
    return bad;
}
