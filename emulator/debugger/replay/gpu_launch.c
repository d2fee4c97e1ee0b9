/* Launches of a replay on a GPU: repeated once and timed, or passed to gpu_watch. */
#include "gpu_driver.h"
#include "gpu_state.h"

#include "../../cudart/core/name.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Replace pointers to device variables in a kernel's parameters by their addresses on this GPU. */
static void replace_variable_pointers(const gpu_replay *r, uint8_t *params, uint64_t size)
{
    for (uint64_t at = 0; at + 8 <= size; at += 8) {
        uint64_t word;
        memcpy(&word, params + at, 8);
        word = gpu_address_of_recorded(r, word);
        memcpy(params + at, &word, 8);
    }
}

/* Set the dimensions and the attributes of launch L from record X. */
static void fill_launch_config(const rec_launch *x, gpu_launch *l)
{
    CUlaunchConfig *c = &l->config;
    *c = (CUlaunchConfig){.gridDimX = (unsigned)x->grid.of[0],
                          .gridDimY = (unsigned)x->grid.of[1],
                          .gridDimZ = (unsigned)x->grid.of[2],
                          .blockDimX = (unsigned)x->block.of[0],
                          .blockDimY = (unsigned)x->block.of[1],
                          .blockDimZ = (unsigned)x->block.of[2],
                          .sharedMemBytes = (unsigned)x->shared};
    if (x->cluster.of[0]) {
        l->attribute[c->numAttrs].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
        l->attribute[c->numAttrs].value.clusterDim.x = (unsigned)x->cluster.of[0];
        l->attribute[c->numAttrs].value.clusterDim.y = (unsigned)x->cluster.of[1];
        l->attribute[c->numAttrs++].value.clusterDim.z = (unsigned)x->cluster.of[2];
    }
    if (x->cooperative) {
        l->attribute[c->numAttrs].id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
        l->attribute[c->numAttrs++].value.cooperative = 1;
    }
}

/* Fill L from launch X of the recording. The caller frees L->params, even on failure. */
static bool prepare_launch(gpu_replay *r, const rec_launch *x, gpu_launch *l)
{
    const uint64_t op = x->op;
    char *name = name_of_kernel(x->kernel);
    *l = (gpu_launch){.param_bytes = (size_t)x->params.size};
    snprintf(l->kernel, sizeof l->kernel, "%s", name ? name : x->kernel);
    free(name);
    fill_launch_config(x, l);
    r->number = x->number;
    if (!gpu_is_call_good(r, gpu_calls.function(&l->function, r->module[x->module], x->kernel),
                          x->kernel))
        return false;
    gpu_calls.function_set(l->function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                           (int)x->shared);
    l->params = rec_read_all_data(r->reader, &x->params);
    if (!l->params || !gpu_repeat_host_writes(r, op))
        return gpu_set_error(r, EXIT_NO_GPU, "the host is out of memory");
    replace_variable_pointers(r, l->params, l->param_bytes);
    return true;
}

bool gpu_time_launches(gpu_replay *r, gpu_launch *l, size_t count, double *ns)
{
    float ms = 0;
    bool good = gpu_is_call_good(r, gpu_calls.event_record(r->begin, NULL), "recording an event");
    for (size_t i = 0; i < count && good; i++) {
        void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, l[i].params, CU_LAUNCH_PARAM_BUFFER_SIZE,
                         &l[i].param_bytes, CU_LAUNCH_PARAM_END};
        l[i].config.attrs = l[i].attribute;
        good = gpu_is_call_good(
            r, gpu_calls.launch(&l[i].config, l[i].function, NULL, l[i].param_bytes ? extra : NULL),
            l[i].kernel);
    }
    good =
        good && gpu_is_call_good(r, gpu_calls.event_record(r->done, NULL), "recording an event") &&
        gpu_is_call_good(r, gpu_calls.event_wait(r->done), l->kernel) &&
        gpu_is_call_good(r, gpu_calls.event_time(&ms, r->begin, r->done), "measuring the launch");
    *ns = (double)ms * 1e6;
    return good;
}

/* --- launches for which callbacks are called --- */

/* Length of the namespace in the kernel's name: of "cub::" in cub::DeviceScanKernel; 0: none. */
static size_t namespace_bytes(const char *kernel)
{
    const char *end = strstr(kernel, "::"), *other = strpbrk(kernel, "<( ");
    return end && (!other || end < other) ? (size_t)(end - kernel) + 2 : 0;
}

/* Whether a record of KIND does no work on the device, so that it may stand between two launches of
 * one library call. */
static bool has_no_device_work(rec_kind kind)
{
    return kind == REC_result || kind == REC_timed || kind == REC_settle || kind == REC_waited ||
           kind == REC_mark || kind == REC_wrong || kind == REC_memory;
}

/* The launch that follows in the recording, if its kernel is in the namespace of L's kernel and no
 * other work of the device lies between. Otherwise NULL, with the reader's position unchanged. */
static const rec_launch *next_launch_in_recording(gpu_replay *r, const gpu_launch *l)
{
    const size_t bytes = namespace_bytes(l->kernel);
    const rec_item *i = NULL;
    rec_set_position(r->reader, r->after);
    while (bytes && (i = rec_next_item(r->reader)) && has_no_device_work(i->kind)) {
    }
    char *name = i && i->kind == REC_launch ? name_of_kernel(i->launch.kernel) : NULL;
    const bool same = name && namespace_bytes(name) == bytes && !strncmp(name, l->kernel, bytes);
    free(name);
    if (same) {
        r->after = rec_read_position(r->reader);
        return &i->launch;
    }
    rec_set_position(r->reader, r->after);
    return NULL;
}

/* Pass launch X, and the launches that a library issues together with it, to the callback. */
static bool pass_launches_to_callback(gpu_replay *r, const rec_launch *x)
{
    enum { MAX_OPEN_LAUNCHES = 8 };
    gpu_launch l[MAX_OPEN_LAUNCHES];
    size_t count = 0;
    bool good = true;
    while (x && good && count < MAX_OPEN_LAUNCHES) {
        good = prepare_launch(r, x, &l[count]);
        count++;
        x = good && count < MAX_OPEN_LAUNCHES ? next_launch_in_recording(r, l) : NULL;
    }
    good = good && r->watch->launches(r->watch->object, r, l, count);
    for (size_t i = 0; i < count; i++)
        free(l[i].params);
    return good;
}

bool gpu_repeat_launch(gpu_replay *r, const rec_launch *x)
{
    gpu_launch l;
    r->launched = true;
    if (r->watch)
        return pass_launches_to_callback(r, x);
    const bool good = prepare_launch(r, x, &l) && gpu_time_launches(r, &l, 1, &r->ns);
    const CUlaunchConfig *c = &l.config;
    snprintf(r->kernel, sizeof r->kernel, "%s", l.kernel);
    snprintf(r->shape, sizeof r->shape, "%ux%ux%u\t%ux%ux%u", c->gridDimX, c->gridDimY, c->gridDimZ,
             c->blockDimX, c->blockDimY, c->blockDimZ);
    free(l.params);
    return good;
}

/* --- functions for the callbacks of gpu_watch ------------------------------------------------- */

bool gpu_allocation_at(const gpu_replay *r, CUdeviceptr address, CUdeviceptr *base, uint64_t *size)
{
    for (size_t k = 0; k < r->memory_count; k++) {
        const gpu_allocation *m = &r->memory[k];
        if (address - m->address < m->size) {
            *base = m->address;
            *size = m->size;
            return true;
        }
    }
    return false;
}

bool gpu_find_variable(const gpu_replay *r, const char *name, CUdeviceptr *base, uint64_t *size)
{
    for (size_t k = 0; k < r->variable_count; k++) {
        const moved_variable *v = &r->variables[k];
        if (v->here && !strcmp(v->name, name)) {
            *base = v->here;
            *size = v->size;
            return true;
        }
    }
    return false;
}

bool gpu_save_variables(gpu_replay *r)
{
    for (size_t k = 0; k < r->variable_count; k++) {
        moved_variable *v = &r->variables[k];
        if (!v->here || !v->size)
            continue;
        v->kept = v->kept ? v->kept : malloc((size_t)v->size);
        if (!v->kept)
            return gpu_set_error(r, EXIT_NO_GPU, "the host is out of memory");
        if (!gpu_is_call_good(r, gpu_calls.copy_out(v->kept, v->here, (size_t)v->size), "a copy"))
            return false;
    }
    return true;
}

bool gpu_restore_variables(gpu_replay *r)
{
    for (size_t k = 0; k < r->variable_count; k++) {
        const moved_variable *v = &r->variables[k];
        if (v->kept &&
            !gpu_is_call_good(r, gpu_calls.copy_in(v->here, v->kept, (size_t)v->size), "a copy"))
            return false;
    }
    return true;
}

const char *gpu_device_name(const gpu_replay *r)
{
    return r->device;
}
