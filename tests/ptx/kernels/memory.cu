// nvcc: -arch=sm_80
struct wide { double2 a; int4 b; };
__device__ wide box = {{1, 2}, {3, 4, 5, 6}};
__device__ const char text[2][6] = {"abc", "defgh"};
__device__ const char *const lines[3] = {"one", "two", text[1]};
__constant__ short grid[2][3] = {{1, -2, 3}, {4, 5}};
__managed__ float shared_by_all = 1.5f;
template <typename T> __global__ void move(T *o, const T *__restrict__ i) { o[threadIdx.x] = i[threadIdx.x + 1]; }
template __global__ void move<float4>(float4 *, const float4 *); template __global__ void move<double2>(double2 *, const double2 *); template __global__ void move<uchar4>(uchar4 *, const uchar4 *); template __global__ void move<short2>(short2 *, const short2 *); template __global__ void move<char>(char *, const char *); template __global__ void move<ulonglong2>(ulonglong2 *, const ulonglong2 *);
__global__ void caches(float *o, const float *i, volatile int *v, int n)
{
    int local[40]; for (int k = 0; k < n; k++) local[(k * 7) % 40] = v[k]; o[9] = local[n];
    o[0] = __ldg(i); o[1] = __ldcg(i + 1); o[2] = __ldcs(i + 2); o[3] = __ldca(i + 3); o[4] = __ldlu(i + 4); o[5] = __ldcv(i + 5); __stcg(o + 6, 1.f); __stcs(o + 7, 2.f); __stwt(o + 8, 3.f); __stwb(o + 10, 4.f);
    v[3] = v[2]; o[11] = grid[n][1] + box.b.z + lines[n][2] + shared_by_all; shared_by_all = n; o[12] = __isShared(o) + __isGlobal(i) + __isConstant(o) + __isLocal(o); o[13] = __cvta_generic_to_shared(o); asm volatile("prefetch.global.L2 [%0]; prefetchu.L1 [%0]; prefetch.global.L2::evict_last [%0];" ::"l"(i));
    int *heap = (int *)alloca(n); heap[n / 2] = n; o[14] = heap[n / 3];
}
