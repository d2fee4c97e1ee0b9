#include "graphics.h"

#include "../base/plain.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

enum {
    MAX_ANSWER_WAIT_MS = 300, /* how long to wait for the terminal's answer about its graphics */
    KITTY_CHUNK_BYTES = 4096, /* kitty's protocol sends an image in pieces of so many bytes */
};

bool graphics_parse(const char *word, graphics *out)
{
    static const char *const words[] = {"auto", "text", "sixel", "kitty"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(word, words[i]) == 0) {
            *out = (graphics)i;
            return true;
        }
    return false;
}

bool graphics_answer_has_sixel(const char *answer)
{
    const char *p = strstr(answer, "\033[?");
    for (p = p ? p + 3 : NULL; p && *p && *p != 'c'; p = strpbrk(p, ";c")) {
        p += *p == ';';
        if (strtol(p, NULL, 10) == 4)
            return true;
    }
    return false;
}

/* Ask the terminal for its attributes, read the answer up to its final 'c': has it sixel? */
static bool terminal_supports_sixel(void)
{
    struct termios was, raw;
    char answer[128] = "";
    size_t len = 0;
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
    if (!isatty(STDIN_FILENO) || tcgetattr(STDIN_FILENO, &was) != 0)
        return false;
    raw = was;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    fputs(GRAPHICS_REQUEST, stdout);
    fflush(stdout);
    while (len + 1 < sizeof answer && poll(&in, 1, MAX_ANSWER_WAIT_MS) == 1 &&
           read(STDIN_FILENO, answer + len, 1) == 1 && answer[len++] != 'c')
        answer[len] = '\0';
    tcsetattr(STDIN_FILENO, TCSANOW, &was);
    return graphics_answer_has_sixel(answer);
}

graphics graphics_of_environment(void)
{
    const char *term = getenv("TERM"), *program = getenv("TERM_PROGRAM");
    if (!term || strcmp(term, "dumb") == 0 || strcmp(term, "linux") == 0)
        return GRAPHICS_TEXT;
    /* tmux and screen inherit their terminal's environment but do not forward kitty images. */
    bool inside =
        getenv("TMUX") || strncmp(term, "tmux", 4) == 0 || strncmp(term, "screen", 6) == 0;
    if (!inside && (getenv("KITTY_WINDOW_ID") || strstr(term, "kitty") ||
                    (program && strcmp(program, "ghostty") == 0)))
        return GRAPHICS_KITTY;
    if (strstr(term, "sixel"))
        return GRAPHICS_SIXEL;
    /* tmux says that it shows sixels whether its terminal does or not. */
    return inside ? GRAPHICS_TEXT : GRAPHICS_AUTO;
}

graphics graphics_of_terminal(graphics choice)
{
    if (choice != GRAPHICS_AUTO)
        return choice;
    if (!isatty(STDOUT_FILENO))
        return GRAPHICS_TEXT;
    graphics known = graphics_of_environment();
    if (known != GRAPHICS_AUTO)
        return known;
    return terminal_supports_sixel() ? GRAPHICS_SIXEL : GRAPHICS_TEXT;
}

void graphics_put_kitty(FILE *f, const unsigned char *png, size_t size, int columns, int rows)
{
    enum { BYTES = KITTY_CHUNK_BYTES / 4 * 3 };
    char size_of[64] = "";
    if (columns > 0)
        snprintf(size_of, sizeof size_of, "c=%d,r=%d,C=1,q=2,", columns, rows);
    for (size_t from = 0; from < size; from += BYTES) {
        size_t end = from + BYTES < size ? from + BYTES : size;
        CLEANUP(sb_free) sb chunk = {0};
        append_base64(&chunk, png + from, end - from);
        fprintf(f, "\033_G%s%sm=%d;%s\033\\", from ? "" : "f=100,a=T,", from ? "" : size_of,
                end < size, chunk.s);
    }
    if (columns == 0)
        putc('\n', f);
}
