#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: warpbook [COMMAND] [CHAPTER...] [OPTIONS]\n"
    "\n"
    "Without a command: the workbook's screen, or the same tour as text where there is no "
    "terminal.\n"
    "A CHAPTER is a number (4), a name (04-constant-memory) or the beginning of one (const).\n"
    "\n"
    "  list                  the chapters and how far you are\n"
    "  lesson CHAPTER        its lesson as text\n"
    "  run CHAPTER           build and run its lab: output, bandwidths, why it is fast or slow\n"
    "  check CHAPTER         the same, told shortly: what is right, what is wrong, which goals are "
    "met\n"
    "  grade LAB FILE...     check submissions that lie elsewhere; of several, a table\n"
    "  plot CHAPTER          draw the last run, in the terminal and as build/plots/*.png and "
    "*.svg\n"
    "  hint CHAPTER [N]      the next hint (for TODO N)\n"
    "  solution CHAPTER      show the solution, once your lab has passed\n"
    "  reset CHAPTER         bring back the lab as it was; yours is kept in .warpbook/backup\n"
    "  watch CHAPTER         check again whenever the lab is saved\n"
    "  demo [CHAPTER...]     chapters as slides for a projector: space goes on, labs run live\n"
    "  exec PROG [ARGS]      run a program built with `nvcc -cudart shared` on the emulator;\n"
    "  exec --profile PROG   and tell what its kernels and source lines cost\n"
    "  doctor                what this machine has and what it lacks\n"
    "\n"
    "  --all                 every chapter (list, lesson, run, check, plot, reset)\n"
    "  --solution            the chapter's solution instead of your lab (run, check, plot)\n"
    "  --json                for programs (list, run, check, grade, hint, doctor)\n"
    "  --device DEVICE       emulator, gpu, or auto: a GPU where one answers (the default)\n"
    "  --timeout SECONDS     longest time a lab may run, 60 by default\n"
    "  --anyway              the solution before your lab has passed\n"
    "  --yes                 reset without asking\n"
    "  --root DIR            another workbook than the one this program stands in\n"
    "\n"
    "An assignment is labs/NAME or its topic. It passes where its rubric gives all its points; "
    "without\n"
    "a GPU bandwidths are modelled, earn points likewise, and are called so.\n"
    "\n"
    "exit codes: 0 pass, 1 fail, 2 usage, 3 the machine lacks something\n";

static int mistake(const char *what, const char *word)
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

static bool is_option(const char *word, const char *name)
{
    size_t n = strlen(name);
    return strncmp(word, name, n) == 0 && (word[n] == '\0' || word[n] == '=');
}

int options_parse(options *o, int argc, char **argv)
{
    *o = (options){.words = argv};
    bool verbatim = false;
    struct {
        const char *name;
        bool *flag;
    } flags[] = {{"--all", &o->all},   {"--solution", &o->solution},
                 {"--json", &o->json}, {"--yes", &o->yes},
                 {"-y", &o->yes},      {"--anyway", &o->anyway}};
    for (int i = 1; i < argc; i++) {
        char *word = argv[i], *value;
        if (verbatim || word[0] != '-' || !word[1]) {
            if (!o->command) {
                o->command = word;
                verbatim = strcmp(word, "exec") == 0; /* its options are the program's */
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
            fputs(usage, stdout);
            return EXIT_PASS;
        }
        if (strcmp(word, "--version") == 0) {
            puts("warpbook 1");
            return EXIT_PASS;
        }
        if (is_option(word, "--device")) {
            value = value_of(argv, argc, &i);
            if (!value || !device_parse(value, &o->device))
                return mistake("--device is emulator, gpu or auto, not", value ? value : "nothing");
            o->device_said = true;
        } else if (is_option(word, "--timeout")) {
            value = value_of(argv, argc, &i);
            if (!value || !parse_number(value, &o->timeout_s) || o->timeout_s <= 0 ||
                o->timeout_s > 86400)
                return mistake("--timeout is a number of seconds, not", value ? value : "nothing");
        } else if (is_option(word, "--root")) {
            o->root = value_of(argv, argc, &i);
            if (!o->root)
                return mistake("--root wants a directory", NULL);
        } else {
            return mistake("there is no option", word);
        }
    }
    if (o->command && strcmp(o->command, "help") == 0) {
        fputs(usage, stdout);
        return EXIT_PASS;
    }
    return -1;
}
