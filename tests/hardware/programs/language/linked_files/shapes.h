// Declarations shared by the source files of this program.
#pragma once

struct Shape {
    __device__ virtual float area() const { return 0; }
    __device__ virtual int corners() const;
    __device__ virtual ~Shape() {}
};

__device__ Shape *make_shape(int kind, float size); // shapes.cu
__device__ int scaled(int x);                       // tables.cu
extern __device__ int counter;                      // tables.cu
extern __device__ float table[8];                   // tables.cu
extern __constant__ int factors[4];                 // tables.cu
extern __device__ int (*operation)(int);            // tables.cu, points into main.cu

// An inline function that each file compiles; the linked program has one copy of it, with one set
// of static variables.
__device__ inline __noinline__ int tickets()
{
    static __device__ int taken;
    return atomicAdd(&taken, 1);
}

template <class T> __device__ __noinline__ T plus_one(T x)
{
    return x + 1;
}

// Both source files launch the same instance of this template.
template <int N> __global__ void fill(int *to)
{
    to[threadIdx.x] = N * 100 + (int)threadIdx.x;
}

void shapes_run(int *d, float *f); // shapes.cu
void tables_run(int *d);           // tables.cu
