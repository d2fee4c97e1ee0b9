/* Checks that a recording asks for nothing that a device could not do, before any of it is done. */
#ifndef WARPBOOK_REPLAY_CHECK_H
#define WARPBOOK_REPLAY_CHECK_H

#include "../recording/recording.h"

/* Read all records of R, and go back to the first. False: WHY says in part of a sentence what is
 * wrong. */
bool check_recording(rec_reader *r, char *why, size_t room);

#endif
