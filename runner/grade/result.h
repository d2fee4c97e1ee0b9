/* Stores what grading found in the directory of results. */
#pragma once

#include "grading.h"

/* Store a result of LAB (named by results_lab_name). An internal failure does not replace an
 * existing result. False with errno: it failed. */
bool write_result(results *r, const chapter *c, const char *lab, const graded *g);

/* Store the verdict MISSING, without points, for each of PEOPLE who has handed in nothing, now or
 * before. Returns how many could not be written. */
size_t write_missing_results(session *d, const chapter *c, const roster *people, results *r);
