// Work that nobody waits for is done when the program ends, in silence: what it prints is lost, and
// what outlives the program is written. The parent looks at that.
#include "check.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

__global__ void hello(volatile int *out)
{
    printf("lost\n");
    *out = 5;
}

static void on_host(void *out)
{
    *(int *)out = 6;
}

static void leave_behind(int *shared)
{
    int *seen;
    OK(cudaHostRegister(shared, 4096, cudaHostRegisterMapped));
    OK(cudaHostGetDevicePointer((void **)&seen, shared, 0));
    hello<<<1, 1>>>(seen);
    OK(cudaMemsetAsync(seen + 1, 1, 4));
    OK(cudaLaunchHostFunc(0, on_host, shared + 2));
    exit(print_failures());
}

int main()
{
    int *shared = (int *)mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int said[2], status = -1;
    char first;
    CHECK(pipe(said) == 0);
    pid_t child = fork();
    if (!child) {
        dup2(said[1], STDOUT_FILENO);
        close(said[1]);
        leave_behind(shared);
    }
    close(said[1]);
    CHECK(read(said[0], &first, 1) == 0);
    waitpid(child, &status, 0);
    CHECK(status == 0);
    CHECK(shared[0] == 5);
    CHECK(shared[1] == 0x01010101);
    CHECK(shared[2] == 6);
    return print_failures();
}
