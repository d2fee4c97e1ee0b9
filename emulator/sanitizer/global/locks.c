#include "locks.h"

#include "../../memory/memory.h"
#include "../../ptx/traits.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_PENDING_RACES = 32 }; /* most races of a block that wait for the release of a lock */

typedef struct held_lock {
    uint64_t key;   /* address of the lock; 0: none */
    uint8_t fenced; /* the widest fence since the lock was taken: 1 + san_scope; 0: none */
} held_lock;

/* Two accesses that race if the thread of MINE releases its lock without a fence. */
typedef struct pending_race {
    san_racing_access mine, other; /* the access of the thread with the lock; the other access */
    uint64_t address;              /* first byte that both threads access */
    uint32_t bytes;                /* number of bytes that both threads access */
} pending_race;

struct san_locks {
    san_released_locks *released; /* words of the launch that were locks */
    uint32_t threads;             /* threads of the block */
    san_held_list held;           /* the locks that they hold */
    held_lock *by; /* [threads] the lock that each thread holds; NULL: none has taken one yet */
    pending_race pending[MAX_PENDING_RACES]; /* races that are reported unless the thread executes a
                                                fence before it releases the lock */
    uint32_t count;                          /* entries used in `pending` */
};

static uint32_t hash_bit_of_lock(uint64_t key)
{
    return (uint32_t)((key >> 2) * UINT64_C(0x9e3779b97f4a7c15) >> 52);
}

static bool was_lock_released(const san_released_locks *g, uint64_t key)
{
    return g->bits[hash_bit_of_lock(key) / 64] >> hash_bit_of_lock(key) % 64 & 1;
}

san_locks *san_locks_new(const sm_block *b, san_released_locks *released)
{
    san_locks *l = calloc(1, sizeof *l);
    if (l) {
        l->released = released;
        l->threads = b->warp_count * SM_LANES;
    }
    return l;
}

void san_locks_free(san_locks *l)
{
    if (l)
        free(l->by);
    free(l);
}

const san_held_list *san_locks_held(const san_locks *l)
{
    return &l->held;
}

void san_locks_hold(san_locks *l, uint32_t thread, uint64_t key)
{
    san_held_list *h = &l->held;
    if (h->count < sizeof h->list / sizeof *h->list) {
        h->list[h->count].key = key;
        h->list[h->count++].thread = thread;
    }
}

void san_locks_let_go(san_locks *l, uint64_t key)
{
    uint32_t kept = 0;
    for (uint32_t k = 0; k < l->held.count; k++)
        if (l->held.list[k].key != key)
            l->held.list[kept++] = l->held.list[k];
    l->held.count = kept;
}

void san_locks_forget_held(san_locks *l)
{
    l->count = l->held.count = l->held.epoch = 0;
    if (l->by)
        memset(l->by, 0, l->threads * sizeof *l->by);
}

void san_locks_barrier(san_locks *l)
{
    l->count = 0;
    l->held.epoch++;
    for (uint32_t t = 0; l->by && t < l->threads; t++)
        l->by[t].fenced = 1 + SAN_IN_GRID;
}

static uint32_t thread_in_block(const san_racing_access *r)
{
    return r->record.warp * SM_LANES + r->lane;
}

/* Does a fence order accesses A and B under a lock? FENCED: 1 + its san_scope; 0: no fence. */
static bool is_fence_enough(uint32_t fenced, const san_record *a, const san_record *b)
{
    return fenced > (a->block == b->block ? 0u : 1u + SAN_IN_BLOCK);
}

/* Remove the pending races of the threads LANES of WARP that a fence of scope REACH prevents. */
static void drop_prevented_races(san_locks *l, uint32_t warp, uint32_t lanes, san_scope reach)
{
    uint32_t kept = 0;
    for (uint32_t k = 0; k < l->count; k++) {
        const san_racing_access *mine = &l->pending[k].mine;
        if (mine->record.warp != warp || !(lanes >> mine->lane & 1) ||
            !is_fence_enough(1u + reach, &mine->record, &l->pending[k].other.record))
            l->pending[kept++] = l->pending[k];
    }
    l->count = kept;
}

void san_locks_fence(san_locks *l, uint32_t warp, uint32_t lanes, san_scope reach)
{
    for (uint32_t m = l->by ? lanes : 0; m; m &= m - 1) {
        held_lock *held = &l->by[warp * SM_LANES + (uint32_t)__builtin_ctz(m)];
        held->fenced = held->fenced > 1u + reach ? held->fenced : (uint8_t)(1u + reach);
    }
    drop_prevented_races(l, warp, lanes, reach);
}

/* The value that the compare-and-swap IN of UNIT expects: an immediate, or what the nearest
 * instruction before IN that writes the register copies to it. NULL: neither. */
static const uint64_t *expected_value(const sm_unit *unit, const ptx_insn *in)
{
    const ptx_value *v = &in->opd[2].v[0];
    const ptx_func *f = san_function_of(unit, in);
    const uint32_t reg = v->reg;
    while (f && v->kind == PTX_VAL_REG && in-- > f->insns) {
        if (in->operand_count < 2 || !ptx_is_result_operand(in, 0) ||
            in->opd[0].v[0].kind != PTX_VAL_REG || in->opd[0].v[0].reg != reg)
            continue;
        v = &in->opd[1].v[0];
        f = ptx_traits_of(in)->means == PTX_MEANS_copy && v->kind == PTX_VAL_IMM ? f : NULL;
    }
    return f && v->kind == PTX_VAL_IMM ? &v->imm : NULL;
}

const void *san_word_of_lock(const sm_access *a, uint32_t lane)
{
    const sm_block *b = a->warp->block;
    const uint64_t at = a->address[lane];
    if (a->space == PTX_SPACE_GLOBAL)
        return mem_host_pointer(at, a->bytes);
    return at < b->shared_bytes && a->bytes <= b->shared_bytes - at ? b->shared + at : NULL;
}

bool san_may_take_lock(const sm_unit *unit, const sm_access *a, uint32_t lane)
{
    for (uint32_t m = a->mask & ((1u << lane) - 1); m; m &= m - 1)
        if (a->address[__builtin_ctz(m)] == a->address[lane])
            return false;
    const uint64_t *expected = a->bytes <= sizeof *expected ? expected_value(unit, a->insn) : NULL;
    const void *word = expected ? san_word_of_lock(a, lane) : NULL;
    return !word || !memcmp(word, expected, a->bytes);
}

void san_locks_take(san_locks *l, uint32_t thread, uint64_t key)
{
    if (!l->by)
        l->by = calloc(l->threads, sizeof *l->by);
    if (l->by)
        l->by[thread] = (held_lock){.key = key};
}

void san_locks_write(san_locks *l, const sm_warp *w, uint32_t thread, uint64_t key, san_races *r)
{
    if (!l->by || l->by[thread].key != key)
        return;
    l->by[thread] = (held_lock){0};
    l->released->bits[hash_bit_of_lock(key) / 64] |= UINT64_C(1) << hash_bit_of_lock(key) % 64;
    for (uint32_t k = 0; k < l->count; k++) {
        const pending_race *p = &l->pending[k];
        if (thread_in_block(&p->mine) == thread)
            san_report_global_race(r, w, &p->mine, &p->other, p->address, p->bytes, false);
    }
    drop_prevented_races(l, w->index, 1u << thread % SM_LANES, SAN_IN_GRID);
}

void san_locks_fill_record(const san_locks *l, uint32_t thread, san_record *r)
{
    if (l->by) {
        r->lock = l->by[thread].key;
        r->fenced = l->by[thread].fenced;
    }
}

bool san_locks_hide_race(san_locks *l, const san_racing_access *mine,
                         const san_racing_access *other, uint64_t address, uint32_t bytes)
{
    const san_record *a = &mine->record, *b = &other->record;
    if (!a->lock || a->lock != b->lock || !was_lock_released(l->released, a->lock) ||
        (a->block == b->block && a->warp == b->warp))
        return false;
    const bool bare = !is_fence_enough(b->fenced, a, b);
    if (!bare && l->count < MAX_PENDING_RACES)
        l->pending[l->count++] = (pending_race){*mine, *other, address, bytes};
    return bare;
}
