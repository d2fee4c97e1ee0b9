/* Memory that a launch reads through the read-only cache and also writes. ld.global.nc, which the
 * compiler uses for pointers that are const and __restrict__ and for __ldg(), may return an old
 * value in any order (PTX ISA 9.7.9.9), and the compiler itself keeps and moves such values. */
#pragma once

#include "actor.h"

/* Add a report to LIST, the reports of launch L so far, for each load through the read-only cache
 * from memory that L also writes, unless LIST names the load's line. Returns the list. */
sm_report *san_add_read_only_reports(const san_launch *l, sm_report *list);
