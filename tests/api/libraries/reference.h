/* What the programs about libcublas share: values, guarded arrays on the device, references as long
 * double. */
#pragma once

#include "check.h"

#include <cmath>
#include <cstring>
#include <cublas_v2.h>
#include <cuda_fp16.h>
#include <vector>

#define DONE(expr) GIVES(CUBLAS_STATUS_SUCCESS, expr)
#define GIVES(want, expr)                                                         \
    do {                                                                          \
        cublasStatus_t got_ = (expr);                                             \
        if (got_ != (want)) {                                                     \
            failures++;                                                           \
            printf("%s:%d: %s gave %s, expected %s\n", __FILE__, __LINE__, #expr, \
                   cublasGetStatusName(got_), cublasGetStatusName(want));         \
        }                                                                         \
    } while (0)

typedef long double real;

template <typename T>
struct traits; /* half an ulp of 1, and the least value that is no longer rounded so */
template <> struct traits<float> {
    static constexpr real eps = 0x1p-24L, least = 0x1p-149L;
};
template <> struct traits<double> {
    static constexpr real eps = 0x1p-53L, least = 0x1p-1074L;
};
template <> struct traits<__half> {
    static constexpr real eps = 0x1p-11L, least = 0x1p-24L;
};

static real value(float v) { return v; }
static real value(double v) { return v; }
static real value(__half v) { return __half2float(v); }
template <typename T> T as(double v) { return (T)v; }
template <> __half as(double v) { return __float2half((float)v); }

static unsigned seed = 1;
template <typename T> T random_value()
{
    seed = seed * 1664525u + 1013904223u;
    return as<T>(ldexp((double)(int)(seed >> 8), -23) - 1);
}

/* COUNT values on the host and the device. All others are NaNs: who reads them has one in the
 * result. */
template <typename T> struct array {
    std::vector<T> host;
    T *device;
    explicit array(size_t count) : host(count, as<T>(NAN))
    {
        OK(cudaMalloc(&device, count * sizeof(T)));
    }
    ~array() { cudaFree(device); }
    void push()
    {
        OK(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
    }
    std::vector<T> pull()
    {
        std::vector<T> got(host.size());
        OK(cudaDeviceSynchronize());
        OK(cudaMemcpy(got.data(), device, got.size() * sizeof(T), cudaMemcpyDeviceToHost));
        return got;
    }
};

/* A scalar where the pointer mode of the handle wants it. */
template <typename T> struct scalar {
    T host, *device;
    bool on_device;
    scalar(cublasHandle_t h, double v) : host(as<T>(v))
    {
        cublasPointerMode_t mode;
        DONE(cublasGetPointerMode(h, &mode));
        on_device = mode == CUBLAS_POINTER_MODE_DEVICE;
        OK(cudaMalloc(&device, sizeof(T)));
        OK(cudaMemcpy(device, &host, sizeof(T), cudaMemcpyHostToDevice));
    }
    ~scalar() { cudaFree(device); }
    T *at() { return on_device ? device : &host; }
    T get()
    {
        T v = host;
        if (on_device)
            OK(cudaMemcpy(&v, device, sizeof(T), cudaMemcpyDeviceToHost));
        return v;
    }
};

/* A value is as far from its reference as BOUND at most. The worst share of a bound is printed at
 * the end. */
static real worst;
static bool near(real got, real want, real bound)
{
    if (std::isnan(got) || fabsl(got - want) > bound)
        return false;
    if (bound > 0)
        worst = fmaxl(worst, fabsl(got - want) / bound);
    return true;
}
