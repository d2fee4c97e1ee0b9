/* The terminal: whether it can show a screen, and other programs that take it over. */
#pragma once

#include "../book/chapter.h"

enum {
    SCREEN_MIN_COLUMNS = 80, /* width of the smallest terminal that a screen is shown on */
    SCREEN_MIN_ROWS = 24,    /* its height */
};

/* Return true if standard input and output are a terminal that can show the screen. */
bool screen_can_be_shown(void);

/* A program that takes over the terminal. */
typedef struct terminal_program {
    const char *notice;      /* printed before it starts */
    const char *const *argv; /* argv[0] is a path; NULL-terminated */
    char *const *env;        /* "NAME=VALUE" to set, NULL-terminated, or NULL */
    int errors;              /* its standard error */
    /* Called again and again with OBJECT until the program ends; waits a little. NULL: nothing. */
    void (*meanwhile)(void *object);
    void *object;
} terminal_program;

/* Leave curses, run the program and return to curses; return the program's wait status. */
int terminal_run(const terminal_program *p);

/* Step through a run of C's lab, or its solution, or of the text of a lab in the file TEXT (NULL:
 * none), with the inputs of seed OF_SEED (NULL: any), in
 * the program warpbook-step. MEANWHILE, OBJECT: as above. Returns NULL, or a sentence on what
 * failed, which the caller frees. */
char *terminal_step(installation *h, const chapter *c, bool solution, const char *text,
                    const char *of_seed, void (*meanwhile)(void *object), void *object);
