#include "commands.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int usage_error(const char *what, const char *word)
{
    fprintf(stderr, "warpbook: %s%s%s; `warpbook --help` lists commands and options\n", what,
            word ? " " : "", word ? word : "");
    return EXIT_USAGE;
}

/* The value of an option, --name=value or --name value; NULL: none is there. */
static char *value_of(char **argv, int argc, int *i)
{
    char *equals = strchr(argv[*i], '=');
    if (equals)
        return equals + 1;
    return *i + 1 < argc ? argv[++*i] : NULL;
}

/* Whether WORD is one of LIST, words with a blank between. */
static bool is_one_of(const char *word, const char *list)
{
    size_t n = strlen(word);
    for (const char *at = list; n && (at = strstr(at, word)); at++)
        if ((at == list || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0'))
            return true;
    return false;
}

static bool is_option(const char *word, const char *name)
{
    size_t n = strlen(name);
    return strncmp(word, name, n) == 0 && (word[n] == '\0' || word[n] == '=');
}

/* Whether there is the command, and it takes the options that not every one takes: negative, else
 * an exit code after a message. */
static int suits_command(const options *o)
{
    const command *c = command_find(o->command);
    const struct {
        bool given;
        unsigned takes;
        const char *name;
    } some[] = {{o->all, TAKES_ALL, "--all"},
                {o->solution, TAKES_SOLUTION, "--solution"},
                {o->json, TAKES_JSON, "--json"},
                {o->no_sandbox, TAKES_SANDBOX, "--no-sandbox"},
                {o->access, TAKES_PICTURE, "--access"},
                {o->beside, TAKES_PICTURE, "--beside"},
                {o->heat, TAKES_PICTURE, "--heat"},
                {o->from, TAKES_PICTURE, "--from"},
                {o->only, TAKES_PICTURE, "--only"},
                {o->text, TAKES_PICTURE, "--text"},
                {o->launch >= 0, TAKES_PICTURE, "--launch"},
                {o->results, TAKES_RESULTS, "--results"},
                {o->roster, TAKES_CLASS, "--roster"},
                {o->output, TAKES_EXPORT, "--output"},
                {o->gradebook, TAKES_EXPORT, "--gradebook"},
                {o->jobs, TAKES_CLASS, "-j"},
                {o->seed, TAKES_CLASS, "--seed"},
                {o->rejudge, TAKES_CLASS, "--rejudge"}};
    if (!c) {
        fprintf(stderr, "warpbook: there is no command %s; `warpbook --help` lists them\n",
                o->command);
        return EXIT_USAGE;
    }
    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        if (some[i].given && !(c->takes & some[i].takes)) {
            fprintf(stderr,
                    "warpbook: %s takes no %s; `warpbook --help` lists commands and options\n",
                    o->command, some[i].name);
            return EXIT_USAGE;
        }
    return -1;
}

/* A whole number from 1 to MOST; 0: it is none. */
static uint64_t whole_number(const char *value, uint64_t most)
{
    char *end = NULL;
    errno = 0;
    uint64_t n = value && isdigit((unsigned char)*value) ? strtoull(value, &end, 10) : 0;
    return end && !*end && !errno && n <= most ? n : 0;
}

/* The options of a class, with a value. Negative: WORD is none of them. */
static int class_option(options *o, char **argv, int argc, int *i)
{
    enum { JOBS_MOST = 256 };
    const char *word = argv[*i];
    const struct {
        const char *name, **value, *lacks;
    } texts[] = {{"--results", &o->results, "--results needs a directory"},
                 {"--roster", &o->roster, "--roster needs a CSV file"},
                 {"--output", &o->output, "--output needs a file or directory"},
                 {"--gradebook", &o->gradebook, "--gradebook needs a CSV file"}};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        if (is_option(word, texts[k].name)) {
            *texts[k].value = value_of(argv, argc, i);
            return *texts[k].value && **texts[k].value ? 0 : usage_error(texts[k].lacks, NULL);
        }
    if (is_option(word, "--seed")) {
        const char *value = value_of(argv, argc, i);
        o->seed = whole_number(value, UINT64_MAX);
        return o->seed
                   ? 0
                   : usage_error("--seed is a whole number from 1, not", value ? value : "nothing");
    }
    if (starts_with(word, "-j")) {
        const char *value = word[2] && word[2] != '=' ? word + 2 : value_of(argv, argc, i);
        o->jobs = (int)whole_number(value, JOBS_MOST);
        return o->jobs
                   ? 0
                   : usage_error("-j is a number from 1 to 256, not", value ? value : "nothing");
    }
    return -1;
}

int options_parse(options *o, int argc, char **argv)
{
    *o = (options){.words = argv, .launch = -1};
    bool verbatim = false;
    struct {
        const char *name;
        bool *flag;
    } flags[] = {{"--all", &o->all},
                 {"--solution", &o->solution},
                 {"--json", &o->json},
                 {"--yes", &o->yes},
                 {"-y", &o->yes},
                 {"--anyway", &o->anyway},
                 {"--no-sandbox", &o->no_sandbox},
                 {"--heat", &o->heat},
                 {"--text", &o->text},
                 {"--rejudge", &o->rejudge}};
    for (int i = 1; i < argc; i++) {
        char *word = argv[i], *value;
        if (verbatim || word[0] != '-' || !word[1]) {
            if (!o->command) {
                o->command = word;
                const command *c = command_find(word);
                verbatim = c && c->takes & TAKES_OWN;
            } else {
                o->words[o->word_count++] = word;
            }
            continue;
        }
        bool known = false;
        for (size_t f = 0; f < sizeof flags / sizeof *flags && !known; f++)
            if (strcmp(word, flags[f].name) == 0)
                known = *flags[f].flag = true;
        if (known)
            continue;
        if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
            command_usage(stdout);
            return EXIT_PASS;
        }
        if (strcmp(word, "--version") == 0) {
            puts("warpbook 1");
            return EXIT_PASS;
        }
        int class = class_option(o, argv, argc, &i);
        if (class > 0)
            return class;
        if (class == 0)
            continue;
        if (is_option(word, "--device")) {
            value = value_of(argv, argc, &i);
            if (!value || !device_parse(value, &o->device))
                return usage_error("--device is emulator, gpu or auto, not",
                                   value ? value : "nothing");
            o->device_said = true;
        } else if (is_option(word, "--timeout")) {
            value = value_of(argv, argc, &i);
            if (!value || !parse_number(value, &o->timeout_s) || o->timeout_s <= 0 ||
                o->timeout_s > 86400)
                return usage_error("--timeout is a number of seconds, not",
                                   value ? value : "nothing");
        } else if (is_option(word, "--access") || is_option(word, "--beside")) {
            bool beside = is_option(word, "--beside");
            value = value_of(argv, argc, &i);
            if (!value || !*value)
                return usage_error(beside ? "--beside needs `before`, `solution` or a line"
                                          : "--access needs a line: its number, or text in it",
                                   NULL);
            *(beside ? &o->beside : &o->access) = value;
        } else if (starts_with(word, "--heat=")) {
            o->heat = true;
            o->heat_kernel = word + strlen("--heat=");
        } else if (is_option(word, "--launch")) {
            value = value_of(argv, argc, &i);
            if (!value || !parse_number(value, &o->launch) || o->launch < 0)
                return usage_error("--launch is the number of a launch, from 0, not",
                                   value ? value : "nothing");
        } else if (is_option(word, "--only")) {
            o->only = value_of(argv, argc, &i);
            if (!o->only || !is_one_of(o->only, "read write update shared global const"))
                return usage_error("--only is read, write, update, shared, global or const, not",
                                   o->only ? o->only : "nothing");
        } else if (is_option(word, "--from")) {
            o->from = value_of(argv, argc, &i);
            if (!o->from)
                return usage_error("--from needs a directory", NULL);
        } else if (is_option(word, "--root")) {
            o->root = value_of(argv, argc, &i);
            if (!o->root)
                return usage_error("--root needs a directory", NULL);
        } else {
            return usage_error("there is no option", word);
        }
    }
    if (o->command && strcmp(o->command, "help") == 0) {
        command_usage(stdout);
        return EXIT_PASS;
    }
    return o->command ? suits_command(o) : -1;
}
