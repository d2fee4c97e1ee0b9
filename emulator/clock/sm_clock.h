/* The modelled clock of an SM: which cycles of its units are reserved, and the contents of TLBs and
 * of the caches behind L1. Private to clock/. */
#ifndef WARPBOOK_CLOCK_SM_H
#define WARPBOOK_CLOCK_SM_H

#include "../core/warp_clock.h"

/* Units of a scheduler. */
typedef enum {
    SM_UNIT_ISSUE,
    SM_UNIT_ALU,
    SM_UNIT_FMA,
    SM_UNIT_PRODUCT,
    SM_UNIT_DOUBLE,
    SM_UNIT_SPECIAL,
    SM_UNIT_TENSOR,
    SM_UNITS
} sm_unit_of_scheduler;

enum { CALENDAR_WORDS = 256, FLIGHTS = 256, SCHEDULERS = 8, CONSTANTS = 2048 };

/* A calendar of reserved cycles, one bit per cycle. Only the most recent CALENDAR_WORDS words are
 * kept; older cycles count as free. */
typedef struct calendar {
    struct {
        uint64_t number, taken;
    } word[CALENDAR_WORDS];
} calendar;

/* A set that keeps about the `keeps` most recently used keys. */
typedef struct recent {
    uint64_t *key[2]; /* [room], open addressing; 0: empty */
    uint64_t count, room, keeps;
} recent;

typedef struct code_cache code_cache;

struct sm_sm_clock {
    const sm_grid *grid;
    calendar unit[SCHEDULERS][SM_UNITS];
    calendar way; /* cycles in which the path to L1 and shared memory is taken */
    struct {
        uint64_t line, until;
    } flight[FLIGHTS]; /* lines being loaded into L1, indexed by line number */
    recent lines;      /* lines that L2 holds */
    recent pages;      /* pages that the TLB holds */
    recent constants;  /* lines of constant memory that the SM has loaded before */
    code_cache *code;  /* NULL: the nearest cache of instructions holds all of the code */
    uint64_t *ends;    /* [places]: cycle at which the block in that place ends */
    uint32_t places, begun;
    uint64_t last_start;
    uint64_t dispatcher; /* cycle from which the device can give this SM another block */
    uint64_t since; /* cycle at which the warps of the running block began, or passed their last
                       barrier */
};

/* When the launch of G began. */
uint64_t clock_of_launch(const sm_grid *g);
/* The first free place from AT on. */
uint64_t calendar_next(const calendar *c, uint64_t at);
/* The first place from AT on where COUNT in a row are free (of more than 64, the first 64); they
 * are taken. */
uint64_t calendar_take(calendar *c, uint64_t at, uint32_t count);
/* Is KEY in the set? In any case make it the most recently used. */
bool recent_has(recent *r, uint64_t key);

/* Machine instructions of a line of code. */
#define CODE_LINE (128 / SM_MACHINE_BYTES)
/* code_cache.c. A cache for the code of U, filled as if the code had run before; NULL: the host is
   out of memory. */
code_cache *code_cache_new(const sm_unit *u, const sm_cycles *y);
void code_cache_reset(code_cache *c, const sm_cycles *y);
/* Use line N of the code (128 bytes each). Returns the cache that it comes from: 0, the nearest; 1;
 * 2, L2. *UNTIL: the cycle at which its last fetch was done, for the caller to set. */
uint32_t code_cache_fetch(code_cache *c, uint32_t n, uint64_t **until);

/* warp_clock.c, for pass.c: when any unit can use register REG of W. */
uint64_t sm_clock_usable(const sm_warp *w, uint32_t reg);
/* A line that L1 has not: how long until it is there. It counts as used. */
uint32_t clock_far_wait(sm_warp *w, uint64_t line);

static inline uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

#endif
