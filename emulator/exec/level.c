/* Chooses the build of the instruction handlers (x86-64-v1, -v3 or -v4) that suits this CPU. */
#include "level.h"
#include "../core/handlers.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

extern const sm_handlers exec_handlers_v1; /* handlers for x86-64-v1 */
#ifdef EXEC_VECTOR_LEVELS
extern const sm_handlers exec_handlers_v3, exec_handlers_v4; /* for x86-64-v3 and -v4 */
#endif

static const sm_handlers *chosen_build; /* the handlers that suit this CPU */

static void choose_instruction_set(void)
{
    chosen_build = &exec_handlers_v1;
#ifdef EXEC_VECTOR_LEVELS
    const char *wish = getenv("WARPBOOK_ISA");
    const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
    const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                    __builtin_cpu_supports("avx512vl");
    const bool any = !wish || !*wish;
    if (v4 && (any || strcmp(wish, "v4") == 0))
        chosen_build = &exec_handlers_v4;
    else if (v3 && (any || strcmp(wish, "v1") != 0))
        chosen_build = &exec_handlers_v3;
#endif
}

const sm_handlers *exec_handlers(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, choose_instruction_set);
    return chosen_build;
}

const char *exec_isa_name(void)
{
    return exec_handlers()->name;
}
