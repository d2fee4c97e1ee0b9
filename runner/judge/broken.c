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

/* True: T's run, which ended by itself, shows the required fault. *HOW says how, or why not. */
static bool shows_fault(verdict *v, const break_task *t, const char **how)
{
    arena *a = &v->memory;
    const char *wanted = words_for_fault(t->fault), *wrong = wrong_value(v);
    const finding *first = findings_first_mistake(&v->found); /* others may follow from it */
    bool found = false;
    if (first && !finding_is_leak(first)) {
        found = strcmp(first->mistake_row->kind, t->fault) == 0;
        *how = found ? finding_sentence(first)
                     : arena_printf(a, "it shows another fault, and %s is required: %s", wanted,
                                    finding_sentence(first));
    } else if (wrong && strcmp(t->fault, "wrong") == 0) {
        found = true;
        *how = arena_printf(a, "%s: %s", t->kernel, wrong);
    } else if (wrong) {
        *how = arena_printf(a, "a value is wrong, but %s is required: %s", wanted, wrong);
    } else if (strcmp(t->fault, "slow") == 0 && v->goal_count) {
        found = v->kind == VERDICT_PASS;
        *how = v->goals[0].sentence;
    } else {
        *how = arena_printf(a,
                            "%s withstands this choice: its result is right, and the device "
                            "reports no mistake",
                            t->kernel);
    }
    return found;
}

void judge_broken(verdict *v, const chapter *c)
{
    bool found = false;
    switch (v->kind) {
    case VERDICT_PASS:
    case VERDICT_FAIL:
        if (v->text.flaw_count)
            v->reason = v->text.flaws[0];
        else
            found = shows_fault(v, c->to_break, &v->reason);
        break;
    case VERDICT_EXIT: v->reason = last_line(&v->memory, v->output); break;
    case VERDICT_NO_CHECKS:
    case VERDICT_TIMEOUT:
    case VERDICT_FLOOD:
    case VERDICT_LIMIT:
    case VERDICT_CRASH:
        break; /* a fault of the host's code, or nothing that the device could judge */
    default: return;
    }
    v->kind = found ? VERDICT_PASS : VERDICT_FAIL;
}
