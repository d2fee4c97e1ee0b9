#include "refusal.h"

#include "../base/files.h"
#include "../book/chapter.h"
#include "../book/course.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_OPEN_BRACKETS = 256, /* brackets open at one time, at most */
    SHOWN_INDENT = 2         /* SHOWN_INDENT: blanks that cudafe++ puts before a quoted line */
};

typedef struct compile_error {
    int line, column; /* column counted from 0; negative: not known */
    const char *text; /* message of the compiler */
} compile_error;

/* --- lines --- */

typedef struct text_lines {
    char **line;
    size_t count; /* number of lines */
} text_lines;

static text_lines split_lines(const char *text, arena *a)
{
    text_lines l = {0};
    const char *line;
    size_t len;
    while ((line = next_line(&text, &len)))
        *ARENA_PUSH(a, l.line, l.count) = arena_strndup(a, line, len);
    return l;
}

static bool is_line_with_caret(const char *line)
{
    const char *caret = line + strspn(line, " ");
    return *caret == '^' && caret[1 + strspn(caret + 1, "~ ")] == '\0';
}

/* --- finding errors in the compiler's output --- */

/* Find the first word for a severity in LINE, and the colon after it. */
static const char *find_severity(const char *line, bool *is_warning, const char **colon)
{
    static const char *const severities[] = {" warning", " error", " fatal"};
    for (const char *at = strchr(line, ' '); at && at > line; at = strchr(at + 1, ' ')) {
        for (size_t k = 0; k < sizeof severities / sizeof *severities; k++) {
            if (!starts_with(at, severities[k]) || !strchr(" :", at[strlen(severities[k])]))
                continue;
            *is_warning = k == 0;
            *colon = strstr(at, ": ");
            return *colon ? at : NULL;
        }
    }
    return NULL;
}

bool read_compiler_line(const char *line, arena *a, compiler_line *out)
{
    bool is_warning;
    const char *colon, *word = find_severity(line, &is_warning, &colon);
    if (!word)
        return false;
    *out = (compiler_line){.is_warning = is_warning, .text = colon + 2};
    char *file = arena_strndup(a, line, (size_t)(word - line)), *place = NULL, *end;
    for (char *at = file; (at = strpbrk(at, "(:")); at++) {
        const long number = strtol(at + 1, &end, 10);
        if (number <= 0 || number > INT_MAX || (*end != ')' && *end != ':'))
            continue;
        out->column = *end == ':' ? (int)strtol(end + 1, NULL, 10) : 0;
        out->line = (int)number;
        place = at;
        at = end;
    }
    if (place) {
        *place = '\0';
        out->file = file;
    }
    return true;
}

/* Whether LINE is an error in the file NAME, which becomes OUT. */
static bool parse_error_line(const char *line, const char *name, arena *a, compile_error *out)
{
    compiler_line says;
    if (!read_compiler_line(line, a, &says) || says.is_warning || !says.file)
        return false;
    *out = (compile_error){says.line, says.column - 1, says.text};
    return strcmp(file_name_of(says.file), name) == 0;
}

static compile_error *find_compile_errors(const text_lines *l, const char *name, arena *a,
                                          size_t *count)
{
    compile_error *errors = NULL, one;
    *count = 0;
    for (size_t i = 0; i < l->count; i++) {
        if (!parse_error_line(l->line[i], name, a, &one))
            continue;
        /* More text of the message may follow, then the quoted line, then the caret. */
        size_t caret = i + 1, most = l->count < i + 8 ? l->count : i + 8;
        while (caret < most && !is_line_with_caret(l->line[caret]) && *l->line[caret])
            caret++;
        if (caret < most && is_line_with_caret(l->line[caret])) {
            for (size_t k = i + 1; k + 1 < caret; k++)
                one.text = arena_printf(a, "%s %s", one.text, strip(l->line[k]));
            if (one.column < 0)
                one.column = (int)strspn(l->line[caret], " ") - SHOWN_INDENT;
        }
        *ARENA_PUSH(a, errors, *count) = one;
    }
    return errors;
}

/* --- brackets --- */

/* A bracket that has been opened and not closed yet. */
typedef struct bracket {
    char open; /* '(', '[' or '{' */
    int line;  /* line on which it was opened, from 1 */
} bracket;

/* The character after the comment or the literal at P; P itself if there is none. *LINE grows by
 * the number of lines in it. */
static const char *skip_comment_or_literal(const char *p, const char *end, int *line)
{
    if (p[0] == '/' && p[1] == '/') {
        while (p < end && *p != '\n')
            p++;
    } else if (p[0] == '/' && p[1] == '*') {
        for (p += 2; p < end && !(p[-1] == '/' && p[-2] == '*'); p++)
            *line += *p == '\n';
    } else if (*p == '"' || *p == '\'') {
        char quote = *p++;
        while (p < end && *p != quote && *p != '\n')
            p += *p == '\\' && p + 1 < end ? 2 : 1;
        p += p < end && *p == quote;
    }
    return p;
}

/* A sentence about the first unmatched bracket of the region from BEGIN to END, whose first line is
 * LINE; NULL: all brackets match. */
static const char *unmatched_bracket(const char *begin, const char *end, int line, int number,
                                     const char *name, arena *a)
{
    static const char opening[] = "{([", closing[] = "})]";
    bracket stack[MAX_OPEN_BRACKETS];
    size_t depth = 0;
    for (const char *p = begin; p < end;) {
        const char *after = skip_comment_or_literal(p, end, &line);
        if (after != p) {
            p = after;
            continue;
        }
        const char *close = strchr(closing, *p);
        if (strchr(opening, *p) && depth < MAX_OPEN_BRACKETS)
            stack[depth++] = (bracket){*p, line};
        else if (close && depth && stack[depth - 1].open == opening[close - closing])
            depth--;
        else if (close && !depth)
            return arena_printf(a, "%s:%d: TODO %d has a %c without its %c", name, line, number, *p,
                                opening[close - closing]);
        else if (close)
            break; /* one of the open brackets has no partner */
        line += *p++ == '\n';
    }
    if (!depth)
        return NULL;
    bracket b = stack[depth - 1];
    return arena_printf(a, "%s:%d: TODO %d has a %c that is not closed: the %c is missing", name,
                        b.line, number, b.open, closing[strchr(opening, b.open) - opening]);
}

static const char *find_unmatched_bracket(const char *source, const chapter *c, const char *name,
                                          arena *a)
{
    const char *wrong = NULL;
    for (size_t i = 0; i < c->todo_count && !wrong; i++) {
        const char *rest = source, *line, *begin = NULL, *end = source;
        size_t len;
        for (int n = 1; n < c->todos[i].end && (line = next_line(&rest, &len)); n++) {
            begin = n == c->todos[i].begin + 1 ? line : begin;
            end = line + len;
        }
        if (begin && begin < end)
            wrong =
                unmatched_bracket(begin, end, c->todos[i].begin + 1, c->todos[i].number, name, a);
    }
    return wrong;
}

/* --- quoting source lines in the report --- */

static void quote_source(sb *out, const text_lines *source, const compile_error *e)
{
    if ((size_t)e->line > source->count)
        return;
    const char *code = source->line[e->line - 1]; /* NOLINT: there are COUNT lines */
    size_t blanks = strspn(code, " ");
    sb_printf(out, "%5d | %s\n", e->line, code + blanks);
    if (e->column >= (int)blanks && (size_t)e->column <= strlen(code))
        sb_printf(out, "%5s | %*s^\n", "", e->column - (int)blanks, "");
}

/* The length of the code of LINE, without a comment at its end and blanks. */
static size_t code_length(const char *line)
{
    const char *end = line + strlen(line), *p = line;
    int unused = 0;
    while (p < end && !(p[0] == '/' && (p[1] == '/' || p[1] == '*'))) {
        const char *after = skip_comment_or_literal(p, end, &unused);
        p = after != p ? after : p + 1;
    }
    while (p > line && p[-1] == ' ')
        p--;
    return (size_t)(p - line);
}

/* The compiler finds a missing semicolon at the next word, which may stand on a later line, even
 * outside the student's region. Move the error to the end of the code before it. */
static void move_missing_semicolon(compile_error *e, const text_lines *code)
{
    bool missing = strstr(e->text, "expected a \";\"") || strstr(e->text, "expected ';' before") ||
                   strstr(e->text, "expected ‘;’ before");
    if (!missing || !code->line || e->line < 1 || (size_t)e->line > code->count || e->column < 0 ||
        strspn(code->line[e->line - 1], " ") < (size_t)e->column)
        return;
    int line = e->line - 1;
    while (line > 0 && !code_length(code->line[line - 1]))
        line--;
    if (line > 0)
        *e = (compile_error){line, (int)code_length(code->line[line - 1]), "a ; is missing here"};
}

/* --- what the assembler refuses --- */

static const char assembler_error[] = "ptxas error   : ";

/* Add the name of the function MANGLED, without parameters: "k" of "_Z1kPi". */
static void add_function_name(sb *out, const char *mangled)
{
    static const char unnamed[] = "_GLOBAL__N_"; /* an unnamed namespace */
    const char *p = mangled + 2;
    const size_t before = out->len;
    p += *mangled && mangled[1] && *p == 'N';
    for (char *end; strncmp(mangled, "_Z", 2) == 0 && *p >= '1' && *p <= '9'; p = end) {
        const size_t length = strtoul(p, &end, 10), left = strlen(end);
        const size_t n = length < left ? length : left;
        if (strncmp(end, unnamed, sizeof unnamed - 1) != 0)
            sb_printf(out, "%s%.*s", out->len > before ? "::" : "", (int)n, end);
        end += n;
    }
    if (out->len == before)
        sb_puts(out, mangled);
}

/* Add a sentence for the MESSAGE of ptxas that a kernel or the file uses too much memory, which
 * names no line and gives hexadecimal numbers of bytes. False: it is another message. */
static bool add_too_much_memory(sb *out, const char *message)
{
    char mangled[2000], what[40];
    unsigned long bytes, most;
    if (sscanf(message, "File uses too much global constant data (%lx bytes, %lx max)", &bytes,
               &most) == 2) {
        sb_printf(out,
                  "the __constant__ variables take %lu bytes, and may take %lu together: keep what "
                  "is larger in global memory (chapter %d)",
                  bytes, most, CHAPTER_CONSTANT_MEMORY);
        return true;
    }
    if (sscanf(message, "Entry function '%1999[^']' uses too much %39s data (%lx bytes, %lx max)",
               mangled, what, &bytes, &most) != 4)
        return false;
    sb_puts(out, "kernel ");
    add_function_name(out, mangled);
    if (strcmp(what, "shared") != 0)
        sb_printf(out, " uses %lu bytes of %s memory, and may use %lu", bytes, what, most);
    else
        sb_printf(out,
                  " declares %lu bytes of shared memory; arrays of a fixed size may have %lu bytes "
                  "together. Chapter %d asks for more: an extern __shared__ array and "
                  "cudaFuncSetAttribute()",
                  bytes, most, CHAPTER_DYNAMIC_SHARED_MEMORY);
    return true;
}

char *explain_assembler_lines(const char *message)
{
    sb out = {0};
    const size_t prefix = sizeof assembler_error - 1;
    while (*message) {
        const size_t length = strcspn(message, "\n"), whole = length + (message[length] == '\n');
        size_t kept = 0; /* bytes of the line that an explanation replaces */
        if (strncmp(message, assembler_error, prefix) == 0) {
            sb_puts(&out, assembler_error);
            kept = add_too_much_memory(&out, message + prefix) ? length : prefix;
        }
        sb_add(&out, message + kept, whole - kept);
        message += whole;
    }
    return sb_take(&out);
}

/* What the first error of the assembler in MESSAGE says; NULL: there is none. */
static const char *find_assembler_error(const char *message, arena *a)
{
    OWNED char *explained = explain_assembler_lines(message);
    const char *rest = explained, *line, *found = NULL;
    size_t len;
    while (!found && (line = next_line(&rest, &len)))
        if (strncmp(line, assembler_error, sizeof assembler_error - 1) == 0)
            found = arena_strndup(a, line + sizeof assembler_error - 1,
                                  len - (sizeof assembler_error - 1));
    return found;
}

/* Toolkit 12 and glibc from 2.41 on declare cospi, only one as a function that throws nothing. nvcc
 * takes that where both are headers of the system. */
static char *explain_clash_with_glibc(const char *message)
{
    static const char begin[] = "of previous function \"cospi\" (declared at line ";
    const char *line = strstr(message, begin), *of = line ? strstr(line, " of /") : NULL;
    const char *end = of ? strstr(of, "/crt/math_functions.h") : NULL;
    if (!end || strcspn(line, "\n") < (size_t)(end - line))
        return NULL;
    const int length = (int)(end - of) - 4;
    return xprintf("this nvcc does not know cospi and others of this glibc's math.h: install CUDA "
                   "Toolkit 13, or set NVCC_APPEND_FLAGS='-isystem %.*s'",
                   length, of + 4);
}

char *explain_host_compiler(const char *message)
{
    static const char begin[] = "gcc versions later than ";
    char *clash = explain_clash_with_glibc(message);
    if (clash)
        return clash;
    if (strstr(message, "identifier \"__Float32x4_t\" is undefined"))
        return xprintf(
            "this nvcc does not know the types of vectors in arm64's math.h: install CUDA "
            "Toolkit 12.5 or newer, or set NVCC_APPEND_FLAGS as docs/CI.md says");
    const char *at = strstr(message, begin);
    const long newest = at ? strtol(at + sizeof begin - 1, NULL, 10) : 0;
    if (newest <= 0)
        return NULL;
    return xprintf("this nvcc takes no gcc later than %ld for host code: install g++-%ld, and set "
                   "NVCC_CCBIN=g++-%ld",
                   newest, newest, newest);
}

bool read_compile_errors(const char *message, const char *source, const char *name,
                         const char *kept, arena *a, compile_report *out)
{
    chapter c = {0};
    size_t count, first = 0;
    text_lines says = split_lines(message, a), code = split_lines(source, a);
    compile_error *errors = find_compile_errors(&says, name, a, &count);
    if (!count) {
        OWNED char *host = explain_host_compiler(message);
        out->reason = host ? arena_strdup(a, host) : find_assembler_error(message, a);
        out->text = arena_printf(a, "All that nvcc says is in %s\n", kept);
        return out->reason != NULL;
    }
    for (size_t i = 0; i < count; i++)
        move_missing_semicolon(&errors[i], &code);
    chapter_read_lab(&c, a, source);
    bool inside = false;
    for (size_t i = 0; i < count && !inside; i++)
        for (size_t t = 0; t < c.todo_count && !inside; t++)
            if (errors[i].line >= c.todos[t].begin && errors[i].line <= c.todos[t].end) {
                inside = true;
                first = i;
            }
    const compile_error *e = &errors[first];
    const char *sentence = arena_printf(a, "%s:%d: %s", name, e->line, e->text);
    const char *lonely = find_unmatched_bracket(source, &c, name, a);
    CLEANUP(sb_free) sb text = {0};
    if (lonely)
        sb_printf(&text, "%s\n\n", sentence);
    quote_source(&text, &code, e);
    if (count > 1)
        sb_printf(&text, "\n%zu more error%s; all that nvcc says is in %s\n", count - 1,
                  count == 2 ? "" : "s", kept);
    else
        sb_printf(&text, "\nAll that nvcc says is in %s\n", kept);
    out->reason = lonely ? lonely : sentence;
    out->text = arena_strdup(a, text.s);
    return true;
}
