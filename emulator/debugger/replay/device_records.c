/* Repeats records that are not operations: allocations, modules, textures, the host's writes. */
#include "../../cudart/checks/checks.h"
#include "../../cudart/code/module.h"
#include "../../cudart/core/state.h"
#include "../../memory/memory.h"
#include "../../memory/watcher.h"
#include "host_memory.h"
#include "state.h"

#include <stdlib.h>
#include <string.h>

/* Allocate the memory of X outside the window of device addresses. Memory pools of a GPU may lie
 * too far from its other memory for one window that contains both. */
static bool map_outside_window(const rec_alloc *x)
{
    return host_memory_map(x->address, x->size) &&
           mem_add_host_range((void *)(uintptr_t)x->address, x->size, (mem_kind)x->kind);
}

bool repeat_alloc_record(replay *r, const rec_alloc *x)
{
    if (x->kind == MEM_ARRAY) /* memory of cudaMalloc has a record `fresh` of its own */
        rt_note_allocation((const void *)(uintptr_t)x->address, (size_t)x->size);
    return (r->gpu && !mem_in_window(x->address) && map_outside_window(x)) ||
           mem_alloc_at(x->address, x->size, (mem_kind)x->kind, x->name[0] ? x->name : NULL) ||
           replay_set_error(
               r, "%llu bytes cannot be allocated at 0x%llx: the device %s has less memory",
               (unsigned long long)x->size, (unsigned long long)x->address, rt.profile.name);
}

bool repeat_adopt_record(replay *r, const rec_adopt *x)
{
    /* In a recording from a GPU, host memory may have addresses between those of device memory. */
    return (mem_in_window(x->address) &&
            mem_alloc_at(x->address, x->size, (mem_kind)x->kind, NULL)) ||
           (host_memory_map(x->address, x->size) &&
            mem_add_host_range((void *)(uintptr_t)x->address, x->size, (mem_kind)x->kind)) ||
           replay_set_error(
               r, "cannot map host memory at 0x%llx, where kernels of the recorded run accessed it",
               (unsigned long long)x->address);
}

bool repeat_free_record(replay *r, const rec_free *x)
{
    rt_note_free((const void *)(uintptr_t)x->address);
    return mem_free_range(x->address) ||
           replay_set_error(r, "memory at 0x%llx cannot be freed", (unsigned long long)x->address);
}

/* The addresses of the variables in the PTX TEXT: those of PLACES, or, for 0, an address that the
 * recording never uses. NULL: the host is out of memory, or the text cannot be parsed. */
static uint64_t *find_variable_addresses(replay *r, const char *text, const rec_list *places)
{
    ptx_error err;
    ptx_module *m = ptx_parse(text, strlen(text), &err);
    uint64_t *to = m ? calloc(places->count + 1, sizeof *to) : NULL;
    for (uint32_t k = 0; to && k < places->count; k++) {
        const ptx_var *v = k < m->var_count ? m->vars[k] : NULL;
        const bool constant = v && v->space == PTX_SPACE_CONST;
        const mem_kind kind = constant             ? MEM_CONSTANT
                              : v && v->is_managed ? MEM_MANAGED
                                                   : MEM_MODULE;
        to[k] = places->of[k];
        if (!to[k] && v && !v->is_extern && (constant || v->space == PTX_SPACE_GLOBAL) &&
            mem_alloc_at(r->spare, v->size ? v->size : 1, kind, v->name)) {
            to[k] = r->spare;
            r->spare += (v->size + 511) / 256 * 256;
        }
    }
    if (m)
        ptx_free(m);
    return to;
}

bool repeat_module_record(replay *r, const rec_module *x)
{
    rt_module **more = realloc(r->module, (x->id + 1) * sizeof *more);
    if (!more)
        return replay_set_error(r, "the host is out of memory");
    r->module = more;
    char *text = rec_read_all_data(r->reader, &x->ptx);
    void *machine = x->machine.size && text ? rec_read_all_data(r->reader, &x->machine) : NULL;
    const rt_jit_options jit = {.registers = (uint32_t)x->options.of[0],
                                .threads = (uint32_t)x->options.of[1],
                                .max_threads = (uint32_t)x->options.of[2],
                                .min_blocks = (uint32_t)x->options.of[3]};
    if (!text || (x->machine.size && !machine)) {
        free(text);
        return replay_set_error(r, "the host is out of memory");
    }
    r->modules = x->id;
    r->module[x->id] = NULL;
    uint64_t *found = r->gpu ? find_variable_addresses(r, text, &x->places) : NULL;
    const bool bad =
        rt_replay_module(text, machine, x->machine.size, x->linked, x->jit ? &jit : NULL,
                         found ? found : x->places.of, x->places.count, &r->module[x->id]);
    free(found);
    if (bad)
        return replay_set_error(r, "module %llu cannot be loaded", (unsigned long long)x->id);
    const uint32_t target = rt_module_compute_capability(r->module[x->id]);
    if (!r->same_device && !r->gpu && target > rt_compute_capability()) {
        rt_print_message(
            "the program's code is for compute capability %u.%u, and %s has %u.%u: it is modelled "
            "there, but a real one cannot run it",
            target / 10, target % 10, rt.profile.name, rt_compute_capability() / 10,
            rt_compute_capability() % 10);
    }
    return true;
}

bool repeat_unload_record(replay *r, const rec_unload *x)
{
    rt_module_remove(r->module[x->id]);
    r->module[x->id] = NULL;
    return true;
}

static float float_of_bits(uint64_t bits)
{
    const uint32_t low = (uint32_t)bits;
    float value;
    memcpy(&value, &low, sizeof value);
    return value;
}

/* Create the texture object X, whose fields check_recording.c has checked; texture_record.c defines
 * their order. */
bool repeat_texture_record(replay *r, const rec_texture *x)
{
    const uint64_t *i = x->image.of, *s = x->sampler.of;
    mem_object o = {.kind = (unsigned)i[0],
                    .handle = x->handle,
                    .image = {.kind = (unsigned)i[1],
                              .format = {(mem_channel_kind)i[2], (uint8_t)i[3], (uint8_t)i[4]},
                              .dims = (uint8_t)i[5],
                              .layered = i[6],
                              .cube = i[7],
                              .levels = (uint32_t)i[8],
                              .base = i[9],
                              .bytes = i[10]},
                    .sampler = {.wrap = {(mem_wrap)s[0], (mem_wrap)s[1], (mem_wrap)s[2]},
                                .linear = s[3],
                                .mip_linear = s[4],
                                .normalized = s[5],
                                .to_float = s[6],
                                .srgb = s[7],
                                .seamless = s[8],
                                .anisotropy = (uint32_t)s[9],
                                .border = {float_of_bits(s[10]), float_of_bits(s[11]),
                                           float_of_bits(s[12]), float_of_bits(s[13])},
                                .bias = float_of_bits(s[14]),
                                .min_level = float_of_bits(s[15]),
                                .max_level = float_of_bits(s[16])}};
    for (uint32_t k = 0; k < o.image.levels; k++) {
        const uint64_t *l = x->levels.of + 6 * k;
        o.image.level[k] =
            (mem_mip_level){l[0], (uint32_t)l[1], (uint32_t)l[2], (uint32_t)l[3], l[4], l[5]};
    }
    return mem_object_add_at(&o) || replay_set_error(r, "a texture object cannot be created again");
}

bool write_data_to_device(replay *r, uint64_t address, const rec_data *data)
{
    void *to = mem_host_pointer(address, data->size);
    return (to && rec_read_data(r->reader, data, 0, to, data->size)) ||
           replay_set_error(r, "%llu bytes cannot be written at 0x%llx",
                            (unsigned long long)data->size, (unsigned long long)address);
}

bool compare_memory_digests(replay *r, const rec_memory *x)
{
    for (uint32_t k = 0; k + 1 < x->ranges.count; k += 2) {
        mem_range range;
        if (!mem_find_range(x->ranges.of[k], &range) || range.base != x->ranges.of[k]) {
            return replay_set_error(r, "a digest refers to memory at 0x%llx that is not allocated",
                                    (unsigned long long)x->ranges.of[k]);
        }
        const void *at = (const void *)(uintptr_t)(range.base + (uint64_t)range.delta);
        r->compared++;
        if (rec_digest_bytes(0, at, (size_t)range.size) != x->ranges.of[k + 1]) {
            replay_report_difference(r, "the %llu bytes at 0x%llx differ from the recorded run",
                                     (unsigned long long)range.size,
                                     (unsigned long long)range.base);
        }
    }
    return true;
}
