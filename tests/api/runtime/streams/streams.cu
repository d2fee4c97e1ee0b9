// Order within and between streams; a dependency that is missing shows.
#include "check.h"

__global__ void add(int *p, int n)
{
    *p += n;
}

__global__ void twice(int *p)
{
    *p *= 2;
}

__global__ void take(int *to, const int *from)
{
    *to = *from;
}

static int value(const int *d)
{
    int h = -1;
    OK(cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost));
    return h;
}

int main()
{
    int *d, *e;
    cudaStream_t a, b, lone;
    cudaEvent_t done;
    OK(cudaMalloc(&d, 4));
    OK(cudaMalloc(&e, 4));
    OK(cudaStreamCreate(&a));
    OK(cudaStreamCreate(&b));
    OK(cudaStreamCreateWithFlags(&lone, cudaStreamNonBlocking));
    OK(cudaEventCreate(&done));

    // one stream keeps its order
    OK(cudaMemsetAsync(d, 0, 4, a));
    add<<<1, 1, 0, a>>>(d, 3);
    twice<<<1, 1, 0, a>>>(d);
    add<<<1, 1, 0, a>>>(d, 1);
    OK(cudaStreamSynchronize(a));
    CHECK(value(d) == 7);

    // an event orders two streams, whichever was made first
    for (int turn = 0; turn < 2; turn++) {
        cudaStream_t first = turn ? b : a, second = turn ? a : b;
        OK(cudaMemset(d, 0, 4));
        add<<<1, 1, 0, first>>>(d, 5);
        OK(cudaEventRecord(done, first));
        OK(cudaStreamWaitEvent(second, done));
        twice<<<1, 1, 0, second>>>(d);
        OK(cudaDeviceSynchronize());
        CHECK(value(d) == 10);
    }

    // without the event the later one runs first, whichever was made first: the mistake shows
    for (int turn = 0; turn < 2; turn++) {
        cudaStream_t first = turn ? b : a, second = turn ? a : b;
        OK(cudaMemset(d, 0, 4));
        add<<<1, 1, 0, first>>>(d, 5);
        twice<<<1, 1, 0, second>>>(d);
        OK(cudaDeviceSynchronize());
        CHECK(value(d) == 5);
    }

    // two streams use one place in turn: without an event between them the mistake shows, and does
    // so whichever was made first
    int *in, *out;
    OK(cudaMallocHost(&in, 8));
    OK(cudaMallocHost(&out, 8));
    for (int turn = 0; turn < 4; turn++) {
        cudaStream_t turns[2] = {turn % 2 ? b : a, turn % 2 ? a : b};
        for (int k = 0; k < 2; k++) {
            in[k] = k + 1;
            if (k && turn >= 2) {
                OK(cudaStreamWaitEvent(turns[k], done));
            }
            OK(cudaMemcpyAsync(d, &in[k], 4, cudaMemcpyHostToDevice, turns[k]));
            add<<<1, 1, 0, turns[k]>>>(d, 10);
            OK(cudaMemcpyAsync(&out[k], d, 4, cudaMemcpyDeviceToHost, turns[k]));
            OK(cudaEventRecord(done, turns[k]));
        }
        OK(cudaDeviceSynchronize());
        CHECK((out[0] == 11 && out[1] == 12) == (turn >= 2));
    }
    OK(cudaFreeHost(in));
    OK(cudaFreeHost(out));

    // the legacy default stream waits for blocking streams and they for it
    OK(cudaMemset(d, 0, 4));
    add<<<1, 1, 0, a>>>(d, 1);
    twice<<<1, 1>>>(d);
    add<<<1, 1, 0, b>>>(d, 1);
    OK(cudaDeviceSynchronize());
    CHECK(value(d) == 3);

    // a non-blocking stream does neither: a host that waits for the wrong stream sees old data
    OK(cudaMemset(d, 0, 4));
    OK(cudaDeviceSynchronize());
    add<<<1, 1, 0, lone>>>(d, 1);
    OK(cudaStreamSynchronize(a));
    CHECK(value(d) == 0);
    OK(cudaStreamSynchronize(lone));
    CHECK(value(d) == 1);

    // what is queried is not ready at first, and a loop that asks ends
    add<<<1, 1, 0, a>>>(d, 1);
    EXPECT(cudaErrorNotReady, cudaStreamQuery(a));
    OK(cudaStreamQuery(a));
    int asked = 0;
    for (int i = 0; i < 5; i++) {
        add<<<1, 1, 0, b>>>(d, 1);
    }
    while (cudaStreamQuery(b) == cudaErrorNotReady) {
        asked++;
    }
    CHECK(asked >= 1);
    OK(cudaGetLastError()); // an answer, no error: so an H200
    CHECK(value(d) == 7);

    // pageable data is taken along at the call
    int h = 11;
    OK(cudaMemcpyAsync(d, &h, 4, cudaMemcpyHostToDevice, a));
    h = 99;
    OK(cudaStreamSynchronize(a));
    CHECK(value(d) == 11);
    // pinned data is read when the copy runs
    int *pinned;
    OK(cudaMallocHost(&pinned, 4));
    *pinned = 12;
    OK(cudaMemcpyAsync(d, pinned, 4, cudaMemcpyHostToDevice, a));
    *pinned = 13; // the mistake: the copy has not been waited for
    OK(cudaStreamSynchronize(a));
    CHECK(value(d) == 13);
    // results come when they are waited for
    *pinned = 0;
    OK(cudaMemcpyAsync(pinned, d, 4, cudaMemcpyDeviceToHost, a));
    CHECK(*pinned == 0);
    OK(cudaStreamSynchronize(a));
    CHECK(*pinned == 13);

    // destroying a stream does not lose its work
    add<<<1, 1, 0, b>>>(d, 1);
    OK(cudaStreamDestroy(b));
    EXPECT(cudaErrorInvalidResourceHandle, cudaStreamSynchronize(b));
    OK(cudaDeviceSynchronize());
    CHECK(value(d) == 14);

    // more work than a queue holds
    OK(cudaMemset(d, 0, 4));
    for (int i = 0; i < 5000; i++) {
        add<<<1, 1, 0, a>>>(d, 1);
    }
    take<<<1, 1, 0, a>>>(e, d);
    OK(cudaStreamSynchronize(a));
    CHECK(value(e) == 5000);

    int least, greatest, priority;
    OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CHECK(greatest < least);
    OK(cudaStreamCreateWithPriority(&b, cudaStreamNonBlocking, greatest));
    OK(cudaStreamGetPriority(b, &priority));
    CHECK(priority == greatest);
    unsigned flags;
    OK(cudaStreamGetFlags(b, &flags));
    CHECK(flags == cudaStreamNonBlocking);
    OK(cudaFree(d));
    OK(cudaFree(e));
    return print_failures();
}
