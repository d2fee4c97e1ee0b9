// Pools of the host and of managed memory, as an H200 answers: what they are made of, whose memory
// they give, and that a kernel and the host see it.
// toolkit: 13
#include "check.h"

__global__ void write(int *p)
{
    *p = 41;
}

static cudaError_t make(cudaMemPool_t *pool, cudaMemAllocationType kind, cudaMemLocationType where,
                        int id)
{
    cudaMemPoolProps p = {};
    p.allocType = kind;
    p.location.type = where;
    p.location.id = id;
    return cudaMemPoolCreate(pool, &p);
}

static void use(cudaMemPool_t pool, cudaMemoryType type)
{
    bool host = type == cudaMemoryTypeHost;
    int *p;
    cudaPointerAttributes a;
    OK(cudaMallocFromPoolAsync(&p, 4096, pool, 0));
    OK(cudaStreamSynchronize(0));
    OK(cudaPointerGetAttributes(&a, p));
    CHECK(a.type == type && a.device == 0);
    CHECK((a.hostPointer != NULL) == (type != cudaMemoryTypeDevice));
    CHECK((a.devicePointer != NULL) == !host);
    cudaMemAccessDesc access = {};
    access.location.type = cudaMemLocationTypeDevice;
    access.flags = cudaMemAccessFlagsProtReadWrite;
    OK(cudaMemPoolSetAccess(pool, &access, 1));
    OK(cudaPointerGetAttributes(&a, p));
    CHECK(a.devicePointer != NULL);
    write<<<1, 1>>>(p);
    OK(cudaDeviceSynchronize());
    CHECK(type == cudaMemoryTypeDevice || *p == 41);
    OK(cudaFreeAsync(p, 0));
    OK(cudaDeviceSynchronize());
}

int main()
{
    const cudaMemAllocationType pinned = cudaMemAllocationTypePinned,
                                managed = cudaMemAllocationTypeManaged;
    struct {
        cudaMemAllocationType kind;
        cudaMemLocationType where;
        cudaMemoryType type;
    } right[] = {{pinned, cudaMemLocationTypeDevice, cudaMemoryTypeDevice},
                 {pinned, cudaMemLocationTypeHost, cudaMemoryTypeHost},
                 {pinned, cudaMemLocationTypeHostNuma, cudaMemoryTypeHost},
                 {managed, cudaMemLocationTypeNone, cudaMemoryTypeManaged},
                 {managed, cudaMemLocationTypeDevice, cudaMemoryTypeManaged},
                 {managed, cudaMemLocationTypeHost, cudaMemoryTypeManaged}};
    cudaMemPool_t pool;
    for (auto &r : right) {
        OK(make(&pool, r.kind, r.where, 0));
        use(pool, r.type);
        OK(cudaMemPoolDestroy(pool));
    }
    EXPECT(cudaErrorInvalidValue, make(&pool, pinned, cudaMemLocationTypeHostNuma, 99));
    EXPECT(cudaErrorInvalidValue, make(&pool, pinned, cudaMemLocationTypeHostNumaCurrent, 0));
    EXPECT(cudaErrorInvalidValue, make(&pool, pinned, cudaMemLocationTypeDevice, 7));
    EXPECT(cudaErrorInvalidValue, make(&pool, pinned, cudaMemLocationTypeNone, 0));

    cudaMemLocation where = {};
    where.type = cudaMemLocationTypeHost;
    OK(cudaMemGetDefaultMemPool(&pool, &where, pinned));
    use(pool, cudaMemoryTypeHost);
    EXPECT(cudaErrorInvalidValue, cudaMemPoolDestroy(pool));
    where.type = cudaMemLocationTypeNone;
    OK(cudaMemGetDefaultMemPool(&pool, &where, managed));
    use(pool, cudaMemoryTypeManaged);
    return print_failures();
}
