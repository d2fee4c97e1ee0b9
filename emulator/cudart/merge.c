/* Several PTX texts as one. Only words and brackets are looked at: the parser judges the rest. */
#include "merge.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct word {
    const char *at;
    size_t length;
} word;

/* What is known of one text before it is written. */
typedef struct unit {
    word *renamed; /* names that get a suffix */
    size_t renamed_count, renamed_room;
    unsigned files; /* highest number of a .file */
    unsigned file_base;
} unit;

typedef struct joiner {
    FILE *out;
    word *weak; /* variables that an earlier text has defined */
    size_t weak_count, weak_room;
    bool failed; /* memory is out */
} joiner;

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '.' || c == '%';
}

/* The next word, bracket or sign from *P on, comments and strings left out; length 0 at the end. */
static word next(const char **p)
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
    word w = {s, 0};
    if (is_word(*s)) {
        while (is_word(s[w.length])) {
            w.length++;
        }
    } else if (*s) {
        w.length = 1;
    }
    *p = s + w.length;
    return w;
}

static bool is(word w, const char *text)
{
    return w.length == strlen(text) && !memcmp(w.at, text, w.length);
}

static bool has(const word *list, size_t count, word w)
{
    for (size_t i = 0; i < count; i++) {
        if (list[i].length == w.length && !memcmp(list[i].at, w.at, w.length)) {
            return true;
        }
    }
    return false;
}

static void keep(joiner *j, word **list, size_t *count, size_t *room, word w)
{
    if (*count == *room) {
        size_t more = *room ? *room * 2 : 32;
        word *grown = realloc(*list, more * sizeof *grown);
        if (!grown) {
            j->failed = true;
            return;
        }
        *list = grown;
        *room = more;
    }
    (*list)[(*count)++] = w;
}

/* A statement of module scope. */
typedef struct statement {
    const char *start, *end;
    word name; /* length 0: it declares nothing */
    bool header, is_extern, is_visible, is_weak, function, file;
    unsigned number; /* of .file */
} statement;

/* Read the statement at *P; false at the end of the text. */
static bool read_statement(const char **p, statement *s)
{
    const char *q = *p;
    word w = next(&q);
    *s = (statement){.start = w.at};
    if (!w.length) {
        return false;
    }
    bool line = is(w, ".version") || is(w, ".target") || is(w, ".address_size");
    if (line || is(w, ".file")) {
        s->header = line;
        s->file = !line;
        s->number = line ? 0 : (unsigned)strtoul(q, NULL, 10);
        *p = s->end = q + strcspn(q, "\n");
        return true;
    }
    int round = 0, curly = 0;
    bool braced = is(w, ".section"); /* a closing brace ends it */
    bool named = braced;
    for (; w.length; w = next(&q)) {
        char c = *w.at;
        s->is_extern |= is(w, ".extern");
        s->is_visible |= is(w, ".visible") || is(w, ".common");
        s->is_weak |= is(w, ".weak");
        if (is(w, ".func") || is(w, ".entry")) {
            s->function = braced = true;
        }
        round += (c == '(') - (c == ')');
        curly += (c == '{') - (c == '}');
        if (!named && !round && !curly && c != '.' && c != '(' && c != ')' &&
            !isdigit((unsigned char)c) && is_word(c)) {
            s->name = w;
            named = true;
        }
        if (!curly && !round && (c == ';' || (c == '}' && braced))) {
            break;
        }
    }
    *p = s->end = q;
    return true;
}

/* Find the names that only this text may know. */
static void survey(joiner *j, unit *u, const char *text)
{
    statement s;
    for (const char *p = text; read_statement(&p, &s);) {
        if (s.file && s.number > u->files) {
            u->files = s.number;
        }
        bool own = !s.is_extern && !s.is_visible && (!s.is_weak || s.function);
        if (s.name.length && own) {
            keep(j, &u->renamed, &u->renamed_count, &u->renamed_room, s.name);
        }
    }
}

/* Write the text from START to END, names and numbers of files changed. */
static void write_part(joiner *j, const unit *u, size_t index, const char *start, const char *end)
{
    const char *done = start, *p = start;
    bool number = false; /* the next word is the number of a file */
    while (p < end) {
        word w = next(&p);
        if (!w.length || w.at >= end) {
            break;
        }
        bool own = has(u->renamed, u->renamed_count, w) ||
                   (w.length > 15 && !memcmp(w.at, "$L__info_string", 15));
        if (number && isdigit((unsigned char)*w.at)) {
            fwrite(done, 1, (size_t)(w.at - done), j->out);
            fprintf(j->out, "%lu", strtoul(w.at, NULL, 10) + u->file_base);
            done = w.at + w.length;
        } else if (own) {
            fwrite(done, 1, (size_t)(w.at + w.length - done), j->out);
            fprintf(j->out, "$%zu", index);
            done = w.at + w.length;
        }
        number = is(w, ".file") || is(w, ".loc") || is(w, "inlined_at");
    }
    fwrite(done, 1, (size_t)(end - done), j->out);
}

static void write_unit(joiner *j, const unit *u, size_t index, const char *text)
{
    statement s;
    for (const char *p = text; read_statement(&p, &s);) {
        bool variable = s.is_weak && !s.function && s.name.length;
        if ((s.header && index) || (variable && has(j->weak, j->weak_count, s.name))) {
            continue;
        }
        if (variable) {
            keep(j, &j->weak, &j->weak_count, &j->weak_room, s.name);
        }
        write_part(j, u, index, s.start, s.end);
        fputc('\n', j->out);
    }
}

char *merge_ptx(const char *const *texts, size_t count)
{
    char *whole = NULL;
    size_t size = 0;
    joiner j = {.out = open_memstream(&whole, &size)};
    if (!j.out) {
        return NULL;
    }
    unsigned files = 0;
    for (size_t i = 0; i < count; i++) {
        unit u = {.file_base = files};
        if (i) { /* the first keeps its names */
            survey(&j, &u, texts[i]);
        } else {
            unit first = {0};
            survey(&j, &first, texts[i]);
            u.files = first.files;
            free(first.renamed);
        }
        write_unit(&j, &u, i, texts[i]);
        files += u.files;
        free(u.renamed);
    }
    free(j.weak);
    if (fclose(j.out) || j.failed) {
        free(whole);
        return NULL;
    }
    return whole;
}

static fatbin_status choose(const void *container, uint32_t capability, char **text, char *message,
                            size_t message_size)
{
    fatbin_text one;
    fatbin_status status = fatbin_choose(container, fatbin_readable(container), capability, &one);
    if (status != FATBIN_OK) {
        snprintf(message, message_size, "%s", one.message);
    }
    *text = one.ptx;
    return status;
}

/* The toolkit's device runtime, which kernels that launch kernels are linked with, has no PTX that
 * fits: its functions are missing then, and a kernel that calls one is refused by name. */
static bool calls_device_runtime(char *const *texts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strstr(texts[i], "__cudaCDP2")) {
            return true;
        }
    }
    return false;
}

fatbin_status merge_text(const fatbin_wrapper *wrapper, uint32_t capability, char **text,
                         char *message, size_t message_size)
{
    const void *const *linked = wrapper->version == 2 ? wrapper->linked : NULL;
    size_t count = 0;
    while (linked && linked[count]) {
        count++;
    }
    if (count < 2) {
        const void *container = count ? linked[0] : wrapper->data;
        return choose(container, capability, text, message, message_size);
    }
    char **texts = calloc(count, sizeof *texts);
    fatbin_status status = texts ? FATBIN_OK : FATBIN_MEMORY, without = FATBIN_OK;
    size_t chosen = 0;
    for (size_t i = 0; i < count && status == FATBIN_OK; i++) {
        status = choose(linked[i], capability, &texts[chosen], message, message_size);
        chosen += status == FATBIN_OK;
        if (status == FATBIN_NO_PTX || status == FATBIN_TOO_NEW) {
            without = status;
            status = FATBIN_OK;
        }
    }
    if (status == FATBIN_OK && without && !calls_device_runtime(texts, chosen)) {
        status = without;
    }
    if (status == FATBIN_OK) {
        *text = merge_ptx((const char *const *)texts, chosen);
        status = *text ? FATBIN_OK : FATBIN_MEMORY;
    }
    for (size_t i = 0; texts && i < chosen; i++) {
        free(texts[i]);
    }
    free(texts);
    return status;
}
