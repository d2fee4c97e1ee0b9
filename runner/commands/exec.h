/* What running a program on the emulator and repeating a recording share. */
#ifndef WARPBOOK_COMMANDS_EXEC_H
#define WARPBOOK_COMMANDS_EXEC_H

#include <stdbool.h>

/* The program at PATH in a child, on this terminal, to its end: its exit code, 128 and the signal
 * that ended it, or -1 where it does not start. JSON: its standard output becomes its standard
 * error. */
int exec_child(const char *path, char **argv, bool json);
/* What --profile is to show besides. */
typedef struct profiling {
    bool json, source;
    const char *kernel; /* kernel of the source view; NULL: all kernels */
} profiling;

/* The same with a profile of NAME printed after its end; returns an exit code. */
int exec_profiled(const char *path, const char *name, char **argv, const profiling *want);

/* record.c: a recording FILE is to be made: look whether it may, and set the environment. False
 * after a message. DIGESTS: also digests of memory. */
bool record_begin(const char *file, bool digests);
/* After record_begin: the run will be on a GPU, recorded by the library FRONT before NVIDIA's. */
void record_on_gpu(const char *front);
/* The program has ended with CODE: complete the recording of one that ended early, by REPLAYER, and
 * say so. */
void record_end(const char *program, int code, const char *replayer);

/* Is the file a recording, as far as its first bytes tell? */
bool record_is(const char *path);

#endif
