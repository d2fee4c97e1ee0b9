/* Names and exit codes of the kinds of verdict; its failed checks and missed goals, counted. */
#include "verdict.h"

#include <string.h>

static const struct {
    const char *id, *word; /* name for programs; name for people */
    int exit_code;         /* exit code of warpbook after this verdict */
} kinds[] = {
    [VERDICT_PASS] = {"pass", "passes", 0},
    [VERDICT_FAIL] = {"fail", "fails", 1},
    [VERDICT_NO_BUILD] = {"no_build", "does not compile", 1},
    [VERDICT_TIMEOUT] = {"timeout", "does not end", 1},
    [VERDICT_FLOOD] = {"flood", "floods its output", 1},
    [VERDICT_LIMIT] = {"limit", "uses too much", 1},
    [VERDICT_CRASH] = {"crash", "crashes", 1},
    [VERDICT_EXIT] = {"exit", "gives up", 1},
    [VERDICT_NO_CHECKS] = {"no_checks", "checks nothing", 1},
    [VERDICT_CANCELLED] = {"cancelled", "cancelled", 1},
    [VERDICT_BROKEN] = {"broken", "cannot be run", 1},
    [VERDICT_UNGRADED] = {"ungraded", "is not graded", 1},
    [VERDICT_LACKS] = {"lacks", "cannot be judged here", 3},
    [VERDICT_POLICY] = {"policy", "is for a person to look at", 1},
    [VERDICT_INTERNAL] = {"internal", "could not be judged", 3},
};

int verdict_exit_code(verdict_kind kind)
{
    return kinds[kind].exit_code;
}

const char *verdict_word(verdict_kind kind)
{
    return kinds[kind].word;
}

const char *verdict_id(verdict_kind kind)
{
    return kinds[kind].id;
}

verdict_kind verdict_from_id(const char *id)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].id, id) == 0)
            return (verdict_kind)i;
    return VERDICT_FAIL;
}

size_t verdict_failed_checks(const verdict *v)
{
    size_t n = 0;
    for (size_t i = 0; i < v->check_count; i++)
        n += !v->checks[i].pass;
    return n;
}

size_t verdict_missed_goals(const verdict *v)
{
    size_t n = 0;
    for (size_t i = 0; i < v->goal_count; i++)
        n += v->goals[i].state == GOAL_MISSED;
    return n;
}
