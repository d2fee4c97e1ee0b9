/* Builds a lab with nvcc. */
#pragma once

#include "../book/target.h"
#include "stage.h"

#define NVCC_OLDEST_MAJOR 12 /* major version of the oldest nvcc that can build labs */
#define NVCC_OLDEST_MINOR 4  /* minor version of the oldest nvcc that can build labs */

typedef struct nvcc_compiler {
    char path[4096];  /* path of the program nvcc */
    int major, minor; /* version of nvcc: "13.0" is 13, 0 */
} nvcc_compiler;

/* Find nvcc: $NVCC, else on PATH, else in $CUDA/bin (if CUDA is not set, in /usr/local/cuda and
 * /opt/cuda). False with a sentence in ERR: nvcc was not found, or is too old. The result is cached
 * until the program exits. */
bool find_compiler(nvcc_compiler *c, char *err, size_t err_size);

/* Whether nvcc takes the compiler for host code, $NVCC_CCBIN or else the one that it finds, and the
 * system's headers. False with the reason in ERR, in one line. */
bool takes_host_compiler(const nvcc_compiler *c, char *err, size_t err_size);

/* True: the program exists and was built from the present source with the present command. */
bool build_is_current(installation *h, const build_target *t, const nvcc_compiler *nvcc);

/* Start the compiler in G; build_finish moves a program that compiled to its place. False with a
 * sentence in ERR: the build could not start, as its directory cannot be made. */
bool build_start(installation *h, const build_target *t, const nvcc_compiler *nvcc, stage *g,
                 char *err, size_t err_size);
bool build_finish(installation *h, const build_target *t, const stage *g, char *err,
                  size_t err_size);

/* Build the program unless it is up to date, and wait for the compiler. False with a sentence in
 * ERR; the compiler's message goes to stderr. *LACKS: this machine lacks something for it. */
bool build_and_wait(installation *h, const build_target *t, bool *lacks, char *err,
                    size_t err_size);

/* Remove the files that a cancelled build has left. */
void build_delete_outputs(installation *h, const build_target *t);

/* A compiler's message with shortened paths and the assembler's lines explained; to be freed. */
char *build_shorten_message(installation *h, const char *output);

/* The compiler command as a student would type it, in the installation's arena. */
char *build_command(installation *h, const build_target *t, const nvcc_compiler *nvcc);
