/* `warpbook book`: copies the installed workbook to a directory of the user. */
#include "../base/files.h"
#include "../base/job.h"
#include "study.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COPY_LIMIT_S = 120 }; /* time limit for copying the workbook, in seconds */

static bool run_quietly(const char *const *argv)
{
    job_end how;
    int code;
    free(job_run_and_read(argv, COPY_LIMIT_S, &how, &code));
    return how == JOB_EXITED && code == 0;
}

/* Copy the directory FROM to TO, which is missing or empty. On failure TO is unchanged. */
static bool copy_directory(const char *from, const char *to)
{
    OWNED char *beside = xprintf("%s.%ld", to, (long)getpid()), *cp = find_program("cp");
    const char *copy[] = {cp, "-R", "--no-preserve=ownership", from, beside, NULL};
    bool ok = cp && run_quietly(copy) && rename(beside, to) == 0;
    if (!ok) {
        int why = errno;
        OWNED char *rm = find_program("rm");
        const char *take_back[] = {rm, "-rf", beside, NULL};
        if (rm)
            run_quietly(take_back);
        errno = why;
    }
    return ok;
}

int cli_book(session *d)
{
    const char *from = installation_data_path(&d->installation, "share/warpbook");
    if (d->options.word_count != 1 || !*d->options.words[0] || *d->options.words[0] == '-') {
        fputs("usage: warpbook book DIR: copies the workbook to DIR, a new or empty directory\n",
              stderr);
        return EXIT_USAGE;
    }
    if (!from)
        return report_failure(EXIT_LACKS, "this program is not installed (`make install`), so it "
                                          "has no book to copy: work in its own directory");
    OWNED char *to = xstrdup(d->options.words[0]);
    for (size_t n = strlen(to); n > 1 && to[n - 1] == '/'; n--)
        to[n - 1] = '\0';
    bool ok = copy_directory(from, to);
    if (ok)
        printf("The book is in %s. Go there and type warpbook.\n", to);
    else
        fprintf(
            stderr,
            "warpbook: cannot write the book to %s (%s): name a directory that is new or empty, "
            "and whose parent can be written\n",
            to, strerror(errno));
    return ok ? EXIT_PASS : EXIT_FAIL;
}
