/* Which observers look for the kinds of mistakes that launches can have. */
#ifndef WARPBOOK_SANITIZER_WATCH_H
#define WARPBOOK_SANITIZER_WATCH_H

#include "../core/observer.h"

/* Fill LIST with the observers that look for KINDS (SAN_RACE and so on), for sm_launch.observers,
 * and return it. NULL: none of these kinds needs an observer. */
const sm_observer *const *san_observers(unsigned kinds, const sm_observer *list[SM_OBSERVERS + 1]);

#endif
