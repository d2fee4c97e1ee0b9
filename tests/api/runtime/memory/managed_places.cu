// The runtime answers where managed memory was sent and what was advised, of any range: the latest request for
// each byte counts, and what a whole range is said to have holds for all of it.
#include "check.h"

static const size_t PAGE = 4096;
static const cudaMemLocation device = {cudaMemLocationTypeDevice, 0};
static const cudaMemLocation host = {cudaMemLocationTypeHost, 0};

static int asked(const char *p, size_t bytes, cudaMemRangeAttribute what)
{
    int value = -77;
    OK(cudaMemRangeGetAttribute(&value, sizeof value, what, p, bytes));
    return value;
}

static int place_of(const char *p, size_t pages)
{
    return asked(p, pages * PAGE, cudaMemRangeAttributeLastPrefetchLocation);
}

static void sends_pages(char *p)
{
    CHECK(place_of(p, 8) == cudaInvalidDeviceId);
    OK(cudaMemPrefetchAsync(p, 8 * PAGE, device, 0, 0));
    OK(cudaMemPrefetchAsync(p + 2 * PAGE, 2 * PAGE, host, 0, 0));
    CHECK(place_of(p, 8) == cudaInvalidDeviceId);
    CHECK(place_of(p, 2) == 0 && place_of(p + 4 * PAGE, 4) == 0);
    CHECK(place_of(p + 2 * PAGE, 2) == cudaCpuDeviceId && place_of(p + 3 * PAGE, 1) == cudaCpuDeviceId);
    OK(cudaMemPrefetchAsync(p, 8 * PAGE, device, 0, 0)); // the same range again, later than its part
    CHECK(place_of(p, 8) == 0 && place_of(p + 2 * PAGE, 2) == 0);
    for (int half = 0; half < 2; half++) // two requests, which together are for all of it
        OK(cudaMemPrefetchAsync(p + 4 * half * PAGE, 4 * PAGE, host, 0, 0));
    CHECK(place_of(p, 8) == cudaCpuDeviceId && place_of(p + 3 * PAGE, 2) == cudaCpuDeviceId);
}

static void advises(char *p)
{
    OK(cudaMemAdvise(p + 2 * PAGE, 2 * PAGE, cudaMemAdviseSetReadMostly, device));
    OK(cudaMemPrefetchAsync(p, 8 * PAGE, device, 0, 0)); // leaves the advice for the part
    CHECK(asked(p + 2 * PAGE, 2 * PAGE, cudaMemRangeAttributeReadMostly) == 1);
    CHECK(asked(p, 8 * PAGE, cudaMemRangeAttributeReadMostly) == 0);
    OK(cudaMemAdvise(p, 8 * PAGE, cudaMemAdviseSetPreferredLocation, device));
    OK(cudaMemAdvise(p + PAGE, PAGE, cudaMemAdviseSetPreferredLocation, host));
    CHECK(asked(p + PAGE, PAGE, cudaMemRangeAttributePreferredLocation) == cudaCpuDeviceId);
    CHECK(asked(p, 8 * PAGE, cudaMemRangeAttributePreferredLocation) == cudaInvalidDeviceId);
    CHECK(asked(p + 2 * PAGE, 6 * PAGE, cudaMemRangeAttributePreferredLocation) == 0);
}

int main()
{
    char *p;
    for (int round = 0; round < 2; round++) { // freed memory leaves no request behind
        OK(cudaMallocManaged(&p, 8 * PAGE));
        sends_pages(p);
        advises(p);
        OK(cudaFree(p));
    }
    return print_failures();
}
