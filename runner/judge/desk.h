/* What a command works on: the house, its book, what the student has done, and what was asked. */
#ifndef WARPBOOK_DESK_H
#define WARPBOOK_DESK_H

#include "../base/device.h"
#include "../book/chapter.h"
#include "state.h"

#include <stdbool.h>
#include <stdint.h>

/* Exit codes of every command: pass, fail, usage, the machine lacks something. */
enum { EXIT_PASS = 0, EXIT_FAIL = 1, EXIT_USAGE = 2, EXIT_LACKS = 3 };

typedef struct options {
    const char *command; /* NULL: the screen, or the tour */
    char **words;        /* what follows the command, options taken out */
    int word_count;
    bool all, solution, full, json, yes, anyway, no_sandbox;
    device_choice device;
    bool device_said;
    double timeout_s;            /* 0: the default */
    const char *access, *beside; /* of plot: a line, and what to draw beside it; NULL: not given */
    bool heat;
    const char *heat_kernel; /* NULL: all */
    const char *from; /* of plot: a directory with tables of an earlier run; NULL: run the lab */
    const char *only; /* of plot --access: an effect or a space; NULL: all */
    bool text;        /* of plot: no images */
    double launch;    /* of plot: number of the launch; negative: not given */
    const char *root;
    /* Of a class: where results are kept, who is in it, attempts at once, the seed (0: none said).
     */
    const char *results, *roster;
    const char *output, *gradebook; /* where an export goes; Canvas's own */
    int slurm;                      /* submissions a task; -1: as many as usual, 0: no cluster */
    int above;                      /* percent; 0: the default */
    int jobs;
    bool rejudge;
    uint64_t seed;
} options;

/* All that a command works on. */
typedef struct desk {
    house house;
    book book;
    state state;
    options options;
} desk;

/* The first chapter with a lab that does not pass yet; NULL when all pass. */
chapter *next_chapter(desk *d);

#endif
