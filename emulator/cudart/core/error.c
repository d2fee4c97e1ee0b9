/* Error codes: their names and descriptions, and the last error of each host thread. */
#include "../checks/checks.h"
#include "call.h"

/* The error that cudaGetLastError returns; each thread has its own. */
static __thread cudaError_t last_error;

/* A row of the table of error codes. */
typedef struct error_row {
    int code;         /* number of the error: a cudaError_t */
    const char *name; /* what cudaGetErrorName returns */
    const char *text; /* what cudaGetErrorString returns */
} error_row;

static const error_row *find_error_row(cudaError_t error)
{
    static const error_row rows[] = {
#define ERROR(code, name, text) {code, #name, text},
#include "error.def"
#undef ERROR
    };
    static const error_row none = {-1, "unrecognized error code", "unrecognized error code"};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        if (rows[k].code == (int)error)
            return &rows[k];
    return &none;
}

const char *cudaGetErrorName(cudaError_t error)
{
    return find_error_row(error)->name;
}

const char *cudaGetErrorString(cudaError_t error)
{
    return find_error_row(error)->text;
}

#define ERROR(code, name, text) \
    _Static_assert(name == code, "error.def gives this error another number than driver_types.h");
#include "error.def"
#undef ERROR

cudaError_t rt_set_last_error(cudaError_t e)
{
    if (e != cudaSuccess) {
        last_error = e;
        rt_note_error(e);
    }
    return e;
}

cudaError_t rt_swap_last_error(cudaError_t e)
{
    cudaError_t was = last_error;
    last_error = e;
    return was;
}

cudaError_t cudaGetLastError(void)
{
    cudaError_t e = last_error; /* a sticky error is set again by the next call */
    last_error = cudaSuccess;
    rt_note_error_query();
    return e;
}

cudaError_t cudaPeekAtLastError(void)
{
    rt_note_error_query();
    return last_error;
}

cudaError_t rt_error_of_fault(sm_fault_kind kind)
{
    switch (kind) {
    case SM_OK: return cudaSuccess;
    case SM_FAULT_ADDRESS:
    case SM_FAULT_STACK: return cudaErrorIllegalAddress;
    case SM_FAULT_MISALIGNED: return cudaErrorMisalignedAddress;
    case SM_FAULT_ASSERT: return cudaErrorAssert;
    case SM_FAULT_ILLEGAL: return cudaErrorIllegalInstruction;
    case SM_FAULT_PC: return cudaErrorInvalidPc;
    case SM_FAULT_TRAP:
    case SM_FAULT_GONE:
    case SM_FAULT_DEADLOCK:
    case SM_FAULT_SYNC: return cudaErrorLaunchFailure;
    case SM_FAULT_UNSUPPORTED: return cudaErrorNotSupported;
    case SM_FAULT_RESOURCES: return cudaErrorLaunchOutOfResources;
    case SM_FAULT_MEMORY: return cudaErrorMemoryAllocation;
    }
    return cudaErrorUnknown;
}
