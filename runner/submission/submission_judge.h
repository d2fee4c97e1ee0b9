/* The judge of attempts at submissions. */
#ifndef WARPBOOK_SUBMISSION_JUDGE_H
#define WARPBOOK_SUBMISSION_JUDGE_H

#include "../run/attempt.h"

extern const attempt_judge submission_judge;

#endif
