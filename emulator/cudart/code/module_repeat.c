/* Loads modules from a recording of a program run. */
#include "../core/repeat.h"
#include "module.h"

#include <stdlib.h>

cudaError_t rt_repeat_module(char *text, void *machine, size_t machine_size, bool linked,
                             const rt_jit *jit, const uint64_t *places, uint64_t count,
                             rt_module **out)
{
    rt_module *m = rt_module_add(NULL);
    if (!m) {
        free(text);
        free(machine);
        return cudaErrorMemoryAllocation;
    }
    ptx_error err = {0};
    m->opened = m->tried = m->placed = true;
    m->text = text;
    m->machine = machine;
    m->machine_size = machine_size;
    m->linked = linked;
    m->places = places;
    m->ptx = rt_module_parse(text, &err);
    cudaError_t e = !m->ptx                      ? rt_module_refuse(&err)
                    : m->ptx->var_count != count ? cudaErrorInvalidPtx
                                                 : cudaSuccess;
    if (!e && jit) {
        rt_jit_apply(jit, m->ptx);
    }
    e = e ? e : rt_module_bind(m);
    m->places = NULL;
    m->error = e;
    if (e) {
        rt_module_remove(m);
    } else {
        *out = m;
    }
    return e;
}
