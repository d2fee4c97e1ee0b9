#include "gpu_state.h"

#include "../../base/list.h"
#include "../../memory/memory.h"
#include "check_recording.h"
#include "gpu_driver.h"
#include "host_memory.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <unistd.h>

bool gpu_set_error(gpu_replay *r, int status, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    if (!r->status || (r->status == EXIT_DIFFERS && status != EXIT_DIFFERS)) {
        vsnprintf(r->err, r->cap, format, ap);
        r->status = status;
    }
    va_end(ap);
    return false;
}

bool gpu_is_call_good(gpu_replay *r, CUresult e, const char *what)
{
    const char *text = NULL;
    if (e) {
        gpu_calls.error_string(e, &text);
        return gpu_set_error(r, EXIT_DIFFERS, "%s: %s", what, text ? text : "an unknown error");
    }
    return true;
}

/* --- recordings that a GPU cannot repeat ----------------------------------------------------- */

/* Why a GPU cannot repeat record I, as a sentence; NULL: it can. */
static const char *why_gpu_cannot_repeat(const rec_item *i)
{
    switch (i->kind) {
    case REC_texture: return "it uses texture or surface objects, whose handles a GPU chooses anew";
    case REC_launch: return i->launch.depth ? "its kernels launch kernels" : NULL;
    case REC_alloc:
        return i->alloc.kind == MEM_ARRAY              ? "it uses CUDA arrays"
               : !strcmp(i->alloc.name, "a condition") ? "it uses conditional nodes of graphs"
                                                       : NULL;
    case REC_reset: return "it resets the device";
    default: return NULL;
    }
}

static bool is_address_taken; /* a recorded address was in use, so the replay failed */

bool gpu_address_was_taken(void)
{
    return is_address_taken;
}

void gpu_restart_with_fixed_addresses(bool again, char **argv)
{
    const unsigned long fixed = ADDR_NO_RANDOMIZE;
    const int now = personality(0xffffffff);
    const unsigned long want = again ? (unsigned long)now & ~fixed : (unsigned long)now | fixed;
    if (now >= 0 && want != (unsigned long)now && personality(want) >= 0)
        execv("/proc/self/exe", argv);
}

/* Look for records that a GPU cannot repeat, and collect the addresses of device memory. */
static bool find_regions_of_recording(gpu_replay *r)
{
    rec_set_position(r->reader, (rec_position){0});
    for (const rec_item *i; (i = rec_next_item(r->reader));) {
        const char *why = why_gpu_cannot_repeat(i);
        if (why) {
            return gpu_set_error(r, EXIT_REFUSED, "the recording cannot be repeated on a GPU: %s",
                                 why);
        }
        if (i->kind == REC_alloc && i->alloc.kind == MEM_DEVICE &&
            !gpu_regions_add(&r->regions, i->alloc.address, i->alloc.size))
            return gpu_set_error(r, EXIT_NO_GPU, "the host is out of memory");
    }
    return true;
}

/* Host memory that lies within a region of device memory becomes device memory here: only kernels
 * and copies use it, and for them it makes no difference. *GREW: a region has become larger. */
static bool merge_host_memory_into_regions(gpu_replay *r, bool *grew)
{
    *grew = false;
    rec_set_position(r->reader, (rec_position){0});
    for (const rec_item *i; (i = rec_next_item(r->reader));) {
        const rec_adopt *x = &i->adopt;
        if (i->kind != REC_adopt || !gpu_regions_touch(&r->regions, x->address, x->size))
            continue;
        *grew = *grew || !gpu_regions_contain(&r->regions, x->address) ||
                !gpu_regions_contain(&r->regions, x->address + x->size - 1);
        if (!gpu_regions_add(&r->regions, x->address, x->size))
            return gpu_set_error(r, EXIT_NO_GPU, "the host is out of memory");
    }
    return true;
}

/* Map the host memory outside the regions of device memory at its recorded addresses, before the
 * driver uses these addresses. */
static bool map_host_memory(gpu_replay *r)
{
    bool grew = true;
    while (grew)
        if (!merge_host_memory_into_regions(r, &grew))
            return false;
    rec_set_position(r->reader, (rec_position){0});
    for (const rec_item *i; (i = rec_next_item(r->reader));) {
        if (i->kind == REC_adopt && !gpu_regions_contain(&r->regions, i->adopt.address) &&
            !host_memory_map(i->adopt.address, i->adopt.size)) {
            is_address_taken = true;
            return gpu_set_error(r, EXIT_NO_GPU,
                                 "the host memory at 0x%" PRIx64 " is in use in this process",
                                 i->adopt.address);
        }
    }
    return true;
}

/* --- memory ----------------------------------------------------------------------------------- */

/* Reserve the addresses of REGION and map device memory there. *HELD: the memory is mapped; if
 * false, this driver cannot reserve addresses, but may still allocate at the recorded ones. */
static bool reserve_addresses(gpu_replay *r, const gpu_region *region, bool *held)
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
    if (!*held || !gpu_is_call_good(r, e, "reserving the recorded addresses"))
        return !*held;
    if (at != region->from) {
        is_address_taken = true;
        return gpu_set_error(
            r, EXIT_NO_GPU,
            "this GPU's driver cannot reserve memory at the recorded address 0x%" PRIx64
            ": it reserved 0x%llx",
            region->from, at);
    }
    return gpu_is_call_good(r, gpu_calls.create(&handle, size, &prop, 0),
                            "allocating memory for the recording") &&
           gpu_is_call_good(r, gpu_calls.map(at, size, 0, handle, 0), "mapping memory") &&
           gpu_is_call_good(r, gpu_calls.set_access(at, size, &access, 1), "mapping memory") &&
           gpu_is_call_good(r, gpu_calls.fill8(at, 0, size), "clearing memory");
}

/* Map device memory at the recorded addresses, unless the driver cannot reserve addresses. */
static bool reserve_all_regions(gpu_replay *r)
{
    bool held = r->regions.count > 0;
    for (size_t k = 0; k < r->regions.count && held; k++)
        if (!reserve_addresses(r, &r->regions.list[k], &held))
            return false;
    r->reserved = held;
    return true;
}

/* Add the device variable of record X to the list; its address here is found when its module is
 * loaded. */
static bool add_variable(gpu_replay *r, const rec_alloc *x)
{
    moved_variable *v = LIST_ADD(r->variables, r->variable_count);
    if (!v)
        return gpu_set_error(r, EXIT_NO_GPU, "the host is out of memory");
    *v = (moved_variable){.recorded = x->address, .size = x->size};
    snprintf(v->name, sizeof v->name, "%s", x->name);
    return true;
}

/* Add the allocation of record X to the list. */
static bool add_allocation(gpu_replay *r, const rec_alloc *x)
{
    gpu_allocation *new = LIST_ADD(r->memory, r->memory_count);
    if (!new)
        return gpu_set_error(r, EXIT_NO_GPU, "the host is out of memory");
    *new = (gpu_allocation){x->address, x->size};
    return true;
}

static bool repeat_alloc(gpu_replay *r, const rec_alloc *x)
{
    CUdeviceptr at;
    if (x->kind != MEM_DEVICE)
        return add_variable(r, x);
    if (r->watch && !add_allocation(r, x))
        return false;
    if (r->reserved)
        return true;
    return gpu_is_call_good(r, gpu_calls.alloc(&at, x->size), "allocating memory") &&
           (at == x->address ||
            gpu_set_error(r, EXIT_NO_GPU,
                          "the driver cannot reserve addresses, and gave 0x%llx where 0x%" PRIx64
                          " was recorded",
                          at, x->address));
}

/* Whether the host memory at ADDRESS lies in a region of device memory. */
static bool is_in_merged_allocation(const gpu_replay *r, uint64_t address)
{
    return r->reserved && gpu_regions_contain(&r->regions, address);
}

static bool repeat_adopt(gpu_replay *r, const rec_adopt *x)
{
    void *host = (void *)(uintptr_t)x->address;
    CUdeviceptr device = 0;
    if (is_in_merged_allocation(r, x->address))
        return gpu_is_call_good(r, gpu_calls.fill8(x->address, 0, x->size), "clearing memory");
    /* clear the memory that an earlier pass has mapped */
    if (!host_memory_map(x->address, x->size)) {
        return gpu_set_error(r, EXIT_NO_GPU,
                             "the host memory at 0x%" PRIx64 " is in use in this process",
                             x->address);
    }
    return gpu_is_call_good(r, gpu_calls.host_register(host, x->size, CU_MEMHOSTREGISTER_DEVICEMAP),
                            "registering host memory") &&
           gpu_is_call_good(r, gpu_calls.host_pointer(&device, host, 0),
                            "registering host memory") &&
           (device == x->address ||
            gpu_set_error(r, EXIT_NO_GPU,
                          "the GPU and the host use different addresses for host memory"));
}

CUdeviceptr gpu_address_of_recorded(const gpu_replay *r, uint64_t address)
{
    for (size_t k = 0; k < r->variable_count; k++) {
        const moved_variable *v = &r->variables[k];
        if (v->here && address - v->recorded < v->size)
            return v->here + (address - v->recorded);
    }
    return address;
}

static bool repeat_free(gpu_replay *r, uint64_t address)
{
    for (size_t k = 0; k < r->variable_count; k++) {
        if (r->variables[k].recorded == address) {
            free(r->variables[k].kept);
            r->variables[k] = r->variables[--r->variable_count];
            return true;
        }
    }
    for (size_t k = 0; k < r->memory_count; k++)
        if (r->memory[k].address == address)
            r->memory[k] = r->memory[--r->memory_count];
    if (!gpu_regions_contain(&r->regions, address)) {
        return gpu_is_call_good(r, gpu_calls.host_unregister((void *)(uintptr_t)address),
                                "unregistering memory");
    }
    return r->reserved || gpu_is_call_good(r, gpu_calls.free(address), "freeing memory");
}

/* --- repeating modules, memory and copies ----------------------------------------------------- */

static bool repeat_module(gpu_replay *r, const rec_module *x)
{
    CUmodule *more = realloc(r->module, (x->id + 1) * sizeof *more);
    char *machine = x->machine.size ? rec_read_all_data(r->reader, &x->machine) : NULL;
    char *ptx = rec_read_all_data(r->reader, &x->ptx);
    r->module = more ? more : r->module;
    bool loaded = false;
    if (more && ptx && (!r->watch || r->watch->module(r->watch->object, r, ptx, x->ptx.size))) {
        /* Load machine code if it is for this GPU, else the driver compiles the PTX. */
        loaded =
            (machine && !r->watch && !gpu_calls.load(&more[x->id], machine)) ||
            gpu_is_call_good(r, gpu_calls.load(&more[x->id], ptx), "loading the recorded code");
    }
    free(machine);
    free(ptx);
    for (size_t k = 0; loaded && k < r->variable_count; k++) {
        moved_variable *v = &r->variables[k];
        size_t size;
        if (!v->here && gpu_calls.global(&v->here, &size, more[x->id], v->name)) {
            v->here = 0; /* of another module, or without a name; the recording copies nothing to
                            it */
        }
    }
    return loaded;
}

/* Write DATA to the device memory that had ADDRESS in the recorded run. */
static bool write_device_bytes(gpu_replay *r, uint64_t address, const rec_data *data)
{
    void *bytes = rec_read_all_data(r->reader, data);
    const bool fine =
        bytes &&
        gpu_is_call_good(
            r, gpu_calls.copy_in(gpu_address_of_recorded(r, address), bytes, (size_t)data->size),
            "a copy");
    free(bytes);
    return fine;
}

/* Repeat what the host wrote to memory that kernels may use. */
static bool write_recorded_pages(gpu_replay *r, const rec_pages *x)
{
    if (is_in_merged_allocation(r, x->address))
        return write_device_bytes(r, x->address, &x->bytes);
    return rec_read_data(r->reader, &x->bytes, 0, (void *)(uintptr_t)x->address, x->bytes.size) ||
           gpu_set_error(r, EXIT_NO_GPU, "the host is out of memory");
}

bool gpu_repeat_host_writes(gpu_replay *r, uint64_t op)
{
    bool fine = true;
    for (const rec_item *i;
         fine && (i = rec_next_item(r->reader)) && !(i->kind == REC_result && i->result.op == op);)
        fine = i->kind != REC_pages || write_recorded_pages(r, &i->pages);
    rec_set_position(r->reader, r->after);
    return fine;
}

/* --- copies ----------------------------------------------------------------------------------- */

/* Address on this GPU of row Y of slice Z of a copy. SIDE: recorded address, pitch and slice. */
static CUdeviceptr row_address(const gpu_replay *r, rec_list side, uint64_t y, uint64_t z)
{
    return gpu_address_of_recorded(r, side.of[0] + z * side.of[2] + y * side.of[1]);
}

/* Copy row Y of slice Z of copy X, from BYTES if not NULL, otherwise from device memory. BUFFER:
 * the row is copied by way of this host buffer and digested; NULL: it is copied directly. */
static bool copy_row(gpu_replay *r, const rec_copy *x, uint64_t y, uint64_t z, const uint8_t *bytes,
                     uint8_t *buffer)
{
    const size_t width = (size_t)x->extent.of[0];
    const CUdeviceptr to = x->host_to ? 0 : row_address(r, x->to, y, z);
    const CUdeviceptr from = bytes ? 0 : row_address(r, x->from, y, z);
    if (!bytes && !buffer)
        return gpu_is_call_good(r, gpu_calls.copy(to, from, width), "a copy");
    if (!bytes && !gpu_is_call_good(r, gpu_calls.copy_out(buffer, from, width), "a copy"))
        return false;
    const uint8_t *row = bytes ? bytes : buffer;
    r->digest = buffer ? rec_digest_bytes(r->digest, row, width) : 0;
    return x->host_to || gpu_is_call_good(r, gpu_calls.copy_in(to, row, width), "a copy");
}

static bool repeat_copy(gpu_replay *r, const rec_copy *x)
{
    const uint64_t width = x->extent.of[0], height = x->extent.of[1], depth = x->extent.of[2];
    const bool home = x->host_to || x->way == 2 || x->way == 4;
    uint8_t *bytes = x->host_from ? rec_read_all_data(r->reader, &x->bytes) : NULL;
    uint8_t *buffer = home ? malloc((size_t)width) : NULL;
    bool fine = (buffer || !home) && (bytes || !x->host_from);
    r->digest = 0;
    for (uint64_t row = 0; fine && row < height * depth; row++) {
        fine =
            copy_row(r, x, row % height, row / height, bytes ? bytes + row * width : NULL, buffer);
    }
    free(bytes);
    free(buffer);
    return fine || gpu_set_error(r, EXIT_NO_GPU, "the host is out of memory");
}

static bool repeat_fill(gpu_replay *r, const rec_fill *x)
{
    const uint32_t value = (uint32_t)x->value;
    for (uint64_t row = 0; row < x->extent.of[1] * x->extent.of[2]; row++) {
        const CUdeviceptr at = row_address(r, x->to, row % x->extent.of[1], row / x->extent.of[1]);
        const size_t n = (size_t)(x->extent.of[0] / x->unit);
        const CUresult e = x->unit == 4   ? gpu_calls.fill32(at, value, n)
                           : x->unit == 2 ? gpu_calls.fill16(at, (unsigned short)value, n)
                                          : gpu_calls.fill8(at, (unsigned char)value, n);
        if (!gpu_is_call_good(r, e, "a fill"))
            return false;
    }
    r->digest = 0;
    return true;
}

/* Compare the result of the last operation with its record X, or write the times of a launch. */
static bool repeat_result(gpu_replay *r, const rec_result *x)
{
    r->compared++;
    if (r->launched && r->watch) {
        r->compared--; /* the callbacks of `watch` compare results instead */
    } else if (r->launched) {
        fprintf(r->to, "%" PRIu64 "\t%s\t%s\t%.3f\t%.3f\n", r->number, r->kernel, r->shape,
                x->ns * 1e-3, r->ns * 1e-3);
    } else if (x->digest && x->digest != r->digest) {
        r->differences++;
        gpu_set_error(r, EXIT_DIFFERS,
                      "operation %" PRIu64
                      " copied bytes to the host that differ from the recorded run",
                      x->op);
    }
    r->launched = false;
    return true;
}

static bool repeat_record(gpu_replay *r, const rec_item *i)
{
    switch (i->kind) {
    case REC_alloc: return repeat_alloc(r, &i->alloc);
    case REC_adopt: return repeat_adopt(r, &i->adopt);
    case REC_free: return repeat_free(r, i->free.address);
    case REC_module: return repeat_module(r, &i->module);
    case REC_unload:
        return gpu_is_call_good(r, gpu_calls.unload(r->module[i->unload.id]), "unloading a module");
    case REC_limits:
        return (!i->limits.stack ||
                gpu_is_call_good(r, gpu_calls.set_limit(CU_LIMIT_STACK_SIZE, i->limits.stack),
                                 "setting a limit")) &&
               (!i->limits.heap ||
                gpu_is_call_good(r, gpu_calls.set_limit(CU_LIMIT_MALLOC_HEAP_SIZE, i->limits.heap),
                                 "setting a limit"));
    case REC_pages: /* the host's changes during a launch are written before the launch */
        return r->launched || write_recorded_pages(r, &i->pages);
    case REC_poke: return write_device_bytes(r, i->poke.address, &i->poke.bytes);
    case REC_launch: return gpu_repeat_launch(r, &i->launch);
    case REC_copy: return repeat_copy(r, &i->copy);
    case REC_fill: return repeat_fill(r, &i->fill);
    case REC_write:
        r->digest = 0;
        return gpu_is_call_good(r,
                                gpu_calls.copy_in(gpu_address_of_recorded(r, i->write.address),
                                                  &i->write.value, i->write.bytes),
                                "a value");
    case REC_result: return repeat_result(r, &i->result);
    default: return true;
    }
}

/* Load the driver and create a context on the first GPU. */
static bool open_gpu(gpu_replay *r)
{
    CUdevice device;
    CUcontext context;
    if (!gpu_driver_load(r->err, r->cap)) {
        r->status = EXIT_NO_GPU;
        return false;
    }
    if (gpu_calls.init(0) || gpu_calls.device_get(&device, 0) ||
        gpu_calls.primary_retain(&context, device) || gpu_calls.context_set(context))
        return gpu_set_error(r, EXIT_NO_GPU, "no GPU was found, or its driver does not respond");
    if (gpu_calls.device_name(r->device, sizeof r->device, device))
        snprintf(r->device, sizeof r->device, "?");
    if (r->to) {
        fprintf(r->to, "# measured on %s, one operation after another\n", r->device);
        fprintf(r->to, "launch\tkernel\tgrid\tblock\trecorded_us\tmeasured_us\n");
    }
    return gpu_is_call_good(r, gpu_calls.event_create(&r->begin, 0), "creating an event") &&
           gpu_is_call_good(r, gpu_calls.event_create(&r->done, 0), "creating an event");
}

static void free_replay(gpu_replay *r)
{
    rec_close_reader(r->reader);
    for (size_t k = 0; k < r->variable_count; k++)
        free(r->variables[k].kept);
    free(r->module);
    free(r->variables);
    free(r->memory);
    gpu_regions_free(&r->regions);
}

int gpu_repeat(const char *path, const gpu_watch *watch, FILE *to, char *err, size_t cap)
{
    gpu_replay r = {.watch = watch, .to = watch ? NULL : to, .err = err, .cap = cap};
    char why[256];
    r.reader = rec_open_file(path, NULL, err, cap);
    if (!r.reader)
        return EXIT_REFUSED;
    if (!check_recording(r.reader, why, sizeof why)) {
        gpu_set_error(&r, EXIT_REFUSED, "%s is damaged: %s", path, why);
    } else if (find_regions_of_recording(&r) && map_host_memory(&r) && open_gpu(&r) &&
               reserve_all_regions(&r)) {
        rec_set_position(r.reader, (rec_position){0});
        bool goes = true;
        for (const rec_item *i; goes && (i = rec_next_item(r.reader));) {
            r.after = rec_read_position(r.reader);
            goes = repeat_record(&r, i);
            rec_set_position(r.reader, r.after);
        }
        if (r.to) {
            fprintf(r.to, "# %" PRIu64 " results, %" PRIu64 " copies to the host differ\n",
                    r.compared, r.differences);
        }
    }
    free_replay(&r);
    return r.status;
}
