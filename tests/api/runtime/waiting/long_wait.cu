// env: MALLOC_PERTURB_=165 GLIBC_TUNABLES=glibc.malloc.tcache_count=0
// A host that waits for long is no host that makes no call: what it waits for ends, and is forgotten
// while the library's own thread has thought of running it.
#include "check.h"

#include <unistd.h>

static void CUDART_CB slow(void *done)
{
    usleep(800000);
    *(int *)done += 1;
}

static void CUDART_CB quick(void *done)
{
    *(int *)done += 1;
}

int main(void)
{
    int done = 0, many = 0;
    cudaStream_t s;
    OK(cudaStreamCreate(&s));
    for (int i = 0; i < 3; i++) {
        OK(cudaLaunchHostFunc(s, slow, &done));
        OK(cudaLaunchHostFunc(s, quick, &done));
        OK(cudaStreamSynchronize(s));
        for (int k = 0; k < 100; k++) {
            OK(cudaLaunchHostFunc(s, quick, &many));
            OK(cudaStreamSynchronize(s));
        }
        CHECK(done == 2 * i + 2);
    }
    CHECK(many == 300);
    OK(cudaStreamDestroy(s));
    return failures != 0;
}
