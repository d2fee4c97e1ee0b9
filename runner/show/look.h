/* Runs a lab on the emulator to record its memory accesses, with few elements and the same inputs
 * each time. It runs again only after the lab changes; the run before the last change is kept. */
#pragma once

#include "../run/build.h"

/* The paths of the files of a run with recorded memory accesses, in the installation's arena. */
typedef struct access_run {
    const char *accesses, *heat; /* paths of the tables of accesses and of heat */
    const char *source;          /* a copy of the lab that ran */
} access_run;

/* Run the present text of program T on the emulator, unless tables of such a run are stored. False:
 * failed, with a sentence in ERR; *LACKS: by the machine. A compiler's message goes to stderr. */
bool access_run_make(installation *h, const build_target *t, double timeout_s, access_run *out,
                     bool *lacks, char *err, size_t err_size);
/* Find the stored run of T without running it. False: there is no run of its current text. */
bool access_run_find_current(installation *h, const build_target *t, access_run *out);
/* Tables of an earlier run, DIR/NN-topic-lab.accesses.tsv and so on, with the lab's text. */
bool access_run_from_dir(installation *h, const build_target *t, const char *dir, access_run *out,
                         char *err, size_t err_size);
/* The stored run from before the lab's last change; false: none is stored. */
bool access_run_find_previous(installation *h, const build_target *t, access_run *out);
