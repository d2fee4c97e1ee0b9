/* The modelled L1 cache of a streaming multiprocessor (SM), by 32-byte sectors, and its two
 * constant caches of 2 KB and 16 KB, with lines of 64 bytes.
 *
 * L1 has eight ways of 32 KB, some of which shared memory uses, and replaces the least recently
 * used line. A launch begins with empty caches. Block b runs on SM b % count. The blocks of an SM
 * run in order (handout.h), and each block finds in L1 the lines that the previous block left, so
 * counters do not depend on which host thread ran which block. */
#ifndef WARPBOOK_L1_H
#define WARPBOOK_L1_H

#include <stdbool.h>
#include <stdint.h>

#define L1_SETS            256u
#define L1_WAYS            8u
#define L1_WAY_BYTES       (L1_SETS * 128u)
#define L1_CONST_LINES     32u
#define L1_CONST_FAR_LINES 256u
#define L1_GENERATIONS     (UINT64_C(1) << 20)

struct l1_model {
    uint64_t generation; /* lines of other generations are invalid */
    uint32_t ways;       /* ways that shared memory leaves to L1 */
    /* The sectors of line `near` and of the next line, one bit each, that are cached and whose
     * lines are the most recently used of their sets: another access to them changes nothing. */
    uint32_t near_sectors;
    uint64_t near;                   /* number of the line that was used last */
    uint64_t line[L1_SETS][L1_WAYS]; /* line number << 24 | generation << 4 | sectors; most recently
                                        used first */
    uint64_t const_line[L1_CONST_LINES]; /* line number << 20 | generation */
    uint64_t const_far[L1_CONST_FAR_LINES];
};

/* A new modelled L1 for a block that shares no L1. NULL: the host is out of memory. */
struct l1_model *sm_l1_new(void);
void sm_l1_free(struct l1_model *l1);
/* Empty the cache, for a new block. */
void sm_l1_begin(struct l1_model *l1);

/* The L1 caches of all SMs during a launch. */
struct l1_sms;
struct l1_slot;

/* Create the L1 caches for a grid of BLOCKS blocks on a device with SMS multiprocessors, each with
 * BYTES bytes of L1 besides shared memory. NULL: the host is out of memory. */
struct l1_sms *l1_sms_take(uint64_t blocks, uint32_t sms, uint64_t bytes);
void l1_sms_release(struct l1_sms *s);

/* The L1 for block LINEAR, which is about to begin; earlier blocks of its SM have ended. NULL: an
 * earlier block of the SM waits for other blocks (see l1_stop_sharing), so the block needs an L1
 * of its own. */
struct l1_slot *l1_enter(struct l1_sms *s, uint64_t linear);
struct l1_model *l1_of(struct l1_slot *slot);
/* Call when the block with this slot waits for other blocks. Later blocks of its SM must be able to
 * run in the meantime, so they get L1s of their own. */
void l1_stop_sharing(struct l1_slot *slot);

/* Look up the 64 bytes around ADDRESS in the constant caches. Returns 0 if the first cache has
 * them, 1 if only the second one has them, 2 if neither has them. Afterwards both caches have
 * them. */
static inline uint32_t l1_const_miss(struct l1_model *l1, uint64_t address)
{
    const uint64_t line = address / 64, key = line << 20 | l1->generation;
    uint64_t *near = &l1->const_line[line % L1_CONST_LINES];
    if (*near == key) {
        return 0;
    }
    *near = key;
    uint64_t *far = &l1->const_far[(line ^ line / L1_CONST_FAR_LINES) % L1_CONST_FAR_LINES];
    const uint32_t miss = 1 + (*far != key);
    *far = key;
    return miss;
}

/* Return the result of l1_const_miss without changing the caches. */
static inline uint32_t l1_const_peek(const struct l1_model *l1, uint64_t address)
{
    const uint64_t line = address / 64, key = line << 20 | l1->generation;
    return l1->const_line[line % L1_CONST_LINES] == key                                    ? 0
           : l1->const_far[(line ^ line / L1_CONST_FAR_LINES) % L1_CONST_FAR_LINES] == key ? 1
                                                                                           : 2;
}

static inline uint32_t l1_set(uint64_t line)
{
    return (uint32_t)(line ^ line >> 8 ^ line >> 16) % L1_SETS;
}

/* Load SECTORS (a mask of 4 bits) of the 128-byte line LINE; returns the sectors that missed. */
static inline uint32_t l1_miss(struct l1_model *l1, uint64_t line, uint32_t sectors)
{
    uint64_t *set = l1->line[l1_set(line)];
    const uint64_t key = line << 24 | l1->generation << 4;
    uint64_t keep_copy_form = set[0];
    l1->near_sectors = 0;
    /* prefetch: these lines have left the host's own cache while other SMs were simulated */
    __builtin_prefetch(l1->line[l1_set(line + 2)], 1);
    if ((keep_copy_form & ~UINT64_C(15)) == key) {
        set[0] |= sectors;
        return sectors & ~(uint32_t)keep_copy_form;
    }
    for (uint32_t w = 1; w < l1->ways; w++) {
        const uint64_t was = set[w];
        set[w] = keep_copy_form;
        keep_copy_form = was;
        if ((was & ~UINT64_C(15)) == key) {
            set[0] = was | sectors;
            return sectors & ~(uint32_t)was;
        }
    }
    set[0] = key | sectors;
    return sectors;
}

/* The sectors among SECTORS that would miss; does not change the cache. */
static inline uint32_t l1_peek(const struct l1_model *l1, uint64_t line, uint32_t sectors)
{
    const uint64_t *set = l1->line[l1_set(line)];
    for (uint32_t w = 0; w < l1->ways; w++) {
        if ((set[w] & ~UINT64_C(15)) == (line << 24 | l1->generation << 4)) {
            return sectors & ~(uint32_t)set[w];
        }
    }
    return sectors;
}

/* Whether all sectors from FIRST to LAST (numbers of 32-byte sectors) belong to the last used
 * lines. */
static inline bool l1_is_near(const struct l1_model *l1, uint64_t first, uint64_t last)
{
    const uint64_t at = first - 4 * l1->near;
    const uint32_t wanted = at < 8 && last - first < 8 ? ((2u << (last - first)) - 1) << at : ~0u;
    return (wanted & ~l1->near_sectors) == 0;
}

/* Note that LINE and, if SECOND, the next line were used last. */
static inline void l1_note_near(struct l1_model *l1, uint64_t line, bool second)
{
    const uint32_t a = l1_set(line), b = l1_set(line + 1);
    if (second && a == b) {
        return;
    }
    l1->near = line;
    l1->near_sectors = (uint32_t)l1->line[a][0] & 15;
    l1->near_sectors |= second ? ((uint32_t)l1->line[b][0] & 15) << 4 : 0;
}

#endif
