/* What the files of the controller share: the worker, and what it has told. */
#ifndef WARPBOOK_STEP_CONTROL_H
#define WARPBOOK_STEP_CONTROL_H

#include "commands.h"
#include "snapshots.h"

#include <stdio.h>

enum { STEP_FOUND_MOST = 200 };

typedef struct step_controller {
    bool json;
    int worker; /* socket to the worker; -1: there is no worker */
    step_result at;
    step_snapshots kept;
    bool cannot_return; /* some moment could not be kept as a snapshot, because the program has
                           several threads */
    uint64_t memory;    /* bytes of memory of the snapshots when last measured */
    uint64_t memory_most;
    uint32_t since_look;
    uint64_t target; /* tick to which the worker is being sent; UINT64_MAX: on to the goal */
    bool thinned;    /* a snapshot has been removed during this command */
    bool stopped;    /* this command, by the person */
    step_launch_note *launch;
    uint32_t launches, launch_room;
    step_found *found; /* [STEP_FOUND_MOST] mistakes found, sorted by moment */
    uint32_t founds;
    step_choice choice[STEP_CHOICES];
    uint32_t choices;
    uint64_t reached; /* latest moment that any worker has reached */
    bool whole;       /* some worker has reached the end of the run */
    FILE *capture;    /* where the text of a worker goes; NULL: to standard output */
} step_controller;

/* --- travel.c --- */

/* An order of KIND with all choices. */
step_order step_order_new(int kind);
/* Give the worker an order and wait for the result. False: it is gone. */
bool step_ask(step_controller *c, step_order *o);
/* Ask the worker a question about the moment at which it stands. REASON and EXTRA: of `where`. */
bool step_question(step_controller *c, const char *text, const char *reason, const char *extra);
/* Go to the moment TICK, or to the next one that has an instruction. False: that cannot be. */
bool step_go(step_controller *c, uint64_t tick);
/* Go to the TIMES-th next moment that meets GOAL, or to the end. *R says what was hit. */
bool step_forward(step_controller *c, const step_goal *goal, uint32_t times, step_result *r);
/* The tick of the TIMES-th last moment before LIMIT that meets GOAL; *R says what was hit there.
 * False: there is none. The worker stands somewhere afterwards. */
bool step_search(step_controller *c, const step_goal *goal, uint32_t times, uint64_t limit,
                 uint64_t *tick, step_result *r);
/* The moment N instructions before TICK, or the first one. */
uint64_t step_earlier(const step_controller *c, uint64_t tick, uint32_t n);
uint64_t step_first(const step_controller *c);
/* Measure the memory of the snapshots, and give up some if it is too much. */
void step_look_at_memory(step_controller *c);
/* The launch that TICK belongs to; NULL: none. */
const step_launch_note *step_launch_of(const step_controller *c, uint64_t tick);
/* From now on the run is another one after TICK. */
void step_forget_after(step_controller *c, uint64_t tick);
/* Let the first worker begin, and wait until it comes to an instruction or ends. */
bool step_open(step_controller *c, int worker, bool json);
void step_close(step_controller *c);

/* --- mistakes.c --- */

/* Answer `report NUMBER`: as two moments. False: ERR says why not. */
bool step_show_report(step_controller *c, uint64_t number, char *err, size_t size);

/* --- lists.c --- */

/* Answer `choices`, `launches`, `reports`, `snapshots`. */
void step_list_choices(const step_controller *c);
void step_list_launches(const step_controller *c);
void step_list_reports(const step_controller *c);
void step_list_snapshots(step_controller *c);

/* Write TEXT as a JSON string (RFC 8259, section 7), with its quotes. */
void step_json(FILE *to, const char *text);

#endif
