/* Temporary files and directories, and how the next run removes what a killed one left. Nothing is
 * removed that another user owns, that is reached through a link, or whose owner may be alive. */
#ifndef WARPBOOK_LEFTOVERS_H
#define WARPBOOK_LEFTOVERS_H

#include <stdbool.h>

/* What a file that is still being written is called: PATH.PID.new, to be freed. */
char *unfinished_name(const char *path);

/* Remove the regular files in DIR that are called BASE.PID.new, or BASE.PID.new.stamp, where no
 * process PID is there. BASE: the name of the finished file, or NULL for any. */
void leftovers_remove(const char *dir, const char *base);

/* A directory for one run: $TMPDIR/warpbook-NAME-XXXXXX, or below /tmp. The lock on it lasts as
 * long as this process or a child that it starts: a directory of this name without a lock was left
 * by a killed run, and is removed first. */
typedef struct scratch {
    char *path;
    int lock; /* open file of the directory */
} scratch;

/* False with errno, and the name that was tried in S->path, where it cannot be made. */
bool scratch_make(scratch *s, const char *name);
/* Remove it with the files in it. */
void scratch_remove(scratch *s);

#endif
