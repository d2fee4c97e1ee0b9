/* Checks, before a replay begins, that a recording does nothing that a device could not do. */
#pragma once

#include "../recording/recording.h"

/* Whether the run was recorded on a GPU (debugger/interposer); such a recording has no modelled
 * times and counters. */
bool check_recorded_on_gpu(const rec_start *x);
/* Store the base and size of the device memory that recording R uses, if it is of a GPU, whose
 * first record lacks them. *SIZE 0: R uses no device memory. Rewinds R to the first record. */
void find_address_span(rec_reader *r, uint64_t *base, uint64_t *size);

/* Check all records of R, then rewind R to the first record. Returns false with the reason, part of
 * a sentence, in WHY. */
bool check_recording(rec_reader *r, char *why, size_t cap);
