/* Modules from text, file and fat binary; functions, variables, launches, memory, streams, events.
 * argv: the PTX of kernels.cu, and its fat binary. */
#include "check.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define N 1000

static char *read_bytes(const char *path)
{
    FILE *f = fopen(path, "rb");
    char *text = calloc(1, 1 << 20);
    if (!f || !fread(text, 1, (1 << 20) - 1, f)) {
        exit(2);
    }
    fclose(f);
    return text;
}

/* A kernel writes constant memory through the address that cuModuleGetGlobal gives; the next launch
 * and the host read what it wrote. */
static void constants_written_by_a_kernel(void)
{
    static const char text[] =
        ".version 7.0\n.target sm_70\n.address_size 64\n"
        ".visible .const .align 4 .b32 table[3] = {1, 2, 3};\n"
        ".visible .entry put(.param .u64 p)\n{\n.reg .b64 %d<2>;\nld.param.u64 %d1, [p];\n"
        "st.global.u32 [%d1+4], 40;\nret;\n}\n"
        ".visible .entry sum(.param .u64 p)\n{\n.reg .b64 %d<2>;\n.reg .b32 %r<4>;\n"
        "ld.param.u64 %d1, [p];\nld.const.u32 %r1, [table];\nld.const.u32 %r2, [table+4];\n"
        "add.u32 %r3, %r1, %r2;\nst.global.u32 [%d1], %r3;\nret;\n}\n";
    CUmodule module;
    CUfunction put, sum;
    CUdeviceptr table, out;
    size_t size;
    int value = 0, all[3];

    OK(cuModuleLoadData(&module, text));
    OK(cuModuleGetFunction(&put, module, "put"));
    OK(cuModuleGetFunction(&sum, module, "sum"));
    OK(cuModuleGetGlobal(&table, &size, module, "table"));
    SO(size == sizeof all);
    OK(cuMemAlloc(&out, sizeof value));
    void *to_table[] = {&table}, *to_out[] = {&out};
    OK(cuLaunchKernel(sum, 1, 1, 1, 1, 1, 1, 0, NULL, to_out, NULL));
    OK(cuMemcpyDtoH(&value, out, sizeof value));
    SO(value == 3);
    OK(cuLaunchKernel(put, 1, 1, 1, 1, 1, 1, 0, NULL, to_table, NULL));
    OK(cuLaunchKernel(sum, 1, 1, 1, 1, 1, 1, 0, NULL, to_out, NULL));
    OK(cuMemcpyDtoH(&value, out, sizeof value));
    SO(value == 41);
    OK(cuMemcpyDtoH(all, table, sizeof all));
    SO(all[0] == 1 && all[1] == 40 && all[2] == 3);
    OK(cuMemFree(out));
    OK(cuModuleUnload(module));
}

static void test_launches_from_module(CUmodule module)
{
    static float data[N], back[N];
    CUfunction scale, count;
    CUdeviceptr p, q, counter;
    CUstream stream;
    CUevent start, stop;
    size_t size;
    int n = N, value = 0;
    float by = 3, ms = -1;

    OK(cuModuleGetFunction(&scale, module, "scale"));
    OK(cuModuleGetFunction(&count, module, "count"));
    IS(ERROR_NOT_FOUND, cuModuleGetFunction(&count, module, "nothing"));
    IS(ERROR_NOT_FOUND, cuModuleGetGlobal(&counter, &size, module, "nothing"));
    OK(cuModuleGetGlobal(&counter, &size, module, "counter"));
    SO(size == 4);
    OK(cuMemcpyDtoH(&value, counter, 4));
    SO(value == 7);

    for (int i = 0; i < N; i++) {
        data[i] = (float)i;
    }
    OK(cuMemAlloc(&p, sizeof data));
    OK(cuMemAlloc(&q, sizeof data));
    IS(ERROR_INVALID_VALUE, cuMemAlloc(&q, 0));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuEventCreate(&start, CU_EVENT_DEFAULT));
    OK(cuEventCreate(&stop, CU_EVENT_DEFAULT));
    OK(cuMemcpyHtoD(p, data, sizeof data));

    void *params[] = {&p, &n, &by};
    OK(cuEventRecord(start, stream));
    OK(cuLaunchKernel(scale, 8, 1, 1, 128, 1, 1, 0, stream, params, NULL));
    OK(cuEventRecord(stop, stream));
    OK(cuEventSynchronize(stop));
    OK(cuEventQuery(stop));
    OK(cuEventElapsedTime(&ms, start, stop));
    SO(ms > 0);
    OK(cuMemcpyDtoD(q, p, sizeof data));
    OK(cuMemcpyDtoH(back, q, sizeof back));
    for (int i = 0; i < N && !failures; i++) {
        SO(back[i] == 6.f * (float)i);
    }
    OK(cuMemcpyHtoDAsync(p, data, sizeof data, stream));
    OK(cuMemcpyDtoDAsync(q, p, sizeof data, stream));
    OK(cuMemcpyDtoHAsync(back, q, sizeof data, stream));
    OK(cuStreamSynchronize(stream));
    OK(cuStreamQuery(stream));
    SO(!memcmp(back, data, sizeof data));
    OK(cuMemsetD32(p, 0x3f800000, N));
    OK(cuMemsetD8(p, 0, 4));
    OK(cuMemcpyDtoH(back, p, sizeof back));
    SO(back[0] == 0 && back[1] == 1 && back[N - 1] == 1);

    /* Parameters in one buffer, aligned as in a C struct. */
    struct {
        char small;
        double *at;
    } packed = {5, (double *)(uintptr_t)q};
    size = sizeof packed;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     CU_LAUNCH_PARAM_END};
    double sum = 0;
    OK(cuModuleGetFunction(&count, module, "count"));
    OK(cuLaunchKernel(count, 1, 1, 1, 64, 1, 1, 0, NULL, NULL, extra));
    OK(cuMemcpyDtoH(&sum, q, sizeof sum));
    SO(sum == 5 + 8);
    IS(ERROR_INVALID_VALUE, cuLaunchKernel(count, 1, 1, 1, 64, 1, 1, 0, NULL, params, extra));
    IS(ERROR_INVALID_VALUE, cuLaunchKernel(scale, 0, 1, 1, 64, 1, 1, 0, NULL, params, NULL));
    IS(ERROR_INVALID_VALUE, cuLaunchKernel(scale, 1, 1, 1, 2048, 1, 1, 0, NULL, params, NULL));

    OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, count));
    SO(value == 1024);
    OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, count));
    SO(value == 128);
    OK(cuFuncSetAttribute(count, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 65536));
    OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, count));
    SO(value == 65536);

    OK(cuEventDestroy(start));
    OK(cuEventDestroy(stop));
    OK(cuStreamDestroy(stream));
    OK(cuMemFree(p));
    OK(cuMemFree(q));
}

int main(int argc, char **argv)
{
    CUcontext context, other;
    CUmodule module;
    CUfunction function;
    CUdriverProcAddressQueryResult found;
    void *entry = NULL, *host = NULL;
    if (argc != 3) {
        return 2;
    }
    OK(cuInit(0));
    IS(ERROR_INVALID_CONTEXT, cuModuleLoad(&module, argv[1]));
    OK(cuCtxCreate(&context, NULL, 0, 0));

    OK(cuModuleLoad(&module, argv[1]));
    test_launches_from_module(module);
    constants_written_by_a_kernel();
    OK(cuModuleUnload(module));
    OK(cuModuleLoadData(&module, read_bytes(argv[1])));
    test_launches_from_module(module);
    OK(cuModuleUnload(module));
    OK(cuModuleLoadFatBinary(&module, read_bytes(argv[2])));
    test_launches_from_module(module);
    OK(cuModuleGetFunction(&function, module, "astray"));
    OK(cuCtxCreate(&other, NULL, 0, 0));
    CUdeviceptr zero = 0;
    void *params[] = {&zero};
    IS(ERROR_INVALID_HANDLE, cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
    OK(cuCtxDestroy(other));

    IS(ERROR_FILE_NOT_FOUND, cuModuleLoad(&module, "there-is-no-such-file"));
    IS(ERROR_INVALID_IMAGE, cuModuleLoadData(&module, "no code at all"));

    OK(cuMemAllocHost(&host, 4096));
    memset(host, 1, 4096);
    OK(cuMemFreeHost(host));
    size_t limit = 0;
    OK(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 4096));
    OK(cuCtxGetLimit(&limit, CU_LIMIT_STACK_SIZE));
    SO(limit == 4096);

    OK(cuGetProcAddress("cuMemAlloc", &entry, CUDA_VERSION, 0, &found));
    SO(found == CU_GET_PROC_ADDRESS_SUCCESS && entry);
    /* A caller that passes STATUS gets the reason, not an error. */
    OK(cuGetProcAddress("cuNothing", &entry, CUDA_VERSION, 0, &found));
    SO(found == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    /* A symbol, not a function name. */
    OK(cuGetProcAddress("cuMemAlloc_v2", &entry, CUDA_VERSION, 0, &found));
    SO(found == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND && !entry);
    OK(cuCtxDestroy(context));
    return failures != 0;
}
