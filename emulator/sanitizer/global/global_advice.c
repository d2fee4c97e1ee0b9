#include "global_advice.h"

#include "../../ptx/traits.h"
#include "../intent.h"
#include "../reports.h"

#include <stdio.h>

/* What would order two plain accesses of threads in different blocks or warps, or in one warp. */
static const char *order_of_plain_accesses(bool blocks, bool warps)
{
    return blocks ? "the end of the kernel" : warps ? "__syncthreads()" : "__syncwarp()";
}

/* The advice for a race between A and B if the kind of an access decides: a texture fetch, an
 * access under a lock, or strong accesses on both sides. Returns false if none does. */
static bool advice_for_special_race(const san_racing_access *a, const san_racing_access *b,
                                    san_race_advice *out)
{
    const bool blocks = a->record.block != b->record.block;
    const bool warps = a->record.warp != b->record.warp;
    if (a->record.intent == SAN_TEXTURE_READ || b->record.intent == SAN_TEXTURE_READ) {
        *out = (san_race_advice){
            .consequence = "texture fetches and surface reads go through a cache "
                           "that sees no store of the same "
                           "kernel, whatever barrier or fence comes between",
            .would_order = "the end of the kernel",
            .correction = "Let one kernel write and the next one fetch, or read by a "
                          "plain load what the kernel "
                          "itself writes.",
            .chapter = CHAPTER_TEXTURES};
        return true;
    }
    if (a->record.lock && a->record.lock == b->record.lock) {
        *out = (san_race_advice){
            .consequence =
                blocks
                    ? "both hold the same lock, but the accesses of one may become visible to the "
                      "other too late: a thread needs a fence after it takes a lock and before it "
                      "releases the lock, and between blocks __threadfence_block() is not enough"
                    : "both hold the same lock, but the accesses of one may become visible to the "
                      "other too late: a thread needs a fence after it takes a lock and before it "
                      "releases the lock",
            .would_order = "__threadfence()",
            .correction =
                "Put __threadfence() after the atomicCAS() that takes the lock, and before "
                "the atomicExch() that releases it; within a block use __threadfence_block().",
            .chapter = CHAPTER_MEMORY_MODEL};
        return true;
    }
    if (!a->record.lock != !b->record.lock && !a->record.strong && !b->record.strong) {
        *out = (san_race_advice){
            .consequence = "only one of the two holds a lock, so the other may read or write while "
                           "that one is at work: what is read before a lock is taken is outdated "
                           "when it is held",
            .would_order = "the lock",
            .correction = "Read and write between the atomicCAS() that takes the lock and the "
                          "atomicExch() that releases it, with __threadfence() after the one and "
                          "before the other.",
            .chapter = CHAPTER_DIVERGENCE};
        return true;
    }
    if (a->record.strong && b->record.strong && !blocks && !warps) {
        *out = (san_race_advice){
            .consequence =
                "volatile does not order the lanes of a warp: it is undefined which of the values "
                "remains, and the others are lost",
            .would_order = "a lock, or __syncwarp()",
            .correction = "Let one lane at a time store, under a lock, or use an atomic operation.",
            .chapter = CHAPTER_DIVERGENCE};
        return true;
    }
    if (a->record.strong && b->record.strong &&
        san_intents_race(a->record.intent, b->record.intent)) {
        *out = (san_race_advice){
            .consequence =
                "volatile keeps a value out of registers, but it neither orders accesses "
                "nor makes a read and a write one step",
            .would_order = blocks ? "the end of the kernel" : "__syncthreads()",
            .correction = "Use an atomic operation, or put a barrier between the two accesses; "
                          "between blocks use a fence and a flag.",
            .chapter = blocks ? CHAPTER_SHUFFLE_REDUCTION : CHAPTER_SHARED_REDUCTION};
        return true;
    }
    if (a->record.strong && b->record.strong) {
        *out = (san_race_advice){
            .consequence = "an operation of block scope is atomic among the threads of its block "
                           "only, and these threads are in different blocks",
            .would_order = "a wider scope",
            .correction = "Use the operation of device scope: the name without _block, or "
                          "cuda::thread_scope_device.",
            .chapter = CHAPTER_MEMORY_MODEL};
        return true;
    }
    return false;
}

san_race_advice san_advice_for_race(const san_racing_access *a, const san_racing_access *b,
                                    bool one_line, bool several_warps)
{
    const bool blocks = a->record.block != b->record.block;
    const bool warps = several_warps || a->record.warp != b->record.warp;
    san_race_advice special;
    if (advice_for_special_race(a, b, &special))
        return special;
    if (a->record.effect == SM_UPDATES || b->record.effect == SM_UPDATES) {
        return (san_race_advice){
            .consequence = "a value that is updated atomically must also be read and written "
                           "atomically, unless a barrier, a fence with a flag or the end of the "
                           "kernel comes between",
            .would_order = order_of_plain_accesses(blocks, warps),
            .correction = "Make both accesses atomic, or let the other threads' updates end first.",
            .chapter = CHAPTER_SHUFFLE_REDUCTION};
    }
    if (a->record.effect != SM_READS && b->record.effect != SM_READS) {
        return (san_race_advice){
            .consequence = "it is undefined which of the two values remains, and the other is lost",
            .would_order = order_of_plain_accesses(blocks, warps),
            .correction = "Let each thread write elements of its own, or add up with atomicAdd().",
            .chapter = CHAPTER_SHUFFLE_REDUCTION};
    }
    if (one_line) {
        return (san_race_advice){
            .consequence =
                "threads that read a value, change it and write it back at the same time "
                "lose what the others have added",
            .would_order = order_of_plain_accesses(blocks, warps),
            .correction = "Let each thread work on elements of its own, or read and write in one "
                          "step, for instance with atomicAdd().",
            .chapter = CHAPTER_SHUFFLE_REDUCTION};
    }
    if (blocks) {
        return (san_race_advice){
            .consequence =
                "blocks run in any order and at the same time, so the value before or after "
                "may be read",
            .would_order = "the end of the kernel",
            .correction =
                "Split the kernel in two, or publish the value with __threadfence() and a "
                "flag that is set and read by atomic operations of device scope; "
                "__syncthreads() and __threadfence_block() reach no other block.",
            .chapter = CHAPTER_SHUFFLE_REDUCTION};
    }
    return (san_race_advice){
        .consequence =
            "threads run in any order between barriers, so the value before or after may "
            "be read",
        .would_order = warps ? "__syncthreads()" : "__syncwarp()",
        .correction = warps ? "Put __syncthreads() between the two."
                            : "Put __syncwarp() or __syncthreads() between the two.",
        .chapter = warps ? CHAPTER_SHARED_REDUCTION : CHAPTER_WARP_SHUFFLES};
}

/* --- missing fences --------------------------------------------------------------------------- */

/* The CUDA C++ name of the strong operation IN. */
static const char *operation_name(const ptx_insn *in)
{
    static const struct {
        ptx_mod modifier;
        const char *name;
    } names[] = {{PTX_MOD_cas, "atomicCAS()"}, {PTX_MOD_exch, "atomicExch()"},
                 {PTX_MOD_add, "atomicAdd()"}, {PTX_MOD_inc, "atomicInc()"},
                 {PTX_MOD_dec, "atomicDec()"}, {PTX_MOD_min, "atomicMin()"},
                 {PTX_MOD_max, "atomicMax()"}, {PTX_MOD_and, "atomicAnd()"},
                 {PTX_MOD_or, "atomicOr()"},   {PTX_MOD_xor, "atomicXor()"}};
    const bool is_relaxed = ptx_has_modifier(in, PTX_MOD_relaxed);
    for (size_t k = 0; k < sizeof names / sizeof names[0] && ptx_is_per_lane_atomic(in); k++)
        if (ptx_has_modifier(in, names[k].modifier) && !is_relaxed)
            return names[k].name;
    return is_relaxed ? "relaxed operation"
           : ptx_has_modifier(in, PTX_MOD_volatile)
               ? ptx_is_per_lane_load(in) ? "volatile read" : "volatile write"
               : "operation";
}

/* Write the name and the source line of IN to BUF. */
static void operation_text(const sm_grid *g, const ptx_insn *in, char *buf, size_t size)
{
    sm_report r;
    san_report_set_source_line(&r, &r.at, g, in);
    snprintf(buf, size, "%s at %.90s", operation_name(in), r.at.where);
}

san_race_advice san_advice_for_missing_fence(const sm_grid *g, const san_missing_fence *m,
                                             bool blocks, san_fence_text *text)
{
    const char *fence = blocks ? "__threadfence()" : "__threadfence_block()";
    char publishes[120], sees[120];
    operation_text(g, m->publishes, publishes, sizeof publishes);
    operation_text(g, m->sees, sees, sizeof sees);
    const bool is_relaxed = ptx_has_modifier(m->released ? m->sees : m->publishes, PTX_MOD_relaxed);
    if (m->released) {
        snprintf(text->consequence, sizeof text->consequence,
                 "the %s saw that it was published, but without a fence after that the old value "
                 "may still be read",
                 sees);
        snprintf(text->correction, sizeof text->correction,
                 "Put %s after the %s and before the access%s.", fence, sees,
                 is_relaxed ? ", or give that operation cuda::memory_order_acquire" : "");
    } else {
        snprintf(text->consequence, sizeof text->consequence,
                 "the %s publishes it, but without a fence before it other threads may see this "
                 "operation first%s",
                 publishes, blocks ? ", and __threadfence_block() reaches no other block" : "");
        const int n =
            snprintf(text->correction, sizeof text->correction,
                     "Put %s after the write and before the %s%s.", fence, publishes,
                     is_relaxed ? ", or give that operation cuda::memory_order_release" : "");
        if (m->both) {
            snprintf(text->correction + n, sizeof text->correction - (size_t)n,
                     " The other thread needs one too, after the %s.", sees);
        }
    }
    return (san_race_advice){text->consequence, fence, text->correction, CHAPTER_MEMORY_MODEL};
}
