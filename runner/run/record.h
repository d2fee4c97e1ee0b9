/* Runs a program on this terminal, and prepares and completes a recording of the run. The
 * emulator's library writes the recording; the program warpbook-replay repeats it. */
#pragma once

#include <stdbool.h>

/* Run the program at PATH as a child on this terminal and wait for it. Returns its exit code, or
 * 128 plus the signal that ended it, or -1: it did not start. JSON: its standard output goes to
 * standard error. */
int exec_child(const char *path, char **argv, bool json);

/* Prepare a recording to FILE: check that it can be written, and set the environment variables.
 * DIGESTS: the recording also holds digests of memory. False: a message was printed. */
bool recording_begin(const char *file, bool digests);
/* After recording_begin: the run will be on a GPU. The recorder library INTERPOSER is loaded before
 * NVIDIA's library. */
void record_on_gpu(const char *interposer);
/* The program has ended with CODE. If it ended early, complete its recording with the program
 * REPLAYER, and report that. */
void recording_finish(const char *program, int code, const char *replayer);

/* True: the first bytes of the file are those of a recording. */
bool is_recording_file(const char *path);
