/* Parse a module: the directives in module scope, and helpers for the other files of the parser. */
#include "parser.h"

#include "../../base/list.h"

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* --- errors --- */

/* Append to TEXT the PTX line that contains AT, with a caret under AT. */
static void add_caret(const ptx_parser *p, char *text, size_t size, const ptx_token *at)
{
    enum { MAX_BYTES_BEFORE = 90, MAX_BYTES_AFTER = 60 };
    const char *from = at->s, *to = at->s;
    while (from > p->lex.text && from[-1] != '\n' && at->s - from < MAX_BYTES_BEFORE)
        from--;
    while (to < p->lex.end && *to != '\n' && to - at->s < MAX_BYTES_AFTER)
        to++;
    while (from < at->s && (*from == ' ' || *from == '\t'))
        from++;
    size_t n = strlen(text), width = (size_t)(to - from), caret = (size_t)(at->s - from);
    if (n + 2 * width + 16 > size)
        return;
    char *out = text + n;
    out += sprintf(out, "\n    ");
    for (const char *c = from; c < to; c++)
        *out++ = *c >= ' ' && *c < 127 ? *c : ' ';
    sprintf(out, "\n    %*s^", (int)caret, "");
}

static void report_error(ptx_parser *p, int kind, const ptx_token *at, const char *format,
                         va_list args)
{
    ptx_error *e = p->err;
    e->kind = kind;
    e->line = at->line;
    e->column = ptx_lex_column(&p->lex, at->s);
    int n = snprintf(e->text, sizeof e->text, "PTX line %u, column %u: ", e->line, e->column);
    vsnprintf(e->text + n, sizeof e->text - (size_t)n, format, args);
    add_caret(p, e->text, sizeof e->text, at);
}

void ptx_fail(ptx_parser *p, const ptx_token *at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    report_error(p, PTX_ERR_SYNTAX, at, format, args);
    va_end(args);
    longjmp(p->failed, 1);
}

void ptx_fail_with_version_error(ptx_parser *p, const ptx_token *at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    report_error(p, PTX_ERR_VERSION, at, format, args);
    va_end(args);
    longjmp(p->failed, 1);
}

static void report_out_of_memory(ptx_error *err)
{
    *err = (ptx_error){.kind = PTX_ERR_MEMORY};
    snprintf(err->text, sizeof err->text, "out of memory while reading PTX");
}

void ptx_fail_out_of_memory(ptx_parser *p)
{
    report_out_of_memory(p->err);
    longjmp(p->failed, 1);
}

/* --- memory --- */

void *ptx_alloc_array(ptx_parser *p, size_t count, size_t size)
{
    void *at = count > SIZE_MAX / 2 / size ? NULL : ptx_arena_alloc(p->arena, count * size);
    if (!at)
        ptx_fail_out_of_memory(p);
    return at;
}

char *ptx_copy_text(ptx_parser *p, const char *s, size_t len)
{
    char *to = ptx_alloc_array(p, len + 1, 1);
    memcpy(to, s, len);
    return to;
}

void *ptx_push_item(ptx_parser *p, ptx_list *list, size_t size)
{
    void *at = list_insert(&list->items, size, &list->count, sizeof list->count, list->count);
    if (!at)
        ptx_fail_out_of_memory(p);
    return memset(at, 0, size);
}

void *ptx_copy_list_to_arena(ptx_parser *p, const ptx_list *list, size_t size)
{
    if (!list->count)
        return NULL;
    return memcpy(ptx_alloc_array(p, list->count, size), list->items, list->count * size);
}

/* --- tokens --- */

void ptx_next_token(ptx_parser *p)
{
    ptx_lex_next(&p->lex);
    if (p->lex.tok.kind == PTX_TOK_ERROR)
        ptx_fail(p, &p->lex.tok, "%s", p->lex.problem);
}

bool ptx_is_token(const ptx_parser *p, int kind)
{
    return (int)p->lex.tok.kind == kind;
}

bool ptx_is_dot_word(const ptx_parser *p, const char *word)
{
    return p->lex.tok.kind == PTX_TOK_DOT && ptx_token_is_word(&p->lex.tok, word);
}

bool ptx_accept_token(ptx_parser *p, int kind)
{
    if (!ptx_is_token(p, kind))
        return false;
    ptx_next_token(p);
    return true;
}

bool ptx_accept_dot_word(ptx_parser *p, const char *word)
{
    if (!ptx_is_dot_word(p, word))
        return false;
    ptx_next_token(p);
    return true;
}

void ptx_expect_token(ptx_parser *p, int kind, const char *what)
{
    if (!ptx_accept_token(p, kind)) {
        ptx_fail(p, &p->lex.tok, "expected %s%s", what,
                 ptx_is_token(p, PTX_TOK_END) ? ", but the text ends here" : "");
    }
}

ptx_token ptx_expect_name(ptx_parser *p, const char *what)
{
    ptx_token t = p->lex.tok;
    ptx_expect_token(p, PTX_TOK_NAME, what);
    return t;
}

void ptx_skip_statement(ptx_parser *p)
{
    uint32_t open = 0;
    while (!ptx_is_token(p, PTX_TOK_END)) {
        if (ptx_is_token(p, '{')) {
            open++;
        } else if (ptx_is_token(p, '}')) {
            if (!open)
                return;
            open--;
        } else if (!open && ptx_is_token(p, ';')) {
            ptx_next_token(p);
            return;
        }
        ptx_next_token(p);
    }
    ptx_fail(p, &p->lex.tok, "expected ';', but the text ends here");
}

/* --- directives in module scope --- */

static void parse_version(ptx_parser *p)
{
    unsigned major, minor;
    ptx_token t = p->lex.tok;
    if (t.kind != PTX_TOK_DECIMAL || t.len > 8 || sscanf(t.s, "%u.%u", &major, &minor) != 2)
        ptx_fail_with_version_error(p, &t, "expected the version of the PTX ISA, such as 9.0");
    p->m->version_major = (uint16_t)major;
    p->m->version_minor = (uint16_t)minor;
    ptx_next_token(p);
}

static void parse_target(ptx_parser *p)
{
    do {
        ptx_token t = ptx_expect_name(p, "a target such as sm_90");
        if (t.len > 3 && memcmp(t.s, "sm_", 3) == 0) {
            unsigned sm = 0;
            for (uint32_t i = 3; i < t.len && t.s[i] >= '0' && t.s[i] <= '9' && sm < 1000; i++)
                sm = sm * 10 + (unsigned)(t.s[i] - '0');
            p->m->target = (uint16_t)sm;
        }
        p->m->debug = p->m->debug || (t.len == 5 && memcmp(t.s, "debug", 5) == 0);
    } while (ptx_accept_token(p, ','));
    if (!p->m->target)
        ptx_fail_with_version_error(p, &p->lex.tok, ".target does not name an sm_NN");
}

static void parse_address_size(ptx_parser *p)
{
    ptx_token t = p->lex.tok;
    uint64_t bits = ptx_parse_constant_int(p);
    if (bits != 64) {
        ptx_fail_with_version_error(
            p, &t, "only 64-bit addresses are supported: build for a 64-bit target");
    }
}

/* Skip a section of debugging information (PTX ISA 11.5). */
static void skip_section(ptx_parser *p)
{
    while (!ptx_is_token(p, '{')) {
        if (ptx_is_token(p, PTX_TOK_END))
            ptx_fail(p, &p->lex.tok, "expected '{' of a section, but the text ends here");
        ptx_next_token(p);
    }
    ptx_token open = p->lex.tok;
    uint32_t depth = 0;
    do {
        depth += ptx_is_token(p, '{');
        depth -= ptx_is_token(p, '}');
        if (ptx_is_token(p, PTX_TOK_END))
            ptx_fail(p, &open, "this section is never closed");
        ptx_next_token(p);
    } while (depth);
}

static void parse_pragma(ptx_parser *p)
{
    do {
        ptx_expect_token(p, PTX_TOK_STRING, "a string");
    } while (ptx_accept_token(p, ','));
    ptx_expect_token(p, ';', "';'");
}

static void parse_module(ptx_parser *p)
{
    if (!ptx_accept_dot_word(p, ".version"))
        ptx_fail_with_version_error(p, &p->lex.tok, "PTX begins with .version");
    parse_version(p);
    if (!ptx_accept_dot_word(p, ".target"))
        ptx_fail_with_version_error(p, &p->lex.tok, "expected .target");
    parse_target(p);
    while (!ptx_is_token(p, PTX_TOK_END))
        if (ptx_accept_dot_word(p, ".address_size"))
            parse_address_size(p);
        else if (ptx_accept_dot_word(p, ".file"))
            ptx_parse_file(p);
        else if (ptx_accept_dot_word(p, ".loc"))
            ptx_parse_loc(p);
        else if (ptx_accept_dot_word(p, ".section"))
            skip_section(p);
        else if (ptx_accept_dot_word(p, ".pragma"))
            parse_pragma(p);
        else if (ptx_accept_dot_word(p, ".alias"))
            ptx_parse_alias(p);
        else if (ptx_accept_dot_word(p, ".version"))
            parse_version(p);
        else if (ptx_accept_dot_word(p, ".target"))
            parse_target(p);
        else if (ptx_is_token(p, PTX_TOK_DOT))
            ptx_parse_declaration(p);
        else if (!ptx_accept_token(p, ';'))
            ptx_fail(p, &p->lex.tok, "expected a directive: a variable, .func or .entry");
}

/* --- the finished module --- */

static uint32_t hash_table_size(uint32_t count)
{
    uint32_t n = 8;
    while (n < count * 2)
        n *= 2;
    return n;
}

static void build_func_and_var_index(ptx_parser *p)
{
    ptx_module *m = p->m;
    m->func_slots = hash_table_size(m->func_count);
    m->func_index = ptx_alloc_array(p, m->func_slots, sizeof *m->func_index);
    for (uint32_t i = 0; i < m->func_count; i++) {
        const ptx_func *f = m->funcs[i];
        if (f->is_proto)
            continue;
        uint32_t at = ptx_hash(f->name, strlen(f->name));
        while (m->func_index[at &= m->func_slots - 1])
            at++;
        m->func_index[at] = f;
    }
    uint32_t outer = 0;
    for (uint32_t i = 0; i < m->var_count; i++)
        outer += !m->vars[i]->scope;
    m->var_slots = hash_table_size(outer);
    m->var_index = ptx_alloc_array(p, m->var_slots, sizeof *m->var_index);
    for (uint32_t i = 0; i < m->var_count; i++) {
        const ptx_var *v = m->vars[i];
        if (v->scope)
            continue;
        uint32_t at = ptx_hash(v->name, strlen(v->name));
        while (m->var_index[at &= m->var_slots - 1])
            at++;
        m->var_index[at] = v;
    }
}

static void finish_module(ptx_parser *p)
{
    ptx_module *m = p->m;
    m->vars = ptx_copy_list_to_arena(p, &p->vars, sizeof *m->vars);
    m->var_count = p->vars.count;
    m->funcs = ptx_copy_list_to_arena(p, &p->funcs, sizeof *m->funcs);
    m->func_count = p->funcs.count;
    m->files = ptx_copy_list_to_arena(p, &p->files, sizeof *m->files);
    m->file_count = p->files.count;
    for (uint32_t i = 0; i < m->file_count; i++)
        if (!m->files[i])
            m->files[i] = "?";
    m->locs = ptx_copy_list_to_arena(p, &p->locs, sizeof *m->locs);
    m->loc_count = p->locs.count;
    build_func_and_var_index(p);
}

static void release_parser(ptx_parser *p)
{
    free(p->vars.items);
    free(p->funcs.items);
    free(p->files.items);
    free(p->locs.items);
    free(p->regs.items);
    free(p->locals.items);
    free(p->fixups.items);
    free(p->values.items);
    free(p->relocs.items);
    ptx_symbols_clear(&p->symbols);
    free(p);
}

static bool read_module(ptx_parser *p)
{
    if (setjmp(p->failed))
        return false;
    *(const char **)ptx_push_item(p, &p->files, sizeof(char *)) = NULL;
    ptx_push_item(p, &p->locs, sizeof(ptx_loc));
    if (p->lex.tok.kind == PTX_TOK_ERROR)
        ptx_fail(p, &p->lex.tok, "%s", p->lex.problem);
    parse_module(p);
    finish_module(p);
    return true;
}

ptx_module *ptx_parse(const char *text, size_t len, ptx_error *err)
{
    memset(err, 0, sizeof *err);
    while (len && !text[len - 1])
        len--; /* the length of PTX text in fat binaries includes the final NUL */
    ptx_arena *arena = ptx_arena_new();
    ptx_parser *p = calloc(1, sizeof *p);
    ptx_module *m = arena ? ptx_arena_alloc(arena, sizeof *m) : NULL;
    char *copy = m && p && len < INT_MAX ? ptx_arena_alloc(arena, len + 1) : NULL;
    if (!copy) {
        report_out_of_memory(err);
        free(p);
        ptx_arena_free(arena);
        return NULL;
    }
    memcpy(copy, text, len);
    p->arena = m->arena = arena;
    p->m = m;
    p->err = err;
    m->address_bytes = 8;
    ptx_lex_init(&p->lex, copy, len);
    bool ok = read_module(p);
    release_parser(p);
    if (!ok) {
        ptx_arena_free(arena);
        return NULL;
    }
    return m;
}

void ptx_free(ptx_module *m)
{
    if (m)
        ptx_arena_free(m->arena);
}

const ptx_func *ptx_find_func(const ptx_module *m, const char *name)
{
    uint32_t at = ptx_hash(name, strlen(name));
    for (;; at++) {
        const ptx_func *f = m->func_index[at &= m->func_slots - 1];
        if (!f || strcmp(f->name, name) == 0)
            return f;
    }
}

const ptx_var *ptx_find_var(const ptx_module *m, const char *name)
{
    uint32_t at = ptx_hash(name, strlen(name));
    for (;; at++) {
        const ptx_var *v = m->var_index[at &= m->var_slots - 1];
        if (!v || strcmp(v->name, name) == 0)
            return v;
    }
}
