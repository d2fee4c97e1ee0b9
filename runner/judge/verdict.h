/* The verdict on a run of a lab, by how the program ended, what it recorded, and its counters. */
#pragma once

#include "../base/job.h"
#include "../base/table.h"
#include "../book/chapter.h"
#include "../book/metrics.h"
#include "../book/rubric.h"
#include "findings.h"

typedef enum verdict_kind {
    VERDICT_PASS,      /* all checks pass, and all goals are met */
    VERDICT_FAIL,      /* a check failed or a goal was missed */
    VERDICT_NO_BUILD,  /* the lab does not compile */
    VERDICT_TIMEOUT,   /* the run took too long */
    VERDICT_FLOOD,     /* the program printed too much */
    VERDICT_LIMIT,     /* a limit of the sandbox was exceeded: memory, files, threads */
    VERDICT_CRASH,     /* a signal ended the program */
    VERDICT_EXIT,      /* an exit code that no failed check explains */
    VERDICT_NO_CHECKS, /* the lab ended without an error and without checking anything */
    VERDICT_CANCELLED, /* the user cancelled the run */
    VERDICT_BROKEN,    /* a file of the chapter is missing or damaged */
    VERDICT_UNGRADED,  /* the text differs from the book's outside the regions, or code in a region
                          affects code outside it */
    VERDICT_LACKS,     /* the machine lacks something that the run needs */
    VERDICT_POLICY,    /* the run does not match the text: a person must look at the submission */
    VERDICT_INTERNAL,  /* the judge failed; that is not the submission's fault */
} verdict_kind;

/* The state of a goal. WAITING: a check failed, so the goal is not judged yet. */
typedef enum goal_state { GOAL_MET, GOAL_MISSED, GOAL_UNKNOWN, GOAL_WAITING } goal_state;

/* The result of all checks of one variant. */
typedef struct check_row {
    const char *name;     /* name of the variant that was checked */
    const char *detail;   /* message about the first size that failed, or NULL */
    size_t sizes, passed; /* number of sizes that were checked, and of those that were right */
    bool pass;            /* the results were right at all sizes */
} check_row;

typedef struct measure_row {
    const char *name, *x;     /* name of the variant; value of the sweep, or NULL */
    bool copy;                /* the row is the device's own copy, for comparison, not a variant */
    double n, bytes, ms, gbs; /* number of elements, bytes to move, time, bandwidth in GB/s */
} measure_row;

/* The bandwidth of a variant, or of the device copy, in one of the LAB_ROUNDS rounds. */
typedef struct round_row {
    const char *name, *x;
    double number, gbs; /* number of the round, and bandwidth in GB/s */
} round_row;

typedef struct goal_row {
    const char *kernel, *metric; /* name of the kernel; name of its metric */
    const char *relation;  /* how the value must compare with `limit`: at_most, at_least or equal */
    double limit, value;   /* required value of the metric; counted value */
    double emulated_limit; /* required value at the emulator's size, for a lab that ran on a GPU and
                              whose counters are the emulator's; NAN: `limit` */
    goal_state state;      /* met, missed, not known, or not judged yet */
    bool emulated;         /* `value` was counted by the emulator, although the lab ran on a GPU */
    bool lean, lean_shared; /* of a cost: no more sectors, and no more passes over shared memory,
                               than the solution moves */
    bool excess;            /* of a cost: it needs more than time (judge/costs.def) */
    const char *sentence;   /* "stencil: 9 sectors per load request; at most 4 required" */
    const char *detail;     /* why the goal matters, as the lab's text says it, or NULL */
} goal_row;

typedef struct prediction_row {
    const char *kernel, *metric;
    double said, counted;        /* value that the student predicted, and the counted one */
    bool answered, known, right; /* `said` is known; `counted` is known; both agree */
    bool emulated; /* the emulator counted the metric, although the lab ran on a GPU */
} prediction_row;

/* A row of the assignment's rubric, and the value and points achieved. */
typedef enum point_state { POINT_REACHED, POINT_MISSED, POINT_WAITING, POINT_UNKNOWN } point_state;

typedef struct point_row {
    const char *kind;              /* rubric_kind_word */
    const char *name;              /* name of the check, of the goal's kernel, or of the variant */
    const char *metric, *relation; /* metric or NULL; how the value must compare with `limit` */
    const char *sentence;          /* what the points are given for */
    double limit, floor;           /* limit and floor of the value, from the rubric */
    double reached;                /* value achieved; NAN: unknown */
    double low, high;     /* confidence interval of a measured `reached`; NAN: `reached` is exact */
    size_t rounds;        /* number of measured rounds that gave `low` and `high`; 0: none */
    double points, given; /* points of the row, and points earned */
    point_state state;
    bool hidden;        /* the row is omitted from what students read, as in rubric.h */
    bool withheld;      /* the row gives no points, not even in part, whatever the value achieved */
    const char *how;    /* source of the value: "modelled", "measured", "counted" or "checked" */
    const char *remark; /* why no points were given, where the value does not show it; or NULL */
} point_row;

/* A line of the student's that the compiler made instructions of, in a function. */
typedef struct code_line {
    const char *function; /* as PTX calls it */
    int number;
    double stays; /* the greatest `stays` (emulator/coverage/coverage.h) of its instructions */
    bool reached; /* a lane executed one of these in the launches of the checks */
} code_line;

/* The text that was run: a student's lab, or a submission. */
typedef struct verdict_text {
    int touched; /* first line outside the TODO regions that differs from the book's; 0: none;
                  * negative: unknown */
    bool flaws_are_notes; /* the marker's judge decides, and takes `flaws` for notes */
    int ignored;      /* first line, outside the regions, that differs from the book's and is left
                         out of what was compiled; 0: none */
    const char *path; /* path of the text, as people see it; NULL: the solution */
    /* Forbidden constructs in the TODO regions (trust.h), a sentence with a line number each. */
    const char **flaws;    /* [flaw_count] sentences about forbidden names and the like */
    size_t flaw_count;     /* number of flaws */
    const char *host_flaw; /* the first of them that may change what the host does, or NULL */
} verdict_text;

typedef struct verdict_points {
    point_row *rows;
    size_t count;     /* 0: there is no rubric, or the run says nothing about the lab */
    double given;     /* points that the run earned */
    double of;        /* points of all rows of the rubric */
    double not_shown; /* points of rows that this copy's rubric leaves out, not included in `of` */
    bool graded;      /* points count: the text has no flaws or changes outside its regions */
} verdict_points;

/* The results, counters and times of a graded run come from repeating its recording
 * (submission/graded_run.h), and not from what the submission said. */
typedef struct verdict_judged {
    bool tried;             /* a judge has repeated the recorded run */
    const char *modelled;   /* why times are modelled although a GPU was to measure them, or NULL */
    const char *unmeasured; /* why a GPU measured no times although it should have; else NULL */
    const char *wrong;      /* the mistake that a kernel made although its checks passed, or NULL */
    bool boxed;             /* the lab was compiled and run in sandboxes */
    const char *page;       /* the run as one HTML file, which shows a reported mistake, or NULL */
    const char *no_page;    /* why there is no such page although one was to be made, or NULL */
} verdict_judged;

typedef struct verdict {
    arena memory; /* arena that holds the verdict */
    verdict_kind kind;
    const char *reason;          /* the verdict in one sentence */
    const char *output;          /* what the compiler or the lab printed */
    const char *command;         /* command that built the lab */
    const char *seed;            /* seed of the lab's random inputs; NULL: not recorded */
    const char *source, *device; /* how times were obtained, "modelled" or "measured"; name of the
                                    device; NULL: not recorded */
    double seconds;              /* duration of the run in seconds */
    double first_seconds;        /* seconds to the first mistake or until all checks had passed */
    check_row *checks;           /* [check_count] results of the lab's checks */
    size_t check_count;          /* number of checks */
    measure_row *measures;       /* [measure_count] times and bandwidths of the variants */
    size_t measure_count;        /* entries used in `measures` */
    goal_row *cost_limits;   /* [cost_limit_count] the lab's own limits of times (judge/cost.h) */
    size_t cost_limit_count; /* entries used in `cost_limits` */
    measure_row *references; /* [reference_count] the solution's times, if a GPU measured both */
    size_t reference_count;  /* entries used in `references` */
    const char *uncompared;  /* why times are compared with none of the solution's, or NULL */
    round_row *rounds;       /* [round_count] bandwidths of single rounds */
    size_t round_count;      /* number of rounds */
    const char **left_out;   /* [left_out_count] variants with curves that were not measured */
    size_t left_out_count;   /* number of names in `left_out` */
    goal_row *goals;         /* [goal_count] limits on counted metrics, and whether they were met */
    size_t goal_count;       /* number of goals */
    prediction_row *guesses; /* [guess_count] values of metrics that the student predicted */
    size_t guess_count;      /* number of predictions */
    findings found;          /* mistakes and messages that the emulator reported */
    const char **why;        /* sentences that say why the lab's kernels are slow */
    size_t why_count;        /* number of sentences in `why` */
    const table *counters;   /* table of counters, owned by the verdict; NULL: none */
    const table *lines;      /* table of source lines, owned by the verdict; NULL: none */
    /* Emulator counters for a lab that ran on a GPU, used for metrics that ncu did not count. Owned
     * by the verdict; set before verdict_judge. */
    const table *emulated;
    code_line *code; /* [code_count] which lines the checks reached, if the rubric asks for that */
    size_t code_count;
    bool by_luck; /* the checks passed, but the emulator found a mistake, or they failed in a rerun
                   * with every access checked */
    verdict_text text;     /* what the run's text is */
    verdict_points score;  /* what the rubric gives for it */
    verdict_judged judged; /* what only graded runs have */
} verdict;

/* Judge a run. RECORD, COUNTERS and LINES may be NULL; the verdict takes ownership of COUNTERS and
 * LINES. HOW and CODE say how the program ended. NO_COUNTERS is a sentence on why COUNTERS are
 * missing or incomplete, or NULL. */
void verdict_judge(verdict *v, const chapter *c, const table *record, table *counters, table *lines,
                   job_end how, int code, double limit_s, const char *no_counters);
/* Return true if a goal of RECORD or a prediction of C needs a metric that is missing in COUNTERS
 * (may be NULL). */
bool needs_counters(const chapter *c, const table *record, const table *counters);
/* The value of metric M of a kernel in this run: counted by its device, else by the emulator. */
bool verdict_metric(const verdict *v, const char *kernel, const metric *m, double *out,
                    bool *emulated);
/* Replace the verdict's findings by FOUND. If a finding is a mistake, a lab whose checks pass
 * fails. FOUND must live in the verdict's memory. */
void verdict_add_findings(verdict *v, findings found);
void verdict_free(verdict *v);

/* Return true if VALUE is in RELATION to LIMIT: "at_most", "at_least" or equal. words_for_relation
 * returns the relation in words: "at most", "at least" or "exactly". */
bool is_relation_true(const char *relation, double value, double limit);
/* The same of a goal, which a thousandth of LIMIT does not decide. */
bool holds_as_goal(const char *relation, double value, double limit);
const char *words_for_relation(const char *relation);

/* The exit code of a verdict: 0 pass, 1 fail, 3 the machine lacks something. */
int verdict_exit_code(verdict_kind kind);
/* A verdict's name: verdict_word for people ("does not compile"), verdict_id for programs. */
const char *verdict_word(verdict_kind kind);
const char *verdict_id(verdict_kind kind);
/* The verdict kind with this id; VERDICT_FAIL if the id is unknown. */
verdict_kind verdict_from_id(const char *id);

/* The number of checks that failed. */
size_t verdict_failed_checks(const verdict *v);
size_t verdict_missed_goals(const verdict *v);
