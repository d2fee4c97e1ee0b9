#include "answer.h"

#include "../base/files.h"
#include "../base/json.h"
#include "../base/plain.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- text --- */

/* The screen counts a column for each character: marks that combine, and others without width. */
static bool has_no_width(unsigned c)
{
    return c == 0xAD || (c >= 0x300 && c <= 0x36F) || (c >= 0x200B && c <= 0x200D) ||
           (c >= 0x2060 && c <= 0x206F) || (c >= 0xFFF9 && c <= 0xFFFC) ||
           (c >= 0xE0000 && c <= 0xE0FFF);
}

char *clean_text(const char *s, size_t most, bool lines)
{
    sb out = {0};
    size_t len = strlen(s);
    for (size_t i = 0, n; i < len && out.len < most; i += n) {
        unsigned c = utf8_decode(s + i, len - i, &n);
        if (c == '\t')
            sb_fill(&out, ' ', 4 - out.len % 4);
        else if (c == '\n')
            sb_puts(&out, lines ? "\n" : " ");
        else if (is_control_or_invalid(c) || has_no_width(c))
            sb_puts(&out, "?");
        else
            sb_add(&out, s + i, n);
    }
    return sb_take(&out);
}

static const char *text_field_limited(arena *a, const json_t *o, const char *key, size_t most,
                                      bool lines)
{
    const char *s = member_text(o, key);
    if (!s)
        return NULL;
    OWNED char *cleaned = clean_text(s, most, lines);
    return arena_strdup(a, cleaned);
}

static const char *report_text(arena *a, const json_t *o)
{
    const char *text = text_field_limited(a, o, "text", ANSWER_TEXT, true);
    return text ? omit_addresses(arena_strdup(a, text)) : NULL;
}

static const char *text_field(arena *a, const json_t *o, const char *key)
{
    return text_field_limited(a, o, key, ANSWER_TEXT, false);
}

static long long number_field(const json_t *o, const char *key, long long otherwise)
{
    const json_t *v = json_object_get(o, key);
    return json_is_integer(v) ? (long long)json_integer_value(v) : otherwise;
}

/* The number KEY of O if it is between 0 and MOST; else 0. */
static int field_as_small_number(const json_t *o, const char *key, int most)
{
    long long v = number_field(o, key, 0);
    return v >= 0 && v <= most ? (int)v : 0;
}

static bool read_hex(const char *s, unsigned long long *out)
{
    char *end;
    if (!s || !*s || *s == '-' || *s == '+' || *s == ' ')
        return false;
    errno = 0;
    *out = strtoull(s, &end, 16);
    return *end == '\0' && errno == 0;
}

static uint32_t field_as_lane_mask(const json_t *o, const char *key)
{
    unsigned long long v;
    return read_hex(member_text(o, key), &v) && v <= UINT32_MAX ? (uint32_t)v : 0;
}

static void read_three_numbers(const json_t *o, const char *key, long long out[3])
{
    const json_t *list = json_object_get(o, key);
    for (size_t i = 0; i < 3; i++) {
        const json_t *v = json_array_get(list, i);
        out[i] = json_is_integer(v) ? (long long)json_integer_value(v) : 0;
    }
}

static step_location read_location(arena *a, const json_t *o)
{
    step_location p = {.path = text_field(a, o, "path"), .ptx = text_field(a, o, "ptx")};
    p.file = p.path ? file_name_of(p.path) : NULL;
    p.pc = number_field(o, "pc", -1);
    p.line = p.path ? field_as_small_number(o, "line", 100000000) : 0;
    return p;
}

/* The list KEY of O; *COUNT is its length, at most ANSWER_ENTRIES. */
static const json_t *field_as_list(const json_t *o, const char *key, size_t *count)
{
    const json_t *list = json_object_get(o, key);
    *count = json_array_size(list);
    *count = *count > ANSWER_ENTRIES ? ANSWER_ENTRIES : *count;
    return json_is_array(list) ? list : NULL;
}

/* --- answers --- */

static replayer_answer damaged_answer(const char *what)
{
    return (replayer_answer){.kind = ANSWER_DAMAGED, .error = xstrdup(what)};
}

replayer_answer answer_parse(const char *line, size_t len, bool too_long)
{
    json_error_t why;
    if (too_long)
        return damaged_answer("The replayer's answer is too long to be read.");
    while (len && (*line == ' ' || *line == '\t'))
        line++, len--;
    if (!len || *line != '{')
        return (replayer_answer){.kind = ANSWER_NOISE};
    json_t *o = json_loadb(line, len, 0, &why);
    if (!o)
        return damaged_answer("The replayer's answer is damaged: it is not a JSON object.");
    replayer_answer a = {.kind = ANSWER_EVENT, .object = o};
    const json_t *ok = json_object_get(o, "ok");
    if (json_is_true(ok)) {
        const char *name = member_text(o, "answer");
        OWNED char *cleaned = clean_text(name ? name : "", sizeof a.name - 1, false);
        snprintf(a.name, sizeof a.name, "%s", cleaned);
        a.kind = ANSWER_OK;
    } else if (json_is_false(ok)) {
        const char *said = member_text(o, "error");
        a.kind = ANSWER_REFUSED;
        a.error = clean_text(said ? said : "The replayer refused the command and gave no reason.",
                             ANSWER_TEXT, false);
    } else if (!json_object_get(o, "event")) {
        answer_free(&a);
        return damaged_answer(
            "The replayer's answer is damaged: it contains neither a result nor an error.");
    }
    return a;
}

void answer_free(replayer_answer *a)
{
    json_decref(a->object);
    free(a->error);
    *a = (replayer_answer){0};
}

/* --- readers --- */

bool position_read(step_position *w, const json_t *o)
{
    arena_free(&w->memory);
    *w = (step_position){0};
    arena *a = &w->memory;
    const char *state = member_text(o, "state");
    w->reason = text_field(a, o, "reason");
    if (!w->reason)
        w->reason = "";
    if (!state)
        return false;
    w->is_ended = strcmp(state, "ended") == 0;
    if (w->is_ended)
        return true;
    w->kernel = text_field(a, o, "kernel");
    w->function = text_field(a, o, "function");
    w->source = text_field(a, o, "source");
    w->fault = text_field(a, o, "fault");
    w->launch = number_field(o, "launch", -1);
    w->insn = number_field(o, "count", -1);
    w->warp = field_as_small_number(o, "warp", 1023);
    w->mask = field_as_lane_mask(o, "mask");
    w->at = read_location(a, o);
    read_three_numbers(o, "grid", w->grid);
    read_three_numbers(o, "block_dim", w->block_dim);
    read_three_numbers(o, "block", w->block);
    const json_t *wrote = json_object_get(o, "wrote");
    w->wrote = text_field(a, wrote, "place");
    w->wrote_value = text_field_limited(a, wrote, "value", ANSWER_VALUE, false);
    w->wrote_by = text_field(a, wrote, "by");
    w->wrote_lanes = field_as_lane_mask(wrote, "lanes");
    w->wrong = text_field(a, o, "wrong");
    return w->kernel && w->launch >= 0 && w->insn >= 0;
}

static lane_state lane_state_of_name(const char *name)
{
    static const char *const names[] = {"active", "guarded", "diverged", "rejoins",
                                        "syncs",  "barrier", "exited",   "absent"};
    for (size_t i = 0; name && i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0)
            return (lane_state)i;
    return LANE_UNKNOWN;
}

bool lanes_read(step_lanes *l, const json_t *o)
{
    arena_free(&l->memory);
    *l = (step_lanes){.warp = field_as_small_number(o, "warp", 1023)};
    for (size_t i = 0; i < STEP_LANE_COUNT; i++)
        l->of[i] = LANE_UNKNOWN;
    size_t count;
    const json_t *groups = field_as_list(o, "groups", &count);
    for (size_t i = 0; i < count && i < STEP_LANE_COUNT; i++) {
        const json_t *row = json_array_get(groups, i);
        lane_group *g = ARENA_PUSH(&l->memory, l->groups, l->count);
        g->lanes = field_as_lane_mask(row, "lanes");
        g->state = lane_state_of_name(member_text(row, "state"));
        g->at = read_location(&l->memory, row);
        for (size_t lane = 0; lane < STEP_LANE_COUNT; lane++)
            if (g->lanes >> lane & 1)
                l->of[lane] = g->state;
    }
    return groups != NULL;
}

bool values_read(step_values *v, const json_t *o)
{
    arena_free(&v->memory);
    *v = (step_values){.warp = field_as_small_number(o, "warp", 1023)};
    arena *a = &v->memory;
    size_t count;
    const json_t *rows = field_as_list(o, "registers", &count);
    if (!rows)
        rows = field_as_list(o, "variables", &count);
    for (size_t i = 0; i < count; i++) {
        const json_t *row = json_array_get(rows, i), *values = json_object_get(row, "values");
        const char *name = text_field_limited(a, row, "name", 80, false);
        if (!name)
            continue;
        step_value *r = ARENA_PUSH(a, v->rows, v->count);
        r->name = name;
        r->type = text_field_limited(a, row, "type", ANSWER_VALUE, false);
        for (size_t lane = 0; lane < STEP_LANE_COUNT; lane++) {
            const char *s = json_string_value(json_array_get(values, lane));
            OWNED char *cleaned = s ? clean_text(s, ANSWER_VALUE, false) : NULL;
            r->lanes[lane] = cleaned ? arena_strdup(a, cleaned) : NULL;
        }
    }
    return rows != NULL;
}

bool warps_read(step_warps *w, const json_t *o)
{
    arena_free(&w->memory);
    *w = (step_warps){0};
    size_t count;
    const json_t *rows = field_as_list(o, "warps", &count);
    for (size_t i = 0; i < count; i++) {
        const json_t *row = json_array_get(rows, i);
        step_warp *one = ARENA_PUSH(&w->memory, w->rows, w->count);
        one->warp = field_as_small_number(row, "warp", 1023);
        one->state = text_field_limited(&w->memory, row, "state", ANSWER_VALUE, false);
        one->lanes = field_as_lane_mask(row, "lanes");
        one->at = read_location(&w->memory, row);
    }
    return rows != NULL;
}

bool shared_memory_read(step_shared_memory *s, const json_t *o)
{
    arena_free(&s->memory);
    *s = (step_shared_memory){.bytes = number_field(o, "bytes", -1)};
    arena *a = &s->memory;
    s->type = text_field_limited(a, o, "type", ANSWER_VALUE, false);
    size_t count, variables;
    const json_t *rows = field_as_list(o, "rows", &count);
    for (size_t i = 0; i < count; i++) {
        const json_t *row = json_array_get(rows, i), *values = json_object_get(row, "values");
        shared_row *r = ARENA_PUSH(a, s->rows, s->count);
        r->offset = number_field(row, "offset", 0);
        for (; r->count < STEP_LANE_COUNT && r->count < json_array_size(values); r->count++) {
            const char *v = json_string_value(json_array_get(values, r->count));
            OWNED char *cleaned = clean_text(v ? v : "?", ANSWER_VALUE, false);
            r->values[r->count] = arena_strdup(a, cleaned);
        }
    }
    const json_t *names = field_as_list(o, "variables", &variables);
    for (size_t i = 0; i < variables; i++) {
        const json_t *row = json_array_get(names, i);
        const char *name = text_field_limited(a, row, "name", 80, false);
        if (!name)
            continue;
        *ARENA_PUSH(a, s->variables, s->variable_count) =
            (shared_variable){.name = name,
                              .offset = number_field(row, "offset", 0),
                              .bytes = number_field(row, "bytes", 0)};
    }
    return rows && s->bytes >= 0;
}

bool request_read(step_request *r, const json_t *o)
{
    arena_free(&r->memory);
    *r = (step_request){.launch = number_field(o, "launch", -1),
                        .insn = number_field(o, "count", -1)};
    arena *a = &r->memory;
    r->warp = field_as_small_number(o, "warp", 1023);
    r->bytes = field_as_small_number(o, "bytes", 16);
    r->space = text_field_limited(a, o, "space", ANSWER_VALUE, false);
    r->effect = text_field_limited(a, o, "effect", ANSWER_VALUE, false);
    r->array = text_field_limited(a, o, "memory", ANSWER_VALUE, false);
    if (!r->array || !read_hex(member_text(o, "begins"), &r->begins))
        r->begins = 0;
    r->place = read_location(a, o);
    r->cost = number_field(o, "passes", number_field(o, "sectors", -1));
    r->ideal = number_field(o, "ideal", -1);
    const json_t *addresses = json_object_get(o, "addresses");
    for (size_t lane = 0; lane < STEP_LANE_COUNT; lane++)
        r->on[lane] = read_hex(json_string_value(json_array_get(addresses, lane)), &r->at[lane]) &&
                      r->at[lane] <= INT64_MAX;
    return r->space && r->effect && r->bytes > 0 && json_is_array(addresses);
}

static bool listing_read(step_listing *t, const json_t *o, const char *list, const char *key)
{
    arena_free(&t->memory);
    *t = (step_listing){0};
    arena *a = &t->memory;
    t->path = text_field(a, o, "path");
    t->function = text_field(a, o, "function");
    size_t count;
    const json_t *rows = field_as_list(o, list, &count);
    for (size_t i = 0; i < count; i++) {
        const json_t *row = json_array_get(rows, i);
        const char *s = text_field(a, row, "text");
        *ARENA_PUSH(a, t->rows, t->count) =
            (step_line){.number = number_field(row, key, -1),
                        .text = s ? s : "",
                        .line = field_as_small_number(row, "line", 100000000)};
    }
    return rows != NULL;
}

bool source_read(step_listing *t, const json_t *o)
{
    return listing_read(t, o, "lines", "line");
}

bool ptx_read(step_listing *t, const json_t *o)
{
    return listing_read(t, o, "insns", "pc");
}

bool reports_read(step_reports *r, const json_t *o)
{
    arena_free(&r->memory);
    *r = (step_reports){0};
    size_t count;
    const json_t *rows = field_as_list(o, "reports", &count);
    for (size_t i = 0; i < count; i++) {
        const json_t *row = json_array_get(rows, i);
        step_report *one = ARENA_PUSH(&r->memory, r->rows, r->count);
        const char *kind = text_field_limited(&r->memory, row, "kind", ANSWER_VALUE, false);
        const char *said = report_text(&r->memory, row);
        *one = (step_report){.number = field_as_small_number(row, "number", 1000000),
                             .kind = kind ? kind : "",
                             .text = said ? said : "",
                             .launch = number_field(row, "launch", -1),
                             .insn = number_field(row, "count", -1),
                             .at = read_location(&r->memory, row)};
    }
    return rows != NULL;
}

bool report_moments_read(step_report_moments *m, const json_t *o)
{
    arena_free(&m->memory);
    *m = (step_report_moments){.number = field_as_small_number(o, "number", 1000000)};
    arena *a = &m->memory;
    m->kind = text_field_limited(a, o, "kind", ANSWER_VALUE, false);
    m->text = report_text(a, o);
    m->place = text_field(a, o, "place");
    m->missing = text_field(a, o, "missing");
    size_t count;
    const json_t *sides = field_as_list(o, "sides", &count);
    for (; m->count < 2 && m->count < count; m->count++) {
        const json_t *row = json_array_get(sides, m->count);
        m->sides[m->count] = (step_moment){.who = text_field(a, row, "who"),
                                           .did = text_field(a, row, "did"),
                                           .source = text_field(a, row, "source"),
                                           .launch = number_field(row, "launch", -1),
                                           .insn = number_field(row, "count", -1),
                                           .warp = field_as_small_number(row, "warp", 1023),
                                           .at = read_location(a, row)};
    }
    return m->text && m->count > 0;
}
