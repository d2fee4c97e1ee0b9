#include "sm_clock.h"

#include "../core/machine_step.h"
#include "clock.h"

#include <stdlib.h>
#include <string.h>

/* The modelled clocks of all SMs during a launch. */
struct sm_all_clocks {
    const sm_grid *grid; /* the launched grid */
    uint32_t count;      /* number of SMs */
    sm_clock **sm;       /* [count], allocated when the first block runs on the SM */
};

uint64_t clock_calendar_next_free(const cycle_calendar *c, uint64_t at)
{
    for (;; at = (at / 64 + 1) * 64) {
        const uint64_t number = at / 64;
        if (c->word[number % CALENDAR_WORDS].number != number)
            return at;
        const uint64_t open = ~c->word[number % CALENDAR_WORDS].taken & ~UINT64_C(0) << at % 64;
        if (open)
            return number * 64 + (uint64_t)__builtin_ctzll(open);
    }
}

/* A bit mask of the reserved cycles among the COUNT cycles (at most 64) from cycle AT on. */
static uint64_t reserved_cycles_mask(const cycle_calendar *c, uint64_t at, uint32_t count)
{
    const uint64_t number = at / 64, shift = at % 64;
    const uint64_t mine = c->word[number % CALENDAR_WORDS].number == number
                              ? c->word[number % CALENDAR_WORDS].taken >> shift
                              : 0;
    const uint64_t next = shift && c->word[(number + 1) % CALENDAR_WORDS].number == number + 1
                              ? c->word[(number + 1) % CALENDAR_WORDS].taken << (64 - shift)
                              : 0;
    return (mine | next) & (count < 64 ? (UINT64_C(1) << count) - 1 : UINT64_MAX);
}

/* Reserve cycle AT of calendar C. */
static void mark_cycle_reserved(cycle_calendar *c, uint64_t at)
{
    const uint64_t number = at / 64;
    if (c->word[number % CALENDAR_WORDS].number < number) {
        c->word[number % CALENDAR_WORDS].number = number;
        c->word[number % CALENDAR_WORDS].taken = 0;
    }
    c->word[number % CALENDAR_WORDS].taken |= UINT64_C(1) << at % 64;
}

uint64_t clock_calendar_reserve(cycle_calendar *c, uint64_t at, uint32_t count)
{
    if (c->word[at / 64 % CALENDAR_WORDS].number > at / 64)
        return at; /* the calendar no longer covers this cycle */
    const uint32_t together = count < 64 ? count : 64;
    for (uint64_t full; (full = reserved_cycles_mask(c, at, together));)
        at += 64 - (uint32_t)__builtin_clzll(full); /* continue after the last reserved cycle */
    for (uint64_t k = at; k < at + count; k++)
        mark_cycle_reserved(c, k);
    return at;
}

/* --- sets of recently used keys --- */

enum { FIRST_KEY_CAPACITY = 64 }; /* initial capacity of a key set */

static bool recent_set_init(recent_set *r, uint64_t max_keys)
{
    r->max_keys = max_keys < 2 ? 2 : max_keys;
    r->cap = FIRST_KEY_CAPACITY;
    r->key[0] = calloc(r->cap, sizeof *r->key[0]);
    r->key[1] = calloc(r->cap, sizeof *r->key[1]);
    return r->key[0] && r->key[1];
}

static void recent_set_free(recent_set *r)
{
    free(r->key[0]);
    free(r->key[1]);
}

/* The slot of the hash table that holds KEY, or the empty slot for it. CAP: number of slots. */
static uint64_t *find_key_slot(uint64_t *table, uint64_t cap, uint64_t key)
{
    uint64_t at = (key * UINT64_C(0x9e3779b97f4a7c15) >> 20) % cap;
    while (table[at] && table[at] != key)
        at = (at + 1) % cap;
    return &table[at];
}

/* Double the size of the key set R. Returns false, with R unchanged, if out of memory. */
static bool grow_key_set(recent_set *r)
{
    const uint64_t cap = 2 * r->cap;
    uint64_t *bigger[2] = {calloc(cap, sizeof(uint64_t)), calloc(cap, sizeof(uint64_t))};
    if (!bigger[0] || !bigger[1]) {
        free(bigger[0]);
        free(bigger[1]);
        return false;
    }
    for (int old = 0; old < 2; old++) {
        for (uint64_t k = 0; k < r->cap; k++)
            if (r->key[old][k])
                *find_key_slot(bigger[old], cap, r->key[old][k]) = r->key[old][k];
        free(r->key[old]);
        r->key[old] = bigger[old];
    }
    r->cap = cap;
    return true;
}

/* The set R has two generations of keys: when the younger is full, the older is dropped. */
bool clock_recent_set_add(recent_set *r, uint64_t key)
{
    key++;
    uint64_t *young = find_key_slot(r->key[0], r->cap, key);
    if (*young)
        return true;
    const bool had = *find_key_slot(r->key[1], r->cap, key) != 0;
    if (r->count >= r->max_keys / 2 || (2 * r->count >= r->cap && !grow_key_set(r))) {
        uint64_t *oldest = r->key[1];
        r->key[1] = r->key[0];
        r->key[0] = oldest;
        memset(oldest, 0, r->cap * sizeof *oldest);
        r->count = 0;
    }
    *find_key_slot(r->key[0], r->cap, key) = key;
    r->count++;
    return had;
}

/* --- the clocks of one SM, and of all SMs ----------------------------------------------------- */

static void recent_set_clear(recent_set *r)
{
    memset(r->key[0], 0, r->cap * sizeof *r->key[0]);
    memset(r->key[1], 0, r->cap * sizeof *r->key[1]);
    r->count = 0;
}

void clock_free(sm_clock *c)
{
    if (!c)
        return;
    recent_set_free(&c->lines);
    recent_set_free(&c->pages);
    recent_set_free(&c->constants);
    free(c->code);
    free(c->ends);
    free(c);
}

sm_clock *clock_new(const sm_grid *g)
{
    const sm_launch *l = g->launch;
    sm_clock *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->grid = g;
    c->places = l->blocks_per_sm ? l->blocks_per_sm : 1;
    c->ends = calloc(c->places, sizeof *c->ends);
    const bool good = c->ends && recent_set_init(&c->lines, l->l2_bytes / 128) &&
                      recent_set_init(&c->pages, g->cycles->tlb_pages) &&
                      recent_set_init(&c->constants, MAX_CONSTANT_LINES);
    const bool large =
        (uint64_t)g->unit->machine * SM_MACHINE_INSN_BYTES > g->cycles->code_near_kb * 1024;
    if (good && large)
        c->code = clock_code_cache_new(g->unit, g->cycles);
    if (!good || (large && !c->code)) {
        clock_free(c);
        return NULL;
    }
    return c;
}

void clock_reset(sm_clock *c)
{
    memset(c->unit, 0, sizeof c->unit);
    memset(&c->l1_path, 0, sizeof c->l1_path);
    memset(c->lines_in_flight, 0, sizeof c->lines_in_flight);
    memset(c->ends, 0, c->places * sizeof *c->ends);
    recent_set_clear(&c->lines);
    recent_set_clear(&c->pages);
    recent_set_clear(&c->constants);
    if (c->code)
        clock_code_cache_reset(c->code, c->grid->cycles);
    c->begun = 0;
    c->last_start = c->dispatcher = 0;
}

sm_all_clocks *clock_new_all(const sm_grid *g)
{
    sm_all_clocks *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->grid = g;
    c->count = g->launch->sm_count ? g->launch->sm_count : 1;
    c->sm = calloc(c->count, sizeof(sm_clock *));
    if (!c->sm) {
        free(c);
        return NULL;
    }
    return c;
}

void clock_free_all(sm_all_clocks *c)
{
    for (uint32_t k = 0; c && k < c->count; k++)
        clock_free(c->sm[k]);
    if (c) {
        free(c->sm);
        free(c);
    }
}

/* Only the block that is running on the SM uses its clock, so no lock is needed. */
sm_clock *clock_of_block(sm_all_clocks *c, uint64_t linear)
{
    sm_clock **at = &c->sm[linear % c->count];
    if (!*at)
        *at = clock_new(c->grid);
    return *at;
}

uint64_t clock_launch_start_cycle(const sm_grid *g)
{
    return (uint64_t)((double)g->launch->clock_base * g->clock_mhz / 1000);
}

/* Returns the cycle at which block LINEAR begins on SM clock C in a slot that is free at cycle T.
 * The device has one dispatcher, which starts blocks one after another on all SMs; all SMs are
 * assumed to be equally busy. */
static uint64_t dispatch_cycle(sm_clock *c, uint64_t linear, uint64_t t)
{
    const sm_launch *l = c->grid->launch;
    if (l->blocks_per_ns <= 0 || !l->sm_count)
        return t;
    const double apart = c->grid->clock_mhz / 1000 / l->blocks_per_ns;
    t = later_cycle(t, c->dispatcher);
    c->dispatcher = t + (uint64_t)(apart * l->sm_count);
    return t + (uint64_t)(apart * (double)(linear % l->sm_count));
}

uint64_t clock_begin_block(sm_clock *c, uint64_t linear, uint32_t warps)
{
    const sm_cycles *y = c->grid->cycles;
    const uint32_t apart =
        y->warp_start * warps > y->block_next ? y->warp_start * warps : y->block_next;
    uint64_t start = clock_launch_start_cycle(c->grid) + y->block_start;
    uint32_t place = 0;
    if (c->begun < c->places) {
        place = c->begun;
        start += (uint64_t)c->begun * apart;
    } else {
        for (uint32_t k = 1; k < c->places; k++)
            place = c->ends[k] < c->ends[place] ? k : place;
        start = dispatch_cycle(c, linear, c->ends[place] + y->block_turnover);
        start = later_cycle(start, c->last_start + apart);
    }
    c->ends[place] = UINT64_MAX;
    c->begun++;
    c->last_start = c->phase_start = start;
    return start;
}

void clock_end_block(sm_clock *c, uint64_t at)
{
    for (uint32_t k = 0; k < c->places; k++) {
        if (c->ends[k] == UINT64_MAX) {
            c->ends[k] = at;
            return;
        }
    }
}
