/* Runs a lab's checks again on the emulator with every access checked (slower), at the same time as
 * the normal run or after it. */
#include "attempt_state.h"

#include "../base/files.h"
#include "../judge/score.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum { REPORTS_LIMIT = 256 << 20 }; /* bytes of the reports of mistakes that are read, at most */

/* A mistake shows in a few blocks as well as in many; larger problem sizes only take longer. A line
 * may be reached by the largest size only. */
#define LARGEST_SIZE_VARIABLE "WARPBOOK_LARGEST=8192"

/* True: the lab ran and was judged, and its checks can run again on the emulator. */
static bool is_mistake_search_useful(const attempt *a)
{
    return (a->v.kind == VERDICT_PASS || a->v.kind == VERDICT_FAIL) &&
           (!a->options.gpu || a->v.emulated);
}

const char *attempt_coverage_variable(attempt *a)
{
    return rubric_asks_for_lines(a->rubric)
               ? attempt_result_variable(a, "WARPBOOK_COVERAGE", COVERAGE)
               : NULL;
}

void attempt_take_coverage(attempt *a)
{
    const char *called = a->quoted ? a->quoted : quoted_path_of(&a->t);
    const char *coverage = attempt_move_to_final_path(a, COVERAGE);
    if (coverage)
        score_take_coverage(&a->v, coverage, called,
                            a->t.file ? called : ran_text_path(a->h, &a->t));
}

/* Start in G the run of the lab that looks for mistakes. */
static void mistake_search_start(attempt *a, stage *g)
{
    const char *coverage = attempt_coverage_variable(a);
    const char *env[] = {emulator_library_path(a->h),
                         "WARPBOOK_SANITIZE=all",
                         "WARPBOOK_ONLY=check",
                         "WARPBOOK_RECORD",
                         attempt_result_variable(a, "WARPBOOK_REPORTS", SEARCH_REPORTS),
                         coverage ? coverage : LARGEST_SIZE_VARIABLE,
                         NULL};
    attempt_start_program(a, g, &a->counted, env);
}

void mistake_search_start_early(attempt *a)
{
    bool known = attempt_current_progress(a)->seconds > 0;
    /* Not for a submission: several already run at the same time and use all cores. */
    if (known && !a->mistake_search_stage.j && !a->options.gpu && !a->options.file)
        mistake_search_start(a, &a->mistake_search_stage);
}

step_end decide_and_search(attempt *a)
{
    attempt_decide_verdict(a);
    if (!is_mistake_search_useful(a)) {
        attempt_move_to_final_path(a, REPORTS);
        attempt_move_to_final_path(a, COVERAGE); /* there is none: removes that of an earlier run */
        attempt_end(a);
    } else if (a->mistake_search_stage.j) {
        a->g = a->mistake_search_stage;
        a->mistake_search_stage = (stage){0};
    } else {
        mistake_search_start(a, &a->g);
    }
    return STEP_RUNS;
}

/* Append the reports of the search for mistakes to the reports of the normal run. */
static void append_search_reports(attempt *a)
{
    size_t len;
    OWNED char *more =
        read_whole_file(attempt_unfinished_path(a, SEARCH_REPORTS), REPORTS_LIMIT, &len);
    /* O_NONBLOCK: opening must not wait for a reader, in case the lab has made the file a pipe. */
    int flags = O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_CLOEXEC;
    int fd = more && len ? open(attempt_unfinished_path(a, REPORTS), flags, 0644) : -1;
    for (size_t done = 0; fd >= 0 && done < len;) {
        ssize_t n = write(fd, more + done, len - done);
        if (n < 0 && errno != EINTR)
            break;
        done += n > 0 ? (size_t)n : 0;
    }
    if (fd >= 0)
        close(fd);
}

step_end finish_search(attempt *a)
{
    int code;
    job_end how = stage_outcome(&a->g, &code);
    bool right = verdict_failed_checks(&a->v) == 0, failed = how != JOB_EXITED || code != 0;
    attempt_fetch_files(a, 1u << SEARCH_REPORTS | 1u << COVERAGE);
    if (how == JOB_CANCELLED) {
        attempt_give_up(a, VERDICT_CANCELLED, "you cancelled it");
        return STEP_DECIDE;
    }
    append_search_reports(a);
    char *reports = attempt_move_to_final_path(a, REPORTS);
    if (reports)
        attempt_take_findings(a, reports);
    attempt_take_coverage(a);
    a->v.by_luck |= right && failed;
    if (right && failed && !findings_first_mistake(&a->v.found))
        attempt_give_up(
            a, VERDICT_FAIL,
            how == JOB_TIMEOUT
                ? "right, but its checks did not end in time while every access was checked"
                : "right once, but it failed when its checks ran again with every access "
                  "checked");
    else
        attempt_end(a);
    return STEP_DECIDE;
}
