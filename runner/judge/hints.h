/* Shows the hints of a lab's TODOs one at a time. */
#pragma once

#include "state.h"

/* The first TODO with a hint that was not shown yet, else the last one; NULL: no TODO. */
todo_region *todo_for_hint(saved_state *s, chapter *c);
/* Record the next hint of the TODO region T as shown and return it; after the last hint, the last
 * one again. *NUMBER is its number, from 1. NULL: the TODO has no hints. */
const char *take_next_hint(saved_state *s, const chapter *c, const todo_region *t, size_t *number);
