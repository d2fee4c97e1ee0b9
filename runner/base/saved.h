/* Whether a file was saved: told by inotify where that is to be had, else seen by looking at it now
 * and then. */
#ifndef WARPBOOK_SAVED_H
#define WARPBOOK_SAVED_H

#include <stdbool.h>

typedef struct saved {
    char *path;
    int fd;                   /* descriptor of inotify, to be waited for; -1: none */
    unsigned long long known; /* state of the file when it was last reported, or at saved_begin */
    unsigned long long last;  /* state of the file at the last look */
    double since; /* time at which the file came into the state `last`, by monotonic_s */
} saved;

/* Watch the file at PATH until saved_end. WARPBOOK_INOTIFY=0: without inotify. */
void saved_begin(saved *w, const char *path);
/* Whether it was saved since it was last reported; once for each time. A file that is only looked
 * at is reported once it has stayed as it is for a third of a second. */
bool saved_look(saved *w);
/* What is there now is no news. */
void saved_settle(saved *w);
void saved_end(saved *w); /* also accepts a watch of {0} */

#endif
