/* Finds the functions of the real CUDA runtime library, to which the recorder passes calls on. */
#include "interposer.h"

#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

static const char *const call_names[INTERPOSER_HOOKS] = {
#define HOOK(name) #name,
#include "hooks.def"
#undef HOOK
};

void *interposer_find_runtime_function(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

void *interposer_real_function(interposer_runtime_call which)
{
    static void *of[INTERPOSER_HOOKS];
    void *found = __atomic_load_n(&of[which], __ATOMIC_RELAXED);
    if (!found) {
        found = interposer_find_runtime_function(call_names[which]);
        if (!found) {
            fprintf(stderr,
                    "warpbook: the real CUDA runtime library has no %s: it is older "
                    "or newer than the toolkit that the recorder was built with\n",
                    call_names[which]);
            _exit(3);
        }
        __atomic_store_n(&of[which], found, __ATOMIC_RELAXED);
    }
    return found;
}
