/* Host memory: pinned, registered, in parts; peers; batches of copies. */
#include "try.h"
#include <unistd.h>
__global__ void add(int *p, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        p[i] += i;
}
int main()
{
    size_t pg = 4096;
    char *m = (char *)aligned_alloc(pg, 16 * pg);
    memset(m, 0, 16 * pg);
    TRY(cudaHostRegister(m, 8 * pg, 0));
    TRY(cudaHostRegister(m, 8 * pg, 0));
    TRY(cudaHostRegister(m + 4 * pg, 8 * pg, 0));
    TRY(cudaHostRegister(m + 8 * pg, 2 * pg, cudaHostRegisterMapped));
    TRY(cudaHostRegister(m + 12 * pg + 100, 1000, cudaHostRegisterPortable));
    TRY(cudaHostRegister(m, 0, 0));
    TRY(cudaHostRegister(0, pg, 0));
    TRY(cudaHostRegister(m + 14 * pg, pg, 99));
    void *d;
    TRY(cudaHostGetDevicePointer(&d, m + 100, 0));
    printf("%d\n", d == m + 100);
    add<<<1, 64>>>((int *)d, 500);
    TRY(cudaDeviceSynchronize());
    printf("%d\n", ((int *)(m + 100))[499]);
    unsigned f;
    TRY(cudaHostGetFlags(&f, m));
    printf("%u\n", f);
    TRY(cudaHostGetFlags(&f, m + pg));
    TRY(cudaHostGetFlags(&f, m + 15 * pg));
    cudaPointerAttributes a;
    OK(cudaPointerGetAttributes(&a, m + pg));
    printf("%d %d %d %d\n", (int)a.type, a.device, a.hostPointer == m + pg,
           a.devicePointer == m + pg);
    OK(cudaPointerGetAttributes(&a, m + 11 * pg));
    printf("%d %d\n", (int)a.type, a.device);
    TRY(cudaHostUnregister(m + pg));
    TRY(cudaHostUnregister(m));
    TRY(cudaHostUnregister(m));
    TRY(cudaHostGetDevicePointer(&d, m, 0));
    TRY(cudaFreeHost(m + 8 * pg));
    TRY(cudaHostUnregister(m + 8 * pg));
    TRY(cudaHostUnregister(m + 12 * pg + 100));
    int *h;
    unsigned fl[] = {0, 1, 2, 4, 6, 7};
    for (unsigned x : fl) {
        TRY(cudaHostAlloc(&h, pg, x));
        if (cudaHostGetFlags(&f, h) == 0)
            printf("flags %u\n", f);
        cudaGetLastError();
    }
    h[0] = 5;
    add<<<1, 64>>>(h, 64);
    OK(cudaDeviceSynchronize());
    printf("%d %d\n", h[0], h[63]);
    TRY(cudaHostUnregister(h));
    TRY(cudaFree(h));
    TRY(cudaFreeHost(h));
    TRY(cudaFreeHost(h));
    // peers
    int can = -1;
    TRY(cudaDeviceCanAccessPeer(&can, 0, 0));
    printf("%d\n", can);
    TRY(cudaDeviceCanAccessPeer(&can, 0, 1));
    TRY(cudaDeviceEnablePeerAccess(1, 0));
    TRY(cudaDeviceEnablePeerAccess(0, 0));
    TRY(cudaDeviceDisablePeerAccess(0));
    TRY(cudaDeviceDisablePeerAccess(7));
    TRY(cudaDeviceGetP2PAttribute(&can, cudaDevP2PAttrAccessSupported, 0, 1));
    TRY(cudaDeviceGetP2PAttribute(&can, cudaDevP2PAttrAccessSupported, 0, 0));
    // batch copies
    cudaStream_t s;
    OK(cudaStreamCreate(&s));
    int *dev;
    OK(cudaMalloc(&dev, 4096));
    int src[256], dst[256];
    for (int i = 0; i < 256; i++)
        src[i] = i * i;
    const void *sp[3] = {src, src + 100, dev};
    void *dp[3] = {dev, dev + 200, dst};
    size_t sz[3] = {400, 200, 64};
    cudaMemcpyAttributes at = {};
    at.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    size_t ix[1] = {0};
    TRY(cudaMemcpyBatchAsync((const void **)dp, sp, sz, 2, &at, ix, 1, s));
    TRY(cudaStreamSynchronize(s));
    TRY(cudaMemcpyBatchAsync((const void **)(dp + 2), sp + 2, sz + 2, 1, &at, ix, 1, s));
    TRY(cudaStreamSynchronize(s));
    printf("%d %d\n", dst[3], dst[15]);
    TRY(cudaMemcpyBatchAsync((const void **)dp, sp, sz, 0, &at, ix, 1, s));
    TRY(cudaMemcpyBatchAsync((const void **)dp, sp, sz, 2, &at, ix, 0, s));
    TRY(cudaMemcpyBatchAsync((const void **)dp, sp, sz, 2, &at, ix, 1, 0));
    size_t bad[1] = {1};
    TRY(cudaMemcpyBatchAsync((const void **)dp, sp, sz, 2, &at, bad, 1, s));
    sz[0] = 0;
    TRY(cudaMemcpyBatchAsync((const void **)dp, sp, sz, 2, &at, ix, 1, s));
    at.srcAccessOrder = (cudaMemcpySrcAccessOrder)0;
    sz[0] = 400;
    TRY(cudaMemcpyBatchAsync((const void **)dp, sp, sz, 2, &at, ix, 1, s));
    OK(cudaMemcpy(dst, dev, 1024, cudaMemcpyDeviceToHost));
    printf("%u\n", hash_(dst, 1000));
    size_t fr, to;
    TRY(cudaMemGetInfo(&fr, &to));
    TRY(cudaMemGetInfo(&fr, 0));
    TRY(cudaMemGetInfo(0, &to));
    TRY(cudaHostGetDevicePointer(&d, dev, 0));
    TRY(cudaDeviceFlushGPUDirectRDMAWrites(cudaFlushGPUDirectRDMAWritesTargetCurrentDevice,
                                           cudaFlushGPUDirectRDMAWritesToOwner));
    TRY(cudaMemcpy(dst, m, 64, cudaMemcpyDefault));
    TRY(cudaMemcpyAsync(dst, m, 64, cudaMemcpyHostToHost, s));
    TRY(cudaStreamSynchronize(s));
    int x;
    TRY(cudaChooseDevice(&x, 0));
    char id[32];
    TRY(cudaDeviceGetPCIBusId(id, 32, 0));
    TRY(cudaDeviceGetPCIBusId(id, 5, 0));
    TRY(cudaDeviceGetByPCIBusId(&x, "ffff:ff:1f.7"));
    TRY(cudaDeviceGetByPCIBusId(&x, "nonsense"));
    return 0;
}
