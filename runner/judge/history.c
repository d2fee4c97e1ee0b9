#include "history.h"

#include "../base/json.h"

#include <string.h>
#include <time.h>

static const char *const bandwidth_sources[] = {
    "measured", "modelled"}; /* how a bandwidth was obtained, the more reliable way first */

static void set_json_text(json_t *object, const char *key, const char *text)
{
    if (text)
        json_object_set_new(object, key, text_json(text));
}

/* The variant with the highest bandwidth in this verdict, or NULL. */
static const measure_row *fastest_variant(const verdict *v)
{
    const measure_row *best = NULL;
    for (size_t i = 0; i < v->measure_count; i++)
        if (!v->measures[i].copy && v->measures[i].gbs > (best ? best->gbs : 0))
            best = &v->measures[i];
    return best;
}

static json_t *member_or_default(json_t *entry, const char *key, json_t *fresh)
{
    json_t *old = json_object_get(entry, key);
    if (json_typeof(fresh) == (old ? json_typeof(old) : JSON_NULL)) {
        json_decref(fresh);
        return old;
    }
    json_object_set_new(entry, key, fresh);
    return fresh;
}

void history_add_try(void *entry, const verdict *v)
{
    char at[32];
    time_t now = time(NULL);
    struct tm tm;
    localtime_r(&now, &tm);
    strftime(at, sizeof at, "%Y-%m-%d %H:%M", &tm);

    const measure_row *m = fastest_variant(v);
    size_t right = v->check_count - verdict_failed_checks(v);
    json_t *tries = member_or_default(entry, "tries", json_array());
    json_t *one = json_pack("{s:s, s:s, s:i, s:i}", "at", at, "result", verdict_id(v->kind),
                            "right", (int)right, "of", (int)v->check_count);
    if (m) {
        json_object_set_new(one, "gbs", json_real(m->gbs));
        set_json_text(one, "variant", m->name);
        set_json_text(one, "source", v->source);
        set_json_text(one, "device", v->device);
    }
    json_array_append_new(tries, one);
    while (json_array_size(tries) > HISTORY_MAX_TRIES)
        json_array_remove(tries, 0);
    if (v->kind != VERDICT_PASS)
        return;
    if (!json_object_get(entry, "passed_on")) {
        at[strcspn(at, " ")] = '\0';
        set_json_text(entry, "passed_on", at);
    }
    json_t *best = member_or_default(entry, "best", json_object());
    if (m && v->source &&
        m->gbs > json_number_value(json_object_get(json_object_get(best, v->source), "gbs")))
        json_object_set(best, v->source, one);
}

static json_t *history_member(const saved_state *s, const chapter *c, const char *key)
{
    return json_object_get(state_chapter_entry(s, c), key);
}

static size_t json_count_of(json_t *object, const char *key)
{
    json_int_t n = json_integer_value(json_object_get(object, key));
    return n > 0 ? (size_t)n : 0;
}

static lab_try read_try_from_json(json_t *one)
{
    const char *at = member_text(one, "at"), *result = member_text(one, "result");
    double gbs = json_number_value(json_object_get(one, "gbs"));
    return (lab_try){.at = at ? at : "-",
                     .kind = verdict_from_id(result ? result : ""),
                     .right = json_count_of(one, "right"),
                     .of = json_count_of(one, "of"),
                     .gbs = gbs > 0 ? gbs : 0,
                     .variant = member_text(one, "variant"),
                     .source = member_text(one, "source"),
                     .device = member_text(one, "device")};
}

lab_try *history_tries(const saved_state *s, const chapter *c, arena *a, size_t *count)
{
    json_t *list = history_member(s, c, "tries"), *one;
    lab_try *tries = NULL;
    size_t i;
    *count = 0;
    json_array_foreach(list, i, one)
        *ARENA_PUSH(a, tries, *count) = read_try_from_json(one);
    return tries;
}

const char *history_day_passed(const saved_state *s, const chapter *c)
{
    return json_string_value(history_member(s, c, "passed_on"));
}

bool history_best_try(const saved_state *s, const chapter *c, lab_try *best)
{
    for (size_t i = 0; i < sizeof bandwidth_sources / sizeof *bandwidth_sources; i++) {
        json_t *one = json_object_get(history_member(s, c, "best"), bandwidth_sources[i]);
        *best = read_try_from_json(one);
        if (best->gbs > 0)
            return true;
    }
    return false;
}

char *history_in_words(const saved_state *s, const chapter *c, bool dated)
{
    sb text = {0};
    char number[32];
    const char *day = dated ? history_day_passed(s, c) : NULL;
    lab_try best;
    if (!state_ever_passed(s, c))
        return NULL;
    sb_puts(&text, "passed");
    if (day)
        sb_printf(&text, " on %s", day);
    if (history_best_try(s, c, &best))
        sb_printf(&text, ", best %s GB/s%s%s", nice_number(best.gbs, number, sizeof number),
                  best.source ? " " : "", best.source ? best.source : "");
    return sb_take(&text);
}
