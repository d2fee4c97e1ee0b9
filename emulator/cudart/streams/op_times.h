/* When operations begin and end on the modelled device. */
#pragma once

#include "op.h"

/* Compute start and end times of N completed operations, in order of issue. */
void rt_clock_set_times(rt_op **op, size_t n);
/* When OP would end, in ns since the first operation of a row that the host issues to one stream
 * without a pause. BEFORE: the operation before it, which ends at BEFORE_END; PLACE: the number of
 * operations before it. */
double rt_clock_end_in_row(const rt_op *op, const rt_op *before, double before_end, size_t place);
double rt_clock_now(void);                 /* the latest end time known so far, ns */
const char *rt_op_kind_name(rt_op_kind k); /* for example "copy_h2d" */
