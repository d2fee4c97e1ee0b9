/* The struct of a module, for module.c and module_variables.c only. */
#pragma once

#include "../core/call.h"
#include "fatbin.h"
#include "kernel.h"

/* A module: device code that is loaded as a whole. */
struct rt_module {
    const fatbin_wrapper *wrapper; /* registered fat binary; NULL: loaded at run time */
    bool load_tried;               /* loading was attempted */
    cudaError_t error;             /* result of the attempt to load the module */
    char *text;                    /* the module's PTX text, NUL-terminated */
    void *machine;       /* machine code (ELF) for this device, of machine_size bytes; NULL: none */
    size_t machine_size; /* size of the machine code in bytes */
    ptx_module *ptx;     /* parsed PTX */
    sm_program *program; /* program that the SMs run */
    uint64_t *address;   /* [ptx->var_count] device addresses; 0 for variables that have none */
    bool opened;         /* loaded by a call such as cuModuleLoadData, not registered by nvcc */
    bool from_recording; /* the module comes from a recording, which contains its addresses */
    const uint64_t *recorded_addresses; /* recorded address of each variable, while loading */
    bool linked;               /* made by cuLinkComplete: JIT compiler options do not change it */
    const rt_jit_options *jit; /* JIT compiler options; valid only while the module is opened */
    void *context;          /* the driver API's context that owns it; NULL: the primary context */
    struct rt_module *next; /* next in the list of all modules */
};

/* Allocate and initialise the variables of m->ptx, fill m->address, and create m->program. After a
 * failure rt_module_free_variables releases what has been done. */
cudaError_t rt_module_place_variables(rt_module *m);
void rt_module_free_variables(rt_module *m); /* frees their memory and m->program */

/* module.c: parse PTX, and fuse multiplications and additions as ptxas does. On failure returns
 * NULL and describes the error in *ERR; the caller then passes *ERR to rt_module_report_error,
 * which prints it and returns the error code. */
ptx_module *rt_module_parse(const char *text, ptx_error *err);
cudaError_t rt_module_report_error(const ptx_error *err);

/* module.c: the __managed__ variable NAME is at address HOST; store HOST in the program's pointer
 * to the variable. */
void rt_module_set_managed(const rt_module *m, const char *name, void *host);
