/* Temporary files and directories, and removal of those that a killed run left. A file is kept if
 * another user owns it, if a link leads to it, or if the process that wrote it may be alive. */
#pragma once

#include <stdbool.h>

/* The name of PATH while it is still being written: PATH.PID.new, to be freed. */
char *unfinished_name(const char *path);

/* Remove the regular files in DIR with names BASE.PID.new or BASE.PID.new.stamp if no process PID
 * exists. BASE: the name of the finished file, or NULL for any. */
void remove_leftovers(const char *dir, const char *base);

/* A directory for one run: $TMPDIR/warpbook-NAME-XXXXXX, or below /tmp. This process and its
 * children keep it locked while they live, so that the next run can remove the unlocked directories
 * that killed runs have left. */
typedef struct scratch_dir {
    char *path; /* path of the directory */
    int lock;   /* descriptor of the open directory, which holds the lock */
} scratch_dir;

/* Remove unlocked directories, then create one. False with errno: it failed, and S->path holds the
 * name that was tried. */
bool make_scratch_directory(scratch_dir *s, const char *name);
/* Remove the directory with the files in it. */
void remove_scratch_directory(scratch_dir *s);
