#include "statements.h"
#include "../names.h"
#include "../ptx.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool is_word_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '.' || c == '%';
}

ptx_slice ptx_next_word(const char **p)
{
    const char *s = *p;
    for (;;) {
        if (isspace((unsigned char)*s)) {
            s++;
        } else if (s[0] == '/' && s[1] == '/') {
            s += strcspn(s, "\n");
        } else if (s[0] == '/' && s[1] == '*') {
            const char *end = strstr(s + 2, "*/");
            s = end ? end + 2 : s + strlen(s);
        } else if (*s == '"') {
            s++;
            s += strcspn(s, "\"\n");
            s += *s == '"';
        } else {
            break;
        }
    }
    ptx_slice w = {s, 0};
    if (is_word_char(*s))
        while (is_word_char(s[w.length]))
            w.length++;
    else if (*s)
        w.length = 1;
    *p = s + w.length;
    return w;
}

bool ptx_slice_equals(ptx_slice w, const char *text)
{
    return w.length == strlen(text) && !memcmp(w.at, text, w.length);
}

static bool is_one_of(ptx_slice w, const char *const *list)
{
    while (*list && !ptx_slice_equals(w, *list))
        list++;
    return *list != NULL;
}

static const char *const linking_words[] = {".extern", ".visible", ".weak", ".common", NULL};
static const char *const space_words[] = {".global", ".const", ".shared", ".tex", NULL};
static const char *const header_words[] = {".version", ".target", ".address_size", NULL};

/* Read a .file or header statement, which ends at the end of its line. BEHIND: where the text after
 * the first word begins. */
static void read_line_statement(ptx_statement *s, const char *behind, const char **p)
{
    if (s->kind == PTX_STATEMENT_FILE)
        s->number = (unsigned)strtoul(behind, NULL, 10);
    *p = s->end = s->head = behind + strcspn(behind, "\n");
}

/* Size in bytes of an array: P points to its dimensions, as [3][4]; elements have BYTES bytes. */
static uint64_t array_bytes(const char *p, uint64_t bytes)
{
    ptx_slice w = ptx_next_word(&p);
    while (ptx_slice_equals(w, "[")) {
        w = ptx_next_word(&p);
        if (ptx_slice_equals(w, "]"))
            return 0;
        bytes *= strtoull(w.at, NULL, 0);
        w = ptx_next_word(&p);
        w = ptx_slice_equals(w, "]") ? ptx_next_word(&p) : w;
    }
    return bytes;
}

bool ptx_next_statement(const char **p, ptx_statement *s)
{
    const char *q = *p;
    ptx_slice w = ptx_next_word(&q);
    *s = (ptx_statement){.start = w.at};
    if (!w.length)
        return false;
    const bool header = is_one_of(w, header_words);
    if (header || ptx_slice_equals(w, ".file")) {
        s->kind = header ? PTX_STATEMENT_HEADER : PTX_STATEMENT_FILE;
        read_line_statement(s, q, p);
        return true;
    }
    int round = 0, curly = 0;
    bool braced =
        ptx_slice_equals(w, ".section"); /* a .section statement ends with a closing brace */
    bool named = braced || ptx_slice_equals(w, ".alias") || ptx_slice_equals(w, ".pragma");
    uint64_t element = 0, vector = 1;
    for (; w.length; w = ptx_next_word(&q)) {
        const char c = *w.at;
        const bool outside = !round && !curly;
        if (outside && !named && c == '.') {
            unsigned value = 0;
            const ptx_word_kind word = ptx_word_find(w.at + 1, w.length - 1, &value);
            if (is_one_of(w, linking_words)) {
                s->linking = w;
            } else if (is_one_of(w, space_words)) {
                s->space = w;
                s->kind = PTX_STATEMENT_VARIABLE;
            } else if (ptx_slice_equals(w, ".func") || ptx_slice_equals(w, ".entry")) {
                s->kind = PTX_STATEMENT_FUNCTION;
                s->is_entry = ptx_slice_equals(w, ".entry");
                braced = true;
            } else if (word == PTX_WORD_TYPE) {
                element = ptx_type_bytes((ptx_type)value);
            } else if (word == PTX_WORD_VEC) {
                vector = value;
            }
        }
        if (outside && !s->head && (c == ';' || c == '=' || c == '{')) {
            s->head = w.at;
            s->body = c == '{' && s->kind == PTX_STATEMENT_FUNCTION;
        }
        round += (c == '(') - (c == ')');
        curly += (c == '{') - (c == '}');
        if (!named && outside && is_word_char(c) && c != '.' && !isdigit((unsigned char)c)) {
            s->name = w;
            s->size = array_bytes(q, element * vector);
            named = true;
        }
        if (curly <= 0 && round <= 0 && (c == ';' || (c == '}' && braced)))
            break;
    }
    *p = s->end = q;
    s->head = s->head ? s->head : q;
    return true;
}
