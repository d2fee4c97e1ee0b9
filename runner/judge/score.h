/* Computes the points of a verdict from the rubric of its assignment. A goal earns all its points
 * or none, a check earns the share of sizes that are right, a bandwidth earns by where it lies
 * between its floor and its limit (rubric.h). If a check fails or a mistake is reported, goals and
 * bandwidths are not judged. A modelled bandwidth earns points like a measured one, and is labelled
 * "modelled". */
#pragma once

#include "verdict.h"

/* Fill in the points of V, a finished verdict, by rubric R. A pass without all points becomes a
 * fail, so that "pass" always means all points; the verdict's reason names the points. A run that
 * says nothing about the lab (cancelled, or the machine lacks something) gets no points. Nor does a
 * source text that is not graded: one with flaws, or one changed outside its TODO regions. */
void score_verdict(verdict *v, const rubric *r);

/* For rows of the kind lines: give V the lines of the student's regions, which the table COVERAGE
 * (WARPBOOK_COVERAGE) has as those of file CALLED. TEXT is the file that holds them. */
void score_take_coverage(verdict *v, const char *coverage, const char *called, const char *text);

/* "95 of 100 points" or "not graded", written into BUF; NULL if V has no points. */
const char *score_in_words(const verdict *v, char *buf, size_t size);
