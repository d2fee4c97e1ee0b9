#include "source_line.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    MAX_LINE_BYTES = 160,    /* longer source lines are cut */
    MAX_FILE_BYTES = 4 << 20 /* larger source files are not read */
};

static FILE *open_regular(const char *path)
{
    struct stat is;
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return NULL;
    FILE *f = !fstat(fd, &is) && S_ISREG(is.st_mode) && is.st_size <= MAX_FILE_BYTES
                  ? fdopen(fd, "r")
                  : NULL;
    if (!f)
        close(fd);
    return f;
}

char *san_source_text(const char *path)
{
    FILE *f = open_regular(path);
    char *text = f ? malloc(MAX_FILE_BYTES + 1) : NULL;
    if (text)
        text[fread(text, 1, MAX_FILE_BYTES, f)] = '\0';
    if (f)
        fclose(f);
    return text;
}

/* Read line number LINE of F into TEXT, a buffer of MAX_LINE_BYTES; a longer line is cut. False:
 * there is no such line. */
static bool read_line(FILE *f, uint32_t line, char *text)
{
    uint32_t at = 1;
    size_t n = 0;
    int c;
    while ((c = getc(f)) != EOF && at <= line)
        if (c == '\n')
            at++;
        else if (at == line && n + 1 < MAX_LINE_BYTES)
            text[n++] = (char)c;
    text[n] = '\0';
    return at > line || (at == line && n);
}

static void replace_control_chars(char *text)
{
    for (unsigned char *c = (unsigned char *)text; *c; c++)
        *c = *c == '\t' || *c == '\r' ? ' ' : *c < 0x20 || *c == 0x7f ? '?' : *c;
    size_t n = strlen(text);
    while (n && text[n - 1] == ' ')
        text[--n] = '\0';
}

bool san_read_source_line(const char *path, uint32_t line, char *out, size_t size)
{
    char text[MAX_LINE_BYTES];
    FILE *f = line ? open_regular(path) : NULL;
    const bool there = f && read_line(f, line, text);
    if (f)
        fclose(f);
    if (there) {
        replace_control_chars(text);
        snprintf(out, size, "%s", text);
    }
    return there;
}

size_t san_source_line(const char *path, uint32_t line, uint32_t column, char *out, size_t size)
{
    char text[MAX_LINE_BYTES];
    if (!san_read_source_line(path, line, text, sizeof text))
        return 0;
    const size_t blank = strspn(text, " ");
    const size_t mark = column && column <= strlen(text) ? column - 1 : blank;
    const int n = snprintf(out, size, "%7u | %s\n%7s | %*s^", line, text, "", (int)mark, "");
    return n > 0 && (size_t)n < size ? (size_t)n : 0;
}
