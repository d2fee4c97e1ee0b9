/* The data that every runner command works on: the directories (installation), the chapters (book),
 * the student's progress (state), and the command-line options. */
#pragma once

#include "../base/device.h"
#include "../book/chapter.h"
#include "state.h"

#include <stdbool.h>
#include <stdint.h>

/* Exit codes of every command: pass, fail, wrong usage, and LACKS: the machine lacks something that
 * the run needs. */
enum {
    EXIT_PASS = 0,  /* all labs passed, or the command succeeded */
    EXIT_FAIL = 1,  /* a lab failed, or the command did */
    EXIT_USAGE = 2, /* the command line is wrong */
    EXIT_LACKS = 3  /* the machine lacks something that the command needs */
};

typedef struct options {
    const char *command; /* name of the command; NULL: open the screen, or show the tour */
    char **words;        /* the words after the command, without options */
    int word_count;      /* entries used in `words` */
    bool all, solution, full, json, yes;   /* switches that were given: --all, --solution, ... */
    bool anyway, no_sandbox, plain, notes; /* switches --anyway, --no-sandbox, --plain, --notes */
    device_choice device; /* where the lab runs: emulator, GPU, or chosen automatically */
    bool device_said;     /* the option --device was given */
    double timeout_s;     /* time limit of a run in seconds; 0: the default */
    const char *access; /* plot --access: the source line whose accesses to draw; NULL: not given */
    const char *beside; /* plot --beside: the second picture, such as "solution"; NULL: not given */
    bool heat;          /* plot --heat: draw how often each part of the arrays is accessed */
    const char *heat_kernel; /* plot --heat: name of the kernel; NULL: all kernels */
    const char *from; /* plot: directory with the tables of an earlier run; NULL: run the lab */
    const char *only; /* plot --access: show one effect or one memory space; NULL: all */
    bool text;        /* plot: draw as text, without images */
    int graphics;     /* plot: graphics protocol of the terminal, as in graphics.h */
    double launch;    /* plot: number of the launch; negative: not given */
    const char *root; /* the workbook directory given by --root, or NULL */
    const char *results, *roster; /* directory of the class's results; file with its students */
    const char *output;    /* export --output: file or directory to write; NULL: standard output */
    const char *gradebook; /* export: file of a gradebook or grading worksheet to fill in */
    const char *column;    /* export: column of the gradebook to fill */
    const char *order;     /* demo: file that lists the slides to show; NULL: all, as they come */
    int slurm;         /* submissions per Slurm task; -1: the default number, 0: do not use Slurm */
    int above;         /* pairs below this percentage of similarity are not shown; 0: the default */
    int jobs;          /* number of submissions that are judged at the same time */
    bool rejudge;      /* judge submissions again that already have results */
    bool no_run_pages; /* make no pages of the runs of submissions */
    uint64_t seed;     /* seed of inputs; 0: new for each run */
} options;

/* The data that every command works on. */
typedef struct session {
    installation installation; /* paths of the installation */
    book book;                 /* the chapters and assignments of the workbook */
    book breaks;               /* their exercises to break a kernel (book/breaks.h) */
    saved_state state;         /* what the user has done so far */
    options options;
} session;

/* The first chapter with a lab that does not pass yet; NULL when all pass. */
chapter *next_chapter(session *d);
