/* An observer that finds reads of __constant__ variables that the program has not set, or has set
 * only in part. Such a variable holds zeros, which the program hardly wants. */
#pragma once

#include "../../core/observer.h"

/* A __constant__ variable of SIZE bytes at AT has no initial value, and nobody has set it yet. */
void san_add_unset_constant(uint64_t at, uint64_t size);
/* The variable at AT no longer exists. */
void san_forget_constant(uint64_t at);

extern const sm_observer san_constant_observer;
