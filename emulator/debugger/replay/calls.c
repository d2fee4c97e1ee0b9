/* The calls of the recorded program, for the text of reports. Their places are what the recording
 * says; nothing else depends on them. */
#include "state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct replay_place {
    san_host_position where; /* position in host code */
    char call[];             /* name of the function that was called */
};

bool add_place_of_calls(replay *r, const rec_place *x)
{
    const size_t size = strlen(x->call) + 1;
    if (r->place[r->places]) { /* known from before a return to an earlier moment */
        r->places++;
        return true;
    }
    replay_place *new = calloc(1, sizeof *new + size);
    if (!new)
        return replay_set_error(r, "the host is out of memory");
    snprintf(new->where.path, sizeof new->where.path, "%s", x->file);
    snprintf(new->where.function, sizeof new->where.function, "%s", x->function);
    new->where.line = (uint32_t)x->line;
    new->where.column = (uint32_t)x->column;
    memcpy(new->call, x->call, size);
    r->place[r->places++] = new;
    return true;
}

bool begin_records_of_call(replay *r, const rec_call *x)
{
    const replay_place *p = x->place && x->place <= r->places ? r->place[x->place - 1] : NULL;
    r->call =
        (san_caller){.call = p && p->call[0] ? p->call : NULL, .recorded = p ? &p->where : NULL};
    return true;
}

void free_places_of_calls(replay *r)
{
    for (uint64_t k = 0; k < REC_MAX_PLACES && r->place[k]; k++)
        free(r->place[k]);
}
