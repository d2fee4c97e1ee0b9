#include "quick.h"

#include "../../core/code.h"
#include "../../observe/observe.h"
#include "../../ptx/traits.h"
#include "../../sm/cluster.h"
#include "../clones.h"

#include <stdlib.h>
#include <string.h>

/* The state of a word: the last barrier before its accesses, their kind, and the accessing thread
 * if it is a single one. A word with another barrier number is untouched. */
enum {
    THREAD_BITS = 10,                /* number of bits that hold the thread's number */
    READ_BY_ONE = 0 << THREAD_BITS,  /* read by one thread */
    READ_BY_MANY = 1 << THREAD_BITS, /* read by several threads */
    WRITTEN = 2 << THREAD_BITS,      /* written by one thread, which may also have read the word */
    UPDATED = 3 << THREAD_BITS,      /* updated atomically by any number of threads */
    BARRIER_SHIFT = THREAD_BITS + 2  /* position of the bits that hold the last barrier's number */
};

/* No word's state: that of an atomically updated word has no thread's number. */
#define NO_WORD_STATE UINT32_MAX /* a value that is no word's state */

/* What is known of an instruction once it has been executed. */
enum {
    INSN_EFFECT_MASK = 3,     /* bits that say what it does to memory (sm_effect) */
    INSN_MAY_SYNCHRONISE = 4, /* the instruction may synchronise threads */
    INSN_WAS_EXECUTED = 8     /* the instruction has been executed: the other bits are known */
};

enum { MAX_LOG_BYTES = 1 << 20 /* maximum size of the log in bytes */ };

/* How the log keeps the offsets of an access in shared memory. */
typedef enum {
    LOG_EVEN_OFFSETS,    /* lane l accesses first + l * step */
    LOG_OFFSETS_IN_ROWS, /* lane l of a row accesses offset[row] + l * step */
    LOG_ALL_OFFSETS      /* `offset` has an entry for each active lane */
} log_form;              /* how an entry of the log gives addresses */

/* A logged access. */
typedef struct log_entry {
    const sm_warp *warp;  /* the accessing warp */
    const ptx_insn *insn; /* the memory instruction */
    uint32_t mask, bytes; /* active lanes; bytes per lane */
    san_times times;      /* time of the access */
    uint32_t first, step; /* byte offset of lane 0 in shared memory; bytes between adjacent lanes */
    uint8_t effect;       /* read, write or update */
    uint8_t form;         /* how `first`, `step` and `offset` give the addresses: a log_form */
    uint32_t offset[];    /* offsets of rows or lanes, as `form` says */
} log_entry;

struct san_quick_check {
    uint32_t last_barrier; /* number of the last barrier of the block, shifted to its position in a
                              word's state */
    uint64_t words;        /* words of shared memory */
    uint8_t *insn_info;    /* INSN_* bits of each memory instruction of the code */
    uint8_t *log;          /* the accesses since the last barrier: entries of type log_entry */
    size_t used, cap;      /* bytes of `log` that are used; bytes allocated for it */
    uint32_t word[];       /* [words] state of each word of shared memory */
};

bool san_quick_check_applies(const sm_block *b)
{
    const sm_unit *u = b->grid->unit;
    bool suits = b->cluster->count <= 1;
    for (uint32_t c = 0; c < u->code_count && suits; c++) {
        const ptx_func *f = u->code[c]->func;
        for (uint32_t k = 0; k < f->insn_count && suits; k++) {
            const ptx_traits *t = ptx_traits_of(&f->insns[k]);
            suits = t->unit != PTX_UNIT_copier && t->unit != PTX_UNIT_mbarrier &&
                    t->sync != PTX_SYNC_proxy;
        }
    }
    return suits;
}

san_quick_check *san_quick_check_new(const sm_block *b)
{
    const uint64_t words = (b->shared_bytes + 3) / 4;
    san_quick_check *q = calloc(1, sizeof *q + words * sizeof q->word[0]);
    if (q && !(q->insn_info = calloc(b->grid->unit->site_count + 1, sizeof *q->insn_info))) {
        free(q);
        return NULL;
    }
    if (q) {
        q->words = words;
        q->last_barrier = 1u << BARRIER_SHIFT;
    }
    return q;
}

void san_quick_check_free(san_quick_check *q)
{
    if (q) {
        free(q->insn_info);
        free(q->log);
        free(q);
    }
}

void san_quick_check_barrier(san_quick_check *q)
{
    q->used = 0;
    q->last_barrier += 1u << BARRIER_SHIFT;
    if (q->last_barrier == 0) {
        memset(q->word, 0, q->words * sizeof q->word[0]);
        q->last_barrier = 1u << BARRIER_SHIFT;
    }
}

/* --- the state of words ----------------------------------------------------------------------- */

/* The next state of a word that THREAD reads; state_after_write() and state_after_update() for the
 * other accesses. LAST_BARRIER: its number, shifted. Sets *BAD if the access may race. */
SAN_INLINE uint32_t state_after_read(uint32_t was, uint32_t last_barrier, uint32_t thread,
                                     uint32_t *bad)
{
    const uint32_t mine = last_barrier | READ_BY_ONE | thread;
    const bool keeps = was == mine || was == (mine | WRITTEN),
               fresh = (was ^ last_barrier) >> BARRIER_SHIFT;
    *bad |= keeps || fresh ? 0 : was & WRITTEN; /* the bits of UPDATED include WRITTEN */
    return keeps ? was : fresh ? mine : last_barrier | READ_BY_MANY;
}

SAN_INLINE uint32_t state_after_write(uint32_t was, uint32_t last_barrier, uint32_t thread,
                                      uint32_t *bad)
{
    const uint32_t mine = last_barrier | READ_BY_ONE | thread;
    const bool fits =
        was == mine || was == (mine | WRITTEN) || (was ^ last_barrier) >> BARRIER_SHIFT;
    *bad |= !fits;
    return mine | WRITTEN;
}

SAN_INLINE uint32_t state_after_update(uint32_t was, uint32_t last_barrier, uint32_t thread,
                                       uint32_t *bad)
{
    (void)thread;
    const bool fits = was == (last_barrier | UPDATED) || (was ^ last_barrier) >> BARRIER_SHIFT;
    *bad |= !fits;
    return last_barrier | UPDATED;
}

typedef uint32_t next_word_state(uint32_t was, uint32_t last_barrier, uint32_t thread,
                                 uint32_t *bad);

/* Apply NEXT to adjacent words from WORD on, one for each of LANES lanes; the first is
 * THREAD. */
SAN_INLINE uint32_t update_adjacent_words(uint32_t *word, uint32_t last_barrier, uint32_t thread,
                                          uint32_t lanes, next_word_state *next)
{
    uint32_t bad = 0;
    for (uint32_t l = 0; l < lanes; l++)
        word[l] = next(word[l], last_barrier, thread + l, &bad);
    return bad;
}

/* For each lane of MASK, apply NEXT to EACH words from word number AT[lane] on. A word whose state
 * is SETTLED keeps it. */
SAN_INLINE uint32_t update_scattered_words(san_quick_check *q, const uint32_t at[SM_LANES],
                                           uint32_t mask, uint32_t each, uint32_t thread,
                                           uint32_t settled, next_word_state *next)
{
    uint32_t bad = 0,
             unchanged_at = UINT32_MAX; /* AT of the last lane, if no word of the lane changed;
                                           later lanes with the same AT are skipped */
    SM_EACH_LANE(l, mask) {
        bool changes = false;
        for (uint32_t k = 0; k < each && at[l] != unchanged_at; k++) {
            uint32_t *word = &q->word[at[l] + k];
            if (*word != settled) {
                *word = next(*word, q->last_barrier, thread + l, &bad);
                changes = true;
            }
        }
        unchanged_at = changes ? UINT32_MAX : at[l];
    }
    return bad;
}

/* Apply NEXT to one word for each of all lanes: to all words at once, or, if lanes share a word,
 * one after the other. */
SAN_INLINE uint32_t update_words_of_all_lanes(san_quick_check *q, const uint32_t at[SM_LANES],
                                              uint32_t thread, uint32_t settled,
                                              next_word_state *next)
{
    uint32_t was[SM_LANES], now[SM_LANES], bad = 0, differs = 0;
    for (uint32_t l = 0; l < SM_LANES; l++)
        was[l] = q->word[at[l]];
    for (uint32_t l = 0; l < SM_LANES; l++)
        now[l] = next(was[l], q->last_barrier, thread + l, &bad);
    for (uint32_t l = 0; l < SM_LANES; l++)
        q->word[at[l]] = now[l];
    for (uint32_t l = 0; l < SM_LANES; l++)
        differs |= q->word[at[l]] ^ now[l];
    if (!differs)
        return bad;
    for (uint32_t l = 0; l < SM_LANES; l++)
        q->word[at[l]] = was[l];
    return update_scattered_words(q, at, SM_FULL, 1, thread, settled, next);
}

/* Do the words with the numbers AT, one for each lane, all have state STATE? */
SAN_INLINE bool are_all_words_in_state(const uint32_t *word, const uint32_t at[SM_LANES],
                                       uint32_t state)
{
    uint32_t off = 0;
    for (uint32_t l = 0; l < SM_LANES; l++)
        off |= word[at[l]] ^ state;
    return off == 0;
}

/* --- the log of accesses ---------------------------------------------------------------------- */

static log_entry *log_entry_at(const san_quick_check *q, size_t at)
{
    return (log_entry *)(void *)(q->log + at);
}

SAN_INLINE size_t log_entry_bytes(log_form form, uint32_t mask)
{
    const size_t lanes = form == LOG_ALL_OFFSETS       ? (size_t)__builtin_popcount(mask)
                         : form == LOG_OFFSETS_IN_ROWS ? SM_ROWS
                                                       : 0;
    return (sizeof(log_entry) + lanes * sizeof(uint32_t) + 7) & ~(size_t)7;
}

/* Make room for one more entry of the log. False: the log is full, or the host is out of memory. */
static __attribute__((noinline)) bool grow_log(san_quick_check *q)
{
    const size_t cap = q->cap ? 2 * q->cap : 1 << 14;
    uint8_t *more = cap <= MAX_LOG_BYTES ? realloc(q->log, cap) : NULL;
    if (more) {
        q->log = more;
        q->cap = cap;
    }
    return more != NULL;
}

/* Add an entry to the log. NULL: the log is full, or the host is out of memory. */
SAN_INLINE log_entry *new_log_entry(san_quick_check *q, log_form form, uint32_t mask)
{
    const size_t bytes = log_entry_bytes(form, mask);
    if (q->used + bytes > q->cap && !grow_log(q))
        return NULL;
    log_entry *e = log_entry_at(q, q->used);
    q->used += bytes;
    return e;
}

SAN_INLINE bool log_access(san_quick_check *q, const sm_access *a, san_times times, log_form form,
                           uint32_t step)
{
    log_entry *e = new_log_entry(q, form, a->mask);
    if (!e)
        return false;
    e->warp = a->warp;
    e->insn = a->insn;
    e->mask = a->mask;
    e->bytes = a->bytes;
    e->times = times;
    e->first = (uint32_t)a->address[0];
    e->step = step;
    e->effect = (uint8_t)a->effect;
    e->form = (uint8_t)form;
    if (form == LOG_OFFSETS_IN_ROWS) {
        for (uint32_t k = 0; k < SM_ROWS; k++)
            e->offset[k] = (uint32_t)a->address[k * SM_ROW];
    } else if (form == LOG_ALL_OFFSETS && a->mask == SM_FULL) {
        for (uint32_t l = 0; l < SM_LANES; l++)
            e->offset[l] = (uint32_t)a->address[l];
    } else if (form == LOG_ALL_OFFSETS) {
        uint32_t n = 0;
        for (uint32_t m = a->mask; m; m &= m - 1)
            e->offset[n++] = (uint32_t)a->address[__builtin_ctz(m)];
    }
    return true;
}

/* The offset of lane L, the N-th lane of E's mask. */
static uint32_t logged_offset(const log_entry *e, uint32_t l, uint32_t n)
{
    return e->form == LOG_ALL_OFFSETS       ? e->offset[n]
           : e->form == LOG_OFFSETS_IN_ROWS ? e->offset[l / SM_ROW] + l % SM_ROW * e->step
                                            : e->first + l * e->step;
}

void san_quick_check_replay(san_quick_check *q, san_quick_fn *fn, void *context)
{
    for (size_t at = 0; at < q->used;) {
        const log_entry *e = log_entry_at(q, at);
        uint64_t address[SM_LANES] = {0};
        uint32_t n = 0;
        SM_EACH_LANE(l, e->mask)
            address[l] = logged_offset(e, l, n++);
        const sm_access a = {.warp = e->warp,
                             .insn = e->insn,
                             .space = PTX_SPACE_SHARED,
                             .mask = e->mask,
                             .address = address,
                             .bytes = e->bytes,
                             .effect = (sm_effect)e->effect};
        fn(context, &a, e->times);
        at += log_entry_bytes((log_form)e->form, e->mask);
    }
    q->used = 0;
}

/* --- checking an access ----------------------------------------------------------------------- */

/* The INSN_* bits of the instruction of access A. Strong operations do not race with one another;
 * volatile accesses do not synchronise threads. */
static uint8_t properties_of_insn(san_quick_check *q, const sm_access *a)
{
    uint8_t *known = &q->insn_info[a->site];
    if (!*known) {
        const sm_effect effect = observe_order_of(a->insn) > SM_VOLATILE ? SM_UPDATES : a->effect;
        const bool orders = ptx_has_modifier(a->insn, PTX_MOD_acq_rel) ||
                            ptx_has_modifier(a->insn, PTX_MOD_release) ||
                            ptx_has_modifier(a->insn, PTX_MOD_acquire);
        *known = (uint8_t)(INSN_WAS_EXECUTED | effect | (orders ? INSN_MAY_SYNCHRONISE : 0));
    }
    return *known;
}

/* Each of LANES successive lanes accesses one word, and the words are adjacent, from WORD on; the
 * first lane is THREAD. */
SAN_INLINE uint32_t update_words_by_effect(const san_quick_check *q, uint32_t *word,
                                           uint32_t thread, uint32_t lanes, sm_effect effect)
{
    return effect == SM_READS
               ? update_adjacent_words(word, q->last_barrier, thread, lanes, state_after_read)
           : effect == SM_WRITES
               ? update_adjacent_words(word, q->last_barrier, thread, lanes, state_after_write)
               : update_adjacent_words(word, q->last_barrier, thread, lanes, state_after_update);
}

/* Several lanes read WORD. It is enough to enter THREAD and the thread after it: the resulting
 * state is the same. */
SAN_INLINE void update_word_read_by_many(const san_quick_check *q, uint32_t *word, uint32_t thread,
                                         uint32_t *bad)
{
    const uint32_t many = q->last_barrier | READ_BY_MANY;
    if (*word != many) {
        *word = (*word ^ q->last_barrier) >> BARRIER_SHIFT
                    ? many
                    : state_after_read(state_after_read(*word, q->last_barrier, thread, bad),
                                       q->last_barrier, thread + 1, bad);
    }
}

/* Have several threads read all words that A's rows of adjacent lanes access? */
SAN_INLINE bool rows_are_read_by_many(const san_quick_check *q, const sm_access *a)
{
    typedef uint32_t row_of_words __attribute__((vector_size(SM_ROW * sizeof(uint32_t))));
    row_of_words off = {0};
    for (uint32_t k = 0; k < SM_ROWS; k++) {
        row_of_words word;
        memcpy(&word, &q->word[a->address[k * SM_ROW] / 4], sizeof word);
        off |= word ^ (q->last_barrier | READ_BY_MANY);
    }
    uint64_t half[sizeof off / sizeof(uint64_t)], any = 0;
    memcpy(half, &off, sizeof off);
    for (uint32_t k = 0; k < sizeof half / sizeof *half; k++)
        any |= half[k];
    return any == 0;
}

/* Update the states of the words of access A, whose lanes access adjacent words in each row.
 * Returns a value other than 0 if A may race. */
SAN_CLONES static uint32_t update_words_of_rows(san_quick_check *q, const sm_access *a,
                                                sm_effect effect)
{
    const uint32_t thread = a->warp->index * SM_LANES;
    uint32_t bad = 0;
    if (effect == SM_READS && rows_are_read_by_many(q, a))
        return 0;
    for (uint32_t k = 0; k < SM_ROWS; k++) {
        bad |= update_words_by_effect(q, &q->word[a->address[k * SM_ROW] / 4], thread + k * SM_ROW,
                                      SM_ROW, effect);
    }
    return bad;
}

/* Update the states of the words of access A, all of whose lanes access adjacent words. Returns a
 * value other than 0 if A may race. */
SAN_CLONES static uint32_t update_consecutive_words(san_quick_check *q, const sm_access *a,
                                                    sm_effect effect)
{
    return update_words_by_effect(q, &q->word[a->address[0] / 4], a->warp->index * SM_LANES,
                                  SM_LANES, effect);
}

/* Log access A, unless it may race (BAD is not 0). */
SAN_INLINE san_quick_verdict log_if_race_free(san_quick_check *q, uint32_t bad, const sm_access *a,
                                              san_times times, log_form form, uint32_t step)
{
    return bad || !log_access(q, a, times, form, step) ? SAN_MAY_RACE : SAN_NO_RACE;
}

san_quick_verdict san_quick_check_regular(san_quick_check *q, const sm_access *a, san_times times)
{
    const uint8_t info = properties_of_insn(q, a);
    const sm_effect effect = (sm_effect)(info & INSN_EFFECT_MASK);
    const uint32_t thread = a->warp->index * SM_LANES;
    uint32_t bad = 0;
    if (a->bytes != 4 || info & INSN_MAY_SYNCHRONISE)
        return SAN_NOT_CHECKED;
    if (a->layout == SM_LAYOUT_ROWS) {
        bad = update_words_of_rows(q, a, effect);
        return log_if_race_free(q, bad, a, times, LOG_OFFSETS_IN_ROWS, 4);
    }
    if (a->layout == SM_LAYOUT_CONSECUTIVE) {
        bad = update_consecutive_words(q, a, effect);
        return log_if_race_free(q, bad, a, times, LOG_EVEN_OFFSETS, 4);
    }
    if (effect != SM_READS)
        return SAN_NOT_CHECKED;
    if (a->layout == SM_LAYOUT_SAME_ADDRESS) {
        update_word_read_by_many(q, &q->word[a->address[0] / 4], thread, &bad);
        return log_if_race_free(q, bad, a, times, LOG_EVEN_OFFSETS, 0);
    }
    for (uint32_t row = 0; row < SM_LANES; row += SM_ROW)
        update_word_read_by_many(q, &q->word[a->address[row] / 4], thread + row, &bad);
    return log_if_race_free(q, bad, a, times, LOG_OFFSETS_IN_ROWS, 0);
}

/* Update the states of the words of access A, of any layout, and log A. False: A may race. */
SAN_CLONES static bool check_and_log_access(san_quick_check *q, const sm_access *a, san_times times,
                                            sm_effect effect)
{
    const uint32_t thread = a->warp->index * SM_LANES, each = a->bytes < 4 ? 1 : a->bytes / 4;
    const uint32_t many = q->last_barrier | READ_BY_MANY;
    const bool full = a->mask == SM_FULL, words = full && each == 1;
    const bool run = full && a->layout == SM_LAYOUT_CONSECUTIVE;
    const log_form form =
        run || (full && a->layout == SM_LAYOUT_SAME_ADDRESS) ? LOG_EVEN_OFFSETS : LOG_ALL_OFFSETS;
    uint32_t at[SM_LANES], bad = 0;
    for (uint32_t l = 0; l < SM_LANES; l++)
        at[l] = (uint32_t)a->address[l] / 4;
    if (words && effect == SM_READS && are_all_words_in_state(q->word, at, many))
        return log_access(q, a, times, form, run ? a->bytes : 0);
    if (words) {
        bad = effect == SM_READS ? update_words_of_all_lanes(q, at, thread, many, state_after_read)
              : effect == SM_WRITES
                  ? update_words_of_all_lanes(q, at, thread, NO_WORD_STATE, state_after_write)
                  : update_words_of_all_lanes(q, at, thread, q->last_barrier | UPDATED,
                                              state_after_update);
    } else {
        bad = effect == SM_READS
                  ? update_scattered_words(q, at, a->mask, each, thread, many, state_after_read)
              : effect == SM_WRITES
                  ? update_scattered_words(q, at, a->mask, each, thread, NO_WORD_STATE,
                                           state_after_write)
                  : update_scattered_words(q, at, a->mask, each, thread, q->last_barrier | UPDATED,
                                           state_after_update);
    }
    return !bad && log_access(q, a, times, form, run ? a->bytes : 0);
}

bool san_quick_check_access(san_quick_check *q, const sm_access *a, san_times times)
{
    const san_quick_verdict v = a->mask == SM_FULL && a->layout != SM_LAYOUT_UNKNOWN
                                    ? san_quick_check_regular(q, a, times)
                                    : SAN_NOT_CHECKED;
    const uint8_t info = properties_of_insn(q, a);
    if (v != SAN_NOT_CHECKED || info & INSN_MAY_SYNCHRONISE)
        return v == SAN_NO_RACE;
    return check_and_log_access(q, a, times, (sm_effect)(info & INSN_EFFECT_MASK));
}
