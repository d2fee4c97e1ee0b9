/* Build a lab and wait for it. */
#include "build_now.h"
#include "../base/signals.h"

#include <stdio.h>
#include <stdlib.h>

bool stage_await(stage *g)
{
    while (!stage_pump(g, 100))
        if (signals_caught())
            job_cancel(g->j);
    return !signals_caught();
}

bool build_now(house *h, const target *t, bool *lacks, char *err, size_t err_size)
{
    compiler nvcc;
    stage g = {0};
    *lacks = true;
    if (!compiler_find(&nvcc, err, err_size))
        return false;
    bool is_current = build_is_current(h, t, &nvcc);
    if (!is_current && !build_start(h, t, &nvcc, &g, err, err_size))
        return false;
    *lacks = false;
    if (is_current)
        return true;
    bool whole = stage_await(&g), good = whole && build_finish(h, t, &g, err, err_size);
    if (!whole)
        build_forget(h, t);
    if (!good) {
        char *message = build_message(h, job_output(g.j, NULL));
        fputs(message, stderr);
        free(message);
        snprintf(err, err_size, "%s does not compile", t->c->name);
    }
    stage_free(&g);
    return good;
}
