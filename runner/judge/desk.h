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
    const char *command; /* the command; NULL: the screen, or the tour */
    char **words;        /* the words after the command, without options */
    int word_count;
    bool all, solution, full, json, yes, anyway, no_sandbox, plain, notes;
    device_choice device;
    bool device_said;
    double timeout_s; /* time limit of a run in seconds; 0: the default */
    const char *access,
        *beside; /* plot: a line of source, and what to draw beside it; NULL: not given */
    bool heat;
    const char *heat_kernel; /* plot --heat: name of the kernel; NULL: all kernels */
    const char *from; /* plot: directory with the tables of an earlier run; NULL: run the lab */
    const char *only; /* plot --access: an effect or a space; NULL: all */
    bool text;        /* plot: draw as text, without images */
    int graphics;     /* of plot: of graphics.h */
    double launch;    /* plot: number of the launch; negative: not given */
    const char *root;
    /* For a class: the directory of results, the roster, attempts at once, and the seed (0: not
     * given). */
    const char *results, *roster;
    const char *output, *gradebook; /* file for an export; Canvas's own export to fill in */
    int slurm; /* submissions per task of the cluster; -1: the usual number, 0: no cluster */
    int above; /* least percentage of a similar pair that is shown; 0: the default */
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
