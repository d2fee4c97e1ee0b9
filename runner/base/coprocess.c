#include "coprocess.h"

#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct coprocess {
    const char *name;       /* what sentences call it */
    job *process;           /* the child process */
    int stderr_fd;          /* descriptor of the file that holds the child's stderr; -1: none */
    int shown_stderr;       /* descriptor of this program's stderr, if the child has it; -1: not */
    off_t freed_bytes;      /* bytes at the start of the stderr file whose memory was freed */
    int to, from;           /* descriptors of the child's standard input and output; -1: closed */
    int ends[2];            /* descriptors that become the child's standard input and output */
    sb sending;             /* lines that have not been written yet */
    sb received;            /* output of the child; lines from `taken` on were not returned yet */
    size_t taken, searched; /* offsets in `received`: end of the returned lines; end of the text
                               searched for a newline */
    bool skipping;          /* a line is too long and is skipped to its end */
    bool has_ended;         /* the process has ended */
};

enum {
    MAX_STDERR_BYTES = 1 << 20,  /* bytes of the child's stderr that are kept in memory */
    MAX_LAST_STDERR_BYTES = 300, /* bytes of the last stderr line that are shown */
};

/* Called in the forked child before it execs the program. */
static void set_up_child(void *object)
{
    const coprocess *e = object;
    if (dup2(e->ends[0], STDIN_FILENO) < 0 || dup2(e->ends[1], STDOUT_FILENO) < 0 ||
        (e->stderr_fd >= 0 && dup2(e->stderr_fd, STDERR_FILENO) < 0) ||
        (e->shown_stderr >= 0 && dup2(e->shown_stderr, STDERR_FILENO) < 0))
        _exit(126);
}

static coprocess *start_child(const char *name, const char *const *argv, const char *const *env,
                              bool shows_stderr)
{
    coprocess *e = xmalloc(sizeof *e);
    int in[2] = {-1, -1}, out[2] = {-1, -1};
    *e = (coprocess){.name = name, .to = -1, .from = -1, .stderr_fd = -1, .shown_stderr = -1};
    if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0) {
        close_descriptor(&in[0]);
        close_descriptor(&in[1]);
        e->has_ended = true;
        return e;
    }
    e->to = in[1];
    e->from = out[0];
    e->ends[0] = in[0];
    e->ends[1] = out[1];
    if (shows_stderr) {
        e->shown_stderr = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    } else {
        e->stderr_fd = memfd_create("stderr", MFD_CLOEXEC);
        fcntl(e->stderr_fd, F_SETFL, O_APPEND);
    }
    fcntl(e->to, F_SETFL, O_NONBLOCK);
    fcntl(e->from, F_SETFL, O_NONBLOCK);
    e->process =
        job_start(&(job_spec){.argv = argv, .env = env, .prepare = set_up_child, .object = e});
    close_descriptor(&e->ends[0]);
    close_descriptor(&e->ends[1]);
    close_descriptor(&e->shown_stderr);
    return e;
}

coprocess *coprocess_start(const char *name, const char *const *argv, const char *const *env)
{
    return start_child(name, argv, env, false);
}

coprocess *coprocess_start_with_stderr(const char *name, const char *const *argv,
                                       const char *const *env)
{
    return start_child(name, argv, env, true);
}

void coprocess_send(coprocess *e, const char *line)
{
    sb_puts(&e->sending, line);
    sb_puts(&e->sending, "\n");
    coprocess_exchange(e);
}

void coprocess_interrupt(coprocess *e)
{
    if (e->process && !e->has_ended)
        job_interrupt(e->process);
}

int coprocess_output_fd(const coprocess *e)
{
    return e->from;
}

static void write_pending(coprocess *e)
{
    while (e->to >= 0 && e->sending.len) {
        ssize_t n = write(e->to, e->sending.s, e->sending.len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            return;
        if (n < 0) {
            close_descriptor(&e->to);
            return;
        }
        memmove(e->sending.s, e->sending.s + n, e->sending.len - (size_t)n);
        e->sending.len -= (size_t)n;
    }
}

static void read_available(coprocess *e)
{
    char chunk[65536];
    if (e->taken) {
        memmove(e->received.s, e->received.s + e->taken, e->received.len - e->taken);
        e->received.len -= e->taken;
        e->searched -= e->taken;
        e->taken = 0;
    }
    /* Read a limited amount at a time, so that a flood of short lines is processed in pieces. */
    for (int i = 0; e->from >= 0 && i < 16 && e->received.len < 2 * (size_t)COPROCESS_LINE_BYTES;
         i++) {
        ssize_t n = read(e->from, chunk, sizeof chunk);
        if (n > 0)
            sb_add(&e->received, chunk, (size_t)n);
        else if (n == 0)
            close_descriptor(&e->from);
        else if (errno != EINTR)
            return;
    }
}

/* Free the memory of the stderr file if the file has become large, except of its end. The file is
 * not truncated, because text that the child writes at that time would be lost. */
static void trim_stderr(coprocess *e)
{
    const off_t size = e->stderr_fd >= 0 ? lseek(e->stderr_fd, 0, SEEK_END) : 0;
    if (size - e->freed_bytes <= MAX_STDERR_BYTES)
        return;
    e->freed_bytes = size - MAX_LAST_STDERR_BYTES;
    if (fallocate(e->stderr_fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, e->freed_bytes) != 0)
        close_descriptor(&e->stderr_fd);
}

void coprocess_exchange(coprocess *e)
{
    if (!e->process || e->has_ended)
        return;
    write_pending(e);
    read_available(e);
    trim_stderr(e);
    if (job_poll(e->process, 0)) {
        read_available(e);
        e->has_ended = true;
    }
}

const char *coprocess_next_line(coprocess *e, size_t *len, bool *too_long)
{
    *too_long = false;
    *len = 0;
    for (;;) {
        const char *from = e->received.s + e->taken, *end = NULL;
        if (e->received.len > e->searched)
            end = memchr(e->received.s + e->searched, '\n', e->received.len - e->searched);
        if (!end) {
            e->searched = e->received.len;
            if (!e->skipping && e->searched - e->taken <= COPROCESS_LINE_BYTES)
                return NULL;
            *too_long = !e->skipping;
            e->skipping = true;
            e->taken = e->searched;
            return *too_long ? "" : NULL;
        }
        size_t found = (size_t)(end - from);
        e->taken = e->searched = e->taken + found + 1;
        if (!e->skipping) {
            *too_long = found > COPROCESS_LINE_BYTES;
            *len = *too_long ? 0 : found;
            return from;
        }
        e->skipping = false; /* the rest of a line that was too long */
    }
}

const char *coprocess_wait_for_line(coprocess *e, double limit, size_t *len, bool *too_long)
{
    const char *line;
    while (!(line = coprocess_next_line(e, len, too_long)) && !coprocess_ended(e) &&
           monotonic_s() <= limit) {
        struct pollfd p = {.fd = e->from, .events = POLLIN};
        poll(&p, p.fd >= 0, 50);
        coprocess_exchange(e);
    }
    return line;
}

bool coprocess_ended(const coprocess *e)
{
    return e->has_ended && !(e->received.len > e->taken &&
                             memchr(e->received.s + e->taken, '\n', e->received.len - e->taken));
}

job_end coprocess_outcome(const coprocess *e, int *code)
{
    *code = EMFILE;
    return e->process ? job_outcome(e->process, code) : JOB_NO_START;
}

/* Copy the last line that the child wrote to stderr into WORDS; return its length. */
static size_t last_stderr_line(const coprocess *e, char words[MAX_LAST_STDERR_BYTES])
{
    off_t size = e->stderr_fd >= 0 ? lseek(e->stderr_fd, 0, SEEK_END) : 0;
    ssize_t n = pread(e->stderr_fd, words, MAX_LAST_STDERR_BYTES,
                      size > MAX_LAST_STDERR_BYTES ? size - MAX_LAST_STDERR_BYTES : 0);
    size_t len = n > 0 ? (size_t)n : 0, from;
    while (len && (words[len - 1] == '\n' || words[len - 1] == '\r'))
        len--;
    for (from = len; from && words[from - 1] != '\n';)
        from--;
    memmove(words, words + from, len - from);
    return len - from;
}

char *coprocess_end_sentence(const coprocess *e)
{
    char words[MAX_LAST_STDERR_BYTES];
    int code;
    sb out = {0};
    job_end how = coprocess_outcome(e, &code);
    if (how == JOB_NO_START)
        sb_printf(&out, "%s does not start: %s.", e->name, strerror(code));
    else if (how == JOB_SIGNALLED)
        sb_printf(&out, "%s was ended by %s.", e->name, signal_in_words(code));
    else
        sb_printf(&out, "%s ended with exit code %d.", e->name, code);
    size_t len = last_stderr_line(e, words);
    if (len)
        sb_printf(&out, " Its last words: %.*s", (int)len, words);
    return sb_take(&out);
}

void coprocess_free(coprocess *e)
{
    if (!e)
        return;
    close_descriptor(&e->to);
    close_descriptor(&e->from);
    close_descriptor(&e->stderr_fd);
    job_free(e->process);
    sb_free(&e->sending);
    sb_free(&e->received);
    free(e);
}
