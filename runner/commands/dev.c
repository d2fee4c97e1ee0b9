/* warpbook dev: what those who work on warpbook need. */
#include "manual.h"

#include "cli.h"

#include <stdio.h>
#include <string.h>

static int usage(FILE *f, int code)
{
    fputs("usage: warpbook dev TASK\n"
          "\n"
          "  man              print the manual page, from the tables of commands and options\n"
          "  completion bash  print the completions of bash\n"
          "  completion zsh   print the completions of zsh\n",
          f);
    return code;
}

int cli_dev(desk *d)
{
    char **words = d->options.words;
    int n = d->options.word_count;
    if (n == 1 && strcmp(words[0], "man") == 0)
        manual_page(stdout, house_tool(&d->house, "warpbook-env.txt"));
    else if (n == 2 && strcmp(words[0], "completion") == 0 && strcmp(words[1], "bash") == 0)
        completion_bash(stdout);
    else if (n == 2 && strcmp(words[0], "completion") == 0 && strcmp(words[1], "zsh") == 0)
        completion_zsh(stdout);
    else
        return n == 1 && strcmp(words[0], "--help") == 0 ? usage(stdout, EXIT_PASS)
                                                         : usage(stderr, EXIT_USAGE);
    return EXIT_PASS;
}
