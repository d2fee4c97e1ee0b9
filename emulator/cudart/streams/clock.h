/* When operations begin and end on the modelled device. */
#ifndef WARPBOOK_RT_CLOCK_H
#define WARPBOOK_RT_CLOCK_H

#include "op.h"

/* Compute start and end times of N completed operations, in order of issue. */
void rt_clock_set_times(rt_op **op, size_t n);
double rt_clock_now(void);                 /* the latest end time known so far, ns */
const char *rt_op_kind_name(rt_op_kind k); /* for example "copy_h2d" */

#endif
