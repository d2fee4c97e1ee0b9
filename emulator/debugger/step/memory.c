/* What is known of memory beside its bytes: what the source calls it, and what wrote it while no
 * kernel ran: copies, fills, the host, initial values. */
#include "step.h"

#include "../../base/list.h"
#include "../../base/parameter.h"
#include "looks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- names --- */

/* The source's name of a kernel's parameter, kept until the process ends: finding it reads files.
 */
typedef struct known_name {
    const ptx_func *kernel;         /* the kernel */
    unsigned number;                /* number of the parameter, from 1 */
    char name[SM_ARRAY_NAME_BYTES]; /* "": the source is not there, or has no such name */
    struct known_name *next;        /* next of known_names */
} known_name;

static known_name *known_names;

/* The text of file PATH up to 4 MB, malloc'ed; NULL: it cannot be read. */
static char *text_of_file(const char *path)
{
    enum { MAX_BYTES = 4 << 20 };
    FILE *f = fopen(path, "re");
    char *text = f ? malloc(MAX_BYTES + 1) : NULL;
    if (text)
        text[fread(text, 1, MAX_BYTES, f)] = '\0';
    if (f)
        fclose(f);
    return text;
}

/* Store in K the name of its parameter: that of the first source file which defines the kernel. */
static void find_name(known_name *k)
{
    const sm_grid *g = step_worker_state.slot->launch->grid;
    const ptx_module *m = g->unit->module;
    const char *kernel = g->launch->name ? g->launch->name : "";
    for (const char *inner; (inner = strstr(kernel, "::")) && inner < strchrnul(kernel, '<');)
        kernel = inner + 2;
    for (uint32_t i = 1; i < m->file_count && *kernel && !k->name[0]; i++) {
        char *text = m->files[i] ? text_of_file(m->files[i]) : NULL;
        size_t length;
        const char *name = text ? parameter_name(text, kernel, (int)k->number, &length) : NULL;
        if (name)
            snprintf(k->name, sizeof k->name, "%.*s", (int)length, name);
        free(text);
    }
}

/* The source's name of parameter NUMBER of the kernel that runs; "": it is not known. */
static const char *name_of_parameter(unsigned number)
{
    const ptx_func *kernel = step_worker_state.slot->launch->grid->launch->kernel;
    known_name *k = known_names;
    while (k && (k->kernel != kernel || k->number != number))
        k = k->next;
    if (!k && (k = calloc(1, sizeof *k))) {
        *k = (known_name){.kernel = kernel, .number = number, .next = known_names};
        find_name(k);
        known_names = k;
    }
    return k ? k->name : "";
}

bool step_array_of_lanes(ptx_space space, uint32_t mask, const uint64_t address[SM_LANES],
                         sm_array *a)
{
    const sm_grid *g = step_worker_state.slot->launch->grid;
    unsigned number;
    a->base = 0;
    if (!mask)
        return false;
    if (space == PTX_SPACE_SHARED)
        return sm_shared_array_of(g, mask, address, a);
    const mem_range *in = space == PTX_SPACE_LOCAL
                              ? NULL
                              : mem_find_in_snapshot(g->map, address[__builtin_ctz(mask)]);
    for (uint32_t rest = mask; in && rest; rest &= rest - 1)
        if (address[__builtin_ctz(rest)] - in->base >= in->size)
            in = NULL;
    if (!in)
        return false;
    *a = sm_array_of_allocation(g, in);
    if (sscanf(a->name, "argument %u", &number) == 1 && *name_of_parameter(number))
        memcpy(a->name, name_of_parameter(number), sizeof a->name);
    return true;
}

/* Whether all of TEXT is a name that a command can have. */
static bool is_name(const char *text)
{
    while (is_name_char(*text))
        text++;
    return *text == '\0';
}

void step_answer_array_name(const char *text, FILE *to)
{
    uint64_t address[SM_LANES];
    char space[8];
    sm_array a;
    if (sscanf(text, "%7s %" SCNi64, space, (int64_t *)&address[0]) == 2 &&
        step_array_of_lanes(*space == 's' ? PTX_SPACE_SHARED : PTX_SPACE_GLOBAL, 1, address, &a) &&
        is_name(a.name))
        fprintf(to, "%s + %" PRIu64, a.name, address[0] - a.base);
}

void step_answer_array_place(const char *name, FILE *to)
{
    const sm_grid *g = step_worker_state.slot->launch->grid;
    const sm_unit *u = g->unit;
    const ptx_func *kernel = g->launch->kernel;
    for (uint32_t k = 0; k < u->module->var_count; k++) {
        const ptx_var *v = u->module->vars[k];
        char own[SM_ARRAY_NAME_BYTES];
        sm_variable_name(v, own, sizeof own);
        if (v->space == PTX_SPACE_SHARED && u->shared_offset[k] < UINT64_MAX - 1 &&
            strcmp(own, name) == 0) {
            fprintf(to, "shared %" PRIu64, u->shared_offset[k]);
            return;
        }
    }
    for (uint32_t k = 0; k < kernel->param_count; k++) {
        uint64_t value;
        if (kernel->params[k].size == sizeof value && strcmp(name_of_parameter(k + 1), name) == 0) {
            memcpy(&value, g->params + kernel->params[k].offset, sizeof value);
            fprintf(to, "global %" PRIu64, value);
            return;
        }
    }
    for (uint32_t k = 0; k < g->map->count; k++) {
        const mem_range *r = &g->map->range[k];
        if (r->name && r->kind == MEM_MODULE && strcmp(r->name, name) == 0) {
            fprintf(to, "global %" PRIu64, r->base);
            return;
        }
    }
}

/* --- writes --- */

enum { MAX_REMEMBERED_WRITES = 1 << 18 }; /* most writes remembered; older ones are forgotten */

typedef struct remembered_write {
    step_write of; /* the memory and the writer */
    uint64_t tick; /* number of the moment at which the write happened */
} remembered_write;

static remembered_write *remembered_writes; /* [write_count] writes, oldest first */
static size_t write_count, write_capacity;  /* entries used in `remembered_writes`; its capacity */

void step_note_write(const step_write *w)
{
    const step_state *s = &step_worker_state;
    if (!s->on)
        return;
    if (write_count == MAX_REMEMBERED_WRITES) {
        memmove(remembered_writes, remembered_writes + MAX_REMEMBERED_WRITES / 2,
                MAX_REMEMBERED_WRITES / 2 * sizeof *remembered_writes);
        write_count = MAX_REMEMBERED_WRITES / 2;
    }
    if (!LIST_GROW(remembered_writes, write_capacity, write_count))
        return;
    remembered_writes[write_count++] =
        (remembered_write){*w, s->launch_order ? s->base + s->insn_count : 0};
}

/* Whether W contains the byte at ADDRESS; *AT becomes the byte's offset in the packed rows. */
static bool offset_in_write(const step_write *w, uint64_t address, uint64_t *at)
{
    for (uint64_t z = 0; z < w->depth; z++) {
        const uint64_t slice = w->base + z * w->slice, off = address - slice;
        const uint64_t y = w->height == 1 || !w->pitch ? 0 : off / w->pitch;
        const uint64_t x = off - y * w->pitch;
        if (address >= slice && y < w->height && x < w->width) {
            *at = (z * w->height + y) * w->width + x;
            return true;
        }
    }
    return false;
}

bool step_find_write_outside_kernels(uint64_t address, uint64_t *tick, char *out, size_t size)
{
    uint64_t at;
    for (size_t k = write_count; k-- > 0;) {
        if (offset_in_write(&remembered_writes[k].of, address, &at)) {
            *tick = remembered_writes[k].tick;
            snprintf(out, size, "%s", remembered_writes[k].of.by);
            if (remembered_writes[k].of.counts)
                snprintf(out, size, "%s, byte %" PRIu64 " of it", remembered_writes[k].of.by, at);
            return true;
        }
    }
    return false;
}
