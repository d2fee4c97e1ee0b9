/* Repeats a recording on a GPU with the driver API: one operation at a time in the recorded order,
 * each launch between two events. */
#ifndef WARPBOOK_REPLAY_GPU_H
#define WARPBOOK_REPLAY_GPU_H

#include "../recording/recording.h"

#include <stdio.h>

/* Repeat the recording at PATH. Writes a row for each launch to TO: launch, kernel, grid, block,
 * recorded and measured microseconds. Returns 0; 1: a result differs (ERR names the first); 2: the
 * recording cannot be repeated and nothing was done (ERR says why); 3: this machine has no suitable
 * GPU. */
int gpu_repeat(const char *path, FILE *to, char *err, size_t room);
/* Whether gpu_repeat failed because addresses of the recording are in use in this process. Process
 * addresses are random, so they may be free in another process. */
bool gpu_address_was_taken(void);
/* Restart this program without address randomisation, if the system permits it: its own memory then
 * lies at addresses that the recorded program, which had random addresses, rarely used. AGAIN: the
 * fixed addresses were in use too, so restart with random ones. Returns only if no restart is
 * needed or possible. */
void gpu_restart_fixed_addresses(bool again, char **argv);

#endif
