/* Loads modules from a recording of a program run. */
#include "../core/repeat.h"
#include "kernel.h"
#include "module.h"

#include <stdlib.h>

cudaError_t rt_replay_module(char *text, void *machine, size_t machine_size, bool linked,
                             const rt_jit_options *jit, const uint64_t *places, uint64_t count,
                             rt_module **out)
{
    rt_module *m = rt_module_add(NULL);
    if (!m) {
        free(text);
        free(machine);
        return cudaErrorMemoryAllocation;
    }
    ptx_error err = {0};
    m->opened = m->load_tried = m->from_recording = true;
    m->text = text;
    m->machine = machine;
    m->machine_size = machine_size;
    m->linked = linked;
    m->recorded_addresses = places;
    m->ptx = rt_module_parse(text, &err);
    cudaError_t e = !m->ptx                      ? rt_module_report_error(&err)
                    : m->ptx->var_count != count ? cudaErrorInvalidPtx
                                                 : cudaSuccess;
    if (!e && jit)
        rt_jit_apply_limits(jit, m->ptx);
    e = e ? e : rt_module_place_variables(m);
    m->recorded_addresses = NULL;
    m->error = e;
    if (e)
        rt_module_remove(m);
    else
        *out = m;
    return e;
}
