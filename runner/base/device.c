#include "device.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const device_names[] = {"auto", "emulator", "gpu"}; /* by device_choice */

const char *device_name(device_choice d)
{
    return device_names[d];
}

bool device_parse(const char *word, device_choice *out)
{
    for (int i = 0; i < 3; i++)
        if (strcmp(word, device_names[i]) == 0) {
            *out = (device_choice)i;
            return true;
        }
    return false;
}

/* Exit codes of the child process that queries the driver; code GPU_FOUND + N means a GPU with
 * compute capability N. */
enum {
    GPU_NO_DRIVER = 10, /* there is no libcuda.so.1 */
    GPU_NO_INIT,        /* the driver does not start */
    GPU_NO_DEVICE,      /* the driver finds no GPU */
    GPU_FOUND = 20      /* the driver finds a GPU; its compute capability is added */
};

/* Attributes for cuDeviceGetAttribute: major and minor number of the compute capability. */
enum { ATTRIBUTE_CC_MAJOR = 75, ATTRIBUTE_CC_MINOR = 76 };

static int query_driver(void)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (!driver)
        return GPU_NO_DRIVER;
    int (*init)(unsigned) = (int (*)(unsigned))dlsym(driver, "cuInit");
    int (*count)(int *) = (int (*)(int *))dlsym(driver, "cuDeviceGetCount");
    int (*attribute)(int *, int, int) =
        (int (*)(int *, int, int))dlsym(driver, "cuDeviceGetAttribute");
    int n = 0, major = 0, minor = 0;
    if (!init || !count || !attribute || init(0) != 0)
        return GPU_NO_INIT;
    if (count(&n) != 0 || n < 1)
        return GPU_NO_DEVICE;
    bool told = attribute(&major, ATTRIBUTE_CC_MAJOR, 0) == 0 &&
                attribute(&minor, ATTRIBUTE_CC_MINOR, 0) == 0;
    return told && 10 * major + minor >= GPU_FOUND ? 10 * major + minor : GPU_NO_INIT;
}

static int query_driver_in_child(void)
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
        _exit(query_driver());
    }
    int status;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return GPU_NO_INIT;
    return WIFEXITED(status) ? WEXITSTATUS(status) : GPU_NO_INIT;
}

static int gpu_query_result(void)
{
    static int known;
    if (!known)
        known = query_driver_in_child();
    return known;
}

int gpu_capability(void)
{
    return gpu_query_result() >= GPU_FOUND ? gpu_query_result() : 0;
}

bool is_gpu_available(char *why, size_t size)
{
    if (gpu_query_result() >= GPU_FOUND) {
        snprintf(why, size, "a GPU is available");
        return true;
    }
    switch (gpu_query_result()) {
    case GPU_NO_DRIVER: return fails(why, size, "there is no NVIDIA driver (libcuda.so.1)");
    case GPU_NO_DEVICE: snprintf(why, size, "NVIDIA's driver finds no GPU"); return false;
    default: snprintf(why, size, "NVIDIA's driver does not start"); return false;
    }
}

bool device_resolve(device_choice choice, installation *h, bool *gpu, char *err, size_t err_size)
{
    char why[128];
    *gpu = false;
    if (choice != DEVICE_EMULATOR) {
        *gpu = is_gpu_available(why, sizeof why);
        if (!*gpu && choice == DEVICE_GPU)
            return fails(err, err_size,
                         "no GPU answers: %s; use --device emulator, which needs none", why);
    }
    if (!*gpu && !installation_emulator_library(h))
        return fails(err, err_size, "the emulator is not built (%s/libcudart.so.*): run `make`",
                     installation_short_path(h, emulator_path(h)));
    return true;
}

const char *emulator_library_path(installation *h)
{
    const char *old = getenv("LD_LIBRARY_PATH");
    return old && *old ? arena_printf(&h->memory, "LD_LIBRARY_PATH=%s:%s", emulator_path(h), old)
                       : arena_printf(&h->memory, "LD_LIBRARY_PATH=%s", emulator_path(h));
}

static const struct device_profile_row {
    const char *id;
    bool measured;
    const char *note; /* of a device that was not measured */
} profiles[] = {
#define NOTE(error)                                                                 \
    ((error) ? "never measured; " #error " % off what others published, on average" \
             : "never measured")
#define PROFILE(id, measured, error) {#id, measured, NOTE(error)},
#include "../../emulator/base/profiles.def"
#undef PROFILE
#undef NOTE
};

const char *modelled_device(void)
{
    const char *profile = getenv("WARPBOOK_PROFILE");
    return profile && *profile ? profile : profiles[0].id;
}

/* The row of the modelled device; NULL: a profile of the user's own. */
static const struct device_profile_row *modelled_profile(void)
{
    for (size_t i = 0; i < sizeof profiles / sizeof *profiles; i++)
        if (strcmp(profiles[i].id, modelled_device()) == 0)
            return &profiles[i];
    return NULL;
}

bool is_modelled_device_measured(void)
{
    return modelled_profile() && modelled_profile()->measured;
}

const char *unmeasured_device_note(void)
{
    return modelled_profile() ? modelled_profile()->note : "never measured";
}
