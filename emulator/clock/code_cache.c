/* The two instruction caches of an SM: which lines of code each cache holds. A cache replaces its
 * least recently used line. */
#include "../core/machine_step.h"
#include "sm_clock.h"

#include <stdlib.h>

enum { CACHE_LEVELS = 2 }; /* number of instruction caches */

/* Lines of code as a list in order of use. `first` is the most recently used line. The cache LEVEL
 * holds the lines from `first` to last[LEVEL]. */
struct code_cache {
    uint32_t count;              /* number of lines of the code */
    uint32_t first;              /* most recently used line */
    uint32_t last[CACHE_LEVELS]; /* least recently used line of each cache; UINT32_MAX: none */
    struct code_line {
        uint32_t newer, older; /* neighbours in the order of use */
        uint64_t until;        /* cycle at which the last fetch of the line was complete */
        uint8_t level;         /* the cache level that holds the line; CACHE_LEVELS: none */
    } line[];
};

/* Fill the caches as if an earlier launch had executed all of the code in order. */
void clock_code_cache_reset(code_cache *c, const sm_cycles *y)
{
    const uint32_t holds[CACHE_LEVELS] = {
        y->code_near_kb * 1024 / (INSNS_PER_CODE_LINE * SM_MACHINE_INSN_BYTES),
        y->code_far_kb * 1024 / (INSNS_PER_CODE_LINE * SM_MACHINE_INSN_BYTES)};
    for (uint32_t n = 0; n < c->count; n++) {
        const uint32_t age = c->count - 1 - n;
        c->line[n] = (struct code_line){.newer = n + 1, .older = n - 1};
        for (uint32_t level = 0; level < CACHE_LEVELS; level++) {
            c->line[n].level += age >= holds[level];
            c->last[level] = age + 1 == holds[level] ? n : c->last[level];
        }
    }
    c->first = c->count - 1;
}

code_cache *clock_code_cache_new(const sm_unit *u, const sm_cycles *y)
{
    const uint32_t count = u->machine / INSNS_PER_CODE_LINE + 1;
    code_cache *c = calloc(1, sizeof *c + count * sizeof c->line[0]);
    if (c) {
        c->count = count;
        c->last[0] = c->last[1] = UINT32_MAX; /* UINT32_MAX stands for no line */
        clock_code_cache_reset(c, y);
    }
    return c;
}

uint32_t clock_code_cache_fetch(code_cache *c, uint32_t n, uint64_t **until)
{
    struct code_line *l = &c->line[n];
    const uint32_t level = l->level;
    *until = &l->until;
    if (n == c->first)
        return level;
    for (uint32_t k = 0; k < CACHE_LEVELS; k++) {
        if (k < level) { /* cache K drops its least recently used line */
            struct code_line *dropped = &c->line[c->last[k]];
            dropped->level = (uint8_t)(k + 1);
            c->last[k] = dropped->newer;
        } else if (n == c->last[k]) {
            c->last[k] = l->newer;
        }
    }
    l->level = 0;
    c->line[l->newer].older = l->older;
    if (l->older < c->count)
        c->line[l->older].newer = l->newer;
    c->line[c->first].newer = n;
    l->older = c->first;
    c->first = n;
    return level;
}
