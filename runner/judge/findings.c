#include "findings.h"

#include "../base/files.h"
#include "../base/json.h"
#include "../book/course.h"

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* TEXT with control characters replaced by '?'. With LINES, newlines between two lines stay. */
static const char *replace_control_chars(arena *a, const char *text, bool lines)
{
    CLEANUP(sb_free) sb kept = {0};
    size_t left = strlen(text), n;
    for (; left > 0; text += n, left -= n) {
        unsigned c = utf8_decode(text, left, &n);
        if (c == '\n' || c == '\t')
            sb_add(&kept, c == '\n' && lines ? "\n" : " ", 1);
        else if (c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0xFFFD)
            sb_add(&kept, "?", 1);
        else
            sb_add(&kept, text, n);
    }
    return arena_strndup(a, kept.s ? kept.s : "", kept.len);
}

static const char *json_text_field(arena *a, const json_t *object, const char *name)
{
    const char *text = member_text(object, name);
    if (!text || !*text)
        return NULL;
    OWNED char *kept = omit_addresses(xstrdup(text));
    return replace_control_chars(a, kept, strcmp(name, "text") == 0);
}

static int json_number_field(const json_t *object, const char *name)
{
    json_int_t n = json_integer_value(json_object_get(object, name));
    return n > 0 && n <= INT_MAX ? (int)n : 0;
}

static finding_location parse_location(arena *a, const json_t *object)
{
    return (finding_location){.file = json_text_field(a, object, "file"),
                              .path = json_text_field(a, object, "path"),
                              .line = json_number_field(object, "line"),
                              .column = json_number_field(object, "column"),
                              .who = json_text_field(a, object, "who"),
                              .did = json_text_field(a, object, "did")};
}

static const mistake mistake_table[] = {
#define MISTAKE(kind, reason, fix, chapter) {#kind, reason, fix, chapter},
#include "mistakes.def"
};

/* The row of mistakes.def for a report of KIND (a fault: also its name FAULT); NULL: no mistake. */
static const mistake *mistake_of_kind(const char *kind, const char *fault)
{
    static const char *const faults[][2] = {
#define FAULT(fault, kind) {#fault, #kind},
#include "faults.def"
    };
    if (strcmp(kind, "message") == 0)
        return NULL;
    for (size_t i = 0; fault && i < sizeof faults / sizeof *faults; i++)
        if (strcmp(fault, faults[i][0]) == 0)
            kind = faults[i][1];
    for (size_t i = 0; i < sizeof mistake_table / sizeof *mistake_table; i++)
        if (strcmp(kind, mistake_table[i].kind) == 0)
            return &mistake_table[i];
    return &mistake_table[0];
}

/* The JSON library Jansson parses nested values recursively, so the depth is checked first. */
static bool is_nested_too_deeply(const char *line, size_t len)
{
    size_t depth = 0;
    bool quoted = false;
    for (size_t i = 0; i < len; i++) {
        char c = line[i];
        if (quoted && c == '\\')
            i++;
        else if (c == '"')
            quoted = !quoted;
        else if (!quoted && (c == '{' || c == '[') && ++depth > FINDINGS_DEPTH)
            return true;
        else if (!quoted && (c == '}' || c == ']') && depth > 0)
            depth--;
    }
    return false;
}

/* The chapter's number in OBJECT; 0: OBJECT has none, or the number is invalid. */
static int chapter_of_report(const json_t *object)
{
    const json_int_t n = json_integer_value(json_object_get(object, "chapter"));
    return n > 0 && n < 100 ? (int)n : 0;
}

static bool is_note_report(const json_t *object)
{
    const char *severity = member_text(object, "severity");
    return severity && strcmp(severity, "note") == 0;
}

/* Parse one line of reports into *OUT. NULL, or a phrase that says what is wrong with it. */
static const char *parse_line(arena *a, const char *line, size_t len, finding *out)
{
    if (len > FINDINGS_LINE_BYTES)
        return "is too long";
    if (is_nested_too_deeply(line, len))
        return "nests too deeply";
    json_auto_t *object = json_loadb(line, len, JSON_REJECT_DUPLICATES, NULL);
    const char *wrong = !object                   ? "is not JSON"
                        : !json_is_object(object) ? "is not a JSON object"
                                                  : NULL;
    if (!wrong) {
        *out = (finding){.kind = json_text_field(a, object, "kind"),
                         .text = json_text_field(a, object, "text"),
                         .kernel = json_text_field(a, object, "kernel"),
                         .sentence = json_text_field(a, object, "sentence"),
                         .missing = json_text_field(a, object, "missing"),
                         .fix = json_text_field(a, object, "fix"),
                         .chapter = chapter_of_report(object),
                         .at = parse_location(a, object),
                         .other = parse_location(a, json_object_get(object, "other")),
                         .times = 1};
        if (!out->text) /* a report that was cut off within a field */
            out->text = out->sentence;
        wrong = !out->kind ? "has no kind" : !out->text ? "has no text" : NULL;
        if (!wrong)
            out->mistake_row =
                is_note_report(object)
                    ? NULL
                    : mistake_of_kind(out->kind, json_text_field(a, object, "fault"));
    }
    return wrong;
}

static const char *skip_number(const char *s)
{
    return starts_with(s, "0x") ? s + 2 + strspn(s + 2, "0123456789abcdefABCDEF")
                                : s + strspn(s, "0123456789");
}

/* Return true if the two texts are equal apart from their numbers. */
static bool is_equal_but_for_numbers(const char *x, const char *y)
{
    while (*x && *y) {
        const char *x_end = skip_number(x), *y_end = skip_number(y);
        if ((x_end == x) != (y_end == y) || (x_end == x && *x != *y))
            return false;
        x = x_end == x ? x + 1 : x_end;
        y = y_end == y ? y + 1 : y_end;
    }
    return *x == *y;
}

/* Return true if two reports describe the same mistake: their texts and source lines are equal,
 * apart from the numbers of threads and blocks, addresses and sizes. */
static bool is_same_finding(const finding *x, const finding *y)
{
    return strcmp(x->kind, y->kind) == 0 && x->at.line == y->at.line &&
           x->other.line == y->other.line && is_equal_but_for_numbers(x->text, y->text);
}

static void add_finding(arena *a, findings *f, const finding *new)
{
    for (size_t i = 0; i < f->count; i++)
        if (is_same_finding(&f->rows[i], new)) {
            f->rows[i].times++;
            return;
        }
    if (f->count < FINDINGS_MAX_COUNT)
        *ARENA_PUSH(a, f->rows, f->count) = *new;
}

findings findings_parse(arena *a, const char *bytes, size_t len, bool more)
{
    findings f = {0};
    size_t number = 0, damaged = 0, first = 0;
    const char *why = NULL, *end = bytes + len;
    /* If the file continues after the bytes read, what follows the last newline is half a line. */
    while (more && end > bytes && end[-1] != '\n')
        end--;
    for (const char *next; bytes < end; bytes = next) {
        const char *newline = memchr(bytes, '\n', (size_t)(end - bytes));
        size_t length = (size_t)((newline ? newline : end) - bytes);
        finding new;
        next = bytes + length + (newline ? 1 : 0);
        number++;
        const char *wrong = length ? parse_line(a, bytes, length, &new) : NULL;
        if (wrong && damaged++ == 0) {
            first = number;
            why = wrong;
        }
        if (length && !wrong)
            add_finding(a, &f, &new);
    }
    if (damaged)
        f.damage = arena_printf(a, "line %zu of the emulator's reports %s%s", first, why,
                                damaged > 1 ? ", and it is not the only damaged line" : "");
    else if (more)
        f.damage = arena_printf(a,
                                "the emulator's reports have more than %d bytes; the rest was "
                                "not read",
                                FINDINGS_BYTES);
    return f;
}

findings findings_read(arena *a, const char *path)
{
    size_t len = 0;
    bool more = false;
    char *bytes = read_file_start(path, FINDINGS_BYTES, &len, &more);
    if (!bytes) {
        findings none = {0};
        if (errno != ENOENT)
            none.damage =
                arena_printf(a, "the emulator's reports cannot be read: %s", strerror(errno));
        return none;
    }
    findings f = findings_parse(a, bytes, len, more);
    free(bytes);
    return f;
}

const finding *findings_first_mistake(const findings *f)
{
    const finding *leak = NULL;
    for (size_t i = 0; i < f->count; i++) {
        const finding *found = f->rows[i].mistake_row ? &f->rows[i] : NULL;
        if (found && !finding_is_leak(found))
            return found;
        leak = leak ? leak : found;
    }
    return leak;
}

bool finding_is_leak(const finding *f)
{
    return f->mistake_row && strcmp(f->mistake_row->kind, "leak") == 0;
}

const char *finding_sentence(const finding *f)
{
    return f->sentence ? f->sentence : f->text;
}

const char *finding_fix(arena *a, const finding *f)
{
    if (f->fix)
        return f->fix;
    if (f->missing)
        return arena_printf(a, "Put %s between the two lines.", f->missing);
    return f->mistake_row ? f->mistake_row->fix : NULL;
}

/* --- source lines --- */

enum {
    SOURCE_BYTES = 4 << 20, /* largest source file whose lines are quoted, in bytes */
    QUOTED_COLUMNS = 100,   /* longest part of a source line that is quoted, in characters */
};

static const char *source_line(arena *a, const char *text, int number)
{
    const char *line;
    size_t len;
    while ((line = next_line(&text, &len)) && number > 1)
        number--;
    return line ? replace_control_chars(
                      a, arena_strndup(a, line, utf8_fit(line, len, QUOTED_COLUMNS)), false)
                : NULL;
}

static void quote_source_line(arena *a, finding_location *p, const char *source, const char *from,
                              const char *common)
{
    char *path = NULL;
    if (!p->file || !p->line || strchr(p->file, '/'))
        return;
    if (strcmp(p->file, file_name_of(source)) == 0)
        path = xstrdup(from);
    else
        path = xprintf("%s/%s", common, p->file);
    OWNED char *text = read_whole_file(path, SOURCE_BYTES, NULL);
    if (text)
        p->source = source_line(a, text, p->line);
    free(path);
}

void findings_quote(arena *a, findings *f, const char *source, const char *text, const char *common)
{
    for (size_t i = 0; i < f->count; i++) {
        quote_source_line(a, &f->rows[i].at, source, text, common);
        quote_source_line(a, &f->rows[i].other, source, text, common);
    }
}
