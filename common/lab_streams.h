/* Helpers for chapters about streams: a stream that is blocked on purpose, and a test for pinned
 * memory. */
#ifndef WARPBOOK_LAB_STREAMS_H
#define WARPBOOK_LAB_STREAMS_H

#include <atomic>

#include "lab_base.h"

enum {
    LAB_HOLD_MS = 1000, /* a stream is blocked for so many milliseconds at most */
    LAB_AGAIN_MS = 100, /* the same after the host has waited once, so that many sizes end soon */
};

struct lab_gate {             // a host function in a blocked stream waits until the gate is open
    std::atomic<bool> open;   /* lab_release was called */
    std::atomic<bool> forced; /* the stream was unblocked without that */
    std::atomic<bool> before; /* some stream was unblocked so */
};

static inline lab_gate &lab_held(void)
{
    static lab_gate gate;
    return gate;
}

static void lab_wait_at_gate(void *) // blocks a stream until the gate is open
{
    lab_gate &gate = lab_held();
    const int most = gate.before ? LAB_AGAIN_MS : LAB_HOLD_MS;
    for (int ms = 0; ms < most && !gate.open; ms++)
        usleep(1000);
    gate.forced = !gate.open;
    gate.before = gate.before || gate.forced;
}

/* Block STREAM: operations issued to it from now on wait for lab_release, so that work that does
 * not depend on it runs first. Only one stream can be blocked at a time. On a GPU the first launch
 * of a kernel loads it, which may wait for all streams: launch each kernel once before. */
static inline void lab_hold(cudaStream_t stream)
{
    lab_held().open = false;
    lab_held().forced = false;
    CUDA_CHECK(cudaLaunchHostFunc(stream, lab_wait_at_gate, NULL));
}

/* Wait a moment so that other work can run, unblock the stream, and wait for the device. Returns
 * false if the host waited for the blocked stream meanwhile; the stream was then unblocked after a
 * while. */
static inline bool lab_release(void)
{
    usleep(2000);
    lab_held().open = true;
    CUDA_CHECK(cudaDeviceSynchronize());
    return !lab_held().forced;
}

/* True: all N floats from P on are in page-locked host memory. */
static inline bool lab_pinned(const float *p, long n)
{
    cudaPointerAttributes first = {}, last = {};
    return p && n > 0 && cudaPointerGetAttributes(&first, p) == cudaSuccess &&
           cudaPointerGetAttributes(&last, p + n - 1) == cudaSuccess &&
           first.type == cudaMemoryTypeHost && last.type == cudaMemoryTypeHost;
}

/* False: PIN, which is called for N floats of its own, page-locks them by several calls. A copy
 * across the ranges of two calls is not asynchronous. */
template <class F> static bool lab_pins_at_once(F pin, long n)
{
    float *p = (float *)calloc(n, sizeof(float));
    cudaPointerAttributes last = {};
    bool began = p && pin(p, n) && cudaHostUnregister(p) == cudaSuccess;
    bool ended = !began || (cudaPointerGetAttributes(&last, p + n - 1) == cudaSuccess &&
                            last.type == cudaMemoryTypeUnregistered);
    (void)cudaGetLastError();
    if (began && ended) /* else some of it may still be page-locked */
        free(p);
    return ended;
}

/* Free page-locked host memory of either kind. Memory that cudaHostRegister page-locked is only
 * unlocked: how it was allocated is not known. */
static inline void lab_free_pinned(float *p)
{
    if (!p || cudaHostUnregister(p) == cudaSuccess)
        return;
    (void)cudaGetLastError(); /* it was not registered, but allocated page-locked */
    CUDA_CHECK(cudaFreeHost(p));
}

#endif
