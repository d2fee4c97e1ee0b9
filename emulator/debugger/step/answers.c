/* Answers questions about the current moment of a stepped run, each with one JSON object. */
#include "../../sm/sync.h"
#include "control.h"
#include "looks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool step_write_error(FILE *to, const char *sentence)
{
    fprintf(to, "{\"ok\":false,\"error\":%s}\n", step_quoted(sentence));
    return false;
}

/* --- helpers of several answers --- */

/* Line LINE of the file at PATH, without its newline, malloc'ed; NULL: the line cannot be read. */
char *step_source_line(const char *path, uint32_t line)
{
    enum { MAX_LINES_READ = 1 << 22 };
    FILE *f = path && line ? fopen(path, "re") : NULL;
    char *text = NULL;
    size_t capacity = 0, read = 0;
    uint32_t at = 0;
    ssize_t n = -1;
    while (f && read < MAX_LINES_READ && at < line && (n = getline(&text, &capacity, f)) >= 0) {
        read += (size_t)n;
        at++;
    }
    if (f)
        fclose(f);
    if (at != line || n < 0) {
        free(text);
        return NULL;
    }
    text[strcspn(text, "\r\n")] = '\0';
    return text;
}

void step_write_position(FILE *to, const step_block_slot *slot, uint32_t site, bool source)
{
    const step_line *at = &slot->launch->line[site];
    char *line = source ? step_source_line(at->path, at->line) : NULL;
    const sm_code *code;
    uint32_t pc;
    if (!at->path || source)
        fprintf(to, ",\"ptx_line\":%u", step_insn_at(slot, site, &code, &pc)->line);
    if (at->path)
        fprintf(to, ",\"path\":%s,\"line\":%u", step_quoted(at->path), at->line);
    if (line)
        fprintf(to, ",\"source\":%s", step_quoted(line));
    free(line);
}

/* Replace mangled names of functions' variables in TEXT by the source's; returns TEXT. */
static char *with_source_names(char *text)
{
    char *to = text;
    for (const char *p = text; *p;) {
        const size_t length =
            strspn(p, "_$0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
        size_t n = length ? length : 1;
        const char *name = ptx_own_name(p, length, &n);
        memmove(to, name ? name : p, n);
        to += n;
        p += length ? length : 1;
    }
    *to = '\0';
    return text;
}

char *step_ptx_text(const step_block_slot *slot, uint32_t site)
{
    const sm_code *code;
    uint32_t pc;
    const ptx_insn *in = step_insn_at(slot, site, &code, &pc);
    char *text = dbg_insn_text(slot->launch->grid->unit->module, code->func, in);
    return text ? step_with_parameter_name(with_source_names(text)) : strdup("?");
}

/* --- where --- */

/* Write the fields of the current moment, each after a comma. */
static void write_moment(FILE *to)
{
    const step_state *s = &step_worker_state;
    const sm_launch *l = s->slot->launch->grid->launch;
    const sm_block *b = s->slot->block;
    const sm_code *code;
    uint32_t pc;
    step_insn_at(s->slot, s->i->site, &code, &pc);
    char *ptx = step_ptx_text(s->slot, s->i->site);
    fprintf(to, ",\"launch\":%" PRIu64 ",\"kernel\":%s,\"count\":%" PRIu64, l->number,
            step_quoted(l->name ? l->name : l->kernel->name), s->insn_count);
    fprintf(to, ",\"grid\":[%u,%u,%u],\"block_dim\":[%u,%u,%u]", l->grid[0], l->grid[1], l->grid[2],
            l->block[0], l->block[1], l->block[2]);
    fprintf(to, ",\"block\":[%u,%u,%u],\"block_index\":%" PRIu64 ",\"warp\":%u,\"mask\":\"%08x\"",
            b->id[0], b->id[1], b->id[2], b->linear, s->w->index, s->mask & s->w->mask);
    fprintf(to, ",\"function\":%s,\"pc\":%u,\"ptx\":%s", step_quoted(code->func->name), pc,
            step_quoted(ptx));
    step_write_position(to, s->slot, s->i->site, true);
    free(ptx);
}

/* Answer the question where the run stands, for the order O of the controller. */
static void answer_where(const step_order *o, FILE *to)
{
    const bool ended = step_worker_state.ended;
    fprintf(to, "{\"ok\":true,\"answer\":\"where\",\"state\":\"%s\",\"reason\":\"%s\"",
            ended ? "ended" : "stopped", o->reason);
    if (!ended)
        write_moment(to);
    fprintf(to, "%s}\n", o->extra);
}

/* --- lanes and warps --- */

/* Answer where the lanes of warp W stand, grouped by position and state. */
static void answer_lanes(const sm_warp *w, FILE *to)
{
    step_lane_group group[STEP_MAX_LANE_GROUPS];
    const uint32_t n = step_lane_groups(w, group);
    fprintf(to, "{\"ok\":true,\"answer\":\"lanes\",\"warp\":%u,\"groups\":[", w->index);
    for (uint32_t k = 0; k < n; k++) {
        const step_lane_group *g = &group[k];
        fprintf(to, "%s{\"lanes\":\"%08x\",\"state\":\"%s\"", k ? "," : "", g->lanes, g->state);
        if (g->at) {
            char *ptx = step_ptx_text(step_worker_state.slot, g->at->site);
            fprintf(to, ",\"pc\":%u", g->at->site - g->code->site_base);
            step_write_position(to, step_worker_state.slot, g->at->site, false);
            fprintf(to, ",\"ptx\":%s", step_quoted(ptx));
            free(ptx);
        }
        putc('}', to);
    }
    fputs("]}\n", to);
}

/* Answer where each warp of the current block stands. */
static void answer_warps(FILE *to)
{
    const sm_block *b = step_worker_state.slot->block;
    fprintf(to, "{\"ok\":true,\"answer\":\"warps\",\"block\":[%u,%u,%u],\"warps\":[", b->id[0],
            b->id[1], b->id[2]);
    for (uint32_t n = 0; n < b->warp_count; n++) {
        const sm_warp *w = &b->warp[n];
        step_lane_group group[STEP_MAX_LANE_GROUPS];
        const step_lane_group *g = step_lane_groups(w, group) ? group : NULL;
        fprintf(to, "%s{\"warp\":%u,\"state\":\"%s\",\"lanes\":\"%08x\"", n ? "," : "", n,
                step_warp_state(w), sm_live_lanes(w));
        if (g && g->at) {
            fprintf(to, ",\"pc\":%u", g->at->site - g->code->site_base);
            step_write_position(to, step_worker_state.slot, g->at->site, false);
        }
        putc('}', to);
    }
    fputs("]}\n", to);
}

/* --- commands --- */

/* Read "warp W" at the beginning of *TEXT; NULL: the block has no such warp. */
static const sm_warp *parse_warp(const char **text)
{
    char *end;
    if (strncmp(*text, "warp", 4) != 0)
        return step_worker_state.w;
    const unsigned long n = strtoul(*text + 4, &end, 10);
    *text = end + strspn(end, " \t\r\n");
    return n < step_worker_state.slot->block->warp_count ? &step_worker_state.slot->block->warp[n]
                                                         : NULL;
}

/* Answer whether the warp of the current block whose number is TEXT could run next. */
static void answer_can_run(const char *text, FILE *to)
{
    const unsigned long n = strtoul(text, NULL, 10);
    if (step_worker_state.ended) {
        fputs("the run has ended\n", to);
    } else if (n >= step_worker_state.slot->block->warp_count) {
        fputs("the block has no such warp\n", to);
    } else {
        const sm_warp *w = &step_worker_state.slot->block->warp[n];
        fputs(w->sched->done       ? "it has left the kernel\n"
              : w->sched->runnable ? "yes\n"
                                   : "it waits for other warps\n",
              to);
    }
}

/* Answer the controller's question for the last write to an address outside of kernels: the moment
 * after the write, and who wrote. */
static void answer_host_writer(const char *text, FILE *to)
{
    uint64_t tick;
    char by[200];
    if (step_find_write_outside_kernels(strtoull(text, NULL, 0), &tick, by, sizeof by))
        fprintf(to, "%" PRIu64 " %s\n", tick, by);
}

void step_answer(const step_order *o, FILE *to)
{
    const char *text = o->query + strspn(o->query, " \t");
    const size_t n = strcspn(text, " \t\r\n");
    const char *rest = text + n + strspn(text + n, " \t\r\n");
    const bool ended = step_worker_state.ended;
#define IS(word) (n == strlen(word) && strncmp(text, word, n) == 0)
    if (IS("where")) {
        answer_where(o, to);
    } else if (IS("side")) {
        if (!ended)
            write_moment(to);
    } else if (IS("can-run")) {
        answer_can_run(rest, to);
    } else if (IS("written")) {
        answer_host_writer(rest, to);
    } else if (IS("name")) {
        if (!ended)
            step_answer_array_name(rest, to);
    } else if (IS("place")) {
        if (!ended)
            step_answer_array_place(rest, to);
    } else if (IS("global")) {
        step_answer_device_memory(rest, to);
    } else if (ended) {
        step_write_error(to, "the run has ended: go back first");
    } else if (IS("warps")) {
        answer_warps(to);
    } else if (IS("shared")) {
        step_answer_shared_memory(rest, to);
    } else if (IS("request")) {
        step_answer_last_memory_request(to);
    } else if (IS("source")) {
        step_answer_source(rest, to);
    } else if (IS("ptx")) {
        step_answer_ptx(rest, to);
    } else {
        const sm_warp *w = parse_warp(&rest);
        if (!w)
            step_write_error(to, "the block has no such warp");
        else if (IS("lanes"))
            answer_lanes(w, to);
        else if (IS("registers"))
            step_answer_registers(w, rest, to);
        else
            step_answer_variables(w, to);
    }
#undef IS
}
