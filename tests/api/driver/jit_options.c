/* Effects of JIT options that tests/hardware/codes/driver/jit_options.cu cannot see: variables that
 * the program defines, and how a register limit appears in the log and affects a launch. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER(n) ((void *)(uintptr_t)(n))

static const char add_kernel_ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                                     ".extern .global .align 4 .b32 outside[2];\n"
                                     ".visible .entry add()\n{\n.reg .b32 %r<4>;\n"
                                     "ld.global.b32 %r0, [outside];\n"
                                     "ld.global.b32 %r1, [outside+4];\n"
                                     "add.s32 %r2, %r0, %r1;\n"
                                     "st.global.b32 [outside], %r2;\nret;\n}\n";

/* PTX of a kernel with 60 live values. */
static char *ptx_with_live_values(void)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    fputs(".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry hold(.param .u64 p)\n"
          "{\n.reg .f32 %f<60>;\n.reg .b64 %d<2>;\nld.param.u64 %d1,[p];\n",
          f);
    for (int i = 0; i < 60; i++) {
        fprintf(f, "ld.volatile.global.f32 %%f%d,[%%d1+%d];\n", i, 4 * i);
    }
    for (int i = 0; i < 60; i++) {
        fprintf(f, "st.volatile.global.f32 [%%d1+%d],%%f%d;\n", 4 * i, 59 - i);
    }
    fputs("ret;\n}\n", f);
    fclose(f);
    return text;
}

static void test_out_of_range_options(void)
{
    CUmodule module;
    CUfunction add;
    CUdeviceptr at;
    int value[2] = {40, 2};
    const char *names[] = {"another", "outside"};

    OK(cuMemAlloc(&at, sizeof value));
    OK(cuMemcpyHtoD(at, value, sizeof value));
    void *addresses[] = {NULL, NUMBER(at)};
    CUjit_option key[] = {CU_JIT_GLOBAL_SYMBOL_NAMES, CU_JIT_GLOBAL_SYMBOL_ADDRESSES,
                          CU_JIT_GLOBAL_SYMBOL_COUNT};
    void *values[] = {names, addresses, NUMBER(2)};
    OK(cuModuleLoadDataEx(&module, add_kernel_ptx, 3, key, values));
    OK(cuModuleGetFunction(&add, module, "add"));
    OK(cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    OK(cuModuleUnload(module)); /* the memory still belongs to the program */
    OK(cuMemcpyDtoH(value, at, sizeof value));
    SO(value[0] == 42 && value[1] == 2);

    /* The linker binds these variables too: its output loads without options, but linking fails
     * without them. */
    CUlinkState link;
    void *image;
    OK(cuLinkCreate(3, key, values, &link));
    OK(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)(uintptr_t)add_kernel_ptx,
                     sizeof add_kernel_ptx, "adds", 0, NULL, NULL));
    OK(cuLinkComplete(link, &image, NULL));
    OK(cuModuleLoadData(&module, image));
    OK(cuLinkDestroy(link));
    OK(cuModuleGetFunction(&add, module, "add"));
    OK(cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    OK(cuMemcpyDtoH(value, at, sizeof value));
    SO(value[0] == 44 && value[1] == 2);
    OK(cuModuleUnload(module));
    OK(cuLinkCreate(0, NULL, NULL, &link));
    OK(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)(uintptr_t)add_kernel_ptx,
                     sizeof add_kernel_ptx, "adds", 0, NULL, NULL));
    SO(cuLinkComplete(link, &image, NULL) != CUDA_SUCCESS);
    OK(cuLinkDestroy(link));
    OK(cuMemFree(at));
}

/* Registers and local memory of kernel `hold`, loaded with a limit of MOST registers per thread; 0:
 * no limit. */
static void load_with_limit(const char *text, unsigned most, int *registers, int *local,
                            int *blocks)
{
    CUmodule module;
    CUfunction hold;
    CUjit_option key = CU_JIT_MAX_REGISTERS;
    void *value = NUMBER(most);
    OK(cuModuleLoadDataEx(&module, text, most ? 1 : 0, &key, &value));
    OK(cuModuleGetFunction(&hold, module, "hold"));
    OK(cuFuncGetAttribute(registers, CU_FUNC_ATTRIBUTE_NUM_REGS, hold));
    OK(cuFuncGetAttribute(local, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, hold));
    OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, hold, 256, 0));
    OK(cuModuleUnload(module));
}

static void test_register_limits(const char *text)
{
    int registers, local, blocks, fewer, spilled, more;
    load_with_limit(text, 0, &registers, &local, &blocks);
    SO(registers >= 60 && local == 0 && blocks < 5);
    load_with_limit(text, 32, &fewer, &spilled, &more);
    SO(fewer == 32 && more == 8);
    SO(spilled >= (registers - 32) * 4 && spilled % 8 == 0);
}

static void test_log_buffers(const char *text)
{
    static char info[2000], error[2000];
    CUjit_option key[] = {CU_JIT_INFO_LOG_BUFFER,  CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
                          CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                          CU_JIT_LOG_VERBOSE,      CU_JIT_MAX_REGISTERS,
                          CU_JIT_WALL_TIME};
    void *value[] = {info,      NUMBER(sizeof info), error, NUMBER(sizeof error),
                     NUMBER(1), NUMBER(32),          NULL};
    CUmodule module;
    float ms = 0;
    OK(cuModuleLoadDataEx(&module, text, 7, key, value));
    SO(strstr(info, "Compiling entry function 'hold' for 'sm_") != NULL);
    SO(strstr(info, "Used 32 registers") != NULL);
    SO((unsigned)(uintptr_t)value[1] == strlen(info));
    SO(!error[0] && !value[3]);
    memcpy(&ms, &value[6], sizeof ms);
    SO(ms > 0);
    OK(cuModuleUnload(module));
}

/* A linked module has the limits of its source, and options at load time do not change them. */
static void test_linked_module(const char *text)
{
    CUlinkState link;
    CUjit_option key = CU_JIT_MAX_REGISTERS;
    void *value = NUMBER(40), *code;
    int registers, local, blocks;
    OK(cuLinkCreate(0, NULL, NULL, &link));
    OK(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)text, strlen(text) + 1, "hold", 1, &key,
                     &value));
    OK(cuLinkComplete(link, &code, NULL));
    load_with_limit(code, 24, &registers, &local, &blocks);
    SO(registers == 40 && local > 0);
    OK(cuLinkDestroy(link));
}

int main(void)
{
    CUcontext context;
    char *text = ptx_with_live_values();
    OK(cuInit(0));
    OK(cuCtxCreate(&context, NULL, 0, 0));
    test_out_of_range_options();
    test_register_limits(text);
    test_log_buffers(text);
    test_linked_module(text);
    OK(cuCtxDestroy(context));
    free(text);
    return failures != 0;
}
