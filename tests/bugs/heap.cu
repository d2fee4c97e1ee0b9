// Mistakes with memory of malloc() in kernels, one an argument: see host.cu for the marks.
#include <cstdio>
#include <cstdlib>
#include <cstring>

enum { N = 64 };
__device__ int *kept[2];
__device__ int *of_thread[N];
__device__ int result[N];

__global__ void one_past_the_end(int n)
{
    int *p = (int *)malloc(n * sizeof *p);
    for (int k = 0; k <= n; k++)
        p[k] = k; // BUG one_past_the_end memory
    result[threadIdx.x] = p[n / 2];
    free(p);
}

__global__ void bytes_for_elements(int n)
{
    float *p = (float *)malloc(n);
    for (int k = 0; k < n; k++)
        p[k] = 1; // BUG bytes_for_elements memory
    result[threadIdx.x] = p[0] != 0;
    free(p);
}

__global__ void read_past_the_end(int n)
{
    int *p = (int *)malloc(n * sizeof *p), sum = 0;
    for (int k = 0; k < n; k++)
        p[k] = k;
    for (int k = 0; k < n; k++)
        sum += p[k + 1]; // BUG read_past_the_end memory
    result[threadIdx.x] = sum;
    free(p);
}

__global__ void long_after_its_end(int n)
{
    char *p = (char *)malloc(n);
    p[8 * n] = 1; // BUG long_after_its_end memory
    p[0] = 2;
    result[threadIdx.x] = p[0];
    free(p);
}

__global__ void written_after_free(int n)
{
    int *p = (int *)malloc(n * sizeof *p);
    p[0] = n;
    result[threadIdx.x] = p[0];
    free(p); // SEE written_after_free memory
    p[1] = 2; // BUG written_after_free memory
}

__global__ void read_after_free(int n)
{
    int *p = (int *)malloc(n * sizeof *p);
    for (int k = 0; k < n; k++)
        p[k] = k;
    free(p); // SEE read_after_free memory
    result[threadIdx.x] = p[n / 2]; // BUG read_after_free memory
}

__global__ void freed_by_another(int n)
{
    if (threadIdx.x == 0) {
        kept[0] = (int *)malloc(N * sizeof(int));
        free(kept[0]); // SEE freed_by_another memory
    }
    __syncthreads();
    kept[0][threadIdx.x] = n; // BUG freed_by_another memory
}

__global__ void use_and_free(int n)
{
    kept[1] = (int *)malloc(n * sizeof(int));
    kept[1][0] = n;
    free(kept[1]);
}
__global__ void freed_by_an_earlier_launch(int n)
{
    atomicAdd(&kept[1][0], n); // BUG freed_by_an_earlier_launch memory
}

// --- right

__global__ void fine_list_of_each(int n)
{
    int *p = (int *)malloc(n * sizeof *p), sum = 0;
    if (!p)
        return;
    for (int k = 0; k < n; k++)
        p[k] = k;
    for (int k = 0; k < n; k++)
        sum += p[k];
    result[threadIdx.x] = sum;
    free(p);
}

__global__ void fine_odd_sizes(int n)
{
    for (int k = 1; k < n; k++) {
        char *p = (char *)malloc(k);
        memset(p, 1, k);
        result[threadIdx.x] = p[k - 1];
        free(p);
    }
}

// Much more in all than the heap has: freed memory must be used again in the end.
__global__ void fine_again_and_again(int n)
{
    for (int k = 0; k < n; k++) {
        int *p = (int *)malloc(1 << 20);
        if (p) {
            p[k] = k;
            result[threadIdx.x % N] = p[k];
            free(p);
        }
    }
}

__global__ void fine_given_on(int n)
{
    of_thread[threadIdx.x] = (int *)malloc(n * sizeof(int));
    of_thread[threadIdx.x][n - 1] = n;
}
__global__ void fine_given_on_end(int n)
{
    int *p = of_thread[blockDim.x - 1 - threadIdx.x];
    result[threadIdx.x] = p[n - 1];
    free(p);
}

__global__ void fine_new_and_delete(int n)
{
    int *p = new int[n];
    double *q = new double;
    p[n - 1] = n;
    *q = p[n - 1];
    result[threadIdx.x] = (int)*q;
    delete q;
    delete[] p;
}

__global__ void fine_none(int n) // kernels without malloc() after those that have it
{
    result[threadIdx.x] = n;
}

// As many allocations as an H200 has no memory for (there 3778 of 1024 bytes in 8 MB).
__global__ void heap_is_full(int n)
{
    for (int k = 0; k < n; k++) {
        char *p = (char *)malloc(1024);
        *p = 1; // BUG heap_is_full fault
    }
}

__global__ void fine_heap_is_full(int n)
{
    for (int k = 0; k < n; k++) {
        char *p = (char *)malloc(1024);
        if (p)
            atomicAdd(&result[0], 1);
        free(k % 2 ? p : NULL);
    }
}

#define CASES(X)                                                                                   \
    X(one_past_the_end, 10) X(bytes_for_elements, 10) X(read_past_the_end, 10)                     \
    X(long_after_its_end, 100) X(written_after_free, 10) X(read_after_free, 10)                    \
    X(freed_by_another, 3) X(use_and_free, 0) X(freed_by_an_earlier_launch, 1)                     \
    X(heap_is_full, 100) X(fine_heap_is_full, 200)                                                 \
    X(fine_list_of_each, 10) X(fine_odd_sizes, 40) X(fine_again_and_again, 30)                     \
    X(fine_given_on, 7) X(fine_given_on_end, 7) X(fine_new_and_delete, 9) X(fine_none, 1)

// Launch the kernel of a case, and those around it that it needs.
static void launch(const char *name)
{
    const bool alone = strstr(name, "again_and_again");
    if (strcmp(name, "freed_by_an_earlier_launch") == 0)
        use_and_free<<<1, 1>>>(4);
#define RUN(kernel, n)                                                                             \
    if (strcmp(name, #kernel) == 0)                                                                \
        kernel<<<1, alone ? 1 : N>>>(n);
    CASES(RUN)
    if (strcmp(name, "fine_given_on") == 0)
        fine_given_on_end<<<1, N>>>(7);
}

int main(int argc, char **argv)
{
    for (int k = 1; k < argc; k++)
        if (strcmp(argv[k], "fine_given_on_end"))
            launch(argv[k]);
    cudaError_t e = cudaDeviceSynchronize();
    if (e != cudaSuccess)
        printf("%s\n", cudaGetErrorName(e));
    return 0;
}
