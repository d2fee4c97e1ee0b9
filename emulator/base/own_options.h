/* The options of a program, or of a command of the runner, that reads its words itself: exec, page,
 * step, warpbook-replay. */
#pragma once

#include "spelling.h"

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct own_option {
    const char *name; /* without its dashes; one letter: -LETTER */
    enum {
        OWN_FLAG,  /* no value: true in the bool at OFFSET */
        OWN_TEXT,  /* a value: in the text at OFFSET */
        OWN_VALUE, /* a value, for SET */
        OWN_MAYBE, /* perhaps a value, --NAME=VALUE, for SET; else SET gets NULL */
        OWN_FILE   /* a value and then a file, --NAME=VALUE FILE, for SET; one that lacks is NULL */
    } takes;
    size_t offset; /* in the struct of the command's options */
    /* Store VALUE in the struct INTO. False: a message was printed. */
    bool (*set)(void *into, const char *value, const char *file);
} own_option;

enum { MAX_OWN_OPTIONS = 16, OWN_FIRST_ROW = 256 /* what getopt_long returns for row 0 */ };

/* Fill what getopt_long reads: its table of long options, and its LETTERS. */
static inline void own_options_fill(const own_option *rows, struct option *longs, char *letters)
{
    static const int has[] = {[OWN_FLAG] = no_argument,
                              [OWN_TEXT] = required_argument,
                              [OWN_VALUE] = required_argument,
                              [OWN_MAYBE] = optional_argument,
                              [OWN_FILE] = optional_argument};
    letters = stpcpy(letters, "+:h");
    for (int n = 0; n < MAX_OWN_OPTIONS && rows[n].name; n++)
        if (rows[n].name[1])
            *longs++ = (struct option){rows[n].name, has[rows[n].takes], NULL, OWN_FIRST_ROW + n};
        else
            letters += sprintf(letters, "%s%s", rows[n].name,
                               has[rows[n].takes] == required_argument ? ":" : "");
    *longs++ = (struct option){"help", no_argument, NULL, 'h'};
    *longs = (struct option){0};
}

/* Store the option ROW, whose value getopt_long has left in optarg; the words LINE follow it. */
static inline bool own_option_store(const own_option *row, void *into, char **line)
{
    void *field = (char *)into + row->offset;
    if (row->takes == OWN_FLAG)
        return *(bool *)field = true;
    if (row->takes == OWN_TEXT)
        return (*(const char **)field = optarg) != NULL;
    const char *file = row->takes == OWN_FILE ? line[optind] : NULL;
    optind += file != NULL;
    return row->set(into, optarg, file);
}

/* True: WORD spells the name of the option in full, not only its beginning. */
static inline bool own_option_is_spelt_out(const char *word, const char *name)
{
    return word[1] != '-' || strcspn(word + 2, "=") == strlen(name);
}

/* The row of what getopt_long FOUND in WORD. NULL: there is none. */
static inline const own_option *own_option_found(const own_option *rows, int found,
                                                 const char *word)
{
    if (found >= OWN_FIRST_ROW)
        return own_option_is_spelt_out(word, rows[found - OWN_FIRST_ROW].name)
                   ? &rows[found - OWN_FIRST_ROW]
                   : NULL;
    for (; rows->name; rows++)
        if (rows->name[0] == found && !rows->name[1])
            return rows;
    return NULL;
}

/* What is typed before COMMAND, which may be a program of its own. */
static inline const char *own_options_program(const char *command)
{
    return strchr(command, '-') ? "" : "warpbook ";
}

static inline void own_options_report_unknown(const own_option *rows, const char *command,
                                              const char *word)
{
    const char *meant = NULL;
    const bool spelt_out = strncmp(word, "--", 2) == 0;
    char name[32] = "";
    if (spelt_out)
        snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
    for (; spelt_out && rows->name; rows++)
        spelling_keep_nearer(&meant, name, rows->name);
    fprintf(stderr, "warpbook: %s has no option %s; ", command, word);
    if (meant)
        fprintf(stderr, "did you mean --%s? ", meant);
    fprintf(stderr, "%s%s --help lists them\n", own_options_program(command), command);
}

/* Read the options of LINE from its second word on. Returns the index of the first word that
 * follows; 0: a message was printed. */
static inline int own_options_read_line(const char *command, const own_option *rows, char **line,
                                        int count, void *into, bool *help)
{
    struct option longs[MAX_OWN_OPTIONS + 2];
    char letters[2 * MAX_OWN_OPTIONS + 4];
    own_options_fill(rows, longs, letters);
    opterr = 0;
    optind = 0; /* begin anew, in glibc */
    for (int at = 1, found;
         !*help && (found = getopt_long(count, line, letters, longs, NULL)) != -1; at = optind) {
        const bool helps = found == 'h' && own_option_is_spelt_out(line[at], "help");
        const own_option *row = helps ? NULL : own_option_found(rows, found, line[at]);
        if (found == ':')
            fprintf(stderr, "warpbook: %s %s needs a value; %s%s --help lists the options\n",
                    command, line[at], own_options_program(command), command);
        else if (!row && !helps)
            own_options_report_unknown(rows, command, line[at]);
        if (!helps && (!row || !own_option_store(row, into, line)))
            return 0;
        *help |= helps;
    }
    return optind;
}

/* Read the options before the first other word of WORDS (NULL at its end) into INTO, and stop at
 * --help, which sets *HELP. ROWS ends with a row without a name. Returns the words that follow;
 * NULL: a message was printed. */
static inline char **own_options_read(const char *command, const own_option *rows, char **words,
                                      void *into, bool *help)
{
    size_t count = 0;
    while (words[count])
        count++;
    char **line = malloc((count + 2) * sizeof *line), name[] = "";
    if (!line) {
        fputs("warpbook: this machine is out of memory\n", stderr);
        return NULL;
    }
    line[0] = name;
    memcpy(line + 1, words, (count + 1) * sizeof *line);
    const int after = own_options_read_line(command, rows, line, (int)count + 1, into, help);
    free(line);
    return after ? words + after - 1 : NULL;
}
