#include "suspects.h"

#include "../../core/code.h"
#include "../reported.h"
#include "../reports.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Maximum number of suspicious reads kept for one launch or block; further reads would add
 * nothing to the reports. */
enum { MAX_SUSPECT_READS = 1 << 20 /* most suspicious reads that are kept */ };

typedef struct reading_line {
    const ptx_insn *insn; /* the reading instruction */
    const char *path;     /* source file */
    uint32_t line;        /* source line in `path` */
    ptx_space space;      /* state space that the instruction reads */
    sm_effect effect;     /* load or atomic */
    san_suspect first;    /* the first suspicious read */
    uint64_t times;       /* number of unwritten words that were read */
    bool is_variable; /* the first read is of a __device__ variable that only the host can set */
    bool is_set;      /* and the host has set other bytes of it */
    san_caller by;    /* the call that allocated the memory of the first read; depth 0: not known */
} reading_line;

struct san_reading_lines {
    const sm_grid *grid;                      /* the grid that the launch runs */
    reading_line list[SAN_MAX_READING_LINES]; /* source lines with suspicious reads, in the order in
                                                 which they were found */
    uint32_t count;                           /* entries used in `list` */
    const san_device_allocation *variable;    /* the variable that was looked for last */
    bool is_named;                            /* a function of the kernel names `variable` */
};

/* --- source lines of suspicious reads --------------------------------------------------------- */

san_reading_lines *san_reading_lines_new(const sm_grid *g)
{
    san_reading_lines *s = calloc(1, sizeof *s);
    if (s)
        s->grid = g;
    return s;
}

uint16_t san_source_line_number(san_reading_lines *s, const sm_access *a)
{
    reading_line new = {.insn = a->insn, .space = a->space, .effect = a->effect};
    for (uint32_t k = 0; k < s->count; k++)
        if (s->list[k].insn == a->insn && s->list[k].space == a->space)
            return (uint16_t)k;
    new.path = ptx_source_file(s->grid->unit->module, a->insn, &new.line);
    for (uint32_t k = 0; new.path &&k < s->count; k++) {
        const reading_line *x = &s->list[k];
        if (x->path && x->line == new.line && x->space == a->space &&strcmp(x->path, new.path) == 0)
            return (uint16_t)k;
    }
    if (s->count == SAN_MAX_READING_LINES)
        return SAN_NO_LINE;
    s->list[s->count] = new;
    return (uint16_t)s->count++;
}

/* --- reports ---------------------------------------------------------------------------------- */

static bool names_address(const sm_unit *u, const ptx_insn *in, uint64_t at)
{
    for (uint32_t o = 0; o < in->operand_count; o++) {
        for (uint32_t k = 0; k < in->opd[o].count; k++) {
            const ptx_value *v = &in->opd[o].v[k];
            if (v->kind == PTX_VAL_VAR && u->program->var_address[v->var->index] == at)
                return true;
        }
    }
    return false;
}

static const char *suggested_correction(const reading_line *x)
{
    if (x->space == PTX_SPACE_SHARED) {
        return x->effect == SM_UPDATES
                   ? "Let the block set its shared memory to zero first, with __syncthreads() "
                     "after it."
                   : "Let the block write every element of shared memory that it reads, also the "
                     "edges and the tail of the tile, or do not read elements that were not "
                     "loaded.";
    }
    if (x->space == PTX_SPACE_LOCAL) {
        return "Give the variable or each element of the array a value before it is read; see "
               "whether the loop that fills the array runs as often as the one that reads it.";
    }
    return x->effect == SM_UPDATES
               ? "Set the memory to its first value before the launch, for instance with "
                 "cudaMemset()."
               : "Write the memory before it is read, by cudaMemset() or a copy of all the bytes; "
                 "see whether a copy counts elements instead of bytes (n * sizeof(type)), and "
                 "whether the buffers are the right way round.";
}

/* Does a function of the kernel name the variable at F? A variable that it reaches by a pointer may
 * be one that another kernel fills, from zeros. */
static bool is_named_in_kernel(san_reading_lines *s, const san_device_allocation *f)
{
    const sm_unit *u = s->grid->unit;
    if (s->variable == f)
        return s->is_named;
    s->variable = f;
    s->is_named = false;
    for (uint32_t c = 0; c < u->code_count && !s->is_named; c++) {
        const ptx_func *g = u->code[c]->func;
        for (uint32_t k = 0; k < g->insn_count && !s->is_named; k++)
            s->is_named = names_address(u, &g->insns[k], f->at);
    }
    return s->is_named;
}

static void set_variable_sentence(sm_report *r, const reading_line *x)
{
    char memory[250];
    mem_describe(x->first.address, x->first.bytes, memory, sizeof memory);
    r->chapter = CHAPTER_DEVICE_SYMBOLS;
    r->remedy = x->is_set
                    ? "Set the whole variable: cudaMemcpyToSymbol() counts bytes, for instance "
                      "sizeof of the variable, not elements."
                    : "Set the variable before the launch, with cudaMemcpyToSymbol(), or give "
                      "it an initial value.";
    snprintf(r->sentence, sizeof r->sentence,
             "%s reads %u byte%s of a __device__ variable that the program has %s, and no kernel "
             "writes: %s: it is 0",
             r->at.thread_text, x->first.bytes, x->first.bytes == 1 ? "" : "s",
             x->is_set ? "set only in part" : "never set", memory);
}

/* Say of R that the bytes were written, with a copy of unwritten memory. */
static void set_copy_sentence(sm_report *r, const reading_line *x)
{
    char memory[250];
    mem_describe(x->first.source, 4, memory, sizeof memory);
    r->remedy =
        "Write that memory before it is copied, by cudaMemset(), a copy of all the bytes or a "
        "kernel; see whether the buffers are the right way round.";
    snprintf(
        r->sentence, sizeof r->sentence,
        "%s %s %u byte%s of %s memory that hold a copy of memory that nobody has written, from "
        "0x%llx: %s: the result depends on what it happened to hold",
        r->at.thread_text, sm_effect_in_present(x->effect), x->first.bytes,
        x->first.bytes == 1 ? "" : "s",
        x->space == PTX_SPACE_SHARED  ? "shared"
        : x->space == PTX_SPACE_LOCAL ? "local"
                                      : "global",
        (unsigned long long)x->first.source, memory);
}

static sm_report *new_init_report(const san_reading_lines *s, const reading_line *x)
{
    sm_report *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    char memory[250];
    r->kind = "init";
    r->remedy = suggested_correction(x);
    r->times = x->times;
    r->any_other = true;
    r->chapter = x->space == PTX_SPACE_SHARED ? CHAPTER_SHARED_MEMORY : CHAPTER_FINDING_MISTAKES;
    san_report_set_source_line(r, &r->at, s->grid, x->insn);
    r->at.access_name = x->effect == SM_UPDATES ? "updated" : "read";
    san_block_id(s->grid->launch, x->first.block, r->block);
    san_block_thread_text(s->grid->launch, x->first.block, x->first.thread, r->at.thread_text,
                          sizeof r->at.thread_text);
    if (x->space == PTX_SPACE_SHARED) {
        san_report_set_offset(r, s->grid, (uint32_t)x->first.address);
        snprintf(memory, sizeof memory, "%s", r->place);
    } else if (x->space == PTX_SPACE_LOCAL) {
        snprintf(memory, sizeof memory, "a local variable or array of the thread");
    } else {
        r->address = x->first.address;
        mem_describe(x->first.address, x->first.bytes, memory, sizeof memory);
    }
    if (x->is_variable) {
        set_variable_sentence(r, x);
        return r;
    }
    snprintf(r->sentence, sizeof r->sentence,
             "%s %s %u byte%s of %s memory that nobody has written: %s: the result depends on "
             "what it happened to hold",
             r->at.thread_text, sm_effect_in_present(x->effect), x->first.bytes,
             x->first.bytes == 1 ? "" : "s",
             x->space == PTX_SPACE_SHARED  ? "shared"
             : x->space == PTX_SPACE_LOCAL ? "local"
                                           : "global",
             memory);
    if (x->first.source)
        set_copy_sentence(r, x);
    if (san_caller_is_known(&x->by))
        san_report_set_host_access(r, &x->by, "the memory was allocated here");
    return r;
}

sm_report *san_take_init_reports(san_reading_lines *s)
{
    sm_report *list = NULL, **end = &list;
    for (uint32_t k = 0; k < s->count; k++) {
        char times[80];
        sm_report *r = s->list[k].times ? new_init_report(s, &s->list[k]) : NULL;
        if (!r || san_is_reported(r, s->grid->launch->name)) {
            free(r);
            continue;
        }
        snprintf(times, sizeof times,
                 "%llu unwritten words were read at this line during the launch.",
                 (unsigned long long)r->times);
        san_report_set_text(r, r->times > 1 ? times : NULL);
        *end = r;
        end = &r->next;
    }
    free(s);
    return list;
}

/* --- suspicious reads ------------------------------------------------------------------------- */

static uint32_t *find_suspect_slot(const san_suspects *t, uint64_t word)
{
    uint32_t at = (uint32_t)(word * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (2 * t->cap - 1);
    while (t->index[at] && t->list[t->index[at] - 1].address / 4 != word)
        at = (at + 1) & (2 * t->cap - 1);
    return &t->index[at];
}

static bool grow_suspect_list(san_suspects *t)
{
    const uint32_t cap = t->cap ? 2 * t->cap : 64;
    san_suspect *list = cap <= MAX_SUSPECT_READS ? realloc(t->list, cap * sizeof *list) : NULL;
    t->list = list ? list : t->list;
    uint32_t *index = list ? calloc(2 * (size_t)cap, sizeof *index) : NULL;
    if (!index)
        return false;
    free(t->index);
    t->index = index;
    t->cap = cap;
    for (uint32_t k = 0; k < t->count; k++)
        *find_suspect_slot(t, t->list[k].address / 4) = k + 1;
    return true;
}

void san_suspects_add_read(san_suspects *t, const san_suspect *s)
{
    if (t->count == t->cap && !grow_suspect_list(t))
        return;
    uint32_t *slot = find_suspect_slot(t, s->address / 4);
    if (!*slot) {
        t->list[t->count++] = *s;
        *slot = t->count;
    }
}

void san_suspects_mark_store(san_suspects *t, uint64_t address, uint64_t n, uint64_t block,
                             uint32_t thread, uint32_t epoch)
{
    for (uint64_t word = address / 4; t->count && word <= (address + n - 1) / 4; word++) {
        const uint32_t k = *find_suspect_slot(t, word);
        san_suspect *s = k ? &t->list[k - 1] : NULL;
        if (s && !s->strong && (s->block != block || (s->epoch == epoch && s->thread != thread)))
            s->raced = true;
    }
}

void san_suspects_report_remaining(san_suspects *t, san_reading_lines *s,
                                   san_device_allocation *const *list, uint32_t count)
{
    for (uint32_t k = 0; k < t->count; k++) {
        const san_suspect *x = &t->list[k];
        reading_line *at = &s->list[x->line_number];
        san_device_allocation *f =
            list ? san_find_tracked_allocation(list, count, x->address) : NULL;
        if (f)
            san_set_bits(f->bits, x->address - f->at, x->bytes, true);
        if (x->raced || (f && f->is_variable && !is_named_in_kernel(s, f)))
            continue;
        if (!at->times++ || x->block < at->first.block) {
            at->first = *x;
            at->by = f ? f->by : (san_caller){0};
            at->is_variable = f && f->is_variable;
            at->is_set = f && f->is_set;
        }
    }
    if (t->count) {
        memset(t->index, 0, 2 * (size_t)t->cap * sizeof *t->index);
        t->count = 0;
    }
}

void san_suspects_free(san_suspects *t)
{
    free(t->list);
    free(t->index);
}
