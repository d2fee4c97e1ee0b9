/* Which observers look for the kinds of mistakes that launches can have. */
#ifndef WARPBOOK_SANITIZER_WATCH_H
#define WARPBOOK_SANITIZER_WATCH_H

#include "../core/observer.h"

/* Fill LIST with the observers that look for KINDS (SAN_RACE and so on), and NULL after them. What
 * they find in a launch is told in their order, what is most likely to be a cause first: a barrier
 * that not all threads reach leads to races, a value that nobody wrote to wrong addresses. */
void san_observers(unsigned kinds, const sm_observer *list[SM_OBSERVERS + 1]);

#endif
