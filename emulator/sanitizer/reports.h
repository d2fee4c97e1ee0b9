/* The reports of an observer during a launch: each pair of instructions is reported once,
 * whichever worker thread finds it. */
#pragma once

#include "../core/observer.h"
#include "caller.h"

typedef struct san_reports san_reports; /* what an observer has found in a launch */

san_reports *san_reports_new(const sm_launch *l); /* NULL if the host is out of memory */
/* Return the reports that the process has not printed yet as a list, which the caller frees
 * (NULL: none), and free R. */
sm_report *san_take_reports(san_reports *r);

/* Two instructions, in either order, and how each accessed memory (an sm_effect, or another
 * number that the caller chooses). */
typedef struct san_insn_pair {
    const ptx_insn *at, *other_at;
    int how, other_how; /* how each instruction accessed memory: an sm_effect or a number that the
                           caller chooses */
} san_insn_pair;

/* Start a report of PAIR, found in the block with index BLOCK. Returns the report to fill in;
 * NULL if an earlier block has reported the pair (so that reports do not depend on the order in
 * which blocks run), or if the host is out of memory. Takes a lock, which san_finish_report
 * releases: call san_finish_report in either case. */
sm_report *san_start_report(san_reports *r, const san_insn_pair *pair, uint64_t block);
void san_finish_report(san_reports *r);
/* Does a report of R name instruction IN? */
bool san_is_insn_reported(san_reports *r, const ptx_insn *in);

/* --- phrases that reports share --------------------------------------------------------------- */

/* The name of THREAD (its index in the block) as text: "thread 3", "thread (1,2,0)". */
void san_thread_text(const sm_launch *l, uint32_t thread, char *buf, size_t size);
/* The names of THREAD and BLOCK (its index in the grid) as text: "thread 3 of block (1,2,0)". */
void san_block_thread_text(const sm_launch *l, uint64_t block, uint32_t thread, char *buf,
                           size_t size);
/* Set the source file and line of SIDE, one of the two accesses of R, to those of instruction IN in
 * a launch of grid G. */
void san_report_set_source_line(sm_report *r, sm_report_access *side, const sm_grid *g,
                                const ptx_insn *in);
/* R is about the byte at OFFSET of a block's shared memory. */
void san_report_set_offset(sm_report *r, const sm_grid *g, uint32_t offset);
/* Fill in the other side of R: host code, the API call BY; DID says what it did there. */
void san_report_set_host_access(sm_report *r, const san_caller *by, const char *did);
/* The three indices of the block with index BLOCK in the grid. */
void san_block_id(const sm_launch *l, uint64_t block, uint32_t id[3]);
/* Compose the text of R from its other fields. AFTER: further lines; NULL: none. */
void san_report_set_text(sm_report *r, const char *after);
/* Compose the text of R, and inform other observers of block B of the finding. */
void san_report_to_observers(sm_report *r, const sm_block *b);
/* Does the user want notes on harmless findings? san_set_notes_wanted sets it before any launch. */
bool san_wants_notes(void);
void san_set_notes_wanted(bool wanted);
/* Append LINE to the text of report R. */
void san_report_add_line(sm_report *r, const char *line);
