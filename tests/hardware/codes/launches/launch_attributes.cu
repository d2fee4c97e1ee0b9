/* Launches with attributes: clusters, cooperation, priorities, events, programmatic order. */
#include "try.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(int *p, int v)
{
    if (!threadIdx.x)
        atomicAdd(p, v + blockIdx.x);
}
__global__ void __cluster_dims__(2, 1, 1) kc(int *p, int v)
{
    auto c = cg::this_cluster();
    if (!threadIdx.x)
        atomicAdd(p + c.block_rank(), v);
    c.sync();
}
__global__ void kd(int *p, int v)
{
    auto c = cg::this_cluster();
    if (!threadIdx.x)
        p[blockIdx.x] = c.num_blocks() * 100 + c.block_rank();
}
__global__ void coop(int *p, int v)
{
    auto g = cg::this_grid();
    if (!threadIdx.x)
        atomicAdd(p, 1);
    g.sync();
    if (g.thread_rank() == 0)
        p[1] = p[0] * v;
}
__global__ void dep(int *p, int v)
{
    cudaGridDependencySynchronize();
    if (!threadIdx.x)
        p[5] = p[0] + v;
    cudaTriggerProgrammaticLaunchCompletion();
}
struct big {
    int a[900];
};
__global__ void lots(big b, int *o)
{
    int s = 0;
    for (int i = threadIdx.x; i < 900; i += 32)
        s += b.a[i];
    atomicAdd(o, s);
}
template <class F>
static cudaError_t go(F f, dim3 g, dim3 b, std::vector<cudaLaunchAttribute> at, int *p, int v,
                      size_t sm = 0, cudaStream_t s = 0)
{
    cudaLaunchConfig_t c = {};
    c.gridDim = g;
    c.blockDim = b;
    c.dynamicSmemBytes = sm;
    c.stream = s;
    c.attrs = at.data();
    c.numAttrs = at.size();
    return cudaLaunchKernelEx(&c, f, p, v);
}
static cudaLaunchAttribute A(cudaLaunchAttributeID id)
{
    cudaLaunchAttribute a;
    memset(&a, 0, sizeof a);
    a.id = id;
    return a;
}
static void show(int *p)
{
    int h[8];
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(h, p, 32, cudaMemcpyDeviceToHost));
    for (int x : h)
        printf("%d ", x);
    puts("");
    OK(cudaMemset(p, 0, 32));
}
int main()
{
    int *p;
    OK(cudaMalloc(&p, 4096));
    OK(cudaMemset(p, 0, 4096));
    TRY(go(k, 4, 32, {}, p, 3));
    show(p);
    auto cl = A(cudaLaunchAttributeClusterDimension);
    cl.val.clusterDim.x = 4;
    cl.val.clusterDim.y = cl.val.clusterDim.z = 1;
    TRY(go(kd, 8, 32, {cl}, p, 1));
    show(p);
    TRY(go(kd, 6, 32, {cl}, p, 1));
    TRY(go(kc, 8, 32, {}, p, 1));
    show(p);
    TRY(go(kc, 8, 32, {cl}, p, 1));
    show(p);
    cl.val.clusterDim.x = 2;
    TRY(go(kc, 8, 32, {cl}, p, 1));
    show(p);
    TRY(go(kc, 7, 32, {}, p, 1));
    cl.val.clusterDim.x = 16;
    TRY(go(kd, 16, 32, {cl}, p, 1));
    OK(cudaFuncSetAttribute(kd, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    TRY(go(kd, 16, 32, {cl}, p, 1));
    show(p);
    cl.val.clusterDim.x = 0;
    TRY(go(kd, 16, 32, {cl}, p, 1));
    auto co = A(cudaLaunchAttributeCooperative);
    co.val.cooperative = 1;
    TRY(go(coop, 8, 64, {co}, p, 5));
    show(p);
    TRY(go(coop, 100000, 64, {co}, p, 5));
    auto pr = A(cudaLaunchAttributePriority);
    pr.val.priority = -2;
    TRY(go(k, 2, 32, {pr}, p, 1));
    show(p);
    auto ps = A(cudaLaunchAttributeProgrammaticStreamSerialization);
    ps.val.programmaticStreamSerializationAllowed = 1;
    TRY(go(k, 2, 32, {}, p, 1));
    TRY(go(dep, 2, 32, {ps}, p, 100));
    show(p);
    cudaEvent_t e;
    OK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    auto pe = A(cudaLaunchAttributeProgrammaticEvent);
    pe.val.programmaticEvent.event = e;
    TRY(go(dep, 2, 32, {pe}, p, 7));
    TRY(cudaEventSynchronize(e));
    show(p);
    auto lc = A(cudaLaunchAttributeLaunchCompletionEvent);
    lc.val.launchCompletionEvent.event = e;
    TRY(go(k, 2, 32, {lc}, p, 7));
    TRY(cudaEventSynchronize(e));
    show(p);
    auto md = A(cudaLaunchAttributeMemSyncDomain);
    md.val.memSyncDomain = cudaLaunchMemSyncDomainRemote;
    TRY(go(k, 2, 32, {md}, p, 7));
    show(p);
    auto ca = A(cudaLaunchAttributePreferredSharedMemoryCarveout);
    ca.val.sharedMemCarveout = 50;
    TRY(go(k, 2, 32, {ca}, p, 7));
    show(p);
    ca.val.sharedMemCarveout = 500;
    TRY(go(k, 2, 32, {ca}, p, 7));
    auto ap = A(cudaLaunchAttributeAccessPolicyWindow);
    TRY(go(k, 2, 32, {ap}, p, 7));
    for (int id = 0; id < 24; id++) {
        auto x = A((cudaLaunchAttributeID)id);
        fflush(stdout);
        printf("%d:%d ", id, (int)go(k, 2, 32, {x}, p, 1));
        cudaGetLastError();
    }
    puts("");
    show(p);
    TRY(go(k, 0, 32, {}, p, 7));
    TRY(go(k, 1, 32, {}, p, 7, 200000));
    TRY(go(k, 1, 3200, {}, p, 7));
    big b;
    for (int i = 0; i < 900; i++)
        b.a[i] = i;
    lots<<<1, 32>>>(b, p);
    show(p);
    int nc;
    cudaLaunchConfig_t oc = {};
    oc.gridDim = dim3(16);
    oc.blockDim = dim3(128);
    cl.val.clusterDim.x = 4;
    oc.attrs = &cl;
    oc.numAttrs = 1;
    TRY(cudaOccupancyMaxActiveClusters(&nc, kd, &oc));
    printf("%d\n", nc);
    TRY(cudaOccupancyMaxPotentialClusterSize(&nc, kd, &oc));
    printf("%d\n", nc);
    void *args[] = {&p, &nc};
    TRY(cudaLaunchCooperativeKernel((void *)k, dim3(4), dim3(32), args, 0, 0));
    TRY(cudaLaunchCooperativeKernel((void *)coop, dim3(4000), dim3(1024), args, 0, 0));
    TRY(cudaDeviceSynchronize());
    return 0;
}
