/* The linker (Driver API, "Module Management", cuLink*): PTX of several sources becomes PTX of one,
 * which is what this device's modules are made of. What cuLinkComplete gives out can be loaded, as
 * machine code can on a GPU. */
#include "cudriver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPTIONS_MOST 256 /* there are not as many different ones */

struct CUlinkState_st {
    char **text; /* of each source */
    unsigned count;
    char *whole;
    char *log; /* the program's, for errors; NULL: none */
    size_t room;
    bool done; /* cuLinkComplete: nothing can be added any more */
};

static void forget(struct CUlinkState_st *s)
{
    for (unsigned i = 0; i < s->count; i++) {
        free(s->text[i]);
    }
    free(s->text);
    free(s->whole);
    free(s);
}

static cudaError_t create(CUlinkState *out, unsigned count, const CUjit_option *option,
                          void **value)
{
    struct CUlinkState_st *s = calloc(1, sizeof *s);
    if (!s) {
        return cudaErrorMemoryAllocation;
    }
    for (unsigned i = 0; i < count; i++) {
        if (option[i] == CU_JIT_ERROR_LOG_BUFFER) {
            s->log = value[i];
        } else if (option[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) {
            s->room = (uint32_t)(uintptr_t)value[i];
        } else if (option[i] == CU_JIT_INFO_LOG_BUFFER && value[i]) {
            *(char *)value[i] = '\0';
        }
    }
    if (s->log && s->room) {
        s->log[0] = '\0';
    }
    *out = s;
    return cudaSuccess;
}

CUresult cuLinkCreate(unsigned int count, CUjit_option *option, void **value, CUlinkState *out)
{
    CU_CALL_IF(out && count <= OPTIONS_MOST && (!count || (option && value)),
               create(out, count, option, value));
}

static cudaError_t add(struct CUlinkState_st *s, CUjitInputType type, const char *data, size_t size)
{
    if (s->done) {
        return cudaErrorInvalidValue;
    }
    if (type != CU_JIT_INPUT_PTX) {
        return cudaErrorNotSupported; /* machine code and what becomes it */
    }
    char **more = realloc(s->text, (s->count + 1) * sizeof *more);
    if (!more) {
        return cudaErrorMemoryAllocation;
    }
    s->text = more;
    char *text = strndup(data, size);
    if (!text) {
        return cudaErrorMemoryAllocation;
    }
    cudaError_t e = cu_table()->ptx_check(text, s->log, s->room);
    if (e) {
        free(text);
        return e;
    }
    s->text[s->count++] = text;
    return cudaSuccess;
}

CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void *data, size_t size,
                       const char *name, unsigned int count, CUjit_option *option, void **value)
{
    (void)name, (void)count, (void)option, (void)value; /* of code generation and messages */
    CU_CALL_BARE(!state || (data && size && type < CU_JIT_NUM_INPUT_TYPES),
                 !state ? cudaErrorInvalidResourceHandle : add(state, type, data, size));
}

CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char *path, unsigned int count,
                       CUjit_option *option, void **value)
{
    if (!state || !path || state->done) {
        return state ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
    }
    CUresult r;
    char *text = cu_file(path, &r);
    if (text) {
        r = cuLinkAddData(state, type, text, strlen(text) + 1, path, count, option, value);
        free(text);
    }
    return r;
}

static cudaError_t complete(struct CUlinkState_st *s, void **out, size_t *size)
{
    free(s->whole);
    s->whole = NULL;
    s->done = true;
    cudaError_t e =
        cu_table()->ptx_join((const char *const *)s->text, s->count, &s->whole, s->log, s->room);
    if (!e) {
        *out = s->whole;
        if (size) {
            *size = strlen(s->whole) + 1;
        }
    }
    return e;
}

CUresult cuLinkComplete(CUlinkState state, void **out, size_t *size)
{
    CU_CALL_BARE(!state || out,
                 !state ? cudaErrorInvalidResourceHandle : complete(state, out, size));
}

CUresult cuLinkDestroy(CUlinkState state)
{
    CU_CALL_BARE(true, !state ? cudaErrorInvalidResourceHandle : (forget(state), cudaSuccess));
}
