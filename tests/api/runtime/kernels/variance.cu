// twice
// Programs that repeat a measurement print its variance, often as the mean of the squares less the
// square of the mean. Where all times were equal, rounding would make that negative, and its root
// no number.
#include "check.h"

#include <cmath>
#include <vector>

#define BLOCKS  2 /* what is measured is how long a thread takes, not how many there are */
#define THREADS 64

__global__ void work(float *x, int times)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float y = x[i];
    for (int k = 0; k < times; k++)
        y = y * 0.999f + 1;
    x[i] = y;
}

static cudaEvent_t start, stop;

template <class Between> static std::vector<float> measured(int count, float *x, int times, Between between)
{
    std::vector<float> ms(count);
    for (float &each : ms) {
        OK(cudaEventRecord(start));
        work<<<BLOCKS, THREADS>>>(x, times);
        OK(cudaEventRecord(stop));
        OK(cudaEventSynchronize(stop));
        OK(cudaEventElapsedTime(&each, start, stop));
        between();
    }
    return ms;
}

/* The usual ways: at once, and after the mean is known; UNIT 1 for ms, 1e3 for us. */
template <class Real> static Real at_once(const std::vector<float> &ms, Real unit)
{
    Real sum = 0, squares = 0, n = (Real)ms.size();
    for (float each : ms) {
        sum += each * unit;
        squares += each * unit * (each * unit);
    }
    return squares / n - sum / n * (sum / n);
}

template <class Real> static Real running(const std::vector<float> &ms, Real unit)
{
    Real mean = 0, squares = 0, k = 0;
    for (float each : ms) {
        Real x = each * unit, off = x - mean;
        mean += off / ++k;
        squares += off * (x - mean);
    }
    return squares / k;
}

template <class Real> static void look_at(const std::vector<float> &ms, const char *what)
{
    for (Real unit : {(Real)1, (Real)1000}) {
        Real v[] = {at_once<Real>(ms, unit), running<Real>(ms, unit)};
        for (Real each : v) {
            printf("%s: variance %.3g, deviation %.3g\n", what, (double)each, (double)std::sqrt(each));
            CHECK(each > 0);
            CHECK(std::sqrt(each) < 0.01 * ms[0] * unit);
        }
    }
}

int main()
{
    float *x;
    OK(cudaMalloc(&x, BLOCKS * THREADS * sizeof *x));
    OK(cudaMemset(x, 0, BLOCKS * THREADS * sizeof *x));
    OK(cudaEventCreate(&start));
    OK(cudaEventCreate(&stop));
    measured(1, x, 1, [] {});
    for (int times : {1, 100, 1000, 10000})
        for (int count : {3, 10, 20, 50}) {
            std::vector<float> ms = measured(count, x, times, [] {});
            look_at<float>(ms, "float");
            look_at<double>(ms, "double");
            ms = measured(count, x, times, [&] { OK(cudaMemset(x, 0, 4)); });
            look_at<float>(ms, "float, more between");
            look_at<double>(ms, "double, more between");
        }

    /* A time is never negative, and none where there is nothing in between. */
    for (int k = 0; k < 100; k++) {
        float ms;
        OK(cudaEventRecord(start));
        OK(cudaEventRecord(stop));
        OK(cudaEventSynchronize(stop));
        OK(cudaEventElapsedTime(&ms, start, stop));
        CHECK(ms > 0);
        OK(cudaEventElapsedTime(&ms, start, start));
        CHECK(ms == 0);
    }
    return print_failures();
}
