#include "cli.h"

#include "../show/report.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

void print_warnings(session *d)
{
    char *warning = state_take_warning(&d->state);
    if (warning)
        fprintf(stderr, "warpbook: %s\n", warning);
    free(warning);
}

chapter **chapters_named(session *d, arena *a, size_t *count, int *code)
{
    chapter **list = NULL;
    char err[512];
    *count = 0;
    if (d->book.count == 0) {
        fprintf(stderr, "warpbook: there is no chapter in %s/chapters\n", d->installation.root);
        *code = EXIT_FAIL;
        return NULL;
    }
    if (d->options.all) {
        for (size_t i = 0; i < d->book.count; i++)
            *ARENA_PUSH(a, list, *count) = &d->book.chapters[i];
        return list;
    }
    for (int i = 0; i < d->options.word_count; i++) {
        chapter *c = book_find(&d->book, d->options.words[i], err, sizeof err);
        if (!c) {
            fprintf(stderr, "warpbook: %s\n", err);
            *code = EXIT_USAGE;
            return NULL;
        }
        *ARENA_PUSH(a, list, *count) = c;
    }
    if (*count == 0) {
        fprintf(stderr, "warpbook: %s which chapter? Give its number or name, or --all\n",
                d->options.command);
        *code = EXIT_USAGE;
        return NULL;
    }
    return list;
}

void cli_report_failure(session *d, const char *sentence)
{
    if (d->options.json)
        report_print_json(
            json_pack("{s:s, s:s}", "command", d->options.command, "error", sentence));
    else
        fprintf(stderr, "warpbook: %s\n", sentence);
}
