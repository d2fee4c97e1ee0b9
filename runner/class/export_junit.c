/* Exports marks as JUnit XML, the format that build servers read: one suite for each student and
 * lab, one test case for each visible row of the rubric. */
#include "../base/plain.h"
#include "export.h"
#include "feedback.h"

#include <math.h>
#include <string.h>

static void write_attribute(sb *out, const char *name, const char *value)
{
    CLEANUP(sb_free) sb line = {0};
    append_sanitized(&line, value, false);
    sb_printf(out, " %s=\"", name);
    append_html_text(out, line.s);
    sb_puts(out, "\"");
}

static void write_element(sb *out, const char *name, sb *text)
{
    sb_printf(out, "<%s>", name);
    append_html_text(out, text->s ? text->s : "");
    sb_printf(out, "</%s>\n", name);
    sb_free(text);
}

static void append_test_case(sb *out, const mark *m, const mark_row *r)
{
    char given[32], of[32];
    CLEANUP(sb_free) sb text = {0};
    feedback_write_row(&text, m, r);
    sb_puts(out, "    <testcase");
    write_attribute(out, "name", r->label);
    write_attribute(out, "classname", m->lab);
    sb_puts(out, ">\n");
    if (r->given < r->points) {
        OWNED char *message = xprintf("%s of %s points", nice_number(r->given, given, sizeof given),
                                      nice_number(r->points, of, sizeof of));
        sb_puts(out, "      <failure");
        write_attribute(out, "message", message);
        sb_puts(out, ">");
        append_html_text(out, text.s);
        sb_puts(out, "</failure>\n");
    }
    sb_puts(out, "    </testcase>\n");
}

static void append_test_suite(sb *out, const mark *m)
{
    char number[32];
    size_t failures = 0;
    sb whole = {0};
    bool internal = strcmp(m->word, "INTERNAL") == 0;
    for (size_t i = 0; i < m->row_count; i++)
        failures += !m->rows[i].hidden && m->rows[i].given < m->rows[i].points;
    sb_puts(out, "  <testsuite");
    write_attribute(out, "name", m->student);
    sb_printf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"0\">\n",
              internal ? 0 : feedback_visible_rows(m), internal ? 0 : failures);
    sb_puts(out, "    <properties>\n");
    const struct {
        const char *name;
        double value;
    } all[] = {{"raw", m->raw}, {"penalty", m->penalty}, {"final", m->final}, {"of", m->of}};
    sb_puts(out, "      <property name=\"verdict\"");
    write_attribute(out, "value", m->word);
    sb_puts(out, "/>\n");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!isnan(all[i].value))
            sb_printf(out, "      <property name=\"%s\" value=\"%s\"/>\n", all[i].name,
                      nice_number(all[i].value, number, sizeof number));
    sb_puts(out, "    </properties>\n");
    for (size_t i = 0; !internal && i < m->row_count; i++)
        if (!m->rows[i].hidden)
            append_test_case(out, m, &m->rows[i]);
    feedback_write_summary(&whole, m);
    sb_puts(out, "    ");
    write_element(out, "system-out", &whole);
    sb_puts(out, "  </testsuite>\n");
}

bool export_junit(sb *out, const marks *m, const export_options *o, char *err, size_t err_size)
{
    (void)o, (void)err, (void)err_size;
    sb_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    for (size_t i = 0; i < m->count; i++)
        append_test_suite(out, &m->list[i]);
    sb_puts(out, "</testsuites>\n");
    return true;
}
