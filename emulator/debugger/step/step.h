/* Walking through a run, forwards and backwards: what cudart calls. PROTOCOL.md describes what a
 * user sees, and how it goes back.
 *
 * With WARPBOOK_STEP set, step_start divides the process in two when the library is loaded: the
 * controller, which reads commands and never returns, and the process that runs the program on and
 * is stopped inside its kernels by an observer (worker.c). */
#ifndef WARPBOOK_STEP_H
#define WARPBOOK_STEP_H

#include "../../core/observer.h"

/* Divide the process if WARPBOOK_STEP asks for it. Call it before main, with one thread. */
void step_start(void);
/* Is this a process that is walked through? Then launches run on one host thread without a limit of
 * time, programs keep their registers apart (sm_keep_registers), and a child made by fork may go on
 * using the device. */
bool step_is_on(void);
/* Add the observer to LIST, which ends with NULL. */
void step_watch(const sm_observer *list[SM_OBSERVERS + 1]);
/* Module M has been parsed from TEXT: keep what it says of variables of the source. */
void step_module(const ptx_module *m, const char *text);
/* A launch that has just ended is reported to have this mistake. */
void step_reported(const sm_report *r);
/* A box of rows that was written while no kernel ran. */
typedef struct step_write {
    uint64_t base, pitch, slice;   /* where the rows lie, in bytes */
    uint64_t width, height, depth; /* bytes, rows, slices */
    bool counts;                   /* which byte of it is of interest */
    char by[120];                  /* "" : the memory is new, and nothing has written it */
} step_write;
/* Keep W for `who`. */
void step_wrote(const step_write *w);
/* The program has ended: answers what can be answered then, and ends the process. */
void step_end(void);

#endif
