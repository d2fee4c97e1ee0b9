/* Many streams and events in a lattice of dependencies; priorities, attributes, callbacks, and what
 * a callback may not do. */
#include "try.h"
__global__ void step(int *a, const int *b, int k)
{
    *a = (*a * 31 + *b + k) % 1000003;
}
struct note {
    int order[64];
    int n;
};
static note nt;
static void CUDART_CB host(void *p)
{
    nt.order[nt.n++] = (int)(size_t)p;
}
static cudaError_t inside[6];
static void CUDART_CB bad(void *p)
{
    int *d = (int *)p;
    inside[0] = cudaMalloc(&d, 4);
    inside[1] = cudaStreamSynchronize(0);
    inside[2] = cudaGetLastError();
    inside[3] = cudaDeviceSynchronize();
    cudaEvent_t e;
    inside[4] = cudaEventCreate(&e);
    step<<<1, 1>>>((int *)p, (int *)p, 1);
    inside[5] = cudaGetLastError();
}
static void CUDART_CB old(cudaStream_t s, cudaError_t e, void *p)
{
    nt.order[nt.n++] = 100 + (int)(size_t)p + (int)e;
}
int main()
{
    const int S = 16, R = 20;
    std::vector<cudaStream_t> s(S);
    std::vector<cudaEvent_t> e(S * R);
    int lo, hi;
    OK(cudaDeviceGetStreamPriorityRange(&lo, &hi));
    printf("priorities %d %d\n", lo, hi);
    for (int i = 0; i < S; i++) {
        OK(cudaStreamCreateWithPriority(&s[i], i % 2 ? cudaStreamNonBlocking : cudaStreamDefault,
                                        -(i % 7)));
        int p;
        unsigned f;
        OK(cudaStreamGetPriority(s[i], &p));
        OK(cudaStreamGetFlags(s[i], &f));
        printf("(%d %u) ", p, f);
    }
    puts("");
    for (auto &x : e)
        OK(cudaEventCreateWithFlags(&x, cudaEventDisableTiming));
    int *d;
    OK(cudaMalloc(&d, S * 4));
    int h[S];
    for (int i = 0; i < S; i++)
        h[i] = i;
    OK(cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice));
    for (int r = 0; r < R; r++)
        for (int i = 0; i < S; i++) {
            int j = (i * 5 + r) % S;
            if (j < i)
                OK(cudaStreamWaitEvent(s[i], e[r * S + j]));
            else if (r)
                OK(cudaStreamWaitEvent(s[i], e[(r - 1) * S + j]));
            if (r)
                for (int k = 0; k < S; k++)
                    OK(cudaStreamWaitEvent(s[i], e[(r - 1) * S + k]));
            step<<<1, 1, 0, s[i]>>>(d + i, d + (j < i ? j : i), r);
            OK(cudaEventRecord(e[r * S + i], s[i]));
            for (int k = 0; k < i; k++)
                OK(cudaStreamWaitEvent(s[i], e[r * S + k]));
            OK(cudaEventRecord(e[r * S + i], s[i]));
        }
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    for (int i = 0; i < S; i++)
        printf("%d ", h[i]);
    puts("");
    for (int i = 0; i < 8; i++)
        OK(cudaLaunchHostFunc(s[0], host, (void *)(size_t)i));
    OK(cudaStreamAddCallback(s[0], old, (void *)1, 0));
    OK(cudaStreamSynchronize(s[0]));
    for (int i = 0; i < nt.n; i++)
        printf("%d ", nt.order[i]);
    puts("");
    OK(cudaLaunchHostFunc(s[1], bad, d));
    OK(cudaStreamSynchronize(s[1]));
    for (cudaError_t c : inside)
        printf("%s ", cudaGetErrorName(c));
    puts("");
    printf("after: %s\n", cudaGetErrorName(cudaGetLastError()));
    cudaStreamAttrValue v = {}, w;
    v.accessPolicyWindow.base_ptr = d;
    v.accessPolicyWindow.num_bytes = 64;
    v.accessPolicyWindow.hitRatio = 0.5f;
    v.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    v.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
    printf("%s\n", cudaGetErrorName(
                       cudaStreamSetAttribute(s[2], cudaStreamAttributeAccessPolicyWindow, &v)));
    OK(cudaStreamGetAttribute(s[2], cudaStreamAttributeAccessPolicyWindow, &w));
    printf("%zu %g %d %d\n", w.accessPolicyWindow.num_bytes, w.accessPolicyWindow.hitRatio,
           (int)w.accessPolicyWindow.hitProp, (int)w.accessPolicyWindow.missProp);
    v.accessPolicyWindow.hitRatio = 2;
    printf("%s\n", cudaGetErrorName(
                       cudaStreamSetAttribute(s[2], cudaStreamAttributeAccessPolicyWindow, &v)));
    OK(cudaStreamCopyAttributes(s[3], s[2]));
    OK(cudaStreamGetAttribute(s[3], cudaStreamAttributeAccessPolicyWindow, &w));
    printf("%zu\n", w.accessPolicyWindow.num_bytes);
    v = {};
    v.priority = -3;
    printf("%s ", cudaGetErrorName(cudaStreamSetAttribute(s[4], cudaStreamAttributePriority, &v)));
    int p;
    OK(cudaStreamGetPriority(s[4], &p));
    printf("%d\n", p);
    v.syncPolicy = cudaSyncPolicyYield;
    printf("%s\n", cudaGetErrorName(
                       cudaStreamSetAttribute(s[4], cudaStreamAttributeSynchronizationPolicy, &v)));
    for (int a = 0; a < 20; a++) {
        cudaStreamAttrValue z = {};
        memset(&z, 0, sizeof z);
        cudaError_t g = cudaStreamGetAttribute(s[5], (cudaStreamAttrID)a, &z);
        cudaError_t t = a == 3 ? g : cudaStreamSetAttribute(s[5], (cudaStreamAttrID)a, &z);
        printf("%d:%d/%d ", a, (int)g, (int)t);
    }
    puts("");
    cudaGetLastError();
    cudaEvent_t t0, t1;
    OK(cudaEventCreate(&t0));
    OK(cudaEventCreate(&t1));
    OK(cudaEventRecord(t0, s[0]));
    for (int i = 0; i < 100; i++)
        step<<<1, 1, 0, s[0]>>>(d, d, 1);
    OK(cudaEventRecord(t1, s[0]));
    TRY(cudaEventSynchronize(t1));
    TRY(cudaEventQuery(t1));
    float ms;
    OK(cudaEventElapsedTime(&ms, t0, t1));
    printf("positive %d; ", ms > 0);
    OK(cudaEventElapsedTime(&ms, t1, t0));
    printf("negative %d\n", ms < 0);
    for (auto x : s)
        OK(cudaStreamDestroy(x));
    for (auto x : e)
        OK(cudaEventDestroy(x));
    printf("destroyed: %s\n", cudaGetErrorName(cudaGetLastError()));
    return 0;
}
