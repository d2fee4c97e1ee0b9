/* Reports host code that writes a __device__ or __constant__ variable by its name: it writes the
 * shadow variable, the host's own copy, which no kernel sees (Programming Guide, "Device Memory
 * Accesses"). The change is noticed at the next launch. */
#include "../code/kernel.h"
#include "../core/name.h"
#include "../core/state.h"
#include "checks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SHADOW_BYTES = 1 << 20 /* larger variables are not checked */ };

void *rt_new_shadow_value(const void *host, size_t size)
{
    void *copy = host && size && size <= MAX_SHADOW_BYTES ? malloc(size) : NULL;
    return copy ? memcpy(copy, host, size) : NULL;
}

static void report_shadow_write(const rt_symbol *s)
{
    char *own = name_of_variable(s->name);
    const char *name = own ? own : s->name, *kind = s->constant ? "__constant__" : "__device__";
    san_finding f = {.kind = "host",
                     .fix = "set the variable with cudaMemcpyToSymbol(), and read it with "
                            "cudaMemcpyFromSymbol()",
                     .chapter = CHAPTER_DEVICE_SYMBOLS};
    rt_name_call(&f.at);
    snprintf(
        f.sentence, sizeof f.sentence,
        "before this launch, host code has changed the %s variable %.200s by its name: that is "
        "the host's own copy, and kernels do not see the change",
        kind, name);
    rt_report_finding(&f);
    free(own);
}

/* That S has not been set, too, follows from the host's mistake. */
static void ignore_unset_symbol(rt_symbol *s)
{
    if (!rt_symbol_load_once(s))
        rt_note_fill((rt_copy_box){s->address, s->size, s->size}, s->size, 1, 1);
}

void rt_check_shadow_variables(void)
{
    for (uint32_t k = 0; rt.sanitize & SAN_HOST && k < RT_MODULE_HASH_BUCKETS; k++) {
        for (rt_symbol *s = rt.modules.symbols[k]; s; s = s->next) {
            if (s->host_value && !s->set_by_call && memcmp(s->host_value, s->host, s->size) != 0) {
                report_shadow_write(s);
                ignore_unset_symbol(s);
                free(s->host_value);
                s->host_value = NULL;
            }
        }
    }
}
