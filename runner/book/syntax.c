#include "syntax.h"

#include <ctype.h>
#include <string.h>

static bool is_word_of_list(const char *word, size_t len, const char *list)
{
    for (const char *at = list; (at = strstr(at, word)); at += len)
        if ((at == list || at[-1] == ' ') && (at[len] == ' ' || at[len] == '\0'))
            return true;
    return false;
}

static style style_of_word(const char *word, size_t len)
{
    static const struct {
        style how;
        const char *words;
    } kinds[] = {
#define WORDS(kind, words) {STYLE_##kind, words},
#include "syntax.def"
    };
    char copy[64];
    if (len >= sizeof copy)
        return STYLE_NORMAL;
    memcpy(copy, word, len);
    copy[len] = '\0';
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (is_word_of_list(copy, len, kinds[i].words))
            return kinds[i].how;
    return STYLE_NORMAL;
}

static bool is_word_byte(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The length of the literal in quotes at P. */
static size_t quoted_length(const char *p)
{
    size_t n = 1;
    while (p[n] && p[n] != *p)
        n += p[n] == '\\' && p[n + 1] ? 2 : 1;
    return n + (p[n] == *p);
}

/* The length of the number at P, with its suffix: 1'000, 0x1p-3f, 1e+5. */
static size_t number_length(const char *p)
{
    size_t n = 1;
    while (is_word_byte(p[n]) || p[n] == '.' || (p[n] == '\'' && is_word_byte(p[n + 1])) ||
           ((p[n] == '+' || p[n] == '-') && strchr("eEpP", p[n - 1]) &&
            isdigit((unsigned char)p[n + 1])))
        n++;
    return n;
}

static size_t comment_length(const char *p, bool *goes_on)
{
    const char *end = strstr(p, "*/");
    *goes_on = !end;
    return end ? (size_t)(end + 2 - p) : strlen(p);
}

void syntax_add_line(styled *t, const char *code, bool *in_comment)
{
    bool directive = !*in_comment && code[strspn(code, " ")] == '#';
    for (const char *p = code; *p;) {
        size_t n = 1;
        style how = directive ? STYLE_DIRECTIVE : STYLE_NORMAL;
        if (*in_comment || (p[0] == '/' && p[1] == '*')) {
            n = *in_comment ? comment_length(p, in_comment) : 2 + comment_length(p + 2, in_comment);
            how = STYLE_COMMENT;
        } else if (p[0] == '/' && p[1] == '/') {
            n = strlen(p);
            how = STYLE_COMMENT;
        } else if (*p == '"' || *p == '\'') {
            n = quoted_length(p);
            how = directive ? how : STYLE_LITERAL;
        } else if (isdigit((unsigned char)*p) || (*p == '.' && isdigit((unsigned char)p[1]))) {
            n = number_length(p);
            how = directive ? how : STYLE_LITERAL;
        } else if (is_word_byte(*p)) {
            while (is_word_byte(p[n]))
                n++;
            how = directive ? how : style_of_word(p, n);
        }
        styled_add(t, how, p, n);
        p += n;
    }
}

void syntax_add_margin(styled *t, int number, bool in_region, bool refused)
{
    styled_printf(t, refused ? STYLE_BAD : STYLE_DIM, "%3d ", number);
    if (refused)
        styled_puts(t, STYLE_BAD, "✗ ");
    else
        styled_puts(t, STYLE_TODO, in_region ? "┃ " : "  ");
}
