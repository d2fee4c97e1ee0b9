/* Reads the record of a lab that is running, and reports which checks passed or failed so far. */
#include "attempt_state.h"

#include "../base/files.h"
#include "../base/table.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { RECORD_LIMIT = 8 << 20 }; /* bytes of a record that are read, at most */

static bool is(const char *a, const char *b)
{
    return a && strcmp(a, b) == 0;
}

static void count_record_row(attempt *a, const table *t, size_t row)
{
    attempt_progress *n = &a->reader.news;
    const char *kind = table_get(t, row, "kind"), *status = table_get(t, row, "status");
    if (is(kind, "check") && is(status, "pass")) {
        n->passed++;
    } else if (is(kind, "check") && !n->mistake) {
        const char *name = table_get(t, row, "name"), *detail = table_get(t, row, "detail");
        n->mistake = arena_printf(&a->v.memory, "%s: %s", name ? name : "a check",
                                  detail ? detail : "it failed");
    } else if (is(kind, "checked")) {
        n->all_passed = !n->mistake && is(status, "pass");
    }
    if (n->seconds <= 0 && (n->mistake || n->all_passed))
        n->seconds = monotonic_s() - a->start;
}

void attempt_read_progress(attempt *a)
{
    record_reader *l = &a->reader;
    struct stat now;
    if (!l->path)
        l->path = attempt_unfinished_path(a, RECORD);
    if (stat(l->path, &now) != 0 || now.st_size == l->size)
        return;
    l->size = now.st_size;
    char *text = read_whole_file(l->path, RECORD_LIMIT, NULL),
         *end = text ? strrchr(text, '\n') : NULL;
    if (end) {
        end[1] = '\0'; /* an incomplete last row is not read */
        OWNED_TABLE table *t = table_parse(text);
        for (; l->rows < t->rows; l->rows++)
            count_record_row(a, t, l->rows);
    }
    free(text);
}

void attempt_finish_progress(attempt *a)
{
    double seconds = a->reader.news.seconds;
    a->v.first_seconds = seconds > 0 ? seconds : a->v.seconds;
}

const attempt_progress *attempt_current_progress(const attempt *a)
{
    return &a->reader.news;
}

attempt_phase attempt_current_phase(const attempt *a)
{
    return a->phase;
}

const char *attempt_phase_word(attempt_phase phase)
{
    static const char *const words[] = {"building",
                                        "running",
                                        "counting",
                                        "building for the emulator",
                                        "counting on the emulator",
                                        "timing it beside the book's solution",
                                        "looking for mistakes in",
                                        "repeating",
                                        "done"};
    return words[phase];
}

double attempt_elapsed_seconds(const attempt *a)
{
    return a->phase == ATTEMPT_DONE ? a->v.seconds : monotonic_s() - a->start;
}

const char *attempt_program_output(const attempt *a, size_t *len)
{
    if (a->g.j)
        return job_output(a->g.j, len);
    *len = 0;
    return "";
}

const char *attempt_record_path(attempt *a)
{
    return attempt_unfinished_path(a, RECORD);
}
