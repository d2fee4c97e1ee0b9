/* Answers one request of a connection. */
#include "../base/job.h"
#include "site.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* Read up to the empty line that ends the head of a request: its length with it. 0: it did not come
 * whole, or in time. */
static size_t read_head(int socket, char *head)
{
    const double until = monotonic_s() + SITE_PATIENCE_S;
    for (size_t len = 0; len < SITE_MAX_HEAD;) {
        const double left = until - monotonic_s();
        struct pollfd ready = {.fd = socket, .events = POLLIN};
        if (left <= 0 || poll(&ready, 1, (int)(left * 1e3) + 1) <= 0)
            return 0;
        const ssize_t n = recv(socket, head + len, SITE_MAX_HEAD - len, 0);
        if (n <= 0)
            return 0;
        len += (size_t)n;
        const char *end = memmem(head, len, "\r\n\r\n", 4);
        if (end)
            return (size_t)(end - head) + 4;
    }
    return 0;
}

static const char *words_of(int status)
{
    switch (status) {
    case 200: return "OK";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 421: return "Misdirected Request";
    default: return "Bad Request";
    }
}

/* False: the other side is gone. */
static bool send_all(int socket, const char *bytes, size_t len)
{
    while (len > 0) {
        const ssize_t n = send(socket, bytes, len, MSG_NOSIGNAL);
        if (n <= 0)
            return false;
        bytes += n;
        len -= (size_t)n;
    }
    return true;
}

static void send_file(int socket, int file, off_t size)
{
    off_t at = 0;
    while (at < size && sendfile(socket, file, &at, (size_t)(size - at)) > 0)
        ;
}

void site_answer(int socket, int dir, int port)
{
    const struct timeval patience = {.tv_sec = SITE_PATIENCE_S};
    setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    char head[SITE_MAX_HEAD], says[64], answer[1024];
    site_request r = {.status = 400};
    const size_t len = read_head(socket, head);
    if (len)
        site_request_read(&r, head, len, port);
    struct stat st;
    const int file = r.status == 200 ? site_open(dir, r.path) : -1;
    if (r.status == 200 && (file < 0 || fstat(file, &st) != 0))
        r.status = 404;
    const bool found = r.status == 200;
    const int words = snprintf(says, sizeof says, "%d %s\n", r.status, words_of(r.status));
    const int n = snprintf(
        answer, sizeof answer,
        "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %lld\r\n%s"
        "X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n"
        "Content-Security-Policy: frame-ancestors 'self'\r\nCache-Control: no-cache\r\n"
        "Cross-Origin-Resource-Policy: same-origin\r\nConnection: close\r\n\r\n",
        r.status, words_of(r.status), found ? site_type(r.path) : "text/plain; charset=utf-8",
        found ? (long long)st.st_size : (long long)words,
        r.status == 405 ? "Allow: GET, HEAD\r\n" : "");
    if (send_all(socket, answer, (size_t)n) && !r.head) {
        if (found)
            send_file(socket, file, st.st_size);
        else
            send_all(socket, says, (size_t)words);
    }
    if (file >= 0)
        close(file);
}
