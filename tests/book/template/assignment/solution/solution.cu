// Assignment @N@: @TITLE@. Say in a sentence what the kernels do.
// Build and run: ./warpbook run @DIR@   or, with a GPU: nvcc -I ../../common lab.cu && ./a.out
#include "lab.h"

enum { THREADS = 256 }; // yours to choose
static_assert(THREADS % 32 == 0 && THREADS >= 32 && THREADS <= 1024, "1 to 32 warps");

// HELPERS: functions of your own, for the TODO regions below
// END HELPERS

// out[i] = factor * in[i] for 0 <= i < n.
__global__ void scale(float *out, const float *in, float factor, int n)
{
    // TODO 1 (about 3 lines): scale. A block has THREADS threads, the grid one thread per element.
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = factor * in[i];
    // END TODO 1
}

int main(void)
{
    const float factor = 0.5f; // a power of two: products are exact
    lab_begin("@DIR@");
    auto scale_all = [&](float *out, const float *in, int n) {
        scale<<<(n + THREADS - 1) / THREADS, THREADS>>>(out, in, factor, n);
    };

    LAB_CHECK("scale", n) {
        lab_array<float> in(n), out(n, LAB_POISON);
        scale_all(out.device, in.device, n);
        lab_expect(out, [&](long i) { return factor * in[i]; }, 0, "a half is exact");
    }

    int n = (int)lab_elements(1 << 22, 1 << 28);
    lab_array<float> in(n), out(n, LAB_POISON);
    LAB_ROUNDS {
        LAB_MEASURE("scale", n, 8.0 * n) // 4 bytes in and 4 bytes out an element
            scale_all(out.device, in.device, n);
    }

    LAB_GOAL("scale", "load_sectors_per_request", "at_least", 4, "lanes read side by side");
    LAB_GOAL("scale", "bytes_per_sector", "at_least", 24, "each sector is loaded and stored once");
    LAB_GOAL("scale", "busiest_warp", "at_most", 4, "all warps and blocks have their share");
    return lab_end();
}
