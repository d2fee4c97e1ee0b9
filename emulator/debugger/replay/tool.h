/* The functions of warpbook-replay besides repeating: list a recording, write its outputs, find who
 * wrote a byte. */
#pragma once

#include "replay.h"

#include <stdio.h>

/* --- list.c: prints the operations of a recording as text --- */

/* Print the recording at PATH without repeating it: the operations with their times or, if ALL,
 * every record with all its fields. False with a message in ERR: it is invalid. */
bool list_recording(const char *path, bool all, FILE *to, char *err, size_t cap);

/* --- outputs.c: files with the bytes that copies returned and launches wrote --- */

/* Create directory DIR; write_output_files then writes into it. Returns false with a message in ERR
 * on failure. */
bool open_output_files(const char *dir, char *err, size_t cap);
/* Write the outputs of record DONE, which has just been repeated. NAME: the kernel's name, if DONE
 * is a launch. */
bool write_output_files(replay *r, const rec_item *done, const char *name, char *err, size_t cap);
bool close_output_files(void);

/* --- who.c: finds the operation that wrote a byte last --- */

/* Begin to look for the writer of the byte at PLACE: an address (0x...), or ALLOCATION+OFFSET,
 * where ALLOCATION is the number of a cudaMalloc, from 1, or the name of a variable. Returns false
 * with a message in ERR if PLACE is invalid. */
bool begin_writer_search(replay *r, const char *place, char *err, size_t cap);
/* Call writer_before_record before record NEXT is repeated, and writer_after_record after record
 * DONE has been repeated. */
void writer_before_record(replay *r, const rec_item *next);
void writer_after_record(replay *r, const rec_item *done);
/* Print who wrote the byte last. Returns false if the place was never allocated. */
bool print_last_writer(FILE *to);
