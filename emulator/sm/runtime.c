/* Calls of the CUDA runtime from device code. This file collects the arguments and the calling
 * thread; cudart/device_side executes the call. */
#include "../observe/observe.h"
#include "fault.h"
#include "syscalls.h"

#include <string.h>

typedef struct device_caller {
    sm_runtime_call
        call; /* must be the first field, because a pointer to it is cast to a device_caller */
    const sm_warp *warp; /* the warp of the calling thread */
    uint32_t lane;       /* lane of the calling thread in its warp */
} device_caller;

bool sm_is_private_address(uint64_t address)
{
    const uint64_t window = address & SM_WINDOW_MASK;
    return (window == SM_SHARED_WINDOW || window == SM_LOCAL_WINDOW) &&
           (address & ~SM_WINDOW_MASK) <= UINT32_MAX;
}

static void *caller_memory(const sm_runtime_call *c, uint64_t address, uint32_t bytes)
{
    const device_caller *from = (const device_caller *)c;
    return sm_host_pointer_of_generic(from->warp, from->lane, address, bytes);
}

/* Copy argument A of lane LANE to TO: at most three words, the size of a dim3. */
static void read_runtime_argument(sm_runtime_argument *to, const uint8_t *window,
                                  const sm_call_operand *a, uint32_t lane)
{
    to->value = sm_read_call_argument(window, a, lane);
    to->word[0] = (uint32_t)to->value;
    to->word[1] = (uint32_t)(to->value >> 32);
    to->word[2] = 0;
    if (a->bytes < 12)
        return;
    if (a->words)
        to->word[2] = ((const uint32_t *)(window + a->slot))[lane + 2 * SM_LANES];
    else
        memcpy(&to->word[2], window + a->slot + (size_t)lane * a->bytes + 8, 4);
}

#define MAX_PARAMETER_BYTES 4096 /* maximum size of the parameters of a launch, in bytes */

static const sm_insn *call_device_runtime(sm_warp *w, const sm_insn *i, const sm_call *c,
                                          sm_runtime_function which)
{
    const sm_launch *l = w->block->grid->launch;
    const uint32_t *size = l->block;
    if (!l->runtime_call) {
        return sm_stop_launch(w, i, SM_FAULT_UNSUPPORTED, w->mask, 0, 0, PTX_SPACE_NONE,
                              "device code calls the CUDA runtime, which is not available here");
    }
    SM_EACH_LANE(lane, w->mask) {
        device_caller from = {
            .call = {.function = which, .block = w->block->linear, .memory = caller_memory},
            .warp = w,
            .lane = lane};
        from.call.thread =
            (w->tid[2][lane] * size[1] + w->tid[1][lane]) * size[0] + w->tid[0][lane];
        for (uint32_t k = 0; k < c->arg_count && k < SM_RUNTIME_MAX_ARGUMENTS; k++)
            read_runtime_argument(&from.call.arg[k], w->r, &c->arg[k], lane);
        l->runtime_call(l->runtime, &from.call);
        if (from.call.fault) {
            return sm_stop_launch(w, i, from.call.fault, 1u << lane, 0, 0, PTX_SPACE_NONE, "%s",
                                  from.call.fault_text);
        }
        const bool buffer =
            which == SM_RUNTIME_GetParameterBuffer || which == SM_RUNTIME_GetParameterBufferV2;
        if (buffer && from.call.result && w->block->observed)
            observe_heap_alloc(w, lane, from.call.result, MAX_PARAMETER_BYTES);
        if (from.call.request && w->block->observed)
            observe_requests_work(w, lane, from.call.request);
        if (c->ret_count)
            sm_write_call_argument(w->r, &c->ret[0], lane, from.call.result);
    }
    return i + 1;
}

#define RUNTIME(name, args)                                                          \
    static const sm_insn *run_##name(sm_warp *w, const sm_insn *i, const sm_call *c) \
    {                                                                                \
        return call_device_runtime(w, i, c, SM_RUNTIME_##name);                      \
    }
#include "../core/runtime.def"
#undef RUNTIME

sm_syscall sm_runtime_find(const char *name, uint32_t args)
{
    static const struct {
        const char *name;
        uint32_t args;
        sm_syscall run;
    } table[] = {
#define RUNTIME(name, args) {#name, args, run_##name},
#include "../core/runtime.def"
#undef RUNTIME
    };
    static const char prefix[] = "__cudaCDP2";
    if (strncmp(name, prefix, sizeof prefix - 1) != 0)
        return NULL;
    name += sizeof prefix - 1;
    for (size_t k = 0; k < sizeof table / sizeof *table; k++)
        if (strcmp(table[k].name, name) == 0 && (args == SM_ANY_ARGUMENTS || table[k].args == args))
            return table[k].run;
    return NULL;
}
