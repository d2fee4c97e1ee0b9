/* An SM as warps' clocks see it: which cycles of its units are taken, and what TLBs, and caches
 * behind L1, hold. Inside the SM: sm_clock.c, warp_clock.c and memory.c. */
#ifndef WARPBOOK_CLOCK_SM_H
#define WARPBOOK_CLOCK_SM_H

#include "../core/warp_clock.h"

/* Units of a scheduler; then those of the SM. */
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

/* Places in time, 64 to a word; the last so many words are kept, and what is older is free. */
typedef struct calendar {
    struct {
        uint64_t number, taken;
    } word[CALENDAR_WORDS];
} calendar;

/* Keys of which the latest used are kept: about so many as there is room for. */
typedef struct recent {
    uint64_t *key[2]; /* [room], open addressing; 0: free */
    uint64_t count, room, keeps;
} recent;

struct sm_sm_clock {
    const sm_grid *grid;
    calendar unit[SCHEDULERS][SM_UNITS];
    calendar way; /* into L1 and shared memory */
    struct {
        uint64_t line, until;
    } flight[FLIGHTS]; /* lines that are on their way to L1, by their number */
    recent lines;      /* of L2 */
    recent pages;      /* of the TLB */
    recent constants;  /* lines of constant memory that the SM has had */
    uint64_t *ends;    /* [places]: when the block there ends */
    uint32_t places, begun;
    uint64_t last_start;
    uint64_t dispatcher; /* from when on the device can give this SM another block */
    uint64_t since;      /* the warps of the block that runs began, or had a barrier */
};

/* When the launch of G began. */
uint64_t clock_of_launch(const sm_grid *g);
/* The first free place from AT on. */
uint64_t calendar_next(const calendar *c, uint64_t at);
/* The first place from AT on where COUNT in a row are free (of more than 64, the first 64); they
 * are taken. */
uint64_t calendar_take(calendar *c, uint64_t at, uint32_t count);
/* Is KEY among them? It is now, as the latest. */
bool recent_has(recent *r, uint64_t key);

/* warp_clock.c, for pass.c: when any unit can use register REG of W. */
uint64_t sm_clock_usable(const sm_warp *w, uint32_t reg);
/* A line that L1 has not: how long until it is there. It counts as used. */
uint32_t clock_far_wait(sm_warp *w, uint64_t line);

static inline uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

#endif
