#include "reference.h"

#include "../base/files.h"
#include "../commands/cli.h"
#include "../judge/cost.h"
#include "../run/attempt.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* The rows of TEXT, a reference.tsv, about other devices than DEVICE, after a header. */
static sb rows_of_other_devices(const char *text, const char *device)
{
    sb out = {0};
    OWNED char *header = cost_header();
    const char *line;
    size_t len, n = strlen(device);
    sb_puts(&out, header);
    bool same_columns = text && starts_with(text, header);
    for (size_t i = 0; same_columns && (line = next_line(&text, &len)); i++)
        if (i > 0 && !(len > n && strncmp(line, device, n) == 0 && line[n] == '\t'))
            sb_add(&out, line, len), sb_puts(&out, "\n");
    return out;
}

static int write_reference(session *d, const chapter *c)
{
    const attempt_options o = {.solution = true, .timeout_s = d->options.timeout_s};
    verdict v;
    if (!attempt_run_to_end(attempt_start(&d->installation, c, &d->state, &o), &v, NULL, NULL))
        return EXIT_FAIL;
    OWNED char *rows = v.device && !verdict_failed_checks(&v) ? cost_rows(&v) : NULL;
    OWNED char *path = xprintf("%s/reference.tsv", c->dir);
    int code = EXIT_PASS;
    if (!rows) {
        fprintf(stderr, "warpbook: the solution of %s: %s\n", c->name, v.reason);
        code = EXIT_FAIL;
    } else if (*rows) {
        OWNED char *old = read_whole_file(path, 1 << 20, NULL);
        CLEANUP(sb_free) sb text = rows_of_other_devices(old, v.device);
        sb_puts(&text, rows);
        if (!write_whole_file(path, text.s, text.len)) {
            fprintf(stderr, "warpbook: cannot write %s: %s\n", path, strerror(errno));
            code = EXIT_FAIL;
        } else {
            printf("%s\n", path);
        }
    }
    verdict_free(&v);
    return code;
}

int write_references(session *d, char **names, int count)
{
    CLEANUP(arena_free) arena a = {0};
    size_t chapters;
    int code = EXIT_PASS;
    d->options.words = names;
    d->options.word_count = count;
    d->options.all |= count == 1 && strcmp(names[0], "--all") == 0;
    book_open(&d->book, &d->installation);
    state_open(&d->state, &d->installation);
    chapter **list = chapters_named(d, &a, &chapters, &code);
    for (size_t i = 0; list && i < chapters; i++) {
        int one = write_reference(d, list[i]);
        code = one ? one : code;
    }
    state_close(&d->state);
    book_close(&d->book);
    return code;
}
