#include "gpu_passes.h"

#include "../recording/mix.h"

#include <string.h>

/* Kernels in PTX, so that this program needs no CUDA compiler. Each begins with its thread's number
 * in %i and the number of threads in %step, and takes elements %i, %i + %step, ... below %n. */
#define KERNEL(name, parameters)                                           \
    ".visible .entry " name "(" parameters ")\n{\n"                        \
    ".reg .u32 %a, %b, %c, %size;\n.reg .f32 %f;\n.reg .f64 %d;\n"         \
    ".reg .u64 %i, %step, %n, %at, %seed, %h, %t, %p, %q, %mask, %sum;\n"  \
    ".reg .pred %k, %l;\n"                                                 \
    "mov.u32 %a, %ctaid.x;\nmov.u32 %b, %ntid.x;\nmov.u32 %c, %tid.x;\n"   \
    "mul.wide.u32 %i, %a, %b;\ncvt.u64.u32 %t, %c;\nadd.u64 %i, %i, %t;\n" \
    "mov.u32 %a, %nctaid.x;\nmul.wide.u32 %step, %a, %b;\n"                \
    "ld.param.u64 %at, [at];\nld.param.u64 %n, [n];\n"                     \
    "ld.param.u64 %seed, [seed];\nld.param.u32 %size, [size];\n"

#define PTX_PARAMETERS \
    ".param .u64 at, .param .u64 n, .param .u64 seed, .param .u32 size, .param .u64 to"

/* The function rec_mix_bits applied to register %h; uses %t. */
#define PTX_MIX_BITS                                                                     \
    "shr.u64 %t, %h, 30;\nxor.b64 %h, %h, %t;\nmul.lo.u64 %h, %h, 0xbf58476d1ce4e5b9;\n" \
    "shr.u64 %t, %h, 27;\nxor.b64 %h, %h, %t;\nmul.lo.u64 %h, %h, 0x94d049bb133111eb;\n" \
    "shr.u64 %t, %h, 31;\nxor.b64 %h, %h, %t;\n"

/* %h: 64 random bits of element %i. */
#define PTX_RANDOM_BITS_OF_ELEMENT \
    "add.u64 %h, %i, 1;\nmad.lo.u64 %h, %h, 0x9e3779b97f4a7c15, %seed;\n" PTX_MIX_BITS

/* PTX that executes instruction OP, a load or a store with OPERANDS, with the type of an element of
 * %size bytes. LABEL: begins the names of its labels. */
#define PTX_OF_ELEMENT_SIZE(op, operands, label)                                           \
    "setp.eq.u32 %k, %size, 2;\n@%k bra " label "2;\n"                                     \
    "setp.eq.u32 %k, %size, 4;\n@%k bra " label "4;\n"                                     \
    "setp.eq.u32 %k, %size, 8;\n@%k bra " label "8;\n" op ".u8 " operands ";\nbra " label  \
    "end;\n" label "2:\n" op ".u16 " operands ";\nbra " label "end;\n" label "4:\n" op     \
    ".u32 " operands ";\nbra " label "end;\n" label "8:\n" op ".u64 " operands ";\n" label \
    "end:\n"

/* PTX that loads the element at address AT into %h, or stores %h there. */
#define PTX_LOAD_ELEMENT(at, label)  PTX_OF_ELEMENT_SIZE("ld.global", "%h, [" at "]", label)
#define PTX_STORE_ELEMENT(at, label) PTX_OF_ELEMENT_SIZE("st.global", "[" at "], %h", label)

#define PTX_LOOP_BEGIN               "loop:\nsetp.ge.u64 %k, %i, %n;\n@%k bra done;\n"
#define PTX_LOOP_END                 "next:\nadd.u64 %i, %i, %step;\nbra loop;\ndone:\n"

static const char pass_kernels_ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
    /* Fill with noise. %mask (parameter `to`): 0 for integers, otherwise the bits of the
       floating-point number 1. */
    KERNEL(
        "fill",
        PTX_PARAMETERS) "ld.param.u64 %mask, [to];\ncvt.u64.u32 %q, %size;\n" PTX_LOOP_BEGIN
        PTX_RANDOM_BITS_OF_ELEMENT
                        "setp.eq.u64 %k, %mask, 0;\n@%k bra whole;\nsetp.eq.u32 %k, %size, 8;\n@%k "
                        "bra wide;\n"
                        "setp.eq.u32 %k, %size, 2;\n@%k bra half;\n"
                        /* 23 random bits as the fraction of a float from 1 to 2, minus 1.5 */
                        "shr.u64 %h, %h, 41;\nor.b64 %h, %h, %mask;\ncvt.u32.u64 %a, "
                        "%h;\nmov.b32 %f, "
                        "%a;\n"
                        "sub.f32 %f, %f, 0f3FC00000;\nmov.b32 %a, %f;\ncvt.u64.u32 %h, %a;\nbra "
                        "keep;\n"
                        "wide:\nshr.u64 %h, %h, 12;\nor.b64 %h, %h, %mask;\nmov.b64 %d, %h;\n"
                        "sub.f64 %d, %d, 0d3FF8000000000000;\nmov.b64 %h, %d;\nbra keep;\n"
                        /* from 1/4 to 1 or from -1 to -1/4: eleven random bits and a sign */
                        "half:\nand.b64 %t, %h, 0x8000;\nand.b64 %h, %h, 0x7ff;\nadd.u64 %h, %h, "
                        "0x3400;\nor.b64 %h, %h, %t;\nbra keep;\n"
                        "whole:\nrem.u64 %h, %h, 1000;\n"
                        "keep:\nmad.lo.u64 %p, %i, %q, %at;\n" PTX_STORE_ELEMENT("%p", "store")
                            PTX_LOOP_END "ret;\n}\n"
    /* Elements %i and %i ^ %mask are a pair: two random bits decide which overwrites the other. */
    KERNEL("resample",
           PTX_PARAMETERS) "ld.param.u64 %mask, [to];\ncvt.u64.u32 %sum, %size;\n" PTX_LOOP_BEGIN
                           "xor.b64 %q, %i, %mask;\nsetp.ge.u64 %k, %q, %n;\n@%k bra next;\n"
                           "setp.ge.u64 %k, %i, %q;\n@%k bra next;\n" PTX_RANDOM_BITS_OF_ELEMENT
                           "mad.lo.u64 %p, %i, %sum, %at;\nmad.lo.u64 %q, %q, %sum, %at;\n"
                           "and.b64 %t, %h, 1;\nsetp.eq.u64 %l, %t, 0;\n@%l bra turned;\n"
                           "mov.u64 %t, %p;\nmov.u64 %p, %q;\nmov.u64 %q, %t;\n"
                           "turned:\n" PTX_LOAD_ELEMENT("%p", "load")
                               PTX_STORE_ELEMENT("%q", "store") PTX_LOOP_END "ret;\n}\n"
    /* The digest: the sum, over all 32-bit words, of a hash of the word and its position. */
    KERNEL("digest",
           PTX_PARAMETERS) "ld.param.u64 %q, [to];\nmov.u64 %sum, 0;\n" PTX_LOOP_BEGIN
                           "shl.b64 %p, %i, 2;\nadd.u64 %p, %p, %at;\nld.global.u32 %t, [%p];\n"
                           "mad.lo.u64 %h, %i, 0x9e3779b97f4a7c15, %seed;\nshl.b64 %mask, %t, "
                           "32;\nxor.b64 %h, %h, %mask;\n"
                           "xor.b64 %h, %h, %t;\n" PTX_MIX_BITS
                           "add.u64 %sum, %sum, %h;\n" PTX_LOOP_END
                           "red.global.add.u64 [%q], %sum;\nret;\n}\n"
    /* Element %i of the sample at %sum becomes one of the array's %mask, chosen at random. */
    KERNEL(
        "sample", PTX_PARAMETERS
        ", .param .u64 all") "ld.param.u64 %sum, [to];\nld.param.u64 %mask, [all];\n" PTX_LOOP_BEGIN
                             "mul.lo.u64 %h, %i, 0xd1342543de82ef95;\nxor.b64 %h, %h, %seed;\n"
                             "add.u64 %h, %h, 0x9e3779b97f4a7c15;\n" PTX_MIX_BITS
                             "rem.u64 %h, %h, %mask;\n"
                             "cvt.u64.u32 %t, %size;\nmad.lo.u64 %p, %h, %t, %at;\nmad.lo.u64 "
                             "%q, %i, %t, %sum;\n" PTX_LOAD_ELEMENT("%p", "load")
                                 PTX_STORE_ELEMENT("%q", "store") PTX_LOOP_END "ret;\n}\n";

CUresult gpu_passes_load_kernels(gpu_passes *p)
{
    *p = (gpu_passes){0};
    const struct {
        const char *name;
        CUfunction *to;
    } each[] = {{"fill", &p->fill},
                {"resample", &p->resample},
                {"digest", &p->digest},
                {"sample", &p->sample}};
    CUresult e = gpu_calls.load(&p->module, pass_kernels_ptx);
    for (size_t i = 0; !e && i < sizeof each / sizeof *each; i++)
        e = gpu_calls.function(each[i].to, p->module, each[i].name);
    return e ? e : gpu_calls.alloc(&p->cap, SAMPLE_ELEMENTS * sizeof(uint64_t));
}

/* The parameters of the four pass kernels, in their order in memory. */
typedef struct pass_parameters {
    uint64_t at, n, seed;  /* address of the array; elements to process; seed of the noise */
    uint32_t size, unused; /* bytes of an element; padding */
    uint64_t to;           /* address of the result, or the value %mask of the kernel */
    uint64_t all;          /* number of elements of the array, for `sample` */
} pass_parameters;

/* Launch kernel F for X->n elements. BYTES: size of its parameters X. */
static CUresult launch_pass_kernel(CUfunction f, pass_parameters *x, size_t bytes)
{
    enum { THREADS = 256, MOST_BLOCKS = 1 << 14 };
    const uint64_t blocks = (x->n + THREADS - 1) / THREADS;
    const CUlaunchConfig c = {.gridDimX = (unsigned)(blocks < MOST_BLOCKS ? blocks : MOST_BLOCKS),
                              .gridDimY = 1,
                              .gridDimZ = 1,
                              .blockDimX = THREADS,
                              .blockDimY = 1,
                              .blockDimZ = 1};
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, x, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                     CU_LAUNCH_PARAM_END};
    return blocks ? gpu_calls.launch(&c, f, NULL, extra) : CUDA_SUCCESS;
}

/* Bytes of the parameters of the kernel `sample`, and of the other kernels, which have no `all`. */
enum { SAMPLE_PARAMETER_BYTES = sizeof(pass_parameters), OTHER_PARAMETER_BYTES = 40 };

CUresult gpu_passes_fill(gpu_passes *p, CUdeviceptr at, uint64_t bytes, rule_type type,
                         uint64_t seed)
{
    const size_t size = rule_element_bytes(type);
    const uint64_t one = type == RULE_F16   ? UINT64_C(0x3c00)
                         : type == RULE_F32 ? UINT64_C(0x3f800000)
                         : type == RULE_F64 ? UINT64_C(0x3ff0000000000000)
                                            : 0;
    pass_parameters x = {
        .at = at, .n = bytes / size, .seed = seed, .size = (uint32_t)size, .to = one};
    return launch_pass_kernel(p->fill, &x, OTHER_PARAMETER_BYTES);
}

CUresult gpu_passes_resample(gpu_passes *p, CUdeviceptr at, uint64_t bytes, rule_type type,
                             uint64_t seed)
{
    const size_t size = rule_element_bytes(type);
    const uint64_t n = bytes / size;
    uint64_t state = seed, power = 1;
    while (2 * power <= n)
        power *= 2;
    const uint64_t mask = rec_draw_random(&state) % power;
    pass_parameters x = {.at = at,
                         .n = n,
                         .seed = rec_draw_random(&state),
                         .size = (uint32_t)size,
                         .to = mask ? mask : power / 2};
    return x.to ? launch_pass_kernel(p->resample, &x, OTHER_PARAMETER_BYTES) : CUDA_SUCCESS;
}

CUresult gpu_passes_digest(gpu_passes *p, CUdeviceptr at, uint64_t bytes, uint64_t *digest)
{
    pass_parameters x = {.at = at, .n = bytes / 4, .size = 4, .to = p->cap};
    CUresult e = gpu_calls.fill32(p->cap, 0, 2);
    e = e ? e : launch_pass_kernel(p->digest, &x, OTHER_PARAMETER_BYTES);
    return e ? e : gpu_calls.copy_out(digest, p->cap, sizeof *digest);
}

CUresult gpu_passes_sample(gpu_passes *p, CUdeviceptr at, uint64_t bytes, rule_type type,
                           uint64_t seed, uint64_t count, void *to)
{
    const size_t size = rule_element_bytes(type);
    pass_parameters x = {.at = at,
                         .n = count,
                         .seed = seed,
                         .size = (uint32_t)size,
                         .to = p->cap,
                         .all = bytes / size};
    const CUresult e =
        x.all ? launch_pass_kernel(p->sample, &x, SAMPLE_PARAMETER_BYTES) : CUDA_SUCCESS;
    return e || !x.all ? e : gpu_calls.copy_out(to, p->cap, count * size);
}
