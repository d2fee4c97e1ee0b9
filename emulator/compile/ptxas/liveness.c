/* Computes the live ranges of registers.
 *
 * A divergent lane writes only its own part of a slot, so the live ranges of a single thread are
 * enough, and slots can be shared as in any register allocator. */
#include "liveness.h"

#include "facts.h"

#include "../../ptx/traits.h"

#include <stdlib.h>
#include <string.h>

typedef struct live_analysis {
    const ptx_func *f;              /* the function that is analysed */
    const bool *leader;             /* [insn_count] the instruction begins a basic block */
    uint32_t words;                 /* number of 64-bit words of a set of registers */
    uint32_t blocks;                /* number of basic blocks */
    uint32_t *begin;                /* [blocks + 1]: first instruction of each block */
    uint32_t *block_at;             /* [insn_count + 1] block of each instruction */
    uint64_t *in, *out, *use, *def; /* [blocks][words] registers live at the start and end of each
                                       block, used and defined in it */
    uint32_t *weight;               /* number of 32-bit registers that each register takes */
} live_analysis;

static uint64_t bit_of(uint32_t reg)
{
    return UINT64_C(1) << reg % 64;
}

static bool find_blocks(live_analysis *s)
{
    const uint32_t n = s->f->insn_count;
    s->begin = calloc(n + 2u, sizeof *s->begin);
    s->block_at = calloc(n + 1u, sizeof *s->block_at);
    if (!s->begin || !s->block_at)
        return false;
    for (uint32_t k = 0; k < n; k++) {
        if (s->leader[k])
            s->begin[s->blocks++] = k;
        s->block_at[k] = s->blocks - 1;
    }
    s->begin[s->blocks] = n;
    s->block_at[n] = s->blocks; /* after the last instruction no register is live */
    const size_t size = ((size_t)s->blocks + 1) * s->words + 1;
    s->in = calloc(size, 8);
    s->out = calloc(size, 8);
    s->use = calloc(size, 8);
    s->def = calloc(size, 8);
    return s->in && s->out && s->use && s->def;
}

static void summarise_blocks(live_analysis *s)
{
    for (uint32_t b = 0; b < s->blocks; b++) {
        uint64_t *use = s->use + (size_t)b * s->words, *def = s->def + (size_t)b * s->words;
        for (uint32_t k = s->begin[b]; k < s->begin[b + 1]; k++) {
            const ptx_insn *in = &s->f->insns[k];
            PTX_EACH_READ(r, in)
                use[r.reg / 64] |= bit_of(r.reg) & ~def[r.reg / 64];
            PTX_EACH_WRITTEN(r, in)
                if (in->guard == PTX_NO_REGISTER)
                    def[r.reg / 64] |= bit_of(r.reg);
                else /* a guarded instruction may leave the old value */
                    use[r.reg / 64] |= bit_of(r.reg) & ~def[r.reg / 64];
        }
    }
}

static bool add_to_set(uint64_t *to, const uint64_t *from, uint32_t words)
{
    bool changed = false;
    for (uint32_t k = 0; k < words; k++) {
        const uint64_t v = to[k] | from[k];
        changed = changed || v != to[k];
        to[k] = v;
    }
    return changed;
}

static void propagate_liveness(live_analysis *s)
{
    bool changed = true;
    while (changed) {
        changed = false;
        for (uint32_t b = s->blocks; b-- > 0;) {
            uint64_t *out = s->out + (size_t)b * s->words, *in = s->in + (size_t)b * s->words;
            const ptx_insn *last = &s->f->insns[s->begin[b + 1] - 1];
            if (!ptx_never_falls_through(last) && b + 1 < s->blocks)
                add_to_set(out, s->in + (size_t)(b + 1) * s->words, s->words);
            const uint32_t target = ptx_branch_target(last);
            if (target != PTX_NO_TARGET) {
                const uint32_t to = s->block_at[target];
                add_to_set(out, s->in + (size_t)to * s->words, s->words);
            }
            for (uint32_t n = 0; n < last->target_count; n++)
                add_to_set(out, s->in + (size_t)s->block_at[last->targets[n]] * s->words, s->words);
            const uint64_t *use = s->use + (size_t)b * s->words;
            const uint64_t *def = s->def + (size_t)b * s->words;
            for (uint32_t k = 0; k < s->words; k++) {
                const uint64_t v = use[k] | (out[k] & ~def[k]);
                changed = changed || v != in[k];
                in[k] = v;
            }
        }
    }
}

/* Extend the live range S to include instruction AT. */
static void extend_live_range(compile_live_range *s, uint32_t at)
{
    s->first = at < s->first ? at : s->first;
    s->last = at > s->last || s->last == COMPILE_NO_INSN_INDEX ? at : s->last;
}

static void extend_live_ranges_of_set(compile_live_range *span, uint32_t at, const uint64_t *set,
                                      uint32_t words)
{
    for (uint32_t k = 0; k < words; k++)
        for (uint64_t m = set[k]; m; m &= m - 1)
            extend_live_range(&span[k * 64 + (uint32_t)__builtin_ctzll(m)], at);
}

static uint32_t registers_in_set(const live_analysis *s, const uint64_t *set)
{
    uint32_t sum = 0;
    for (uint32_t k = 0; k < s->words; k++)
        for (uint64_t m = set[k]; m; m &= m - 1)
            sum += s->weight[k * 64 + (uint32_t)__builtin_ctzll(m)];
    return sum;
}

/* The largest number of 32-bit registers that are live at one instruction; *ACROSS_CALLS: before
 * and after a call. */
static uint32_t largest_live_set(live_analysis *s, uint32_t *across_calls)
{
    uint32_t most = 0;
    *across_calls = 0;
    uint64_t *live = calloc(s->words + 1u, 8);
    for (uint32_t b = 0; live && b < s->blocks; b++) {
        memcpy(live, s->out + (size_t)b * s->words, s->words * sizeof *live);
        for (uint32_t k = s->begin[b + 1]; k-- > s->begin[b];) {
            const ptx_insn *in = &s->f->insns[k];
            PTX_EACH_WRITTEN(r, in)
                live[r.reg / 64] &= in->guard == PTX_NO_REGISTER ? ~bit_of(r.reg) : UINT64_MAX;
            if (ptx_traits_of(in)->flow == PTX_FLOW_call) {
                const uint32_t kept = registers_in_set(s, live);
                *across_calls = kept > *across_calls ? kept : *across_calls;
            }
            PTX_EACH_READ(r, in)
                live[r.reg / 64] |= bit_of(r.reg);
            const uint32_t now = registers_in_set(s, live);
            most = now > most ? now : most;
        }
    }
    free(live);
    return most;
}

bool compile_find_live_ranges(const ptx_func *f, const bool *leader, const compile_facts *facts,
                              compile_live_range *span, uint32_t *registers, uint32_t *across_calls,
                              bool *live_in)
{
    live_analysis s = {.f = f, .leader = leader, .words = (f->reg_count + 63) / 64};
    bool good = find_blocks(&s);
    s.weight = calloc(f->reg_count + 1u, sizeof *s.weight);
    good = good && s.weight;
    for (uint32_t r = 0; good && r < f->reg_count; r++) {
        const uint32_t bytes = ptx_type_bytes(f->regs[r].type);
        s.weight[r] = f->regs[r].type == PTX_pred ? 0 : (bytes + 3) / 4;
        span[r] = (compile_live_range){COMPILE_NO_INSN_INDEX, COMPILE_NO_INSN_INDEX};
    }
    if (good) {
        summarise_blocks(&s);
        propagate_liveness(&s);
        for (uint32_t b = 0; b < s.blocks; b++) {
            const uint32_t first = s.begin[b], end = s.begin[b + 1];
            extend_live_ranges_of_set(span, first, s.in + (size_t)b * s.words, s.words);
            for (uint32_t k = first; k < end; k++) {
                PTX_EACH_READ(r, &f->insns[k])
                    extend_live_range(&span[r.reg], k);
                PTX_EACH_WRITTEN(r, &f->insns[k])
                    extend_live_range(&span[r.reg], k);
            }
            extend_live_ranges_of_set(span, end, s.out + (size_t)b * s.words, s.words);
        }
        for (uint32_t r = 0; r < f->reg_count; r++)
            live_in[r] = s.blocks && s.in[r / 64] >> r % 64 & 1;
        for (uint32_t n = 0; n < facts->loops; n++) {
            const compile_loop *l = &facts->loop[n];
            if (l->alive) {
                memcpy(l->alive, s.in + (size_t)s.block_at[l->first] * s.words,
                       s.words * sizeof *l->alive);
            }
        }
        *registers = largest_live_set(&s, across_calls);
    }
    free(s.begin);
    free(s.block_at);
    free(s.in);
    free(s.out);
    free(s.use);
    free(s.def);
    free(s.weight);
    return good;
}

/* Value that compile_find_single_definitions uses internally for registers that several
 * instructions write. */
#define SEVERAL_DEFINITIONS (COMPILE_NO_INSN_INDEX - 1)

void compile_find_single_definitions(const ptx_func *f, uint32_t *at)
{
    memset(at, 0xff, f->reg_count * sizeof *at);
    for (uint32_t k = 0; k < f->insn_count; k++)
        PTX_EACH_WRITTEN(r, &f->insns[k])
            at[r.reg] = at[r.reg] == COMPILE_NO_INSN_INDEX && f->insns[k].guard == PTX_NO_REGISTER
                            ? k
                            : SEVERAL_DEFINITIONS;
    for (uint32_t r = 0; r < f->reg_count; r++)
        at[r] = at[r] == SEVERAL_DEFINITIONS ? COMPILE_NO_INSN_INDEX : at[r];
}
