/* Functions that `warpbook exec` and `warpbook replay` share. */
#ifndef WARPBOOK_COMMANDS_EXEC_H
#define WARPBOOK_COMMANDS_EXEC_H

#include <stdbool.h>

/* Run the program at PATH as a child on this terminal and wait for it. Returns its exit code, or
 * 128 plus the signal that ended it, or -1: it did not start. JSON: its standard output goes to
 * standard error. */
int exec_child(const char *path, char **argv, bool json);
/* Options of --profile. */
typedef struct profile_options {
    bool json, source;  /* print JSON; also print the cost of each source line with its PTX */
    const char *kernel; /* kernel whose source lines are printed; NULL: all kernels */
} profile_options;

/* Like exec_child, then print a profile of the program NAME; returns an exit code. */
int exec_profiled(const char *path, const char *name, char **argv, const profile_options *want);

/* Prepare a recording to FILE (record.c): check that it can be written, and set the environment
 * variables. DIGESTS: the recording also holds digests of memory. False: a message was printed. */
bool recording_begin(const char *file, bool digests);
/* After recording_begin: the run will be on a GPU. The recorder library FRONT is loaded before
 * NVIDIA's library. */
void record_on_gpu(const char *front);
/* The program has ended with CODE. If it ended early, complete its recording with the program
 * REPLAYER, and report that. */
void recording_finish(const char *program, int code, const char *replayer);

/* True: the first bytes of the file are those of a recording. */
bool is_recording_file(const char *path);

#endif
