#include "ci_reports.h"
#include "../base/job.h"
#include "../base/json.h"
#include "../base/plain.h"
#include "../base/version.h"
#include "outputs.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A report that is being written. */
typedef struct ci_report {
    const char *program;
    int code; /* exit status of the program, or 128 plus the signal that ended it */
    const findings *found;
    char root[PATH_MAX]; /* the current directory, with a slash at the end */
} ci_report;

/* The path of a location from the current directory on, which is taken to be the root of the
 * sources; the whole path of a file that is not below it; NULL: unknown. */
static const char *path_from_root(const ci_report *r, const finding_location *at)
{
    const char *path = at->path ? at->path : at->file;
    return path && starts_with(path, r->root) ? path + strlen(r->root) : path;
}

static const char *level_of(const finding *f)
{
    return f->mistake_row ? "error" : "note";
}

static size_t count_mistakes(const findings *found)
{
    size_t n = 0;
    for (size_t i = 0; i < found->count; i++)
        n += found->rows[i].mistake_row != NULL;
    return n;
}

/* What a finding is, in short: "race in blur at blur.cu:12". To be freed. */
static char *title_of(const finding *f)
{
    sb b = {0};
    sb_puts(&b, f->kind);
    if (f->kernel)
        sb_printf(&b, " in %s", f->kernel);
    if (f->at.file && f->at.line)
        sb_printf(&b, " at %s:%d", f->at.file, f->at.line);
    return sb_take(&b);
}

/* How the program ended, to be freed; NULL: well. */
static char *bad_end(const ci_report *r)
{
    return r->code > 128 ? xprintf("%s was ended by %s", r->program, signal_in_words(r->code - 128))
           : r->code     ? xprintf("%s ended with exit status %d", r->program, r->code)
                         : NULL;
}

/* --- JUnit --- */

/* A test case that fails for REASON; NULL: it passes. */
static void junit_case(sb *b, const char *kind, const char *name, const char *reason,
                       const char *details)
{
    sb_puts(b, "    <testcase classname=\"warpbook");
    sb_puts(b, *kind ? "." : "");
    append_html_text(b, kind);
    sb_puts(b, "\" name=\"");
    append_html_text(b, name);
    if (!reason) {
        sb_puts(b, "\"/>\n");
        return;
    }
    sb_puts(b, "\">\n      <failure type=\"");
    append_html_text(b, *kind ? kind : "exit");
    sb_puts(b, "\" message=\"");
    append_html_text(b, reason);
    sb_puts(b, "\">");
    append_html_text(b, details);
    sb_puts(b, "</failure>\n    </testcase>\n");
}

static char *junit(const ci_report *r)
{
    sb b = {0};
    OWNED char *ended = bad_end(r);
    const char *damage = r->found->damage;
    const size_t mistakes = count_mistakes(r->found);
    const size_t failures = mistakes + (ended != NULL) + (damage != NULL);
    sb_puts(&b, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"");
    append_html_text(&b, r->program);
    sb_printf(&b, "\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"0\">\n",
              1 + (mistakes ? mistakes : 1) + (damage != NULL), failures);
    junit_case(&b, "", "the program ends well", ended, ended ? ended : "");
    if (!mistakes)
        junit_case(&b, "", "no mistake is reported", NULL, "");
    if (damage)
        junit_case(&b, "", "all reports can be read", damage, damage);
    for (size_t i = 0; i < r->found->count; i++) {
        const finding *f = &r->found->rows[i];
        OWNED char *title = f->mistake_row ? title_of(f) : NULL;
        if (title)
            junit_case(&b, f->kind, title, finding_sentence(f), f->text);
    }
    sb_puts(&b, "  </testsuite>\n</testsuites>\n");
    return sb_take(&b);
}

/* --- SARIF --- */

static json_t *sarif_message(const char *text)
{
    json_t *j = json_object();
    json_object_set_new(j, "text", text_json(text));
    return j;
}

/* A path as a URI reference (RFC 3986). To be freed. */
static char *uri_of(const char *path)
{
    sb b = {0};
    sb_puts(&b, *path == '/' ? "file://" : "");
    for (; *path; path++)
        if (strchr("/-._~", *path) || (*path >= '0' && *path <= '9') ||
            ((*path | 32) >= 'a' && (*path | 32) <= 'z'))
            sb_add(&b, path, 1);
        else
            sb_printf(&b, "%%%02X", (unsigned char)*path);
    return sb_take(&b);
}

static json_t *sarif_place(const ci_report *r, const finding_location *at)
{
    const char *path = path_from_root(r, at);
    json_t *file = json_object(), *physical = json_object();
    OWNED char *uri = uri_of(path);
    json_object_set_new(file, "uri", text_json(uri));
    if (*path != '/')
        json_object_set_new(file, "uriBaseId", json_string("SRCROOT"));
    json_object_set_new(physical, "artifactLocation", file);
    if (at->line > 0) {
        json_t *region = json_object();
        json_object_set_new(region, "startLine", json_integer(at->line));
        if (at->column > 0)
            json_object_set_new(region, "startColumn", json_integer(at->column));
        json_object_set_new(physical, "region", region);
    }
    return physical;
}

/* Where a finding is: its line, and the kernel. */
static json_t *sarif_location(const ci_report *r, const finding *f)
{
    json_t *j = json_object();
    if (path_from_root(r, &f->at))
        json_object_set_new(j, "physicalLocation", sarif_place(r, &f->at));
    if (f->kernel) {
        json_t *list = json_array(), *kernel = json_object();
        json_object_set_new(kernel, "name", text_json(f->kernel));
        json_object_set_new(kernel, "kind", json_string("function"));
        json_array_append_new(list, kernel);
        json_object_set_new(j, "logicalLocations", list);
    }
    return j;
}

static json_t *sarif_result(const ci_report *r, const finding *f)
{
    json_t *j = json_object(), *places = json_array();
    json_object_set_new(j, "ruleId", text_json(f->kind));
    json_object_set_new(j, "level", json_string(level_of(f)));
    json_object_set_new(j, "message", sarif_message(f->text));
    json_array_append_new(places, sarif_location(r, f));
    json_object_set_new(j, "locations", places);
    if (path_from_root(r, &f->other)) {
        json_t *others = json_array(), *other = json_object();
        OWNED char *did =
            xprintf("%s %s", f->other.who ? f->other.who : "", f->other.did ? f->other.did : "");
        json_object_set_new(other, "physicalLocation", sarif_place(r, &f->other));
        json_object_set_new(other, "message",
                            sarif_message(*strip(did) ? strip(did) : "the other place"));
        json_array_append_new(others, other);
        json_object_set_new(j, "relatedLocations", others);
    }
    json_object_set_new(j, "occurrenceCount", json_integer(f->times ? (json_int_t)f->times : 1));
    return j;
}

/* A rule for each kind that was found. */
static json_t *sarif_rules(const findings *found)
{
    json_t *rules = json_array();
    for (size_t i = 0; i < found->count; i++) {
        const finding *f = &found->rows[i];
        size_t k = 0;
        while (strcmp(found->rows[k].kind, f->kind) != 0)
            k++;
        if (k < i)
            continue; /* its kind was named before */
        json_t *rule = json_object();
        json_object_set_new(rule, "id", text_json(f->kind));
        if (f->mistake_row && f->mistake_row->fix)
            json_object_set_new(rule, "help", sarif_message(f->mistake_row->fix));
        json_array_append_new(rules, rule);
    }
    return rules;
}

static json_t *sarif_invocation(const ci_report *r)
{
    json_t *j = json_object();
    OWNED char *ended = bad_end(r);
    json_object_set_new(j, "executionSuccessful", json_boolean(!ended));
    json_object_set_new(j, r->code > 128 ? "exitSignalNumber" : "exitCode",
                        json_integer(r->code > 128 ? r->code - 128 : r->code));
    if (r->found->damage) {
        json_t *list = json_array(), *note = json_object();
        json_object_set_new(note, "message", sarif_message(r->found->damage));
        json_array_append_new(list, note);
        json_object_set_new(j, "toolExecutionNotifications", list);
    }
    return j;
}

static char *sarif(const ci_report *r)
{
    json_t *all = json_object(), *run = json_object(), *tool = json_object(),
           *driver = json_object();
    json_t *results = json_array(), *list = json_array(), *runs = json_array();
    json_t *bases = json_object(), *root = json_object();
    json_object_set_new(driver, "name", json_string("warpbook"));
    json_object_set_new(driver, "version", json_string(WARPBOOK_VERSION));
    json_object_set_new(driver, "rules", sarif_rules(r->found));
    json_object_set_new(tool, "driver", driver);
    for (size_t i = 0; i < r->found->count; i++)
        json_array_append_new(results, sarif_result(r, &r->found->rows[i]));
    json_array_append_new(list, sarif_invocation(r));
    OWNED char *uri = uri_of(r->root);
    json_object_set_new(root, "uri", text_json(uri));
    json_object_set_new(bases, "SRCROOT", root);
    json_object_set_new(run, "tool", tool);
    json_object_set_new(run, "invocations", list);
    json_object_set_new(run, "originalUriBaseIds", bases);
    json_object_set_new(run, "results", results);
    json_array_append_new(runs, run);
    json_object_set_new(all, "$schema",
                        json_string("https://json.schemastore.org/sarif-2.1.0.json"));
    json_object_set_new(all, "version", json_string("2.1.0"));
    json_object_set_new(all, "runs", runs);
    char *text = json_dumps(all, JSON_INDENT(2)), *lines = xprintf("%s\n", text ? text : "{}");
    json_decref(all);
    free(text);
    return lines;
}

/* --- annotation lines --- */

/* Text as workflow commands of GitHub Actions want it. PROPERTY: in front of the second `::`. */
static void annotated(sb *b, const char *text, bool property)
{
    for (; *text; text++)
        if (*text == '%' || *text == '\n' || *text == '\r' || (property && strchr(":,", *text)))
            sb_printf(b, "%%%02X", (unsigned char)*text);
        else
            sb_add(b, text, 1);
}

static void annotation(sb *b, const char *level, const ci_report *r, const finding_location *at,
                       const char *title, const char *text)
{
    const char *path = at ? path_from_root(r, at) : NULL;
    sb_printf(b, "::%s ", level);
    if (path) {
        sb_puts(b, "file=");
        annotated(b, path, true);
        if (at->line > 0)
            sb_printf(b, ",line=%d", at->line);
        if (at->column > 0)
            sb_printf(b, ",col=%d", at->column);
        sb_puts(b, ",");
    }
    sb_puts(b, "title=");
    annotated(b, title, true);
    sb_puts(b, "::");
    annotated(b, text, false);
    sb_puts(b, "\n");
}

static char *github(const ci_report *r)
{
    sb b = {0};
    OWNED char *ended = bad_end(r);
    for (size_t i = 0; i < r->found->count; i++) {
        const finding *f = &r->found->rows[i];
        OWNED char *title = title_of(f);
        annotation(&b, f->mistake_row ? "error" : "notice", r, &f->at, title, f->text);
    }
    if (r->found->damage)
        annotation(&b, "warning", r, NULL, r->program, r->found->damage);
    if (ended)
        annotation(&b, "error", r, NULL, r->program, ended);
    return sb_take(&b);
}

/* --- all of them --- */

static const struct {
    const char *name;
    char *(*write)(const ci_report *r); /* the report's text, to be freed */
} formats[CI_FORMAT_COUNT] = {
    [CI_JUNIT] = {"junit", junit}, [CI_SARIF] = {"sarif", sarif}, [CI_GITHUB] = {"github", github}};

ci_format ci_format_by_name(const char *name)
{
    unsigned k = 0;
    while (k < CI_FORMAT_COUNT && strcmp(formats[k].name, name) != 0)
        k++;
    return (ci_format)k;
}

bool ci_report_write(ci_format format, const char *file, const char *program, int code,
                     const findings *found)
{
    ci_report r = {.program = program, .code = code, .found = found};
    const bool known = getcwd(r.root, sizeof r.root - 1) != NULL;
    strcpy(r.root + (known ? strlen(r.root) : 0), "/");
    OWNED char *text = formats[format].write(&r);
    return write_output_file(file, text, strlen(text));
}
