/* The struct of a module, for module.c and module_variables.c only. */
#ifndef WARPBOOK_MODULE_H
#define WARPBOOK_MODULE_H

#include "../cudart.h"
#include "fatbin.h"

struct rt_module {
    const fatbin_wrapper *wrapper;
    bool tried;
    cudaError_t error; /* result of the attempt to load it */
    char *text;
    void *machine; /* machine code for this device, machine_size bytes; NULL: none */
    size_t machine_size;
    ptx_module *ptx;
    sm_program *program;
    uint64_t *address;      /* [ptx->var_count] device addresses; 0 for variables that have none */
    bool opened;            /* opened by the driver API */
    bool placed;            /* repeats a recording, which says where its variables lie */
    const uint64_t *places; /* while it is being loaded: of each variable of the PTX */
    bool linked;            /* made by cuLinkComplete: options of the compiler do not change it */
    const rt_jit *jit;      /* valid while the module is being opened */
    void *context;          /* the driver API's context that owns it; NULL: the primary context */
    struct rt_module *next;
};

/* Allocate and initialise the variables of m->ptx, fill m->address, and create m->program. After a
 * failure rt_module_unbind releases what has been done. */
cudaError_t rt_module_bind(rt_module *m);
void rt_module_unbind(rt_module *m);

/* module.c: parse PTX, and fuse products and sums as ptxas does. NULL: *ERR says why, and has been
 * printed by rt_module_refuse, which returns the error code. */
ptx_module *rt_module_parse(const char *text, ptx_error *err);
cudaError_t rt_module_refuse(const ptx_error *err);

/* module.c: the __managed__ variable NAME lies at HOST; set the program's pointer to it. */
void rt_module_managed(const rt_module *m, const char *name, void *host);

#endif
