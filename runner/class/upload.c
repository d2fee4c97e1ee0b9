#include "upload.h"

#include "../base/files.h"
#include "encoding.h"

#include <archive.h>
#include <archive_entry.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    TAR_HEADER = 512, /* bytes of the header of a file in a tar archive */
    TAR_MAGIC = 257   /* offset of the word "ustar" in that header */
};

static const char region_end[] = "// END TODO"; /* last line of a TODO region in a lab */

/* --- names --- */

size_t length_without_extension(const char *name)
{
    static const char *const endings[] = {".tar.gz", ".tar.bz2", ".tar.xz", ".tgz", ".tar",
                                          ".zip",    ".cuda.cu", ".cu",     ".cpp", ".cc",
                                          ".cxx",    ".txt",     ".c"};
    size_t n = strlen(name);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t e = strlen(endings[i]);
        if (n > e && strcasecmp(name + n - e, endings[i]) == 0)
            return n - e;
    }
    return n;
}

/* PATH as UTF-8 with single slashes and without "."; NULL: PATH is absolute, contains "..", is too
 * long, too deep or empty. */
static char *normalized_path(arena *a, const char *prefix, const char *path)
{
    char out[UPLOAD_PATH];
    size_t n = strlen(prefix), depth = 0;
    if (n >= sizeof out || *path == '/' || (isalpha((unsigned char)*path) && path[1] == ':'))
        return NULL;
    path = name_to_utf8(a, path);
    memcpy(out, prefix, n);
    while (*path) {
        size_t len = strcspn(path, "/\\");
        if (len == 2 && path[0] == '.' && path[1] == '.')
            return NULL;
        if (len && !(len == 1 && *path == '.')) {
            if (++depth > UPLOAD_DEPTH || n + len + 2 > sizeof out)
                return NULL;
            if (n)
                out[n++] = '/';
            memcpy(out + n, path, len);
            n += len;
        }
        path += len + (path[len] != '\0');
    }
    return depth ? arena_strndup(a, out, n) : NULL;
}

/* True: PATH is a file that an editor or an operating system made, such as .DS_Store. */
static bool is_system_file(const char *path)
{
    const char *name = file_name_of(path);
    return *name == '.' || starts_with(path, "__MACOSX/") || strstr(path, "/__MACOSX/") ||
           strstr(path, "/.git/") || starts_with(path, ".git/");
}

static bool file_limit_allows(const upload *p, char *err, size_t err_size)
{
    if (p->count < UPLOAD_FILES)
        return true;
    return fails(err, err_size, "has more than %d files", UPLOAD_FILES);
}

static bool is_gradescope_list(const char *path)
{
    return strcmp(file_name_of(path), UPLOAD_LIST) == 0;
}

/* The greatest size of the file PATH in bytes; *REFUSAL: what to say of a larger file. */
static int64_t largest_file_size(const char *path, const char **refusal)
{
    const bool list = path && is_gradescope_list(path);
    *refusal = list ? "is larger than 32 MiB" : "is larger than 1 MiB";
    return list ? UPLOAD_LIST_TEXT : UPLOAD_TEXT;
}

/* Store the text of the file F if it has a TODO region or is a list. */
static bool store_text(upload *p, upload_file *f, const char *text, size_t length, char *err,
                       size_t err_size)
{
    if (!text || !length ||
        !(is_gradescope_list(f->path) || memmem(text, length, region_end, strlen(region_end))))
        return true;
    if (p->kept + length > UPLOAD_KEPT)
        return fails(err, err_size, "has more than %d MiB of texts", UPLOAD_KEPT >> 20);
    p->kept += length;
    f->text = arena_strndup(&p->memory, text, length);
    f->length = length;
    return true;
}

/* Add a file; its text is stored only if it has a TODO region or is a list. False with a sentence
 * in ERR: a limit is exceeded. */
static bool add_file_to_upload(upload *p, char *path, const char *text, size_t length,
                               const char *refused, int64_t time, char *err, size_t err_size)
{
    if (!file_limit_allows(p, err, err_size))
        return false;
    upload_file *f = ARENA_PUSH(&p->memory, p->files, p->count);
    *f = (upload_file){.path = path, .refused = refused, .time = time};
    OWNED char *other = text ? text_from_utf16(text, &length) : NULL;
    return store_text(p, f, other ? other : text, length, err, err_size);
}

/* --- archives --- */

bool upload_is_archive(const void *bytes, size_t length)
{
    static const struct {
        const char *bytes;
        size_t length, at;
    } marks[] = {{"PK\3\4", 4, 0},
                 {"PK\5\6", 4, 0},
                 {"\x1f\x8b", 2, 0},
                 {"BZh", 3, 0},
                 {"\xfd"
                  "7zXZ",
                  5, 0},
                 {"ustar", 5, TAR_MAGIC}};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (length >= marks[i].at + marks[i].length &&
            memcmp((const char *)bytes + marks[i].at, marks[i].bytes, marks[i].length) == 0)
            return true;
    return false;
}

/* The archive that is being read, and how much was unpacked so far. */
typedef struct archive_reader {
    upload *p;
    struct archive *a;
    const char *prefix;      /* directory put before each path */
    int64_t time;            /* time of the submission; 0: unknown */
    size_t packed, unpacked; /* bytes of the archive; bytes that its entries unpacked to so far */
    size_t entries;          /* number of entries read so far */
    char *err;               /* buffer for a sentence that says what is wrong */
    size_t err_size;         /* size of `err` */
} archive_reader;

static bool fail_reading_archive(archive_reader *u, const char *why)
{
    snprintf(u->err, u->err_size, "%s", why);
    return false;
}

static bool expands_too_much(archive_reader *u, size_t more)
{
    u->unpacked += more;
    return u->unpacked > UPLOAD_BYTES ||
           (u->unpacked > UPLOAD_UNCHECKED_BYTES && u->unpacked / UPLOAD_RATIO > u->packed);
}

/* Why an entry named NAME (may be NULL) is not read; NULL: a regular file within the limits. */
static const char *reason_to_skip(struct archive_entry *e, const char *name)
{
    const char *sentence;
    const int64_t limit = largest_file_size(name, &sentence);
    if (archive_entry_hardlink(e) || archive_entry_symlink(e) ||
        archive_entry_filetype(e) == AE_IFLNK)
        return "is a link";
    if (archive_entry_filetype(e) != AE_IFREG)
        return "is not a regular file";
    if (archive_entry_is_encrypted(e) == 1)
        return "is encrypted";
    return archive_entry_size_is_set(e) && archive_entry_size(e) > limit ? sentence : NULL;
}

/* Read the bytes of the current entry NAME, within its limit, into OUT; others are counted. */
static bool read_entry(archive_reader *u, const char *name, sb *out, const char **refused)
{
    const void *block;
    const char *sentence;
    const int64_t limit = largest_file_size(name, &sentence);
    size_t size;
    int64_t offset, end = 0;
    for (;;) {
        int rc = archive_read_data_block(u->a, &block, &size, &offset);
        if (rc == ARCHIVE_EOF)
            return true;
        if (rc < ARCHIVE_WARN)
            return fail_reading_archive(u, "is damaged");
        if (expands_too_much(u, size) || offset < end)
            return fail_reading_archive(u, "unpacks to more data than allowed");
        end = offset + (int64_t)size;
        if (end > limit) {
            if (!*refused)
                *refused = sentence;
        } else if (!*refused) {
            sb_fill(out, '\0', (size_t)offset - out->len); /* a hole */
            sb_add(out, block, size);
        }
    }
}

static bool read_archive_entry(archive_reader *u, struct archive_entry *e)
{
    sb text = {0};
    const char *name = archive_entry_pathname_utf8(e);
    name = name ? name : archive_entry_pathname(e);
    const char *refused = reason_to_skip(e, name);
    if (archive_entry_filetype(e) == AE_IFDIR)
        return true;
    char *path = name ? normalized_path(&u->p->memory, u->prefix, name) : NULL;
    bool ok = read_entry(u, name, &text, &refused);
    if (ok && !path)
        u->p->outside++;
    else if (ok && !is_system_file(path)) {
        if (!refused && text.len && upload_is_archive(text.s, text.len))
            refused = "is an archive in an archive";
        int64_t time = u->time                         ? u->time
                       : archive_entry_mtime_is_set(e) ? (int64_t)archive_entry_mtime(e)
                                                       : 0;
        ok = add_file_to_upload(u->p, path, refused ? NULL : text.s, text.len, refused, time,
                                u->err, u->err_size);
    }
    sb_free(&text);
    return ok;
}

static bool unpack_archive(archive_reader *u)
{
    struct archive_entry *e;
    for (;;) {
        int rc = archive_read_next_header(u->a, &e);
        if (rc == ARCHIVE_EOF)
            return true;
        if (rc < ARCHIVE_WARN)
            return fail_reading_archive(
                u,
                u->entries ? "is damaged" : "is damaged, or is not a zip, tar or compressed tar");
        if (archive_filter_count(u->a) > 2)
            return fail_reading_archive(u, "is compressed more than once");
        if (++u->entries > UPLOAD_FILES)
            return fail_reading_archive(u, "has more than 20000 files");
        if (!read_archive_entry(u, e))
            return false;
    }
}

bool upload_archive(upload *p, const void *bytes, size_t length, const char *prefix, int64_t time,
                    char *err, size_t err_size)
{
    archive_reader u = {.p = p,
                        .a = archive_read_new(),
                        .prefix = prefix,
                        .time = time,
                        .packed = length,
                        .err = err,
                        .err_size = err_size};
    if (!u.a)
        return fail_reading_archive(&u, "cannot be read: out of memory");
    archive_read_support_format_tar(u.a);
    archive_read_support_format_zip_seekable(u.a);
    archive_read_support_filter_gzip(u.a);
    archive_read_support_filter_bzip2(u.a);
    archive_read_support_filter_xz(u.a);
    bool ok = archive_read_open_memory(u.a, bytes, length) == ARCHIVE_OK
                  ? unpack_archive(&u)
                  : fail_reading_archive(&u, "is damaged, or is not a zip, tar or compressed tar");
    archive_read_free(u.a);
    return ok;
}

/* --- directories --- */

static bool read_directory(upload *p, int dir, const char *below, int depth, char *err,
                           size_t err_size);

/* The text of the file NAME in the directory DIR, to be freed; NULL with the reason in *REFUSED. */
static char *read_file(int dir, const char *name, struct stat *st, size_t *length,
                       const char **refused)
{
    int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    char *text = NULL;
    *length = 0;
    *refused = fd < 0 ? (errno == ELOOP ? "is a link" : "cannot be read") : NULL;
    if (fd < 0)
        return NULL;
    if (fstat(fd, st) != 0 || !S_ISREG(st->st_mode))
        *refused = "is not a regular file";
    else if (st->st_size > UPLOAD_ARCHIVE)
        *refused = "is larger than 512 MiB";
    else
        text = xmalloc((size_t)st->st_size + 1);
    while (text && *length < (size_t)st->st_size) {
        ssize_t n = read(fd, text + *length, (size_t)st->st_size - *length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        *length += (size_t)n;
    }
    if (text)
        text[*length] = '\0';
    close(fd);
    return text;
}

static bool add_archive(upload *p, const char *bytes, size_t length, const char *path, int64_t time,
                        char *err, size_t err_size)
{
    char why[256];
    char *prefix = arena_strndup(&p->memory, path, length_without_extension(path));
    if (upload_archive(p, bytes, length, prefix, time, why, sizeof why))
        return true;
    return add_file_to_upload(p, arena_strdup(&p->memory, path), NULL, 0,
                              arena_strdup(&p->memory, why), time, err, err_size);
}

static bool read_uploaded_file(upload *p, int dir, const char *name, const char *path, char *err,
                               size_t err_size)
{
    struct stat st = {0};
    size_t length;
    const char *refused, *sentence;
    OWNED char *text = read_file(dir, name, &st, &length, &refused);
    const bool large = (int64_t)length > largest_file_size(name, &sentence);
    bool ok;
    if (text && upload_is_archive(text, length))
        ok = add_archive(p, text, length, path, (int64_t)st.st_mtime, err, err_size);
    else
        ok = add_file_to_upload(p, arena_strdup(&p->memory, path), large ? NULL : text, length,
                                large ? sentence : refused, (int64_t)st.st_mtime, err, err_size);
    return ok;
}

static bool read_directory_entry(upload *p, int dir, const char *name, const char *below, int depth,
                                 char *err, size_t err_size)
{
    struct stat st;
    char *path = normalized_path(&p->memory, below, name);
    if (!path || is_system_file(path) || fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return true;
    if (!S_ISDIR(st.st_mode))
        return read_uploaded_file(p, dir, name, path, err, err_size);
    int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return fd < 0 || read_directory(p, fd, path, depth + 1, err, err_size);
}

/* Read all files of the open directory DIR, and close it. */
static bool read_directory(upload *p, int dir, const char *below, int depth, char *err,
                           size_t err_size)
{
    arena names = {0};
    const char **list = NULL;
    size_t count = 0;
    DIR *d = depth > UPLOAD_DEPTH ? NULL : fdopendir(dir);
    struct dirent *e;
    bool ok = true;
    if (!d) {
        close(dir);
        return true;
    }
    while (count <= UPLOAD_FILES && (e = readdir(d)))
        if (e->d_name[0] != '.')
            *ARENA_PUSH(&names, list, count) = arena_strdup(&names, e->d_name);
    if (count)
        qsort(list, count, sizeof *list, compare_texts);
    for (size_t i = 0; i < count && ok; i++)
        ok = read_directory_entry(p, dirfd(d), list[i], below, depth, err, err_size);
    closedir(d);
    arena_free(&names);
    return ok;
}

bool upload_directory(upload *p, const char *path, char *err, size_t err_size)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return fails(err, err_size, "cannot be read: %s", strerror(errno));
    return read_directory(p, fd, "", 0, err, err_size);
}

void upload_free(upload *p)
{
    arena_free(&p->memory);
    *p = (upload){0};
}
