#include "leftovers.h"

#include "text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

char *unfinished_name(const char *path)
{
    return xprintf("%s.%ld.new", path, (long)getpid());
}

static bool is_own_entry(int dir, const char *name, mode_t type)
{
    struct stat st;
    return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && (st.st_mode & S_IFMT) == type &&
           st.st_uid == geteuid();
}

/* Process number PID in NAME, BASE.PID.new or BASE.PID.new.stamp; 0: another form. */
static pid_t writer_of_unfinished(const char *name, const char *base)
{
    char *copy = xstrdup(name), *end;
    size_t length = strlen(copy);
    long pid = 0;
    if (ends_with(copy, ".new.stamp"))
        copy[length -= strlen(".stamp")] = '\0';
    if (ends_with(copy, ".new")) {
        copy[length - strlen(".new")] = '\0';
        char *dot = strrchr(copy, '.');
        if (dot && dot[1] >= '1' && dot[1] <= '9') {
            *dot = '\0';
            pid = strtol(dot + 1, &end, 10);
            if (*end || (base && strcmp(copy, base) != 0))
                pid = 0;
        }
    }
    free(copy);
    return (pid_t)pid;
}

static bool is_process_dead(pid_t pid)
{
    return pid > 0 && kill(pid, 0) != 0 && errno == ESRCH;
}

void remove_leftovers(const char *path, const char *base)
{
    DIR *dir = opendir(path);
    struct dirent *e;
    while (dir && (e = readdir(dir)))
        if (is_process_dead(writer_of_unfinished(e->d_name, base)) &&
            is_own_entry(dirfd(dir), e->d_name, S_IFREG))
            unlinkat(dirfd(dir), e->d_name, 0);
    if (dir)
        closedir(dir);
}

/* Remove the directory NAME of the directory PARENT, which is open as FD, with the files in it. A
 * directory that contains a directory was not made by warpbook, and stays. */
static void remove_with_files(int parent, const char *name, int fd)
{
    int again = dup(fd); /* closedir closes the duplicate; FD keeps the lock */
    DIR *dir = again < 0 ? NULL : fdopendir(again);
    struct dirent *e;
    if (!dir && again >= 0)
        close(again);
    if (dir)
        rewinddir(dir);
    while (dir && (e = readdir(dir)))
        if (is_own_entry(fd, e->d_name, S_IFREG))
            unlinkat(fd, e->d_name, 0);
    if (dir)
        closedir(dir);
    unlinkat(parent, name, AT_REMOVEDIR);
}

/* Remove the directories in PARENT whose names begin with PREFIX and that no process has locked. */
static void remove_unlocked_directories(const char *parent, const char *prefix)
{
    DIR *dir = opendir(parent);
    struct dirent *e;
    while (dir && (e = readdir(dir))) {
        if (!starts_with(e->d_name, prefix) || !is_own_entry(dirfd(dir), e->d_name, S_IFDIR))
            continue;
        int fd = openat(dirfd(dir), e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
            remove_with_files(dirfd(dir), e->d_name, fd);
        if (fd >= 0)
            close(fd);
    }
    if (dir)
        closedir(dir);
}

bool make_scratch_directory(scratch_dir *s, const char *name)
{
    const char *tmp = getenv("TMPDIR");
    struct stat st;
    if (!tmp || !*tmp)
        tmp = "/tmp";
    OWNED char *prefix = xprintf("warpbook-%s-", name);
    remove_unlocked_directories(tmp, prefix);
    bool gone = true;
    while (gone) {
        *s = (scratch_dir){xprintf("%s/%sXXXXXX", tmp, prefix), -1};
        if (!mkdtemp(s->path))
            break;
        /* Child programs inherit this descriptor, and its lock, as they may outlive the runner. */
        s->lock = open(s->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
        if (s->lock < 0 && errno != ENOENT) {
            rmdir(s->path);
            break;
        }
        while (s->lock >= 0 && flock(s->lock, LOCK_EX) != 0 && errno == EINTR)
            ;
        /* Another run may have removed the directory between mkdtemp and flock. */
        gone = s->lock < 0 || fstat(s->lock, &st) != 0 || st.st_nlink == 0;
        if (gone && s->lock >= 0)
            close(s->lock);
        if (gone)
            free(s->path);
    }
    return s->lock >= 0;
}

void remove_scratch_directory(scratch_dir *s)
{
    if (s->lock >= 0) {
        remove_with_files(AT_FDCWD, s->path, s->lock);
        close(s->lock);
    }
    free(s->path);
    *s = (scratch_dir){.lock = -1};
}
