/* What a run came to: from how the program ended, what it recorded and what was counted. */
#ifndef WARPBOOK_VERDICT_H
#define WARPBOOK_VERDICT_H

#include "../base/job.h"
#include "../base/table.h"
#include "../book/chapter.h"
#include "../book/metrics.h"
#include "../book/rubric.h"
#include "findings.h"

typedef enum verdict_kind {
    VERDICT_PASS,
    VERDICT_FAIL,     /* a check failed or a goal was missed */
    VERDICT_NO_BUILD, /* the compiler refused it */
    VERDICT_TIMEOUT,
    VERDICT_FLOOD,
    VERDICT_LIMIT,     /* a limit of the sandbox was exceeded: memory, files, threads */
    VERDICT_CRASH,     /* a signal */
    VERDICT_EXIT,      /* an exit code that no failed check explains */
    VERDICT_NO_CHECKS, /* the lab ended without an error and without checking anything */
    VERDICT_CANCELLED,
    VERDICT_BROKEN,   /* the chapter's directory is at fault */
    VERDICT_UNGRADED, /* the text differs from the book's outside the regions, or a region reaches
                         out of itself */
    VERDICT_LACKS,    /* the machine lacks something */
    VERDICT_POLICY, /* a submission whose run is not what the book's text makes of it: for a person
                     */
    VERDICT_INTERNAL, /* the judge failed; that is not the submission's fault */
} verdict_kind;

/* Waiting: a check failed, so that nothing was measured yet. */
typedef enum goal_state { GOAL_MET, GOAL_MISSED, GOAL_UNKNOWN, GOAL_WAITING } goal_state;

/* All checks of one variant. */
typedef struct check_row {
    const char *name, *detail; /* detail: of the first that failed, or NULL */
    size_t sizes, passed;      /* number of sizes that were checked, and of those that were right */
    bool pass;                 /* all sizes were right */
} check_row;

typedef struct measure_row {
    const char *name, *x;
    bool copy;
    double n, bytes, ms, gbs;
} measure_row;

/* One round of LAB_ROUNDS: a variant's bandwidth in it, or the copy's. */
typedef struct round_row {
    const char *name, *x;
    double number, gbs;
} round_row;

typedef struct goal_row {
    const char *kernel, *metric, *relation;
    double limit, value;
    goal_state state;
    bool emulated;        /* counted by the emulator for a run on a GPU */
    const char *sentence; /* "stencil: 9 sectors a load request; at most 4 required" */
    const char *detail;   /* the lab's own words, or NULL */
} goal_row;

typedef struct guess_row {
    const char *kernel, *metric;
    double said, counted;
    bool answered, known, right;
    bool emulated; /* counted by the emulator for a run on a GPU */
} guess_row;

/* A row of the assignment's rubric, and what was reached. */
typedef enum point_state { POINT_REACHED, POINT_MISSED, POINT_WAITING, POINT_UNKNOWN } point_state;

typedef struct point_row {
    const char *kind, *name, *metric, *relation; /* as in rubric.tsv; metric may be NULL */
    const char *sentence;                        /* what the points are for */
    double limit, floor, reached;                /* floor: as in rubric.h; reached: NAN where it is
                                                  * not known */
    double low,
        high; /* interval that holds the true median of a measured ratio; NAN: `reached` is exact */
    size_t rounds; /* number of rounds from which `low` and `high` are known; 0: none */
    double points, given;
    point_state state;
    bool hidden;   /* the row is left out of what students read, as in rubric.h */
    bool withheld; /* missed for another reason than the value achieved, so no part of the points is
                      given */
    const char *how; /* "modelled", "measured", "counted", "checked" */
    const char
        *remark; /* why no points were given, if the value achieved does not say it; or NULL */
} point_row;

typedef struct verdict {
    arena memory;
    verdict_kind kind;
    const char *reason;                 /* one sentence */
    const char *output;                 /* what the compiler or the lab printed */
    const char *command;                /* command that built the lab */
    const char *seed, *source, *device; /* source: modelled or measured; NULL where not recorded */
    double seconds;
    double first_seconds; /* seconds until the first mistake was found, or until all checks had
                             passed */
    check_row *checks;
    size_t check_count;
    measure_row *measures;
    size_t measure_count;
    round_row *rounds;
    size_t round_count;
    goal_row *goals;
    size_t goal_count;
    guess_row *guesses;
    size_t guess_count;
    findings found;   /* what the emulator reported */
    const char **why; /* sentences that say why it is slow */
    size_t why_count;
    const table *counters, *lines; /* owned; NULL where there are none */
    /* What the emulator counted of a lab that ran on a GPU, for what ncu did not count; owned. To
     * be set before verdict_judge. */
    const table *emulated;
    /* The line of lab.cu where it first differs from the book's outside its TODO regions; 0: it
     * does not; negative: not known. */
    int touched;
    int ignored;      /* lines that a submission changed outside its regions, which are ignored */
    const char *path; /* path of the text, as people see it; NULL: the solution */
    /* What stands in its regions that may not (trust.h), a sentence with its line each. */
    const char **flaws;
    size_t flaw_count;
    /* The checks passed, but a mistake was reported, or they failed when every access was watched.
     */
    bool by_luck;
    point_row *points;
    size_t point_count; /* 0: there is no rubric, or the run says nothing of the lab */
    double points_given, points_of;
    double points_not_shown; /* points of rows that this copy's rubric leaves out, not included in
                                points_of */
    bool graded;
    /* The results, counters and times come from repeating the recorded run (attempt/trial.h), and
     * not from what the submission said. */
    bool tried;
    const char *wrong; /* what a kernel did wrong although its checks passed, or NULL */
    bool boxed;        /* it was compiled and run in sandboxes */
} verdict;

/* Judge a run. RECORD, COUNTERS and LINES may be NULL; the last two then belong to the verdict. HOW
 * and CODE are the program's end. NO_COUNTERS says why COUNTERS are missing or hold not all that
 * may be asked for, or is NULL. */
void verdict_judge(verdict *v, const chapter *c, const table *record, table *counters, table *lines,
                   job_end how, int code, double limit_s, const char *no_counters);
/* Whether a goal of RECORD or a prediction of C asks for what COUNTERS (may be NULL) do not hold.
 */
bool verdict_uncounted(const chapter *c, const table *record, const table *counters);
/* A metric of a kernel in this run: as its device counted it, else as the emulator did. */
bool verdict_metric(const verdict *v, const char *kernel, const metric *m, double *out,
                    bool *emulated);
/* Take what the emulator reported, instead of what was taken before: a lab whose checks pass and
 * that has a mistake among them fails. FOUND lives in the verdict's memory. */
void verdict_findings(verdict *v, findings found);
void verdict_free(verdict *v);

/* Whether VALUE is at_most, at_least or equal to LIMIT; and "at most", "at least", "exactly". */
bool relation_holds(const char *relation, double value, double limit);
const char *relation_words(const char *relation);

/* 0 pass, 1 fail, 3 the machine lacks something. */
int verdict_exit_code(verdict_kind kind);
/* "pass", "fail", "does not compile" ... for people; "pass", "fail", "no_build" ... for programs.
 */
const char *verdict_word(verdict_kind kind);
const char *verdict_id(verdict_kind kind);
/* VERDICT_FAIL where the word is unknown. */
verdict_kind verdict_from_id(const char *id);

/* The number of failed checks, as in "1 of 3 checks failed". */
size_t verdict_failed_checks(const verdict *v);
size_t verdict_missed_goals(const verdict *v);

#endif
