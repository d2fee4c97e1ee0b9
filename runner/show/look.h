/* Runs a lab on the emulator to record its memory accesses, with few elements and the same inputs
 * each time. The run is repeated only after the lab changes; the run before the last change is
 * kept. */
#ifndef WARPBOOK_LOOK_H
#define WARPBOOK_LOOK_H

#include "../attempt/build.h"

/* The paths of a run's files, in the house's arena. */
typedef struct look {
    const char *accesses, *heat; /* tables */
    const char *source;          /* a copy of the lab that ran */
} look;

/* Run the current text of target T on the emulator, unless that run exists. False: failed, with a
 * sentence in ERR; *LACKS: the machine lacks something. A compiler's message goes to stderr. */
bool look_take(house *h, const target *t, double timeout_s, look *out, bool *lacks, char *err,
               size_t err_size);
/* Find the stored run of T without running it. False: there is no run of its current text. */
bool look_now(house *h, const target *t, look *out);
/* Tables of an earlier run, DIR/NN-topic-lab.accesses.tsv and so on, with the lab's current
 * text. */
bool look_from(house *h, const target *t, const char *dir, look *out, char *err, size_t err_size);
/* The stored run from before the lab's last change; false: none is stored. */
bool look_before(house *h, const target *t, look *out);

#endif
