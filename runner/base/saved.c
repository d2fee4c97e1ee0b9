#include "saved.h"

#include "files.h"
#include "job.h"

#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

static const double MIN_UNCHANGED_SECONDS =
    0.3; /* without inotify, a file unchanged for so many seconds is saved */

/* A number that identifies the version of a file; 0: there is no such file. */
static unsigned long long file_identity(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return 0;
    const long long parts[] = {(long long)st.st_ino, (long long)st.st_size,
                               (long long)st.st_mtim.tv_sec, (long long)st.st_mtim.tv_nsec};
    return hash_bytes(HASH_INITIAL_VALUE, parts, sizeof parts);
}

/* Watch the directory of PATH: editors write the file in place, or write another file and rename
 * it, and both change the directory. */
static int watch_directory(const char *path)
{
    const char *wanted = getenv("WARPBOOK_INOTIFY");
    if (wanted && strcmp(wanted, "0") == 0)
        return -1;
    const char *slash = strrchr(path, '/');
    OWNED char *dir = slash ? xprintf("%.*s", (int)(slash - path), path) : xstrdup(".");
    int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (fd >= 0 && inotify_add_watch(fd, dir, IN_CLOSE_WRITE | IN_MOVED_TO) < 0) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/* True: inotify reported an event for the file NAME. */
static bool file_event_seen(int fd, const char *name)
{
    _Alignas(struct inotify_event) char events[4096];
    bool event_seen = false;
    ssize_t n;
    while (fd >= 0 && (n = read(fd, events, sizeof events)) > 0)
        for (char *p = events; p < events + n;) {
            const struct inotify_event *e = (const struct inotify_event *)p;
            event_seen |= (e->len && strcmp(e->name, name) == 0) || (e->mask & IN_Q_OVERFLOW);
            p += sizeof *e + e->len;
        }
    return event_seen;
}

void file_watch_begin(file_watch *w, const char *path)
{
    *w = (file_watch){.path = xstrdup(path), .fd = watch_directory(path)};
    file_watch_accept(w);
}

bool file_watch_poll(file_watch *w)
{
    const char *slash = strrchr(w->path, '/');
    bool event_seen = file_event_seen(w->fd, slash ? slash + 1 : w->path);
    unsigned long long now = file_identity(w->path);
    if (now != w->last) {
        w->last = now;
        w->since = monotonic_s();
    }
    /* Some file systems report no events, or none for changes made on another machine. */
    if (now == 0 || now == w->known ||
        (!event_seen && monotonic_s() - w->since < MIN_UNCHANGED_SECONDS))
        return false;
    w->known = now;
    return true;
}

void file_watch_accept(file_watch *w)
{
    w->known = w->last = file_identity(w->path);
    w->since = monotonic_s();
}

void file_watch_end(file_watch *w)
{
    if (!w->path)
        return;
    if (w->fd >= 0)
        close(w->fd);
    free(w->path);
    *w = (file_watch){0};
}
