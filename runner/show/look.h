/* A run of a lab for its memory accesses: on the emulator, measuring few elements, with the same
 * inputs each time. It is repeated only after a change; of a lab the run before the change is
 * kept. */
#ifndef WARPBOOK_LOOK_H
#define WARPBOOK_LOOK_H

#include "../attempt/build.h"

/* The files of a run, in the house's arena. */
typedef struct look {
    const char *accesses, *heat; /* tables */
    const char *source;          /* a copy of the lab that ran */
} look;

/* The run of T, for the emulator, as its text is now. False with a sentence in ERR; *LACKS: the
 * machine lacks something. A compiler's message goes to stderr. */
bool look_take(house *h, const target *t, double timeout_s, look *out, bool *lacks, char *err,
               size_t err_size);
/* The run of T that is there, without another one. False: there is none of its text as it is now.
 */
bool look_now(house *h, const target *t, look *out);
/* Tables of an earlier run, DIR/NN-topic-lab.accesses.tsv and so on, with the text as it is now. */
bool look_from(house *h, const target *t, const char *dir, look *out, char *err, size_t err_size);
/* The run before the lab was last changed; false: none is kept. */
bool look_before(house *h, const target *t, look *out);

#endif
