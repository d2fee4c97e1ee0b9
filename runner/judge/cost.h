/* The cost of what a lab times, against that of the book's solution: its time, and the counters of
 * costs.def. A chapter's reference.tsv holds the solution's, a row for each device and timed row of
 * the record, so that a hand-out without solutions judges alike. */
#pragma once

#include "verdict.h"

/* A variant may take at most this many times as long as the solution's, unless the lab has a goal
 * with the metric `cost` for its kernel. */
#define MAX_TIMES_REFERENCE 1.25

/* The metric of the goals about costs. Their value is the time, in times the reference's. */
#define COST_METRIC "cost"

/* Append to V a goal `cost` for each variant that V timed and REFERENCE holds at the same size, on
 * the same device; in an assignment, for those of which its rubric has a row. Where REFERENCE is of
 * other devices alone, V->uncompared says so. V's counters must have the columns of judge/timed.h.
 * REFERENCE may be NULL. */
void judge_costs(verdict *v, const chapter *c, const table *reference);

/* Whether the time of a variant of C can decide: always in a chapter, in an assignment if a rubric
 * has a row for it. */
bool are_costs_judged(const chapter *c);

/* The rows of reference.tsv, without its header, for the variants that V, a run of the solution,
 * timed; to be freed. */
char *cost_rows(const verdict *v);
/* The header of reference.tsv. */
char *cost_header(void);
