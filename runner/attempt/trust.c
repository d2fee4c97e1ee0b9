#include "trust.h"

#include "../book/chapter.h"

#include <ctype.h>
#include <string.h>

/* Names with these prefixes are reserved for the book. */
static const struct {
    const char *prefix, *why;
} prefixes[] = {
    {"lab_", "is a name of the book, which a region may not use"},
    {"LAB_", "is a name of the book, which a region may not use"},
    {"WARPBOOK_", "is a variable of the run, which a region may not use"},
};

static const char assembly[] = "is assembly, which these checks cannot read";
static const char environment[] = "reaches the run's environment or other programs";
static const char files[] = "reaches files, and with them the run's record";
static const char outside[] = "acts outside its region";

static const struct {
    const char *name;
    bool called; /* the name is flagged only if a ( follows; otherwise it may be a variable of that
                    name */
    const char *why; /* reason, the end of a sentence */
} names[] = {
    {"asm", false, assembly},
    {"__asm", false, assembly},
    {"__asm__", false, assembly},
    {"_Pragma", false, "is a preprocessor's line; of these, only #pragma unroll may stand here"},
    {"getenv", false, environment},
    {"secure_getenv", false, environment},
    {"setenv", false, environment},
    {"putenv", false, environment},
    {"unsetenv", false, environment},
    {"clearenv", false, environment},
    {"environ", false, environment},
    {"__environ", false, environment},
    {"system", true, environment},
    {"popen", true, environment},
    {"fork", true, environment},
    {"vfork", true, environment},
    {"execl", true, environment},
    {"execle", true, environment},
    {"execlp", true, environment},
    {"execv", true, environment},
    {"execve", true, environment},
    {"execvp", true, environment},
    {"posix_spawn", true, environment},
    {"posix_spawnp", true, environment},
    {"ptrace", true, environment},
    {"syscall", true, environment},
    {"dlopen", true, environment},
    {"dlsym", true, environment},
    {"FILE", false, files},
    {"ofstream", false, files},
    {"fstream", false, files},
    {"ifstream", false, files},
    {"filebuf", false, files},
    {"filesystem", false, files},
    {"fopen", false, files},
    {"freopen", false, files},
    {"fdopen", false, files},
    {"open", true, files},
    {"openat", true, files},
    {"creat", true, files},
    {"write", true, files},
    {"pwrite", true, files},
    {"writev", true, files},
    {"dprintf", true, files},
    {"dup", true, files},
    {"dup2", true, files},
    {"mmap", true, files},
    {"mprotect", true, files},
    {"rename", true, files},
    {"remove", true, files},
    {"unlink", true, files},
    {"truncate", true, files},
    {"ftruncate", true, files},
    {"atexit", true, outside},
    {"on_exit", true, outside},
    {"signal", true, outside},
    {"sigaction", true, outside},
    {"constructor", false, outside},
    {"destructor", false, outside},
    {"ifunc", false, outside},
    {"alias", true, outside},
};

/* Functions of the C library that the checks and the timing code call. */
static const char *const relied_on[] = {"printf", "fprintf",       "snprintf", "vsnprintf",
                                        "fabs",   "isnan",         "isinf",    "memcmp",
                                        "strcmp", "clock_gettime", "fclose",   "main"};

typedef struct scan {
    const char *p, *end; /* the rest of the region */
    int line;            /* line of the text, from 1 */
    arena *a;
    flaw **flaws;
    size_t *count;
    int depth[3]; /* nesting depth of {, ( and [ */
    /* The function name before the present ( and the depth of that (: a { after its ) makes it a
     * definition. */
    const char *calling;
    size_t calling_len;
    int calling_depth;
} scan;

static void note_finding(scan *s, const char *what, size_t len, const char *format)
{
    for (size_t i = 0; i < *s->count; i++)
        if (strlen((*s->flaws)[i].what) == len && memcmp((*s->flaws)[i].what, what, len) == 0)
            return;
    flaw *f = ARENA_PUSH(s->a, *s->flaws, *s->count);
    *f = (flaw){.line = s->line, .what = arena_strndup(s->a, what, len)};
    f->sentence = arena_printf(s->a, "%s %s", f->what, format);
}

static void note(scan *s, const char *what, const char *why)
{
    note_finding(s, what, strlen(what), why);
}

static bool is_word(const char *word, size_t len, const char *name)
{
    return strlen(name) == len && memcmp(word, name, len) == 0;
}

/* Skip backslash-newlines, which the compiler removes first. */
static void skip_splices(scan *s)
{
    while (s->p + 1 < s->end && s->p[0] == '\\' && (s->p[1] == '\n' || s->p[1] == '\r')) {
        s->p += s->p[1] == '\r' && s->p + 2 < s->end && s->p[2] == '\n' ? 3 : 2;
        s->line++;
    }
}

static void skip_blanks(scan *s)
{
    for (;;) {
        skip_splices(s);
        if (s->p >= s->end || !isspace((unsigned char)*s->p))
            return;
        s->line += *s->p == '\n';
        s->p++;
    }
}

static char peek_after_blanks(const scan *s)
{
    scan ahead = *s;
    skip_blanks(&ahead);
    return ahead.p < ahead.end ? *ahead.p : '\0';
}

/* Skip a comment at the current position. False: there is none. */
static bool comment(scan *s)
{
    if (s->p + 1 >= s->end || s->p[0] != '/' || (s->p[1] != '/' && s->p[1] != '*'))
        return false;
    bool block = s->p[1] == '*';
    s->p += 2;
    for (; s->p < s->end; s->p++) {
        skip_splices(s);
        if (s->p >= s->end)
            break;
        if (!block && *s->p == '\n')
            return true; /* the caller handles the newline */
        if (block && s->p + 1 < s->end && s->p[0] == '*' && s->p[1] == '/') {
            s->p += 2;
            return true;
        }
        s->line += *s->p == '\n';
    }
    if (block)
        note(s, "/*", "begins a comment that the region does not end");
    return true;
}

/* Skip a string or character literal; *p is its opening quote. */
static void literal(scan *s)
{
    char quote = *s->p++;
    const char *begin = s->p;
    for (; s->p < s->end && *s->p != quote; s->p++) {
        if (*s->p == '\n') {
            note(s, quote == '"' ? "\"" : "'", "has no partner on its line");
            return;
        }
        if (*s->p == '\\' && s->p + 1 < s->end) {
            s->p++;
            s->line += *s->p == '\n';
        }
    }
    for (const char *c = begin; c + 9 <= s->p; c++)
        if (memcmp(c, "WARPBOOK_", 9) == 0)
            note(s, "WARPBOOK_", prefixes[2].why);
    if (s->p < s->end)
        s->p++;
}

static void directive(scan *s)
{
    const char *begin = s->p;
    int line = s->line;
    char text[64];
    size_t n = 0;
    text[n++] = '#';
    s->p += *s->p == '#' ? 1 : 2; /* or %: */
    while (s->p < s->end && *s->p != '\n') {
        skip_splices(s);
        if (s->p >= s->end || *s->p == '\n')
            break;
        if (n < sizeof text - 1 && !(n == 1 && isblank((unsigned char)*s->p)))
            text[n++] = *s->p;
        s->p++;
    }
    text[n] = '\0';
    size_t word = 1 + strspn(text + 1, "abcdefghijklmnopqrstuvwxyz_");
    if (is_word(text, word, "#pragma")) {
        const char *rest = text + word + strspn(text + word, " \t");
        size_t m = strspn(rest, "abcdefghijklmnopqrstuvwxyz_");
        if (is_word(rest, m, "unroll") || is_word(rest, m, "nounroll")) {
            s->p = begin + 1; /* the rest of the line after the directive's name is checked as
                               * ordinary text */
            s->line = line;
            return;
        }
        word = (size_t)(rest - text) + m;
    }
    int after = s->line;
    s->line = line;
    note_finding(s, text, word,
                 "is a preprocessor's line; of these, only #pragma unroll may stand in a region");
    s->line = after;
}

/* Check an identifier; splices in it are removed first. */
static void word(scan *s)
{
    char text[128];
    size_t n = 0;
    int line = s->line;
    const char *begin = s->p;
    while (s->p < s->end) {
        skip_splices(s);
        if (s->p >= s->end || !(isalnum((unsigned char)*s->p) || *s->p == '_'))
            break;
        if (n < sizeof text - 1)
            text[n++] = *s->p;
        s->p++;
    }
    text[n] = '\0';
    char next = peek_after_blanks(s);
    int after = s->line;
    s->line = line;
    if (s->p < s->end && *s->p == '"' && n && n <= 3 && text[n - 1] == 'R')
        note(s, "R\"", "begins a raw string, which may hide the region's end");
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (starts_with(text, prefixes[i].prefix))
            note(s, text, prefixes[i].why);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(text, names[i].name) == 0 && (!names[i].called || next == '('))
            note(s, text, names[i].why);
    s->line = after;
    if (next == '(' && !s->calling) {
        bool mine = !(starts_with(text, "cuda") || starts_with(text, "__cuda") ||
                      (starts_with(text, "cu") && isupper((unsigned char)text[2])));
        for (size_t i = 0; i < sizeof relied_on / sizeof *relied_on; i++)
            mine &= strcmp(text, relied_on[i]) != 0;
        if (!mine) {
            s->calling = begin;
            s->calling_len = (size_t)(s->p - begin);
            s->calling_depth = s->depth[1];
        }
    }
}

static void bracket(scan *s)
{
    static const char opening[] = "{([", closing[] = "})]";
    const char *open = strchr(opening, *s->p), *close = strchr(closing, *s->p);
    size_t which = open ? (size_t)(open - opening) : (size_t)(close - closing);
    s->depth[which] += open ? 1 : -1;
    if (s->depth[which] < 0) {
        note_finding(s, s->p, 1, "closes what was opened outside the region");
        s->depth[which] = 0;
    }
    bool ends_call = s->calling && *s->p == ')' && s->depth[1] == s->calling_depth;
    s->p++;
    if (!ends_call)
        return;
    if (peek_after_blanks(s) == '{')
        note_finding(s, s->calling, s->calling_len,
                     "is defined anew: the checks and the times call the one that there is");
    s->calling = NULL;
}

static void region(scan *s)
{
    static const char *const open_brackets[] = {"{", "(", "["};
    const char *begin = s->p;
    while (skip_blanks(s), s->p < s->end) {
        unsigned char c = (unsigned char)*s->p;
        if (comment(s))
            continue;
        if (c == '"' || c == '\'') {
            literal(s);
        } else if (c == '#' || (c == '%' && s->p + 1 < s->end && s->p[1] == ':')) {
            directive(s);
        } else if (isdigit(c)) {
            while (s->p < s->end && (isalnum((unsigned char)*s->p) || strchr("_.'", *s->p)))
                s->p++;
        } else if (isalpha(c) || c == '_') {
            word(s);
        } else if (strchr("{}()[]", c)) {
            bracket(s);
        } else {
            if (c == '\\')
                note(s, "\\", "stands outside a string: a name may be spelled so unseen");
            s->p++;
        }
    }
    for (size_t i = 0; i < 3; i++)
        if (s->depth[i] > 0)
            note(s, open_brackets[i], "is opened, and not closed inside the region");
    const char *last = s->end;
    while (last > begin && (last[-1] == '\n' || last[-1] == '\r'))
        last--;
    if (last > begin && last[-1] == '\\')
        note(s, "\\", "at a region's end takes the next line into its own");
}

static flaw *flaws_of(const char *text, arena *a, size_t *count)
{
    chapter c = {0};
    arena memory = {0};
    flaw *flaws = NULL;
    *count = 0;
    chapter_read_lab(&c, &memory, text);
    const todo *t;
    for (size_t i = 0; (t = chapter_region(&c, i)); i++) {
        const char *rest = text, *line;
        size_t len;
        int number = 0;
        scan s = {.a = a, .flaws = &flaws, .count = count, .line = t->begin + 1};
        while ((line = next_line(&rest, &len)) && ++number < t->end)
            if (number > t->begin) {
                s.p = s.p ? s.p : line;
                s.end = line + len + (line[len] == '\n');
            }
        if (s.p)
            region(&s);
    }
    arena_free(&memory);
    return flaws;
}

flaw *trust_flaws(const char *text, const char *original, arena *a, size_t *count)
{
    size_t all, allowed = 0;
    flaw *mine = flaws_of(text, a, &all),
         *theirs = original ? flaws_of(original, a, &allowed) : NULL;
    *count = 0;
    for (size_t i = 0; i < all; i++) {
        bool known = false;
        for (size_t j = 0; j < allowed && !known; j++)
            known = strcmp(mine[i].what, theirs[j].what) == 0;
        if (!known)
            mine[(*count)++] = mine[i];
    }
    return mine;
}
