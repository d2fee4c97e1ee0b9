/* Builds what the slides may run, so that a key answers immediately. */
#include "demo_state.h"

void demo_pause_building(slide_show *m)
{
    attempt_free(m->ahead.a);
    m->ahead.a = NULL;
}

void demo_drop_building(slide_show *m)
{
    demo_pause_building(m);
    wrong_version_list_free(&m->ahead.versions);
    m->ahead = (demo_ahead){0};
}

/* Program number I of the chapter: the solution, the lab, then the wrong versions. False: it has no
 * such program. */
static bool target_of(const demo_ahead *b, size_t i, demo_target *t)
{
    *t = (demo_target){b->c, DEMO_SOLUTION, NULL};
    if (b->c->has_solution && i-- == 0)
        return true;
    t->program = DEMO_LAB;
    if (i-- == 0)
        return true;
    t->program = DEMO_WRONG;
    t->wrong = i < b->versions.count ? b->versions.names[i] : NULL;
    return t->wrong;
}

void demo_build_ahead(slide_show *m)
{
    char err[512];
    demo_ahead *b = &m->ahead;
    demo_target t;
    if (m->no_device || m->a || m->walk)
        return;
    if (b->c != demo_slide(m)->c) {
        demo_drop_building(m);
        b->c = demo_slide(m)->c;
        wrong_version_list_read(&b->versions, &m->d->installation, b->c);
    }
    if (b->a && !attempt_poll(b->a, 0))
        return;
    b->next += b->a != NULL;
    demo_pause_building(m);
    while (target_of(b, b->next, &t) && !(b->a = demo_start_attempt(m, &t, true, err, sizeof err)))
        b->next++; /* the key that runs it says why */
}
