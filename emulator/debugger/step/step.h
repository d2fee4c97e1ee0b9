/* The interface of the step debugger for the CUDA runtime: it walks through a run forwards and
 * backwards. PROTOCOL.md describes the commands, and how going back works.
 *
 * If WARPBOOK_STEP is set, step_start_session divides the process in two when the library is
 * loaded: the controller, which reads commands and never returns, and the worker, which runs the
 * program and whose kernels are stopped by an observer (worker.c). */
#pragma once

#include "../../core/observer.h"

/* Start the debugger's processes if WARPBOOK_STEP is set. Call it before main, with one thread. */
void step_start_session(void);
/* Whether this process is being debugged. If so, launches run on one host thread without a time
 * limit, translated programs keep all registers separate (compile_disable_optimizations), and a
 * forked child may use the device. */
bool step_is_session(void);
/* How often a program has been started again, because it needs other random addresses. */
#define STEP_TRY_VARIABLE "WARPBOOK_REPLAY_TRY"
enum { STEP_MAX_TRIES = 8 };
/* Called by the program before its first launch: start it again as try NUMBER, from 1, together
 * with the controller, whose commands it has not seen yet. Does not return. */
void step_restart_session(int number);
/* Add the debugger's observer to LIST, which ends with NULL. */
void step_add_observer(const sm_observer *list[SM_OBSERVERS + 1]);
/* Read the debug information of module M from its PTX text TEXT. */
void step_read_module_variables(const ptx_module *m, const char *text);
/* Note mistake R, which was found in a launch that has just ended. */
void step_note_report(const sm_report *r);
/* A box of rows in device memory that was written while no kernel ran. */
typedef struct step_write {
    uint64_t base;                 /* address of the first byte */
    uint64_t pitch, slice;         /* bytes from row to row; bytes from slice to slice */
    uint64_t width, height, depth; /* bytes of a row, number of rows, number of slices */
    bool counts;                   /* answers name the byte's offset in the box */
    char by[180];                  /* text about the writer; "": the memory is new and unwritten */
} step_write;
/* Store the write W for the command `who`. */
void step_note_write(const step_write *w);
/* The program found a wrong value at ADDRESS; TEXT says what it is and should be. */
void step_note_wrong_value(uint64_t address, const char *text);
/* Call when the program ends: answers the last questions, then ends the process. */
void step_end_process(void);
