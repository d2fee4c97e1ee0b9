#include "device.h"

#include "job.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const names[] = {"auto", "emulator", "gpu"};

const char *device_name(device_choice d)
{
    return names[d];
}

bool device_parse(const char *word, device_choice *out)
{
    for (int i = 0; i < 3; i++)
        if (strcmp(word, names[i]) == 0) {
            *out = (device_choice)i;
            return true;
        }
    return false;
}

enum { GPU_YES = 10, GPU_NO_DRIVER, GPU_NO_INIT, GPU_NONE };

static int ask_driver(void)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (!driver)
        return GPU_NO_DRIVER;
    int (*init)(unsigned) = (int (*)(unsigned))dlsym(driver, "cuInit");
    int (*count)(int *) = (int (*)(int *))dlsym(driver, "cuDeviceGetCount");
    int n = 0;
    if (!init || !count || init(0) != 0)
        return GPU_NO_INIT;
    return count(&n) == 0 && n > 0 ? GPU_YES : GPU_NONE;
}

static int ask_in_child(void)
{
    fflush(NULL);
    pid_t pid = fork();
    if (pid < 0)
        return GPU_NO_INIT;
    if (pid == 0) {
        signal(SIGINT, SIG_DFL);
        signal(SIGTERM, SIG_DFL);
        alarm(20); /* a driver that hangs is ended by SIGALRM */
        signal(SIGALRM, SIG_DFL);
        _exit(ask_driver());
    }
    int status;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return GPU_NO_INIT;
    return WIFEXITED(status) ? WEXITSTATUS(status) : GPU_NO_INIT;
}

bool gpu_answers(char *why, size_t size)
{
    static int answer;
    if (!answer)
        answer = ask_in_child();
    switch (answer) {
    case GPU_YES:
        snprintf(why, size, "a GPU answers");
        return true;
    case GPU_NO_DRIVER:
        snprintf(why, size, "there is no NVIDIA driver (libcuda.so.1)");
        return false;
    case GPU_NONE:
        snprintf(why, size, "NVIDIA's driver finds no GPU");
        return false;
    default:
        snprintf(why, size, "NVIDIA's driver does not start");
        return false;
    }
}

bool device_resolve(device_choice choice, house *h, bool *gpu, char *err, size_t err_size)
{
    char why[128];
    *gpu = false;
    if (choice != DEVICE_EMULATOR) {
        *gpu = gpu_answers(why, sizeof why);
        if (!*gpu && choice == DEVICE_GPU) {
            snprintf(err, err_size, "no GPU answers: %s; use --device emulator, which needs none",
                     why);
            return false;
        }
    }
    if (!*gpu && !house_emulator_library(h)) {
        snprintf(err, err_size, "the emulator is not built (%s/libcudart.so.*): run `make`",
                 house_short(h, h->emulator));
        return false;
    }
    return true;
}

const char *emulator_library_path(house *h)
{
    const char *old = getenv("LD_LIBRARY_PATH");
    return old && *old ? arena_printf(&h->memory, "LD_LIBRARY_PATH=%s:%s", h->emulator, old)
                       : arena_printf(&h->memory, "LD_LIBRARY_PATH=%s", h->emulator);
}
