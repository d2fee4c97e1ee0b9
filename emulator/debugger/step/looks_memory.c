/* The debugger's questions about memory: contents, and the cost of the warp's last request. */
#include "looks.h"

#include "../../base/parameter.h"
#include "../../profiler/count.h"
#include "../../sm/sync.h"
#include "commands.h"
#include "control.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    BANKS = 32,            /* banks of shared memory */
    ROW_BYTES = 4 * BANKS, /* bytes of one row of all banks */
    SECTOR_BYTES = 32      /* bytes of a sector of global memory */
};

/* Read up to NUMBERS numbers and an optional "as TYPE" from TEXT. False: TEXT is something else. */
static bool read_numbers_and_type(const char *text, uint64_t *number, uint32_t numbers,
                                  step_type *type)
{
    uint32_t n = 0;
    while (*text) {
        if (strncmp(text, "as", 2) == 0 && strchr(" \t", text[2])) {
            text += 2 + strspn(text + 2, " \t");
            *type = step_type_read(text, strcspn(text, " \t\r\n"));
            return *type != STEP_ANY_TYPE;
        }
        char *end;
        if (*text < '0' || *text > '9' || n == numbers)
            return false;
        number[n++] = strtoull(text, &end, 0);
        text = end + strspn(end, " \t\r\n");
    }
    return true;
}

static void write_values(FILE *to, const uint8_t *bytes, uint64_t size, step_type type)
{
    const uint32_t each = step_type_bytes(type);
    char text[64];
    for (uint64_t k = 0; k + each <= size; k += each) {
        step_value_text(type, bytes + k, text, sizeof text);
        fprintf(to, "%s%s", k ? "," : "", step_quoted(text));
    }
}

/* --- shared memory --- */

static void write_shared_variables(FILE *to)
{
    const sm_unit *u = step_worker_state.slot->launch->grid->unit;
    bool any = false;
    for (uint32_t k = 0; k < u->module->var_count; k++) {
        const ptx_var *v = u->module->vars[k];
        if (v->space != PTX_SPACE_SHARED || u->shared_offset[k] >= UINT64_MAX - 1)
            continue;
        char name[SM_ARRAY_NAME_BYTES];
        sm_variable_name(v, name, sizeof name);
        const uint64_t bytes =
            v->size ? v->size : step_worker_state.slot->block->shared_bytes - u->shared_offset[k];
        fprintf(to, "%s{\"name\":%s,\"offset\":%" PRIu64 ",\"bytes\":%" PRIu64 "}", any ? "," : "",
                step_quoted(name), u->shared_offset[k], bytes);
        any = true;
    }
}

void step_answer_shared_memory(const char *text, FILE *to)
{
    const sm_block *b = step_worker_state.slot->block;
    uint64_t wish[2] = {0, 16};
    step_type type = step_worker_state.slot->shared_type;
    if (!read_numbers_and_type(text, wish, 2, &type)) {
        step_write_error(to, "give \"shared [FROM [ROWS]] [as TYPE]\"");
        return;
    }
    const uint64_t from = wish[0] / ROW_BYTES * ROW_BYTES;
    const uint64_t end = wish[1] < (b->shared_bytes - from) / ROW_BYTES ? from + wish[1] * ROW_BYTES
                                                                        : b->shared_bytes;
    if (b->shared_bytes == 0 || from >= b->shared_bytes) {
        step_write_error(to, b->shared_bytes ? "the block has less shared memory than that"
                                             : "the block has no shared memory");
        return;
    }
    const char *name = type == STEP_ANY_TYPE ? "b32" : step_type_name[type];
    fprintf(to,
            "{\"ok\":true,\"answer\":\"shared\",\"bytes\":%" PRIu64 ",\"type\":\"%s\",\"rows\":[",
            b->shared_bytes, name);
    for (uint64_t at = from; at < end; at += ROW_BYTES) {
        const uint64_t size = end - at < ROW_BYTES ? end - at : ROW_BYTES;
        fprintf(to, "%s{\"offset\":%" PRIu64 ",\"values\":[", at > from ? "," : "", at);
        write_values(to, b->shared + at, size, type);
        fputs("]}", to);
    }
    fputs("],\"variables\":[", to);
    write_shared_variables(to);
    fputs("]}\n", to);
}

/* --- device memory --- */

void step_answer_device_memory(const char *text, FILE *to)
{
    enum { MAX_ELEMENTS = 1024 };
    uint64_t wish[2] = {0, 8};
    step_type type = STEP_U32;
    ptx_space space = PTX_SPACE_GLOBAL;
    const bool named = is_name_char(*text) && !(*text >= '0' && *text <= '9');
    const char *rest = named ? step_array_place(text, &space, &wish[0]) : text;
    if (space != PTX_SPACE_GLOBAL) {
        step_write_error(to, space == PTX_SPACE_SHARED
                                 ? "that array is in shared memory: ask for `shared`"
                                 : "no array of the kernel that runs here has this name");
        return;
    }
    if (!*text || !read_numbers_and_type(rest, wish + named, 2 - named, &type) ||
        wish[1] > MAX_ELEMENTS) {
        step_write_error(to,
                         "give \"global PLACE [COUNT] [as TYPE]\", at most 1024 values; PLACE is "
                         "an array, as out or out + 12, or an address");
        return;
    }
    const uint64_t size = wish[1] * step_type_bytes(type);
    const uint8_t *bytes = mem_host_pointer(wish[0], size ? size : 1);
    char what[300];
    mem_describe(wish[0], size, what, sizeof what);
    if (!bytes) {
        char sentence[500];
        snprintf(sentence, sizeof sentence, "0x%" PRIx64 " is %s", wish[0], what);
        step_write_error(to, sentence);
        return;
    }
    fprintf(to, "{\"ok\":true,\"answer\":\"global\",\"address\":\"0x%" PRIx64 "\",\"type\":\"%s\"",
            wish[0], step_type_name[type]);
    if (named) {
        char place[1024];
        int n = snprintf(place, sizeof place, "%.*s", (int)(rest - text), text);
        while (n && place[n - 1] == ' ')
            place[--n] = '\0';
        fprintf(to, ",\"place\":%s", step_quoted(place));
    }
    fputs(",\"values\":[", to);
    write_values(to, bytes, size, type);
    fputs("]}\n", to);
}

/* --- the cost of the last memory request --- */

typedef struct request_cost {
    const char *unit; /* unit of the cost, such as sectors; NULL: the cost is not known */
    uint32_t needs;   /* units that the request needs */
    uint32_t ideal;   /* units that the same lanes would need with an ideal access pattern */
} request_cost;

static request_cost cost_of_request(const step_request *r)
{
    uint64_t address[SM_LANES];
    uint32_t offset[SM_LANES], n = 0;
    for (uint32_t l = 0; l < SM_LANES; l++) {
        offset[l] = (uint32_t)r->address[l];
        if (r->mask >> l & 1)
            address[n++] = r->address[l];
    }
    if (r->space == PTX_SPACE_SHARED) {
        const profiler_wavefront_cost p =
            r->effect == SM_UPDATES
                ? profiler_atomic_wavefronts(offset, r->mask, r->bytes)
                : profiler_shared_wavefronts(offset, r->mask, r->bytes, r->effect == SM_READS);
        return (request_cost){"passes", p.wavefronts, p.wavefronts - p.conflicts};
    }
    if (r->space == PTX_SPACE_GLOBAL) {
        const profiler_global_request_cost s =
            profiler_cost_of_global_request(address, n, r->bytes);
        const uint32_t sectors =
            r->effect == SM_UPDATES ? profiler_atomic_sectors(address, n) : s.sectors;
        return (request_cost){"sectors", sectors, s.ideal};
    }
    if (r->space == PTX_SPACE_LOCAL) {
        return (request_cost){"sectors",
                              profiler_cost_of_local_request(r->address, r->mask, r->bytes).sectors,
                              (n * r->bytes + SECTOR_BYTES - 1) / SECTOR_BYTES};
    }
    return (request_cost){0};
}

static const char *space_name(ptx_space s)
{
    return s == PTX_SPACE_SHARED   ? "shared"
           : s == PTX_SPACE_GLOBAL ? "global"
           : s == PTX_SPACE_LOCAL  ? "local"
                                   : "const";
}

/* Write the array that all lanes of R access; if they access several, each with its lanes. */
static void write_arrays(const step_request *r, FILE *to)
{
    sm_array in;
    const char *comma = "";
    if (step_array_of_lanes(r->space, r->mask, r->address, &in)) {
        fprintf(to, ",\"memory\":%s,\"begins\":\"0x%" PRIx64 "\"", step_quoted(in.name), in.base);
        return;
    }
    fputs(",\"arrays\":[", to);
    for (uint32_t rest = r->mask, here; rest; rest &= ~here) {
        here = rest & -rest;
        if (!step_array_of_lanes(r->space, here, r->address, &in))
            continue;
        for (uint32_t m = rest; m; m &= m - 1)
            if (r->address[__builtin_ctz(m)] - in.base < in.size)
                here |= m & -m;
        fprintf(to, "%s{\"lanes\":\"%08x\",\"memory\":%s,\"begins\":\"0x%" PRIx64 "\"}", comma,
                here, step_quoted(in.name), in.base);
        comma = ",";
    }
    putc(']', to);
}

void step_answer_last_memory_request(FILE *to)
{
    const step_state *s = &step_worker_state;
    const step_request *r = &s->slot->warp[s->w->index].request;
    if (!r->made) {
        step_write_error(to, "the warp has not accessed memory yet");
        return;
    }
    const request_cost c = cost_of_request(r);
    char *ptx = step_ptx_text(s->slot, r->site);
    fprintf(to,
            "{\"ok\":true,\"answer\":\"request\",\"launch\":%" PRIu64 ",\"count\":%" PRIu64
            ",\"warp\":%u,\"space\":\"%s\",\"effect\":\"%s\",\"bytes\":%u,\"lanes\":\"%08x\","
            "\"addresses\":[",
            s->slot->launch->grid->launch->number, r->insn, s->w->index, space_name(r->space),
            sm_effect_name(r->effect), r->bytes, r->mask);
    for (uint32_t l = 0; l < SM_LANES; l++)
        if (r->mask >> l & 1)
            fprintf(to, "%s\"0x%" PRIx64 "\"", l ? "," : "", r->address[l]);
        else
            fprintf(to, "%snull", l ? "," : "");
    putc(']', to);
    step_write_position(to, s->slot, r->site, false);
    fprintf(to, ",\"ptx\":%s", step_quoted(ptx));
    write_arrays(r, to);
    if (c.unit)
        fprintf(to, ",\"%s\":%u,\"ideal\":%u", c.unit, c.needs, c.ideal);
    fputs("}\n", to);
    free(ptx);
}
