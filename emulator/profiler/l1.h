/* The modelled L1 of a streaming multiprocessor: which 32-byte sectors its loads have read; and its
 * constant caches, 2 KB and behind it 16 KB, in lines of 64 bytes.
 *
 * Four ways of 64 KB, of which shared memory takes some; the least recently used line goes. A
 * launch finds its L1s empty, and block b runs on SM b % count: the blocks of one SM go one after
 * another in order (handout.h), each finding what the one before it left, so that counters do not
 * depend on which host thread ran which block. */
#ifndef WARPBOOK_L1_H
#define WARPBOOK_L1_H

#include <stdbool.h>
#include <stdint.h>

#define L1_SETS            512u
#define L1_WAYS            4u
#define L1_WAY_BYTES       (L1_SETS * 128u)
#define L1_CONST_LINES     32u
#define L1_CONST_FAR_LINES 256u
#define L1_GENERATIONS     (UINT64_C(1) << 20)

struct l1_model {
    uint64_t generation; /* of what it holds; the rest counts as empty */
    uint32_t ways;
    /* Sectors, a bit each, of line `near` and the one behind it that are there and, of their sets,
     * the latest used: to find them again changes nothing. */
    uint32_t near_sectors;
    uint64_t near;
    uint64_t line[L1_SETS]
                 [L1_WAYS]; /* line number << 24 | generation << 4 | sectors, latest first */
    uint64_t const_line[L1_CONST_LINES]; /* line number << 20 | generation */
    uint64_t const_far[L1_CONST_FAR_LINES];
};

/* The modelled L1 of a block that shares none. NULL when the host is out of memory. */
struct l1_model *sm_l1_new(void);
void sm_l1_free(struct l1_model *l1);
/* A block starts: nothing is cached. */
void sm_l1_begin(struct l1_model *l1);

/* The L1s of a launch's SMs. */
struct l1_sms;
struct l1_slot;

/* For a grid of BLOCKS blocks on a device of SMS multiprocessors, each with BYTES of L1 besides its
 * shared memory. NULL: the host is out of memory. */
struct l1_sms *l1_sms_take(uint64_t blocks, uint32_t sms, uint64_t bytes);
void l1_sms_give(struct l1_sms *s);

/* Block LINEAR is to begin, when those before it on its SM have ended: the L1 of its SM. NULL: one
 * of them waits for others, as its grid may need them to go on; from there on blocks of this SM
 * have an L1 of their own. */
struct l1_slot *l1_enter(struct l1_sms *s, uint64_t linear);
struct l1_model *l1_of(struct l1_slot *slot);
/* The block that has SLOT waits for others. */
void l1_share_no_more(struct l1_slot *slot);

/* 0: the 64 bytes around ADDRESS are in the constant cache; 1: in the second one; 2: in neither.
 * They are now. */
static inline uint32_t l1_const_miss(struct l1_model *l1, uint64_t address)
{
    const uint64_t line = address / 64, key = line << 20 | l1->generation;
    uint64_t *near = &l1->const_line[(line ^ line / L1_CONST_LINES) % L1_CONST_LINES];
    if (*near == key) {
        return 0;
    }
    *near = key;
    uint64_t *far = &l1->const_far[(line ^ line / L1_CONST_FAR_LINES) % L1_CONST_FAR_LINES];
    const uint32_t miss = 1 + (*far != key);
    *far = key;
    return miss;
}

/* What l1_const_miss would say, and nothing changes. */
static inline uint32_t l1_const_peek(const struct l1_model *l1, uint64_t address)
{
    const uint64_t line = address / 64, key = line << 20 | l1->generation;
    return l1->const_line[(line ^ line / L1_CONST_LINES) % L1_CONST_LINES] == key          ? 0
           : l1->const_far[(line ^ line / L1_CONST_FAR_LINES) % L1_CONST_FAR_LINES] == key ? 1
                                                                                           : 2;
}

static inline uint32_t l1_set(uint64_t line)
{
    return (uint32_t)(line ^ line >> 9 ^ line >> 18) % L1_SETS;
}

/* The sectors (4 bits) of 128-byte line LINE that are not there yet; they are now. */
static inline uint32_t l1_miss(struct l1_model *l1, uint64_t line, uint32_t sectors)
{
    uint64_t *set = l1->line[l1_set(line)];
    const uint64_t key = line << 24 | l1->generation << 4;
    uint64_t keep = set[0];
    l1->near_sectors = 0;
    __builtin_prefetch(l1->line[l1_set(line + 2)], 1); /* other SMs' L1s have come between */
    if ((keep & ~UINT64_C(15)) == key) {
        set[0] |= sectors;
        return sectors & ~(uint32_t)keep;
    }
    for (uint32_t w = 1; w < l1->ways; w++) {
        const uint64_t was = set[w];
        set[w] = keep;
        keep = was;
        if ((was & ~UINT64_C(15)) == key) {
            set[0] = was | sectors;
            return sectors & ~(uint32_t)was;
        }
    }
    set[0] = key | sectors;
    return sectors;
}

/* The sectors of line LINE that are not there; nothing changes. */
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

/* Were sectors FIRST to LAST (of 32 bytes) used just now? */
static inline bool l1_is_near(const struct l1_model *l1, uint64_t first, uint64_t last)
{
    const uint64_t at = first - 4 * l1->near;
    const uint32_t wanted = at < 8 && last - first < 8 ? ((2u << (last - first)) - 1) << at : ~0u;
    return (wanted & ~l1->near_sectors) == 0;
}

/* Lines LINE and, with SECOND, the one behind it have been used last. */
static inline void l1_keep_near(struct l1_model *l1, uint64_t line, bool second)
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
