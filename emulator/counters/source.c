#include "source.h"

#include "table.h"

#include <inttypes.h>
#include <stdio.h>

static void write_source_row(FILE *f, const source_row *r)
{
    table_write_field(f, r->file);
    fprintf(f, "\t%u\t%u\t", r->line, r->insn);
    table_write_field(f, r->ptx);
    fprintf(f, "\t%" PRIu64 "\t%" PRIu64, r->executed, r->lanes);
    if (r->s.requests) {
        fprintf(f, "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t", r->s.requests, r->s.sectors,
                r->s.conflicts);
    } else {
        fputs("\t-\t-\t-\t", f);
    }
    if (r->share >= 0)
        fprintf(f, "%.5g\t", r->share);
    else
        fputs("-\t", f);
}

bool source_append_launch(const char *path, const source_launch *l, const source_row *rows,
                          size_t count)
{
    table_rows out;
    if (!table_begin_rows(&out))
        return false;
    FILE *f = out.to;
    for (size_t k = 0; k < count; k++) {
        table_write_launch(f, l->number, l->kernel, l->grid, l->block);
        write_source_row(f, &rows[k]);
        table_write_field(f, l->limit);
        fputc('\t', f);
        table_write_field(f, rows[k].path);
        fprintf(f, "\t%" PRIu64 "\t%u\t%.5g\t%.5g\n", l->work->longest_block, l->work->longest_warp,
                l->memory_gbs, l->most_f32_gflops);
    }
    return table_end_rows(&out, path,
                          "launch\tkernel\tgrid\tblock\tfile\tline\tinsn\tptx\texecuted\tlanes\t"
                          "requests\tcost\tconflicts\tshare\tlimit\tpath\tlongest_block\t"
                          "longest_warp\tmemory_gbs\tmost_f32_gflops\n");
}
