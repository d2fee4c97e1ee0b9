/* `warpbook step` without its screen. */
#pragma once

#include <stdbool.h>

typedef struct dialogue_choice {
    const char *first; /* a command before those that are read; NULL: none */
    int from;          /* descriptor from which commands are read, to its end */
    bool json;         /* print answers as they are, not as text */
} dialogue_choice;

/* Start the replayer ARGV (argv[0] is a path), pass commands on to it, and print its answers.
 * Returns the exit status of `warpbook step`. */
int dialogue_hold(const char *const *argv, const dialogue_choice *choice);
