// Host threads and kernels meet at libcu++'s latches, barriers and semaphores of system scope and at
// atomics that notify, in managed and in pinned memory: all pairs of sides, begun in either order.
// flags: -arch=sm_90
#include "check.h"
#include "thread_counts.h"

#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/semaphore>
#include <new>
#include <thread>
#include <unistd.h>

using latch = cuda::latch<cuda::thread_scope_system>;
using barrier = cuda::barrier<cuda::thread_scope_system>;
using semaphore = cuda::counting_semaphore<cuda::thread_scope_system>;
using number = cuda::atomic<int, cuda::thread_scope_system>;

struct latch_pair {
    latch l{2};
    template <int SIDE> __host__ __device__ void step() { l.arrive_and_wait(); }
};

struct barrier_pair {
    barrier b{2};
    template <int SIDE> __host__ __device__ void step()
    {
        for (int k = 0; k < 3; k++) {
            b.arrive_and_wait();
        }
    }
};

struct semaphore_pair {
    semaphore ping{0}, pong{0};
    template <int SIDE> __host__ __device__ void step()
    {
        for (int k = 0; k < 3; k++) {
            if (SIDE) {
                ping.acquire();
                pong.release();
            } else {
                ping.release();
                pong.acquire();
            }
        }
    }
};

struct atomic_pair {
    number n{0};
    template <int SIDE> __host__ __device__ void step()
    {
        for (int k = SIDE; k < 6; k += 2) {
            int seen;
            while ((seen = n.load(cuda::memory_order_acquire)) != k) {
                n.wait(seen);
            }
            n.store(k + 1, cuda::memory_order_release);
            n.notify_all();
        }
    }
};

template <int SIDE, class T> __global__ void on_device(T *object)
{
    object->template step<SIDE>();
}

template <int SIDE, class T> static std::thread begin(T *object, bool device)
{
    return std::thread([=] {
        if (!device) {
            object->template step<SIDE>();
            return;
        }
        cudaStream_t s;
        OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
        on_device<SIDE><<<1, 1, 0, s>>>(object);
        OK(cudaGetLastError());
        OK(cudaStreamSynchronize(s));
        OK(cudaStreamDestroy(s));
    });
}

// One thread launches all and does the host's part before it waits.
template <class T> static void from_one_thread(T *object, bool device)
{
    cudaStream_t s, t;
    OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    on_device<0><<<1, 1, 0, s>>>(object);
    if (device) {
        on_device<1><<<1, 1, 0, t>>>(object);
    } else {
        object->template step<1>();
    }
    OK(cudaDeviceSynchronize());
    OK(cudaStreamDestroy(s));
    OK(cudaStreamDestroy(t));
}

template <class T> static void try_all(bool managed)
{
    void *at;
    if (managed) {
        OK(cudaMallocManaged(&at, sizeof(T)));
    } else {
        OK(cudaMallocHost(&at, sizeof(T)));
    }
    for (int sides = 0; sides < 4; sides++) {
        for (int late = 0; late < 2; late++) {
            T *object = new (at) T;
            std::thread first, second;
            if (late) {
                second = begin<1>(object, sides & 2);
                usleep(2000);
                first = begin<0>(object, sides & 1);
            } else {
                first = begin<0>(object, sides & 1);
                second = begin<1>(object, sides & 2);
            }
            first.join();
            second.join();
        }
    }
    for (int device = 0; device < 2; device++) {
        from_one_thread(new (at) T, device);
    }
    OK(managed ? cudaFree(at) : cudaFreeHost(at));
}

static int all()
{
    for (int managed = 0; managed < 2; managed++) {
        try_all<latch_pair>(managed);
        try_all<barrier_pair>(managed);
        try_all<semaphore_pair>(managed);
        try_all<atomic_pair>(managed);
    }
    return print_failures();
}

int main()
{
    return with_thread_counts(all);
}
