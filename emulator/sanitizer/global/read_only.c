#include "read_only.h"

#include "../reported.h"
#include "../reports.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LOADS = 8 /* most loads of a launch that are reported */ };

static const san_record *record_of_cell(const san_launch *l, const san_page *p, san_cell kind,
                                        uint32_t cell)
{
    const san_ref ref = san_shadow_cell(p, kind, cell);
    return ref ? san_shadow_record(l->shadow, ref / SM_LANES) : NULL;
}

static void thread_text(const san_launch *l, const san_page *p, san_cell kind, uint32_t cell,
                        char *buf, size_t size)
{
    const san_record *r = record_of_cell(l, p, kind, cell);
    san_block_thread_text(l->grid->launch, r->block,
                          r->warp * SM_LANES + san_shadow_cell(p, kind, cell) % SM_LANES, buf,
                          size);
}

static bool is_line_in_list(const sm_report *list, const sm_report *r)
{
    for (; list; list = list->next)
        if (strcmp(list->at.where, r->at.where) == 0 || strcmp(list->other.where, r->at.where) == 0)
            return true;
    return false;
}

/* The report of a cell of page P, which READ says who read and WROTE who wrote. */
static sm_report *new_report(const san_launch *l, const san_page *p, uint32_t cell, san_cell read,
                             san_cell wrote)
{
    sm_report *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    char memory[200];
    const san_record *load = record_of_cell(l, p, read, cell);
    const san_record *store = record_of_cell(l, p, wrote, cell);
    r->kind = "race";
    r->address = p->number * SAN_PAGE_BYTES + ((uint64_t)cell << p->shift);
    r->any_other = true;
    r->chapter = CHAPTER_READ_ONLY_CACHE;
    r->missing = "memory of its own";
    r->remedy = "Pass memory that does not overlap, or take __restrict__ or __ldg() off the "
                "pointer that is read.";
    san_block_id(l->grid->launch, load->block, r->block);
    san_report_set_source_line(r, &r->at, l->grid, load->insn);
    san_report_set_source_line(r, &r->other, l->grid, store->insn);
    r->at.access_name = sm_effect_in_past((sm_effect)load->effect);
    r->other.access_name = sm_effect_in_past((sm_effect)store->effect);
    thread_text(l, p, read, cell, r->at.thread_text, sizeof r->at.thread_text);
    thread_text(l, p, wrote, cell, r->other.thread_text, sizeof r->other.thread_text);
    mem_describe(r->address, 1u << p->shift, memory, sizeof memory);
    snprintf(r->sentence, sizeof r->sentence,
             "race on global memory: %s read at %s, as memory that the kernel never writes (const "
             "and __restrict__, or "
             "__ldg()), what %s %s at %s: the read-only cache and the compiler may keep the value "
             "of before",
             r->at.thread_text, r->at.where, r->other.thread_text, r->other.access_name,
             r->other.where);
    snprintf(r->other_text, sizeof r->other_text, "here %s %s it: %s", r->other.thread_text,
             r->other.access_name, memory);
    return r;
}

/* The last two reads of a cell that a launch has written, one through the read-only cache. */
static bool find_read_only_load(const san_launch *l, const san_page *p, uint32_t cell,
                                san_cell *read)
{
    for (*read = SAN_LAST_READ; *read <= SAN_OTHER_READ; (*read)++) {
        const san_record *r = record_of_cell(l, p, *read, cell);
        if (r && ptx_has_modifier(r->insn, PTX_MOD_nc))
            return true;
    }
    return false;
}

/* Report the loads of page P that no entry of SEEN, an array of *COUNT, reports yet. */
static sm_report *add_reports_of_page(const san_launch *l, const san_page *p, sm_report *list,
                                      const ptx_insn *seen[MAX_LOADS], uint32_t *count)
{
    const uint32_t cells = (uint32_t)SAN_PAGE_BYTES >> p->shift;
    for (uint32_t cell = 0; cell < cells && *count < MAX_LOADS; cell++) {
        const san_cell wrote =
            san_shadow_cell(p, SAN_LAST_WRITE, cell) ? SAN_LAST_WRITE : SAN_LAST_STRONG;
        san_cell read;
        if (!san_shadow_cell(p, wrote, cell) || !find_read_only_load(l, p, cell, &read))
            continue;
        const ptx_insn *load = record_of_cell(l, p, read, cell)->insn;
        uint32_t k = 0;
        while (k < *count && seen[k] != load)
            k++;
        if (k < *count)
            continue;
        seen[(*count)++] = load;
        sm_report *r = new_report(l, p, cell, read, wrote);
        if (!r || is_line_in_list(list, r) || san_is_reported(r, l->grid->launch->name)) {
            free(r);
            continue;
        }
        san_report_set_text(r, NULL);
        r->next = list;
        list = r;
    }
    return list;
}

sm_report *san_add_read_only_reports(const san_launch *l, sm_report *list)
{
    uint32_t pages = 0, count = 0;
    const ptx_insn *seen[MAX_LOADS];
    san_page **page = l->reads_read_only ? san_shadow_pages(l->shadow, &pages) : NULL;
    for (uint32_t k = 0; k < pages; k++) {
        const san_page *p = page[k];
        if (!p->listed && (p->cell[SAN_LAST_WRITE] || p->cell[SAN_LAST_STRONG]))
            list = add_reports_of_page(l, p, list, seen, &count);
    }
    free(page);
    return list;
}
