#include "judge_rules.h"

#include "../base/files.h"
#include "../base/table.h"

#include <string.h>

const char *judge_program_path(installation *h)
{
    return installation_tool(h, "warpbook-judge");
}

const char *judge_rules_path(installation *h, const chapter *c)
{
    return arena_printf(&h->memory, "%s/judge.tsv", c->dir);
}

bool is_judge_possible(installation *h, const chapter *c)
{
    return c->solution && file_exists(c->solution) && file_exists(judge_rules_path(h, c)) &&
           file_exists(judge_program_path(h));
}

/* Whether a rule has the role ROLE. *LEAST becomes the least `parameter` of such rules below it. */
static bool rules_have(installation *h, const chapter *c, const char *role, double *least)
{
    OWNED_TABLE table *rules = table_read(judge_rules_path(h, c));
    bool found = false;
    double work;
    for (size_t i = 0; rules && i < rules->rows; i++) {
        const char *is = table_get(rules, i, "role");
        if (!is || strcmp(is, role) != 0)
            continue;
        found = true;
        if (least && table_number(rules, i, "parameter", &work) && work < *least)
            *least = work;
    }
    return found;
}

const char *reason_for_modelled_times(installation *h, const chapter *c)
{
    if (rules_have(h, c, "work", NULL))
        return "modelled, not measured on the GPU: the timed operations overlap, but a replay "
               "on the GPU runs them one after the other";
    if (rules_have(h, c, "series", NULL))
        return "modelled, not measured on the GPU: how many launches do the work is the "
               "submission's choice, and a replay on the GPU times single launches";
    return NULL;
}

bool judge_compares_times(installation *h, const chapter *c)
{
    return rules_have(h, c, "times", NULL);
}

long first_timed_launch(installation *h, const chapter *c, long measured)
{
    double first = (double)measured;
    rules_have(h, c, "share", &first);
    return (long)first;
}
