/* Device code registered before main; a module is recorded when it is first used. */
#include "../../cudart/code/merge.h"
#include "../../memory/memory.h"
#include "../../ptx/ptx.h"
#include "interposer.h"

#include <stdlib.h>
#include <string.h>

typedef struct loaded_module {
    void **handle;                 /* handle that __cudaRegisterFatBinary returned */
    const fatbin_wrapper *wrapper; /* the fat binary with the code */
    uint64_t number; /* number of the module in the recording, from 1; 0: not written yet */
    bool refused;    /* the code cannot be recorded */
    ptx_module *ptx; /* parsed PTX of the module */
    struct loaded_module *next; /* next module of registered_modules */
} loaded_module;

struct interposer_kernel {
    loaded_module *module;   /* module that contains the kernel */
    const void *host;        /* function of the program that launches the kernel */
    const void *handle;      /* the kernel's cudaKernel_t */
    char *name;              /* name of the kernel in the PTX */
    const ptx_func *func;    /* the kernel in the parsed PTX */
    interposer_kernel *next; /* next kernel of registered_kernels */
};

typedef struct device_variable {
    loaded_module *module; /* module that contains the variable */
    const void *host;      /* address by which the program refers to the variable */
    void **managed;        /* pointer to a managed variable; NULL: not managed */
    char *name;
    uint64_t size;                /* bytes of the variable */
    bool constant;                /* __constant__ variable */
    struct device_variable *next; /* next of registered_variables */
} device_variable;

static loaded_module *registered_modules;     /* modules that the program has registered */
static interposer_kernel *registered_kernels; /* kernels that the program has registered */
static device_variable *registered_variables; /* its __device__ variables */
static uint64_t last_module_number;           /* number of the module that was recorded last */

/* --- registration ----------------------------------------------------------------------------- */

INTERPOSER_API void **__cudaRegisterFatBinary(void *wrapper);
INTERPOSER_API void __cudaUnregisterFatBinary(void **handle);
INTERPOSER_API void __cudaRegisterFunction(void **handle, const char *host, char *device,
                                           const char *name, int thread_limit, void *tid, void *bid,
                                           void *block, void *grid, int *warp_size);
INTERPOSER_API void __cudaRegisterVar(void **handle, char *host, char *device, const char *name,
                                      int ext, size_t size, int constant, int global);
INTERPOSER_API void __cudaRegisterManagedVar(void **handle, void **host, char *device,
                                             const char *name, int ext, size_t size, int constant,
                                             int global);
INTERPOSER_API cudaError_t __cudaGetKernel(cudaKernel_t *handle, const void *host);

/* The module that was registered with HANDLE; NULL: none. */
static loaded_module *find_module(void **handle)
{
    loaded_module *m = registered_modules;
    while (m && m->handle != handle)
        m = m->next;
    return m;
}

void **__cudaRegisterFatBinary(void *wrapper)
{
    void **handle = CALL_REAL(__cudaRegisterFatBinary, wrapper);
    loaded_module *m = calloc(1, sizeof *m);
    interposer_take_recorder_lock();
    if (m) {
        *m = (loaded_module){.handle = handle, .wrapper = wrapper, .next = registered_modules};
        registered_modules = m;
    }
    interposer_release_recorder_lock();
    return handle;
}

/* The module stays in the recording after it is unregistered: work that uses it may still run. */
void __cudaUnregisterFatBinary(void **handle)
{
    interposer_take_recorder_lock();
    loaded_module *m = find_module(handle);
    if (m)
        m->handle = NULL;
    interposer_release_recorder_lock();
    interposer_call_depth++;
    REAL_FUNCTION(__cudaUnregisterFatBinary)(handle);
    interposer_call_depth--;
}

void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                            int thread_limit, void *tid, void *bid, void *block, void *grid,
                            int *warp_size)
{
    interposer_kernel *k = calloc(1, sizeof *k);
    char *copy = strdup(name);
    interposer_take_recorder_lock();
    loaded_module *m = find_module(handle);
    if (k && copy && m) {
        *k = (interposer_kernel){
            .module = m, .host = host, .name = copy, .next = registered_kernels};
        registered_kernels = k;
    } else {
        free(k);
        free(copy);
    }
    interposer_release_recorder_lock();
    interposer_call_depth++;
    REAL_FUNCTION(__cudaRegisterFunction)
    (handle, host, device, name, thread_limit, tid, bid, block, grid, warp_size);
    interposer_call_depth--;
}

static void add_device_variable(void **handle, const void *host, void **managed, const char *name,
                                size_t size, bool constant)
{
    device_variable *v = calloc(1, sizeof *v);
    char *copy = strdup(name);
    interposer_take_recorder_lock();
    loaded_module *m = find_module(handle);
    if (v && copy && m) {
        *v = (device_variable){m, host, managed, copy, size, constant, registered_variables};
        registered_variables = v;
    } else {
        free(v);
        free(copy);
    }
    interposer_release_recorder_lock();
}

void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext,
                       size_t size, int constant, int global)
{
    add_device_variable(handle, host, NULL, name, size, constant);
    interposer_call_depth++;
    REAL_FUNCTION(__cudaRegisterVar)(handle, host, device, name, ext, size, constant, global);
    interposer_call_depth--;
}

void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int ext,
                              size_t size, int constant, int global)
{
    add_device_variable(handle, host, host, name, size, constant);
    interposer_call_depth++;
    REAL_FUNCTION(__cudaRegisterManagedVar)
    (handle, host, device, name, ext, size, constant, global);
    interposer_call_depth--;
}

/* Note that HANDLE, a cudaKernel_t, stands for the kernel with the host function HOST. */
static void add_kernel_handle(const void *host, const void *handle)
{
    interposer_take_recorder_lock();
    for (interposer_kernel *k = registered_kernels; k; k = k->next)
        if (k->host == host)
            k->handle = handle;
    interposer_release_recorder_lock();
}

cudaError_t __cudaGetKernel(cudaKernel_t *handle, const void *host)
{
    const cudaError_t e = CALL_REAL(__cudaGetKernel, handle, host);
    if (!e)
        add_kernel_handle(host, *handle);
    return e;
}

INTERPOSER_API cudaError_t cudaGetKernel(cudaKernel_t *handle, const void *host)
{
    const cudaError_t e = CALL_REAL(cudaGetKernel, handle, host);
    if (!e)
        add_kernel_handle(host, *handle);
    return e;
}

/* --- recording -------------------------------------------------------------------------------- */

/* Warn that module M cannot be recorded, for the reason WHY. Returns false. */
static bool refuse_module(loaded_module *m, const char *why)
{
    interposer_warn("device code cannot be recorded, so its launches are left out: %s", why);
    m->refused = true;
    return false;
}

/* The compute capability of the current device as one number: 90 for 9.0. */
static uint32_t device_capability(void)
{
    int major = 9, minor = 0, device = 0;
    __typeof__(&cudaGetDevice) current = interposer_find_runtime_function("cudaGetDevice");
    __typeof__(&cudaDeviceGetAttribute) ask =
        interposer_find_runtime_function("cudaDeviceGetAttribute");
    if (current && ask && !current(&device)) {
        ask(&major, cudaDevAttrComputeCapabilityMajor, device);
        ask(&minor, cudaDevAttrComputeCapabilityMinor, device);
    }
    return (uint32_t)(10 * major + minor);
}

/* The device address of variable V; 0: not known. NVIDIA's runtime identifies a managed variable by
 * a pointer in the program, and sets that pointer when it loads the module. */
static uint64_t variable_address(const device_variable *v)
{
    void *at = NULL;
    __typeof__(&cudaGetSymbolAddress) ask =
        interposer_find_runtime_function("cudaGetSymbolAddress");
    if (ask && ask(&at, v->host) == cudaSuccess && at)
        return (uint64_t)(uintptr_t)at;
    char (*load)(void **) =
        v->managed && !*v->managed ? interposer_find_runtime_function("__cudaInitModule") : NULL;
    if (load)
        load(v->module->handle);
    if (v->managed && !*v->managed)
        interposer_warn("the address of the managed variable %s is not known", v->name);
    return v->managed ? (uint64_t)(uintptr_t)*v->managed : 0;
}

/* Record the variables of M and their addresses. A variable that the program has not registered
 * gets no address; a replay then chooses one. */
static uint64_t *record_variables(const loaded_module *m)
{
    uint64_t *places = calloc(m->ptx->var_count ? m->ptx->var_count : 1, sizeof *places);
    for (const device_variable *v = places ? registered_variables : NULL; v; v = v->next) {
        for (uint32_t k = 0; k < m->ptx->var_count && v->module == m; k++) {
            const ptx_var *p = m->ptx->vars[k];
            if (p->scope || p->is_extern || strcmp(p->name, v->name) != 0)
                continue;
            const uint64_t at = places[k] = variable_address(v);
            if (at && v->managed)
                interposer_record_host_memory(at, p->size, MEM_MANAGED);
            else if (at)
                interposer_record_variable(at, p->size, v->constant, v->name);
        }
    }
    return places;
}

/* Record the code and the variables of module M. Returns false after a warning if that fails. */
static bool record_module(loaded_module *m)
{
    char *text = NULL, message[400] = "it has an unknown format";
    ptx_error err = {0};
    size_t machine_size = 0;
    const fatbin_wrapper *w = m->wrapper;
    const uint32_t device = device_capability();
    if (w->magic != FATBIN_WRAPPER_MAGIC ||
        merge_text(w, device, &text, message, sizeof message) != FATBIN_OK)
        return refuse_module(m, message);
    m->ptx = ptx_parse(text, strlen(text), &err);
    uint64_t *places = m->ptx ? record_variables(m) : NULL;
    if (!places) {
        free(text);
        return refuse_module(m, err.text[0] ? err.text : "the host is out of memory");
    }
    void *machine =
        fatbin_find_machine_code(w->data, fatbin_readable_bytes(w->data), device, &machine_size);
    const uint64_t options[4] = {0};
    m->number = ++last_module_number;
    interposer_write_record(&(rec_item){
        .kind = REC_module,
        .module = {.id = m->number,
                   .ptx = rec_store_data(interposer_recorder.writer, text, strlen(text)),
                   .machine = rec_store_data(interposer_recorder.writer, machine, machine_size),
                   .options = {4, options},
                   .places = {m->ptx->var_count, places}}});
    free(machine);
    free(places);
    free(text);
    return true;
}

/* Record module M if that has not been done. Returns false if M cannot be recorded. */
static bool ensure_module_recorded(loaded_module *m)
{
    return m->number || (!m->refused && record_module(m));
}

const interposer_kernel *interposer_find_kernel(const void *key)
{
    interposer_kernel *k = registered_kernels;
    while (k && !(key && (k->host == key || k->handle == key)))
        k = k->next;
    if (!k) {
        interposer_warn("the program launches a kernel that none of its fat binaries registered");
        return NULL;
    }
    if (!ensure_module_recorded(k->module))
        return NULL;
    for (uint32_t n = 0; !k->func && n < k->module->ptx->func_count; n++) {
        const ptx_func *f = k->module->ptx->funcs[n];
        k->func = f->is_entry && !strcmp(f->name, k->name) ? f : NULL;
    }
    if (!k->func)
        interposer_warn("kernel %s is not in the program's PTX", k->name);
    return k->func ? k : NULL;
}

uint64_t interposer_module_number_of_kernel(const interposer_kernel *k)
{
    return k->module->number;
}

const char *interposer_kernel_name(const interposer_kernel *k)
{
    return k->name;
}

void *interposer_kernel_params(const interposer_kernel *k, void **args, uint64_t *bytes)
{
    const ptx_func *f = k->func;
    uint8_t *to = calloc(1, f->param_bytes ? f->param_bytes : 1);
    *bytes = f->param_bytes;
    for (uint32_t n = 0; to && n < f->param_count; n++)
        memcpy(to + f->params[n].offset, args[n], f->params[n].size);
    return to;
}

uint64_t interposer_symbol_address(const void *symbol)
{
    for (const device_variable *v = registered_variables; v; v = v->next)
        if (v->host == symbol || (v->managed && (*v->managed == symbol || v->managed == symbol)))
            return ensure_module_recorded(v->module) ? variable_address(v) : 0;
    return 0;
}

void interposer_forget_modules(void)
{
    for (loaded_module *m = registered_modules; m; m = m->next) {
        if (m->number) {
            interposer_write_record(&(rec_item){.kind = REC_unload, .unload = {.id = m->number}});
            m->number = 0;
            ptx_free(m->ptx);
            m->ptx = NULL;
        }
    }
    for (interposer_kernel *k = registered_kernels; k; k = k->next)
        k->func = NULL;
}
