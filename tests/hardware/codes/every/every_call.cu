// alone: it includes a table of calls
/* Every call of the runtime with arguments that are not there: every_call.h. */
#define CUDA_ENABLE_DEPRECATED
#include "every_call.h"

#define CALL(name, params) {#name, [] { every(#name, (cudaError_t(*) params)name); }},
static const api_call calls[] = {
#include "every_call.def"
};

int main()
{
    return run_every(calls, sizeof calls / sizeof *calls);
}
