// Virtual functions whose tables lie in this file and are used from all.
#include "shapes.h"

#include <cstdio>

static __device__ int hidden = 700;

__device__ int Shape::corners() const
{
    return 0;
}

struct Square : Shape {
    float side;
    __device__ Square(float s) : side(s) {}
    __device__ float area() const override { return side * side; }
    __device__ int corners() const override { return 4; }
};

struct Circle : Shape {
    float radius;
    __device__ Circle(float r) : radius(r) {}
    __device__ float area() const override { return 3.140625f * radius * radius; }
};

__device__ Shape *make_shape(int kind, float size)
{
    if (kind == 0) {
        return new Shape;
    }
    return kind == 1 ? (Shape *)new Square(size) : (Shape *)new Circle(size);
}

__global__ void areas(float *to, int *out)
{
    __shared__ int sum;
    if (threadIdx.x == 0) {
        sum = hidden;
    }
    __syncthreads();
    Shape *s = make_shape(threadIdx.x % 3, 1 + threadIdx.x);
    to[threadIdx.x] = s->area();
    atomicAdd(&sum, s->corners());
    delete s;
    __syncthreads();
    if (threadIdx.x == 0) {
        out[0] = sum;
        out[1] = tickets();
        out[2] = scaled(1);
        out[3] = plus_one(2.5) == 3.5;
        out[4] = ++counter;
    }
}

void shapes_run(int *d, float *f)
{
    fill<2><<<1, 8>>>(d);
    areas<<<1, 4>>>(f, d);
}
