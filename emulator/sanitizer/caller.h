/* Where the program's host code called the CUDA API: return addresses are cheap to keep at each
 * call, and become source lines only when something is reported. */
#ifndef WARPBOOK_CALLER_H
#define WARPBOOK_CALLER_H

#include <stdbool.h>
#include <stdint.h>

enum { SAN_FRAMES = 12 };

/* Frames of the program, innermost first; those of our own libraries are left out. */
typedef struct san_caller {
    const char *call; /* "cudaMalloc": the exported function that was called; NULL: not known */
    uint64_t number; /* number of this call among the program's calls, from 1; 0: the name in `call`
                        is enough */
    const void *kernel; /* for a launch the kernel's function on the host, whose frame is left out
                           of the place; set by whoever takes the frames; NULL: no launch */
    uint32_t depth;     /* how many frames are kept */
    uint64_t frame[SAN_FRAMES]; /* return addresses */
} san_caller;

/* The calling thread's frames now, inside a call of ours. NUMBER as in san_caller. */
void san_caller_take(san_caller *c, uint64_t address_number);

/* A position in host code. */
typedef struct san_place {
    char path[512];     /* as the compiler was given it; "": no debug information */
    uint32_t line;      /* 0: not known */
    uint32_t column;    /* column, from 1; 0: not known */
    char function[160]; /* demangled and without parameters, or "": not known */
} san_place;

/* The line of the program's own that made the call: the innermost that is neither in a header nor
 * in what a kernel launch is made of, or else the innermost known at all. False: there is no debug
 * information (nvcc -Xcompiler -g1 adds it); OUT has the function's name then, where there is a
 * symbol. Slow (tens of milliseconds at first). Not for signal handlers. */
bool san_caller_place(const san_caller *c, san_place *out);

#endif
