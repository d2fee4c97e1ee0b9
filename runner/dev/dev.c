#include "dev.h"

#include "judged_goals.h"
#include "manual.h"
#include "new_chapter.h"
#include "reference.h"

#include <stdio.h>
#include <string.h>

static int print_dev_usage(FILE *f, int code)
{
    fputs("usage: warpbook dev TASK\n"
          "\n"
          "  new-chapter TOPIC  a chapter from the template, with the next number\n"
          "  new-assignment TOPIC\n"
          "                     an assignment likewise, with a rubric\n"
          "  reference NAME...  run solutions (--all: every one) and keep what they cost in their\n"
          "                     reference.tsv, with which labs are compared\n"
          "  goals NAME RECORD COUNTERS\n"
          "                     judge the goals of a run that left these two files\n"
          "  broken NAME RECORD COUNTERS REPORTS OUTPUT STATUS\n"
          "                     judge the choice of a run of the chapter's kernel to break\n"
          "  man                print the manual page, from the tables of commands and options\n"
          "  completion bash    print the completions of bash\n"
          "  completion zsh     print the completions of zsh\n",
          f);
    return code;
}

int cli_dev(session *d)
{
    char **words = d->options.words;
    int n = d->options.word_count;
    if (n == 1 && strcmp(words[0], "man") == 0)
        print_manual_page(stdout, installation_tool(&d->installation, "warpbook-env.txt"));
    else if (n == 2 && strcmp(words[0], "completion") == 0 && strcmp(words[1], "bash") == 0)
        print_bash_completion(stdout);
    else if (n == 2 && strcmp(words[0], "completion") == 0 && strcmp(words[1], "zsh") == 0)
        print_zsh_completion(stdout);
    else if (n == 4 && strcmp(words[0], "goals") == 0 && d->installation.root)
        return print_judged_goals(d, words[1], words[2], words[3]);
    else if (n == 7 && strcmp(words[0], "broken") == 0 && d->installation.root)
        return print_judged_choice(d, words + 1);
    else if (n >= 2 && strcmp(words[0], "reference") == 0 && d->installation.root)
        return write_references(d, words + 1, n - 1);
    else if (n == 2 && strcmp(words[0], "new-chapter") == 0 && d->installation.root)
        return create_chapter(&d->installation, words[1]);
    else if (n == 2 && strcmp(words[0], "new-assignment") == 0 && d->installation.root)
        return create_assignment(&d->installation, words[1]);
    else
        return n == 1 && strcmp(words[0], "--help") == 0 ? print_dev_usage(stdout, EXIT_PASS)
                                                         : print_dev_usage(stderr, EXIT_USAGE);
    return EXIT_PASS;
}
