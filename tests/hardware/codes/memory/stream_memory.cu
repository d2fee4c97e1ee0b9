/* Memory in the order of streams: pools, reuse, thresholds, limits. */
#include "try.h"
__global__ void fill(int *p, int n, int v)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        p[i] = v + i;
}
static void show(cudaMemPool_t p, const char *w)
{
    unsigned long long a[4];
    cudaMemPoolAttr k[] = {cudaMemPoolAttrReservedMemCurrent, cudaMemPoolAttrReservedMemHigh,
                           cudaMemPoolAttrUsedMemCurrent, cudaMemPoolAttrUsedMemHigh};
    for (int i = 0; i < 4; i++)
        OK(cudaMemPoolGetAttribute(p, k[i], &a[i]));
    printf("%s: reserved %llu high %llu used %llu high %llu\n", w, a[0], a[1], a[2], a[3]);
}
int main()
{
    cudaMemPool_t def, p;
    OK(cudaDeviceGetDefaultMemPool(&def, 0));
    unsigned long long th = 77;
    OK(cudaMemPoolGetAttribute(def, cudaMemPoolAttrReleaseThreshold, &th));
    printf("%llu\n", th);
    for (int a = 1; a <= 3; a++) {
        int v = -1;
        OK(cudaMemPoolGetAttribute(def, (cudaMemPoolAttr)a, &v));
        printf("%d ", v);
    }
    puts("");
    cudaStream_t s, s2;
    OK(cudaStreamCreate(&s));
    OK(cudaStreamCreate(&s2));
    int *a, *b, *c;
    show(def, "start");
    OK(cudaMallocAsync(&a, 1000, s));
    show(def, "1000");
    OK(cudaMallocAsync(&b, 1 << 20, s));
    show(def, "1 MiB");
    fill<<<1, 128, 0, s>>>(a, 250, 1);
    fill<<<1, 128, 0, s>>>(b, 1 << 18, 2);
    OK(cudaFreeAsync(a, s));
    show(def, "freed");
    OK(cudaMallocAsync(&c, 1000, s));
    printf("reused %d\n", c == a);
    OK(cudaFreeAsync(b, s));
    OK(cudaMallocAsync(&a, 1 << 20, s2));
    printf("other stream reused %d\n", a == b);
    OK(cudaFreeAsync(a, s2));
    OK(cudaFreeAsync(c, s));
    OK(cudaStreamSynchronize(s));
    show(def, "one synced");
    OK(cudaDeviceSynchronize());
    show(def, "synced");
    th = ~0ull;
    OK(cudaMemPoolSetAttribute(def, cudaMemPoolAttrReleaseThreshold, &th));
    OK(cudaMallocAsync(&a, 40 << 20, s));
    OK(cudaFreeAsync(a, s));
    OK(cudaStreamSynchronize(s));
    show(def, "kept");
    OK(cudaMemPoolTrimTo(def, 10 << 20));
    show(def, "trim 10M");
    OK(cudaMemPoolTrimTo(def, 0));
    show(def, "trim 0");
    unsigned long long z = 0;
    TRY(cudaMemPoolSetAttribute(def, cudaMemPoolAttrReservedMemHigh, &z));
    TRY(cudaMemPoolSetAttribute(def, cudaMemPoolAttrUsedMemHigh, &z));
    z = 5;
    TRY(cudaMemPoolSetAttribute(def, cudaMemPoolAttrUsedMemHigh, &z));
    TRY(cudaMemPoolSetAttribute(def, cudaMemPoolAttrUsedMemCurrent, &z));
    show(def, "reset");
    cudaMemPoolProps pr = {};
    pr.allocType = cudaMemAllocationTypePinned;
    pr.location.type = cudaMemLocationTypeDevice;
    pr.maxSize = 8 << 20;
    TRY(cudaMemPoolCreate(&p, &pr));
    TRY(cudaMallocFromPoolAsync(&a, 4 << 20, p, s));
    TRY(cudaMallocFromPoolAsync(&b, 100 << 20, p, s));
    show(p, "own");
    TRY(cudaFreeAsync(a, s));
    TRY(cudaDeviceSetMemPool(0, p));
    cudaMemPool_t now;
    TRY(cudaDeviceGetMemPool(&now, 0));
    printf("%d\n", now == p);
    TRY(cudaMallocAsync(&a, 64, s));
    show(p, "own");
    int v = 0;
    TRY(cudaMemPoolSetAttribute(p, cudaMemPoolReuseFollowEventDependencies, &v));
    TRY(cudaMemPoolSetAttribute(p, cudaMemPoolReuseAllowOpportunistic, &v));
    TRY(cudaMemPoolSetAttribute(p, cudaMemPoolReuseAllowInternalDependencies, &v));
    TRY(cudaFree(a));
    TRY(cudaFree(a));
    TRY(cudaMallocAsync(&a, 64, s));
    OK(cudaStreamSynchronize(s));
    TRY(cudaFree(a));
    TRY(cudaFreeAsync(a, s));
    TRY(cudaMallocAsync(&a, 0, s));
    printf("%d\n", a == 0);
    TRY(cudaFreeAsync(0, s));
    int *m;
    OK(cudaMalloc(&m, 64));
    TRY(cudaFreeAsync(m, s));
    TRY(cudaFreeAsync((char *)c + 4, s));
    TRY(cudaMallocAsync(0, 64, s));
    TRY(cudaMallocAsync(&a, (size_t)1 << 50, s));
    cudaMemAccessDesc ad = {};
    ad.location.type = cudaMemLocationTypeDevice;
    ad.flags = cudaMemAccessFlagsProtReadWrite;
    TRY(cudaMemPoolSetAccess(p, &ad, 1));
    cudaMemAccessFlags f;
    TRY(cudaMemPoolGetAccess(&f, p, &ad.location));
    printf("%d\n", (int)f);
    ad.flags = cudaMemAccessFlagsProtNone;
    TRY(cudaMemPoolSetAccess(p, &ad, 1));
    ad.location.id = 3;
    TRY(cudaMemPoolSetAccess(p, &ad, 1));
    int fd;
    TRY(cudaMemPoolExportToShareableHandle(&fd, p, cudaMemHandleTypePosixFileDescriptor, 0));
    TRY(cudaMemPoolDestroy(def));
    TRY(cudaMemPoolDestroy(p));
    TRY(cudaDeviceGetMemPool(&now, 0));
    printf("%d\n", now == def);
    pr.location.id = 9;
    TRY(cudaMemPoolCreate(&p, &pr));
    pr = {};
    TRY(cudaMemPoolCreate(&p, &pr));
    cudaPointerAttributes at;
    OK(cudaMallocAsync(&a, 64, s));
    OK(cudaPointerGetAttributes(&at, a));
    printf("%d %d\n", (int)at.type, at.hostPointer == 0);
    TRY(cudaMemcpyAsync(&v, a, 4, cudaMemcpyDeviceToHost, s));
    TRY(cudaDeviceSynchronize());
    return 0;
}
