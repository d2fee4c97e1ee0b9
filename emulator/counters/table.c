/* Writes the tables named by WARPBOOK_COUNTERS and WARPBOOK_LINES. The rows of a launch are
 * appended in one write, so that several processes may share a file. */
#include "table.h"

#include "counters.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const counter_names[CTR_COUNT] = {
#define COUNTER(field, name, ...) name,
#include "counters.def"
#undef COUNTER
};

bool table_append(const char *path, const char *header, const char *text, size_t length)
{
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0)
        return false;
    bool ok = false;
    struct stat st;
    char *all = NULL;
    /* The lock prevents two processes from both finding the file empty. On file systems without
     * locks the header may appear twice. */
    int locked = flock(fd, LOCK_EX);
    if (fstat(fd, &st) == 0) {
        size_t head = S_ISREG(st.st_mode) && st.st_size > 0 ? 0 : strlen(header);
        all = malloc(head + length);
        if (all) {
            memcpy(all, header, head);
            memcpy(all + head, text, length);
            ssize_t written = write(fd, all, head + length);
            ok = written == (ssize_t)(head + length);
            if (!ok && written >= 0)
                errno = ENOSPC; /* a short write to a regular file means that the disk is full */
        }
    }
    int why = errno;
    free(all);
    if (locked == 0)
        flock(fd, LOCK_UN);
    if (close(fd) != 0 && ok)
        return false;
    errno = why;
    return ok;
}

bool table_begin_rows(table_rows *rows)
{
    *rows = (table_rows){0};
    return (rows->to = open_memstream(&rows->text, &rows->length)) != NULL;
}

bool table_end_rows(table_rows *rows, const char *path, const char *header)
{
    bool ok = fclose(rows->to) == 0;
    ok = ok && table_append(path, header, rows->text, rows->length);
    int why = errno;
    free(rows->text);
    errno = why;
    return ok;
}

void table_write_field(FILE *f, const char *text)
{
    if (!text || !*text)
        text = "-";
    for (; *text; text++)
        fputc(*text == '\t' || *text == '\n' || *text == '\r' ? ' ' : *text, f);
}

void table_write_launch(FILE *f, uint64_t launch, const char *kernel, const uint32_t grid[3],
                        const uint32_t block[3])
{
    fprintf(f, "%" PRIu64 "\t", launch);
    table_write_field(f, kernel);
    fprintf(f, "\t%ux%ux%u\t%ux%ux%u\t", grid[0], grid[1], grid[2], block[0], block[1], block[2]);
}

bool counters_write_launch(const char *path, uint64_t launch, const char *kernel,
                           const uint32_t grid[3], const uint32_t block[3], const counters *c)
{
    table_rows out;
    if (!table_begin_rows(&out))
        return false;
    FILE *f = out.to;
    for (int k = 0; k < CTR_COUNT; k++) {
        table_write_launch(f, launch, kernel, grid, block);
        fprintf(f, "%s\t%" PRIu64 "\n", counter_names[k], c->v[k]);
    }
    return table_end_rows(&out, path, "launch\tkernel\tgrid\tblock\tmetric\tvalue\n");
}

bool line_rows_append(const char *path, uint64_t launch, const char *kernel, const line_row *rows,
                      size_t count)
{
    table_rows out;
    if (!table_begin_rows(&out))
        return false;
    FILE *f = out.to;
    for (size_t k = 0; k < count; k++) {
        const line_row *r = &rows[k];
        fprintf(f, "%" PRIu64 "\t", launch);
        table_write_field(f, kernel);
        fputc('\t', f);
        table_write_field(f, r->file);
        fprintf(f, "\t%u\t", r->line);
        table_write_field(f, r->op);
        fputc('\t', f);
        table_write_field(f, r->space);
        fprintf(f, "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t", r->s.requests,
                r->s.sectors, r->s.ideal, r->s.conflicts);
        if (r->s.stride == INT64_MIN)
            fputs("-\t", f);
        else
            fprintf(f, "%" PRId64 "\t", r->s.stride);
        table_write_field(f, r->path);
        fputc('\n', f);
    }
    return table_end_rows(
        &out, path,
        "launch\tkernel\tfile\tline\top\tspace\trequests\tsectors\tideal\tconflicts\t"
        "stride\tpath\n");
}
