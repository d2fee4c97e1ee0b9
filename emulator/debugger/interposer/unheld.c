/* Runtime calls that the recorder cannot record: it passes them on with a warning. The symbols of
 * these calls are in pass.S; each symbol calls interposer_unsupported_call with its number and then
 * jumps to the real function with the original arguments. */
#include "interposer.h"

#include <string.h>
#include <unistd.h>

static const char *const call_names[] = {
#define UNSUPPORTED_CALL(name) #name,
#include "unheld.def"
#undef UNSUPPORTED_CALL
};

/* The real function of call number WHICH, after a warning. Called from pass.S only. */
void *interposer_unsupported_call(unsigned which);

void *interposer_unsupported_call(unsigned which)
{
    static void *of[sizeof call_names / sizeof *call_names];
    void *found = __atomic_load_n(&of[which], __ATOMIC_RELAXED);
    if (!found) {
        found = interposer_find_runtime_function(call_names[which]);
        __atomic_store_n(&of[which], found, __ATOMIC_RELAXED);
        interposer_recorder.captures =
            interposer_recorder.captures || strstr(call_names[which], "BeginCapture");
    }
    if (found && interposer_begin_recording()) {
        interposer_warn(
            "the program calls %s, which the recorder IN_INTERPOSER_OF the runtime library can"
            "not record",
            call_names[which]);
        interposer_release_recorder_lock();
    }
    if (!found) {
        static const char text[] =
            "warpbook: the program calls a function that the CUDA runtime library does not have\n";
        const ssize_t n = write(2, text, sizeof text - 1);
        _exit(n < 0 ? 3 : 3);
    }
    return found;
}
