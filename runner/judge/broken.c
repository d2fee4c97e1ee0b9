#include "broken.h"

#include <string.h>

const char *words_for_fault(const char *fault)
{
    static const char *const words[][2] = {
        {"wrong", "a wrong value"},
        {"slow", "the slowest access"},
        {"race", "a race"},
        {"memory", "an access that faults"},
        {"init", "a read before the write"},
        {"sync", "a barrier that threads miss"},
        {"progress", "a kernel that never ends"},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(fault, words[i][0]) == 0)
            return words[i][1];
    return fault;
}

/* The first mistake of V that is of KIND, or, if OTHER, the first that is not; NULL: none. */
static const finding *mistake_of_kind(const verdict *v, const char *kind, bool other)
{
    for (size_t i = 0; i < v->found.count; i++) {
        const finding *f = &v->found.rows[i];
        if (f->mistake_row && !finding_is_leak(f) &&
            (strcmp(f->mistake_row->kind, kind) == 0) != other)
            return f;
    }
    return NULL;
}

/* The message of the first check that failed, or NULL. */
static const char *wrong_value(const verdict *v)
{
    for (size_t i = 0; i < v->check_count; i++)
        if (!v->checks[i].pass)
            return v->checks[i].detail;
    return NULL;
}

static const char *last_line(arena *a, const char *text)
{
    const char *line, *last = "";
    size_t len, last_len = 0;
    while ((line = next_line(&text, &len)))
        if (len > 0)
            last = line, last_len = len;
    return arena_strndup(a, last, last_len);
}

static const char *goal_sentence(const verdict *v)
{
    return v->goal_count ? v->goals[0].sentence : "its program has no goal";
}

/* Why the run of T, which ended by itself, does not show the required fault; NULL: it does, and
 * *FOUND says how. */
static const char *refusal(verdict *v, const break_task *t, const char **found)
{
    arena *a = &v->memory;
    const char *wanted = words_for_fault(t->fault);
    const finding *other = mistake_of_kind(v, t->fault, true),
                  *same = mistake_of_kind(v, t->fault, false);
    if (other)
        return arena_printf(a, "it shows another fault, and %s is required: %s", wanted,
                            finding_sentence(other));
    if (same && !(same->kernel && strcmp(same->kernel, t->kernel) != 0)) {
        *found = finding_sentence(same);
        return NULL;
    }
    const char *wrong = wrong_value(v);
    if (strcmp(t->fault, "slow") == 0 && !wrong) {
        *found = goal_sentence(v);
        return v->kind == VERDICT_PASS ? NULL : *found;
    }
    if (wrong && strcmp(t->fault, "wrong") == 0) {
        *found = arena_printf(a, "%s: %s", t->kernel, wrong);
        return NULL;
    }
    if (wrong)
        return arena_printf(a, "a value is wrong, but %s is required: %s", wanted, wrong);
    return arena_printf(a,
                        "%s withstands this choice: its result is right, and the device reports "
                        "no mistake",
                        t->kernel);
}

void judge_broken(verdict *v, const chapter *c)
{
    const char *found = NULL;
    switch (v->kind) {
    case VERDICT_PASS:
    case VERDICT_FAIL:
        v->reason = v->text.flaw_count ? v->text.flaws[0] : refusal(v, c->to_break, &found);
        break;
    case VERDICT_EXIT:
        v->reason = last_line(&v->memory, v->output);
        break;
    case VERDICT_NO_CHECKS:
    case VERDICT_TIMEOUT:
    case VERDICT_FLOOD:
    case VERDICT_LIMIT:
    case VERDICT_CRASH:
        break; /* the host's code, or a launch that the device did not judge */
    default:
        return;
    }
    v->kind = v->reason ? VERDICT_FAIL : VERDICT_PASS;
    v->reason = v->reason ? v->reason : found;
}
