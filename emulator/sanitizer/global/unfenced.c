#include "unfenced.h"

#include "../../observe/observe.h"
#include "global_report.h"

#include <stdlib.h>
#include <string.h>

enum {
    BLOCKS_KEPT = 1024, /* blocks whose operations are kept: one for each remainder */
    USES_KEPT = 16      /* most operations that are kept of a block */
};

/* The last execution of a strong operation by a warp. */
typedef struct sync_use {
    uint64_t key;         /* address of the word */
    uint64_t number;      /* number of this execution in the launch, from 1 */
    const ptx_insn *insn; /* the operation; NULL: unused entry */
    uint32_t time;        /* time of the execution on the launch's clock */
    uint32_t known_until; /* accesses of the block before this time were ordered before it */
    uint16_t thread;      /* the thread in the block */
} sync_use;

typedef struct block_uses {
    uint64_t block; /* index of the block in the grid */
    sync_use use[USES_KEPT];
} block_uses;

struct san_uses {
    uint64_t count;                 /* executions so far */
    block_uses *block[BLOCKS_KEPT]; /* the blocks' operations; NULL: none yet */
};

san_uses *san_uses_new(void)
{
    return calloc(1, sizeof(san_uses));
}

void san_uses_free(san_uses *u)
{
    for (uint32_t k = 0; u && k < BLOCKS_KEPT; k++)
        free(u->block[k]);
    free(u);
}

/* The operations of BLOCK, whose entry is made or taken over. NULL: the host is out of memory. */
static block_uses *uses_of_block(san_uses *u, uint64_t block)
{
    block_uses **b = &u->block[block % BLOCKS_KEPT];
    if (!*b) {
        *b = malloc(sizeof **b);
        if (!*b)
            return NULL;
    } else if ((*b)->block == block) {
        return *b;
    }
    memset(*b, 0, sizeof **b);
    (*b)->block = block;
    return *b;
}

void san_uses_add(san_uses *u, const san_block *b, const sm_access *a, uint32_t lane, uint64_t key)
{
    block_uses *of = uses_of_block(u, b->id);
    if (!of)
        return;
    sync_use *to = &of->use[0];
    for (uint32_t k = 0; k < USES_KEPT; k++) {
        sync_use *use = &of->use[k];
        if (!use->insn || (use->insn == a->insn && use->thread / SM_LANES == a->warp->index)) {
            to = use;
            break;
        }
        to = use->number < to->number ? use : to;
    }
    *to = (sync_use){.key = key,
                     .number = ++u->count,
                     .insn = a->insn,
                     .time = *san_order_clock(b->order),
                     .known_until = b->common_until,
                     .thread = (uint16_t)(a->warp->index * SM_LANES + lane)};
}

static uint32_t thread_of(const san_racing_access *a)
{
    return a->record.warp * SM_LANES + a->lane;
}

/* Does USE come after FIRST in the program of its thread, or after a barrier that follows FIRST? */
static bool is_use_after(const sync_use *use, const san_racing_access *first)
{
    return first->record.time < use->known_until ||
           (use->thread == thread_of(first) &&
            (first->record.time < use->time ||
             (first->record.time == use->time && first->record.insn < use->insn)));
}

/* Does SECOND, in block B, come after USE in the program of its thread, or after a barrier? */
static bool is_use_before(const sync_use *use, const san_block *b, const san_racing_access *second)
{
    return use->time < b->common_until ||
           (use->thread == thread_of(second) &&
            (use->time < second->record.time || use->insn < second->record.insn));
}

/* The last operation of B's block that has seen the word that PUBLISHED has written, before
 * SECOND. NULL: none. */
static const sync_use *use_that_saw(const block_uses *uses, const san_block *b,
                                    const sync_use *published, const san_racing_access *second)
{
    const sync_use *last = NULL;
    for (uint32_t k = 0; k < USES_KEPT && uses->use[k].insn; k++) {
        const sync_use *use = &uses->use[k];
        if (use->key == published->key && use->number > published->number &&
            is_use_before(use, b, second) && (!last || use->number > last->number))
            last = use;
    }
    return last;
}

bool san_find_missing_fence(const san_uses *u, const san_block *b, const san_racing_access *second,
                            const san_racing_access *first, san_missing_fence *out)
{
    const block_uses *of = u->block[first->record.block % BLOCKS_KEPT];
    const block_uses *mine = u->block[b->id % BLOCKS_KEPT];
    if (!of || of->block != first->record.block || !mine || mine->block != b->id)
        return false;
    uint64_t last = 0;
    for (uint32_t k = 0; k < USES_KEPT && of->use[k].insn; k++) {
        const sync_use *use = &of->use[k];
        const sync_use *saw = is_use_after(use, first) ? use_that_saw(mine, b, use, second) : NULL;
        if (saw && saw->number > last) {
            last = saw->number;
            out->publishes = use->insn;
            out->sees = saw->insn;
        }
    }
    const sm_order seen = last ? observe_order_of(out->sees) : SM_WEAK;
    out->both = seen != SM_ACQUIRE && seen != SM_ACQ_REL && !second->record.strong &&
                !ptx_has_modifier(second->record.insn, PTX_MOD_cg) &&
                !ptx_has_modifier(second->record.insn, PTX_MOD_cv);
    out->released =
        last && san_order_has_seen(b, second->record.warp, second->lane, first->record.block,
                                   thread_of(first), first->record.time);
    return last != 0;
}
