#include "tables.h"

#include "../core/code.h"
#include "../counters/table.h"
#include "../profiler/collect.h"
#include "../sm/shared_name.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ALLOCATION_NAME = 256 }; /* size of a buffer for the name of an allocation */

static void write_launch_fields(FILE *f, const sm_grid *g, const char *kernel)
{
    const sm_launch *l = g->launch;
    table_write_launch(f, l->number, kernel, l->grid, l->block);
}

/* Write a name of allocation R to OUT: the variable's name, the kernel argument that points to R
 * ("argument 2", counted from 1), or the number of R among allocations of its kind. */
static void allocation_name(const sm_grid *g, const mem_range *r, char *out, size_t size)
{
    const ptx_func *f = g->launch->kernel;
    if (r->name && (r->kind == MEM_MODULE || r->kind == MEM_CONSTANT)) {
        snprintf(out, size, "%s", r->name);
        return;
    }
    for (uint32_t k = 0; k < f->param_count; k++) {
        uint64_t value;
        if (f->params[k].size == sizeof value) {
            memcpy(&value, g->params + f->params[k].offset, sizeof value);
            if (value >= r->base && value - r->base < r->size) {
                snprintf(out, size, "argument %u", k + 1);
                return;
            }
        }
    }
    snprintf(out, size, "allocation %u", r->serial);
}

/* The memory that a request accesses. */
typedef struct accessed_memory {
    char name[MAX_ALLOCATION_NAME]; /* of the array; "-": it has none */
    uint64_t base, size;            /* its first address, of shared memory an offset; its bytes */
} accessed_memory;

/* The array of shared memory that all lanes of P access, else the block's shared memory. */
static accessed_memory shared_memory_of(const sm_grid *g, const acc_request_group *p)
{
    accessed_memory m = {"-", 0, g->shared_bytes};
    sm_shared_array a;
    if (sm_shared_array_of(g, p->mask, p->address, &a)) {
        m.base = a.base;
        m.size = a.size;
        memcpy(m.name, a.name, sizeof a.name);
    }
    return m;
}

/* The allocation that the first lane of P accesses; size 0: none is known. */
static accessed_memory allocation_of(const sm_grid *g, const acc_request_group *p,
                                     const acc_heat_maps *allocations)
{
    accessed_memory m = {"-", 0, 0};
    const int64_t k =
        acc_heat_maps_find_allocation(allocations, p->address[__builtin_ctz(p->mask)]);
    if (k >= 0) {
        const mem_range *r = &allocations->slot[k].range;
        allocation_name(g, r, m.name, sizeof m.name);
        m.base = r->base;
        m.size = r->size;
    }
    return m;
}

/* Write the columns of request group P of instruction S: its memory, its cost, and the addresses of
 * all lanes. */
static void write_request_group_fields(FILE *f, const sm_grid *g, const acc_insn_requests *s,
                                       const acc_request_group *p, const acc_heat_maps *allocations)
{
    const uint32_t *grid = g->launch->grid;
    const bool shared = s->space == PTX_SPACE_SHARED;
    const accessed_memory m = shared                        ? shared_memory_of(g, p)
                              : s->space == PTX_SPACE_LOCAL ? (accessed_memory){"-", 0, 0}
                                                            : allocation_of(g, p, allocations);
    fprintf(f, "%" PRIu64 "\t%u\t%u\t", p->requests, p->each.cost, p->each.lanes);
    if (shared)
        fprintf(f, "%u\t", p->served);
    else
        fputs("-\t", f);
    fprintf(f, "%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\t%u\t", p->block % grid[0],
            p->block / grid[0] % grid[1], p->block / grid[0] / grid[1], p->warp);
    table_write_field(f, m.name);
    if (m.size || shared)
        fprintf(f, "\t%" PRIu64 "\t%" PRIu64 "\t", m.size, shared ? m.base : 0);
    else
        fputs("\t-\t0\t", f);
    for (uint32_t l = 0; l < SM_LANES; l++)
        if (p->mask >> l & 1)
            fprintf(f, "%s%" PRId64, l ? "," : "", (int64_t)(p->address[l] - m.base));
        else
            fputs(l ? ",-" : "-", f);
}

/* Write a row for each group of requests of instruction INSN. */
static void write_insn_rows(FILE *f, const sm_grid *g, const char *kernel, uint32_t insn,
                            const acc_insn_requests *s, uint32_t wanted,
                            const acc_heat_maps *allocations)
{
    char file[MAX_ALLOCATION_NAME], op[48];
    uint32_t unused;
    const ptx_module *m = g->unit->module;
    const uint32_t line = profiler_source_line_of(m, s->insn, file, sizeof file);
    const char *path = ptx_source_file(m, s->insn, &unused);
    profiler_operation_text(s->insn, op, sizeof op);
    for (uint32_t k = 0; k < s->count && k < ACC_MAX_GROUPS_WRITTEN && (!wanted || wanted == line);
         k++) {
        write_launch_fields(f, g, kernel);
        table_write_field(f, file);
        fprintf(f, "\t%u\t", line);
        table_write_field(f, op);
        fprintf(f,
                "\t%s\t%s\t%u\t%u\t%u\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64
                "\t",
                profiler_space_name(s->space), sm_effect_name(s->effect), s->bytes, insn, k + 1,
                s->requests, s->cost, s->ideal, s->conflicts, s->used);
        write_request_group_fields(f, g, s, &s->group[k], allocations);
        fputc('\t', f);
        table_write_field(f, path ? path : "");
        fputc('\n', f);
    }
}

/* Close F, a stream that writes to *TEXT, and append *TEXT to the file PATH. */
static bool append_table(FILE *f, char **text, const size_t *length, const char *path,
                         const char *header)
{
    bool ok = fclose(f) == 0;
    ok = ok && (*length == 0 || table_append(path, header, *text, *length));
    int why = errno;
    free(*text);
    errno = why;
    return ok;
}

bool acc_write_accesses(const char *path, const sm_grid *g, const char *kernel,
                        const acc_insn_requests *site, uint32_t line,
                        const acc_heat_maps *allocations)
{
    char *text = NULL;
    size_t length = 0;
    FILE *f = open_memstream(&text, &length);
    if (!f)
        return false;
    for (uint32_t k = 0; k < ACC_REQUEST_LISTS * g->unit->site_count; k++)
        if (site[k].insn)
            write_insn_rows(f, g, kernel, k / ACC_REQUEST_LISTS, &site[k], line, allocations);
    return append_table(
        f, &text, &length, path,
        "launch\tkernel\tgrid\tblock\tfile\tline\top\tspace\teffect\tbytes\tinsn\tshape\t"
        "all_requests\tall_cost\tall_ideal\tall_conflicts\tall_used\trequests\tcost\t"
        "lanes\tserved\tof_block\twarp\tmemory\tsize\tbegins\taddresses\tpath\n");
}

bool acc_write_heat(const char *path, const sm_grid *g, const char *kernel, const acc_heat_maps *h)
{
    char *text = NULL;
    size_t length = 0;
    FILE *f = open_memstream(&text, &length);
    if (!f)
        return false;
    for (uint32_t k = 0; k < h->count; k++) {
        const acc_heat_map *heat = h->slot[k].heat;
        char name[MAX_ALLOCATION_NAME];
        if (heat)
            allocation_name(g, &heat->range, name, sizeof name);
        for (uint32_t p = 0; heat && p < heat->pieces; p++) {
            const acc_piece *piece = &heat->piece[p];
            if (piece->fetched || piece->written) {
                write_launch_fields(f, g, kernel);
                table_write_field(f, name);
                fprintf(f,
                        "\t%u\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64
                        "\t%" PRIu64 "\t%" PRIu64 "\n",
                        k, heat->range.size, heat->piece_bytes, p * heat->piece_bytes,
                        acc_heat_map_sectors(heat, p), piece->fetched, piece->written, piece->used);
            }
        }
    }
    return append_table(
        f, &text, &length, path,
        "launch\tkernel\tgrid\tblock\tmemory\tnumber\tsize\tpiece\toffset\tsectors\t"
        "fetched\twritten\tused\n");
}
