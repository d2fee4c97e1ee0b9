/* Kernels and variables of the program's fat binaries and of modules that it loads. */
#pragma once

#include "../../compile/program.h"
#include "../core/call.h"

typedef struct rt_module rt_module; /* a CUmodule: device code that is loaded as a whole */

#define RT_BLOCK_THREADS 1024u /* maximum number of threads in a block */

/* A kernel of a module. */
typedef struct rt_kernel {
    rt_module *module;        /* the module that contains the kernel */
    const void *host;         /* address of the host stub function, which cudaLaunchKernel passes */
    char *name;               /* mangled name of the kernel, as in the PTX; owned */
    char *display_name;       /* name without parameters, demangled; NULL until first used */
    const ptx_func *func;     /* the kernel's parsed PTX; NULL until the module is loaded */
    compile_kernel_info info; /* registers, shared and local memory that a launch needs */
    uint32_t max_threads;     /* maximum number of threads in a block of this kernel */
    uint64_t spilled_bytes;   /* local memory per thread that holds spilled registers, bytes */
    bool knows_registers;     /* machine code states the register count; false: it is estimated */
    uint64_t kept_in_registers; /* local memory of the PTX kept in registers, bytes per thread */
    int max_dynamic; /* value of cudaFuncAttributeMaxDynamicSharedMemorySize; -1: not set */
    int carveout;    /* value of cudaFuncAttributePreferredSharedMemoryCarveout */
    enum cudaFuncCache cache; /* value of cudaFuncSetCacheConfig */
    bool ready;               /* the kernel has been found in the PTX, and its info is valid */
    cudaError_t load_error;   /* why the kernel cannot be loaded; cudaSuccess: none known */
    int cluster[3]; /* cluster size set by cudaFuncAttributeRequiredCluster*; 0: the PTX decides */
    int cluster_policy;     /* value of cudaFuncAttributeClusterSchedulingPolicyPreference */
    int cluster_large;      /* value of cudaFuncAttributeNonPortableClusterSizeAllowed */
    struct rt_kernel *next; /* next kernel in the same hash bucket */
} rt_kernel;

/* A __device__, __constant__ or __managed__ variable of a module. */
typedef struct rt_symbol {
    rt_module *module; /* the module that contains the variable */
    const void *host;  /* address of the host's shadow variable, which identifies it in calls */
    char *name;        /* name of the variable in the PTX; owned */
    size_t size;       /* size of the variable in bytes */
    bool constant;     /* a __constant__ variable */
    void *host_value;  /* what the host's shadow variable held when it was registered; owned */
    bool set_by_call;  /* a call has set the variable, or was asked for its address */
    void **managed;    /* address of the host's pointer to a __managed__ variable, else NULL */
    uint64_t address;  /* device address; 0 until the module is loaded */
    struct rt_symbol *next; /* next variable in the same hash bucket */
} rt_symbol;

/* Load a kernel, symbol or module if it is not loaded yet. If loading fails, the first call prints
 * the error, and every call returns it. */
cudaError_t rt_kernel_load_once(rt_kernel *k);
cudaError_t rt_symbol_load_once(rt_symbol *s);
cudaError_t rt_module_load_once(rt_module *m);

/* The kernel with this host stub or cudaKernel_t handle, and the variable with this host address;
 * NULL if there is none. */
rt_kernel *rt_find_kernel(const void *host_or_handle);
rt_symbol *rt_find_symbol(const void *host);
uint32_t rt_module_compute_capability(const rt_module *m); /* 90 for PTX of compute_90 */
sm_program *rt_kernel_program(const rt_kernel *k);         /* decoded code of the kernel's module */
const char *rt_kernel_display_name(rt_kernel *k);          /* demangled, without parameters */

/* Register the module of the fat binary WRAPPER (NULL: of no fat binary); it is loaded at its first
 * use. rt_module_remove unloads and frees a module. */
rt_module *rt_module_add(const void *wrapper);
void rt_module_remove(rt_module *m);
bool rt_is_module(const rt_module *m); /* does M point to an existing module? */
/* Load a module for the driver API, without delay, from PTX text, a fat binary or a fatbin wrapper.
 * The current context owns the module. JIT (NULL: defaults) says how to compile PTX and where logs
 * go (jit.h). */
typedef struct rt_jit_options rt_jit_options;
cudaError_t rt_module_open(const void *image, const rt_jit_options *jit, rt_module **out);
/* Did the driver API open M? All other modules belong to the program itself and were registered by
 * nvcc's code. */
bool rt_is_module_opened(const rt_module *m);
void *rt_module_context(const rt_module *m); /* the context that owns M; NULL: the primary one */
/* Look up a kernel or variable by its name in the PTX. If M does not contain the name,
 * rt_module_kernel returns cudaErrorSymbolNotFound, and rt_module_variable returns 0. */
cudaError_t rt_module_kernel(rt_module *m, const char *name, rt_kernel **out);
uint64_t rt_module_variable(rt_module *m, const char *name, size_t *size, bool *is_managed);
/* The kernel whose address in device code is FUNCTION, ready to be launched. NULL if there is no
 * such kernel, or if it cannot be launched (a message has been printed). */
rt_kernel *rt_module_kernel_at(rt_module *m, uint64_t function);
/* The name of kernel I, counted from 0; NULL if M has at most I kernels. */
const char *rt_module_kernel_name(const rt_module *m, unsigned i);
void rt_destroy_modules_of_context(const void *context); /* unloads and frees the modules */
/* Register a kernel or variable NAME of M, which host code knows by the address HOST. MANAGED: the
 * host's pointer to a __managed__ variable, else NULL. */
void rt_module_add_kernel(rt_module *m, const void *host, const char *name);
void rt_module_add_symbol(rt_module *m, const void *host, const char *name, size_t size,
                          bool constant, void **managed);
