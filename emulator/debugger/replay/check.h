/* Checks that a recording asks for nothing that a device could not do, before any of it is done. */
#ifndef WARPBOOK_REPLAY_CHECK_H
#define WARPBOOK_REPLAY_CHECK_H

#include "../recording/recording.h"

/* Whether it was recorded on a GPU (debugger/front), of which no times and counters are modelled.
 */
bool check_is_gpu(const rec_start *x);
/* The device memory that the recording R uses, if its first record does not say so: a recorder on a
 * GPU cannot know. 0 bytes: none. Goes back to the first record. */
void check_span(rec_reader *r, uint64_t *base, uint64_t *size);

/* Read all records of R, and go back to the first. False: WHY says in part of a sentence what is
 * wrong. */
bool check_recording(rec_reader *r, char *why, size_t room);

#endif
