/* Detects when a file was saved: with inotify where it is available, otherwise by looking at the
 * file at intervals. */
#pragma once

#include <stdbool.h>

typedef struct file_watch {
    char *path;               /* the watched file */
    int fd;                   /* inotify descriptor, which the caller can poll; -1: none */
    unsigned long long known; /* number that identified the file's version when a change was last
                                 reported, or at file_watch_begin */
    unsigned long long
        last;     /* number that identified the file's version when it was last looked at */
    double since; /* time, by monotonic_s, at which the version `last` was first seen */
} file_watch;

/* Watch the file at PATH until file_watch_end. WARPBOOK_INOTIFY=0: without inotify. */
void file_watch_begin(file_watch *w, const char *path);
/* True: the file was saved since the last report; each save is reported once. Without inotify, a
 * change is reported after the file has stayed unchanged for 0.3 seconds. */
bool file_watch_poll(file_watch *w);
/* Treat the present state of the file as already reported. */
void file_watch_accept(file_watch *w);
void file_watch_end(file_watch *w); /* also accepts a watch of {0} */
