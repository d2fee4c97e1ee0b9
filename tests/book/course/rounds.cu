// What tests/book/course/run-rounds runs as on a GPU: two kernels in rounds, one that is not measured as
// its check failed, and shares of time.
#include "lab.h"

__global__ void one(float *out, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = 1;
}

__global__ void two(float *out, int n)
{
    for (int k = 0; k < 2; k++)
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
            out[i] = out[i] + 2;
}

__global__ void wrong(float *out)
{
    *out = 3;
}

int main(void)
{
    lab_begin("rounds");
    int n = (int)lab_elements(1 << 16, 1 << 16);
    lab_array<float> out(n, LAB_POISON);
    LAB_CHECK_AT("wrong", 1)
        lab_require(false, "it is wrong");
    LAB_CHECK_AT("share", n) {
        auto half = [&] { one<<<8, 256>>>(out.device, n); };
        auto whole = [&] { one<<<8, 256>>>(out.device, n), one<<<8, 256>>>(out.device, n); };
        lab_between(lab_time_percent(half, whole), 20, 80, "half in percent of the whole", "half");
    }
    LAB_CHECK_AT("too_long", n) {
        auto work = [&] { one<<<8, 256>>>(out.device, n); };
        lab_between(lab_time_percent(work, work), 0, 50, "the same in percent of itself", "100");
    }
    LAB_MEASURE("one/before", n, 4.0 * n)
        one<<<8, 256>>>(out.device, n);
    LAB_ROUNDS {
        LAB_MEASURE("one", n, 4.0 * n)
            one<<<8, 256>>>(out.device, n);
        LAB_MEASURE("wrong", n, 4.0 * n)
            wrong<<<1, 1>>>(out.device);
        LAB_SWEEP("two", 8, n, 8.0 * n)
            two<<<8, 256>>>(out.device, n);
    }
    LAB_MEASURE("one/after", n, 4.0 * n)
        one<<<8, 256>>>(out.device, n);
    return lab_end();
}
