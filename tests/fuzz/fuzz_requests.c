/* Any bytes as the head of a request to `warpbook site`. Reading must neither crash nor read past
 * the end; what is accepted names this machine, and opens nothing but the files of the folder,
 * through no link.
 *
 * With clang -fsanitize=fuzzer this is a libFuzzer target. Built with FUZZ_MAIN it runs alone:
 * fuzz_requests [COUNT [SEED]] tries COUNT (default 40000) inputs made from a seed. */
#include "fuzz.h"
#include "runner/base/files.h"
#include "runner/site/site.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { PORT = 8000 };

static void require_true(bool holds)
{
    if (!holds)
        abort();
}

/* A folder with files, a hidden one, a link and what lies beside it; made once. Its descriptor. */
static int served_folder(void)
{
    static int dir = -1;
    if (dir >= 0)
        return dir;
    static const char *const files[] = {"in/index.html", "in/a b.js", "in/below/index.html",
                                        "in/.hidden", "secret"};
    require_true(make_directories("in/below"));
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        require_true(write_whole_file(files[i], i < 3 ? "page" : "secret", i < 3 ? 4 : 6));
    unlink("in/link");
    unlink("in/pipe");
    require_true(symlink("../secret", "in/link") == 0 && mkfifo("in/pipe", 0600) == 0);
    dir = open("in", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    require_true(dir >= 0);
    return dir;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* An allocation of the exact size, so that a sanitizer detects overruns. */
    char *head = malloc(size ? size : 1), word[8] = "";
    static site_request r;
    require_true(head != NULL);
    memcpy(head, data, size);
    site_request_read(&r, head, size, PORT);
    require_true(r.status == 200 || r.status == 400 || r.status == 405 || r.status == 421);
    if (r.status == 200) {
        require_true(memmem(head, size, ":8000", 5) != NULL && strlen(r.path) < SITE_MAX_HEAD);
        require_true(strpbrk(r.path, "\r\n\\") == NULL && site_type(r.path) != NULL);
        const int file = site_open(served_folder(), r.path);
        require_true(file < 0 ||
                     (read(file, word, sizeof word) == 4 && memcmp(word, "page", 4) == 0));
        if (file >= 0)
            close(file);
    }
    free(head);
    return 0;
}

#ifdef FUZZ_MAIN

FUZZ_STATE;

static const char *const tokens[] = {"/",      "..",   "%2e%2e", "%2f",   "%00",     "%",       "?",
                                     "//",     "\r\n", "Host",   ":",     " ",       "link",    ".",
                                     "secret", "\\",   "pipe",   "below", ".hidden", "a%20b.js"};

static void put_token(uint8_t *bytes, size_t n, size_t at)
{
    const char *token = tokens[fuzz_random_below(sizeof tokens / sizeof *tokens)];
    const size_t len = strlen(token);
    memcpy(bytes + at, token, len < n - at ? len : n - at);
}

int main(int argc, char **argv)
{
    const long count = fuzz_count(argc, argv, 40000);
    static const char *const valid[] = {
        "GET /below/../index.html HTTP/1.1\r\nHost: localhost:8000\r\nAccept: */*\r\n\r\n",
        "HEAD /%61%20b.js?q=1 HTTP/1.0\r\nAccept: text/html\r\nhost:  127.0.0.1:8000\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost:8000\r\n\r\n",
        "GET /below/ HTTP/1.1\r\nHost: LOCALHOST:8000\r\n\r\n"};
    static uint8_t bytes[4096];
    for (long i = 0; i < count; i++) {
        const char *text = valid[i % 4];
        const size_t n = strlen(text);
        memcpy(bytes, text, n);
        LLVMFuzzerTestOneInput(bytes, fuzz_damage(bytes, n, put_token));
    }
    printf("fuzz_requests: %ld inputs\n", count);
    return 0;
}

#endif
