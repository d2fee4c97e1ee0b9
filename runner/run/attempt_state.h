/* The struct of an attempt, for the source files of this directory. */
#pragma once

#include "attempt.h"
#include "paired.h"

/* How far the record (the lab's table of checks and times) of the present run has been read. */
typedef struct record_reader {
    attempt_progress news; /* results of the lab's checks, as far as the record has been read */
    const char *path;      /* path of the record being followed; NULL: not looked for yet */
    long size;             /* size of the record's file, in bytes, when it was last read */
    size_t rows;           /* number of rows of the record read so far */
} record_reader;

struct attempt {
    installation *h;
    const chapter *c;
    saved_state *s;
    attempt_options options;    /* which program to run, and how */
    build_target t, counted;    /* t: the program that is built and run; counted: the same for the
                                 * emulator, which counts after a run on a GPU */
    const char *quoted;         /* file that messages quote: a submission as handed in; NULL: the
                                 * program's source */
    nvcc_compiler nvcc;         /* the compiler that builds the lab */
    const attempt_step *step;   /* the present row of the table of steps */
    attempt_phase phase;        /* which program of the attempt runs now */
    stage g;                    /* the child process of this step: the compiler or the lab */
    stage mistake_search_stage; /* a second run of the lab that checks every memory access, at the
                                   same time; {0}: none */
    const rubric *rubric;       /* rubric by which the attempt is scored; NULL: none */
    int choice;                 /* number of the program that the lab's text chooses; 0: none */
    record_reader reader;       /* reads the record while it grows */
    double start;               /* time of the start, monotonic_s() */
    verdict v;                  /* the result of the attempt so far */
    char *ncu;                  /* path of NVIDIA's profiler ncu; NULL: not used */
    bool cancelled;             /* the user cancelled the attempt */
    /* How the lab's first run ended; kept during its second run, under ncu. */
    job_end run_end;                /* exited, killed by a signal, stopped at a limit, ... */
    int run_code;                   /* exit status of the program, or its signal */
    char *run_output;               /* what the lab printed in its first run */
    table *record;                  /* table that the lab's run wrote: checks and times */
    table *counters;                /* table that the run wrote: counters of each launch */
    const char *no_emulator_reason; /* why the emulator counted nothing, or NULL */
    paired_times *pairs;    /* times of the lab alongside the solution's, on a GPU; NULL: none */
    build_target paired;    /* the book's solution, which is timed alongside the lab */
    table *paired_solution; /* record that the solution wrote in this round */
    const char *seed;       /* seed with which a submission is judged; NULL: the lab chooses one */
    struct graded_run *graded; /* what the judge of a submission knows; NULL: nothing yet */
};

/* Kinds of files that a run of a lab writes. */
enum {
    RECORD,           /* checks and times that the lab wrote */
    COUNTERS,         /* counters of each launch */
    LINES,            /* memory accesses of each source line */
    EMULATED,         /* counters of the emulator, for a lab that ran on a GPU */
    TIMELINE,         /* start and end of each operation of the device */
    REPORTS,          /* mistakes, such as races, that the emulator reported */
    RECORDING,        /* what a submission asked of the device, to repeat it */
    SEARCH_REPORTS,   /* mistakes reported by the second run, which checks every access */
    SOURCE,           /* PTX instructions of each source line */
    TEXT,             /* the lab's text as it was run, to quote its lines later */
    COVERAGE,         /* which instructions the checks reached */
    OTHER_RECORD,     /* record of a further run: on the emulator, or timed in turn with another */
    RESULT_FILE_COUNT /* number of result files */
};

/* --- attempt.c --- */

/* Path of a result file while the lab runs; that of the last complete run stays in place. */
char *attempt_unfinished_path(attempt *a, int which);
/* Environment variable that names the file for a result: "NAME=PATH". */
const char *attempt_result_variable(attempt *a, const char *name, int which);
/* Make the directory of the result files, without an earlier run's. False: the attempt is over. */
bool attempt_make_room(attempt *a);
/* Keep how the lab's first run ended, what it printed and its files. */
void attempt_keep_outcome(attempt *a);
/* The step that compiles. */
step_end attempt_start_build(attempt *a);
step_end attempt_finish_build(attempt *a);
/* The sandbox in which the chapter's lab runs on the emulator. */
sandbox_use attempt_lab_sandbox(const attempt *a);
/* Run the program of T in stage G with the environment ENV. Not started: the attempt is over. */
step_end attempt_start_program(attempt *a, stage *g, const build_target *t, const char *const *env);
/* Copy the run's files in SET (bit i: file i of the enum above) out of the sandbox. */
void attempt_fetch_files(attempt *a, unsigned set);
void attempt_give_up(attempt *a, verdict_kind kind, const char *sentence);
/* Decide the attempt's verdict. Called after the run has written all its files. */
void attempt_decide_verdict(attempt *a);
/* Move a result of the finished run to its path, where plots find it. Returns the path, or NULL. */
char *attempt_move_to_final_path(attempt *a, int which);
/* A result of the finished run, read as a table; the caller frees it. NULL: there is none. */
table *attempt_take_result(attempt *a, int which);
/* Append ROWS, lines of a record, to the record of the lab's run, of which a screen that starts
 * later makes a verdict. */
void attempt_append_to_record(attempt *a, const char *rows);
/* Add the reports of mistakes in the file PATH to the verdict. */
void attempt_take_findings(attempt *a, const char *path);
/* If the rubric gives points for lines: the variable that makes a program write which of them it
 * reaches. Else NULL. */
const char *attempt_coverage_variable(attempt *a);
/* Take that file for the verdict's points, once it is fetched. */
void attempt_take_coverage(attempt *a);
/* End the attempt with its present verdict. */
void attempt_end(attempt *a);

/* --- search.c: runs the checks again on the emulator, slower, with every access checked --- */

/* Start the search for mistakes while the lab still measures, but only after its checks: during
 * them, both would share the cores, and the verdict would come later. */
void mistake_search_start_early(attempt *a);
/* The step that judges the normal run, and starts the search for mistakes unless it runs. */
step_end decide_and_search(attempt *a);
step_end finish_search(attempt *a);

/* --- news.c: results of a run that is still in progress --- */

/* Read the rows that were added to the record since the last call. */
void attempt_read_progress(attempt *a);
/* When the attempt is over: set the time of its first result, if it is still unknown. */
void attempt_finish_progress(attempt *a);

/* --- again.c: runs a lab again on the emulator for its counters, after its run on a GPU --- */

/* "WARPBOOK_SEED=N" with the seed in the record, which repeats the inputs; NULL: it has none. */
const char *attempt_recorded_seed(attempt *a);
step_end rebuild_for_emulator(attempt *a);
step_end finish_emulator_build(attempt *a);
step_end start_emulator_run(attempt *a);
step_end finish_emulator_run(attempt *a);

/* --- paired.c: on a GPU, the lab and the book's solution are timed in turn --- */

step_end build_solution_to_pair(attempt *a);
step_end finish_solution_to_pair(attempt *a);
step_end time_solution(attempt *a);
step_end finish_timing_solution(attempt *a);
step_end time_lab(attempt *a);
step_end finish_timing_lab(attempt *a);
