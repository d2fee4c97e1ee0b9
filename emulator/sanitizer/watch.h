/* The observers that check launches for errors, one for each kind of error. */
#pragma once

#include "../core/observer.h"

/* Fill LIST with the observers for KINDS (SAN_RACE and so on), and NULL after them. Findings of
 * a launch are reported in the order of the observers, likely causes first: a barrier that some
 * threads do not reach leads to races, an unwritten value to wrong addresses. */
void san_list_observers(unsigned kinds, const sm_observer *list[SM_OBSERVERS + 1]);
