#include "ahead.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *kernel_name_in_rules(const judge_rules *rules, const char *name, char *out, size_t cap)
{
    const size_t n = strcspn(name, "<");
    size_t begin = n;
    while (name[n] == '<' && begin > 0 && name[begin - 1] != ' ')
        begin--;
    snprintf(out, cap, "%s", name + (name[n] == '<' ? begin : 0));
    if (name[n] == '<' && !rules_mention_kernel(rules, out))
        out[strcspn(out, "<")] = '\0';
    return out;
}

static bool is_host_copy(const rec_copy *c)
{
    return c->host_from || c->host_to || (c->bytes.size != 0);
}

bool is_fill(const rec_item *item)
{
    return item->kind == REC_fill || (item->kind == REC_copy && !is_host_copy(&item->copy));
}

bool is_boundary(const rec_item *item)
{
    switch (item->kind) {
    case REC_launch:
    case REC_fill:
    case REC_result:
    case REC_memory:
    case REC_timed:
    case REC_settle:
    case REC_range:
    case REC_nested:
    case REC_waited:
    case REC_mark:
    case REC_unsure:
    case REC_place:
    case REC_call:
    case REC_array:
    case REC_wrong: return false;
    case REC_copy: return is_host_copy(&item->copy);
    default: return true;
    }
}

bool keep_launch(const replay_kernel *k, prepared_launch *out)
{
    out->params = malloc(k->param_bytes + 1);
    if (!out->params)
        return false;
    memcpy(out->params, k->params, k->param_bytes);
    if (k->name != out->name)
        snprintf(out->name, sizeof out->name, "%s", k->name);
    out->kernel = *k;
    out->kernel.params = out->params;
    out->kernel.name = out->name;
    return true;
}

/* Take the next launch, if it is judged. */
static bool take_launch(replay *r, const judge_rules *rules, prepared_launch *out)
{
    replay_kernel k;
    const rec_item *item = replay_next_record(r);
    if (item->kind != REC_launch || !replay_describe_next_launch(r, &k) ||
        !rules_mention_kernel(rules,
                              kernel_name_in_rules(rules, k.name, out->name, sizeof out->name)))
        return false;
    k.name = out->name;
    return keep_launch(&k, out);
}

bool find_prepared_launch(replay *r, const judge_rules *rules, prepared_launch *out)
{
    const rec_position here = replay_position(r);
    const rec_item *item;
    bool found = false;
    while ((item = replay_next_record(r)) && !is_boundary(item) &&
           !(found = take_launch(r, rules, out)))
        replay_look_further(r);
    replay_look_back(r, here);
    return found;
}
