/* The panes of code, lanes, warps and reports, and functions shared by all panes. */
#include "../book/syntax.h"
#include "stepper.h"

#include <string.h>

#define QUERY_BIT(query) (1u << (query)) /* in a set of answers, the bit of query_kind QUERY */

const pane_row pane_rows[PANE_COUNT] = {
    [PANE_CODE] = {"Code", fill_code_pane,
                   QUERY_BIT(ASK_SOURCE) | QUERY_BIT(ASK_PTX) | QUERY_BIT(ASK_LANES)},
    [PANE_LANES] = {"Lanes", fill_lanes_pane, QUERY_BIT(ASK_LANES)},
    [PANE_VALUES] = {"Values", fill_values_pane,
                     QUERY_BIT(ASK_REGISTERS) | QUERY_BIT(ASK_VARIABLES)},
    [PANE_WARPS] = {"Warps", fill_warps_pane, QUERY_BIT(ASK_WARPS)},
    [PANE_SHARED] = {"Shared memory", fill_shared_pane, QUERY_BIT(ASK_SHARED)},
    [PANE_REQUEST] = {"Last request", fill_request_pane,
                      QUERY_BIT(ASK_REQUEST) | QUERY_BIT(ASK_SOURCE)},
    [PANE_REPORTS] = {"Reports", fill_reports_pane, QUERY_BIT(ASK_REPORTS)},
};

size_t first_visible_row(size_t chosen, size_t count, size_t rows)
{
    if (count <= rows || chosen <= rows / 2)
        return 0;
    return chosen - rows / 2 + rows > count ? count - rows : chosen - rows / 2;
}

static const struct {
    char sign;                  /* character for a lane */
    style how;                  /* style of the character */
    const char *name, *meaning; /* name in the replayer's answers; what the lane does, in words */
} states[LANE_STATE_COUNT] = {
    [LANE_ACTIVE] = {'>', STYLE_GOOD, "active", "executes the instruction"},
    [LANE_GUARDED] = {'g', STYLE_DIM, "guarded", "is at the instruction, but its guard is false"},
    [LANE_DIVERGED] = {'d', STYLE_BAD, "diverged", "is at another instruction"},
    [LANE_REJOINS] = {'j', STYLE_CODE, "rejoins", "waits at the reconvergence point"},
    [LANE_SYNCS] = {'s', STYLE_CODE, "syncs", "waits in a shuffle, vote or __syncwarp"},
    [LANE_BARRIER] = {'B', STYLE_TODO, "barrier", "waits at a barrier of the block"},
    [LANE_EXITED] = {'x', STYLE_DIM, "exited", "has left the kernel"},
    [LANE_ABSENT] = {'.', STYLE_DIM, "absent", "does not exist"},
    [LANE_UNKNOWN] = {'?', STYLE_NOTE, "unknown", "is in an unknown state"},
};

char lane_sign(lane_state state, style *how)
{
    *how = states[state].how;
    return states[state].sign;
}

const char *lane_meaning(lane_state state)
{
    return states[state].meaning;
}

void put_reason_for_empty_pane(page *p, const stepper *s, query_kind query, const char *otherwise,
                               int columns)
{
    styled t = {0};
    if (!s->w.where.is_ended && !(s->w.known & QUERY_BIT(query)))
        return; /* no answer yet: show nothing */
    const char *why = s->w.where.is_ended ? "The run has ended."
                      : s->w.why[query]   ? s->w.why[query]
                                          : otherwise;
    styled_puts(&t, STYLE_DIM, why);
    page_wrap(p, &t, (size_t)columns, " ", " ");
}

/* --- code --- */

/* The state shown at a source line: of its lanes' states, the first in lane_state. */
static lane_state lane_state_at_line(const stepper *s, long long line)
{
    lane_state found = LANE_UNKNOWN;
    for (size_t i = 0; i < s->w.lanes.count; i++) {
        const lane_group *g = &s->w.lanes.groups[i];
        if (g->at.line == line && g->at.path && s->w.source.path &&
            strcmp(g->at.path, s->w.source.path) == 0 && g->state < found)
            found = g->state;
    }
    return found;
}

static void put_source(stepper *s, page *p, int rows)
{
    long long current = s->w.where.at.line, chosen = current + s->line_off;
    long long last = s->w.source.count ? s->w.source.rows[s->w.source.count - 1].number : 0;
    long long from = chosen - rows / 2;
    from = from + rows > last + 1 ? last + 1 - rows : from;
    from = from < 1 ? 1 : from;
    bool in_comment = false;
    for (long long n = from; n < from + rows; n++) {
        const step_line *l = session_source_line(&s->w, n);
        styled t = {0};
        style how;
        lane_state state = lane_state_at_line(s, n);
        char sign = n == current ? '>' : state == LANE_UNKNOWN ? ' ' : lane_sign(state, &how);
        if (n == current)
            how = STYLE_GOOD;
        styled_printf(&t, sign == ' ' ? STYLE_DIM : how, "%c", sign);
        if (l)
            styled_printf(&t,
                          n == chosen && s->line_off ? STYLE_PICKED
                          : n == current             ? STYLE_STRONG
                                                     : STYLE_DIM,
                          "%4lld", n);
        if (l) {
            styled_puts(&t, STYLE_NORMAL, " ");
            syntax_add_line(&t, l->text, &in_comment);
        }
        page_add_line(p, &t);
    }
}

static void add_ptx_lines(stepper *s, page *p, int rows)
{
    const step_listing *x = &s->w.ptx;
    size_t at = 0;
    while (at < x->count && x->rows[at].number != s->w.where.at.pc)
        at++;
    size_t from = first_visible_row(at < x->count ? at : 0, x->count, (size_t)rows);
    for (size_t i = from; i < x->count && i < from + (size_t)rows; i++) {
        styled t = {0};
        styled_puts(&t, STYLE_GOOD, i == at ? ">" : " ");
        if (x->rows[i].line)
            styled_printf(&t, STYLE_DIM, "%4d ", x->rows[i].line);
        else
            styled_puts(&t, STYLE_DIM, "     ");
        styled_puts(&t, i == at ? STYLE_STRONG : STYLE_CODE, x->rows[i].text);
        page_add_line(p, &t);
    }
}

void fill_code_pane(stepper *s, page *p, sb *title, int rows, int columns)
{
    const step_position *w = &s->w.where;
    if (s->w.has_where && w->at.file)
        sb_printf(title, "%s:%d", w->at.file, w->at.line);
    if (!s->w.has_where || w->is_ended) {
        put_reason_for_empty_pane(p, s, ASK_SOURCE, "", columns);
        return;
    }
    int ptx = rows * 2 / 5, source = rows - ptx;
    if (w->at.path && !s->w.why[ASK_SOURCE] && s->w.source.count) {
        put_source(s, p, source);
    } else {
        put_reason_for_empty_pane(
            p, s, ASK_SOURCE, "The source of this place is not known (nvcc -lineinfo).", columns);
        ptx = rows - (int)p->count;
    }
    add_ptx_lines(s, p, ptx);
}

/* --- lanes --- */

static void add_lane_group(page *p, const lane_group *g)
{
    style how;
    char sign = lane_sign(g->state, &how);
    styled t = {0};
    CLEANUP(sb_free) sb ranges = {0};
    styled_printf(&t, how, " %c ", sign);
    append_lane_ranges(&ranges, g->lanes, ",");
    if (g->lanes == UINT32_MAX)
        styled_puts(&t, STYLE_NORMAL, "all");
    else if (ranges.len > 24)
        styled_printf(&t, STYLE_NORMAL, "%d lanes", __builtin_popcount(g->lanes));
    else
        styled_puts(&t, STYLE_NORMAL, ranges.s ? ranges.s : "none");
    styled_printf(&t, how, "  %s", states[g->state].name);
    if (g->at.line)
        styled_printf(&t, STYLE_NORMAL, "  %s:%d", g->at.file, g->at.line);
    if (g->at.ptx)
        styled_printf(&t, STYLE_CODE, "  %s", g->at.ptx);
    page_add_line(p, &t);
}

void fill_lanes_pane(stepper *s, page *p, sb *title, int rows, int columns)
{
    const step_lanes *l = &s->w.lanes;
    styled head = {0}, signs = {0};
    if (s->w.where.is_ended || !l->count) {
        put_reason_for_empty_pane(p, s, ASK_LANES, "", columns);
        return;
    }
    sb_printf(title, "warp %d%s: lane %d %s", l->warp,
              s->w.other_warp >= 0 ? " (not the one that runs next)" : "", s->lane,
              lane_meaning(l->of[s->lane]));
    styled_puts(&head, STYLE_DIM, "   ");
    styled_puts(&signs, STYLE_NORMAL, "   ");
    for (int lane = 0; lane < STEP_LANE_COUNT; lane++) {
        style how;
        char sign = lane_sign(l->of[lane], &how);
        if (lane % 4 == 0)
            styled_printf(&head, STYLE_DIM, "%-8d", lane);
        styled_add(&signs, lane == s->lane ? STYLE_PICKED : how, &sign, 1);
        styled_puts(&signs, STYLE_NORMAL, " ");
    }
    page_add_line(p, &head);
    page_add_line(p, &signs);
    size_t room = (size_t)rows - p->count, fit = l->count <= room ? l->count : room - 1;
    for (size_t i = 0; i < fit; i++)
        add_lane_group(p, &l->groups[i]);
    if (fit < l->count)
        page_line_add(p, STYLE_DIM, "   and %zu more groups: press 2, z", l->count - fit);
}

/* --- warps --- */

void fill_warps_pane(stepper *s, page *p, sb *title, int rows, int columns)
{
    const step_warps *w = &s->w.warps;
    if (s->w.where.is_ended || !w->count) {
        put_reason_for_empty_pane(p, s, ASK_WARPS, "", columns);
        return;
    }
    sb_printf(title, "%zu in block %lld,%lld,%lld", w->count, s->w.where.block[0],
              s->w.where.block[1], s->w.where.block[2]);
    s->warp_row = s->warp_row < w->count ? s->warp_row : w->count - 1;
    size_t from = first_visible_row(s->warp_row, w->count, (size_t)rows);
    for (size_t i = from; i < w->count && i < from + (size_t)rows; i++) {
        const step_warp *one = &w->rows[i];
        const char *state = one->state ? one->state : "?";
        const step_line *l =
            one->at.path && s->w.source.path && strcmp(one->at.path, s->w.source.path) == 0
                ? session_source_line(&s->w, one->at.line)
                : NULL;
        bool runs = strcmp(state, "running") == 0;
        styled t = {0};
        styled_puts(&t, STYLE_GOOD, runs ? ">" : " ");
        styled_printf(&t, i == s->warp_row && s->focus == PANE_WARPS ? STYLE_PICKED : STYLE_NORMAL,
                      "%3d", one->warp);
        styled_printf(&t,
                      runs                          ? STYLE_GOOD
                      : strcmp(state, "waits") == 0 ? STYLE_TODO
                      : strcmp(state, "done") == 0  ? STYLE_DIM
                                                    : STYLE_NORMAL,
                      " %-8s", state);
        if (one->at.line)
            styled_printf(&t, STYLE_NORMAL, "%s:%d", one->at.file, one->at.line);
        if (l)
            styled_printf(&t, STYLE_DIM, "  %s", l->text + strspn(l->text, " "));
        page_add_line(p, &t);
    }
}

/* --- reports --- */

void fill_reports_pane(stepper *s, page *p, sb *title, int rows, int columns)
{
    const step_reports *r = &s->w.reports;
    if (!r->count) {
        const char *why = s->w.why[ASK_REPORTS];
        page_wrap_text(p, STYLE_DIM,
                       why ? why : "No mistake reported so far. r runs to the next report.",
                       (size_t)columns, " ", " ");
        return;
    }
    sb_printf(title, "%zu so far; Enter explains one", r->count);
    s->report_row = s->report_row < r->count ? s->report_row : r->count - 1;
    /* A report takes as many rows as its text has lines. If not all reports fit, the list starts at
     * the chosen one. */
    for (size_t i = s->report_row > 1 ? s->report_row - 1 : 0; i < r->count && (int)p->count < rows;
         i++) {
        const step_report *one = &r->rows[i];
        styled t = {0};
        bool chosen = i == s->report_row && s->focus == PANE_REPORTS;
        styled_printf(&t, chosen ? STYLE_PICKED : STYLE_STRONG, "%d %s", one->number, one->kind);
        if (one->launch >= 0)
            styled_printf(&t, STYLE_DIM, " launch %lld instr %lld", one->launch, one->insn);
        styled_printf(&t, STYLE_NORMAL, " %.*s", (int)strcspn(one->text, "\n"), one->text);
        page_wrap(p, &t, (size_t)columns, " ", "    ");
    }
}
