#include "commands.h"

#include "options_table.h"

#include <string.h>

const command command_rows[] = {
#define COMMAND(name, arguments, takes, program, help) {#name, arguments, takes, #program, help},
#define FORM(words, help)                              {NULL, words, 0, NULL, help},
#include "commands.def"
#undef COMMAND
#undef FORM
};
const size_t command_row_count = sizeof command_rows / sizeof *command_rows;

/* clang-format off */
const option_row option_rows[] = {
#define FLAG(name, letter, field, takes, help)                {#name, letter, OPTION_FLAG, NULL, takes, help, NULL},
#define TEXT(name, letter, words, field, takes, help, lacks)  {#name, letter, OPTION_TEXT, words, takes, help, lacks},
#define VALUE(name, letter, words, set, takes, help, refusal) {#name, letter, OPTION_VALUE, words, takes, help, refusal},
#define MAYBE(name, letter, words, set, takes, help)          {#name, letter, OPTION_MAYBE, words, takes, help, NULL},
#include "options.def"
#undef FLAG
#undef TEXT
#undef VALUE
#undef MAYBE
};
/* clang-format on */
const size_t option_count = sizeof option_rows / sizeof *option_rows;
_Static_assert(sizeof option_rows / sizeof *option_rows <= MAX_OPTIONS, "MAX_OPTIONS is too small");

const command *command_find(const char *name)
{
    for (size_t i = 0; i < command_row_count; i++)
        if (command_rows[i].name && strcmp(command_rows[i].name, name) == 0)
            return &command_rows[i];
    return NULL;
}

void command_format(char *out, size_t size, const command *row)
{
    snprintf(out, size, "%s%s%s", row->name ? row->name : "",
             row->name && *row->arguments ? " " : "", row->arguments);
}

void command_format_option(char *out, size_t size, const option_row *row)
{
    char letter[8] = "";
    if (row->letter)
        snprintf(letter, sizeof letter, "-%c, ", row->letter);
    snprintf(out, size, "%s--%s%s%s%s", letter, row->name,
             row->kind == OPTION_MAYBE ? "[="
             : row->words              ? " "
                                       : "",
             row->words ? row->words : "", row->kind == OPTION_MAYBE ? "]" : "");
}

/* Print a row of the usage text. If WORDS is too long, HELP goes on the next line. */
static void print_usage_row(FILE *f, const char *words, const char *help)
{
    enum { NAME_COLUMNS = 24 };
    if (strlen(words) > NAME_COLUMNS)
        fprintf(f, "  %s\n  %-*s %s", words, NAME_COLUMNS, "", help);
    else
        fprintf(f, "  %-*s %s", NAME_COLUMNS, words, help);
}

static void print_command(FILE *f, const command *row)
{
    char words[80];
    command_format(words, sizeof words, row);
    print_usage_row(f, words, row->help);
    fputc('\n', f);
}

/* Print an option and the commands that take it. */
static void print_option(FILE *f, const option_row *row)
{
    char words[80];
    const char *before = " (";
    command_format_option(words, sizeof words, row);
    print_usage_row(f, words, row->help);
    for (size_t i = 0; i < command_row_count; i++)
        if (command_rows[i].takes & row->takes) {
            fprintf(f, "%s%s", before, command_rows[i].name);
            before = ", ";
        }
    fputs(row->takes ? ")\n" : "\n", f);
}

void command_print_usage(FILE *f)
{
    fputs(
        "usage: warpbook [COMMAND] [CHAPTER...] [OPTIONS]\n"
        "\n"
        "Without a command: the workbook's screen, or the same tour as text where there is no "
        "terminal.\n"
        "A CHAPTER is a number (6), a name (06-constant-memory) or the beginning of one (const).\n"
        "\n",
        f);
    for (size_t i = 0; i < command_row_count; i++)
        print_command(f, &command_rows[i]);
    fputs("\n", f);
    for (size_t i = 0; i < option_count; i++)
        print_option(f, &option_rows[i]);
    fputs("\n"
          "An assignment is labs/NAME or its topic. It passes with all points of its rubric. "
          "Without a\n"
          "GPU its bandwidths are modelled. They earn points too, and are marked as modelled.\n"
          "\n"
          "exit codes: 0 pass, 1 fail, 2 usage, 3 the machine lacks something\n",
          f);
}
