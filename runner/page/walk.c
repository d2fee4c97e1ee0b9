/* A page's parts from walking through the run: the moments of one warp, and of each report. */
#include "page.h"

#include "../base/files.h"
#include "moment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    WALK_LIMIT_S = 180, /* the longest time that the walk may take */
    MAX_OTHER_WARPS =
        20000, /* turns of other warps between two of the warp that is shown, at most */
    MAX_SOURCE_BYTES = 1 << 20, /* larger source files are not stored */
    MAX_SOURCE_LINES = 4000
};

/* The warp that a page shows, and the moment of the run that it is about. */
typedef struct walk_place {
    long long launch, block, warp; /* numbers; of the block in its grid */
    long long focus;               /* count of the moment that the page opens at; -1: the first */
    char why[128];                 /* why this warp was chosen: a sentence's beginning */
} walk_place;

static bool is_at(const json_t *where, const walk_place *p)
{
    return answer_number(where, "launch", -1) == p->launch &&
           answer_number(where, "block_index", -1) == p->block &&
           answer_number(where, "warp", -1) == p->warp;
}

/* --- the warp that is shown --- */

/* The warp that works longest in the launch. */
static walk_place busiest_place(const page_findings *found, const page_choice *choice)
{
    walk_place p = {
        .launch = found->busiest, .block = found->block, .warp = found->warp, .focus = -1};
    const char *launch = choice->launch >= 0 ? "that was asked for" : "that takes longest";
    if (found->excess > 1.005) {
        snprintf(p.why, sizeof p.why,
                 "of the launch %s, the warp that works longest: %.3g times the mean", launch,
                 found->excess);
    } else {
        p.block = p.warp = 0;
        snprintf(p.why, sizeof p.why, "of the launch %s, the first warp: all work equally long",
                 launch);
    }
    return p;
}

/* Where the run is to be looked at, as `open` says: its first report or first wrong value. */
static walk_place place_of_interest(conversation *c, json_t *run, const page_choice *choice,
                                    const page_findings *found)
{
    walk_place p = busiest_place(found, choice);
    json_auto_t *where = found->has_mistakes ? conversation_ask(c, "open") : NULL;
    const char *reason = where ? member_text(where, "reason") : NULL;
    const bool wrong = reason && strcmp(reason, "wrong") == 0;
    if (reason && (wrong || strcmp(reason, "report") == 0) &&
        answer_number(where, "count", -1) >= 0) {
        p = (walk_place){.launch = answer_number(where, "launch", 0),
                         .block = answer_number(where, "block_index", 0),
                         .warp = answer_number(where, "warp", 0),
                         .focus = answer_number(where, "count", 0)};
        snprintf(p.why, sizeof p.why, "%s",
                 wrong ? "the warp that wrote the first wrong value"
                       : "the warp of the first report");
        if (member_text(where, "wrong"))
            json_object_set(run, "wrong", json_object_get(where, "wrong"));
    }
    return p;
}

/* The choice of the command line goes before what is of interest. */
static void apply_choice(walk_place *p, const page_choice *choice, const page_findings *found)
{
    const bool other = (choice->launch >= 0 && choice->launch != p->launch) ||
                       (choice->block >= 0 && choice->block != p->block) ||
                       choice->has_block_index || (choice->warp >= 0 && choice->warp != p->warp);
    if (!other)
        return;
    if (choice->launch >= 0 && choice->launch != p->launch)
        *p = busiest_place(found, choice);
    if (choice->block < 0 && !choice->has_block_index && choice->warp < 0)
        return;
    if (choice->has_block_index || (choice->block >= 0 && choice->block != p->block))
        *p = (walk_place){.launch = p->launch, .block = choice->block};
    if (choice->warp >= 0)
        p->warp = choice->warp;
    p->focus = -1;
    snprintf(p->why, sizeof p->why, "the warp that was asked for");
}

static long long grid_number(const json_t *where, const char *key, size_t i)
{
    return (long long)json_integer_value(json_array_get(json_object_get(where, key), i));
}

/* The number of the block that the command line names by its index. */
static bool number_block(walk_place *p, const page_choice *choice, const json_t *where)
{
    const long long *at = choice->block_index, x = grid_number(where, "grid", 0),
                    y = grid_number(where, "grid", 1), z = grid_number(where, "grid", 2);
    if (choice->has_block_index)
        p->block =
            at[0] < x && at[1] < y && at[2] < z ? at[0] + x * (at[1] + y * at[2]) : x * y * z;
    if (p->block < x * y * z)
        return true;
    fprintf(stderr, "warpbook: launch %lld has the blocks 0 to %lld\n", p->launch, x * y * z - 1);
    return false;
}

/* Go to the first instruction of the warp. NULL: a message was printed. */
static json_t *go_to_warp(conversation *c, walk_place *p, const page_choice *choice)
{
    json_auto_t *where = conversation_ask(c, "go %lld 0", p->launch);
    if (!where || answer_number(where, "launch", -1) != p->launch) {
        fprintf(stderr, "warpbook: the run has no launch %lld that can be walked through\n",
                p->launch);
        return NULL;
    }
    if (!number_block(p, choice, where))
        return NULL;
    if (p->block > 0) {
        json_decref(where);
        where = conversation_ask(c, "run %lld block", p->block);
    }
    for (int i = 0; i < MAX_OTHER_WARPS && where && !is_at(where, p); i++) {
        if (answer_number(where, "launch", -1) != p->launch ||
            answer_number(where, "block_index", -1) != p->block)
            break;
        json_decref(where);
        where = conversation_ask(c, "run warp");
    }
    if (where && is_at(where, p))
        return json_incref(where);
    fprintf(stderr, "warpbook: block %lld of launch %lld has no warp %lld\n", p->block, p->launch,
            p->warp);
    return NULL;
}

/* --- its moments --- */

/* True: the PTX instruction is a barrier of the block. */
static bool is_barrier(const char *ptx)
{
    if (ptx && *ptx == '@')
        ptx += strcspn(ptx, " ");
    ptx = ptx ? ptx + strspn(ptx, " ") : "";
    return starts_with(ptx, "bar.") || starts_with(ptx, "barrier.");
}

/* Go on to the next instruction of the warp at P. NULL: it has ended, or is not come to. */
static json_t *next_of_warp(conversation *c, const walk_place *p)
{
    json_t *where = conversation_ask(c, "run insn");
    for (int i = 0; i < MAX_OTHER_WARPS && where && !is_at(where, p); i++) {
        if (answer_number(where, "launch", -1) != p->launch)
            break;
        const bool other_block = answer_number(where, "block_index", -1) != p->block;
        json_decref(where);
        where = conversation_ask(c, other_block ? "run block" : "run warp");
    }
    if (where && is_at(where, p))
        return where;
    json_decref(where);
    return NULL;
}

/* If the moment that the page is about lies further on than is stored, begin less far before it. */
static json_t *skip_ahead(conversation *c, json_t *run, const walk_place *p,
                          const page_choice *choice, json_t *where)
{
    const long long first = answer_number(where, "count", 0), before = choice->moments * 3 / 4;
    if (p->focus < 0 || p->focus - first <= before)
        return where;
    json_decref(where);
    where = conversation_ask(c, "go %lld %lld", p->launch, p->focus - before);
    if (where && !is_at(where, p)) {
        json_decref(where);
        where = next_of_warp(c, p);
    }
    if (where)
        page_note_omission(run, "the warp's instructions before number %lld of the launch",
                           answer_number(where, "count", 0));
    return where;
}

static void add_moments(conversation *c, json_t *run, json_t *walk, const walk_place *p,
                        const page_choice *choice, json_t *where)
{
    CLEANUP(moment_state_free) moment_state s = {.rows = MOMENT_SHARED_ROWS};
    json_t *moments = json_array();
    long long focus = 0;
    while (where && json_array_size(moments) < (size_t)choice->moments &&
           s.bytes < PAGE_WALK_BYTES) {
        moment_send_questions(c, &s, where);
        json_t *m = moment_read_answers(c, &s, where);
        if (is_barrier(member_text(where, "ptx")))
            json_object_set_new(m, "b", json_true());
        if (p->focus >= 0 && answer_number(where, "count", -1) <= p->focus)
            focus = (long long)json_array_size(moments);
        json_array_append_new(moments, m);
        json_decref(where);
        where = next_of_warp(c, p);
    }
    if (where)
        page_note_omission(run, "the warp's instructions from number %lld of the launch on",
                           answer_number(where, "count", 0));
    else if (c->is_broken)
        page_note_omission(run, "the warp's instructions after the last one shown: %s", c->error);
    json_decref(where);
    moment_state_add(&s, walk);
    if (answer_number(s.shared, "bytes", 0) > MOMENT_SHARED_ROWS * 128)
        page_note_omission(run, "shared memory beyond its first %d bytes",
                           MOMENT_SHARED_ROWS * 128);
    json_object_set_new(walk, "focus", json_integer(focus));
    json_object_set_new(walk, "moments", moments);
}

static json_t *walk_of_warp(conversation *c, json_t *run, walk_place *p, const page_choice *choice)
{
    json_t *where = go_to_warp(c, p, choice);
    if (!where)
        return NULL;
    json_t *walk = json_pack(
        "{s:I, s:O, s:O, s:O, s:O, s:I, s:I, s:s}", "launch", (json_int_t)p->launch, "kernel",
        json_object_get(where, "kernel"), "grid", json_object_get(where, "grid"), "block_dim",
        json_object_get(where, "block_dim"), "block", json_object_get(where, "block"),
        "block_index", (json_int_t)p->block, "warp", (json_int_t)p->warp, "why", p->why);
    page_note_omission(run, "all warps but warp %lld of block %lld of launch %lld (%s)", p->warp,
                       p->block, p->launch, p->why);
    where = skip_ahead(c, run, p, choice, where);
    add_moments(c, run, walk, p, choice, where);
    return walk;
}

/* --- reports --- */

/* A side of a report, with the moment of its instruction as a walk of its own. */
static json_t *side_of_report(conversation *c, const json_t *side)
{
    static const char *const fields[] = {"who",  "did",  "launch", "count", "warp",
                                         "path", "line", "source", "ptx"};
    json_t *out = json_object();
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (json_object_get(side, fields[i]))
            json_object_set(out, fields[i], json_object_get(side, fields[i]));
    const long long count = answer_number(side, "count", -1);
    json_auto_t *where =
        count < 0 ? NULL
                  : conversation_ask(c, "go %lld %lld", answer_number(side, "launch", 0), count);
    if (where && answer_number(where, "count", -1) == count) {
        CLEANUP(moment_state_free) moment_state s = {.rows = MOMENT_SHARED_ROWS};
        moment_send_questions(c, &s, where);
        json_t *moment = moment_read_answers(c, &s, where);
        json_t *walk = json_pack(
            "{s:O, s:O, s:O, s:O, s:i, s:[o]}", "launch", json_object_get(where, "launch"),
            "kernel", json_object_get(where, "kernel"), "block", json_object_get(where, "block"),
            "warp", json_object_get(where, "warp"), "focus", 0, "moments", moment);
        moment_state_add(&s, walk);
        json_object_set_new(out, "walk", walk);
    }
    return out;
}

static void add_reports(conversation *c, json_t *run)
{
    static const char *const fields[] = {"number", "kind", "text", "place", "missing", "fix"};
    json_t *reports = json_array();
    for (int n = 1; n <= PAGE_MAX_REPORTS + 1; n++) {
        json_auto_t *answer = conversation_ask(c, "report %d", n);
        if (answer && n > PAGE_MAX_REPORTS)
            page_note_omission(run, "reports after the first %d", PAGE_MAX_REPORTS);
        if (!answer || n > PAGE_MAX_REPORTS)
            break;
        json_t *report = json_object(), *sides = json_array(), *side;
        size_t i;
        for (i = 0; i < sizeof fields / sizeof *fields; i++)
            if (json_object_get(answer, fields[i]))
                json_object_set(report, fields[i], json_object_get(answer, fields[i]));
        const char *said = member_text(report, "text");
        OWNED char *text = omit_addresses(xstrdup(said ? said : ""));
        json_object_set_new(report, "text", text_json(text));
        json_array_foreach(json_object_get(answer, "sides"), i, side)
            json_array_append_new(sides, side_of_report(c, side));
        json_object_set_new(report, "sides", sides);
        json_array_append_new(reports, report);
    }
    json_object_set_new(run, "reports", reports);
}

bool page_add_walk(installation *h, json_t *run, const char *recording, const page_choice *choice,
                   const page_findings *found)
{
    conversation c;
    const replay_command command = page_replay_command(h, recording, choice);
    conversation_start(&c, command.argv,
                       found->has_mistakes ? PAGE_SANITIZE : "WARPBOOK_SANITIZE=none",
                       WALK_LIMIT_S);
    json_auto_t *first = conversation_answer(&c);
    json_t *walk = NULL;
    if (first) {
        if (found->has_mistakes)
            add_reports(&c, run);
        else
            json_object_set_new(run, "reports", json_array());
        walk_place p = place_of_interest(&c, run, choice, found);
        apply_choice(&p, choice, found);
        walk = walk_of_warp(&c, run, &p, choice);
        if (choice->launches >= 0)
            page_note_omission(run, "launches after the first %lld", choice->launches);
    } else {
        fprintf(stderr, "warpbook: %s cannot be walked through: %s\n", recording,
                c.error ? c.error : "no answer");
    }
    conversation_end(&c);
    if (walk)
        json_object_set_new(run, "walk", walk);
    return walk != NULL;
}

/* --- source files --- */

/* A recording names its files, and may name any: a page shows only what is code by its name. */
static bool is_source_name(const char *path)
{
    static const char *const ends[] = {".cu", ".cuh", ".h", ".hpp", ".hh", ".cpp",
                                       ".cc", ".cxx", ".c", ".inc", ".inl"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (ends_with(path, ends[i]))
            return true;
    return false;
}

static json_t *lines_of_file(json_t *run, const char *path, const char *given)
{
    if (given && strcmp(file_name_of(given), file_name_of(path)) == 0)
        path = given;
    char *text = is_source_name(path) ? read_whole_file(path, MAX_SOURCE_BYTES, NULL) : NULL;
    if (!text) {
        page_note_omission(run, "the text of %s, which cannot be read here", file_name_of(path));
        return NULL;
    }
    json_t *lines = json_array();
    const char *at = text, *line;
    size_t len, n = 0;
    while ((line = next_line(&at, &len))) {
        OWNED char *copy = xprintf("%.*s", (int)len, line);
        if (n++ < MAX_SOURCE_LINES)
            json_array_append_new(lines, text_json(copy));
    }
    if (n > MAX_SOURCE_LINES)
        page_note_omission(run, "%s after line %d", path, MAX_SOURCE_LINES);
    free(text);
    return lines;
}

static void add_source(json_t *run, json_t *sources, const json_t *path, const char *given)
{
    const char *name = json_string_value(path);
    size_t i;
    json_t *known;
    json_array_foreach(sources, i, known)
        if (!name || json_equal(json_object_get(known, "path"), path))
            return;
    json_t *lines = name ? lines_of_file(run, name, given) : NULL;
    if (lines)
        json_array_append_new(sources, json_pack("{s:s, s:s, s:o}", "path", name, "file",
                                                 file_name_of(name), "lines", lines));
}

void page_add_sources(json_t *run, const char *given)
{
    json_t *sources = json_array(), *row;
    size_t i;
    json_array_foreach(json_object_get(json_object_get(run, "walk"), "paths"), i, row)
        add_source(run, sources, row, given);
    json_array_foreach(json_object_get(run, "margin"), i, row)
        add_source(run, sources, json_object_get(row, "path"), given);
    json_object_set_new(run, "sources", sources);
}
