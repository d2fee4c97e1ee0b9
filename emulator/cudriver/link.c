/* The linker (Driver API, "Module Management", cuLink*): links PTX of several sources into one PTX
 * text, since the emulator's modules consist of PTX. A program can load the result of
 * cuLinkComplete like the machine code that a GPU's driver returns. */
#include "../base/list.h"
#include "../cudart/code/kernel.h"
#include "cudriver.h"

#include <stdlib.h>
#include <string.h>

#define MAX_LINK_OPTIONS 256 /* maximum number of options of a call; CUDA defines fewer */

/* A link in progress. */
struct CUlinkState_st {
    char **text;        /* [count] PTX text of each source */
    unsigned count;     /* number of sources that have been added */
    char *whole;        /* the linked text, or NULL */
    rt_jit_options jit; /* options of cuLinkCreate */
    double seconds;     /* wall time of the link so far */
    bool done;          /* cuLinkComplete has been called: no source can be added */
};

static void free_link(struct CUlinkState_st *s)
{
    for (unsigned i = 0; i < s->count; i++)
        free(s->text[i]);
    free(s->text);
    free(s->whole);
    free(s);
}

static cudaError_t create_link(CUlinkState *out, unsigned count, const int *option, void **value)
{
    struct CUlinkState_st *s = calloc(1, sizeof *s);
    cudaError_t e =
        s ? cu_runtime_table()->jit_read(count, option, value, &s->jit) : cudaErrorMemoryAllocation;
    if (e)
        free(s);
    else
        *out = s;
    return e;
}

CUresult cuLinkCreate(unsigned int count, CUjit_option *option, void **value, CUlinkState *out)
{
    CU_CALL_IF(out && count <= MAX_LINK_OPTIONS,
               create_link(out, count, (const int *)option, value));
}

/* Append TEXT to the sources of the link. */
static cudaError_t keep_source_text(struct CUlinkState_st *s, const char *text,
                                    const rt_jit_options *jit)
{
    char **to = LIST_ADD(s->text, s->count);
    if (!to)
        return cudaErrorMemoryAllocation;
    cudaError_t e = cu_runtime_table()->jit_source(text, jit, to);
    s->count -= e != cudaSuccess;
    return e;
}

/* What kernels find in libcudadevrt.a besides the calls that the device provides itself: the
 * barrier of a cooperative grid as nvcc compiles it, whose address is in %envreg1 and %envreg2. */
static const char device_runtime[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .func (.param .b64 r) cudaCGGetIntrinsicHandle(.param .b32 scope)\n"
    "{\n.reg .b32 %low, %high;\n.reg .b64 %barrier;\n"
    "mov.u32 %high, %envreg1;\nmov.u32 %low, %envreg2;\nmov.b64 %barrier, {%low, %high};\n"
    "st.param.b64 [r], %barrier;\nret;\n}\n"
    ".visible .func (.param .b32 r) cudaCGSynchronize(.param .b64 handle, .param .b32 flags)\n"
    "{\n.reg .pred %p;\n.reg .b32 %x, %y, %z, %blocks, %add, %old, %now;\n.reg .b64 %barrier;\n"
    "ld.param.u64 %barrier, [handle];\nmov.u32 %now, 1;\nsetp.eq.u64 %p, %barrier, 0;\n"
    "@%p bra done;\n" /* cudaErrorInvalidValue */
    "barrier.sync 0;\n"
    "mov.u32 %x, %tid.x;\nmov.u32 %y, %tid.y;\nmov.u32 %z, %tid.z;\n"
    "or.b32 %x, %x, %y;\nor.b32 %x, %x, %z;\nsetp.ne.u32 %p, %x, 0;\n@%p bra together;\n"
    "mov.u32 %x, %nctaid.x;\nmov.u32 %y, %nctaid.y;\nmov.u32 %z, %nctaid.z;\n"
    "mul.lo.u32 %blocks, %x, %y;\nmul.lo.u32 %blocks, %blocks, %z;\n"
    "mov.u32 %x, %ctaid.x;\nmov.u32 %y, %ctaid.y;\nmov.u32 %z, %ctaid.z;\n"
    "or.b32 %x, %x, %y;\nor.b32 %x, %x, %z;\nsetp.eq.u32 %p, %x, 0;\n"
    "sub.u32 %add, 0x80000001, %blocks;\nselp.b32 %add, %add, 1, %p;\n"
    "atom.add.release.gpu.u32 %old, [%barrier+4], %add;\n"
    "wait: ld.acquire.gpu.u32 %now, [%barrier+4];\nxor.b32 %now, %now, %old;\n"
    "setp.ge.s32 %p, %now, 0;\n@%p bra wait;\n"
    "together: barrier.sync 0;\nmov.u32 %now, 0;\n"
    "done: st.param.b32 [r], %now;\nret;\n}\n";

static bool is_device_runtime(CUjitInputType type, const char *name)
{
    return type == CU_JIT_INPUT_LIBRARY && name && strcmp(basename(name), "libcudadevrt.a") == 0;
}

/* A source that is added to a link: the arguments of cuLinkAddData. */
struct link_source {
    CUjitInputType type; /* format of the source: PTX, machine code, ... */
    const char *data;    /* [size] contents of the source */
    size_t size;         /* size of the source in bytes */
    unsigned count;      /* number of options for this source only */
    const int *option;   /* [count] the options: CUjit_option */
    void **value;        /* [count] the values of the options */
};

static cudaError_t add_source(struct CUlinkState_st *s, const struct link_source *in)
{
    rt_jit_options jit = s->jit;
    cudaError_t e = cu_runtime_table()->jit_read(in->count, in->option, in->value, &jit);
    /* The wall time can be requested only for the whole link, not for one source. */
    if (s->done || e || jit.time != s->jit.time)
        return cudaErrorInvalidValue;
    if (in->type != CU_JIT_INPUT_PTX)
        return cudaErrorNotSupported; /* only PTX can be linked */
    const double began = cu_runtime_table()->jit_clock();
    char *text = strndup(in->data, in->size);
    e = text ? keep_source_text(s, text, &jit) : cudaErrorMemoryAllocation;
    free(text);
    s->seconds += cu_runtime_table()->jit_clock() - began;
    return e;
}

CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void *data, size_t size,
                       const char *name, unsigned int count, CUjit_option *option, void **value)
{
    const bool ours = is_device_runtime(type, name);
    const struct link_source in = {ours ? CU_JIT_INPUT_PTX : type,
                                   ours ? device_runtime : data,
                                   ours ? sizeof device_runtime : size,
                                   count,
                                   (const int *)option,
                                   value};
    CU_CALL_WITHOUT_CONTEXT(
        !state || (data && size && type < CU_JIT_NUM_INPUT_TYPES && count <= MAX_LINK_OPTIONS),
        !state ? cudaErrorInvalidResourceHandle : add_source(state, &in));
}

CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char *path, unsigned int count,
                       CUjit_option *option, void **value)
{
    if (!state || !path || state->done)
        return state ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
    CUresult r;
    char *text = cu_read_file(path, &r);
    if (text) {
        r = cuLinkAddData(state, type, text, strlen(text) + 1, path, count, option, value);
        free(text);
    }
    return r;
}

static cudaError_t complete_link(struct CUlinkState_st *s, void **out, size_t *size)
{
    free(s->whole);
    s->whole = NULL;
    s->done = true;
    const double began = cu_runtime_table()->jit_clock();
    cudaError_t e =
        cu_runtime_table()->jit_join((const char *const *)s->text, s->count, &s->jit, &s->whole);
    if (!e) {
        *out = s->whole;
        if (size)
            *size = strlen(s->whole) + 1;
    }
    s->seconds += cu_runtime_table()->jit_clock() - began;
    cu_runtime_table()->jit_answer(&s->jit, s->seconds);
    return e;
}

CUresult cuLinkComplete(CUlinkState state, void **out, size_t *size)
{
    CU_CALL_WITHOUT_CONTEXT(!state || out, !state ? cudaErrorInvalidResourceHandle
                                                  : complete_link(state, out, size));
}

CUresult cuLinkDestroy(CUlinkState state)
{
    CU_CALL_WITHOUT_CONTEXT(true, !state ? cudaErrorInvalidResourceHandle
                                         : (free_link(state), cudaSuccess));
}
