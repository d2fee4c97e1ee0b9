/* Reads the command line with getopt_long, as described by options.def. */
#include "../../emulator/base/spelling.h"
#include "../base/version.h"
#include "../term/graphics.h"
#include "cli.h"
#include "commands.h"
#include "options_table.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Parse a whole number from 1 to MOST; 0: VALUE is not one. */
static uint64_t parse_whole_number(const char *value, uint64_t most)
{
    char *end = NULL;
    errno = 0;
    uint64_t n = isdigit((unsigned char)*value) ? strtoull(value, &end, 10) : 0;
    return end && !*end && !errno && n <= most ? n : 0;
}

/* True: WORD is one of the blank-separated words of LIST. */
static bool is_one_of(const char *word, const char *list)
{
    size_t n = strlen(word);
    for (const char *at = list; n && (at = strstr(at, word)); at++)
        if ((at == list || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0'))
            return true;
    return false;
}

/* --- reading the value of an option. False: the value is wrong --- */

static bool set_device(options *o, const char *value)
{
    o->device_said = true;
    return device_parse(value, &o->device);
}

static bool set_timeout(options *o, const char *value)
{
    enum { DAY_S = 86400 };
    return parse_number(value, &o->timeout_s) && o->timeout_s > 0 && o->timeout_s <= DAY_S;
}

static bool set_slurm(options *o, const char *value)
{
    enum { MAX_TASK_SIZE = 100000 };
    o->slurm = value ? (int)parse_whole_number(value, MAX_TASK_SIZE) : -1;
    return o->slurm != 0;
}

static bool set_above(options *o, const char *value)
{
    o->above = (int)parse_whole_number(value, 100);
    return o->above > 0;
}

static bool set_jobs(options *o, const char *value)
{
    enum { MAX_JOBS = 256 };
    o->jobs = (int)parse_whole_number(value, MAX_JOBS);
    return o->jobs > 0;
}

static bool set_seed(options *o, const char *value)
{
    o->seed = parse_whole_number(value, UINT64_MAX);
    return o->seed > 0;
}

static bool set_only(options *o, const char *value)
{
    o->only = value;
    return is_one_of(value, "read write update shared global const");
}

static bool set_heat(options *o, const char *value)
{
    o->heat = true;
    o->heat_kernel = value;
    return true;
}

static bool set_graphics(options *o, const char *value)
{
    graphics what;
    bool known = graphics_parse(value, &what);
    o->graphics = known ? (int)what : o->graphics;
    return known;
}

static bool set_launch(options *o, const char *value)
{
    return parse_number(value, &o->launch) && o->launch >= 0;
}

/* For each option of options.def, a function that sets its field of `options`. */
#define FLAG(name, letter, field, takes, help)              \
    static bool flag_##field(options *o, const char *value) \
    {                                                       \
        (void)value;                                        \
        return o->field = true;                             \
    }
#define TEXT(name, letter, words, field, takes, help, lacks) \
    static bool text_##field(options *o, const char *value)  \
    {                                                        \
        o->field = value;                                    \
        return *value != '\0';                               \
    }
#define VALUE(name, letter, words, set, takes, help, refusal)
#define MAYBE(name, letter, words, set, takes, help)
#include "options.def"
#undef FLAG
#undef TEXT
#undef VALUE
#undef MAYBE

static bool (*const setters[])(options *, const char *) = {
#define FLAG(name, letter, field, takes, help)                flag_##field,
#define TEXT(name, letter, words, field, takes, help, lacks)  text_##field,
#define VALUE(name, letter, words, set, takes, help, refusal) set_##set,
#define MAYBE(name, letter, words, set, takes, help)          set_##set,
#include "options.def"
#undef FLAG
#undef TEXT
#undef VALUE
#undef MAYBE
};

/* Print that there is no such WORD; MEANT is the name that it resembles most, or NULL. */
static int report_unknown_word(const char *what, const char *word, const char *meant)
{
    fprintf(stderr, "warpbook: there is no %s %s; ", what, word);
    if (meant)
        fprintf(stderr, "did you mean %s%s? ", *word == '-' ? "--" : "", meant);
    fputs("`warpbook --help` lists commands and options\n", stderr);
    return EXIT_USAGE;
}

static int report_unknown_command(const char *word)
{
    const char *best = NULL;
    for (size_t i = 0; i < command_row_count; i++)
        if (command_rows[i].name)
            spelling_keep_nearer(&best, word, command_rows[i].name);
    return report_unknown_word("command", word, best);
}

static int report_unknown_option(const char *word)
{
    const char *best = NULL;
    char name[32];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
    for (size_t i = 0; i < option_count; i++)
        spelling_keep_nearer(&best, name, option_rows[i].name);
    return report_unknown_word("option", word, best);
}

/* The option's name in messages: the short form if it has one. */
static const char *option_name_in_messages(const option_row *row)
{
    static char name[32];
    snprintf(name, sizeof name, row->letter ? "-%.1s" : "--%s",
             row->letter ? &row->letter : row->name);
    return name;
}

/* Print a message such as "--seed is a whole number from 1, not zero". */
static int report_value_error(const option_row *row, const char *value)
{
    fprintf(stderr, "warpbook: %s %s", option_name_in_messages(row), row->refusal);
    if (row->kind != OPTION_TEXT)
        fprintf(stderr, ", not %s", value && *value ? value : "nothing");
    fputs("; `warpbook --help` lists commands and options\n", stderr);
    return EXIT_USAGE;
}

/* Check that the command exists and takes the given options. Negative: yes; otherwise the exit
 * code, after a message. */
static int check_command(const options *o, const bool *given)
{
    const command *c = command_find(o->command);
    if (!c)
        return report_unknown_command(o->command);
    for (size_t i = 0; i < option_count; i++)
        if (given[i] && option_rows[i].takes && !(c->takes & option_rows[i].takes))
            return report_failure(EXIT_USAGE,
                                  "%s takes no %s; `warpbook --help` lists commands and options",
                                  o->command, option_name_in_messages(&option_rows[i]));
    return -1;
}

/* Values that getopt_long returns for each kind of word; FIRST_LONG_OPTION + N stands for row N of
 * options.def. */
enum {
    OPTION_IS_WORD = 1,       /* the word is no option */
    UNKNOWN_OPTION = '?',     /* there is no such option */
    OPTION_LACKS_VALUE = ':', /* the option needs a value and has none */
    FIRST_LONG_OPTION = 256   /* the option of row 0; other rows follow */
};

/* The row of options.def for a value that getopt_long returned, or NULL. */
static const option_row *option_row_for(int found)
{
    if (found >= FIRST_LONG_OPTION)
        return &option_rows[found - FIRST_LONG_OPTION];
    for (size_t i = 0; i < option_count; i++)
        if (option_rows[i].letter == found)
            return &option_rows[i];
    return NULL;
}

/* Fill the tables that getopt_long reads. "-": words are returned in their order, so that the words
 * after a command with its own options stay unchanged. ":": a missing value is distinguished from
 * an unknown option. */
static void fill_getopt_tables(struct option *longs, char *letters)
{
    *letters++ = '-';
    *letters++ = ':';
    *letters++ = 'h';
    for (size_t i = 0; i < option_count; i++) {
        const option_row *row = &option_rows[i];
        longs[i] = (struct option){row->name,
                                   row->kind == OPTION_FLAG    ? no_argument
                                   : row->kind == OPTION_MAYBE ? optional_argument
                                                               : required_argument,
                                   NULL, FIRST_LONG_OPTION + (int)i};
        if (row->letter) {
            *letters++ = row->letter;
            if (row->kind != OPTION_FLAG)
                *letters++ = ':';
        }
    }
    *letters = '\0';
    longs[option_count] = (struct option){"help", no_argument, NULL, 'h'};
    longs[option_count + 1] = (struct option){"version", no_argument, NULL, 'V'};
    longs[option_count + 2] = (struct option){0};
}

/* Take a word that is not an option. True: a command that reads the following words itself. */
static bool handle_word(options *o, char *word)
{
    if (o->command) {
        o->words[o->word_count++] = word;
        return false;
    }
    o->command = word;
    const command *c = command_find(word);
    return c && c->takes & TAKES_OWN;
}

int options_parse(options *o, int argc, char **argv)
{
    struct option longs[MAX_OPTIONS + 3];
    char letters[2 * MAX_OPTIONS + 4];
    bool given[MAX_OPTIONS] = {false};
    *o = (options){.words = argv, .launch = -1};
    fill_getopt_tables(longs, letters);
    opterr = 0;
    optind = 1;
    int found;
    while ((found = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
        const option_row *row = option_row_for(found);
        if (found == OPTION_IS_WORD) {
            if (handle_word(o, optarg))
                break;
        } else if (found == 'h') {
            command_print_usage(stdout);
            return EXIT_PASS;
        } else if (found == 'V') {
            puts("warpbook " WARPBOOK_VERSION);
            return EXIT_PASS;
        } else if (found == OPTION_LACKS_VALUE) {
            return report_value_error(option_row_for(optopt), NULL);
        } else if (!row) {
            bool is_letter = optopt > 0 && optopt < FIRST_LONG_OPTION;
            const char letter[] = {'-', (char)optopt, '\0'};
            return is_letter ? report_unknown_word("option", letter, NULL)
                             : report_unknown_option(argv[optind - 1]);
        } else {
            given[row - option_rows] = true;
            if (!setters[row - option_rows](o, optarg))
                return report_value_error(row, optarg);
        }
    }
    while (optind < argc)
        o->words[o->word_count++] = argv[optind++];
    if (o->command && strcmp(o->command, "help") == 0) {
        command_print_usage(stdout);
        return EXIT_PASS;
    }
    return o->command ? check_command(o, given) : -1;
}
