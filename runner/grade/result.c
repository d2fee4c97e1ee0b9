#include "result.h"

#include "../base/json.h"
#include "../class/roster.h"
#include "../judge/score.h"
#include "../show/report.h"

#include <math.h>
#include <string.h>
#include <time.h>

static const char missing_word[] = "MISSING";

static json_t *result_to_json(const chapter *c, const graded *g)
{
    const submission *h = g->from;
    char submitted[32], now[32];
    const char *name = h->who && *h->who->name ? h->who->name : NULL;
    json_t *from =
        json_pack("{s:o, s:o, s:i, s:o*}", "from", text_json(h->from), "submitted",
                  h->submitted ? json_string(time_to_text(h->submitted, submitted)) : json_null(),
                  "bytes", (int)h->length, "note", h->note ? text_json(h->note) : NULL);
    return json_pack("{s:i, s:o, s:o, s:o, s:s, s:s, s:o, s:s, s:s, s:o, s:o, s:o, s:O}", "version",
                     1, "student", text_json(h->student), "name", text_json(name), "email",
                     text_json(h->who && *h->who->email ? h->who->email : NULL), "lab", c->name,
                     "title", c->title ? c->title : c->name, "submission", from, "graded",
                     time_to_text((int64_t)time(NULL), now), "verdict", g->word, "points",
                     number_json(g->points), "of", number_json(g->of), "summary",
                     text_json(g->summary), "result", g->result);
}

bool write_result(results *r, const chapter *c, const char *lab, const graded *g)
{
    json_auto_t *old = g->internal ? results_read_one(r, g->from->student, lab) : NULL;
    json_auto_t *one = result_to_json(c, g);
    return old || (results_write_page(r, g->from->student, lab, g->page) &&
                   results_write_one(r, g->from->student, lab, one));
}

/* Store that P has handed in nothing, unless an earlier submission has a result. */
static bool write_missing_result(session *d, const chapter *c, results *r, const char *lab,
                                 const roster_person *p)
{
    json_auto_t *old = results_read_one(r, p->student, lab);
    const char *word = member_text(old, "verdict");
    const bool keep = word && strcmp(word, missing_word) != 0;
    if (keep)
        return true;
    CLEANUP(verdict_free) verdict v = {.kind = VERDICT_UNGRADED, .reason = "nothing was handed in"};
    if (chapter_rubric(c, 0))
        score_verdict(&v, chapter_rubric(c, 0));
    const submission none = {.student = p->student, .who = p, .from = ""};
    graded g = {.from = &none,
                .word = missing_word,
                .summary = v.reason,
                .points = NAN,
                .of = v.score.count ? v.score.of : 1,
                .result = report_json(d, c, &v)};
    bool ok = write_result(r, c, lab, &g);
    json_decref(g.result);
    return ok;
}

size_t write_missing_results(session *d, const chapter *c, const roster *people, results *r)
{
    CLEANUP(arena_free) arena a = {0};
    const char *lab = results_lab_name(&a, c->name);
    size_t failed = 0;
    for (size_t i = 0; i < people->count; i++)
        if (!people->people[i].seen)
            failed += !write_missing_result(d, c, r, lab, &people->people[i]);
    return failed;
}
