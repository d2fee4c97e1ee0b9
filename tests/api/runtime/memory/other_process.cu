// Memory and events of another process: both use them in kernels; handles that were forged are refused.
// alone: it starts itself
#include "check.h"

#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

static const int n = 300000;

__global__ void add(int *p, int value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&p[i], value);
}
static void add_to(int *p, int value)
{
    add<<<(n + 255) / 256, 256>>>(p, value);
    OK(cudaGetLastError());
}
static bool all_are(const int *p, int value)
{
    static int host[n];
    OK(cudaMemcpy(host, p, sizeof host, cudaMemcpyDefault));
    for (int i = 0; i < n; i++)
        if (host[i] != value)
            return false;
    return true;
}

struct message {
    cudaIpcMemHandle_t memory;
    cudaIpcEventHandle_t event;
    int turn;
};
static int from, to;
static void tell(const message &m)
{
    CHECK(write(to, &m, sizeof m) == sizeof m);
}
static message hear()
{
    message m = {};
    if (read(from, &m, sizeof m) != sizeof m)
        _exit(9); // the other one has failed
    return m;
}

/* What a handle holds (emulator/cudart/memory/ipc.h). */
struct inside {
    char mark[8];
    int process, file;
    unsigned long long inode, front, size;
};

static void forged(cudaIpcMemHandle_t good)
{
    for (int k = 0; k < 9; k++) {
        cudaIpcMemHandle_t bad = good;
        inside h;
        memcpy(&h, &bad, sizeof h);
        h.process = k == 0 ? 1 : k == 1 ? -1 : k == 2 || k == 8 ? getppid() : h.process;
        h.file = k == 2 ? 0 : k == 3 ? h.file + 1000 : k == 4 ? -1 : h.file;
        h.inode += k == 5;
        h.front = k == 6 ? ~0ull : h.front;
        h.size = k == 7 ? 0 : k == 8 ? ~0ull - h.front : h.size;
        memcpy(&bad, &h, sizeof h);
        void *p;
        EXPECT(cudaErrorInvalidValue,
               cudaIpcOpenMemHandle(&p, bad, cudaIpcMemLazyEnablePeerAccess));
        cudaGetLastError();
    }
}

static int other()
{
    message m = hear();
    int *p;
    cudaEvent_t ready;
    OK(cudaIpcOpenMemHandle((void **)&p, m.memory, cudaIpcMemLazyEnablePeerAccess));
    OK(cudaIpcOpenEventHandle(&ready, m.event));
    forged(m.memory);
    OK(cudaStreamWaitEvent(0, ready, 0));
    add_to(p, 100); // after its kernel
    tell(m);
    OK(cudaEventSynchronize(ready));
    CHECK(all_are(p, 101));
    OK(cudaEventRecord(ready));
    tell(m);
    hear();
    OK(cudaEventDestroy(ready));
    OK(cudaIpcCloseMemHandle(p));
    return print_failures();
}

int main(int argc, char **argv)
{
    if (argc == 3) {
        from = atoi(argv[1]);
        to = atoi(argv[2]);
        return other();
    }
    int there[2], back[2];
    CHECK(pipe(there) == 0 && pipe(back) == 0);
    const pid_t child = fork();
    if (!child) {
        char arg[2][16];
        snprintf(arg[0], 16, "%d", there[0]);
        snprintf(arg[1], 16, "%d", back[1]);
        close(there[1]);
        close(back[0]);
        execl("/proc/self/exe", "other", arg[0], arg[1], (char *)NULL);
        _exit(127);
    }
    close(there[0]);
    close(back[1]);
    to = there[1];
    from = back[0];

    int *p, status = -1;
    cudaEvent_t ready;
    message m = {};
    OK(cudaMalloc(&p, n * sizeof *p));
    OK(cudaMemset(p, 0, n * sizeof *p));
    OK(cudaEventCreateWithFlags(&ready, cudaEventInterprocess | cudaEventDisableTiming));
    OK(cudaIpcGetMemHandle(&m.memory, p));
    OK(cudaIpcGetEventHandle(&m.event, ready));
    add_to(p, 1);
    OK(cudaEventRecord(ready));
    tell(m);
    hear(); // its work is queued behind ours
    OK(cudaDeviceSynchronize());
    hear();
    OK(cudaEventSynchronize(ready)); // as the other one has recorded it
    CHECK(all_are(p, 101));
    tell(m);
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    OK(cudaEventDestroy(ready));
    OK(cudaFree(p));
    return print_failures();
}
