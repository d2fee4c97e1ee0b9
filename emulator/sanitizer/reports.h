/* The findings of an observer during a launch: each pair of instructions once, whichever worker
 * found it. */
#ifndef WARPBOOK_SANITIZER_REPORTS_H
#define WARPBOOK_SANITIZER_REPORTS_H

#include "../core/observer.h"

typedef struct san_reports san_reports;

san_reports *san_reports_new(const sm_launch *l); /* NULL if the host is out of memory */
/* Return those that have not been reported as a list, which the caller frees (NULL if there are
 * none), and free the collection. */
sm_report *san_reports_take(san_reports *r);

/* Two instructions, in either order, and what each did (an sm_effect, or another number of the
 * caller's). */
typedef struct san_pair {
    const ptx_insn *at, *other_at;
    int how, other_how;
} san_pair;

/* PAIR was found in the block with index BLOCK. Returns the report to fill in; NULL if an earlier
 * block has reported the pair, so that reports do not depend on the order in which blocks run, or
 * if the host is out of memory. Takes a lock, which san_reports_close releases: call it in either
 * case. */
sm_report *san_reports_open(san_reports *r, const san_pair *pair, uint64_t block);
void san_reports_close(san_reports *r);

/* --- phrases that reports share --------------------------------------------------------------- */

/* "thread 3", "thread (1,2,0)": THREAD by its index in the block. */
void san_thread_text(const sm_launch *l, uint32_t thread, char *buf, size_t size);
/* "thread 3 of block (1,2,0)": BLOCK by its index in the grid. */
void san_who_text(const sm_launch *l, uint64_t block, uint32_t thread, char *buf, size_t size);
/* Fill in where SIDE, one of R's, is: instruction IN, in a launch G. */
void san_report_place(sm_report *r, sm_report_side *side, const sm_grid *g, const ptx_insn *in);
/* Compose the text of R from its other fields; AFTER as in san_words. */
void san_report_text(sm_report *r, const char *after);
/* Compose it, and tell other observers of block B that R was found there. */
void san_report_found(sm_report *r, const sm_block *b);
/* Are notes asked for? San_report_notes says it, before any launch. */
bool san_wants_notes(void);
void san_report_notes(bool wanted);
/* Append LINE to the text of report R. */
void san_report_line(sm_report *r, const char *line);

#endif
