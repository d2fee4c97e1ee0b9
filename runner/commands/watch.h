/* Changes of a file, by inotify on its directory. */
#ifndef WARPBOOK_WATCH_H
#define WARPBOOK_WATCH_H

#include <stdbool.h>

/* A descriptor to poll, or -1 (errno). */
int watch_open(const char *dir);
/* Whether the file NAME was written since the last call. */
bool watch_changed(int fd, const char *name);

#endif
