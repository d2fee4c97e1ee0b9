/* judge.tsv of an assignment: what warpbook-judge compares of a submission's recorded run with the
 * reference's. */
#pragma once

#include "../base/installation.h"
#include "../book/chapter.h"

const char *judge_program_path(installation *h);
const char *judge_rules_path(installation *h, const chapter *c);

/* True: a judge can repeat runs of submissions to C: C has a judge.tsv and a solution, and
 * warpbook-judge is built. */
bool is_judge_possible(installation *h, const chapter *c);

/* Why C's times are modelled even if a GPU is requested, as a remark; NULL: a GPU measures them. */
const char *reason_for_modelled_times(installation *h, const chapter *c);

/* True: a check of C compares times, so that the submission's own run must be measured. */
bool judge_compares_times(installation *h, const chapter *c);

/* The first launch that is timed and not searched for mistakes: launch MEASURED, or an earlier one
 * if a check compares times, because such a check has the full size, where a search is slow. */
long first_timed_launch(installation *h, const chapter *c, long measured);
