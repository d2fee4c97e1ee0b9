#include "l2.h"

#include "../compile/ptxas/facts.h"
#include "count.h"

#include <stdlib.h>

enum {
    MAX_L2_SLICES = 256,       /* most slices of L2 */
    WORD_TABLE_ENTRIES = 8192, /* entries of the hash table of updated words */
    UPDATE_LOG_ENTRIES = 512,  /* the most updates that can be undone */
    MIN_PACKET_QUARTERS = 5,   /* least time of a packet, in quarters of the time of a sector */
    QUARTERS_PER_SECTOR = 4,   /* time of a sector, in the same unit */
    INVERSE_SHIFT = 36,        /* exact for numbers of 25 bits, which slice_of_line divides */
    GRID_BARRIER_BYTES = 64    /* size of the memory of a grid barrier */
};

/* Statistics of L2 atomics of one host thread. All entries are sums, so it does not matter which
 * thread ran which block. */
struct profiler_l2 {
    uint32_t slices;  /* number of L2 slices of the device */
    uint64_t inverse; /* of the number of pairs of slices: multiplied by it, shifted, not divided */
    uint32_t log_count; /* updates since begin_update_log; only the first UPDATE_LOG_ENTRIES are
                           recorded */
    struct {
        uint32_t at, add;      /* index of an element of `part`; what was added to it */
    } log[UPDATE_LOG_ENTRIES]; /* updates that can be undone */
    /* The first MAX_L2_SLICES entries are the time of each slice, in quarters of a packet's sector.
     * The next WORD_TABLE_ENTRIES entries are the updates of each word; words are hashed. */
    uint64_t part[MAX_L2_SLICES + WORD_TABLE_ENTRIES]; /* times of slices; updates of words */
};

/* The statistics of host thread K, created if needed. NULL: L2 has no slices, or the host is out of
 * memory. */
static struct profiler_l2 *l2_statistics_of_worker(sm_worker *k)
{
    if (!k->l2) {
        k->l2 = calloc(1, sizeof *k->l2);
        if (k->l2) {
            const uint32_t slices = k->grid->launch->l2_slices;
            k->l2->slices = slices > MAX_L2_SLICES ? MAX_L2_SLICES : slices & ~1u;
            k->l2->inverse = k->l2->slices ? (UINT64_C(2) << INVERSE_SHIFT) / k->l2->slices + 1 : 0;
        }
    }
    return k->l2 && k->l2->slices ? k->l2 : NULL;
}

/* Add ADD to element AT of m->part, and remember it for undo_logged_updates. */
static inline void add_and_log_update(struct profiler_l2 *m, uint32_t at, uint32_t add)
{
    m->part[at] += add;
    if (__builtin_expect(m->log_count > UPDATE_LOG_ENTRIES, 1)) /* too many to be undone */
        return;
    if (m->log_count < UPDATE_LOG_ENTRIES) {
        m->log[m->log_count].at = at;
        m->log[m->log_count].add = add;
    }
    m->log_count++;
}

/* The L2 slice of a line. Eight consecutive blocks of 1 KB use eight different pairs of slices; the
 * position of each group of eight is practically random. */
static uint32_t slice_of_line(const struct profiler_l2 *m, uint64_t line)
{
    const uint64_t block = line / 8;
    const uint32_t from = (uint32_t)(block / 8 * UINT64_C(0x9e3779b97f4a7c15) >> 40);
    const uint32_t at = from + (uint32_t)block % 8 * 5, pairs = m->slices / 2;
    return 2 * (at - pairs * (uint32_t)(at * m->inverse >> INVERSE_SHIFT)) + (line / 2 & 1);
}

/* Index in `part` of the entry that counts updates of the word at ADDRESS. */
static uint32_t word_table_index(uint64_t address)
{
    return MAX_L2_SLICES +
           (uint32_t)(address / 4 * UINT64_C(0x9e3779b97f4a7c15) >> 51) % WORD_TABLE_ENTRIES;
}

/* The PTX function that contains instruction I. */
static const sm_code *code_that_contains(const sm_worker *k, const sm_insn *i)
{
    const sm_unit *u = k->grid->unit;
    return u->code[u->site_code[i->site]];
}

/* Whether the assembler combines the lanes of atomic operation I into one update per warp. */
static bool is_atomic_combined_per_warp(const sm_worker *k, const sm_insn *i)
{
    const sm_code *code = code_that_contains(k, i);
    return code->facts->of[i->site - code->site_base] & COMPILE_FACT_COMBINED;
}

/* Add a packet, which updates words in SECTORS (a mask of 4 bits) of LINE. TWICE: several words, by
 * compare and swap. */
static void count_packet(struct profiler_l2 *m, uint64_t line, uint32_t sectors, bool twice)
{
    const uint32_t cost = QUARTERS_PER_SECTOR * profiler_sector_count(sectors) * (twice ? 2 : 1);
    add_and_log_update(m, slice_of_line(m, line),
                       cost > MIN_PACKET_QUARTERS ? cost : MIN_PACKET_QUARTERS);
}

void profiler_l2_count_atomic(sm_worker *k, const sm_insn *i, const uint64_t *address, uint32_t n,
                              const profiler_lines *apart, const profiler_packets *packets)
{
    struct profiler_l2 *m = l2_statistics_of_worker(k);
    if (!m)
        return;
    const bool combined = is_atomic_combined_per_warp(k, i);
    n = combined ? 1 : n;
    const uint64_t workspace = k->grid->workspace;
    k->extra.v[CTR_grid_arrivals] += workspace && address[0] - workspace < GRID_BARRIER_BYTES;
    const bool swaps = ptx_has_modifier(k->grid->unit->site_insn[i->site], PTX_MOD_cas);
    if (m->log_count > UPDATE_LOG_ENTRIES)
        for (uint32_t l = 0; l < n; l++)
            m->part[word_table_index(address[l])]++;
    else
        for (uint32_t l = 0; l < n; l++)
            add_and_log_update(m, word_table_index(address[l]), 1);
    if (apart && !combined) {
        for (uint32_t p = 0; p < apart->count; p++)
            count_packet(m, apart->line[p], profiler_sectors_of_words(apart->words[p]),
                         swaps && apart->words[p] & (apart->words[p] - 1));
        return;
    }
    profiler_packets own;
    if (!packets || combined) {
        profiler_find_packets(address, n, &own);
        packets = &own;
    }
    k->extra.v[CTR_atom_again] += packets->again;
    for (uint32_t p = 0; p < packets->count; p++)
        count_packet(m, packets->line[p], packets->sectors[p], swaps && packets->lanes[p] > 1);
}

/* From now on remember updates, so that undo_logged_updates can take them back. */
static void begin_update_log(sm_worker *k)
{
    if (k->l2)
        k->l2->log_count = 0;
}

static void undo_logged_updates(sm_worker *k)
{
    struct profiler_l2 *m = k->l2;
    for (uint32_t n = 0; m && m->log_count <= UPDATE_LOG_ENTRIES && n < m->log_count; n++)
        m->part[m->log[n].at] -= m->log[n].add;
    begin_update_log(k);
}

const sm_rollback profiler_l2_rollback = {begin_update_log, undo_logged_updates};

void profiler_l2_add_worker(sm_worker *to, const sm_worker *from)
{
    struct profiler_l2 *m = from->l2 ? l2_statistics_of_worker(to) : NULL;
    for (uint32_t n = 0; m && n < MAX_L2_SLICES + WORD_TABLE_ENTRIES; n++)
        m->part[n] += from->l2->part[n];
}

void profiler_l2_collect_counters(const sm_worker *k, counters *out)
{
    const struct profiler_l2 *m = k->l2;
    uint64_t busiest = 0, hottest = 0, all = 0;
    for (uint32_t n = 0; m && n < MAX_L2_SLICES; n++)
        busiest = m->part[n] > busiest ? m->part[n] : busiest;
    for (uint32_t n = MAX_L2_SLICES; m && n < MAX_L2_SLICES + WORD_TABLE_ENTRIES; n++) {
        hottest = m->part[n] > hottest ? m->part[n] : hottest;
        all += m->part[n];
    }
    out->v[CTR_atom_slice] += busiest;
    /* Subtract the average number of updates of other words that hash to the same entry. */
    out->v[CTR_atom_hottest] += hottest - (all - hottest) / (WORD_TABLE_ENTRIES - 1);
}

void profiler_l2_free(sm_worker *k)
{
    free(k->l2);
    k->l2 = NULL;
}
