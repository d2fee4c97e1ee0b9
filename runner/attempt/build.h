/* Building a lab with nvcc. */
#ifndef WARPBOOK_BUILD_H
#define WARPBOOK_BUILD_H

#include "../book/chapter.h"
#include "stage.h"

#define NVCC_OLDEST_MAJOR 13
#define NVCC_OLDEST_MINOR 0

typedef struct compiler {
    char path[4096];
    int major, minor;
} compiler;

/* nvcc: $NVCC, else on PATH, else in $CUDA/bin (where CUDA is not set, /usr/local/cuda and
 * /opt/cuda). False with a sentence in ERR where there is none, or where it is too old. The answer
 * is remembered for the life of the program. */
bool compiler_find(compiler *c, char *err, size_t err_size);

/* Which of a chapter's programs, for which device. */
typedef struct target {
    const chapter *c;
    bool solution;
    bool gpu;
    const char *file; /* source file to build in place of the lab: a submission; NULL: the lab */
    bool boxed;       /* built and run in sandboxes */
} target;

const char *target_source(const target *t);
/* Files of a target under build/, in the house's arena: the program build/labs/NN-topic-lab, and
 * WHAT ("record.tsv", "reports.jsonl") of its last run: build/runs/NN-topic-lab.WHAT. */
char *target_program(house *h, const target *t);
char *target_file(house *h, const target *t, const char *what);

/* Whether the program is there and was built from this very text with this very command. */
bool build_is_current(house *h, const target *t, const compiler *nvcc);

/* Start the compiler in G; build_finish moves a good program into its place. False with a sentence
 * in ERR where not even the directory can be made. */
bool build_start(house *h, const target *t, const compiler *nvcc, stage *g, char *err,
                 size_t err_size);
bool build_finish(house *h, const target *t, const stage *g, char *err, size_t err_size);

/* The program is there and current; else it is built and waited for. False with a sentence in ERR;
 * the compiler's message goes to stderr. *LACKS: the machine lacks what it takes. */
bool build_and_wait(house *h, const target *t, bool *lacks, char *err, size_t err_size);

/* Remove what a build that was given up has left. */
void build_forget(house *h, const target *t);

/* A compiler's message with paths made short; to be freed. */
char *build_message(house *h, const char *output);

/* The command as a student would type it, in the house's arena. */
char *build_command(house *h, const target *t, const compiler *nvcc);

#endif
