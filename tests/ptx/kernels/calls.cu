// nvcc: -arch=sm_90
struct pair { float x; double y; int z[5]; };
typedef float (*unary)(float, const pair *);
static __device__ __noinline__ float first(float a, const pair *p) { return a * p->x; }
static __device__ __noinline__ float second(float a, const pair *p) { return a + (float)p->y; }
__device__ unary table[2] = {first, second};
__device__ int counter = 3, *where[2] = {&counter, 0};
static __device__ __noinline__ pair make(pair p, int i) { p.z[i % 5] += i; return p; }
static __device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__global__ void calls(float *out, pair p, int n)
{
    pair q = make(p, n);
    out[threadIdx.x] = table[n & 1](q.x, &q) + fibonacci(n) + *where[0] + q.z[n];
}
