#include "files.h"

#include "leftovers.h"
#include "text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Open PATH for reading if it is a regular file, and store its properties in *ST. -1, with errno:
 * it is not, or cannot be read. */
static int open_regular_file(const char *path, struct stat *st)
{
    /* Without O_NONBLOCK, a FIFO at PATH would block the caller forever. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || (fstat(fd, st) == 0 && S_ISREG(st->st_mode)))
        return fd;
    close(fd);
    errno = S_ISDIR(st->st_mode) ? EISDIR : EINVAL;
    return -1;
}

char *read_file_start(const char *path, size_t limit, size_t *len, bool *more)
{
    struct stat st;
    int fd = open_regular_file(path, &st);
    if (fd < 0)
        return NULL;
    enum { LEAST_READ = 16384 }; /* bytes that are requested at once, at least */
    const size_t expected = (uintmax_t)st.st_size < limit ? (size_t)st.st_size : limit;
    sb text = {0};
    *more = false;
    for (;;) {
        /* One byte more than the file has, so that the next read finds its end. */
        sb_reserve(&text, text.len > expected ? LEAST_READ : expected + 1 - text.len);
        ssize_t n = read(fd, text.s + text.len, text.cap - text.len - 1);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            int why = errno;
            sb_free(&text);
            close(fd);
            errno = why;
            return NULL;
        }
        *more = text.len + (size_t)n > limit;
        text.len = *more ? limit : text.len + (size_t)n;
        text.s[text.len] = '\0';
        if (n == 0 || *more)
            break;
    }
    close(fd);
    if (len)
        *len = text.len;
    return sb_take(&text);
}

char *read_whole_file(const char *path, size_t limit, size_t *len)
{
    bool more;
    char *text = read_file_start(path, limit, len, &more);
    if (text && more) {
        free(text);
        errno = EFBIG;
        return NULL;
    }
    return text;
}

static bool write_all(int fd, const char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t n = write(fd, bytes, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        bytes += n;
        len -= (size_t)n;
    }
    return true;
}

/* Remove unfinished files that killed writers of PATH left. */
static void remove_unfinished_files(const char *path)
{
    OWNED char *one = xstrdup(path), *other = xstrdup(path);
    remove_leftovers(dirname(one), basename(other));
}

static void sync_directory_of(const char *path)
{
    OWNED char *copy = xstrdup(path);
    int fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return;
    fsync(fd); /* some file systems cannot sync a directory; the rename is valid anyway */
    close(fd);
}

bool write_whole_file(const char *path, const char *bytes, size_t len)
{
    remove_unfinished_files(path);
    OWNED char *beside = unfinished_name(path);
    int fd = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    bool ok = fd >= 0 && write_all(fd, bytes, len) && fsync(fd) == 0;
    int why = errno;
    if (fd >= 0 && close(fd) != 0 && ok) {
        ok = false;
        why = errno;
    }
    if (ok && rename(beside, path) != 0) {
        ok = false;
        why = errno;
    }
    if (ok)
        sync_directory_of(path);
    else if (fd >= 0)
        unlink(beside);
    errno = why;
    return ok;
}

const char *file_name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool file_exists(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

bool file_is_dir(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

unsigned long long file_version(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return 0;
    return (unsigned long long)st.st_ino * 1000003 + (unsigned long long)st.st_mtim.tv_sec * 1009 +
           (unsigned long long)st.st_mtim.tv_nsec;
}

bool file_is_newer(const char *path, const char *than)
{
    struct stat a, b;
    if (stat(path, &a) != 0 || stat(than, &b) != 0)
        return false;
    return a.st_mtim.tv_sec != b.st_mtim.tv_sec ? a.st_mtim.tv_sec > b.st_mtim.tv_sec
                                                : a.st_mtim.tv_nsec > b.st_mtim.tv_nsec;
}

bool make_directories(const char *dir)
{
    OWNED char *path = xstrdup(dir);
    bool ok = true;
    for (char *p = path + 1; ok && *p; p++) {
        if (*p != '/')
            continue;
        *p = '\0';
        ok = mkdir(path, 0777) == 0 || errno == EEXIST || file_is_dir(path);
        *p = '/';
    }
    ok = ok && (mkdir(path, 0777) == 0 || errno == EEXIST);
    int why = errno;
    if (ok && !file_is_dir(path)) {
        ok = false;
        why = ENOTDIR;
    }
    errno = why;
    return ok;
}

static bool is_runnable(const char *path)
{
    return file_exists(path) && access(path, X_OK) == 0;
}

char *find_program(const char *name)
{
    if (strchr(name, '/'))
        return is_runnable(name) ? xstrdup(name) : NULL;
    const char *path = getenv("PATH");
    while (path && *path) {
        size_t n = strcspn(path, ":");
        char *full = n ? xprintf("%.*s/%s", (int)n, path, name) : xprintf("./%s", name);
        if (is_runnable(full))
            return full;
        free(full);
        path += n + (path[n] == ':');
    }
    return NULL;
}

uint64_t hash_bytes(uint64_t h, const void *bytes, size_t len)
{
    const unsigned char *p = bytes;
    for (size_t i = 0; i < len; i++)
        h = (h ^ p[i]) * 0x100000001b3u;
    return h;
}

/* Like hash_bytes, eight at a time: a library of some megabytes is hashed in milliseconds. */
static uint64_t hash_words(uint64_t h, const char *bytes, size_t len)
{
    uint64_t word;
    size_t i = 0;
    for (; i + sizeof word <= len; i += sizeof word) {
        memcpy(&word, bytes + i, sizeof word);
        h = (h ^ word) * 0x100000001b3u;
        h ^= h >> 32;
    }
    return hash_bytes(h, bytes + i, len - i);
}

uint64_t hash_file(uint64_t seed, const char *path, size_t limit)
{
    char part[1 << 16];
    size_t all = 0;
    ssize_t n = 0;
    seed = hash_bytes(seed, path, strlen(path) + 1);
    uint64_t hash = seed;
    struct stat st;
    int fd = open_regular_file(path, &st);
    while (fd >= 0 && all <= limit &&
           ((n = read(fd, part, sizeof part)) > 0 || (n < 0 && errno == EINTR))) {
        hash = n > 0 ? hash_words(hash, part, (size_t)n) : hash;
        all += n > 0 ? (size_t)n : 0;
    }
    if (fd >= 0)
        close(fd);
    return n < 0 || all > limit ? seed : hash;
}

uint64_t hash_large_file(uint64_t seed, const char *path, size_t limit)
{
    static struct {
        dev_t device;
        ino_t inode;
        off_t size;
        struct timespec changed;
        uint64_t hash;
    } last;
    struct stat s = {0};
    if (stat(path, &s) != 0)
        return hash_file(seed, path, limit);
    if (!last.hash || last.device != s.st_dev || last.inode != s.st_ino || last.size != s.st_size ||
        last.changed.tv_sec != s.st_ctim.tv_sec || last.changed.tv_nsec != s.st_ctim.tv_nsec) {
        last.device = s.st_dev;
        last.inode = s.st_ino;
        last.size = s.st_size;
        last.changed = s.st_ctim;
        last.hash = hash_file(HASH_INITIAL_VALUE, path, limit);
    }
    return hash_bytes(seed, &last.hash, sizeof last.hash);
}

const char **directory_names(arena *a, const char *dir, size_t *count)
{
    const char **list = NULL;
    DIR *d = opendir(dir);
    struct dirent *e;
    *count = 0;
    while (d && (e = readdir(d)))
        if (e->d_name[0] != '.')
            *ARENA_PUSH(a, list, *count) = arena_strdup(a, e->d_name);
    if (d)
        closedir(d);
    if (*count)
        qsort(list, *count, sizeof *list, compare_texts);
    return list;
}

uint64_t hash_directory(uint64_t seed, const char *dir, size_t limit)
{
    CLEANUP(arena_free) arena a = {0};
    size_t count;
    const char **names = directory_names(&a, dir, &count);
    for (size_t i = 0; i < count; i++)
        seed = hash_file(seed, arena_printf(&a, "%s/%s", dir, names[i]), limit);
    return seed;
}

void local_time_stamp(char out[32])
{
    time_t now = time(NULL);
    struct tm tm;
    localtime_r(&now, &tm);
    strftime(out, 32, "%Y%m%d-%H%M%S", &tm);
}

void close_descriptor(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}
