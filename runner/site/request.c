/* Reads a request, and finds the file that it names. */
#include "site.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

static int hex_digit(char c)
{
    return isdigit((unsigned char)c)    ? c - '0'
           : isxdigit((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10
                                        : -1;
}

/* Decode the path of a target up to its query. False: it is no path. */
static bool decode_path(char *out, const char *target, size_t len)
{
    if (!len || *target != '/')
        return false;
    for (size_t i = 1; i < len && target[i] != '?'; i++) {
        int c = (unsigned char)target[i];
        if (c == '%') {
            const int high = i + 2 < len ? hex_digit(target[i + 1]) : -1,
                      low = high < 0 ? -1 : hex_digit(target[i + 2]);
            if (low < 0)
                return false;
            c = high * 16 + low;
            i += 2;
        }
        if (c < 0x20 || c == 0x7f || c == '\\')
            return false;
        *out++ = (char)c;
    }
    *out = 0;
    return true;
}

/* The value of the only header NAME in the lines from AT to END, without spaces around it; NULL:
 * there is none, or more than one. */
static const char *only_header(const char *at, const char *end, const char *name, size_t *len)
{
    const char *found = NULL;
    const size_t n = strlen(name);
    for (const char *stop; at < end; at = stop + 2) {
        stop = memmem(at, (size_t)(end - at), "\r\n", 2);
        if (!stop)
            break;
        if ((size_t)(stop - at) <= n || strncasecmp(at, name, n) != 0 || at[n] != ':')
            continue;
        if (found)
            return NULL;
        for (found = at + n + 1; found < stop && *found == ' ';)
            found++;
        *len = (size_t)(stop - found);
    }
    return found;
}

/* A page of another site that has its name resolve to this machine names itself here. */
static bool is_own_host(const char *host, size_t len, int port)
{
    static const char *const names[] = {"127.0.0.1", "localhost"};
    char own[64];
    for (size_t i = 0; host && i < sizeof names / sizeof *names; i++) {
        const int n = snprintf(own, sizeof own, "%s:%d", names[i], port);
        if (len == (size_t)n && strncasecmp(host, own, len) == 0)
            return true;
        if (port == 80 && len == strlen(names[i]) && strncasecmp(host, names[i], len) == 0)
            return true;
    }
    return false;
}

void site_request_read(site_request *r, const char *head, size_t len, int port)
{
    *r = (site_request){.status = 400};
    const char *end = head + len, *line = memmem(head, len, "\r\n", 2);
    const char *space = line ? memchr(head, ' ', (size_t)(line - head)) : NULL;
    const char *target = space ? space + 1 : NULL;
    const char *after = target ? memchr(target, ' ', (size_t)(line - target)) : NULL;
    if (!after || line - after != 9 || strncmp(after, " HTTP/1.", 8) != 0 || memchr(head, 0, len) ||
        len >= SITE_MAX_HEAD)
        return;
    size_t host_len = 0;
    const char *host = only_header(line + 2, end, "Host", &host_len);
    const size_t method = (size_t)(space - head);
    r->head = method == 4 && strncmp(head, "HEAD", 4) == 0;
    if (!r->head && !(method == 3 && strncmp(head, "GET", 3) == 0))
        r->status = 405;
    else if (!is_own_host(host, host_len, port))
        r->status = 421;
    else if (decode_path(r->path, target, (size_t)(after - target)))
        r->status = 200;
}

int site_open(int dir, const char *path)
{
    int at = dup(dir);
    struct stat st;
    /* Name by name, so that neither `..` nor a link leads out. */
    while (at >= 0 && *path) {
        char name[256];
        const size_t len = strcspn(path, "/");
        const bool hidden = *path == '.' || len == 0 || len >= sizeof name;
        snprintf(name, sizeof name, "%.*s", (int)(len < sizeof name ? len : 0), path);
        path += len;
        const bool more = *path == '/';
        path += more;
        const int next =
            hidden
                ? -1
                : openat(at, name,
                         O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | (more ? O_DIRECTORY : 0));
        close(at);
        at = next;
    }
    if (at >= 0 && fstat(at, &st) == 0 && S_ISDIR(st.st_mode)) {
        const int file = openat(at, "index.html", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        close(at);
        at = file;
    }
    if (at >= 0 && (fstat(at, &st) != 0 || !S_ISREG(st.st_mode))) {
        close(at);
        at = -1;
    }
    return at;
}

const char *site_type(const char *path)
{
    static const char *const types[][2] = {{".html", "text/html; charset=utf-8"},
                                           {".css", "text/css; charset=utf-8"},
                                           {".js", "text/javascript; charset=utf-8"},
                                           {".svg", "image/svg+xml"},
                                           {".png", "image/png"},
                                           {".json", "application/json"}};
    if (!*path || ends_with(path, "/"))
        return types[0][1];
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (ends_with(path, types[i][0]))
            return types[i][1];
    return "application/octet-stream";
}
