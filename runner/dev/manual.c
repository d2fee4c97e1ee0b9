#include "manual.h"

#include "../base/files.h"
#include "../base/version.h"
#include "../commands/commands.h"

#include <stdlib.h>
#include <string.h>

/* --- the manual page --- */

/* Print TEXT escaped for roff, so that no character is read as a request, a quote or an escape. */
static void print_roff(FILE *f, const char *text)
{
    for (const char *c = text; *c; c++)
        switch (*c) {
        case '\\': fputs("\\e", f); break;
        case '-': fputs("\\-", f); break;
        case '`': fputs("\\(ga", f); break;
        case '\'': fputs("\\(aq", f); break;
        case '.': fputs(c == text ? "\\&." : ".", f); break;
        default: fputc(*c, f);
        }
}

static void print_entry(FILE *f, const char *words, const char *help)
{
    fputs(".TP\n.B ", f);
    print_roff(f, words);
    fputc('\n', f);
    print_roff(f, help);
    fputc('\n', f);
}

/* Print the entries of the emulator's list of variables; its lines are " NAME=VALUE meaning". */
static void print_environment_entries(FILE *f, const char *path)
{
    char *list = read_whole_file(path, 1 << 20, NULL), *rest = list, *line;
    while ((line = strsep(&rest, "\n"))) {
        char *name = line + strspn(line, " "), *help = strstr(name, "  ");
        if (!*name || !help)
            continue;
        *help++ = '\0';
        print_entry(f, name, help + strspn(help, " "));
    }
    free(list);
}

void print_manual_page(FILE *f, const char *environment)
{
    char words[80];
    fputs(
        ".TH WARPBOOK 1 \"\" \"warpbook " WARPBOOK_VERSION "\" \"User Commands\"\n"
        ".SH NAME\n"
        "warpbook \\- workbook that teaches how CUDA programs move data\n"
        ".SH SYNOPSIS\n"
        ".B warpbook\n"
        "[\\fICOMMAND\\fR] [\\fICHAPTER\\fR...] [\\fIOPTIONS\\fR]\n"
        ".SH DESCRIPTION\n"
        "Each chapter has a lesson, a lab to edit and a solution. warpbook builds labs, runs and\n"
        "checks them, says why they are fast or slow, and plots their bandwidth. Without a GPU "
        "they\n"
        "run on its own software device, and their times are modelled.\n"
        ".PP\n"
        "Without a command warpbook opens its screen. It works on the book in whose directory it "
        "is\n"
        "called;\n"
        ".B warpbook book\n"
        ".I DIR\n"
        "makes one. A\n"
        ".I CHAPTER\n"
        "is a number (4), a name (04\\-constant\\-memory) or the beginning of one (const); an\n"
        "assignment is labs/NAME or its topic.\n"
        ".SH COMMANDS\n",
        f);
    for (size_t i = 0; i < command_row_count; i++) {
        command_format(words, sizeof words, &command_rows[i]);
        print_entry(f, words, command_rows[i].help);
    }
    fputs(".SH OPTIONS\n", f);
    for (size_t i = 0; i < option_count; i++) {
        command_format_option(words, sizeof words, &option_rows[i]);
        print_entry(f, words, option_rows[i].help);
    }
    print_entry(f, "-h, --help", "print commands and options");
    print_entry(f, "--version", "print the version");
    fputs(".SH EXIT STATUS\n"
          "0 pass, 1 fail, 2 usage, 3 the machine lacks something (the message says what).\n"
          ".SH ENVIRONMENT\n",
          f);
    print_entry(f, "WARPBOOK_ROOT", "the directory of the workbook, as with --root");
    print_entry(f, "WARPBOOK_STATE",
                "where progress and copies of labs are stored; default: .warpbook in the book");
    print_entry(
        f, "WARPBOOK_INOTIFY",
        "0: notice a saved lab by polling its modification time instead of by inotify events");
    print_entry(f, "NVCC", "the compiler; default: the nvcc on PATH, else that of /usr/local/cuda");
    print_environment_entries(f, environment);
    fputs(".SH SEE ALSO\n"
          "TUTORIAL.md in the book;\n"
          ".BR nvcc (1)\n",
          f);
}

/* --- completions --- */

static bool contains_word(const char *text, const char *word)
{
    return strstr(text, word) != NULL;
}

/* Print the long options that command C takes. */
static void print_option_words(FILE *f, const command *c)
{
    for (size_t i = 0; i < option_count; i++)
        if (!option_rows[i].takes || c->takes & option_rows[i].takes)
            fprintf(f, " --%s", option_rows[i].name);
}

static void print_options_with_value(FILE *f, const char *words)
{
    const char *bar = "";
    for (size_t i = 0; i < option_count; i++)
        if (option_rows[i].kind != OPTION_FLAG && option_rows[i].words &&
            contains_word(option_rows[i].words, words)) {
            fprintf(f, "%s--%s", bar, option_rows[i].name);
            bar = "|";
        }
}

/* True: the command's words are chapters; false: they are files. */
static bool takes_chapters(const command *c)
{
    return contains_word(c->arguments, "CHAPTER") || contains_word(c->arguments, "LAB");
}

void print_bash_completion(FILE *f)
{
    fputs("# bash completion for warpbook; made by `warpbook dev completion bash`\n"
          "_warpbook_chapters() {\n"
          "    warpbook list --json 2>/dev/null | sed -n 's/^ *\"name\": \"\\(.*\\)\",*$/\\1/p'\n"
          "}\n\n"
          "_warpbook() {\n"
          "    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
          "    local command='' i\n"
          "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
          "        [[ ${COMP_WORDS[i]} == -* ]] || { command=${COMP_WORDS[i]} && break; }\n"
          "    done\n"
          "    COMPREPLY=()\n"
          "    case $before in\n    ",
          f);
    print_options_with_value(f, "DIR");
    fputs(") mapfile -t COMPREPLY < <(compgen -d -- \"$current\") && return ;;\n    ", f);
    print_options_with_value(f, "DEVICE");
    fputs(
        ") mapfile -t COMPREPLY < <(compgen -W 'emulator gpu auto' -- \"$current\") && return ;;\n"
        "    ",
        f);
    print_options_with_value(f, "FILE");
    fputs("|--output) return ;; # files, by the default of complete\n"
          "    esac\n"
          "    local words=''\n"
          "    case $command in\n"
          "    '') words='",
          f);
    for (size_t i = 0; i < command_row_count; i++)
        if (command_rows[i].name)
            fprintf(f, "%s ", command_rows[i].name);
    fputs("--help --version' ;;\n", f);
    for (size_t i = 0; i < command_row_count; i++) {
        const command *c = &command_rows[i];
        if (!c->name || c->takes & TAKES_OWN)
            continue;
        fprintf(f, "    %s)\n        if [[ $current == -* ]]; then words='", c->name);
        print_option_words(f, c);
        fprintf(f, "'%s; fi\n        ;;\n",
                takes_chapters(c) ? "; else words=$(_warpbook_chapters)" : "");
    }
    fputs("    step) [[ $current == -* ]] || words=$(_warpbook_chapters) ;;\n"
          "    esac\n"
          "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
          "}\n"
          "complete -o default -F _warpbook warpbook\n",
          f);
}

/* Print TEXT for zsh's _describe, inside single quotes: without quotes, and without the colon that
 * would end a name. */
static void print_zsh_text(FILE *f, const char *text)
{
    for (; *text; text++)
        if (*text == '\'')
            fputs("'\\''", f);
        else if (strchr("[]:", *text))
            fprintf(f, "\\%c", *text);
        else
            fputc(*text, f);
}

static void print_zsh_option(FILE *f, const option_row *o)
{
    fprintf(f, "        '--%s%s[", o->name, o->kind == OPTION_FLAG ? "" : "=");
    print_zsh_text(f, o->help);
    fputs("]", f);
    if (o->words)
        fprintf(f, "%s%s:%s", o->kind == OPTION_MAYBE ? "::" : ":", o->words,
                contains_word(o->words, "DIR") ? "_directories"
                : contains_word(o->words, "FILE") || contains_word(o->words, "PATH") ? "_files"
                : contains_word(o->words, "DEVICE") ? "(emulator gpu auto)"
                                                    : "");
    fputs("'\n", f);
}

void print_zsh_completion(FILE *f)
{
    fputs("#compdef warpbook\n"
          "# zsh completion for warpbook; made by `warpbook dev completion zsh`\n"
          "_warpbook_chapters() {\n"
          "    local -a chapters\n"
          "    chapters=(${(f)\"$(warpbook list --json 2>/dev/null |\n"
          "        sed -n 's/^ *\"name\": \"\\(.*\\)\",*$/\\1/p')\"})\n"
          "    compadd -a chapters\n"
          "}\n\n"
          "_warpbook() {\n"
          "    local -a commands options\n"
          "    commands=(\n",
          f);
    for (size_t i = 0; i < command_row_count; i++)
        if (command_rows[i].name) {
            fprintf(f, "        '%s:", command_rows[i].name);
            print_zsh_text(f, command_rows[i].help);
            fputs("'\n", f);
        }
    fputs("    )\n"
          "    if ((CURRENT == 2)); then\n"
          "        _describe command commands\n"
          "        return\n"
          "    fi\n"
          "    case $words[2] in\n",
          f);
    for (size_t i = 0; i < command_row_count; i++) {
        const command *c = &command_rows[i];
        if (!c->name || c->takes & TAKES_OWN)
            continue;
        fprintf(f, "    %s) options=(\n", c->name);
        for (size_t k = 0; k < option_count; k++)
            if (!option_rows[k].takes || c->takes & option_rows[k].takes)
                print_zsh_option(f, &option_rows[k]);
        fprintf(f, "        '*:word:%s') ;;\n",
                takes_chapters(c) ? "_warpbook_chapters" : "_files");
    }
    fputs("    step) options=('*:word:_warpbook_chapters') ;;\n"
          "    *) options=('*:file:_files') ;;\n"
          "    esac\n"
          "    _arguments -s : '1:command' $options\n"
          "}\n\n"
          "_warpbook \"$@\"\n",
          f);
}
