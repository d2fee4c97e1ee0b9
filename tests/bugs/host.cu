// Mistakes of host code, one an argument. A line that is to be named bears "BUG case kind", the
// other side of it "SEE case kind". Cases "fine_..." are right and are told nothing.
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void fill(int *out, int value, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = value;
}

static int *buffer(int n)
{
    int *p;
    cudaMalloc(&p, n * sizeof *p); // BUG leak_in_function leak
    return p;
}

static void leak_device()
{
    int *p;
    cudaMalloc(&p, 1000); // BUG leak_device leak
}

static void leak_many()
{
    for (int k = 0; k < 3; k++) {
        void *p;
        cudaMallocHost(&p, 100); // BUG leak_many leak
    }
}

static void leak_array()
{
    cudaArray_t a;
    cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
    cudaMallocArray(&a, &d, 64, 64); // BUG leak_array leak
}

static void leak_async()
{
    void *p;
    cudaMallocAsync(&p, 256, 0); // BUG leak_async leak
    cudaDeviceSynchronize();
}

static void leak_before_reset()
{
    int *p;
    cudaMallocManaged(&p, 4096); // BUG leak_before_reset leak
    cudaDeviceReset();
}

static void leak_in_function() { buffer(10); }

static void leak_overwritten()
{
    int *p;
    cudaMalloc(&p, 400); // BUG leak_overwritten leak
    cudaMalloc(&p, 400);
    cudaFree(p);
}

static void free_twice()
{
    int *p = buffer(4);
    cudaFree(p); // SEE free_twice memory
    cudaFree(p); // BUG free_twice memory
}

static void free_twice_async()
{
    int *p;
    cudaMallocAsync(&p, 16, 0);
    cudaFreeAsync(p, 0); // SEE free_twice_async memory
    cudaFreeAsync(p, 0); // BUG free_twice_async memory
    cudaDeviceSynchronize();
}

static void free_inside()
{
    int *p = buffer(4);
    cudaFree(p + 1); // BUG free_inside memory
    cudaFree(p);
}

static void free_host_pointer()
{
    int x;
    cudaFree(&x); // BUG free_host_pointer memory
}

static void free_pinned_as_device()
{
    int *p;
    cudaMallocHost(&p, 64); // SEE free_pinned_as_device memory
    cudaFree(p);            // BUG free_pinned_as_device memory
    cudaFreeHost(p);
}

static void copy_too_much()
{
    int host[64] = {0}, *p;
    cudaMalloc(&p, 32 * sizeof(int));                         // SEE copy_too_much memory
    cudaMemcpy(p, host, sizeof host, cudaMemcpyHostToDevice); // BUG copy_too_much memory
    cudaFree(p);
}

static void copy_back_too_much()
{
    int host[64], *p = buffer(60);
    cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost); // BUG copy_back_too_much memory
    cudaFree(p);
}

static void copy_elements_for_bytes()
{
    int *p = buffer(64);
    cudaMemset(p + 1, 0, 64 * sizeof(int)); // BUG copy_elements_for_bytes memory
    cudaFree(p);
}

static void copy_freed()
{
    int host[4], *p = buffer(4);
    cudaFree(p);                                               // SEE copy_freed memory
    cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost); // BUG copy_freed memory
}

static void copy_wrong_way()
{
    int host[4] = {0}, *p = buffer(4);
    cudaMemcpy(p, host, sizeof host, cudaMemcpyDeviceToHost); // BUG copy_wrong_way memory
    cudaFree(p);
}

static void fill_host_memory()
{
    int host[4];
    cudaMemset(host, 0, sizeof host); // BUG fill_host_memory memory
}

static void error_of_launch()
{
    int *p = buffer(4);
    fill<<<1, 2048>>>(p, 1, 4); // BUG error_of_launch host
    cudaDeviceSynchronize();
    cudaFree(p);
}

static void error_of_shared()
{
    int *p = buffer(4);
    fill<<<1, 32, 1 << 20>>>(p, 1, 4); // BUG error_of_shared host
    cudaDeviceSynchronize();
    cudaFree(p);
}

static void error_of_grid()
{
    int *p = buffer(4);
    int n = 0;
    fill<<<n / 32, 32>>>(p, 1, n); // BUG error_of_grid host
    cudaDeviceSynchronize();
    cudaFree(p);
}

static void error_of_call()
{
    int *p = buffer(4), host[4] = {0};
    cudaMemcpy2D(p, 4, host, 4, 16, 2, cudaMemcpyHostToDevice); // BUG error_of_call host
    cudaFree(p);
}

static void error_of_stream()
{
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaStreamDestroy(s);
    cudaStreamSynchronize(s); // BUG error_of_stream host
}

static void unwaited_kernel()
{
    int *p = buffer(4);
    cudaFree(0);
    fill<<<1, 32>>>(p, 1, 4); // BUG unwaited_kernel host
}

static void unwaited_copy()
{
    int *p, *q = buffer(64);
    cudaMallocHost(&p, 256);
    cudaMemcpyAsync(p, q, 256, cudaMemcpyDeviceToHost); // BUG unwaited_copy host
}

static void fine_all_freed()
{
    int *p = buffer(100), *q, *r, host[100];
    cudaMallocHost(&q, 400);
    cudaMallocManaged(&r, 400);
    fill<<<4, 32>>>(p, 7, 100);
    cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(p);
    cudaFreeHost(q);
    cudaFree(r);
    cudaFree(NULL);
    printf("%d\n", host[99]);
}

static void fine_same_address_again()
{
    for (int k = 0; k < 3; k++) {
        int *p;
        cudaMallocAsync(&p, 512, 0);
        cudaFreeAsync(p, 0);
    }
    cudaDeviceSynchronize();
    for (int k = 0; k < 3; k++)
        cudaFree(buffer(10));
}

static void fine_error_asked()
{
    int *p = buffer(4), host[4] = {0};
    fill<<<1, 2048>>>(p, 1, 4);
    if (cudaGetLastError() != cudaSuccess)
        puts("asked");
    if (cudaMemcpy2D(p, 4, host, 4, 16, 2, cudaMemcpyHostToDevice) != cudaSuccess)
        printf("%s\n", cudaGetErrorString(cudaPeekAtLastError()));
    cudaFree(p);
}

static void fine_too_much_asked_for()
{
    void *p;
    if (cudaMalloc(&p, (size_t)1 << 60) != cudaSuccess)
        puts("less then");
    cudaStream_t s;
    cudaStreamCreate(&s);
    while (cudaStreamQuery(s) == cudaErrorNotReady)
        ;
    cudaStreamDestroy(s);
}

struct holder {
    int *p = NULL;
    ~holder() { cudaFree(p); }
} global;

static void fine_freed_by_destructor() { cudaMalloc(&global.p, 100); }

static void fine_exit_with_error()
{
    buffer(4);
    exit(1);
}

#define CASES(X)                                                                                   \
    X(leak_device) X(leak_many) X(leak_array) X(leak_async) X(leak_before_reset)                   \
    X(leak_in_function) X(leak_overwritten) X(free_twice) X(free_twice_async) X(free_inside)       \
    X(free_host_pointer) X(free_pinned_as_device) X(copy_too_much) X(copy_back_too_much)           \
    X(copy_elements_for_bytes) X(copy_freed) X(copy_wrong_way) X(fill_host_memory) X(error_of_launch) X(error_of_shared)                 \
    X(error_of_grid) X(error_of_call) X(error_of_stream) X(unwaited_kernel) X(unwaited_copy)       \
    X(fine_all_freed) X(fine_same_address_again) X(fine_error_asked) X(fine_too_much_asked_for)    \
    X(fine_freed_by_destructor) X(fine_exit_with_error)

int main(int argc, char **argv)
{
    for (int k = 1; k < argc; k++) {
#define RUN(name) if (strcmp(argv[k], #name) == 0) name();
        CASES(RUN)
    }
    return 0;
}
