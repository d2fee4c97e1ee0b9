/* Recorded runs to walk through: a chapter's lab is built, run and recorded where its stored
 * recording is not of this program and these inputs; of other programs one is made for once. */
#pragma once

#include "../base/leftovers.h"
#include "../book/chapter.h"
#include "../judge/desk.h"

/* What to record: a chapter, a program with its arguments, or an existing recording. */
typedef struct run_choice {
    char **words;     /* the chapter, program or recording, and arguments; NULL-terminated */
    bool solution;    /* of a chapter: its solution, not the lab */
    const char *text; /* of a chapter: the text to run in place of the lab, or NULL */
} run_choice;

typedef struct recorded_run {
    char *path;       /* path of the recording */
    const chapter *c; /* the chapter; NULL: another program, or a given recording */
    char *program;    /* path of the program; NULL: a given recording */
    scratch_dir dir;  /* where the recording of another program is */
    bool has_dir;     /* `dir` exists */
} recorded_run;

/* Find or make the recording of W. False: a message was printed, and *CODE is the exit code. */
bool recorded_run_open(session *d, const run_choice *w, recorded_run *r, int *code);
void recorded_run_close(session *d, recorded_run *r);
