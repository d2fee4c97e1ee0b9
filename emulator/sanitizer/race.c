/* The race shadow of shared memory: for every word who wrote it last and who has read it since. */
#include "race.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Readers of one warp. Two warps are kept: whoever writes next, one of them is another warp. */
typedef struct readers {
    uint32_t block_time, warp_time;
    uint32_t lanes;
    uint16_t warp;
    uint8_t bytes; /* which of the word's four */
    const ptx_insn *at;
} readers;

typedef struct cell {
    uint32_t block_time, warp_time; /* of the last write; 0: none */
    uint16_t thread;
    uint8_t bytes;
    bool atomic;
    const ptx_insn *at;
    readers by[2];
} cell;

struct san_race {
    uint64_t words;
    uint32_t warps;
    uint32_t block_time; /* advances at every block-wide barrier, and from block to block */
    uint32_t *warp_time; /* [warps] */
    san_reports *reports;
    cell cell[];
};

/* --- reports -----------------------------------------------------------------------------------
 */

typedef struct finding {
    const ptx_insn *now_at, *then_at;
    san_access now, then;
    uint64_t
        block; /* the first of those where it was seen, so that it does not depend on who ran */
    char text[640];
} finding;

struct san_reports {
    pthread_mutex_t lock;
    finding *list;
    size_t count, room;
};

san_reports *san_reports_new(void)
{
    san_reports *r = calloc(1, sizeof *r);
    if (r) {
        pthread_mutex_init(&r->lock, NULL);
    }
    return r;
}

static int by_block(const void *a, const void *b)
{
    const finding *x = a, *y = b;
    return x->block != y->block ? (x->block > y->block) - (x->block < y->block)
                                : strcmp(x->text, y->text);
}

char *san_reports_take(san_reports *r)
{
    char *text = NULL;
    if (r->count) {
        size_t length = 0;
        FILE *f = open_memstream(&text, &length);
        qsort(r->list, r->count, sizeof *r->list, by_block);
        for (size_t k = 0; f && k < r->count; k++) {
            /* Several instructions of one line, or unrolled copies, say the same. */
            if (k == 0 || strcmp(r->list[k].text, r->list[k - 1].text) != 0) {
                fprintf(f, "%s\n", r->list[k].text);
            }
        }
        if (f) {
            fclose(f);
        }
    }
    pthread_mutex_destroy(&r->lock);
    free(r->list);
    free(r);
    return text;
}

static void thread_text(const sm_warp *w, uint32_t thread, char *buf, size_t size)
{
    const sm_warp *of = &w->block->warp[thread / SM_LANES];
    const uint32_t lane = thread % SM_LANES;
    const uint32_t *shape = w->worker->grid->launch->block;
    if (shape[1] == 1 && shape[2] == 1) {
        snprintf(buf, size, "thread %u", thread);
    } else {
        snprintf(buf, size, "thread (%u,%u,%u)", of->tid[0][lane], of->tid[1][lane],
                 of->tid[2][lane]);
    }
}

static const char *did(san_access how)
{
    return how == SAN_READ ? "read" : how == SAN_WRITE ? "wrote" : "updated atomically";
}

static void report(const sm_warp *w, const ptx_module *m, uint32_t word, uint32_t thread,
                   const ptx_insn *at, san_access how, uint32_t other, const ptx_insn *other_at,
                   san_access other_how)
{
    san_reports *r = w->block->race->reports;
    const uint64_t block = w->block->linear;
    pthread_mutex_lock(&r->lock);
    finding *f = NULL;
    for (size_t k = 0; k < r->count && !f; k++) {
        finding *g = &r->list[k];
        /* Read before write and write before read are one race. */
        if ((g->now_at == at && g->then_at == other_at && g->now == how && g->then == other_how) ||
            (g->now_at == other_at && g->then_at == at && g->now == other_how && g->then == how)) {
            f = g;
        }
    }
    if (!f) {
        if (r->count == r->room) {
            size_t room = r->room ? 2 * r->room : 16;
            finding *more = realloc(r->list, room * sizeof *more);
            if (!more) {
                pthread_mutex_unlock(&r->lock);
                return;
            }
            r->list = more;
            r->room = room;
        }
        f = &r->list[r->count++];
        *f = (finding){
            .now_at = at, .then_at = other_at, .now = how, .then = other_how, .block = UINT64_MAX};
    }
    if (block < f->block) {
        char here[160], there[160], who[48], whom[48];
        const uint32_t *id = w->block->id;
        f->block = block;
        ptx_where(m, at, here, sizeof here);
        ptx_where(m, other_at, there, sizeof there);
        thread_text(w, thread, who, sizeof who);
        thread_text(w, other, whom, sizeof whom);
        snprintf(f->text, sizeof f->text,
                 "race on shared memory: %s %s at %s what %s %s at %s with no %s between "
                 "(offset %u, block %u,%u,%u)",
                 who, did(how), here, whom, did(other_how), there,
                 thread / SM_LANES == other / SM_LANES ? "__syncwarp() or __syncthreads()"
                                                       : "__syncthreads()",
                 word * 4, id[0], id[1], id[2]);
    }
    pthread_mutex_unlock(&r->lock);
}

/* --- the shadow --------------------------------------------------------------------------------
 */

struct san_race *san_race_new(uint64_t shared_bytes, uint32_t warps, san_reports *reports)
{
    const uint64_t words = (shared_bytes + 3) / 4;
    struct san_race *race = calloc(1, sizeof *race + words * sizeof race->cell[0]);
    if (!race) {
        return NULL;
    }
    race->warp_time = calloc(warps ? warps : 1, sizeof *race->warp_time);
    if (!race->warp_time) {
        free(race);
        return NULL;
    }
    race->words = words;
    race->warps = warps;
    race->block_time = 1;
    race->reports = reports;
    return race;
}

void san_race_free(struct san_race *race)
{
    if (race) {
        free(race->warp_time);
        free(race);
    }
}

void san_race_begin(struct san_race *race)
{
    san_race_block_sync(race);
}

void san_race_block_sync(struct san_race *race)
{
    if (++race->block_time == 0) { /* all times start again */
        memset(race->cell, 0, race->words * sizeof race->cell[0]);
        race->block_time = 1;
    }
}

void san_race_warp_sync(struct san_race *race, uint32_t warp)
{
    race->warp_time[warp]++;
}

/* Is what happened then, in a warp, ordered before what its warp or another does now? */
static inline bool ordered(const struct san_race *race, uint32_t block_time, uint32_t warp_time,
                           uint32_t then_warp, uint32_t now_warp)
{
    return block_time != race->block_time ||
           (then_warp == now_warp && warp_time != race->warp_time[now_warp]);
}

static void check_write(struct san_race *race, const sm_warp *w, const ptx_module *m, uint32_t word,
                        uint8_t bytes, uint32_t thread, const ptx_insn *at, san_access how)
{
    const cell *c = &race->cell[word];
    const uint32_t warp = w->index;
    if (!(c->bytes & bytes) || c->thread == thread ||
        ordered(race, c->block_time, c->warp_time, c->thread / SM_LANES, warp)) {
        return;
    }
    if (c->atomic && how == SAN_ATOMIC) {
        return;
    }
    /* Lanes of one instruction that write one word: which stays is not said, but one does. */
    if (c->at == at && c->thread / SM_LANES == warp && how == SAN_WRITE) {
        return;
    }
    report(w, m, word, thread, at, how, c->thread, c->at, c->atomic ? SAN_ATOMIC : SAN_WRITE);
}

static void check_readers(struct san_race *race, const sm_warp *w, const ptx_module *m,
                          uint32_t word, uint8_t bytes, uint32_t lane, const ptx_insn *at,
                          san_access how)
{
    const uint32_t warp = w->index;
    for (int k = 0; k < 2; k++) {
        const readers *r = &race->cell[word].by[k];
        const uint32_t others = r->warp == warp ? r->lanes & ~(1u << lane) : r->lanes;
        if (others && (r->bytes & bytes) &&
            !ordered(race, r->block_time, r->warp_time, r->warp, warp)) {
            report(w, m, word, warp * SM_LANES + lane, at, how,
                   r->warp * SM_LANES + (uint32_t)__builtin_ctz(others), r->at, SAN_READ);
            return;
        }
    }
}

static void note_read(struct san_race *race, uint32_t warp, uint32_t word, uint8_t bytes,
                      uint32_t lane, const ptx_insn *at)
{
    readers *r = race->cell[word].by;
    if (r[0].warp == warp && r[0].block_time == race->block_time &&
        r[0].warp_time == race->warp_time[warp]) {
        r[0].lanes |= 1u << lane;
        r[0].bytes |= bytes;
        r[0].at = at;
        return;
    }
    if (r[0].warp != warp && r[0].block_time == race->block_time) {
        r[1] = r[0];
    }
    r[0] = (readers){.block_time = race->block_time,
                     .warp_time = race->warp_time[warp],
                     .lanes = 1u << lane,
                     .warp = (uint16_t)warp,
                     .bytes = bytes,
                     .at = at};
}

void san_race_access(struct san_race *race, const sm_warp *w, const ptx_module *m,
                     const ptx_insn *at, uint32_t mask, const uint64_t offset[SM_LANES],
                     uint32_t bytes, san_access how)
{
    const uint32_t warp = w->index;
    for (; mask; mask &= mask - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(mask), thread = warp * SM_LANES + lane;
        const uint64_t end = offset[lane] + bytes;
        for (uint64_t from = offset[lane]; from < end;) {
            const uint32_t word = (uint32_t)(from / 4);
            const uint64_t stop = end < (word + UINT64_C(1)) * 4 ? end : (word + UINT64_C(1)) * 4;
            const uint8_t part = (uint8_t)(((1u << (stop - from)) - 1) << from % 4);
            cell *c = &race->cell[word];
            check_write(race, w, m, word, part, thread, at, how);
            if (how == SAN_READ) {
                note_read(race, warp, word, part, lane, at);
            } else {
                check_readers(race, w, m, word, part, lane, at, how);
                const bool same = c->thread == thread && c->block_time == race->block_time &&
                                  c->warp_time == race->warp_time[warp];
                c->bytes = same ? c->bytes | part : part;
                c->block_time = race->block_time;
                c->warp_time = race->warp_time[warp];
                c->thread = (uint16_t)thread;
                c->atomic = how == SAN_ATOMIC;
                c->at = at;
            }
            from = stop;
        }
    }
}
