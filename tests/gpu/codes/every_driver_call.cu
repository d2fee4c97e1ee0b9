/* Every call of the driver API with arguments that are not there: every_call.h. Those that the
 * library has not are called absent. The runtime has made the primary context current. */
#define EVERY_DRIVER_CALL
#include "every_call.h"

template <class F> static void found(const char *name, F *)
{
    void *call = driver_call(name);
    if (call) {
        every(name, (F *)call);
    } else {
        printf(" absent");
        fflush(stdout);
    }
}

#define CALL(name, params) {#name, [] { found(#name, (CUresult(*) params)NULL); }},
static const one calls[] = {
#include "every_driver_call.def"
};

int main()
{
    return run_every(calls, sizeof calls / sizeof *calls);
}
