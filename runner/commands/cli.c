#include "cli.h"

#include "../base/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void print_warnings(session *d)
{
    OWNED char *warning = state_take_warning(&d->state);
    if (warning)
        fprintf(stderr, "warpbook: %s\n", warning);
}

/* Tell a student whose chapters had other numbers which chapter WORD, which names NOW, was. */
static void note_new_number(session *d, const char *word, const chapter *now)
{
    const chapter *before = strspn(word, "0123456789") == strlen(word)
                                ? state_numbered_before(&d->state, &d->book, atoi(word))
                                : NULL;
    if (before && before != now)
        fprintf(stderr, "warpbook: %s was \"%s\", which is chapter %d now\n", word, before->title,
                before->number);
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
        note_new_number(d, d->options.words[i], c);
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
        print_json(json_pack("{s:s, s:s}", "command", d->options.command, "error", sentence));
    else
        fprintf(stderr, "warpbook: %s\n", sentence);
}
