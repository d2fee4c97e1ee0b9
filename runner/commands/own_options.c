#include "own_options.h"

#include "../../emulator/base/spelling.h"
#include "../base/text.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_OWN_OPTIONS = 16, FIRST_ROW = 256 /* what getopt_long returns for row 0 */ };

/* Fill what getopt_long reads: its table of long options, and its LETTERS. */
static void fill_options(const own_option *rows, struct option *longs, char *letters)
{
    static const int has[] = {[OWN_FLAG] = no_argument,
                              [OWN_TEXT] = required_argument,
                              [OWN_VALUE] = required_argument,
                              [OWN_MAYBE] = optional_argument,
                              [OWN_FILE] = optional_argument};
    letters = stpcpy(letters, "+:h");
    for (int n = 0; rows[n].name && n < MAX_OWN_OPTIONS; n++)
        if (rows[n].name[1])
            *longs++ = (struct option){rows[n].name, has[rows[n].takes], NULL, FIRST_ROW + n};
        else
            letters += sprintf(letters, "%s%s", rows[n].name,
                               has[rows[n].takes] == required_argument ? ":" : "");
    *longs++ = (struct option){"help", no_argument, NULL, 'h'};
    *longs = (struct option){0};
}

/* Store the option ROW, whose value getopt_long has left in optarg; the words LINE follow it. */
static bool store_option(const own_option *row, void *into, char **line)
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
static bool is_spelt_out(const char *word, const char *name)
{
    return word[1] != '-' || strcspn(word + 2, "=") == strlen(name);
}

/* The row of what getopt_long FOUND in WORD. NULL: there is none. */
static const own_option *row_of(const own_option *rows, int found, const char *word)
{
    if (found >= FIRST_ROW)
        return is_spelt_out(word, rows[found - FIRST_ROW].name) ? &rows[found - FIRST_ROW] : NULL;
    for (; rows->name; rows++)
        if (rows->name[0] == found && !rows->name[1])
            return rows;
    return NULL;
}

static void report_unknown_option(const own_option *rows, const char *command, const char *word)
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
    fprintf(stderr, "warpbook %s --help lists them\n", command);
}

/* Read the options of LINE, which begins with the command's name. Returns the index of the first
 * word that follows; 0: a message was printed. */
static int read_line(const own_option *rows, char **line, int count, void *into, bool *help)
{
    struct option longs[MAX_OWN_OPTIONS + 2];
    char letters[2 * MAX_OWN_OPTIONS + 4];
    fill_options(rows, longs, letters);
    opterr = 0;
    optind = 0; /* begin anew, in glibc */
    for (int at = 1, found;
         !*help && (found = getopt_long(count, line, letters, longs, NULL)) != -1; at = optind) {
        const bool helps = found == 'h' && is_spelt_out(line[at], "help");
        const own_option *row = helps ? NULL : row_of(rows, found, line[at]);
        if (found == ':')
            fprintf(stderr, "warpbook: %s %s needs a value; warpbook %s --help lists the options\n",
                    line[0], line[at], line[0]);
        else if (!row && !helps)
            report_unknown_option(rows, line[0], line[at]);
        if (!helps && (!row || !store_option(row, into, line)))
            return 0;
        *help |= helps;
    }
    return optind;
}

char **own_options_read(const char *command, const own_option *rows, char **words, void *into,
                        bool *help)
{
    size_t count = 0;
    while (words[count])
        count++;
    char **line = xmalloc((count + 2) * sizeof *line);
    line[0] = without_const(command);
    memcpy(line + 1, words, (count + 1) * sizeof *line);
    const int after = read_line(rows, line, (int)count + 1, into, help);
    free(line);
    return after ? words + after - 1 : NULL;
}
