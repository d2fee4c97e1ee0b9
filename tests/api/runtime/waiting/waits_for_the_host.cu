// A kernel that waits for the host is let wait while anybody can write its flag, and stopped when
// all of the program waits for it.
// stderr: waits_for_the_host.cu:[0-9]+: .*waits for the 4 bytes at .*, which hold 0, to change|ThreadSanitizer.s own thread
#include "check.h"

#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

__global__ void wait_for(volatile int *flag)
{
    while (*flag == 0)
        ;
}

static int *flag;

static void *set_later(void *)
{
    usleep(200000);
    *(volatile int *)flag = 1;
    return NULL;
}

static void *wait_as_well(void *)
{
    EXPECT(cudaErrorLaunchFailure, cudaDeviceSynchronize());
    return NULL;
}

int main()
{
    pthread_t thread;
    OK(cudaMallocManaged(&flag, 4));
    *flag = 0;
    OK(cudaDeviceSynchronize());
    OK(cudaFree(flag));
    OK(cudaMallocHost(&flag, 4));
    for (int turn = 0; turn < 3; turn++) {
        *flag = 0;
        CHECK(pthread_create(&thread, NULL, set_later, NULL) == 0);
        wait_for<<<2, 64>>>(flag);
        OK(cudaDeviceSynchronize());
        CHECK(pthread_join(thread, NULL) == 0);
    }
    if (dlsym(RTLD_DEFAULT, "__tsan_init")) {
        fprintf(stderr, "for all that the emulator knows, ThreadSanitizer's own thread may write\n");
        return print_failures();
    }
    *flag = 0;
    wait_for<<<2, 64>>>(flag);
    CHECK(pthread_create(&thread, NULL, wait_as_well, NULL) == 0);
    EXPECT(cudaErrorLaunchFailure, cudaDeviceSynchronize());
    CHECK(pthread_join(thread, NULL) == 0);
    return print_failures();
}
