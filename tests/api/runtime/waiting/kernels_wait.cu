// Kernels of several streams, and the host, that wait for one another make progress, whichever is
// launched or waited for first, with any number of host threads of the emulator.
// flags: -arch=sm_90
#include "check.h"
#include "thread_counts.h"

#include <cuda/atomic>
#include <functional>
#include <pthread.h>
#include <thread>
#include <unistd.h>

enum { ROUNDS = 20 };

__device__ int flag;

__global__ void wait_for(volatile int *f, int value)
{
    while (*f != value)
        ;
}

__global__ void set(volatile int *f, int value)
{
    *f = value;
}

// Two that take turns: each waits for its number and writes the other one's.
__global__ void take_turns(volatile int *f, int me)
{
    for (int k = 0; k < ROUNDS; k++) {
        while (*f != 2 * k + me)
            ;
        __threadfence_system();
        *f = 2 * k + me + 1;
    }
}

// Every block waits, and sleeps as libcu++ does.
__global__ void sleep_until(int *f, int value)
{
    cuda::atomic_ref<int, cuda::thread_scope_system> a(*f);
    while (a.load(cuda::memory_order_acquire) != value) {
        __nanosleep(100);
    }
}

static int *device_flag()
{
    int *f;
    OK(cudaGetSymbolAddress((void **)&f, flag));
    OK(cudaMemset(f, 0, 4));
    OK(cudaDeviceSynchronize());
    return f;
}

static void both_orders(cudaStream_t a, cudaStream_t b)
{
    for (int order = 0; order < 2; order++) {
        for (int waited = 0; waited < 2; waited++) {
            int *f = device_flag();
            order ? set<<<1, 1, 0, b>>>(f, 7) : wait_for<<<4, 64, 0, a>>>(f, 7);
            order ? wait_for<<<4, 64, 0, a>>>(f, 7) : set<<<1, 1, 0, b>>>(f, 7);
            OK(cudaStreamSynchronize(waited ? a : b));
            OK(cudaDeviceSynchronize());
        }
    }
}

static void chain_of_three(cudaStream_t a, cudaStream_t b, cudaStream_t c)
{
    int *f = device_flag();
    take_turns<<<1, 1, 0, a>>>(f, 0);
    take_turns<<<1, 1, 0, b>>>(f, 1);
    wait_for<<<200, 32, 0, c>>>(f, 2 * ROUNDS);
    OK(cudaDeviceSynchronize());
}

static void with_events(cudaStream_t a, cudaStream_t b)
{
    // What the setter comes after is done first.
    int *f = device_flag(), *other, host = 0;
    cudaEvent_t e;
    OK(cudaMalloc(&other, 4));
    OK(cudaEventCreate(&e));
    set<<<1, 1, 0, b>>>(other, 5);
    OK(cudaMemcpyAsync(&host, other, 4, cudaMemcpyDeviceToHost, b));
    OK(cudaEventRecord(e, b));
    set<<<1, 1, 0, b>>>(f, 3);
    wait_for<<<1, 1, 0, a>>>(f, 3);
    OK(cudaStreamSynchronize(a));
    OK(cudaStreamSynchronize(b));
    CHECK(host == 5);
    OK(cudaEventDestroy(e));
    OK(cudaFree(other));
}

// The setter comes from another host thread, while the first one waits already.
static void later_from_a_thread()
{
    int *f = device_flag();
    std::thread setter([=] {
        cudaStream_t s;
        usleep(100000);
        OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
        set<<<1, 1, 0, s>>>(f, 9);
        OK(cudaStreamSynchronize(s));
        OK(cudaStreamDestroy(s));
    });
    sleep_until<<<4, 32, 0, cudaStreamPerThread>>>(f, 9);
    OK(cudaStreamSynchronize(cudaStreamPerThread));
    setter.join();
}

// A host that only asks whether the kernel has ended sets what it waits for.
static void while_the_host_asks(cudaStream_t a)
{
    int *f;
    OK(cudaMallocManaged(&f, 4));
    *f = 0;
    wait_for<<<4, 32, 0, a>>>(f, 1);
    for (int asked = 0; cudaStreamQuery(a) == cudaErrorNotReady; asked++) {
        *(volatile int *)f = asked >= 5;
    }
    OK(cudaDeviceSynchronize());
    OK(cudaFree(f));
}

// A host function waits for a kernel of another stream, launched before it or after it; another one
// for a host function.
static void in_host_functions(cudaStream_t a, cudaStream_t b)
{
    int *f;
    OK(cudaMallocManaged(&f, 4));
    const cudaHostFn_t wait = [](void *p) {
        while (*(volatile int *)p != 1)
            ;
    };
    const cudaHostFn_t write = [](void *p) { *(volatile int *)p = 1; };
    for (int order = 0; order < 4; order++) {
        *(volatile int *)f = 0;
        for (int part = 0; part < 2; part++) {
            if (part == order % 2) {
                OK(cudaLaunchHostFunc(a, wait, f));
            } else if (order < 2) {
                set<<<1, 1, 0, b>>>(f, 1);
            } else {
                OK(cudaLaunchHostFunc(b, write, f));
            }
        }
        OK(cudaStreamSynchronize(a));
        CHECK(*(volatile int *)f == 1);
        OK(cudaDeviceSynchronize());
    }
    OK(cudaFree(f));
}

// Nobody waits for a host function that waits for a kernel of another stream.
static void in_a_host_function_unwaited(cudaStream_t a, cudaStream_t b)
{
    volatile int *f;
    OK(cudaMallocManaged((void **)&f, 8));
    f[0] = f[1] = 0;
    set<<<1, 1, 0, b>>>(f, 1);
    OK(cudaLaunchHostFunc(
        a,
        [](void *p) {
            volatile int *f = (volatile int *)p;
            while (f[0] != 1)
                ;
            f[1] = 2;
        },
        (void *)f));
    while (f[1] != 2)
        ;
    OK(cudaDeviceSynchronize());
    OK(cudaFree((void *)f));
}

static int all()
{
    cudaStream_t s[3];
    for (auto &one : s) {
        OK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
    }
    both_orders(s[0], s[1]);
    chain_of_three(s[0], s[1], s[2]);
    with_events(s[0], s[1]);
    later_from_a_thread();
    while_the_host_asks(s[0]);
    in_host_functions(s[0], s[1]);
    in_a_host_function_unwaited(s[0], s[1]);
    return print_failures();
}

int main()
{
    return with_thread_counts(all);
}
