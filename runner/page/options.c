/* The command line of `page`. */
#include "page.h"

#include "../base/files.h"
#include "../run/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int print_page_help(void)
{
    printf(
        "usage: warpbook page -o FILE [--solution] [--launch N] [--block N | X,Y,Z] [--warp N]\n"
        "                     [--moments N] [--beside WHAT] [--json] CHAPTER | PROG [ARGS] | "
        "RECORDING\n"
        "\n"
        "Writes a run as one HTML file, which needs no network and no server: its code with what "
        "each\n"
        "line cost, the lanes of a warp at each instruction, its values, shared memory, requests,\n"
        "reports, counters and times. Of a chapter's lab the checks are run.\n"
        "\n"
        "  -o FILE        the page to write\n"
        "  --solution     the chapter's solution instead of the lab\n"
        "  --text FILE    this text of the chapter's lab\n"
        "  --launch N     the launch whose warp is shown, from 0; else that of the first report, "
        "of the\n"
        "                 first wrong value, or the one that takes longest\n"
        "  --block N      its block, by number or as x,y,z\n"
        "  --warp N       the warp of that block\n"
        "  --moments N    instructions of the warp that are stored (%d)\n"
        "  --beside WHAT  a second run beside the first: `solution`, a program or a recording\n"
        "  --json         only the page's data (docs/FORMATS.md)\n",
        PAGE_MAX_MOMENTS);
    return EXIT_PASS;
}

/* The value of option NAME, given as NAME=VALUE or as two words; NULL: *ARGV is another word. */
static const char *option_value(char ***argv, const char *name)
{
    const size_t n = strlen(name);
    if (strncmp(**argv, name, n) != 0 || ((**argv)[n] && (**argv)[n] != '='))
        return NULL;
    if ((**argv)[n] == '=')
        return **argv + n + 1;
    return (*argv)[1] ? *++*argv : NULL;
}

/* Read a whole number from 0 on. False: a message was printed. */
static bool read_count(const char *option, const char *text, long long least, long long *out)
{
    char *end;
    if (*text && strspn(text, "0123456789") == strlen(text) && strlen(text) < 16) {
        *out = strtoll(text, &end, 10);
        if (*out >= least)
            return true;
    }
    fprintf(stderr, "warpbook: %s is \"%s\": give a whole number, from %lld\n", option, text,
            least);
    return false;
}

static bool read_block(page_choice *c, const char *text)
{
    int used = 0;
    c->has_block_index = strchr(text, ',') != NULL;
    if (!c->has_block_index)
        return read_count("--block", text, 0, &c->block);
    if (strspn(text, "0123456789,") == strlen(text) && strlen(text) < 40 &&
        sscanf(text, "%lld,%lld,%lld%n", &c->block_index[0], &c->block_index[1], &c->block_index[2],
               &used) == 3 &&
        !text[used])
        return true;
    fprintf(stderr, "warpbook: --block is \"%s\": give its number, or its index as x,y,z\n", text);
    return false;
}

/* Read the option at *AT. 1: it was read; 0: it is not known; -1: a message was printed. */
static int read_option(page_options *o, char ***at)
{
    page_choice *c = &o->choice;
    const char *value;
    if (strcmp(**at, "--json") == 0)
        return o->json = true;
    if (strcmp(**at, "--solution") == 0)
        return o->run.solution = true;
    if ((value = option_value(at, "-o")) || (value = option_value(at, "--output")))
        return (o->output = value) != NULL;
    if ((value = option_value(at, "--beside")))
        return (o->beside = value) != NULL;
    if ((value = option_value(at, "--text")))
        return (o->run.text = value) != NULL;
    if ((value = option_value(at, "--block")))
        return read_block(c, value) ? 1 : -1;
    if ((value = option_value(at, "--launch")))
        return read_count("--launch", value, 0, &c->launch) ? 1 : -1;
    if ((value = option_value(at, "--warp")))
        return read_count("--warp", value, 0, &c->warp) ? 1 : -1;
    if ((value = option_value(at, "--moments")))
        return read_count("--moments", value, 1, &c->moments) ? 1 : -1;
    return 0;
}

/* Read the options at *AT; *AT then points to the first word that is no option. */
static bool read_options(page_options *o, char ***at)
{
    for (; **at && (**at)[0] == '-'; ++*at) {
        if (strcmp(**at, "--") == 0) {
            ++*at;
            return true;
        }
        const char *word = **at;
        const int read = read_option(o, at);
        if (read == 0)
            fprintf(stderr,
                    "warpbook: page has no option %s, or it lacks its value; warpbook page --help "
                    "lists them\n",
                    word);
        if (read <= 0)
            return false;
    }
    return true;
}

int page_options_read(page_options *o, char **argv)
{
    *o = (page_options){
        .choice = {.launch = -1, .block = -1, .warp = -1, .moments = PAGE_MAX_MOMENTS}};
    if (argv[0] && (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0))
        return print_page_help();
    if (!read_options(o, &argv))
        return EXIT_USAGE;
    if (!*argv) {
        fputs("usage: warpbook page -o FILE CHAPTER | PROG [ARGS] | RECORDING (warpbook page "
              "--help says "
              "more)\n",
              stderr);
        return EXIT_USAGE;
    }
    /* A chapter or a recording takes no arguments, so options may follow it. */
    char **rest = argv + 1;
    if ((!file_exists(*argv) || is_recording_file(*argv)) && *rest && **rest == '-') {
        if (!read_options(o, &rest))
            return EXIT_USAGE;
        argv[1] = NULL;
    }
    o->run.words = argv;
    if (o->output)
        return -1;
    fputs("warpbook: page needs -o FILE, the page to write\n", stderr);
    return EXIT_USAGE;
}
