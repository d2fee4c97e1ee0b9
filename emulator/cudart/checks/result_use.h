/* Whether the program looks at what a CUDA call returns. */
#pragma once

#include "../../sanitizer/caller.h"

/* What becomes of a call's result, in ascending order: of a branch's two, the greater counts. */
typedef enum rt_result_use {
    RT_RESULT_IGNORED,  /* it is overwritten */
    RT_RESULT_RETURNED, /* it is still there when the function returns */
    RT_RESULT_UNKNOWN,  /* the instructions are not understood, or it is not x86-64 */
    RT_RESULT_READ
} rt_result_use;

/* What the program does with the result of the call that C describes; a function that returns the
 * result passes the question on to its caller. */
rt_result_use rt_use_of_result(const san_caller *c);
