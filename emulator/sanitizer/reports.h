/* What the race detector has found in a launch: each pair of instructions once, whoever of the
 * launch's workers saw it. */
#ifndef WARPBOOK_SANITIZER_REPORTS_H
#define WARPBOOK_SANITIZER_REPORTS_H

#include "../core/sm.h"

typedef struct san_reports san_reports;

san_reports *san_reports_new(void); /* NULL: the host is out of memory */
/* Takes the reports out (a list, malloc'd, NULL when there are none) and releases the collection.
 */
sm_report *san_reports_take(san_reports *r);

/* Two instructions, and what each did: a number of the finder's. Either may be the first. */
typedef struct san_pair {
    const ptx_insn *at, *other_at;
    int how, other_how;
} san_pair;

/* PAIR was seen in BLOCK, by its index in the grid. The report, to be filled in, or NULL: it has
 * been told of an earlier block, so that what is told does not depend on who ran, or the host is
 * out of memory. To be followed by san_reports_close(), before which nobody else reports. */
sm_report *san_reports_open(san_reports *r, const san_pair *pair, uint64_t block);
void san_reports_close(san_reports *r);

#endif
