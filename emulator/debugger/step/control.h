/* The state of the step debugger's controller, which sends orders to a worker process that runs the
 * program, and the functions that its files share. */
#pragma once

#include "commands.h"
#include "snapshots.h"
#include "worker.h"

#include <stdio.h>

enum { STEP_MAX_MISTAKES = 200 }; /* maximum number of mistakes that are remembered */

typedef struct step_controller {
    int worker;          /* socket to the worker; -1: there is no worker */
    step_result at;      /* position of the worker process in the run */
    step_snapshots kept; /* snapshots of the worker (forked processes) */
    bool cannot_return;  /* no snapshot could be made because the program has several threads */
    uint64_t memory;     /* bytes that the snapshots occupied when last measured */
    uint64_t max_snapshot_memory;      /* most bytes that the snapshots may occupy */
    uint32_t snapshots_since_measured; /* number of snapshots made since memory was last measured */
    uint64_t target; /* the moment to which the worker goes; UINT64_MAX: until the goal is met */
    bool thinned;    /* a snapshot has been removed during this command */
    bool stopped;    /* the user has stopped this command */
    step_launch_note *launch; /* [launches] launches seen so far */
    uint32_t launches;
    step_mistake *mistakes;               /* [STEP_MAX_MISTAKES] mistakes found, sorted by moment */
    uint32_t mistake_count;               /* number of mistakes */
    step_wrong_value wrong;               /* the first wrong value; its text is "": none known */
    step_choice choice[STEP_MAX_CHOICES]; /* choices of warps, in the order of their moments */
    uint32_t choices;                     /* number of choices */
    uint64_t reached;                     /* latest moment that any worker has reached */
    bool whole;                           /* a worker process has reached the end of the run */
    FILE *capture; /* file for the worker's text output; NULL: standard output */
} step_controller;

/* --- travel.c --- */

/* A new order of KIND for the worker, with all choices of warps. */
step_order step_order_new(int kind);
/* Send order O to the worker and wait for its result. Returns false if the worker has ended. */
bool step_send_order(step_controller *c, step_order *o);
/* Ask the worker a question about its current moment. REASON and EXTRA are for `where`. */
bool step_ask_question(step_controller *c, const char *text, const char *reason, const char *extra);
/* The worker's answer to QUESTION as text, malloc'ed; NULL: the worker has ended. */
char *step_ask_worker(step_controller *c, const char *question);
/* Go to the moment TICK, or to the next moment with an instruction. False: impossible. */
bool step_go_to_moment(step_controller *c, uint64_t tick);
/* Go to the TIMES-th next moment that meets GOAL, or to the run's end. *R: which condition was
 * met. */
bool step_run_to_goal(step_controller *c, const step_goal *goal, uint32_t times, step_result *r);
/* Find the TIMES-th last moment before LIMIT that meets GOAL: *TICK becomes its tick, *R its
 * result. False: there is none. Afterwards the worker stands at an arbitrary moment. */
bool step_find_last_hit(step_controller *c, const step_goal *goal, uint32_t times, uint64_t limit,
                        uint64_t *tick, step_result *r);
/* The number of the moment N instructions before moment TICK, or of the first moment. */
uint64_t step_moment_before(const step_controller *c, uint64_t tick, uint32_t n);
/* The number of the first moment of the run with an instruction. */
uint64_t step_first_moment(const step_controller *c);
/* Measure the memory of the snapshots, and remove some if they use too much. */
void step_limit_snapshot_memory(step_controller *c);
/* The launch that TICK belongs to; NULL: TICK belongs to no launch. */
const step_launch_note *step_launch_of(const step_controller *c, uint64_t tick);
/* Forget what is known about the run after moment TICK: another choice of warps changes it. */
void step_forget_run_after(step_controller *c, uint64_t tick);
/* Start the first worker, and wait until it reaches an instruction or ends. */
bool step_open_controller(step_controller *c, int worker);
void step_close_controller(step_controller *c);

/* --- mistakes.c --- */

/* Answer the command `report NUMBER` by showing its two moments. Returns false with a message in
 * ERR if that is impossible. */
bool step_show_report(step_controller *c, uint64_t number, char *err, size_t size);

/* --- answers.c --- */

/* Write the answer that a command failed. Returns false. */
bool step_write_error(FILE *to, const char *sentence);

/* --- lists.c --- */

/* Answer the commands `choices`, `launches`, `reports` and `snapshots`. */
void step_list_choices(const step_controller *c);
void step_list_launches(const step_controller *c);
void step_list_reports(const step_controller *c);
void step_list_snapshots(step_controller *c);

/* TEXT as a JSON string (RFC 8259, section 7), with its quotes, until eight others are asked for.
 */
const char *step_quoted(const char *text);
