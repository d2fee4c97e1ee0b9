#include "moment.h"

#include "page.h"

#include <stdlib.h>
#include <string.h>

enum { SECTOR_BYTES = 32, WORD_BYTES = 4, BANKS = 32 };

static json_t *list_of(json_t **list)
{
    return *list ? *list : (*list = json_array());
}

void moment_state_free(moment_state *s)
{
    json_decref(s->functions);
    json_decref(s->registers);
    json_decref(s->paths);
    json_decref(s->shared);
    json_decref(s->values);
    json_decref(s->words);
    free(s->request_text);
    free(s->shared_text);
    free(s->ptx);
    *s = (moment_state){0};
}

static size_t place_of_path(moment_state *s, const char *path)
{
    size_t i;
    json_t *known;
    json_array_foreach(list_of(&s->paths), i, known)
        if (strcmp(json_string_value(known), path) == 0)
            return i;
    json_array_append_new(s->paths, json_string(path));
    return i;
}

/* The place of the current function, whose instructions are asked for where it is new. */
static size_t place_of_function(conversation *c, moment_state *s, const char *name)
{
    size_t i;
    json_t *known;
    json_array_foreach(list_of(&s->functions), i, known)
        if (strcmp(member_text(known, "name"), name) == 0)
            return i;
    json_t *answer = conversation_ask(c, "ptx 4000"), *insns = json_array(), *insn;
    json_array_foreach(json_object_get(answer, "insns"), i, insn) {
        json_array_append_new(insns,
                              json_pack("[I, I, O]", (json_int_t)answer_number(insn, "pc", -1),
                                        (json_int_t)answer_number(insn, "line", 0),
                                        json_object_get(insn, "text")));
    }
    json_decref(answer);
    i = json_array_size(s->functions);
    json_array_append_new(s->functions, json_pack("{s:s, s:o}", "name", name, "insns", insns));
    return i;
}

/* Values of lanes as the page has them: one where all are equal, else the list. */
static json_t *shortened(json_t *values)
{
    const size_t n = json_array_size(values);
    for (size_t i = 1; i < n; i++)
        if (!json_equal(json_array_get(values, i), json_array_get(values, 0)))
            return json_incref(values);
    return n ? json_incref(json_array_get(values, 0)) : json_null();
}

/* The registers that changed, as [place, values] each. */
static json_t *changed_registers(moment_state *s, const json_t *answer, size_t function)
{
    json_t *changes = json_array(), *row, *known;
    size_t i, at;
    list_of(&s->values);
    json_array_foreach(json_object_get(answer, "registers"), i, row) {
        const char *name = member_text(row, "name"), *type = member_text(row, "type");
        json_t *values = json_object_get(row, "values");
        if (!name || !type || json_array_size(values) != PAGE_LANES)
            continue;
        json_array_foreach(list_of(&s->registers), at, known)
            if (strcmp(member_text(known, "name"), name) == 0 &&
                answer_number(known, "function", -1) == (long long)function)
                break;
        if (at == json_array_size(s->registers)) {
            json_array_append_new(s->registers,
                                  json_pack("{s:I, s:s, s:s}", "function", (json_int_t)function,
                                            "name", name, "type", type));
            json_array_append_new(s->values, json_null());
        }
        if (json_equal(json_array_get(s->values, at), values))
            continue;
        json_array_set(s->values, at, values);
        json_array_append_new(changes, json_pack("[I, o]", (json_int_t)at, shortened(values)));
    }
    return changes;
}

/* Words of shared memory that changed, as [offset of a row, values] each. */
static json_t *changed_shared_memory(moment_state *s, const json_t *answer)
{
    json_t *changes = json_array(), *row;
    size_t i;
    if (!answer)
        return changes;
    if (!s->words)
        s->words = json_object();
    if (!s->shared)
        s->shared = json_pack("{s:O, s:O, s:O}", "bytes", json_object_get(answer, "bytes"), "type",
                              json_object_get(answer, "type"), "variables",
                              json_object_get(answer, "variables"));
    json_array_foreach(json_object_get(answer, "rows"), i, row) {
        char offset[32];
        json_t *values = json_object_get(row, "values");
        snprintf(offset, sizeof offset, "%lld", answer_number(row, "offset", 0));
        if (json_equal(json_object_get(s->words, offset), values))
            continue;
        json_object_set(s->words, offset, values);
        json_array_append_new(
            changes, json_pack("[O, o]", json_object_get(row, "offset"), shortened(values)));
    }
    return changes;
}

/* --- requests --- */

static bool read_address(const json_t *v, unsigned long long *out)
{
    const char *s = json_string_value(v);
    char *end;
    if (!s)
        return false;
    *out = strtoull(s, &end, 16);
    return *s && !*end;
}

/* Where each lane's access begins: the sector in the lowest 128-byte line that is accessed, and on;
 * of shared memory the row and the bank of its first word. */
static json_t *places_of_lanes(const json_t *addresses, bool shared)
{
    json_t *places = json_array();
    unsigned long long base = ~0ull, at;
    for (size_t lane = 0; lane < PAGE_LANES; lane++)
        if (read_address(json_array_get(addresses, lane), &at) && at < base)
            base = at;
    base = base / (4 * SECTOR_BYTES) * (4 * SECTOR_BYTES);
    for (size_t lane = 0; lane < PAGE_LANES; lane++) {
        if (!read_address(json_array_get(addresses, lane), &at))
            json_array_append_new(places, json_null());
        else if (shared)
            json_array_append_new(places, json_pack("[I, I]", (json_int_t)(at / WORD_BYTES % BANKS),
                                                    (json_int_t)(at / (WORD_BYTES * BANKS))));
        else
            json_array_append_new(places,
                                  json_pack("[I, I]", (json_int_t)((at - base) / SECTOR_BYTES),
                                            (json_int_t)(at % SECTOR_BYTES)));
    }
    return places;
}

/* Where each lane's access begins, in bytes from the beginning of the array. */
static json_t *offsets_of_lanes(const json_t *addresses, unsigned long long begins)
{
    json_t *offsets = json_array();
    unsigned long long at;
    for (size_t lane = 0; lane < PAGE_LANES; lane++)
        json_array_append_new(offsets, read_address(json_array_get(addresses, lane), &at)
                                           ? json_integer((json_int_t)(at - begins))
                                           : json_null());
    return offsets;
}

/* The last request; NULL: it is the one of the moment before, or there is none. */
static json_t *changed_request(const json_t *answer)
{
    static const char *const fields[] = {"count", "space", "effect", "bytes", "lanes",  "memory",
                                         "line",  "ptx",   "passes", "ideal", "sectors"};
    json_t *r = json_object();
    if (!answer || answer_number(answer, "count", -1) < 0)
        return json_decref(r), NULL;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (json_object_get(answer, fields[i]))
            json_object_set(r, fields[i], json_object_get(answer, fields[i]));
    const char *space = member_text(r, "space");
    const json_t *addresses = json_object_get(answer, "addresses");
    json_object_set_new(r, "places",
                        places_of_lanes(addresses, space && strcmp(space, "shared") == 0));
    unsigned long long begins;
    if (read_address(json_object_get(answer, "begins"), &begins))
        json_object_set_new(r, "offsets", offsets_of_lanes(addresses, begins));
    return r;
}

/* --- the moment --- */

static json_t *groups_of_lanes(const json_t *answer)
{
    json_t *groups = json_array(), *g;
    size_t i;
    json_array_foreach(json_object_get(answer, "groups"), i, g) {
        const char *lanes = member_text(g, "lanes"), *state = member_text(g, "state");
        if (lanes && state)
            json_array_append_new(groups, json_pack("[s, s, I, I]", lanes, state,
                                                    (json_int_t)answer_number(g, "pc", -1),
                                                    (json_int_t)answer_number(g, "line", 0)));
    }
    return groups;
}

/* True: TEXT has the register NAME. */
static bool names_word(const char *text, const char *name)
{
    const size_t n = strlen(name);
    for (const char *at = text; (at = strstr(at, name)); at += n)
        if (!strchr("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_$", at[n]) ||
            !at[n])
            return true;
    return false;
}

/* Ask for the registers that may have changed. After a moment in the same function these are among
 * those that its instruction names, if any, and for a call all. */
static void ask_for_registers(conversation *c, const moment_state *s, const json_t *where)
{
    const char *function = member_text(where, "function");
    const json_t *known = json_array_get(s->functions, s->function), *row;
    sb names = {0};
    size_t i;
    if (!s->ptx || !function || strcmp(member_text(known, "name"), function) != 0 ||
        strstr(s->ptx, "call") || strstr(s->ptx, "ret")) {
        conversation_send(c, "registers all");
        return;
    }
    json_array_foreach(s->registers, i, row) {
        const char *name = member_text(row, "name");
        if (answer_number(row, "function", -1) == (long long)s->function &&
            names_word(s->ptx, name))
            sb_printf(&names, " %s", name);
    }
    if (names.len)
        conversation_send(c, "registers%s", names.s);
    else
        conversation_send(c, "where"); /* an answer without registers */
    sb_free(&names);
}

void moment_send_questions(conversation *c, moment_state *s, const json_t *where)
{
    conversation_send(c, "lanes");
    ask_for_registers(c, s, where);
    conversation_send(c, "request");
    conversation_send(c, "shared 0 %d", s->rows);
    const char *ptx = member_text(where, "ptx");
    free(s->ptx);
    s->ptx = ptx ? xstrdup(ptx) : NULL;
}

/* Set KEY of M, unless the list is empty. */
static void set_if_any(json_t *m, const char *key, json_t *list)
{
    if (json_array_size(list))
        json_object_set_new(m, key, list);
    else
        json_decref(list);
}

json_t *moment_read_answers(conversation *c, moment_state *s, const json_t *where)
{
    json_auto_t *lanes = conversation_answer(c), *registers = conversation_answer(c);
    json_auto_t *request = conversation_new_answer(c, &s->request_text);
    json_auto_t *shared = conversation_new_answer(c, &s->shared_text);
    const char *path = member_text(where, "path"), *function = member_text(where, "function");
    const size_t f = place_of_function(c, s, function ? function : "");
    json_t *m =
        json_pack("{s:I, s:I, s:I, s:I, s:o}", "n", (json_int_t)answer_number(where, "count", 0),
                  "f", (json_int_t)f, "pc", (json_int_t)answer_number(where, "pc", -1), "l",
                  (json_int_t)answer_number(where, "line", 0), "g", groups_of_lanes(lanes));
    if (path)
        json_object_set_new(m, "p", json_integer((json_int_t)place_of_path(s, path)));
    s->function = f;
    set_if_any(m, "r", changed_registers(s, registers, f));
    set_if_any(m, "s", changed_shared_memory(s, shared));
    json_t *q = changed_request(request);
    if (q)
        json_object_set_new(m, "q", q);
    OWNED char *text = json_dumps(m, JSON_COMPACT | JSON_ENSURE_ASCII);
    s->bytes += text ? strlen(text) : 0;
    return m;
}

void moment_state_add(const moment_state *s, json_t *walk)
{
    json_object_set_new(walk, "functions", s->functions ? json_incref(s->functions) : json_array());
    json_object_set_new(walk, "registers", s->registers ? json_incref(s->registers) : json_array());
    json_object_set_new(walk, "paths", s->paths ? json_incref(s->paths) : json_array());
    json_object_set_new(walk, "shared", s->shared ? json_incref(s->shared) : json_null());
}
