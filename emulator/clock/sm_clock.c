#include "sm_clock.h"

#include <stdlib.h>
#include <string.h>

struct sm_sms_clock {
    const sm_grid *grid;
    uint32_t count;
    sm_sm_clock **sm; /* [count], made when the first block begins there */
};

uint64_t calendar_next(const calendar *c, uint64_t at)
{
    for (;; at = (at / 64 + 1) * 64) {
        const uint64_t number = at / 64;
        if (c->word[number % CALENDAR_WORDS].number != number) {
            return at;
        }
        const uint64_t open = ~c->word[number % CALENDAR_WORDS].taken & ~UINT64_C(0) << at % 64;
        if (open) {
            return number * 64 + (uint64_t)__builtin_ctzll(open);
        }
    }
}

uint64_t calendar_take(calendar *c, uint64_t at, uint32_t count)
{
    for (;;) {
        const uint64_t number = at / 64;
        uint64_t *taken = &c->word[number % CALENDAR_WORDS].taken;
        uint64_t *of = &c->word[number % CALENDAR_WORDS].number;
        if (*of > number) {
            return at; /* so long ago that nobody knows */
        }
        if (*of < number) {
            *of = number;
            *taken = 0;
        }
        const uint64_t open = ~*taken & ~UINT64_C(0) << at % 64;
        if (!open) {
            at = (number + 1) * 64;
            continue;
        }
        at = number * 64 + (uint64_t)__builtin_ctzll(open);
        break;
    }
    for (uint64_t k = at; k < at + count; k++) {
        const uint64_t number = k / 64;
        if (c->word[number % CALENDAR_WORDS].number < number) {
            c->word[number % CALENDAR_WORDS].number = number;
            c->word[number % CALENDAR_WORDS].taken = 0;
        }
        c->word[number % CALENDAR_WORDS].taken |= UINT64_C(1) << k % 64;
    }
    return at;
}

/* --- what was used last -------------------------------------------------------------------------
 */

enum { FIRST_ROOM = 64 };

static bool recent_open(recent *r, uint64_t keeps)
{
    r->keeps = keeps < 2 ? 2 : keeps;
    r->room = FIRST_ROOM;
    r->key[0] = calloc(r->room, sizeof *r->key[0]);
    r->key[1] = calloc(r->room, sizeof *r->key[1]);
    return r->key[0] && r->key[1];
}

static void recent_close(recent *r)
{
    free(r->key[0]);
    free(r->key[1]);
}

static uint64_t *find(uint64_t *table, uint64_t room, uint64_t key)
{
    uint64_t at = (key * UINT64_C(0x9e3779b97f4a7c15) >> 20) % room;
    while (table[at] && table[at] != key) {
        at = (at + 1) % room;
    }
    return &table[at];
}

/* Twice the room. False: the host is out of memory, and what is there stays. */
static bool grow(recent *r)
{
    const uint64_t room = 2 * r->room;
    uint64_t *bigger[2] = {calloc(room, sizeof(uint64_t)), calloc(room, sizeof(uint64_t))};
    if (!bigger[0] || !bigger[1]) {
        free(bigger[0]);
        free(bigger[1]);
        return false;
    }
    for (int old = 0; old < 2; old++) {
        for (uint64_t k = 0; k < r->room; k++) {
            if (r->key[old][k]) {
                *find(bigger[old], room, r->key[old][k]) = r->key[old][k];
            }
        }
        free(r->key[old]);
        r->key[old] = bigger[old];
    }
    r->room = room;
    return true;
}

/* Two generations: when the younger has half of what is kept, the older is forgotten. */
bool recent_has(recent *r, uint64_t key)
{
    key++;
    uint64_t *young = find(r->key[0], r->room, key);
    if (*young) {
        return true;
    }
    const bool had = *find(r->key[1], r->room, key) != 0;
    if (r->count >= r->keeps / 2 || (2 * r->count >= r->room && !grow(r))) {
        uint64_t *oldest = r->key[1];
        r->key[1] = r->key[0];
        r->key[0] = oldest;
        memset(oldest, 0, r->room * sizeof *oldest);
        r->count = 0;
    }
    *find(r->key[0], r->room, key) = key;
    r->count++;
    return had;
}

/* --- one SM, all SMs ----------------------------------------------------------------------------
 */

static void recent_clear(recent *r)
{
    memset(r->key[0], 0, r->room * sizeof *r->key[0]);
    memset(r->key[1], 0, r->room * sizeof *r->key[1]);
    r->count = 0;
}

void sm_clock_free(sm_sm_clock *c)
{
    if (!c) {
        return;
    }
    recent_close(&c->lines);
    recent_close(&c->pages);
    recent_close(&c->constants);
    free(c->ends);
    free(c);
}

sm_sm_clock *sm_clock_new(const sm_grid *g)
{
    const sm_launch *l = g->launch;
    sm_sm_clock *c = calloc(1, sizeof *c);
    if (!c) {
        return NULL;
    }
    c->grid = g;
    c->places = l->blocks_per_sm ? l->blocks_per_sm : 1;
    c->ends = calloc(c->places, sizeof *c->ends);
    const bool good = c->ends && recent_open(&c->lines, l->l2_bytes / 128) &&
                      recent_open(&c->pages, g->cycles->tlb_pages) &&
                      recent_open(&c->constants, CONSTANTS);
    if (!good) {
        sm_clock_free(c);
        return NULL;
    }
    return c;
}

void sm_clock_reset(sm_sm_clock *c)
{
    memset(c->unit, 0, sizeof c->unit);
    memset(&c->way, 0, sizeof c->way);
    memset(c->flight, 0, sizeof c->flight);
    memset(c->ends, 0, c->places * sizeof *c->ends);
    recent_clear(&c->lines);
    recent_clear(&c->pages);
    recent_clear(&c->constants);
    c->begun = 0;
    c->last_start = 0;
}

sm_sms_clock *sm_clocks_new(const sm_grid *g)
{
    sm_sms_clock *c = calloc(1, sizeof *c);
    if (!c) {
        return NULL;
    }
    c->grid = g;
    c->count = g->launch->sm_count ? g->launch->sm_count : 1;
    c->sm = calloc(c->count, sizeof(sm_sm_clock *));
    if (!c->sm) {
        free(c);
        return NULL;
    }
    return c;
}

void sm_clocks_free(sm_sms_clock *c)
{
    for (uint32_t k = 0; c && k < c->count; k++) {
        sm_clock_free(c->sm[k]);
    }
    if (c) {
        free(c->sm);
        free(c);
    }
}

/* Only the block whose turn it is on the SM asks. */
sm_sm_clock *sm_clocks_of(sm_sms_clock *c, uint64_t linear)
{
    sm_sm_clock **at = &c->sm[linear % c->count];
    if (!*at) {
        *at = sm_clock_new(c->grid);
    }
    return *at;
}

/* Where the launch begins, in cycles since the device began. */
static uint64_t launch_start(const sm_grid *g)
{
    const sm_launch *l = g->launch;
    return (uint64_t)((double)l->clock_base * g->clock_mhz / 1000) + g->cycles->block_start;
}

uint64_t sm_clock_begin(sm_sm_clock *c, uint32_t warps)
{
    const sm_cycles *y = c->grid->cycles;
    const uint32_t apart =
        y->warp_start * warps > y->block_next ? y->warp_start * warps : y->block_next;
    uint64_t start = launch_start(c->grid);
    uint32_t place = 0;
    if (c->begun < c->places) {
        place = c->begun;
        start += (uint64_t)c->begun * apart;
    } else {
        for (uint32_t k = 1; k < c->places; k++) {
            place = c->ends[k] < c->ends[place] ? k : place;
        }
        start = later(c->ends[place] + y->block_turnover, c->last_start + apart);
    }
    c->ends[place] = UINT64_MAX;
    c->begun++;
    c->last_start = c->since = start;
    return start;
}

void sm_clock_end(sm_sm_clock *c, uint64_t at)
{
    for (uint32_t k = 0; k < c->places; k++) {
        if (c->ends[k] == UINT64_MAX) {
            c->ends[k] = at;
            return;
        }
    }
}
