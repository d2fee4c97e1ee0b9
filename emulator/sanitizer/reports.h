/* The findings of racecheck during a launch: each pair of instructions once, whichever worker found
 * it. */
#ifndef WARPBOOK_SANITIZER_REPORTS_H
#define WARPBOOK_SANITIZER_REPORTS_H

#include "../core/sm.h"

typedef struct san_reports san_reports;

san_reports *san_reports_new(void); /* NULL if the host is out of memory */
/* Return the reports as a list, which the caller frees (NULL if there are none), and free the
 * collection. */
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

/* --- words that reports share ------------------------------------------------------------------
 */

/* "thread 3 of block (1,2,0)": THREAD by its index in the block, BLOCK in the grid. */
void san_who_text(const sm_launch *l, uint64_t block, uint32_t thread, char *buf, size_t size);
/* Append a line to the text of R, or the source line of SIDE with a caret, where it can be read. */
void san_report_line(sm_report *r, const char *line);
void san_report_source(sm_report *r, const sm_report_side *side);

#endif
