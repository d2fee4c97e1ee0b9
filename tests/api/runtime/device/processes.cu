// fork: a child of a process that has used the device cannot use it, and ends quietly; a child of
// one that has not can.
#include "check.h"

#include <sys/wait.h>
#include <unistd.h>

__global__ void add(int *p, int n)
{
    *p += n;
}

// The status that BODY's process ends with.
template <typename F> static int run_test_in_child(F body)
{
    fflush(stdout);
    pid_t child = fork();
    if (!child) {
        alarm(30);
        failures = 0;
        body();
        exit(failures ? 1 : 0); // destructors of the library run
    }
    int status = -1;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static void use(int want)
{
    int *d, h = 0;
    OK(cudaMalloc(&d, 4));
    OK(cudaMemset(d, 0, 4));
    add<<<1, 1>>>(d, want);
    OK(cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost));
    CHECK(h == want);
    OK(cudaFree(d));
}

int main()
{
    CHECK(run_test_in_child([] { use(3); }) == 0);
    CHECK(run_test_in_child([] { exit(7); }) == 7);

    use(4);
    int *d;
    OK(cudaMalloc(&d, 4));
    OK(cudaMemset(d, 0, 4));
    add<<<1, 1>>>(d, 1); // queued, not waited for, while processes are made
    CHECK(run_test_in_child([] { exit(8); }) == 8);
    CHECK(run_test_in_child([d] {
              int n = 0;
              void *p;
              OK(cudaGetDeviceCount(&n));
              CHECK(n == 1);
              EXPECT(cudaErrorInitializationError, cudaMalloc(&p, 4));
              add<<<1, 1>>>(d, 1);
              EXPECT(cudaErrorInitializationError, cudaGetLastError());
              EXPECT(cudaErrorInitializationError, cudaDeviceSynchronize());
              EXPECT(cudaErrorInitializationError, cudaFree(d));
              EXPECT(cudaErrorInitializationError, cudaDeviceReset());
          }) == 0);
    CHECK(run_test_in_child([] { execlp("true", "true", (char *)NULL); }) == 0);
    int h = 0;
    OK(cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost));
    CHECK(h == 1);
    use(5);
    return print_failures();
}
