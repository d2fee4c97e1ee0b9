/* `warpbook export`: writes the marks of a class in the format of a learning system. */
#include "../base/files.h"
#include "../base/plain.h"
#include "../class/export.h"
#include "../pages/pages.h"
#include "grade.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static bool report_write_error(const char *path)
{
    fprintf(stderr, "warpbook: cannot write %s: %s\n", path, strerror(errno));
    return false;
}

static bool write_text(const char *path, const sb *text)
{
    if (!path)
        return (fwrite(text->s ? text->s : "", 1, text->len, stdout) == text->len &&
                fflush(stdout) == 0) ||
               report_write_error("standard output");
    return write_whole_file(path, text->s ? text->s : "", text->len) || report_write_error(path);
}

static bool write_file_per_student(const export_format *f, const marks *m, const char *dir)
{
    CLEANUP(arena_free) arena a = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < m->count; i++) {
        CLEANUP(sb_free) sb text = {0};
        const mark *k = &m->list[i];
        char *own = arena_printf(&a, "%s/%s", dir, plain_file_name(&a, k->student));
        char *path = arena_printf(&a, "%s/%s.%s", own, results_lab_name(&a, k->lab), f->ending);
        f->each(&text, k);
        ok = (make_directories(own) && write_whole_file(path, text.s, text.len)) ||
             report_write_error(path);
    }
    return ok;
}

/* Exit code of what could not be written: the machine lacks space, or the right to write. */
static int code_for_written(bool ok)
{
    return ok ? EXIT_PASS : EXIT_LACKS;
}

static int write_table(const export_format *f, const marks *m, const export_options *o,
                       const char *path)
{
    char err[1024] = "";
    CLEANUP(sb_free) sb text = {0};
    int code = EXIT_FAIL;
    if (f->table(&text, m, o, err, sizeof err))
        code = code_for_written(write_text(path, &text));
    else
        fprintf(stderr, "warpbook: %s\n", err);
    return code;
}

/* Write the page of the only mark to standard output. */
static int write_single_mark(const export_format *f, const marks *m)
{
    sb text = {0};
    if (m->count != 1)
        return report_failure(
            EXIT_FAIL,
            "%s is one file for each student, and there are %zu: name a directory with --output",
            f->name, m->count);
    f->each(&text, &m->list[0]);
    bool ok = write_text(NULL, &text);
    sb_free(&text);
    return code_for_written(ok);
}

static int write_pages(session *d, const marks *m, const char *dir)
{
    char err[1024] = "";
    if (!dir)
        return report_failure(EXIT_FAIL,
                              "this format writes pages to a directory: name it with --output");
    bool ok = export_html(m, &d->installation, dir, err, sizeof err);
    if (*err)
        fprintf(stderr, "warpbook: %s\n", err);
    return code_for_written(ok);
}

static int write_marks(session *d, const export_format *f, const marks *m, const export_options *o,
                       const char *output)
{
    if (f->kind == EXPORT_TABLE)
        return write_table(f, m, o, output);
    if (f->kind == EXPORT_PAGES)
        return write_pages(d, m, output);
    return output ? code_for_written(write_file_per_student(f, m, output))
                  : write_single_mark(f, m);
}

static int report_export_usage(void)
{
    fputs("warpbook: usage: warpbook export FORMAT [LAB] --results DIR [--output PATH] "
          "[--gradebook FILE.csv [--column COLUMN]]\n",
          stderr);
    for (size_t i = 0; export_format_at(i); i++)
        fprintf(stderr, "  %-15s %s\n", export_format_at(i)->name, export_format_at(i)->help);
    return EXIT_USAGE;
}

int cli_export(session *d)
{
    char err[8192]; /* a sentence may list all rows of a rubric */
    marks m;
    results store;
    const options *o = &d->options;
    const export_format *f = o->word_count ? export_format_by_name(o->words[0]) : NULL;
    if (!f || !o->results || o->word_count > 2)
        return report_export_usage();
    export_options e = {.gradebook = o->gradebook, .column = o->column};
    const chapter *c = o->word_count > 1 ? book_find(&d->book, o->words[1], err, sizeof err) : NULL;
    if (o->word_count > 1 && !c)
        return report_failure(EXIT_USAGE, "%s", err);
    if (c)
        e.lab = results_lab_name(&d->installation.memory, c->name);
    if (!results_open_for_reading(&store, o->results, err, sizeof err))
        return report_failure(EXIT_USAGE, "%s", err);
    int code = EXIT_FAIL;
    if (marks_read(&m, &store, e.lab, err, sizeof err)) {
        code = write_marks(d, f, &m, &e, o->output);
        marks_free(&m);
    } else {
        fprintf(stderr, "warpbook: %s\n", err);
    }
    results_close(&store);
    return code;
}
