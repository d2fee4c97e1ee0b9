/* libcudadevrt.a in a link, as numba adds it for kernels with a barrier of the grid: the emulator
 * has the calls itself. Other libraries of machine code are refused. */
#include "check.h"

#include <stdint.h>
#include <string.h>

enum { BLOCKS = 8 };

/* Each block stores its number from 1 on; after the barrier each adds up those of all. */
static const char sums_ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".extern .func (.param .b64 r) cudaCGGetIntrinsicHandle(.param .b32 scope);\n"
    ".extern .func (.param .b32 r) cudaCGSynchronize(.param .b64 handle, .param .b32 flags);\n"
    ".visible .entry sums(.param .u64 p)\n{\n.reg .pred %p;\n.reg .b32 %r<7>;\n.reg .b64 %d<6>;\n"
    "ld.param.u64 %d1, [p];\ncvta.to.global.u64 %d1, %d1;\nmov.u32 %r1, %ctaid.x;\n"
    "add.u32 %r2, %r1, 1;\nmul.wide.u32 %d2, %r1, 4;\nadd.u64 %d2, %d1, %d2;\n"
    "st.global.u32 [%d2], %r2;\n"
    "{ .param .b32 a; .param .b64 b; st.param.b32 [a], 1;\n"
    "call.uni (b), cudaCGGetIntrinsicHandle, (a);\nld.param.b64 %d3, [b]; }\n"
    "{ .param .b64 a; .param .b32 b; .param .b32 c; st.param.b64 [a], %d3; st.param.b32 [b], 0;\n"
    "call.uni (c), cudaCGSynchronize, (a, b);\nld.param.b32 %r3, [c]; }\n"
    "mov.u32 %r4, 0;\nmov.u32 %r5, 0;\nmov.u64 %d4, %d1;\n"
    "more: ld.volatile.global.u32 %r6, [%d4];\nadd.u32 %r4, %r4, %r6;\nadd.u64 %d4, %d4, 4;\n"
    "add.u32 %r5, %r5, 1;\nmov.u32 %r6, %nctaid.x;\nsetp.lt.u32 %p, %r5, %r6;\n@%p bra more;\n"
    "st.global.u32 [%d2+32], %r4;\nst.global.u32 [%d2+64], %r3;\nret;\n}\n";

static char archive[] = "!<arch>\n";

static void test_barrier(void)
{
    CUlinkState link;
    CUmodule module;
    CUfunction sums;
    CUdeviceptr at;
    void *code, *arguments[] = {&at};
    unsigned value[3 * BLOCKS] = {0};
    OK(cuLinkCreate(0, NULL, NULL, &link));
    OK(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)(uintptr_t)sums_ptx, sizeof sums_ptx, "sums",
                     0, NULL, NULL));
    OK(cuLinkAddData(link, CU_JIT_INPUT_LIBRARY, archive, sizeof archive, "lib/libcudadevrt.a", 0,
                     NULL, NULL));
    OK(cuLinkComplete(link, &code, NULL));
    OK(cuModuleLoadData(&module, code));
    OK(cuLinkDestroy(link));
    OK(cuModuleGetFunction(&sums, module, "sums"));
    OK(cuMemAlloc(&at, sizeof value));
    OK(cuMemcpyHtoD(at, value, sizeof value));
    OK(cuLaunchCooperativeKernel(sums, BLOCKS, 1, 1, 64, 1, 1, 0, NULL, arguments));
    OK(cuMemcpyDtoH(value, at, sizeof value));
    for (int block = 0; block < BLOCKS; block++)
        SO(value[BLOCKS + block] == 36 && value[2 * BLOCKS + block] == 0);
    OK(cuMemFree(at));
    OK(cuModuleUnload(module));
}

static void test_other_libraries(void)
{
    CUlinkState link;
    OK(cuLinkCreate(0, NULL, NULL, &link));
    IS(ERROR_NOT_SUPPORTED, cuLinkAddData(link, CU_JIT_INPUT_LIBRARY, archive, sizeof archive,
                                          "lib/libmine.a", 0, NULL, NULL));
    IS(ERROR_NOT_SUPPORTED,
       cuLinkAddData(link, CU_JIT_INPUT_LIBRARY, archive, sizeof archive, NULL, 0, NULL, NULL));
    OK(cuLinkDestroy(link));
}

int main(void)
{
    CUcontext context;
    OK(cuInit(0));
    OK(cuCtxCreate(&context, NULL, 0, 0));
    test_barrier();
    test_other_libraries();
    OK(cuCtxDestroy(context));
    return failures != 0;
}
