#include "driver_table.h"
#include "../../memory/memory.h"
#include "../core/context.h"
#include "../core/handle.h"
#include "../core/state.h"
#include "../memory/copy.h"

#include <string.h>

static bool is_device_open(void)
{
    rt_take_lock_again();
    bool so = rt.opened && !rt.failed;
    rt_release_lock();
    return so;
}

/* Returns cudaSuccess if the context C can be used, else the error. Call with the lock held. */
static cudaError_t check_context(const rt_context *c)
{
    if (!c || !rt_is_context(c))
        return cudaErrorDeviceUninitialized; /* CUDA_ERROR_INVALID_CONTEXT of the driver API */
    return c->live ? cudaSuccess : cudaErrorContextIsDestroyed;
}

static cudaError_t lock_and_check_context(const rt_context *c)
{
    rt_lock();
    return rt_unlock(check_context(c));
}

static cudaError_t check_current_context(void)
{
    return lock_and_check_context(rt_context_current());
}

/* The context of stream S. The default streams belong to the current context. */
static rt_context *context_of_stream(const rt_stream *s, cudaStream_t handle)
{
    return s->context ? s->context : handle && s->id ? &rt.contexts.primary : rt_context_current();
}

/* The owner of objects in C, as rt_current_owner_context has it: NULL for the primary context. */
static const void *owner_of_objects_in_context(const rt_context *c)
{
    return c && !c->primary ? c : NULL;
}

/* --- contexts --------------------------------------------------------------------------------- */

static cudaError_t create_context(rt_context **out, unsigned flags)
{
    cudaError_t e = rt_lock();
    rt_context *c = e ? NULL : rt_context_new(flags);
    e = RT_ERROR_IF(e, !c || !rt_context_push(c), cudaErrorMemoryAllocation);
    return RT_UNLOCK_WITH(e, out, c);
}

static cudaError_t destroy_context(rt_context *c)
{
    rt_lock_without_checks();
    cudaError_t e = c && c->primary ? cudaErrorDeviceUninitialized : check_context(c);
    e = RT_ERROR_IF(e, rt_this_thread_runs_op(), cudaErrorNotPermitted);
    if (!e)
        rt_context_destroy(c);
    return rt_unlock(e);
}

static cudaError_t push_context(rt_context *c)
{
    rt_lock_without_checks();
    cudaError_t e = check_context(c);
    return rt_unlock(e ? e : rt_context_push(c) ? cudaSuccess : cudaErrorMemoryAllocation);
}

static cudaError_t pop_context(rt_context **out)
{
    rt_context *c = rt_context_pop();
    if (c && out)
        *out = c;
    return c ? cudaSuccess : cudaErrorDeviceUninitialized;
}

static cudaError_t set_context(rt_context *c)
{
    rt_lock_without_checks();
    cudaError_t e = c ? check_context(c) : cudaSuccess;
    return rt_unlock(e ? e : rt_context_set(c) ? cudaSuccess : cudaErrorMemoryAllocation);
}

static cudaError_t retain_primary_context(rt_context **out)
{
    cudaError_t e = rt_lock();
    if (!e) {
        rt_primary_context_retain();
        *out = &rt.contexts.primary;
    }
    return rt_unlock(e);
}

static cudaError_t release_primary_context(void)
{
    rt_lock_without_checks();
    cudaError_t e = rt_primary_context_release() ? cudaSuccess : cudaErrorDeviceUninitialized;
    bool last = !e && rt_primary_context_is_unused();
    rt_unlock(e);
    return last ? cudaDeviceReset() : e;
}

static bool is_primary_context_active(void)
{
    rt_take_lock_again();
    bool so = rt.contexts.primary.live;
    rt_release_lock();
    return so;
}

/* --- modules ---------------------------------------------------------------------------------- */

static cudaError_t open_module(const void *image, const rt_jit_options *jit, rt_module **out)
{
    cudaError_t e = rt_lock();
    return rt_unlock(e ? e : rt_module_open(image, jit, out));
}

static cudaError_t close_module(rt_module *m)
{
    cudaError_t e = rt_lock();
    e = RT_ERROR_IF(e, !rt_is_module_opened(m), cudaErrorInvalidResourceHandle);
    e = e ? e : rt_finish_all();
    if (!e)
        rt_module_remove(m);
    return rt_unlock(e);
}

static cudaError_t find_kernel_in_module(rt_module *m, const char *name, rt_kernel **out)
{
    cudaError_t e = rt_lock();
    e = RT_ERROR_IF(e, !rt_is_module_opened(m), cudaErrorInvalidResourceHandle);
    if (!e) {
        rt_kernel *k = NULL;
        e = rt_module_kernel(m, name, &k);
        e = e ? e : rt_kernel_load_once(k);
        *out = e ? *out : k;
    }
    return rt_unlock(e);
}

static cudaError_t list_kernel_names(rt_module *m, const char **names, unsigned cap,
                                     unsigned *count)
{
    cudaError_t e = rt_lock();
    e = RT_ERROR_IF(e, !rt_is_module_opened(m), cudaErrorInvalidResourceHandle);
    unsigned n = 0;
    for (const char *name; !e && (name = rt_module_kernel_name(m, n)); n++)
        if (n < cap)
            names[n] = name;
    *count = n;
    return rt_unlock(e);
}

static cudaError_t find_module_of_kernel(const void *handle, rt_module **out)
{
    cudaError_t e = rt_lock();
    const rt_kernel *k = e ? NULL : rt_find_kernel(handle);
    e = RT_ERROR_IF(e, !k, cudaErrorInvalidResourceHandle);
    return RT_UNLOCK_WITH(e, out, k->module);
}

static cudaError_t find_module_of_library(cudaLibrary_t library, rt_module **out)
{
    cudaError_t e = rt_lock();
    if (!e && !rt_handle_is_valid(library, RT_HANDLE_LIBRARY))
        e = cudaErrorInvalidResourceHandle;
    return RT_UNLOCK_WITH(e, out, (rt_module *)library);
}

static cudaError_t find_variable_in_module(rt_module *m, const char *name, uint64_t *at,
                                           size_t *size)
{
    cudaError_t e = rt_lock();
    e = RT_ERROR_IF(e, !rt_is_module_opened(m), cudaErrorInvalidResourceHandle);
    if (!e) {
        bool managed;
        *at = rt_module_variable(m, name, size, &managed);
        e = *at ? cudaSuccess : cudaErrorSymbolNotFound;
    }
    return rt_unlock(e);
}

static cudaError_t count_kernel_params(const void *handle, uint32_t *params)
{
    cudaError_t e = rt_lock();
    rt_kernel *k = handle ? rt_find_kernel(handle) : NULL;
    e = e ? e : k ? rt_kernel_load_once(k) : cudaErrorInvalidResourceHandle;
    return RT_UNLOCK_WITH(e, params, k->func->param_count);
}

/* Check that a stream and a kernel from a loaded module belong to the same context. */
static cudaError_t check_kernel_on_stream(const void *handle, cudaStream_t stream, uint32_t *params)
{
    cudaError_t e = rt_lock();
    const rt_kernel *k = handle ? rt_find_kernel(handle) : NULL;
    const rt_stream *s = rt_stream_of(stream);
    if (!e && k && s && rt_is_module_opened(k->module) &&
        rt_module_context(k->module) != owner_of_objects_in_context(context_of_stream(s, stream)))
        e = cudaErrorInvalidResourceHandle;
    e = rt_unlock(e);
    return e ? e : count_kernel_params(handle, params);
}

/* --- memory ----------------------------------------------------------------------------------- */

static cudaError_t copy_memory(const char *what, uint64_t dst, uint64_t src, size_t bytes,
                               enum cudaMemcpyKind kind, cudaStream_t stream, bool async)
{
    cudaError_t e = rt_lock();
    rt_stream *s = rt_stream_of(stream);
    e = RT_ERROR_IF(e, !s, cudaErrorInvalidResourceHandle);
    rt_copy_box to = {dst, bytes, bytes}, from = {src, bytes, bytes};
    return rt_unlock(e ? e : rt_queue_copy(what, to, from, bytes, 1, 1, kind, s, async));
}

static cudaError_t fill_memory(const char *what, uint64_t dst, size_t pitch, uint32_t value,
                               size_t unit, size_t width, size_t height, cudaStream_t stream,
                               bool async)
{
    cudaError_t e = rt_lock();
    rt_stream *s = rt_stream_of(stream);
    size_t bytes = 0;
    e = RT_ERROR_IF(e, !s, cudaErrorInvalidResourceHandle);
    if (!e && (__builtin_mul_overflow(width, unit, &bytes) || dst % unit || pitch % unit ||
               (height > 1 && pitch < bytes)))
        e = cudaErrorInvalidValue;
    const size_t row = pitch ? pitch : bytes;
    e = e ? e
          : rt_queue_fill(what, (rt_copy_box){dst, row, row * height}, value, unit, bytes, height,
                          1, s, async);
    return rt_unlock(e);
}

static cudaError_t find_allocation_range(uint64_t at, uint64_t *base, size_t *size)
{
    mem_range r;
    cudaError_t e = rt_lock();
    mem_mapping m;
    e = RT_ERROR_IF(e, !mem_find_range(at, &r), cudaErrorSymbolNotFound);
    if (!e) {
        const bool mapped = mem_find_mapping(at, &m) && !m.name; /* a range may have several */
        *base = mapped ? m.at : r.base;
        *size = mapped ? m.size : r.size;
    }
    return rt_unlock(e);
}

/* --- linking ---------------------------------------------------------------------------------- */

static cudaError_t link_jit_texts(const char *const *text, unsigned count,
                                  const rt_jit_options *jit, char **out)
{
    cudaError_t e = rt_lock();
    return rt_unlock(e ? e : rt_jit_link_texts(text, count, jit, out));
}

static cudaError_t find_context_of_pointer(uint64_t at, rt_context **out)
{
    mem_range r;
    cudaError_t e = rt_lock();
    e = RT_INVALID_IF(e, !mem_find_range(at, &r));
    if (!e) {
        rt_context *c = rt_memory_owner(r.base);
        *out = c ? c : &rt.contexts.primary;
    }
    return rt_unlock(e);
}

static cudaError_t find_context_of_stream(cudaStream_t stream, rt_context **out)
{
    cudaError_t e = rt_lock();
    const rt_stream *s = rt_stream_of(stream);
    e = RT_ERROR_IF(e, !s, cudaErrorInvalidResourceHandle);
    return RT_UNLOCK_WITH(e, out, context_of_stream(s, stream));
}

static unsigned *pointer_to_per_thread_default(void)
{
    return &rt_per_thread_default;
}

const rt_driver *__cudaWarpbookDriver(void)
{
    static const rt_driver table = {.begin = rt_begin_driver_call,
                                    .end = rt_end_driver_call,
                                    .opened = is_device_open,
                                    .current_usable = check_current_context,
                                    .context_usable = lock_and_check_context,
                                    .create = create_context,
                                    .destroy = destroy_context,
                                    .push = push_context,
                                    .pop = pop_context,
                                    .set = set_context,
                                    .current = rt_context_current,
                                    .retain = retain_primary_context,
                                    .release = release_primary_context,
                                    .active = is_primary_context_active,
                                    .jit_read = rt_jit_read_options,
                                    .jit_answer = rt_jit_store_results,
                                    .jit_clock = rt_monotonic_seconds,
                                    .jit_source = rt_jit_add_directives,
                                    .jit_join = link_jit_texts,
                                    .module_open = open_module,
                                    .module_close = close_module,
                                    .module_kernel = find_kernel_in_module,
                                    .module_kernel_names = list_kernel_names,
                                    .module_variable = find_variable_in_module,
                                    .kernel_module = find_module_of_kernel,
                                    .library_module = find_module_of_library,
                                    .kernel = count_kernel_params,
                                    .kernel_on = check_kernel_on_stream,
                                    .copy = copy_memory,
                                    .fill = fill_memory,
                                    .range = find_allocation_range,
                                    .memop_write = rt_memop_write,
                                    .memop_wait = rt_memop_wait,
                                    .virtual = &rt_virtual_calls,
                                    .pointer_context = find_context_of_pointer,
                                    .stream_context = find_context_of_stream,
                                    .per_thread_default = pointer_to_per_thread_default,
                                    .say_missing = rt_report_unsupported,
                                    .say = rt_print_message};
    return &table;
}
