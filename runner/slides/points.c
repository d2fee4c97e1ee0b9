#include "points.h"

#include "../base/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum {
    SHORT_SENTENCE = 36,   /* a sentence of fewer bytes makes a point only with the next one */
    MAX_TERM_BYTES = 28,   /* longest term that is a heading */
    MAX_SOURCE_WORDS = 80, /* a path so near behind a parenthesis stands in it */
};

/* TEXT as one line: blanks and ends of lines become one blank. */
static char *joined_lines(const char *text)
{
    sb out = {0};
    while (*text) {
        size_t blank = strspn(text, " \n"), word = strcspn(text + blank, " \n");
        if (word)
            sb_printf(&out, "%s%.*s", out.len ? " " : "", (int)word, text + blank);
        text += blank + word;
    }
    return out.s ? sb_take(&out) : xstrdup("");
}

static bool begins_sentence(char c)
{
    return isupper((unsigned char)c) || isdigit((unsigned char)c) || strchr("`*[(\"", c);
}

/* The length of the first sentence of TEXT, which is one line. Code and parentheses are skipped. */
static size_t sentence_length(const char *text)
{
    int depth = 0;
    bool code = false;
    for (size_t i = 0; text[i]; i++) {
        code ^= text[i] == '`';
        if (code)
            continue;
        depth += (text[i] == '(') - (text[i] == ')');
        if (depth > 0 || !strchr(".?!", text[i]))
            continue;
        size_t end = i + 1 + strspn(text + i + 1, ".?!*\")");
        if (!text[end] || (text[end] == ' ' && text[end + 1] && begins_sentence(text[end + 1])))
            return end;
    }
    return strlen(text);
}

char *point_of_paragraph(const char *text, bool introduces)
{
    OWNED char *line = joined_lines(text);
    size_t end = sentence_length(line), last = 0;
    if ((end < SHORT_SENTENCE || line[end - 1] == '?') && line[end])
        end += 1 + sentence_length(line + end + 1);
    for (size_t at = end; introduces && line[at]; at += sentence_length(line + at))
        last = ++at;
    char *point =
        last ? xprintf("%.*s %s", (int)end, line, line + last) : xprintf("%.*s", (int)end, line);
    return point;
}

char *run_in_heading(const char **text)
{
    const char *end = starts_with(*text, "**") ? strstr(*text + 2, "**") : NULL;
    if (!end)
        return NULL;
    OWNED char *words = xprintf("%.*s", (int)(end - *text - 2), *text + 2);
    char *line = joined_lines(words);
    size_t length = strlen(line);
    if (length && strchr(".?:", line[length - 1])) {
        *text = end + 2 + strspn(end + 2, " \n");
        if (line[length - 1] != '?')
            line[length - 1] = 0;
    }
    return line;
}

char *first_term(const char *text)
{
    for (const char *p = text; (p = strpbrk(p, "*[`")); p++) {
        const char *end = strpbrk(p + 1, *p == '[' ? "]" : *p == '*' ? "*" : "`");
        if (!end)
            return NULL;
        bool term = (*p == '*' && p[1] != '*') ||
                    (*p == '[' && starts_with(end, "](") && strstr(end, "GLOSSARY") &&
                     strstr(end, "GLOSSARY") < strchr(end, ')'));
        if (*p == '[' && p[1] == '*' && end[-1] == '*') { /* what is linked may be slanted */
            p++;
            end--;
        }
        size_t length = (size_t)(end - p - 1);
        if (term && length && length <= MAX_TERM_BYTES && !memchr(p + 1, '`', length)) {
            char *words = xprintf("%.*s", (int)length, p + 1), *line = joined_lines(words);
            free(words);
            *line = (char)toupper((unsigned char)*line);
            return line;
        }
        if (*p != '[')
            p = end; /* else a term may stand in the brackets */
    }
    return NULL;
}

char *text_without_test_paths(const char *text)
{
    static const char path[] = "`tests/";
    sb out = {0};
    const char *found, *end;
    while ((found = strstr(text, path)) && (end = strchr(found + 1, '`'))) {
        size_t kept = (size_t)(found - text), open = kept;
        end++;
        while (open && text[open] != '(' && text[open] != ')' && kept - open < MAX_SOURCE_WORDS)
            open--;
        bool inside = text[open] == '(';
        if (inside && kept > 2 && starts_with(found - 2, ", `")) {
            kept -= 2;
        } else if (inside && *end == ')') {
            kept = open - (open && strchr(" \n", text[open - 1]) ? 1 : 0);
            end++;
        } else if (inside && open + 1 == kept) {
            end += strspn(end, ",; ");
        } else {
            kept = (size_t)(end - text); /* the sentence needs it */
        }
        sb_add(&out, text, kept);
        text = end;
    }
    sb_puts(&out, text);
    return sb_take(&out);
}
