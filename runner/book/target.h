/* Which of a chapter's programs is built and run, and where its files are. */
#pragma once

#include "chapter.h"

/* A program to build: its chapter, lab or solution, and the device it is for. */
typedef struct build_target {
    const chapter *c;
    bool solution;    /* the chapter's solution; false: the student's lab */
    bool gpu;         /* the program is built for a GPU; false: for the emulator */
    const char *file; /* source file to build in place of the lab: a submission; NULL: the lab */
    const char *text; /* the student's lab as it is compiled: the book's text with the regions and
                         constants of the lab; NULL: the lab's file, which differs in these only */
    bool boxed;       /* the program is built and run in sandboxes */
} build_target;

const char *source_path_of(const build_target *t);
/* The file whose lines messages quote. */
const char *quoted_path_of(const build_target *t);
/* The file with the text that T's last run ran. */
const char *ran_text_path(installation *h, const build_target *t);
/* Paths of a target's files under build/, in the installation's arena. program_path_of: the
 * executable build/labs/NN-topic-lab. target_file_path: the file WHAT ("record.tsv",
 * "reports.jsonl") of the last run, build/runs/NN-topic-lab.WHAT. */
char *program_path_of(installation *h, const build_target *t);
char *target_file_path(installation *h, const build_target *t, const char *what);
