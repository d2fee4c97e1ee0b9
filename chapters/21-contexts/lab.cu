// Chapter 21: contexts. Create one, work in a given one, share the primary one.
// Build and run: ./warpbook run 21      or, with a GPU: nvcc -I ../../common lab.cu && ./a.out
#include "lab.h"
#include "lab_driver.h"

#include <thread>

enum { BLOCK = 256 };

// HELPERS: functions of your own, for the TODO regions below
// END HELPERS

// A context of one's own. What was current before is current after.
static CUcontext own_context(CUdevice device)
{
    CUcontext context = NULL;
    // TODO 1 (about 2 lines): create it (cuCtxCreate); leave the thread's stack as it was.
    // Hint: cuCtxCreate(&context, NULL, 0, device) pushes it, too; what takes it off the stack?
    // END TODO 1
    return context;
}

// Device memory that belongs to CONTEXT, whichever is current. bytes > 0.
static CUdeviceptr room_in(CUcontext context, size_t bytes)
{
    CUdeviceptr room = 0;
    // TODO 2 (about 3 lines): allocate it there (cuMemAlloc); leave the thread's stack as it was.
    // Hint: cuMemAlloc(&room, bytes) allocates in the context on top of the stack
    // END TODO 2
    return room;
}

// Run work() in the device's primary context. The thread that calls this has none.
template <class F> static void in_primary(CUdevice device, F work)
{
    // TODO 3 (about 6 lines): become one of its users (retain), make it current, work, undo both.
    // Hint: two pairs, one inside the other: retain and release, push and pop
    // END TODO 3
}

__global__ void scale(float4 *data, int n4)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n4) {
        float4 v = data[i];
        data[i] = make_float4(-v.x, -v.y, -v.z, -v.w);
    }
}

int main(void)
{
    lab_begin("21-contexts");
    CUdevice device; CUcontext primary, made = NULL;
    const char *stack = "the thread's stack has another depth than before: pop what was pushed";
    CUDA_CHECK(cuInit(0)), CUDA_CHECK(cuDeviceGet(&device, 0));
    auto retain = [&] { CUDA_CHECK(cuDevicePrimaryCtxRetain(&primary, device)); };
    auto release = [&] { CUDA_CHECK(cuDevicePrimaryCtxRelease(device)); };
    double first = lab_host_time(retain), later = lab_host_time(retain);
    release(), release(); // no user is left: it is destroyed

    LAB_CHECK_AT("in_primary", 1) { // before anything else lets the runtime make the context
        int calls = 0, depth = 0;
        bool had = lab_primary_active(device), during = false;
        CUcontext seen = NULL, left = NULL;
        auto work = [&] { calls++, seen = lab_current(), during = lab_primary_active(device); };
        auto whole = [&] {
            in_primary(device, work), left = lab_current(), depth = left ? 0 : lab_stack_depth();
        };
        std::thread(whole).join(); // a thread of its own has a stack of its own: nothing on it
        lab_between(calls, 1, 1, "calls of work()", "once");
        lab_require(seen, "no context was current while work() ran: retain only counts");
        lab_require(during, "the primary context was not there while work() ran");
        lab_require(!left, "a context is still current: pop what was pushed");
        lab_require(depth == 0, stack);
        lab_require(had || !lab_primary_active(device), "the primary context has a user too many");
        retain();
        CUdeviceptr kept = 0;
        CUDA_CHECK(cuCtxPushCurrent(primary));
        CUDA_CHECK(cuMemAlloc(&kept, 4096));
        std::thread(whole).join();
        lab_require(cuMemsetD32(kept, 7, 1024) == CUDA_SUCCESS, "another user's memory is gone");
        lab_require(seen == primary, "work() ran in some other context");
        CUDA_CHECK(cuMemFree(kept)), CUDA_CHECK(cuCtxPopCurrent(NULL));
        release();
    }
    LAB_CHECK_AT("own_context", 2) {
        int depth = lab_stack_depth();
        CUcontext before = lab_current(), one = own_context(device), two = own_context(device);
        lab_require(one && two, "it gives NULL: is a context made?");
        lab_require(one != two, "two calls give the same context");
        lab_require(lab_current() == before, "another context is current than before the call");
        lab_require(lab_stack_depth() == depth, stack);
        for (CUcontext c : {one, two})
            CUDA_CHECK(lab_failed() ? CUDA_SUCCESS : cuCtxDestroy(c));
    }
    LAB_CHECK("room_in", n) {
        unsigned last = 0;
        if (!made)
            CUDA_CHECK(cuCtxCreate(&made, NULL, 0, device)), CUDA_CHECK(cuCtxPopCurrent(NULL));
        CUcontext before = lab_current();
        int depth = lab_stack_depth();
        CUdeviceptr room = room_in(made, 4 * (size_t)n);
        lab_require(lab_current() == before, "another context is current than before the call");
        lab_require(lab_stack_depth() == depth, stack);
        lab_require(room, "it gives 0: is anything allocated?");
        if (!lab_failed()) {
            CUDA_CHECK(cuCtxPushCurrent(made));
            CUDA_CHECK(cuMemsetD32(room, n, n));
            CUDA_CHECK(cuMemcpyDtoH(&last, room + 4 * (size_t)(n - 1), 4));
            CUDA_CHECK(cuCtxPopCurrent(NULL));
            lab_between(last, n, n, "the last word written", "it was written before it was read");
        }
        if (n == 1000 && !lab_failed()) { // the end of its context is the end of it
            CUDA_CHECK(cuCtxDestroy(made)), made = NULL;
            lab_require(cuMemGetAddressRange(&room, NULL, room) != CUDA_SUCCESS,
                        "the memory outlived the context: it is another's");
        }
    }

    CUDA_CHECK(made ? cuCtxDestroy(made) : CUDA_SUCCESS);
    double own = lab_host_time([&] { CUDA_CHECK(cuCtxCreate(&made, NULL, 0, device)); });
    CUDA_CHECK(cuCtxDestroy(made));
    int n = (int)lab_elements(1 << 18, 1 << 26) / 4 * 4;
    lab_array<float> data(n);
    lab_row("first_call", NAN, n, 0, first);
    lab_row("later_call", NAN, n, 0, later);
    lab_row("one_more_context", NAN, n, 0, own);
    for (int launches = 1; launches <= 1024 && !lab_run().only_check; launches *= 4) {
        double bytes = 8.0 * n * launches, ms = lab_time([&] {
            for (int k = 0; k < launches; k++)
                scale<<<(n / 4 + BLOCK - 1) / BLOCK, BLOCK>>>((float4 *)data.device, n / 4);
        });
        lab_row("later_calls", launches, n, bytes, ms);
        lab_row("from_the_start", launches, n, bytes, first + ms);
    }
    LAB_GOAL("scale", "load_sectors_per_request", "at_most", 16, "a float4 per lane, in a row");
    return lab_end();
}
