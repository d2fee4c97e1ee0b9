#include "tables.h"

#include "../core/code.h"
#include "../counters/table.h"
#include "../profiler/collect.h"
#include "../sm/array_name.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void write_launch_fields(FILE *f, const sm_grid *g, const char *kernel)
{
    const sm_launch *l = g->launch;
    table_write_launch(f, l->number, kernel, l->grid, l->block);
}

/* The array that request group P of instruction S accesses, of device memory that of its first
 * lane;
 * "-": it has no name, and size 0: none is known. */
static sm_array array_of(const sm_grid *g, const acc_insn_requests *s, const acc_request_group *p,
                         const acc_heat_maps *allocations)
{
    sm_array a = {.name = "-"};
    if (s->space == PTX_SPACE_SHARED) {
        if (!sm_shared_array_of(g, p->mask, p->address, &a))
            a.size = g->shared_bytes;
    } else if (s->space != PTX_SPACE_LOCAL) {
        const int64_t k =
            acc_heat_maps_find_allocation(allocations, p->address[__builtin_ctz(p->mask)]);
        if (k >= 0)
            a = sm_array_of_allocation(g, &allocations->slot[k].range);
    }
    return a;
}

/* Write the columns of request group P of instruction S: its memory, its cost, and the addresses of
 * all lanes. */
static void write_request_group_fields(FILE *f, const sm_grid *g, const acc_insn_requests *s,
                                       const acc_request_group *p, const acc_heat_maps *allocations)
{
    const uint32_t *grid = g->launch->grid;
    const bool shared = s->space == PTX_SPACE_SHARED;
    const sm_array m = array_of(g, s, p, allocations);
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
    char file[256], op[48];
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
        const sm_array array = heat ? sm_array_of_allocation(g, &heat->range) : (sm_array){0};
        for (uint32_t p = 0; heat && p < heat->pieces; p++) {
            const acc_piece *piece = &heat->piece[p];
            if (piece->fetched || piece->written) {
                write_launch_fields(f, g, kernel);
                table_write_field(f, array.name);
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
