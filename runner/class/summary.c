/* A verdict as one row of a class table: a verdict word, and the reason for lost points. */
#include "summary.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first reported mistake as a verdict word, such as RACE. NULL: no mistake was reported, or a
 * leak of a run that failed for another reason. */
static const char *word_for_mistake(const verdict *v)
{
    static const char *const kinds[] = {
#define MISTAKE(kind, reason, fix, chapter) #kind,
#include "../judge/mistakes.def"
    };
    enum { KINDS = sizeof kinds / sizeof *kinds };
    static char words[KINDS][16];
    const finding *found = findings_first_mistake(&v->found);
    const bool right = v->kind == VERDICT_FAIL && !verdict_failed_checks(v) && !v->judged.wrong;
    if (found && finding_is_leak(found) && !right)
        return NULL;
    for (size_t i = 0; found && i < KINDS; i++) {
        if (strcmp(kinds[i], found->mistake_row->kind) != 0)
            continue;
        snprintf(words[i], sizeof words[i], "%s", kinds[i]);
        for (char *p = words[i]; *p; p++)
            *p = (char)toupper((unsigned char)*p);
        return words[i];
    }
    return NULL;
}

const char *word_for_verdict(const verdict *v)
{
    const char *word = word_for_mistake(v);
    switch (v->kind) {
    case VERDICT_PASS: return "OK";
    case VERDICT_FAIL:
        return word                                                        ? word
               : verdict_failed_checks(v) || v->by_luck || v->judged.wrong ? "WRONG"
                                                                           : "OK";
    case VERDICT_NO_BUILD: return "COMPILE-ERROR";
    case VERDICT_TIMEOUT: return "TIME-LIMIT";
    case VERDICT_FLOOD: return "OUTPUT-LIMIT";
    case VERDICT_LIMIT: return "MEMORY-LIMIT";
    case VERDICT_CRASH:
    case VERDICT_EXIT:
    case VERDICT_NO_CHECKS: return word ? word : "RUN-ERROR";
    case VERDICT_POLICY: return "POLICY";
    case VERDICT_UNGRADED: return v->text.flaw_count ? "POLICY" : "REJECTED";
    case VERDICT_CANCELLED:
    case VERDICT_BROKEN:
    case VERDICT_LACKS:
    case VERDICT_INTERNAL: break;
    }
    return "INTERNAL";
}

/* Why a submission has no points; the file's name is omitted, as the table shows it. */
static char *reason_without_points(const verdict *v)
{
    const char *r = v->reason ? v->reason : verdict_word(v->kind);
    size_t n = v->text.path ? strlen(v->text.path) : 0;
    if (v->kind == VERDICT_PASS)
        return xstrdup("");
    if (v->kind == VERDICT_NO_BUILD)
        return xstrdup(verdict_word(v->kind)); /* the compiler's message does not fit a row */
    if (!n || strncmp(r, v->text.path, n) != 0)
        return xstrdup(r);
    return r[n] == ':' ? xprintf("line %s", r + n + 1) : xstrdup(r + n + strspn(r + n, " "));
}

static char *lost_points(const verdict *v)
{
    sb text = {0};
    bool waiting = false;
    for (size_t i = 0; i < v->score.count; i++) {
        const point_row *p = &v->score.rows[i];
        char points[32];
        waiting |= p->state == POINT_WAITING;
        if (p->state == POINT_MISSED)
            sb_printf(&text, "%s-%s %s %s", text.len ? ", " : "",
                      nice_number(p->points - p->given, points, sizeof points), p->name,
                      strcmp(p->kind, "check") == 0   ? "wrong"
                      : strcmp(p->kind, "lines") == 0 ? "lines"
                      : strcmp(p->kind, "cost") == 0  ? "cost"
                      : p->metric                     ? p->metric
                                                      : "bandwidth");
    }
    if (waiting)
        sb_printf(&text, "%sother points are given only if the checks pass", text.len ? "; " : "");
    return sb_take(&text);
}

char *summary_of_verdict(const verdict *v)
{
    bool whole = !v->score.graded || v->by_luck || v->judged.wrong ||
                 v->score.given == v->score.of || v->kind != VERDICT_FAIL;
    char *why = whole ? reason_without_points(v) : lost_points(v);
    if (v->text.ignored <= 0)
        return why;
    char *all = xprintf("%s%sline %d, outside the regions, is left out", why, *why ? "; " : "",
                        v->text.ignored);
    free(why);
    return all;
}
