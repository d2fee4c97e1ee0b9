/* Operations by which a submission prepares a judged launch: kernels of its own, memsets, copies on
 * the device. The judge finds the launch that they prepare before it repeats them, so that they too
 * see the replaced inputs, and their time counts. */
#pragma once

#include "../replay/replay.h"
#include "rules.h"

/* NAME, a demangled kernel name, as RULES call it: without return type, and without template
 * arguments unless they name this instance: "life" of "void life<8>". Writes at most CAP bytes to
 * OUT and returns it. */
const char *kernel_name_in_rules(const judge_rules *rules, const char *name, char *out, size_t cap);

/* Whether ITEM is a memset or a copy on the device. */
bool is_fill(const rec_item *item);
/* Whether ITEM separates what precedes it from later launches: it brings data from the host,
 * allocates, frees, or loads code. */
bool is_boundary(const rec_item *item);

typedef struct prepared_launch {
    replay_kernel kernel; /* its params are those below */
    uint8_t *params;      /* malloc'ed */
    char name[128];       /* name of the kernel, as in the rules */
} prepared_launch;

/* Copy a launch of kernel K, whose name is as in the rules; `params` is to be freed. Returns false
 * when the host is out of memory. */
bool keep_launch(const replay_kernel *k, prepared_launch *out);

/* Find the next launch of a kernel that RULES name, if no boundary comes before it. The replay
 * stays where it is. Returns false if there is none. */
bool find_prepared_launch(replay *r, const judge_rules *rules, prepared_launch *out);
