/* The command line of `page`. */
#include "page.h"

#include "../../emulator/base/own_options.h"
#include "../base/files.h"
#include "../run/record.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int print_page_help(void)
{
    printf(
        "usage: warpbook page -o FILE [--solution] [--launch N] [--block N | X,Y,Z] [--warp N]\n"
        "                     [--moments N] [--launches N] [--beside WHAT] [--name NAME]\n"
        "                     [--source FILE] [--json] CHAPTER | PROG [ARGS] | RECORDING\n"
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
        "  --block N      its block, by number or as x,y,z; else the one that works longest\n"
        "  --warp N       the warp of that block; else the one that works longest\n"
        "  --moments N    instructions of the warp that are stored (%d)\n"
        "  --launches N   only the first N launches are repeated, and can be shown\n"
        "  --beside WHAT  a second run beside the first: `solution`, a program or a recording\n"
        "  --name NAME    what the page calls the run\n"
        "  --source FILE  the text of the source files of this name\n"
        "  --json         only the page's data (docs/FORMATS.md)\n",
        PAGE_MAX_MOMENTS);
    return EXIT_PASS;
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

static bool set_block(void *into, const char *text, const char *file)
{
    page_choice *c = &((page_options *)into)->choice;
    int used = 0;
    (void)file;
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

#define SET_COUNT(name, least)                                                            \
    static bool set_##name(void *into, const char *text, const char *file)                \
    {                                                                                     \
        (void)file;                                                                       \
        return read_count("--" #name, text, least, &((page_options *)into)->choice.name); \
    }
SET_COUNT(launch, 0)
SET_COUNT(warp, 0)
SET_COUNT(moments, 1)
SET_COUNT(launches, 1)
#undef SET_COUNT

static const own_option page_option_list[] = {
    {"o", OWN_TEXT, offsetof(page_options, output), NULL},
    {"output", OWN_TEXT, offsetof(page_options, output), NULL},
    {"beside", OWN_TEXT, offsetof(page_options, beside), NULL},
    {"name", OWN_TEXT, offsetof(page_options, name), NULL},
    {"source", OWN_TEXT, offsetof(page_options, source), NULL},
    {"text", OWN_TEXT, offsetof(page_options, run.text), NULL},
    {"solution", OWN_FLAG, offsetof(page_options, run.solution), NULL},
    {"json", OWN_FLAG, offsetof(page_options, json), NULL},
    {"block", OWN_VALUE, 0, set_block},
    {"launch", OWN_VALUE, 0, set_launch},
    {"warp", OWN_VALUE, 0, set_warp},
    {"moments", OWN_VALUE, 0, set_moments},
    {"launches", OWN_VALUE, 0, set_launches},
    {0}};

int page_options_read(page_options *o, char **argv)
{
    bool help = false;
    *o = (page_options){
        .choice = {
            .launch = -1, .block = -1, .warp = -1, .moments = PAGE_MAX_MOMENTS, .launches = -1}};
    argv = own_options_read("page", page_option_list, argv, o, &help);
    /* A chapter or a recording takes no arguments, so options may follow it. */
    char **rest = argv && *argv ? argv + 1 : NULL;
    if (!help && rest && (!file_exists(*argv) || is_recording_file(*argv)) && *rest &&
        **rest == '-') {
        if (!own_options_read("page", page_option_list, rest, o, &help))
            return EXIT_USAGE;
        argv[1] = NULL;
    }
    if (help)
        return print_page_help();
    if (!argv)
        return EXIT_USAGE;
    o->run.words = argv;
    if (*argv && o->output)
        return -1;
    fputs(*argv ? "warpbook: page needs -o FILE, the page to write\n"
                : "usage: warpbook page -o FILE CHAPTER | PROG [ARGS] | RECORDING (warpbook page "
                  "--help says more)\n",
          stderr);
    return EXIT_USAGE;
}
