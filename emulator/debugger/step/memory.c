/* What is known of memory besides its bytes: what the source calls it, and what wrote it while no
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

/* The source's name of a kernel's parameter, kept for good: finding it reads files. */
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

char *step_with_parameter_name(char *text)
{
    const char *kernel = step_worker_state.slot->launch->grid->launch->kernel->name;
    const size_t length = strlen(kernel);
    char *at = strstr(text, kernel), *end;
    if (!at || strncmp(at + length, "_param_", 7) != 0)
        return text;
    const char *name = name_of_parameter((unsigned)strtoul(at + length + 7, &end, 10) + 1);
    const size_t n = strlen(name);
    if (*name && n <= (size_t)(end - at)) {
        memcpy(at, name, n);
        memmove(at + n, end, strlen(end) + 1);
    }
    return text;
}

/* The parameter that is the nearest pointer at or before ADDRESS into range R, from 1, and what it
 * is in *VALUE; 0: there is none. */
static unsigned parameter_before(const mem_range *r, uint64_t address, uint64_t *value)
{
    const sm_grid *g = step_worker_state.slot->launch->grid;
    const ptx_func *f = g->launch->kernel;
    unsigned best = 0;
    for (uint32_t k = 0; k < f->param_count; k++) {
        uint64_t v;
        if (f->params[k].size != sizeof v)
            continue;
        memcpy(&v, g->params + f->params[k].offset, sizeof v);
        if (v >= r->base && v <= address && (!best || v > *value)) {
            best = k + 1;
            *value = v;
        }
    }
    return best;
}

/* The array of device memory that holds ADDRESS. Of a parameter's it begins where that points to:
 * the allocation may begin before it. Size 0: there is none. */
static sm_array array_at(uint64_t address)
{
    const sm_grid *g = step_worker_state.slot->launch->grid;
    const mem_range *r = mem_find_in_snapshot(g->map, address);
    uint64_t value = 0;
    if (!r)
        return (sm_array){0};
    sm_array a = sm_array_of_allocation(g, r);
    const unsigned number = r->name ? 0 : parameter_before(r, address, &value);
    if (number) {
        a.base = value;
        a.size = r->base + r->size - value;
        if (*name_of_parameter(number))
            memcpy(a.name, name_of_parameter(number), sizeof a.name);
    }
    return a;
}

bool step_array_of_lanes(ptx_space space, uint32_t mask, const uint64_t address[SM_LANES],
                         sm_array *a)
{
    uint64_t first = UINT64_MAX;
    if (!mask || space == PTX_SPACE_LOCAL)
        return false;
    if (space == PTX_SPACE_SHARED)
        return sm_shared_array_of(step_worker_state.slot->launch->grid, mask, address, a);
    for (uint32_t rest = mask; rest; rest &= rest - 1)
        first = address[__builtin_ctz(rest)] < first ? address[__builtin_ctz(rest)] : first;
    *a = array_at(first);
    bool is_one = a->size > 0;
    for (uint32_t rest = mask; is_one && rest; rest &= rest - 1)
        is_one = address[__builtin_ctz(rest)] - a->base < a->size;
    return is_one;
}

static bool is_word(const char *word, const char *text, size_t n)
{
    return n && strlen(word) == n && strncmp(word, text, n) == 0;
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

/* Find the array that the kernel calls the N characters at NAME: *AT becomes its address, or, of
 * shared memory, its offset in the block's. */
static ptx_space find_array(const char *name, size_t n, uint64_t *at)
{
    const sm_grid *g = step_worker_state.slot->launch->grid;
    const sm_unit *u = g->unit;
    const ptx_func *kernel = g->launch->kernel;
    for (uint32_t k = 0; k < u->module->var_count; k++) {
        char own[SM_ARRAY_NAME_BYTES];
        sm_variable_name(u->module->vars[k], own, sizeof own);
        *at = u->shared_offset[k];
        if (u->module->vars[k]->space == PTX_SPACE_SHARED && *at < UINT64_MAX - 1 &&
            is_word(own, name, n))
            return PTX_SPACE_SHARED;
    }
    for (uint32_t k = 0; k < kernel->param_count; k++) {
        memcpy(at, g->params + kernel->params[k].offset,
               kernel->params[k].size == sizeof *at ? sizeof *at : 0);
        if (kernel->params[k].size == sizeof *at && is_word(name_of_parameter(k + 1), name, n))
            return PTX_SPACE_GLOBAL;
    }
    for (uint32_t k = 0; k < g->map->count; k++) {
        const mem_range *r = &g->map->range[k];
        *at = r->base;
        if (r->name && r->kind == MEM_MODULE && is_word(r->name, name, n))
            return PTX_SPACE_GLOBAL;
    }
    return PTX_SPACE_NONE;
}

const char *step_array_place(const char *text, ptx_space *space, uint64_t *at)
{
    size_t n = 0;
    while (is_name_char(text[n]))
        n++;
    *at = 0;
    *space = step_worker_state.ended ? PTX_SPACE_NONE : find_array(text, n, at);
    const char *rest = text + n + strspn(text + n, " \t");
    if (*rest == '+') {
        char *end;
        *at += strtoull(rest + 1, &end, 0);
        rest = end;
    }
    return rest + strspn(rest, " \t");
}

void step_answer_array_place(const char *text, FILE *to)
{
    uint64_t at;
    ptx_space space;
    step_array_place(text, &space, &at);
    if (space != PTX_SPACE_NONE)
        fprintf(to, "%s %" PRIu64, space == PTX_SPACE_SHARED ? "shared" : "global", at);
}

/* --- writes --- */

enum { MAX_REMEMBERED_WRITES = 1 << 18 }; /* most writes remembered; older ones are forgotten */

typedef struct remembered_write {
    step_write of; /* the memory and the writer */
    uint64_t tick; /* number of the moment at which the write happened */
} remembered_write;

static remembered_write *remembered_writes; /* [write_count] writes, oldest first */
static size_t write_count;

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
    remembered_write *r = LIST_ADD(remembered_writes, write_count);
    if (r)
        *r = (remembered_write){*w, s->launch_order ? s->base + s->insn_count : 0};
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
