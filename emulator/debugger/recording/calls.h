/* The calls of the recorded program behind the records: the records `place` and `call`. Each place
 * in host code is looked up once. */
#pragma once

#include "../../sanitizer/caller.h"
#include "recording.h"

typedef struct rec_known_place rec_known_place;

/* The place of the call BY, looked up in the program's debug information at first. NULL: not known,
 * or there are REC_MAX_PLACES others. Valid until the process ends. Any thread may call it. */
rec_known_place *rec_find_place(const san_caller *by);

/* Append to W that the next records come from a call at PLACE; NULL: not known. Nothing is appended
 * if that is true already. Returns false if the file cannot be written. */
bool rec_write_call(rec_writer *w, rec_known_place *place);
