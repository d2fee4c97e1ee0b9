/* What the files of warpbook-replay share: what a replay can be asked besides repeating. */
#ifndef WARPBOOK_REPLAY_TOOL_H
#define WARPBOOK_REPLAY_TOOL_H

#include "replay.h"

#include <stdio.h>

/* --- list.c: the operations as text ------------------------------------------------------------
 */

/* Write the records of the recording at PATH, without repeating anything: what a program asked for,
 * with times, or (ALL) every record with all its fields. False: ERR says why it is refused. */
bool list_recording(const char *path, bool all, FILE *to, char *err, size_t room);

/* --- outputs.c: what copies returned, and what launches wrote -----------------------------------
 */

/* Write into directory DIR, which is made, from now on. False: ERR says why not. */
bool outputs_open(const char *dir, char *err, size_t room);
/* DONE has just been repeated; of launches: NAME is the kernel's. */
bool outputs_add(replay *r, const rec_item *done, const char *name, char *err, size_t room);
bool outputs_close(void);

/* --- who.c: who wrote a byte last ---------------------------------------------------------------
 */

/* Ask about PLACE: an address (0x...), or ALLOCATION+OFFSET, where ALLOCATION is the number of a
 * cudaMalloc, from 1, or the name of a variable. False: ERR says what is wrong with it. */
bool who_ask(replay *r, const char *place, char *err, size_t room);
/* NEXT is about to be repeated; has been repeated. */
void who_before(replay *r, const rec_item *next);
void who_after(replay *r, const rec_item *done);
/* Write the answer. False: no such place was ever allocated. */
bool who_tell(FILE *to);

#endif
