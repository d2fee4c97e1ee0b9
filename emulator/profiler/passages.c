#include "passages.h"

#include "../core/code.h"
#include "../ptx/traits.h"

#include <stdlib.h>

enum { FIRST_WORDS = 1024 }; /* entries of the table of words before it grows; a power of two */

/* A word that a block has stored for others. */
typedef struct stored_word {
    uint64_t at;    /* device address; 0: the entry is free */
    uint64_t block; /* index in the grid of the block that stored it last */
} stored_word;

/* What a block waited for. */
typedef struct block_passages {
    uint32_t behind; /* passages of the longest chain whose end it has read */
    uint32_t stored; /* passages behind those who read the first word that it stored for others; 0:
                        it has stored none */
    bool fenced;     /* it has passed a fence */
} block_passages;

struct profiler_passages {
    block_passages *block; /* [blocks] */
    stored_word *word;     /* [words] a hash table with open addressing, at most half full */
    uint64_t words, used;
    uint32_t longest;
};

struct profiler_passages *profiler_passages_new(uint64_t blocks)
{
    struct profiler_passages *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->words = FIRST_WORDS;
    p->block = calloc(blocks, sizeof *p->block);
    p->word = calloc(p->words, sizeof *p->word);
    if (p->block && p->word)
        return p;
    profiler_passages_free(p);
    return NULL;
}

void profiler_passages_free(struct profiler_passages *p)
{
    if (p) {
        free(p->block);
        free(p->word);
        free(p);
    }
}

/* The entry of the word at address AT, or the free entry where it belongs. */
static stored_word *entry_of_word(const struct profiler_passages *p, uint64_t at)
{
    uint64_t n = at / 4 * UINT64_C(0x9e3779b97f4a7c15) >> 20;
    while (p->word[n & (p->words - 1)].at && p->word[n & (p->words - 1)].at != at)
        n++;
    return &p->word[n & (p->words - 1)];
}

/* Double the table of words. Without memory it stays as it is: the words that no longer fit are not
 * counted. */
static void grow_words(struct profiler_passages *p)
{
    const struct profiler_passages old = *p;
    stored_word *word = calloc(2 * old.words, sizeof *word);
    if (!word)
        return;
    p->word = word;
    p->words = 2 * old.words;
    for (uint64_t n = 0; n < old.words; n++)
        if (old.word[n].at)
            *entry_of_word(p, old.word[n].at) = old.word[n];
    free(old.word);
}

static void store_word(struct profiler_passages *p, uint64_t block, uint64_t at, bool release)
{
    block_passages *b = &p->block[block];
    /* A fence waits for an answer of L2. */
    b->stored = b->stored ? b->stored : b->behind + 1 + (b->fenced || release);
    if (2 * p->used >= p->words)
        grow_words(p);
    stored_word *word = entry_of_word(p, at);
    if (!word->at && 2 * p->used >= p->words)
        return;
    p->used += !word->at;
    *word = (stored_word){.at = at, .block = block};
}

static void load_word(struct profiler_passages *p, uint64_t block, uint64_t at)
{
    const stored_word *word = entry_of_word(p, at);
    if (!word->at || word->block == block)
        return;
    const uint32_t behind = p->block[word->block].stored;
    block_passages *b = &p->block[block];
    b->behind = b->behind > behind ? b->behind : behind;
    p->longest = p->longest > behind ? p->longest : behind;
}

void profiler_count_passages(sm_warp *w, const sm_insn *i, uint32_t mask,
                             const uint64_t at[SM_LANES])
{
    struct profiler_passages *p = w->worker->passages;
    const ptx_insn *in = sm_site_insn(w, i);
    const bool exchange = ptx_is_per_lane_atomic(in) && ptx_has_modifier(in, PTX_MOD_exch);
    const bool store = exchange || (ptx_is_per_lane_store(in) && ptx_is_strong(in));
    if (!store && !(ptx_is_per_lane_load(in) && ptx_is_strong(in)))
        return;
    for (; mask; mask &= mask - 1) {
        const uint64_t word = at[__builtin_ctz(mask)];
        if (store)
            store_word(p, w->block->linear, word, ptx_has_modifier(in, PTX_MOD_release));
        else
            load_word(p, w->block->linear, word);
    }
}

void profiler_count_fence(sm_warp *w)
{
    w->worker->passages->block[w->block->linear].fenced = true;
}

uint64_t profiler_longest_passages(const struct profiler_passages *p)
{
    return p ? p->longest : 0;
}
