/* The device linker for PTX. First it resolves names over all input texts. Then it copies each
 * text with changed names and file numbers, and leaves out definitions that another text's
 * definition replaces. */
#include "link.h"
#include "../../base/list.h"
#include "../names.h"
#include "statements.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NO_INPUT_TEXT SIZE_MAX

/* A symbol name, with all input texts in which it occurs. */
typedef struct linked_symbol {
    struct linked_symbol *next; /* next in its hash bucket */
    ptx_slice name;             /* the name, in the first text that has it */
    size_t *own;                /* numbers of the texts that have a local symbol with this name */
    size_t own_count;           /* number of elements of `own` */
    bool shared;                /* some text exports or imports this symbol */
    size_t defined;             /* number of the text whose definition is used, or NO_INPUT_TEXT */
    size_t seen;                /* number of the first text that exports or imports this symbol */
    bool strong;                /* the definition is not weak */
    bool common;                /* the definition is .common: the largest one is used */
    bool missed;                /* an undefined reference to this symbol has been reported */
    ptx_slice space;            /* state space of a variable */
    uint64_t size;              /* size of the variable in bytes; 0: unknown */
} linked_symbol;

typedef struct linker {
    const ptx_link_text *texts;             /* the input texts */
    size_t count;                           /* number of texts */
    linked_symbol **bucket;                 /* hash table of symbols */
    size_t buckets, symbols;                /* number of hash buckets; number of symbols */
    ptx_slice version, target;              /* the texts' .version and .target statements */
    double highest_version, highest_target; /* highest version and target number of all texts */
    char *log;                              /* buffer for messages */
    size_t log_size, log_used;              /* size of log in bytes; bytes used */
    bool wrong, failed; /* wrong: an error was reported; failed: out of memory */
} linker;

static void add_message(linker *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add_message(linker *l, const char *format, ...)
{
    l->wrong = true;
    va_list args;
    va_start(args, format);
    if (l->log_used < l->log_size) {
        const int n = vsnprintf(l->log + l->log_used, l->log_size - l->log_used, format, args);
        l->log_used += n > 0 ? (size_t)n : 0;
    }
    va_end(args);
}

/* --- names --- */

static linked_symbol *find_symbol(const linker *l, ptx_slice name)
{
    if (!l->buckets)
        return NULL;
    linked_symbol *s = l->bucket[ptx_hash(name.at, name.length) & (l->buckets - 1)];
    while (s && !(s->name.length == name.length && !memcmp(s->name.at, name.at, name.length)))
        s = s->next;
    return s;
}

static bool grow_symbols(linker *l)
{
    const size_t more = l->buckets ? l->buckets * 4 : 256;
    linked_symbol **bucket = calloc(more, sizeof *bucket);
    if (!bucket)
        return false;
    for (size_t b = 0; b < l->buckets; b++) {
        for (linked_symbol *s = l->bucket[b], *next; s; s = next) {
            next = s->next;
            linked_symbol **to = &bucket[ptx_hash(s->name.at, s->name.length) & (more - 1)];
            s->next = *to;
            *to = s;
        }
    }
    free(l->bucket);
    l->bucket = bucket;
    l->buckets = more;
    return true;
}

static linked_symbol *find_or_add_symbol(linker *l, ptx_slice name)
{
    linked_symbol *s = find_symbol(l, name);
    if (s)
        return s;
    s = l->symbols < l->buckets || grow_symbols(l) ? calloc(1, sizeof *s) : NULL;
    if (!s) {
        l->failed = true;
        return NULL;
    }
    *s = (linked_symbol){.name = name, .defined = NO_INPUT_TEXT, .seen = NO_INPUT_TEXT};
    linked_symbol **to = &l->bucket[ptx_hash(name.at, name.length) & (l->buckets - 1)];
    s->next = *to;
    *to = s;
    l->symbols++;
    return s;
}

static void release_linker(linker *l)
{
    for (size_t b = 0; b < l->buckets; b++) {
        for (linked_symbol *s = l->bucket[b], *next; s; s = next) {
            next = s->next;
            free(s->own);
            free(s);
        }
    }
    free(l->bucket);
}

static bool text_owns_symbol(const linked_symbol *s, size_t text)
{
    for (size_t i = 0; i < s->own_count; i++)
        if (s->own[i] == text)
            return true;
    return false;
}

static void add_local_symbol(linker *l, linked_symbol *s, size_t text)
{
    if (text_owns_symbol(s, text))
        return;
    size_t *own = LIST_ADD(s->own, s->own_count);
    if (own)
        *own = text;
    l->failed |= !own;
}

/* Is the local symbol S renamed in the output of TEXT, because other texts use its name, too? */
static bool must_be_renamed(const linked_symbol *s, size_t text)
{
    return text_owns_symbol(s, text) && (s->shared || s->own[0] != text);
}

/* --- first pass: collecting symbols --- */

static void compare_declarations(linker *l, linked_symbol *s, const ptx_statement *t, size_t text)
{
    const bool is_same = s->space.length == t->space.length &&
                         (!s->space.length || !memcmp(s->space.at, t->space.at, t->space.length));
    const char *wrong = NULL;
    if (s->seen != text && !is_same)
        wrong = "Memory space";
    else if (s->size && t->size && s->size != t->size && !ptx_slice_equals(t->linking, ".common") &&
             !ptx_slice_equals(t->space, ".shared"))
        wrong = "Size";
    if (wrong) {
        add_message(l, "%s doesn't match for '%.*s' in '%s', first specified in '%s'\n", wrong,
                    (int)s->name.length, s->name.at, l->texts[text].name, l->texts[s->seen].name);
    }
    s->space = t->space;
    s->size = t->size > s->size ? t->size : s->size;
}

static void define_symbol(linker *l, linked_symbol *s, const ptx_statement *t, size_t text)
{
    const bool strong = ptx_slice_equals(t->linking, ".visible");
    const bool larger = ptx_slice_equals(t->linking, ".common") && s->common && t->size > s->size;
    if (s->defined == NO_INPUT_TEXT || ((strong || larger) && !s->strong)) {
        s->defined = text;
        s->strong = strong;
        s->common = ptx_slice_equals(t->linking, ".common");
    } else if (strong && s->defined != text) {
        add_message(l, "Multiple definition of '%.*s' in '%s', first defined in '%s'\n",
                    (int)s->name.length, s->name.at, l->texts[text].name,
                    l->texts[s->defined].name);
    }
}

static bool is_definition(const ptx_statement *t)
{
    return t->kind == PTX_STATEMENT_FUNCTION ? t->body : !ptx_slice_equals(t->linking, ".extern");
}

static void read_header(linker *l, const ptx_statement *t)
{
    const char *p = t->start;
    const ptx_slice word = ptx_next_word(&p), value = ptx_next_word(&p);
    const ptx_slice whole = {t->start, (size_t)(t->end - t->start)};
    if (ptx_slice_equals(word, ".version")) {
        const double v = strtod(value.at, NULL);
        l->version = v > l->highest_version ? whole : l->version;
        l->highest_version = v > l->highest_version ? v : l->highest_version;
    } else if (ptx_slice_equals(word, ".target")) {
        const double v = value.length > 3 ? strtod(value.at + 3, NULL) : 0; /* sm_90 */
        l->target = v > l->highest_target ? whole : l->target;
        l->highest_target = v > l->highest_target ? v : l->highest_target;
    }
}

static void collect_symbols(linker *l, size_t text)
{
    ptx_statement t;
    for (const char *p = l->texts[text].text; ptx_next_statement(&p, &t);) {
        if (t.kind == PTX_STATEMENT_HEADER)
            read_header(l, &t);
        linked_symbol *s = t.name.length ? find_or_add_symbol(l, t.name) : NULL;
        if (!s)
            continue;
        if (!t.linking.length) {
            add_local_symbol(l, s, text);
            continue;
        }
        s->shared = true;
        s->seen = s->seen == NO_INPUT_TEXT ? text : s->seen;
        if (is_definition(&t))
            define_symbol(l, s, &t, text);
        compare_declarations(l, s, &t, text);
    }
}

/* --- second pass: writing the linked text --- */

/* TEXT uses symbol S, which another text must define: report an error if no text defines it. */
static void require_definition(linker *l, linked_symbol *s, size_t text,
                               bool (*provided)(const char *name))
{
    if (!s->shared || s->defined != NO_INPUT_TEXT || s->missed ||
        ptx_slice_equals(s->space, ".shared"))
        return;
    char name[1024];
    snprintf(name, sizeof name, "%.*s", (int)s->name.length, s->name.at);
    if (!provided(name)) {
        add_message(l, "Undefined reference to '%s' in '%s'\n", name, l->texts[text].name);
        s->missed = true;
    }
}

typedef struct text_writer {
    FILE *out;                 /* the linked PTX text is written to this file */
    size_t text;               /* number of the input text */
    unsigned files, file_base; /* highest .file number in this text; sum of the highest .file
                                * numbers of earlier texts */
    bool (*provided)(const char *name); /* does the device define NAME? NULL: do not check */
} text_writer;

/* Is W a label such as $L__info_string0, which stands for the name of an inlined function? The
 * scanner finds no declaration of such labels. */
static bool is_label_of_inlined_name(ptx_slice w)
{
    static const char prefix[] = "$L__info_string";
    return w.length >= sizeof prefix && !memcmp(w.at, prefix, sizeof prefix - 1);
}

/* Copy the text from START to END with changed names and file numbers. */
static void write_renamed(linker *l, const text_writer *w, const char *start, const char *end)
{
    const char *done = start, *p = start;
    bool number = false; /* true: the next word is a file number */
    while (p < end) {
        const ptx_slice word = ptx_next_word(&p);
        if (!word.length || word.at >= end)
            break;
        const char c = *word.at;
        const bool digit = isdigit((unsigned char)c);
        linked_symbol *s = c == '%' || c == '.' || digit ? NULL : find_symbol(l, word);
        if (number && digit) {
            fwrite(done, 1, (size_t)(word.at - done), w->out);
            fprintf(w->out, "%lu", strtoul(word.at, NULL, 10) + w->file_base);
            done = word.at + word.length;
        } else if ((s && must_be_renamed(s, w->text)) ||
                   (w->text && is_label_of_inlined_name(word))) {
            fwrite(done, 1, (size_t)(word.at + word.length - done), w->out);
            fprintf(w->out, "$in%zu", w->text);
            done = word.at + word.length;
        } else if (s && w->provided) {
            require_definition(l, s, w->text, w->provided);
        }
        number = ptx_slice_equals(word, ".file") || ptx_slice_equals(word, ".loc") ||
                 ptx_slice_equals(word, "inlined_at");
    }
    fwrite(done, 1, (size_t)(end - done), w->out);
}

/* Write what remains of a definition that another text's definition replaces: a declaration if
 * the other definition comes later, otherwise nothing. */
static void write_declaration(linker *l, const text_writer *w, const ptx_statement *t,
                              size_t counts)
{
    if (counts < w->text)
        return;
    fputs(".extern ", w->out);
    write_renamed(l, w, t->linking.at + t->linking.length, t->head);
    fputs(";\n", w->out);
}

static void write_text(linker *l, text_writer *w)
{
    ptx_statement t;
    for (const char *p = l->texts[w->text].text; ptx_next_statement(&p, &t);) {
        if (t.kind == PTX_STATEMENT_HEADER)
            continue;
        if (t.kind == PTX_STATEMENT_FILE && t.number > w->files)
            w->files = t.number;
        const linked_symbol *s = t.name.length && t.linking.length ? find_symbol(l, t.name) : NULL;
        if (s && is_definition(&t) && s->defined != w->text) {
            write_declaration(l, w, &t, s->defined);
            continue;
        }
        /* a name that occurs only in a declaration needs no definition */
        text_writer quiet = *w;
        quiet.provided = is_definition(&t) ? w->provided : NULL;
        write_renamed(l, &quiet, t.start, t.end);
        fputc('\n', w->out);
    }
}

static void write_header(const linker *l, FILE *out)
{
    if (l->version.length)
        fprintf(out, "%.*s\n", (int)l->version.length, l->version.at);
    if (l->target.length)
        fprintf(out, "%.*s\n", (int)l->target.length, l->target.at);
    fputs(".address_size 64\n", out);
}

char *ptx_link_texts(const ptx_link_text *texts, size_t count, bool (*provided)(const char *name),
                     char *log, size_t log_size)
{
    linker l = {.texts = texts, .count = count, .log = log, .log_size = log_size};
    if (log_size)
        *log = '\0';
    for (size_t i = 0; i < count; i++)
        collect_symbols(&l, i);
    char *whole = NULL;
    size_t size = 0;
    FILE *out = l.wrong || l.failed ? NULL : open_memstream(&whole, &size);
    if (out) {
        write_header(&l, out);
        text_writer w = {.out = out, .provided = provided};
        for (; w.text < count; w.text++) {
            w.files = 0;
            write_text(&l, &w);
            w.file_base += w.files;
        }
        l.failed |= fclose(out) != 0;
    }
    release_linker(&l);
    if (!out || l.failed || l.wrong) {
        free(whole);
        return NULL;
    }
    return whole;
}
