/* Managed memory: variables, lists, advice, prefetching, streams that it is attached to. */
#include "try.h"
__managed__ int counter = 5;
__managed__ float table[256] = {1, 2, 3};
__global__ void inc(int *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] += i;
    if (i == 0)
        counter++;
}
struct node {
    int v;
    node *next;
};
__global__ void walk(node *n, long long *out)
{
    long long s = 0;
    for (; n; n = n->next)
        s = s * 3 + n->v;
    *out = s;
}
int main()
{
    const int N = 1 << 16;
    int *p;
    OK(cudaMallocManaged(&p, N * 4));
    for (int i = 0; i < N; i++)
        p[i] = i;
    cudaMemLocation dev = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0};
    TRY(cudaMemAdvise(p, N * 4, cudaMemAdviseSetReadMostly, dev));
    TRY(cudaMemAdvise(p, N * 4, cudaMemAdviseSetPreferredLocation, dev));
    TRY(cudaMemAdvise(p, N * 4, cudaMemAdviseSetAccessedBy, host));
    TRY(cudaMemAdvise(p, N * 4, cudaMemAdviseSetAccessedBy, dev));
    int v = -7;
    TRY(cudaMemRangeGetAttribute(&v, 4, cudaMemRangeAttributeReadMostly, p, N * 4));
    printf("%d\n", v);
    TRY(cudaMemRangeGetAttribute(&v, 4, cudaMemRangeAttributePreferredLocation, p, N * 4));
    printf("%d\n", v);
    int ab[4] = {9, 9, 9, 9};
    TRY(cudaMemRangeGetAttribute(ab, 16, cudaMemRangeAttributeAccessedBy, p, N * 4));
    printf("%d %d %d %d\n", ab[0], ab[1], ab[2], ab[3]);
    TRY(cudaMemRangeGetAttribute(&v, 4, cudaMemRangeAttributeLastPrefetchLocation, p, N * 4));
    printf("%d\n", v);
    TRY(cudaMemPrefetchAsync(p, N * 4, dev, 0, 0));
    OK(cudaDeviceSynchronize());
    TRY(cudaMemRangeGetAttribute(&v, 4, cudaMemRangeAttributeLastPrefetchLocation, p, N * 4));
    printf("%d\n", v);
    TRY(cudaMemPrefetchAsync(p, N * 2, host, 0, 0));
    OK(cudaDeviceSynchronize());
    TRY(cudaMemRangeGetAttribute(&v, 4, cudaMemRangeAttributeLastPrefetchLocation, p, N * 4));
    printf("%d\n", v);
    TRY(cudaMemRangeGetAttribute(&v, 4, cudaMemRangeAttributeLastPrefetchLocation, p, N));
    printf("%d\n", v);
    TRY(cudaMemAdvise(p, N * 4, cudaMemAdviseUnsetReadMostly, dev));
    TRY(cudaMemAdvise(p, N * 4, cudaMemAdviseUnsetPreferredLocation, dev));
    TRY(cudaMemAdvise(p, N * 4, cudaMemAdviseUnsetAccessedBy, host));
    TRY(cudaMemAdvise(p, N * 4, (cudaMemoryAdvise)44, dev));
    TRY(cudaMemAdvise(p, 0, cudaMemAdviseSetReadMostly, dev));
    TRY(cudaMemAdvise(p, N * 8, cudaMemAdviseSetReadMostly, dev));
    void *att[2] = {&v, ab};
    size_t sz[2] = {4, 16};
    cudaMemRangeAttribute at[2] = {cudaMemRangeAttributeReadMostly,
                                   cudaMemRangeAttributeAccessedBy};
    TRY(cudaMemRangeGetAttributes(att, sz, at, 2, p, N * 4));
    printf("%d %d %d\n", v, ab[0], ab[1]);
    for (int k = 0; k < 3; k++) {
        inc<<<N / 256, 256>>>(p, N);
        OK(cudaDeviceSynchronize());
        p[0] += 10;
        counter *= 2;
    }
    printf("%d %d %d %u\n", counter, p[0], p[1000], hash_(p, N * 4));
    table[7] = 3.5f;
    float *tp;
    OK(cudaGetSymbolAddress((void **)&tp, table));
    printf("same %d\n", tp == table);
    size_t ts;
    OK(cudaGetSymbolSize(&ts, table));
    printf("%zu\n", ts);
    node *head = 0;
    for (int i = 0; i < 50; i++) {
        node *x;
        OK(cudaMallocManaged(&x, sizeof *x));
        x->v = i;
        x->next = head;
        head = x;
    }
    long long *out;
    OK(cudaMallocManaged(&out, 8));
    walk<<<1, 1>>>(head, out);
    OK(cudaDeviceSynchronize());
    printf("%lld\n", *out);
    cudaPointerAttributes a;
    OK(cudaPointerGetAttributes(&a, p + 5));
    printf("%d %d %d %d\n", (int)a.type, a.device, a.devicePointer == p + 5,
           a.hostPointer == p + 5);
    OK(cudaPointerGetAttributes(&a, &counter));
    printf("%d\n", (int)a.type);
    cudaStream_t s;
    OK(cudaStreamCreate(&s));
    int *q;
    OK(cudaMallocManaged(&q, 4096, cudaMemAttachHost));
    TRY(cudaStreamAttachMemAsync(s, q, 0, cudaMemAttachSingle));
    q[0] = 1;
    TRY(cudaStreamSynchronize(s));
    TRY(cudaStreamAttachMemAsync(s, q, 4096, cudaMemAttachGlobal));
    TRY(cudaStreamAttachMemAsync(s, q, 100, cudaMemAttachSingle));
    TRY(cudaStreamAttachMemAsync(s, q + 1, 0, cudaMemAttachSingle));
    TRY(cudaStreamAttachMemAsync(0, q, 0, cudaMemAttachSingle));
    TRY(cudaStreamAttachMemAsync(s, out + 100, 0, 9));
    OK(cudaDeviceSynchronize());
    int *d;
    OK(cudaMalloc(&d, 64));
    TRY(cudaMemPrefetchAsync(d, 64, dev, 0, 0));
    TRY(cudaMemAdvise(d, 64, cudaMemAdviseSetReadMostly, dev));
    int *h = (int *)malloc(4096);
    TRY(cudaMemPrefetchAsync(h, 4096, dev, 0, 0));
    TRY(cudaMemAdvise(h, 4096, cudaMemAdviseSetReadMostly, dev));
    TRY(cudaMemRangeGetAttribute(&v, 4, cudaMemRangeAttributeReadMostly, d, 64));
    cudaMemLocation bad = {cudaMemLocationTypeDevice, 4}, none = {(cudaMemLocationType)0, 0},
                    numa = {cudaMemLocationTypeHostNuma, 0},
                    cur = {cudaMemLocationTypeHostNumaCurrent, 0};
    TRY(cudaMemPrefetchAsync(p, 64, bad, 0, 0));
    TRY(cudaMemPrefetchAsync(p, 64, none, 0, 0));
    TRY(cudaMemPrefetchAsync(p, 64, numa, 0, 0));
    TRY(cudaMemPrefetchAsync(p, 64, cur, 0, 0));
    TRY(cudaMemPrefetchAsync(p, 64, dev, 1, 0));
    TRY(cudaMemPrefetchAsync(p, 0, dev, 0, 0));
    TRY(cudaDeviceSynchronize());
    void *ptrs[2] = {p, q};
    size_t cnt[2] = {N * 4, 4096};
    cudaMemLocation locs[1] = {dev};
    size_t idx[1] = {0};
    TRY(cudaMemPrefetchBatchAsync(ptrs, cnt, 2, locs, idx, 1, 0, s));
    TRY(cudaStreamSynchronize(s));
    TRY(cudaMemDiscardBatchAsync(ptrs, cnt, 1, 0, s));
    TRY(cudaStreamSynchronize(s));
    TRY(cudaFree(p));
    TRY(cudaFree(&counter));
    return 0;
}
