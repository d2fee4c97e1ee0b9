/* Repeats a recording on a GPU by the driver API: the recorded order of operations, one after
 * another, each launch between two events. */
#ifndef WARPBOOK_REPLAY_GPU_H
#define WARPBOOK_REPLAY_GPU_H

#include "../recording/recording.h"

#include <stdio.h>

/* Repeat the recording at PATH and write a row a launch to TO: launch, kernel, grid, block,
 * recorded and measured microseconds. Returns 0; 1: a result differs (ERR says the first); 2: it is
 * refused (ERR says why) and nothing was done; 3: this machine has no GPU that can. */
int gpu_repeat(const char *path, FILE *to, char *err, size_t room);
/* Whether it failed because memory that kernels used is in use in this process. Addresses of a
 * process are random, so another one may have it free. */
bool gpu_taken(void);
/* Begin this program again without random addresses, where the system permits that: its own memory
 * then lies where a program that was recorded with random ones hardly ever had any. AGAIN: it was
 * in the way all the same, so with random ones. Returns where it has been done, or cannot be. */
void gpu_calm_addresses(bool again, char **argv);

#endif
