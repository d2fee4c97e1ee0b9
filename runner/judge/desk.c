#include "desk.h"

chapter *next_chapter(session *d)
{
    for (size_t i = 0; i < d->book.count; i++)
        if (d->book.chapters[i].has_lab &&
            state_progress(&d->state, &d->book.chapters[i]) != PROGRESS_PASS)
            return &d->book.chapters[i];
    return NULL;
}
