/* The host's access to __device__ and __constant__ variables (Runtime API, "Memory Management"). */
#include "../checks/checks.h"
#include "../core/call.h"
#include "../core/name.h"
#include "../graphs/graph.h"
#include "../memory/copy.h"
#include "../streams/op.h"
#include "kernel.h"

#include <stdio.h>
#include <stdlib.h>

/* The error of a call that was given SYMBOL, which is no variable of device code. */
static cudaError_t error_of_no_symbol(const void *symbol)
{
    char what[400];
    const uint64_t at = (uint64_t)(uintptr_t)symbol;
    if (!symbol)
        return rt_error_because(cudaErrorInvalidSymbol, "the symbol is a null pointer");
    return rt_error_because(cudaErrorInvalidSymbol,
                            "%p is no __device__ or __constant__ variable, but %s: does a variable "
                            "with the same name hide the symbol, or was a pointer or a name given?",
                            symbol,
                            mem_in_window(at) ? "device memory"
                            : rt_name_host_address(at, what, sizeof what)
                                ? what
                                : "an address without memory");
}

/* Take the lock, and find and load the variable. */
static cudaError_t lock_and_load_variable(const void *symbol, rt_symbol **s)
{
    cudaError_t e = rt_lock();
    *s = symbol ? rt_find_symbol(symbol) : NULL;
    e = e || *s ? e : error_of_no_symbol(symbol);
    return e ? e : rt_symbol_load_once(*s);
}

cudaError_t cudaGetSymbolAddress(void **address, const void *symbol)
{
    rt_symbol *s;
    cudaError_t e = lock_and_load_variable(symbol, &s);
    e = RT_INVALID_IF(e, !address);
    if (!e) {
        *address = (void *)(uintptr_t)s->address;
        s->set_by_call = true;
    }
    return rt_unlock(e);
}

cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol)
{
    rt_symbol *s;
    cudaError_t e = lock_and_load_variable(symbol, &s);
    e = RT_INVALID_IF(e, !size);
    return RT_UNLOCK_WITH(e, size, s->size);
}

bool rt_is_symbol_copy_kind_valid(enum cudaMemcpyKind kind, bool to)
{
    return kind == cudaMemcpyDeviceToDevice || kind == cudaMemcpyDefault ||
           kind == (to ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost);
}

static void report_symbol_overrun(const char *what, const rt_symbol *s, size_t offset, size_t count)
{
    char sentence[400], fix[120] = "copy sizeof(variable) bytes, or fewer";
    char *name = name_of_variable(s->name);
    snprintf(sentence, sizeof sentence,
             "%zu bytes from byte %zu on do not fit the variable %.200s, which has %zu bytes",
             count, offset, name ? name : s->name, s->size);
    if (offset > s->size)
        snprintf(fix, sizeof fix, "give an offset in bytes, of %zu at most", s->size);
    else if (offset)
        snprintf(fix, sizeof fix,
                 "copy what the variable has from that byte on: %zu bytes, or fewer",
                 s->size - offset);
    rt_report_bad_argument(what, sentence, fix);
    free(name);
}

static cudaError_t copy_symbol(const char *what, const void *symbol, size_t offset,
                               const void *other, size_t count, enum cudaMemcpyKind kind, bool to,
                               cudaStream_t stream, bool async)
{
    if (!count)
        return rt_unlock(rt_lock());
    rt_symbol *s;
    cudaError_t e = lock_and_load_variable(symbol, &s);
    rt_stream *q = rt_stream_of(stream);
    e = RT_ERROR_IF(e, !q, cudaErrorInvalidResourceHandle);
    if (!e && async && !rt_is_symbol_copy_kind_valid(kind, to))
        e = cudaErrorInvalidMemcpyDirection;
    if (!e && (offset > s->size || count > s->size - offset)) {
        report_symbol_overrun(what, s, offset, count);
        e = cudaErrorInvalidValue;
    }
    e = RT_ERROR_IF(e, !rt_is_symbol_copy_kind_valid(kind, to), cudaErrorInvalidMemcpyDirection);
    if (!e) {
        s->set_by_call = s->set_by_call || to;
        rt_copy_box variable = {s->address + offset, count, count};
        rt_copy_box memory = {(uint64_t)(uintptr_t)other, count, count};
        e = rt_queue_copy(what, to ? variable : memory, to ? memory : variable, count, 1, 1, kind,
                          q, async);
    }
    return rt_unlock(e);
}

RT_AND_ASYNC(cudaMemcpyToSymbol,
             (const void *symbol, const void *src, size_t count, size_t offset,
              enum cudaMemcpyKind kind),
             copy_symbol, symbol, offset, src, count, kind, true)

RT_AND_ASYNC(cudaMemcpyFromSymbol,
             (void *dst, const void *symbol, size_t count, size_t offset, enum cudaMemcpyKind kind),
             copy_symbol, symbol, offset, dst, count, kind, false)
