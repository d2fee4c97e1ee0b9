/* The judge of attempts at submissions. */
#pragma once

#include "../run/attempt.h"

extern const attempt_judge submission_judge;
