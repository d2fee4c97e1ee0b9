/* cuGetExportTable: NVIDIA's own libraries request undocumented tables of functions from the
 * driver, each by an identifier. This library has no such tables. If a library cannot work without
 * them, a message on stderr names it: a statically linked runtime requests a table first, and all
 * of its calls would fail without a message. */
#include "cudriver.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

/* NVIDIA's libraries by the beginning of their file names, and the replacement to use on this
 * device. NULL: the library works without a table, or reports the error itself. */
static const struct {
    const char *name;    /* beginning of the file name */
    const char *instead; /* what a program should use on this device instead, or NULL */
} libraries[] = {
    {"libnvrtc", NULL},
    {"libnvJitLink", NULL},
    {"libcupti", NULL},
    {"libnvperf", NULL},
    {"libcurand", "the emulator's own libcurand, with its folder first in LD_LIBRARY_PATH"},
    {"libcublasLt", "CUB, Thrust or a kernel of the program"},
    {"libcublas", "the emulator's own libcublas, with its folder first in LD_LIBRARY_PATH"},
    {"libcufftw", "the emulator's own libcufft by its own calls"},
    {"libcufft", "the emulator's own libcufft, with its folder first in LD_LIBRARY_PATH"},
    {"libcusparse", "CUB, Thrust or a kernel of the program"},
    {"libcusolver", "CUB, Thrust or a kernel of the program"},
    {"libcudnn", "CUB, Thrust or a kernel of the program"},
    {"libnpp", "CUB, Thrust or a kernel of the program"},
    {"libnvjpeg", "a library that works on the CPU"},
};

static void report_library_of_caller(const char *path)
{
    const char *name = basename(path);
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        if (strncmp(name, libraries[i].name, strlen(libraries[i].name)) != 0)
            continue;
        if (libraries[i].instead) {
            cu_runtime_table()->say(
                "%s is machine code for a GPU, so its calls fail on this device: use "
                "%s, or run on a GPU",
                name, libraries[i].instead);
        }
        return;
    }
    cu_runtime_table()->say(
        "%s carries NVIDIA's runtime library in itself, so its calls of CUDA fail on "
        "this device: start the program by `warpbook exec` if this file is not stripped, or build "
        "it again with `nvcc -cudart shared`",
        path);
}

/* Is this the first request of the file loaded at BASE? Remembers 64 files; false for any other. */
static bool is_first_request(const void *base)
{
    static const void *_Atomic asked[64];
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        const void *none = NULL;
        if (atomic_compare_exchange_strong(&asked[i], &none, base))
            return true;
        if (none == base)
            return false;
    }
    return false;
}

CUresult cuGetExportTable(const void **table, const CUuuid *id);
CUresult cuGetExportTable(const void **table, const CUuuid *id)
{
    Dl_info caller;
    if (!table || !id)
        return CUDA_ERROR_INVALID_VALUE;
    *table = NULL;
    if (cu_runtime_table() && dladdr(__builtin_return_address(0), &caller) && caller.dli_fname &&
        is_first_request(caller.dli_fbase))
        report_library_of_caller(caller.dli_fname);
    return CUDA_ERROR_NOT_FOUND;
}
