/* Calls that the recorder passes on with a note, since it does not keep what they do. Their symbols
 * are in pass.S: each comes here with its number, and then jumps to the real function with the
 * arguments that it was given. */
#include "front.h"

#include <string.h>
#include <unistd.h>

static const char *const names[] = {
#define UNHELD(name) #name,
#include "unheld.def"
#undef UNHELD
};

/* Called from pass.S only: the real function. */
void *front_unheld(unsigned which);

void *front_unheld(unsigned which)
{
    static void *of[sizeof names / sizeof *names];
    void *found = __atomic_load_n(&of[which], __ATOMIC_RELAXED);
    if (!found) {
        found = front_find(names[which]);
        __atomic_store_n(&of[which], found, __ATOMIC_RELAXED);
        front.captures = front.captures || strstr(names[which], "BeginCapture");
    }
    if (found && front_enter()) {
        front_doubt("the program calls %s, which the recorder in front of the runtime library does "
                    "not keep",
                    names[which]);
        front_leave();
    }
    if (!found) {
        static const char text[] = "warpbook: a call is not in the CUDA runtime library\n";
        const ssize_t n = write(2, text, sizeof text - 1);
        _exit(n < 0 ? 3 : 3);
    }
    return found;
}
