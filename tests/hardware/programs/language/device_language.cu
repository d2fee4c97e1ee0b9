// What C++ offers inside a kernel: recursion, function pointers, virtual functions, new and delete,
// malloc and free, templates with many arguments, lambdas, printf of all kinds, local arrays.
#include <cassert>
#include <cstdio>

__device__ int fib(int n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

__device__ int queens(int n, unsigned columns, unsigned left, unsigned right)
{
    unsigned all = (1u << n) - 1;
    if (columns == all)
        return 1;
    int found = 0;
    for (unsigned free = all & ~(columns | left | right); free; free &= free - 1) {
        unsigned bit = free & -free;
        found += queens(n, columns | bit, (left | bit) << 1, (right | bit) >> 1);
    }
    return found;
}

typedef float (*operation)(float, float);
__device__ float plus(float a, float b)
{
    return a + b;
}
__device__ float times(float a, float b)
{
    return a * b;
}
__device__ float power(float a, float b)
{
    return powf(a, b);
}
__device__ operation operations[] = {plus, times, power};

struct Shape {
    __device__ virtual ~Shape() {}
    __device__ virtual float area() const = 0;
};
struct Square : Shape {
    float side;
    __device__ Square(float s) : side(s) {}
    __device__ float area() const override
    {
        return side * side;
    }
};
struct Circle : Shape {
    float radius;
    __device__ Circle(float r) : radius(r) {}
    __device__ float area() const override
    {
        return 3.14159274f * radius * radius;
    }
};

struct Node {
    int value;
    Node *next;
};

template <typename... Ts> __device__ auto total(Ts... xs)
{
    return (xs + ...);
}

union Bits {
    float f;
    unsigned u;
    struct {
        unsigned fraction : 23, exponent : 8, sign : 1;
    } parts;
};

__global__ void kernel(int *out, float *areas)
{
    int i = threadIdx.x;
    out[i] = fib(i % 12) + queens(4 + i % 4, 0, 0, 0) * 1000;
    areas[i] = operations[i % 3](i, 2.0f);
    Shape *shape = i % 2 ? (Shape *)new Square(i) : (Shape *)new Circle(i);
    areas[i + 64] = shape->area();
    delete shape;
    Node *list = nullptr;
    for (int k = 0; k <= i; k++) {
        Node *node = (Node *)malloc(sizeof *node);
        assert(node);
        *node = {k * k, list};
        list = node;
    }
    int sum = 0;
    while (list) {
        Node *next = list->next;
        sum += list->value;
        free(list);
        list = next;
    }
    out[i + 64] = sum;
    int local[16];
    for (int k = 0; k < 16; k++)
        local[k] = k ^ i;
    int at = i;
    for (int k = 0; k < 10; k++)
        at = local[at & 15] + k;
    auto twice = [=](int x) { return 2 * x + at; };
    Bits bits;
    bits.f = i - 20.5f;
    out[i + 128] =
        twice(at) + total(1, 2.5, 3u, (long long)i) + bits.parts.exponent + bits.parts.sign * 7;
}

__global__ void prints()
{
    if (threadIdx.x == 0)
        printf("%d %5d|%-5d|%05d %+d %u %x %X %#o %c %s %% %p\n", 42, 42, 42, 42, 42, 42u, 0xbeef,
               0xbeef, 8, 'z', "text", (void *)0x1234);
    __syncwarp();
    if (threadIdx.x == 1)
        printf("%f %.3f %10.2e %g %G %a %lld %llu %hd %ld %i\n", 1.5, 2.0 / 3, 12345.678,
               1e-10, 1e20, 0.5, -1ll, ~0ull, (short)-3, 7l, -9);
    __syncwarp();
    if (threadIdx.x == 2)
        printf("no arguments\n");
}

int main()
{
    int *out;
    float *areas;
    cudaMallocManaged(&out, 192 * sizeof *out);
    cudaMallocManaged(&areas, 128 * sizeof *areas);
    cudaDeviceSetLimit(cudaLimitStackSize, 8192);
    kernel<<<1, 64>>>(out, areas);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    for (int i = 0; i < 64; i += 3)
        printf("%d %d %d %.6f %.6f\n", out[i], out[i + 64], out[i + 128], areas[i], areas[i + 64]);
    prints<<<1, 3>>>();
    cudaDeviceSynchronize();
    return 0;
}
