#include "trust.h"

#include "../book/chapter.h"

#include <ctype.h>
#include <string.h>

/* Names with these prefixes are reserved for the book. */
static const struct {
    const char *prefix, *why; /* start of a name; why it is a flaw */
} reserved_prefixes[] = {
    {"lab_", "is a name of the book, which a region may not use"},
    {"LAB_", "is a name of the book, which a region may not use"},
    {"WARPBOOK_",
     "begins the names of this program's environment variables, which a TODO region may not use"},
};

/* Headers that a HELPERS block may include: names, and folders, which end with a slash. */
static const char *const allowed_headers[] = {
#define HEADER(name) name,
#include "includes.def"
#undef HEADER
};

static const char assembly_reason[] = "is inline assembly, which these checks cannot read";
static const char environment_reason[] = "reaches the run's environment or other programs";
static const char files_reason[] = "reaches files, and with them the run's record";
static const char outside_reason[] = "acts outside its region";

static const struct {
    const char *name; /* a name that a region may not use */
    bool called;      /* flagged only if a ( follows; else it may be a variable of that name */
    const char *why;  /* reason, the end of a sentence */
} forbidden_names[] = {
    {"asm", false, assembly_reason},
    {"__asm", false, assembly_reason},
    {"__asm__", false, assembly_reason},
    {"_Pragma", false, "is a preprocessor directive; the only one allowed here is #pragma unroll"},
    {"getenv", false, environment_reason},
    {"secure_getenv", false, environment_reason},
    {"setenv", false, environment_reason},
    {"putenv", false, environment_reason},
    {"unsetenv", false, environment_reason},
    {"clearenv", false, environment_reason},
    {"environ", false, environment_reason},
    {"__environ", false, environment_reason},
    {"system", true, environment_reason},
    {"popen", true, environment_reason},
    {"fork", true, environment_reason},
    {"vfork", true, environment_reason},
    {"execl", true, environment_reason},
    {"execle", true, environment_reason},
    {"execlp", true, environment_reason},
    {"execv", true, environment_reason},
    {"execve", true, environment_reason},
    {"execvp", true, environment_reason},
    {"posix_spawn", true, environment_reason},
    {"posix_spawnp", true, environment_reason},
    {"ptrace", true, environment_reason},
    {"syscall", true, environment_reason},
    {"dlopen", true, environment_reason},
    {"dlsym", true, environment_reason},
    {"FILE", false, files_reason},
    {"ofstream", false, files_reason},
    {"fstream", false, files_reason},
    {"ifstream", false, files_reason},
    {"filebuf", false, files_reason},
    {"filesystem", false, files_reason},
    {"fopen", false, files_reason},
    {"freopen", false, files_reason},
    {"fdopen", false, files_reason},
    {"open", true, files_reason},
    {"openat", true, files_reason},
    {"creat", true, files_reason},
    {"write", true, files_reason},
    {"pwrite", true, files_reason},
    {"writev", true, files_reason},
    {"dprintf", true, files_reason},
    {"dup", true, files_reason},
    {"dup2", true, files_reason},
    {"mmap", true, files_reason},
    {"mprotect", true, files_reason},
    {"rename", true, files_reason},
    {"remove", true, files_reason},
    {"unlink", true, files_reason},
    {"truncate", true, files_reason},
    {"ftruncate", true, files_reason},
    {"atexit", true, outside_reason},
    {"on_exit", true, outside_reason},
    {"signal", true, outside_reason},
    {"sigaction", true, outside_reason},
    {"constructor", false, outside_reason},
    {"destructor", false, outside_reason},
    {"ifunc", false, outside_reason},
    {"alias", true, outside_reason},
};

/* Functions of the C library that the checks and the timing code call. */
static const char *const functions_used_by_checks[] = {
    "printf", "fprintf", "snprintf", "vsnprintf",     "fabs",   "isnan",
    "isinf",  "memcmp",  "strcmp",   "clock_gettime", "fclose", "main"};

typedef struct region_scanner {
    const char *p, *end; /* the text of the TODO region that is not scanned yet */
    int line;            /* number of the line that is scanned, from 1 */
    bool helpers;        /* the region is HELPERS */
    bool kernel;         /* the region lies in the body of a kernel */
    arena *a;
    flaw **flaws;  /* list of the forbidden names found so far */
    size_t *count; /* number of entries of `flaws` */
    int depth[3];  /* nesting depth of {, ( and [ */
    /* The name before the current ( and how deep that ( is nested. If a { follows the matching ),
     * the function of that name is defined here, not called. */
    const char *calling; /* name before the current ( */
    size_t calling_len;  /* length of `calling` in bytes */
    int calling_depth;   /* nesting depth of the ( that follows the name */
} region_scanner;

static bool is_word_equal(const char *word, size_t len, const char *name)
{
    return strlen(name) == len && memcmp(word, name, len) == 0;
}

static void add_flaw_of_length(region_scanner *s, const char *what, size_t len, const char *format)
{
    const bool device = s->kernel && strcmp(format, assembly_reason) == 0;
    for (size_t i = 0; i < *s->count; i++) {
        flaw *f = &(*s->flaws)[i];
        if (strlen(f->what) == len && memcmp(f->what, what, len) == 0) {
            f->device &= device;
            return;
        }
    }
    flaw *f = ARENA_PUSH(s->a, *s->flaws, *s->count);
    *f = (flaw){.line = s->line, .what = arena_strndup(s->a, what, len), .device = device};
    f->sentence = arena_printf(s->a, "%s %s", f->what, format);
}

static void add_flaw(region_scanner *s, const char *what, const char *why)
{
    add_flaw_of_length(s, what, strlen(what), why);
}

/* Skip backslash-newlines, which the compiler removes first. */
static void skip_line_splices(region_scanner *s)
{
    while (s->p + 1 < s->end && s->p[0] == '\\' && (s->p[1] == '\n' || s->p[1] == '\r')) {
        s->p += s->p[1] == '\r' && s->p + 2 < s->end && s->p[2] == '\n' ? 3 : 2;
        s->line++;
    }
}

static void skip_blanks(region_scanner *s)
{
    for (;;) {
        skip_line_splices(s);
        if (s->p >= s->end || !isspace((unsigned char)*s->p))
            return;
        s->line += *s->p == '\n';
        s->p++;
    }
}

static char peek_after_blanks(const region_scanner *s)
{
    region_scanner ahead = *s;
    skip_blanks(&ahead);
    return ahead.p < ahead.end ? *ahead.p : '\0';
}

/* Skip a comment at the current position. False: there is none. */
static bool skip_comment(region_scanner *s)
{
    if (s->p + 1 >= s->end || s->p[0] != '/' || (s->p[1] != '/' && s->p[1] != '*'))
        return false;
    bool block = s->p[1] == '*';
    s->p += 2;
    for (; s->p < s->end; s->p++) {
        skip_line_splices(s);
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
        add_flaw(s, "/*", "begins a comment that the region does not end");
    return true;
}

/* Skip a string or character literal; *p is its opening quote. */
static void skip_literal(region_scanner *s)
{
    char quote = *s->p++;
    const char *begin = s->p;
    for (; s->p < s->end && *s->p != quote; s->p++) {
        if (*s->p == '\n') {
            add_flaw(s, quote == '"' ? "\"" : "'", "is not closed on its line");
            return;
        }
        if (*s->p == '\\' && s->p + 1 < s->end) {
            s->p++;
            s->line += *s->p == '\n';
        }
    }
    for (const char *c = begin; c + 9 <= s->p; c++)
        if (memcmp(c, "WARPBOOK_", 9) == 0)
            add_flaw(s, "WARPBOOK_", reserved_prefixes[2].why);
    if (s->p < s->end)
        s->p++;
}

/* Length of the path of a header at P: names of letters, digits and _ with slashes between them,
 * and a suffix such as .cuh. Never absolute, never upwards. 0: it is no such path. */
static size_t length_of_header_path(const char *p)
{
    static const char word[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    const char *begin = p;
    for (;;) {
        size_t n = strspn(p, word);
        p += n;
        if (!n)
            return 0;
        if (*p != '/')
            break;
        p++;
    }
    if (*p == '.') {
        size_t n = strspn(p + 1, word);
        p += n ? 1 + n : 0;
    }
    return (size_t)(p - begin);
}

static bool is_allowed_header(const char *path, size_t len)
{
    for (size_t i = 0; i < sizeof allowed_headers / sizeof *allowed_headers; i++) {
        const char *known = allowed_headers[i];
        size_t n = strlen(known);
        bool folder = known[n - 1] == '/';
        if (folder ? len > n && memcmp(path, known, n) == 0 : is_word_equal(path, len, known))
            return true;
    }
    return false;
}

/* Check a directive TEXT, "#include ...". */
static void check_include(region_scanner *s, const char *text)
{
    const char *path = text + strlen("#include");
    path += strspn(path, " \t");
    size_t len = *path == '<' ? length_of_header_path(path + 1) : 0;
    const char *after = path + len + 1;
    bool whole = len && *after == '>' &&
                 (after += 1 + strspn(after + 1, " \t"), !*after || starts_with(after, "//"));
    if (whole && s->helpers && is_allowed_header(path + 1, len))
        return;
    CLEANUP(sb_free) sb names = {0};
    for (size_t i = 0; i < sizeof allowed_headers / sizeof *allowed_headers; i++)
        sb_printf(&names, "%s<%s%s>", i ? ", " : "", allowed_headers[i],
                  allowed_headers[i][strlen(allowed_headers[i]) - 1] == '/' ? "..." : "");
    const char *why =
        arena_printf(s->a,
                     "%s: HELPERS may include these headers of the toolkit, each on "
                     "a line of its own: %s",
                     s->helpers ? "is not allowed" : "stands outside HELPERS", names.s);
    add_flaw_of_length(s, text, strcspn(text, "\r"), why);
}

static void check_directive(region_scanner *s)
{
    const char *begin = s->p;
    int line = s->line;
    char text[256];
    size_t n = 0;
    text[n++] = '#';
    s->p += *s->p == '#' ? 1 : 2; /* or %: */
    while (s->p < s->end && *s->p != '\n') {
        skip_line_splices(s);
        if (s->p >= s->end || *s->p == '\n')
            break;
        if (n < sizeof text - 1 && !(n == 1 && isblank((unsigned char)*s->p)))
            text[n++] = *s->p;
        s->p++;
    }
    text[n] = '\0';
    size_t word = 1 + strspn(text + 1, "abcdefghijklmnopqrstuvwxyz_");
    if (is_word_equal(text, word, "#pragma")) {
        const char *rest = text + word + strspn(text + word, " \t");
        size_t m = strspn(rest, "abcdefghijklmnopqrstuvwxyz_");
        if (is_word_equal(rest, m, "unroll") || is_word_equal(rest, m, "nounroll")) {
            s->p = begin + 1; /* the line after the directive's name is checked as ordinary text */
            s->line = line;
            return;
        }
        word = (size_t)(rest - text) + m;
    }
    int after = s->line;
    s->line = line;
    if (is_word_equal(text, word, "#include"))
        check_include(s, text);
    else
        add_flaw_of_length(
            s, text, word,
            "is a preprocessor directive; the only one allowed in a TODO region is #pragma unroll");
    s->line = after;
}

/* Check an identifier; splices in it are removed first. */
static void check_identifier(region_scanner *s)
{
    char text[128];
    size_t n = 0;
    int line = s->line;
    const char *begin = s->p;
    while (s->p < s->end) {
        skip_line_splices(s);
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
        add_flaw(s, "R\"", "begins a raw string, which may hide the region's end");
    for (size_t i = 0; i < sizeof reserved_prefixes / sizeof *reserved_prefixes; i++)
        if (starts_with(text, reserved_prefixes[i].prefix))
            add_flaw(s, text, reserved_prefixes[i].why);
    for (size_t i = 0; i < sizeof forbidden_names / sizeof *forbidden_names; i++)
        if (strcmp(text, forbidden_names[i].name) == 0 &&
            (!forbidden_names[i].called || next == '('))
            add_flaw(s, text, forbidden_names[i].why);
    s->line = after;
    if (next == '(' && !s->calling) {
        bool mine = !(starts_with(text, "cuda") || starts_with(text, "__cuda") ||
                      (starts_with(text, "cu") && isupper((unsigned char)text[2])));
        for (size_t i = 0; i < sizeof functions_used_by_checks / sizeof *functions_used_by_checks;
             i++)
            mine &= strcmp(text, functions_used_by_checks[i]) != 0;
        if (!mine) {
            s->calling = begin;
            s->calling_len = (size_t)(s->p - begin);
            s->calling_depth = s->depth[1];
        }
    }
}

static void check_bracket(region_scanner *s)
{
    static const char opening[] = "{([", closing[] = "})]";
    const char *open = strchr(opening, *s->p), *close = strchr(closing, *s->p);
    size_t which = open ? (size_t)(open - opening) : (size_t)(close - closing);
    s->depth[which] += open ? 1 : -1;
    if (s->depth[which] < 0) {
        add_flaw_of_length(s, s->p, 1, "closes a bracket that was opened outside the TODO region");
        s->depth[which] = 0;
    }
    bool ends_call = s->calling && *s->p == ')' && s->depth[1] == s->calling_depth;
    s->p++;
    if (!ends_call)
        return;
    if (peek_after_blanks(s) == '{')
        add_flaw_of_length(s, s->calling, s->calling_len,
                           "is defined again: checks and times must call the existing one");
    s->calling = NULL;
}

static void scan_region_for_flaws(region_scanner *s)
{
    static const char *const open_brackets[] = {"{", "(", "["};
    const char *begin = s->p;
    while (skip_blanks(s), s->p < s->end) {
        unsigned char c = (unsigned char)*s->p;
        if (skip_comment(s))
            continue;
        if (c == '"' || c == '\'') {
            skip_literal(s);
        } else if (c == '#' || (c == '%' && s->p + 1 < s->end && s->p[1] == ':')) {
            check_directive(s);
        } else if (isdigit(c)) {
            while (s->p < s->end && (isalnum((unsigned char)*s->p) || strchr("_.'", *s->p)))
                s->p++;
        } else if (isalpha(c) || c == '_') {
            check_identifier(s);
        } else if (strchr("{}()[]", c)) {
            check_bracket(s);
        } else {
            if (c == '\\')
                add_flaw(s, "\\", "stands outside a string, where it could spell a forbidden name");
            s->p++;
        }
    }
    for (size_t i = 0; i < 3; i++)
        if (s->depth[i] > 0)
            add_flaw(s, open_brackets[i], "is opened, and not closed inside the region");
    const char *last = s->end;
    while (last > begin && (last[-1] == '\n' || last[-1] == '\r'))
        last--;
    if (last > begin && last[-1] == '\\')
        add_flaw(s, "\\", "at the end of a TODO region would join the next line to the region");
}

/* Whether line BEGIN of the book's text ORIGINAL (NULL: unknown) lies in the body of a kernel: of
 * the lines that are not indented, the last one opens a body whose head begins with __global__. */
static bool is_in_kernel(const char *original, int begin)
{
    const char *line;
    size_t len;
    bool kernel = false, body = false;
    for (int number = 1; original && number < begin && (line = next_line(&original, &len));
         number++) {
        if (!len || isspace((unsigned char)*line) || *line == '/')
            continue;
        body = *line == '{';
        kernel = body ? kernel : starts_with(line, "__global__ ");
    }
    return kernel && body;
}

/* ORIGINAL: the book's text, which is around the regions when they are compiled, or NULL. */
static flaw *find_all_flaws(const char *text, const char *original, arena *a, size_t *count)
{
    chapter c = {0}, around = {0};
    CLEANUP(arena_free) arena memory = {0};
    flaw *flaws = NULL;
    *count = 0;
    chapter_read_lab(&c, &memory, text);
    if (original)
        chapter_read_lab(&around, &memory, original);
    const todo_region *t;
    for (size_t i = 0; (t = chapter_region_at(&c, i)); i++) {
        const todo_region *place = original ? chapter_region_at(&around, i) : NULL;
        const char *rest = text, *line;
        size_t len;
        int number = 0;
        region_scanner s = {.a = a,
                            .flaws = &flaws,
                            .count = count,
                            .line = t->begin + 1,
                            .helpers = t == &c.helpers,
                            .kernel = place && is_in_kernel(original, place->begin)};
        while ((line = next_line(&rest, &len)) && ++number < t->end)
            if (number > t->begin) {
                s.p = s.p ? s.p : line;
                s.end = line + len + (line[len] == '\n');
            }
        if (s.p)
            scan_region_for_flaws(&s);
    }
    return flaws;
}

flaw *find_forbidden_names(const char *text, const char *original, arena *a, size_t *count)
{
    size_t all, allowed = 0;
    flaw *mine = find_all_flaws(text, original, a, &all),
         *theirs = original ? find_all_flaws(original, original, a, &allowed) : NULL;
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
