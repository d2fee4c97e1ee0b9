/* Finds the functions of the real CUDA runtime library, to which the recorder passes calls on. */
#include "front.h"

#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

static const char *const call_names[FRONT_HOOKS] = {
#define HOOK(name) #name,
#include "hooks.def"
#undef HOOK
};

void *front_find_runtime_function(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

void *front_real_function(front_runtime_call which)
{
    static void *of[FRONT_HOOKS];
    void *found = __atomic_load_n(&of[which], __ATOMIC_RELAXED);
    if (!found) {
        found = front_find_runtime_function(call_names[which]);
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
