/* The position in host code from which the program called the CUDA API. Return addresses are
 * cheap to keep at each call; they become source lines only when an error is reported. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SAN_MAX_FRAMES = 12 }; /* most stack frames kept for an API call */

/* A position in host code. */
typedef struct san_host_position {
    char path[512];     /* source file as given to the compiler; "": no debug information */
    uint32_t line;      /* source line, from 1; 0: not known */
    uint32_t column;    /* column, from 1; 0: not known */
    char function[160]; /* function name, demangled and without parameters; "": not known */
} san_host_position;

/* The stack frames of an API call in the program, innermost first. Frames of warpbook's own
 * libraries are omitted. */
typedef struct san_caller {
    const char *call;   /* the function that was called, "cudaMalloc"; NULL: not known */
    uint64_t number;    /* number of this call among the program's calls, from 1; 0: the name in
                         * `call` is sufficient */
    const void *kernel; /* for a launch, the kernel's function on the host, whose frame is no
                           position; set by the caller of san_capture_caller; NULL: no launch */
    const san_host_position *recorded; /* the position that a recording of the run holds, borrowed;
                                        * NULL: the position is that of the frames */
    uint32_t depth;                    /* number of frames kept */
    uint64_t frame[SAN_MAX_FRAMES];    /* return addresses */
} san_caller;

/* Record the stack frames of the thread that has called the API. NUMBER: the number of this call
 * among the program's calls, from 1. */
void san_capture_caller(san_caller *c, uint64_t number);

/* Whether anything is known about where C was called. */
static inline bool san_caller_is_known(const san_caller *c)
{
    return c->depth || c->recorded;
}

/* If warpbook's own library executed the first frame of C, or called it, leave its frames out and
 * store the exported function that the program had called. */
void san_skip_own_frames(san_caller *c);

/* The line in the program's own code that made the call: the innermost position that is neither
 * in a header nor in a launch function, or else the innermost position known. False: there is no
 * debug information (nvcc -Xcompiler -g1 adds it); OUT has the function's name if it is known. */
bool san_position_of_caller(const san_caller *c, san_host_position *out);

/* Write the program's symbol that contains ADDRESS to OUT, mangled as it is. False: none does. */
bool san_symbol_at(uint64_t address, char *out, size_t size);
