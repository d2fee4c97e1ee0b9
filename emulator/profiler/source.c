#include "source.h"

#include "../base/list.h"
#include "../ptx/traits.h"
#include "collect.h"

#include <stdlib.h>
#include <string.h>

/* The part of the device that instruction IN uses. ACCESSED: IN has accessed memory. */
static source_kind source_kind_of(const ptx_insn *in, bool accessed)
{
    const ptx_traits *t = ptx_traits_of(in);
    if (t->unit == PTX_UNIT_shuffle)
        return SOURCE_SHUFFLE;
    if (t->unit == PTX_UNIT_tensor)
        return SOURCE_TENSOR;
    if (t->sync == PTX_SYNC_block || t->sync == PTX_SYNC_aligned || t->sync == PTX_SYNC_cluster)
        return SOURCE_BARRIER;
    if (!accessed)
        return SOURCE_ARITHMETIC_OR_OTHER;
    switch (ptx_space_of(in)) {
    case PTX_SPACE_SHARED: return SOURCE_SHARED;
    case PTX_SPACE_CONST:
        return in->opd[1].v[0].kind == PTX_VAL_REG ? SOURCE_CONST : SOURCE_ARITHMETIC_OR_OTHER;
    case PTX_SPACE_LOCAL: return SOURCE_LOCAL;
    case PTX_SPACE_TEX: return SOURCE_TEXTURE;
    default:
        return t->access == PTX_ACCESS_store                                 ? SOURCE_STORE
               : t->access == PTX_ACCESS_atom || t->access == PTX_ACCESS_red ? SOURCE_ATOMIC
                                                                             : SOURCE_LOAD;
    }
}

/* How often warps reached each PTX instruction of CODE (times), and by how many lanes in all
 * (lanes): an array [func->insn_count]. A guard is a branch around its instruction: warps enter the
 * first basic block of the instruction; the lanes that execute the instruction enter the last
 * one. */
static struct sm_visits *instruction_visits(const sm_code *code, const struct sm_visits *visits)
{
    const uint32_t count = code->func->insn_count;
    struct sm_visits *of = calloc(count + 1u, sizeof *of);
    bool *seen = calloc(count + 1u, sizeof *seen);
    const sm_fn enter = code->program->handlers->enter;
    struct sm_visits now = {0};
    uint32_t next = 0; /* the next instruction that has not been reached yet */
    for (uint32_t k = 0; of && seen && k < code->insn_count; k++) {
        const sm_insn *i = &code->insn[k];
        const uint32_t at = i->site - code->site_base;
        if (at >= count)
            continue;
        /* PTX instructions in between were folded into others: they belong to the basic block
         * before. */
        for (; next < at; next++)
            if (!seen[next])
                of[next] = now;
        if (i->fn == enter) {
            now = visits[i->imm];
            continue;
        }
        if (!seen[at]) {
            of[at].times = now.times;
            seen[at] = true;
        }
        if (now.times) /* not reached if the function ends before */
            of[at].lanes = now.lanes;
        next = at + 1;
    }
    for (; of && next < count; next++)
        of[next] = now;
    free(seen);
    return of;
}

/* Rows of a launch, and the strings that they point to. */
typedef struct row_list {
    source_row *list; /* [count] the rows */
    size_t count;
    FILE *text;    /* stream that writes the strings */
    size_t length; /* length of the strings in bytes */
    char *chars;   /* the strings */
} row_list;

/* Append string S to the text. Until the whole text is written, strings are stored as offsets into
 * it. */
static const char *append_string(row_list *r, const char *s)
{
    const long at = ftell(r->text);
    fputs(s, r->text);
    fputc('\0', r->text);
    return (const char *)(uintptr_t)at;
}

/* Add the row of instruction K of CODE. Returns false when the host is out of memory. */
static bool add_row(row_list *r, const sm_code *code, uint32_t k, const insn_stats *s,
                    const struct sm_visits *v)
{
    const ptx_insn *in = &code->func->insns[k];
    const ptx_module *m = code->unit->module;
    char file[256];
    uint32_t line;
    source_row *row = LIST_ADD(r->list, r->count);
    if (!row)
        return false;
    *row = (source_row){.insn = code->site_base + k,
                        .kind = source_kind_of(in, s->requests != 0),
                        .executed = v->times,
                        .lanes = s->requests ? s->lanes : v->lanes,
                        .s = *s,
                        .share = -1};
    row->line = profiler_source_line_of(m, in, file, sizeof file);
    row->file = append_string(r, file);
    const char *path = ptx_source_file(m, in, &line);
    row->path = append_string(r, path ? path : "");
    row->ptx = (const char *)(uintptr_t)ftell(r->text);
    ptx_print_insn(r->text, m, code->func, in);
    fputc('\0', r->text);
    return true;
}

source_row *profiler_source_rows(const sm_unit *u, const sm_worker *sum, char **text, size_t *count)
{
    row_list r = {0};
    *text = NULL;
    *count = 0;
    r.text = open_memstream(&r.chars, &r.length);
    bool ok = r.text != NULL;
    for (uint32_t c = 0; ok && c < u->code_count; c++) {
        const sm_code *code = u->code[c];
        struct sm_visits *of = instruction_visits(code, sum->visits);
        ok = of != NULL;
        for (uint32_t k = 0; ok && k < code->func->insn_count; k++)
            ok = !of[k].times || add_row(&r, code, k, &sum->site[code->site_base + k], &of[k]);
        free(of);
    }
    ok = r.text && fclose(r.text) == 0 && ok;
    if (!ok || !r.count) {
        free(r.list);
        free(r.chars);
        return NULL;
    }
    for (size_t k = 0; k < r.count; k++) {
        source_row *row = &r.list[k];
        row->file = r.chars + (uintptr_t)row->file;
        row->path = r.chars + (uintptr_t)row->path;
        row->ptx = r.chars + (uintptr_t)row->ptx;
        char *end = r.chars + (row->ptx - r.chars) + strlen(row->ptx);
        while (end > row->ptx && (end[-1] == '\n' || end[-1] == ' '))
            *--end = '\0';
    }
    *text = r.chars;
    *count = r.count;
    return r.list;
}
