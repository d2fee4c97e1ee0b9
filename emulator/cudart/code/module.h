/* Device code of the program, inside. Only module.c and module_variables.c include it. */
#ifndef WARPBOOK_MODULE_H
#define WARPBOOK_MODULE_H

#include "../cudart.h"
#include "fatbin.h"

struct rt_module {
    const fatbin_wrapper *wrapper;
    bool tried;
    cudaError_t error; /* of the attempt to load it */
    char *text;
    void *machine; /* its machine code for this device, machine_size bytes; NULL: none */
    size_t machine_size;
    ptx_module *ptx;
    sm_program *program;
    uint64_t *address; /* [ptx->var_count], 0 for variables that have none */
    bool opened;       /* by the driver API */
    bool linked;       /* what cuLinkComplete made: options of the compiler do not change it */
    const rt_jit *jit; /* while it is opened */
    void *context;     /* of the driver API's, that owns it; NULL: the primary one */
    struct rt_module *next;
};

/* Memory and first values for the variables of m->ptx, in m->address, and m->program. What it has
 * done of it when it fails, rt_module_unbind releases. */
cudaError_t rt_module_bind(rt_module *m);
void rt_module_unbind(rt_module *m);

/* module.c: the __managed__ variable NAME lies at HOST; the program's own pointer to it is set. */
void rt_module_managed(const rt_module *m, const char *name, void *host);

#endif
