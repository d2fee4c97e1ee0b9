#include "commands.h"

#include <string.h>

enum {
    ALL = TAKES_ALL,
    SOLUTION = TAKES_SOLUTION,
    JSON = TAKES_JSON,
    OWN = TAKES_OWN,
    SANDBOX = TAKES_SANDBOX,
    PICTURE = TAKES_PICTURE,
    RESULTS = TAKES_RESULTS,
    CLASS = TAKES_CLASS,
    EXPORT = TAKES_EXPORT
};

static const command commands[] = {
#define COMMAND(name, arguments, takes, handler, help) {#name, takes, handler},
#define FORM(words, help)
#include "commands.def"
#undef COMMAND
#undef FORM
};
enum { COMMANDS = sizeof commands / sizeof *commands };

/* Left and right column of the usage text. */
static const char *const lines[][2] = {
#define COMMAND(name, arguments, takes, handler, help) {#name " " arguments, help},
#define FORM(words, help)                              {words, help},
#include "commands.def"
#undef COMMAND
#undef FORM
};

const command *command_find(const char *name)
{
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

static void print_line(FILE *f, const char *words, const char *help)
{
    fprintf(f, "  %-21s %s\n", words, help);
}

/* An option, and the commands that take it. */
static void print_option(FILE *f, const char *words, const char *help, unsigned takes)
{
    const char *comma = "";
    fprintf(f, "  %-21s %s (", words, help);
    for (size_t i = 0; i < COMMANDS; i++)
        if (commands[i].takes & takes) {
            fprintf(f, "%s%s", comma, commands[i].name);
            comma = ", ";
        }
    fputs(")\n", f);
}

void command_usage(FILE *f)
{
    fputs(
        "usage: warpbook [COMMAND] [CHAPTER...] [OPTIONS]\n"
        "\n"
        "Without a command: the workbook's screen, or the same tour as text where there is no "
        "terminal.\n"
        "A CHAPTER is a number (4), a name (04-constant-memory) or the beginning of one (const).\n"
        "\n",
        f);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        print_line(f, lines[i][0], lines[i][1]);
    fputs("\n", f);
    print_option(f, "--all", "every chapter", TAKES_ALL);
    print_option(f, "--solution", "the chapter's solution instead of your lab", TAKES_SOLUTION);
    print_option(f, "--json", "for programs", TAKES_JSON);
    print_line(f, "--device DEVICE", "emulator, gpu, or auto: a GPU if there is one (the default)");
    print_line(f, "--timeout SECONDS", "longest time a lab may run, 60 by default");
    print_option(f, "--no-sandbox", "compile and run in the open: for your own files only",
                 TAKES_SANDBOX);
    print_option(f, "--results DIR", "where a class's results are kept", TAKES_RESULTS);
    print_option(f, "--roster FILE.csv", "who is in the class, and how files are called",
                 TAKES_CLASS);
    print_option(f, "-j N", "submissions at once, 1 by default", TAKES_CLASS);
    print_option(f, "--seed N", "the inputs of all checks; kept in the results", TAKES_CLASS);
    print_option(f, "--rejudge", "judge again what was judged before", TAKES_CLASS);
    print_option(f, "--output PATH", "the file or directory to write", TAKES_EXPORT);
    print_option(f, "--gradebook FILE", "the gradebook that Canvas exports", TAKES_EXPORT);
    print_line(f, "--anyway", "the solution before your lab has passed");
    print_line(f, "--beside WHAT",
               "beside an access: `before` the last change, the `solution`, or a line");
    print_line(f, "--only WHAT",
               "accesses of one kind: read, write, update, shared, global or const");
    print_line(f, "--text", "no images");
    print_line(f, "--launch N", "an access of this launch, counted from 0");
    print_line(f, "--from DIR", "accesses and heat from the tables in DIR, without a run");
    print_line(f, "--yes", "reset without asking");
    print_line(f, "--root DIR", "the workbook to use, if not the one of this program");
    fputs("\n"
          "An assignment is labs/NAME or its topic. It passes with all points of its rubric. "
          "Without a\n"
          "GPU its bandwidths are modelled. They earn points too, and are marked as modelled.\n"
          "\n"
          "exit codes: 0 pass, 1 fail, 2 usage, 3 the machine lacks something\n",
          f);
}
