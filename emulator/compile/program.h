/* A module bound to the addresses of its variables. A kernel is translated at its first use. */
#pragma once

#include "../core/code.h"

/* Bind module M to the device addresses of its global and constant variables:
 * var_address[v->index]; the entries of other variables are ignored. CYCLES: latencies of the
 * device; NULL: one cycle each. HANDLERS: what executes the code (exec_handlers). VAR_ADDRESS and
 * CYCLES are copied; M is borrowed and must outlive the program. NULL: out of memory. */
sm_program *compile_load_program(const ptx_module *m, const uint64_t *var_address,
                                 const sm_cycles *cycles, const sm_handlers *handlers);
void compile_unload_program(sm_program *p);
/* Disable optimizations of translated code, for tests and debuggers; call this before the first
 * launch. Each register of a function keeps a slot of its own, and every PTX instruction is
 * executed separately. Execution is slower; results and counters stay the same. */
void compile_disable_optimizations(sm_program *p);

/* The value of a pointer to device function F. Only indirect calls in device code can use the
 * value. Used to initialise variables that hold function pointers, before compile_load_program. */
uint64_t compile_func_address(const ptx_func *f);
/* The function of M that compile_func_address maps to ADDRESS, or NULL. */
const ptx_func *compile_func_at_address(const ptx_module *m, uint64_t address);

typedef struct compile_kernel_info {
    uint32_t registers; /* 32-bit registers per thread, from the largest live set; at least 8, may
                           exceed the device's maximum */
    uint64_t static_shared; /* bytes of static shared memory per block */
    uint64_t local_bytes;   /* bytes of local memory per thread */
    uint64_t param_bytes;   /* bytes of the kernel's parameters */
    uint64_t const_bytes;   /* bytes of constant memory of the whole module */
    uint32_t max_threads;   /* most threads per block: .maxntid, or 1024 */
    bool calls_runtime;     /* may call the device runtime, for instance to launch kernels */
} compile_kernel_info;

/* Translate KERNEL if necessary and describe it in *out. Returns false with *fault set if KERNEL
 * uses an instruction that is not implemented. */
bool compile_describe_kernel(sm_program *p, const ptx_func *kernel, compile_kernel_info *out,
                             sm_fault *fault);

/* The translated code of KERNEL; made at the first call. NULL on failure, with *fault set. */
sm_unit *compile_kernel_unit(sm_program *p, const ptx_func *kernel, sm_fault *fault);
