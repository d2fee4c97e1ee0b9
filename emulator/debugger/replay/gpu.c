#include "gpu.h"

#include "../../cudart/core/name.h"
#include "../../memory/memory.h"
#include "check.h"
#include "gpu_driver.h"
#include "gpu_regions.h"
#include "host_memory.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <unistd.h>

enum { EXIT_DIFFERS = 1, EXIT_REFUSED = 2, EXIT_LACKS = 3 };

/* A device variable: its address in the recording and on this GPU. */
typedef struct moved_variable {
    uint64_t recorded, size; /* address and bytes of the variable in the recording */
    CUdeviceptr here;        /* address of the variable on this GPU; 0: not known */
    char name[256];
} moved_variable;

typedef struct repeater {
    rec_reader *reader;
    rec_place after; /* place of the record being repeated */
    FILE *to;        /* the output table */
    char *err;       /* buffer of `room` bytes for the error message */
    size_t room;
    int status;          /* exit status, one of EXIT_*; 0: no error */
    gpu_regions regions; /* regions of device memory that are allocated at recorded addresses */
    bool reserved;       /* the recorded addresses are reserved */
    CUmodule *module;    /* [modules] loaded modules */
    uint64_t modules;    /* number of entries in `module` */
    moved_variable *variables; /* [variable_count] device variables */
    size_t variable_count;
    CUevent begin, done;            /* events before and after the current launch */
    double ns;                      /* duration of the last launch in ns */
    uint64_t digest;                /* digest of the bytes of the last copy to the host */
    uint64_t compared, differences; /* results compared so far; results that differ */
    char kernel[300], shape[160];   /* name of the last kernel; its grid and block as text */
    uint64_t number;                /* number of the last launch */
    bool launched;                  /* the current operation is a launch */
} repeater;

__attribute__((format(printf, 3, 4))) static bool set_error(repeater *r, int status,
                                                            const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    if (!r->status || (r->status == EXIT_DIFFERS && status != EXIT_DIFFERS)) {
        vsnprintf(r->err, r->room, format, ap);
        r->status = status;
    }
    va_end(ap);
    return false;
}

static bool is_call_good(repeater *r, CUresult e, const char *what)
{
    const char *text = NULL;
    if (e) {
        gpu_calls.error_string(e, &text);
        return set_error(r, EXIT_DIFFERS, "%s: %s", what, text ? text : "an unknown error");
    }
    return true;
}

/* --- recordings that a GPU cannot repeat ----------------------------------------------------- */

static const char *obstacle_on_gpu(const rec_item *i)
{
    switch (i->kind) {
    case REC_texture:
        return "it uses texture or surface objects, whose handles a GPU chooses anew";
    case REC_launch:
        return i->launch.depth ? "its kernels launch kernels" : NULL;
    case REC_alloc:
        return i->alloc.kind == MEM_ARRAY              ? "it uses CUDA arrays"
               : !strcmp(i->alloc.name, "a condition") ? "it uses conditional nodes of graphs"
                                                       : NULL;
    case REC_reset:
        return "it resets the device";
    default:
        return NULL;
    }
}

static bool address_taken;

bool gpu_address_was_taken(void)
{
    return address_taken;
}

void gpu_restart_fixed_addresses(bool again, char **argv)
{
    const unsigned long fixed = ADDR_NO_RANDOMIZE;
    const int now = personality(0xffffffff);
    const unsigned long want = again ? (unsigned long)now & ~fixed : (unsigned long)now | fixed;
    if (now >= 0 && want != (unsigned long)now && personality(want) >= 0) {
        execv("/proc/self/exe", argv);
    }
}

/* Look through the recording for records that a GPU cannot repeat, and collect the addresses of
 * device memory. */
static bool survey_recording(repeater *r)
{
    rec_seek(r->reader, (rec_place){0});
    for (const rec_item *i; (i = rec_next(r->reader));) {
        const char *why = obstacle_on_gpu(i);
        if (why) {
            return set_error(r, EXIT_REFUSED, "the recording cannot be repeated on a GPU: %s", why);
        }
        if (i->kind == REC_alloc && i->alloc.kind == MEM_DEVICE &&
            !gpu_regions_add(&r->regions, i->alloc.address, i->alloc.size)) {
            return set_error(r, EXIT_LACKS, "the host is out of memory");
        }
    }
    return true;
}

/* Host memory that lies within a region of device memory becomes device memory here: only kernels
 * and copies use it, and for them it makes no difference. *GREW: a region has become larger. */
static bool absorb_host_memory(repeater *r, bool *grew)
{
    *grew = false;
    rec_seek(r->reader, (rec_place){0});
    for (const rec_item *i; (i = rec_next(r->reader));) {
        const rec_adopt *x = &i->adopt;
        if (i->kind != REC_adopt || !gpu_regions_touch(&r->regions, x->address, x->size)) {
            continue;
        }
        *grew = *grew || !gpu_regions_contain(&r->regions, x->address) ||
                !gpu_regions_contain(&r->regions, x->address + x->size - 1);
        if (!gpu_regions_add(&r->regions, x->address, x->size)) {
            return set_error(r, EXIT_LACKS, "the host is out of memory");
        }
    }
    return true;
}

/* Map the other host memory at its recorded addresses, before the driver uses these addresses. */
static bool map_host_memory(repeater *r)
{
    bool grew = true;
    while (grew) {
        if (!absorb_host_memory(r, &grew)) {
            return false;
        }
    }
    rec_seek(r->reader, (rec_place){0});
    for (const rec_item *i; (i = rec_next(r->reader));) {
        if (i->kind == REC_adopt && !gpu_regions_contain(&r->regions, i->adopt.address) &&
            !host_memory_map(i->adopt.address, i->adopt.size)) {
            address_taken = true;
            return set_error(r, EXIT_LACKS,
                             "the host memory at 0x%" PRIx64 " is in use in this process",
                             i->adopt.address);
        }
    }
    return true;
}

/* --- memory ----------------------------------------------------------------------------------- */

/* Reserve the addresses of REGION and map device memory there. *HELD: the memory is mapped; if
 * false, this driver cannot reserve addresses, though it may still allocate at the recorded
 * ones. */
static bool reserve_addresses(repeater *r, const gpu_region *region, bool *held)
{
    const CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                      .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
    const CUmemAccessDesc access = {.location = prop.location,
                                    .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    const size_t size = (size_t)(region->to - region->from);
    CUmemGenericAllocationHandle handle;
    CUdeviceptr at = 0;
    const CUresult e = gpu_calls.reserve(&at, size, 0, region->from, 0);
    *held = e != CUDA_ERROR_NOT_SUPPORTED;
    if (!*held || !is_call_good(r, e, "reserving the recorded addresses")) {
        return !*held;
    }
    if (at != region->from) {
        address_taken = true;
        return set_error(
            r, EXIT_LACKS,
            "this GPU's driver cannot reserve memory at the recorded address 0x%" PRIx64
            ": it reserved 0x%llx",
            region->from, at);
    }
    return is_call_good(r, gpu_calls.create(&handle, size, &prop, 0),
                        "allocating memory for the recording") &&
           is_call_good(r, gpu_calls.map(at, size, 0, handle, 0), "mapping memory") &&
           is_call_good(r, gpu_calls.set_access(at, size, &access, 1), "mapping memory") &&
           is_call_good(r, gpu_calls.fill8(at, 0, size), "clearing memory");
}

static bool reserve_all(repeater *r)
{
    bool held = r->regions.count > 0;
    for (size_t k = 0; k < r->regions.count && held; k++) {
        if (!reserve_addresses(r, &r->regions.list[k], &held)) {
            return false;
        }
    }
    r->reserved = held;
    return true;
}

static bool add_variable(repeater *r, const rec_alloc *x)
{
    moved_variable *more = realloc(r->variables, (r->variable_count + 1) * sizeof *more);
    if (!more) {
        return set_error(r, EXIT_LACKS, "the host is out of memory");
    }
    r->variables = more;
    moved_variable *v = &more[r->variable_count++];
    *v = (moved_variable){.recorded = x->address, .size = x->size};
    snprintf(v->name, sizeof v->name, "%s", x->name);
    return true;
}

static bool repeat_alloc(repeater *r, const rec_alloc *x)
{
    CUdeviceptr at;
    if (x->kind != MEM_DEVICE) {
        return add_variable(r, x);
    }
    if (r->reserved) {
        return true;
    }
    return is_call_good(r, gpu_calls.alloc(&at, x->size), "allocating memory") &&
           (at == x->address ||
            set_error(r, EXIT_LACKS,
                      "the driver cannot reserve addresses, and gave 0x%llx where 0x%" PRIx64
                      " was recorded",
                      at, x->address));
}

/* Whether the host memory at ADDRESS lies in a region of device memory. */
static bool is_absorbed(const repeater *r, uint64_t address)
{
    return r->reserved && gpu_regions_contain(&r->regions, address);
}

static bool repeat_adopt(repeater *r, const rec_adopt *x)
{
    void *host = (void *)(uintptr_t)x->address;
    CUdeviceptr device = 0;
    if (is_absorbed(r, x->address)) {
        return is_call_good(r, gpu_calls.fill8(x->address, 0, x->size), "clearing memory");
    }
    /* clear the memory that an earlier pass has mapped */
    if (!host_memory_map(x->address, x->size)) {
        return set_error(r, EXIT_LACKS,
                         "the host memory at 0x%" PRIx64 " is in use in this process", x->address);
    }
    return is_call_good(r, gpu_calls.host_register(host, x->size, CU_MEMHOSTREGISTER_DEVICEMAP),
                        "registering host memory") &&
           is_call_good(r, gpu_calls.host_pointer(&device, host, 0), "registering host memory") &&
           (device == x->address ||
            set_error(r, EXIT_LACKS,
                      "the GPU and the host use different addresses for host memory"));
}

/* The address on this GPU of the recorded ADDRESS: variables have other addresses here. */
static CUdeviceptr place_address(const repeater *r, uint64_t address)
{
    for (size_t k = 0; k < r->variable_count; k++) {
        const moved_variable *v = &r->variables[k];
        if (v->here && address - v->recorded < v->size) {
            return v->here + (address - v->recorded);
        }
    }
    return address;
}

static bool repeat_free(repeater *r, uint64_t address)
{
    for (size_t k = 0; k < r->variable_count; k++) {
        if (r->variables[k].recorded == address) {
            r->variables[k] = r->variables[--r->variable_count];
            return true;
        }
    }
    if (!gpu_regions_contain(&r->regions, address)) {
        return is_call_good(r, gpu_calls.host_unregister((void *)(uintptr_t)address),
                            "unregistering memory");
    }
    return r->reserved || is_call_good(r, gpu_calls.free(address), "freeing memory");
}

/* --- repeating modules and launches ----------------------------------------------------------- */

static bool repeat_module(repeater *r, const rec_module *x)
{
    CUmodule *more = realloc(r->module, (x->id + 1) * sizeof *more);
    char *machine = x->machine.size ? rec_fetch_all(r->reader, &x->machine) : NULL;
    char *ptx = rec_fetch_all(r->reader, &x->ptx);
    r->module = more ? more : r->module;
    bool loaded = false;
    if (more && ptx) {
        /* Load the program's machine code if it is for this GPU, otherwise let the driver compile
         * the PTX. */
        loaded = (machine && !gpu_calls.load(&more[x->id], machine)) ||
                 is_call_good(r, gpu_calls.load(&more[x->id], ptx), "loading the recorded code");
    }
    free(machine);
    free(ptx);
    for (size_t k = 0; loaded && k < r->variable_count; k++) {
        moved_variable *v = &r->variables[k];
        size_t size;
        if (!v->here && gpu_calls.global(&v->here, &size, more[x->id], v->name)) {
            v->here = 0; /* a variable of another module, or without a name; the recording copies
                            nothing to it */
        }
    }
    return loaded;
}

/* Replace pointers to device variables in a kernel's parameters by their addresses on this GPU. */
static void move_pointers(const repeater *r, uint8_t *params, uint64_t size)
{
    for (uint64_t at = 0; at + 8 <= size; at += 8) {
        uint64_t word;
        memcpy(&word, params + at, 8);
        word = place_address(r, word);
        memcpy(params + at, &word, 8);
    }
}

static bool write_device(repeater *r, uint64_t address, const rec_data *data)
{
    void *bytes = rec_fetch_all(r->reader, data);
    const bool fine =
        bytes &&
        is_call_good(r, gpu_calls.copy_in(place_address(r, address), bytes, (size_t)data->size),
                     "a copy");
    free(bytes);
    return fine;
}

static bool write_host(repeater *r, const rec_pages *x)
{
    if (is_absorbed(r, x->address)) {
        return write_device(r, x->address, &x->bytes);
    }
    return rec_fetch(r->reader, &x->bytes, 0, (void *)(uintptr_t)x->address, x->bytes.size) ||
           set_error(r, EXIT_LACKS, "the host is out of memory");
}

static bool write_pages(repeater *r, uint64_t op)
{
    bool fine = true;
    for (const rec_item *i;
         fine && (i = rec_next(r->reader)) && !(i->kind == REC_result && i->result.op == op);) {
        fine = i->kind != REC_pages || write_host(r, &i->pages);
    }
    rec_seek(r->reader, r->after);
    return fine;
}

static bool repeat_launch(repeater *r, const rec_launch *x)
{
    CUfunction f;
    float ms = 0;
    CUlaunchAttribute attribute[2];
    CUlaunchConfig c = {.gridDimX = (unsigned)x->grid.of[0],
                        .gridDimY = (unsigned)x->grid.of[1],
                        .gridDimZ = (unsigned)x->grid.of[2],
                        .blockDimX = (unsigned)x->block.of[0],
                        .blockDimY = (unsigned)x->block.of[1],
                        .blockDimZ = (unsigned)x->block.of[2],
                        .sharedMemBytes = (unsigned)x->shared,
                        .attrs = attribute};
    if (x->cluster.of[0]) {
        attribute[c.numAttrs].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
        attribute[c.numAttrs].value.clusterDim.x = (unsigned)x->cluster.of[0];
        attribute[c.numAttrs].value.clusterDim.y = (unsigned)x->cluster.of[1];
        attribute[c.numAttrs++].value.clusterDim.z = (unsigned)x->cluster.of[2];
    }
    if (x->cooperative) {
        attribute[c.numAttrs].id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
        attribute[c.numAttrs++].value.cooperative = 1;
    }
    char *name = name_of_kernel(x->kernel);
    snprintf(r->kernel, sizeof r->kernel, "%s", name ? name : x->kernel);
    free(name);
    snprintf(r->shape, sizeof r->shape, "%ux%ux%u\t%ux%ux%u", c.gridDimX, c.gridDimY, c.gridDimZ,
             c.blockDimX, c.blockDimY, c.blockDimZ);
    r->number = x->number;
    r->launched = true;
    const uint64_t op = x->op;
    size_t size = (size_t)x->params.size;
    if (!is_call_good(r, gpu_calls.function(&f, r->module[x->module], x->kernel), x->kernel)) {
        return false;
    }
    gpu_calls.function_set(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)x->shared);
    uint8_t *params = rec_fetch_all(r->reader, &x->params);
    if (!params || !write_pages(r, op)) {
        free(params);
        return set_error(r, EXIT_LACKS, "the host is out of memory");
    }
    move_pointers(r, params, size);
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, params, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     CU_LAUNCH_PARAM_END};
    const bool ran =
        is_call_good(r, gpu_calls.event_record(r->begin, NULL), "recording an event") &&
        is_call_good(r, gpu_calls.launch(&c, f, NULL, size ? extra : NULL), r->kernel) &&
        is_call_good(r, gpu_calls.event_record(r->done, NULL), "recording an event") &&
        is_call_good(r, gpu_calls.event_wait(r->done), r->kernel) &&
        is_call_good(r, gpu_calls.event_time(&ms, r->begin, r->done), "measuring the launch");
    free(params);
    r->ns = (double)ms * 1e6;
    return ran;
}

/* --- copies ----------------------------------------------------------------------------------- */

static CUdeviceptr row_address(const repeater *r, rec_list side, uint64_t y, uint64_t z)
{
    return place_address(r, side.of[0] + z * side.of[2] + y * side.of[1]);
}

static bool repeat_copy(repeater *r, const rec_copy *x)
{
    const uint64_t width = x->extent.of[0], height = x->extent.of[1], depth = x->extent.of[2];
    uint8_t *bytes = x->host_from ? rec_fetch_all(r->reader, &x->bytes) : NULL;
    uint8_t *row = malloc((size_t)width);
    bool fine = row && (bytes || !x->host_from);
    const bool home = x->host_to || x->way == 2 || x->way == 4;
    r->digest = 0;
    for (uint64_t z = 0; fine && z < depth; z++) {
        for (uint64_t y = 0; fine && y < height; y++) {
            const uint8_t *from = bytes ? bytes + (z * height + y) * width : row;
            fine = bytes ||
                   is_call_good(r, gpu_calls.copy_out(row, row_address(r, x->from, y, z), width),
                                "a copy");
            if (fine && !x->host_to) {
                fine = is_call_good(r, gpu_calls.copy_in(row_address(r, x->to, y, z), from, width),
                                    "a copy");
            }
            r->digest = home ? rec_digest(r->digest, from, (size_t)width) : 0;
        }
    }
    free(bytes);
    free(row);
    return fine || set_error(r, EXIT_LACKS, "the host is out of memory");
}

static bool repeat_fill(repeater *r, const rec_fill *x)
{
    const uint32_t value = (uint32_t)x->value;
    for (uint64_t row = 0; row < x->extent.of[1] * x->extent.of[2]; row++) {
        const CUdeviceptr at = row_address(r, x->to, row % x->extent.of[1], row / x->extent.of[1]);
        const size_t n = (size_t)(x->extent.of[0] / x->unit);
        const CUresult e = x->unit == 4   ? gpu_calls.fill32(at, value, n)
                           : x->unit == 2 ? gpu_calls.fill16(at, (unsigned short)value, n)
                                          : gpu_calls.fill8(at, (unsigned char)value, n);
        if (!is_call_good(r, e, "a fill")) {
            return false;
        }
    }
    r->digest = 0;
    return true;
}

static bool repeat_result(repeater *r, const rec_result *x)
{
    r->compared++;
    if (r->launched) {
        fprintf(r->to, "%" PRIu64 "\t%s\t%s\t%.3f\t%.3f\n", r->number, r->kernel, r->shape,
                x->ns * 1e-3, r->ns * 1e-3);
    } else if (x->digest && x->digest != r->digest) {
        r->differences++;
        set_error(r, EXIT_DIFFERS,
                  "operation %" PRIu64 " copied other bytes to the host than in the recorded run",
                  x->op);
    }
    r->launched = false;
    return true;
}

static bool repeat_record(repeater *r, const rec_item *i)
{
    switch (i->kind) {
    case REC_alloc:
        return repeat_alloc(r, &i->alloc);
    case REC_adopt:
        return repeat_adopt(r, &i->adopt);
    case REC_free:
        return repeat_free(r, i->free.address);
    case REC_module:
        return repeat_module(r, &i->module);
    case REC_unload:
        return is_call_good(r, gpu_calls.unload(r->module[i->unload.id]), "unloading a module");
    case REC_limits:
        return (!i->limits.stack ||
                is_call_good(r, gpu_calls.set_limit(CU_LIMIT_STACK_SIZE, i->limits.stack),
                             "setting a limit")) &&
               (!i->limits.heap ||
                is_call_good(r, gpu_calls.set_limit(CU_LIMIT_MALLOC_HEAP_SIZE, i->limits.heap),
                             "setting a limit"));
    case REC_pages: /* changes that happened during an open launch are written before it */
        return r->launched || write_host(r, &i->pages);
    case REC_poke:
        return write_device(r, i->poke.address, &i->poke.bytes);
    case REC_launch:
        return repeat_launch(r, &i->launch);
    case REC_copy:
        return repeat_copy(r, &i->copy);
    case REC_fill:
        return repeat_fill(r, &i->fill);
    case REC_write:
        r->digest = 0;
        return is_call_good(
            r,
            gpu_calls.copy_in(place_address(r, i->write.address), &i->write.value, i->write.bytes),
            "a value");
    case REC_result:
        return repeat_result(r, &i->result);
    default:
        return true;
    }
}

static bool open_gpu(repeater *r)
{
    CUdevice device;
    CUcontext context;
    char name[128] = "?";
    if (!gpu_driver_load(r->err, r->room)) {
        r->status = EXIT_LACKS;
        return false;
    }
    if (gpu_calls.init(0) || gpu_calls.device_get(&device, 0) ||
        gpu_calls.primary_retain(&context, device) || gpu_calls.context_set(context)) {
        return set_error(r, EXIT_LACKS, "no GPU was found, or its driver does not respond");
    }
    gpu_calls.device_name(name, sizeof name, device);
    fprintf(r->to, "# measured on %s, one operation after another\n", name);
    fprintf(r->to, "launch\tkernel\tgrid\tblock\trecorded_us\tmeasured_us\n");
    return is_call_good(r, gpu_calls.event_create(&r->begin, 0), "creating an event") &&
           is_call_good(r, gpu_calls.event_create(&r->done, 0), "creating an event");
}

int gpu_repeat(const char *path, FILE *to, char *err, size_t room)
{
    repeater r = {.to = to, .err = err, .room = room};
    char why[256];
    r.reader = rec_open(path, NULL, err, room);
    if (!r.reader) {
        return EXIT_REFUSED;
    }
    if (!check_recording(r.reader, why, sizeof why)) {
        set_error(&r, EXIT_REFUSED, "%s is damaged: %s", path, why);
    } else if (survey_recording(&r) && map_host_memory(&r) && open_gpu(&r) && reserve_all(&r)) {
        rec_seek(r.reader, (rec_place){0});
        bool goes = true;
        for (const rec_item *i; goes && (i = rec_next(r.reader));) {
            r.after = rec_position(r.reader);
            goes = repeat_record(&r, i);
            rec_seek(r.reader, r.after);
        }
        fprintf(to, "# %" PRIu64 " results, %" PRIu64 " copies to the host differ\n", r.compared,
                r.differences);
    }
    rec_close_reader(r.reader);
    free(r.module);
    free(r.variables);
    gpu_regions_free(&r.regions);
    return r.status;
}
