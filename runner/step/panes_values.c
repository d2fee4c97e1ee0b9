/* The panes that show registers and variables per lane, and shared memory per bank. */
#include "stepper.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    NAME_COLUMNS = 14,     /* width of a register's or variable's name */
    TYPE_COLUMNS = 4,      /* width of a register's or variable's type */
    MAX_CELL_COLUMNS = 19, /* width of the value of one lane, at most */
    BANK_BYTES = 4,        /* width of a bank of shared memory */
    ROW_BYTES =
        STEP_LANE_COUNT * BANK_BYTES /* bytes in a row of shared memory: one word per bank */
};

/* Append TEXT aligned right in WIDTH columns; "~" marks a text that was cut. */
static void append_right_aligned(styled *t, style how, const char *text, int width)
{
    int len = (int)utf8_width(text, strlen(text));
    if (len < width) {
        styled_printf(t, STYLE_NORMAL, "%*s", width - len, "");
        styled_puts(t, how, text);
        return;
    }
    styled_puts(t, STYLE_NORMAL, " ");
    styled_printf(t, how, "%.*s", (int)utf8_fit(text, strlen(text), (size_t)width - 2), text);
    styled_puts(t, STYLE_NOTE, "~");
}

/* --- the pane of registers and variables --- */

static const step_value *value_of_row(const stepper *s, size_t i)
{
    const step_values *v = &s->w.variables, *r = &s->w.registers;
    return i < v->count ? &v->rows[i] : i - v->count < r->count ? &r->rows[i - v->count] : NULL;
}

const step_value *chosen_value(const stepper *s)
{
    return s->w.where.is_ended ? NULL : value_of_row(s, s->value_row);
}

/* The common value of all existing lanes; NULL: the values differ. */
static const char *common_value(const step_value *v)
{
    const char *first = NULL;
    for (int lane = 0; lane < STEP_LANE_COUNT; lane++) {
        if (first && v->lanes[lane] && strcmp(first, v->lanes[lane]) != 0)
            return NULL;
        first = first ? first : v->lanes[lane];
    }
    return first;
}

enum { WIDE_CELL_COLUMNS = 10 }; /* values at least so wide are shown in short form if possible */

/* Return true if the values increase by the same amount *BY from lane to lane, starting at *FIRST,
 * as addresses do. */
static bool has_constant_step(const step_value *v, const char **first, long long *by)
{
    long long last = 0;
    size_t seen = 0, widest = 0;
    for (int lane = 0; lane < STEP_LANE_COUNT; lane++) {
        char *end;
        const char *text = v->lanes[lane];
        if (!text)
            return false;
        errno = 0;
        long long now = strtoll(text, &end, 0);
        long long step;
        if (*end || end == text || errno || __builtin_sub_overflow(now, last, &step))
            return false;
        if (seen == 1)
            *by = step;
        if (seen > 1 && step != *by)
            return false;
        widest = strlen(text) > widest ? strlen(text) : widest;
        *first = seen++ ? *first : text;
        last = now;
    }
    return widest >= WIDE_CELL_COLUMNS;
}

/* A short text for the values of all lanes ("5 in all lanes"), or NULL. The caller frees it. */
static char *short_form_of_values(const step_value *v)
{
    const char *common = common_value(v);
    long long by = 0;
    if (common)
        return xprintf("%s in all lanes", common);
    return has_constant_step(v, &common, &by) ? xprintf("%s, %+lld a lane", common, by) : NULL;
}

static int cell_width(const stepper *s, size_t from, size_t to)
{
    int width = 4;
    for (size_t i = from; i < to; i++) {
        const step_value *v = value_of_row(s, i);
        OWNED char *summary = short_form_of_values(v);
        for (int lane = 0; lane < STEP_LANE_COUNT && !summary; lane++) {
            const char *text = v->lanes[lane];
            int len = text ? (int)utf8_width(text, strlen(text)) + 1 : 0;
            width = len > width ? len : width;
        }
    }
    return width > MAX_CELL_COLUMNS ? MAX_CELL_COLUMNS : width;
}

/* Return true if the value's C type is too long for a row; the title shows it instead. */
static bool has_long_type(const step_value *v)
{
    return v->type && utf8_width(v->type, strlen(v->type)) > TYPE_COLUMNS;
}

static void put_value_row(stepper *s, page *p, size_t i, int first, int last, int width)
{
    const step_value *v = value_of_row(s, i);
    OWNED char *summary = short_form_of_values(v);
    styled t = {0};
    bool is_chosen = i == s->value_row && s->focus == PANE_VALUES;
    styled_printf(&t, is_chosen ? STYLE_STRONG : STYLE_NORMAL, " %-*.*s", NAME_COLUMNS - 5,
                  (int)utf8_fit(v->name, strlen(v->name), NAME_COLUMNS - 5), v->name);
    styled_printf(&t, STYLE_DIM, "%*s", TYPE_COLUMNS, has_long_type(v) || !v->type ? "" : v->type);
    if (summary) {
        styled_puts(&t, STYLE_NORMAL, "  ");
        styled_puts(&t, is_chosen ? STYLE_PICKED : STYLE_NORMAL, summary);
    }
    for (int lane = first; lane < last && !summary; lane++) {
        bool is_active = s->w.lanes.of[lane] == LANE_ACTIVE || !s->w.lanes.count;
        style how = is_chosen && lane == s->lane ? STYLE_PICKED
                    : is_active                  ? STYLE_NORMAL
                                                 : STYLE_DIM;
        append_right_aligned(&t, how, v->lanes[lane] ? v->lanes[lane] : "-", width);
    }
    page_add_line(p, &t);
}

void fill_values_pane(stepper *s, page *p, sb *title, int rows, int columns)
{
    size_t count = s->w.variables.count + s->w.registers.count;
    if (s->w.where.is_ended || !count) {
        put_reason_for_empty_pane(p, s, ASK_REGISTERS,
                                  "The instructions of this line use no register.", columns);
        return;
    }
    s->value_row = s->value_row < count ? s->value_row : count - 1;
    const step_value *chosen = value_of_row(s, s->value_row);
    sb_printf(title, "%s, warp %d: %s[%d] = %s", s->w.all_registers ? "all" : "of this line",
              s->w.registers.warp, chosen->name, s->lane,
              chosen->lanes[s->lane] ? chosen->lanes[s->lane] : "-");
    if (has_long_type(chosen))
        sb_printf(title, " (%s)", chosen->type);
    size_t from = first_visible_row(s->value_row, count, (size_t)rows - 1);
    size_t to = from + (size_t)rows - 1 < count ? from + (size_t)rows - 1 : count;
    int width = cell_width(s, from, to);
    int fit = (columns - NAME_COLUMNS) / width;
    fit = fit > STEP_LANE_COUNT ? STEP_LANE_COUNT : fit;
    int first = s->lane / fit * fit;
    first = first + fit > STEP_LANE_COUNT ? STEP_LANE_COUNT - fit : first;
    styled head = {0};
    styled_printf(&head, STYLE_DIM, " %-*s", NAME_COLUMNS - 1, "lane");
    for (int lane = first; lane < first + fit; lane++)
        styled_printf(&head, lane == s->lane ? STYLE_STRONG : STYLE_DIM, "%*d", width, lane);
    page_add_line(p, &head);
    for (size_t i = from; i < to; i++)
        put_value_row(s, p, i, first, first + fit, width);
}

/* --- the pane of shared memory --- */

static const shared_variable *variable_at(const step_shared_memory *m, long long byte)
{
    for (size_t i = 0; i < m->variable_count; i++) {
        const shared_variable *v = &m->variables[i];
        if (byte >= v->offset && byte - v->offset < v->bytes)
            return v;
    }
    return NULL;
}

static const char *word_of_byte(const step_shared_memory *m, long long byte)
{
    for (size_t i = 0; i < m->count; i++) {
        long long at = byte - m->rows[i].offset;
        if (at >= 0 && at < ROW_BYTES && (size_t)at / BANK_BYTES < m->rows[i].count)
            return m->rows[i].values[at / BANK_BYTES];
    }
    return NULL;
}

/* The value as one character: a digit, or a sign for large values. */
static char value_sign(const char *v)
{
    const char *digits = v + strspn(v, "-");
    if (strlen(v) == 1)
        return *v;
    if (starts_with(digits, "nan"))
        return 'n';
    if (starts_with(v, "0x"))
        return strspn(v, "0x") == strlen(v) ? '0' : 'x';
    return *v == '-' ? '-' : '+';
}

static void append_shared_word(stepper *s, styled *t, long long byte, const char *v, int width)
{
    const char *old = word_of_byte(&s->w.before, byte);
    style how = byte == s->word && s->focus == PANE_SHARED ? STYLE_PICKED
                : old && strcmp(old, v) != 0               ? STYLE_NOTE
                                                           : STYLE_NORMAL;
    char sign[2] = {value_sign(v), 0};
    append_right_aligned(t, how, !s->shared_values && (int)strlen(v) >= width ? sign : v, width);
}

static int shared_cell_columns(const stepper *s, int columns)
{
    int width = (columns - 8) / STEP_LANE_COUNT;
    if (!s->shared_values)
        return width > MAX_CELL_COLUMNS ? MAX_CELL_COLUMNS : width < 2 ? 2 : width;
    width = 4;
    for (size_t i = 0; i < s->w.shared.count; i++)
        for (size_t k = 0; k < s->w.shared.rows[i].count; k++) {
            int len = (int)strlen(s->w.shared.rows[i].values[k]) + 1;
            width = len > width ? len : width;
        }
    return width > MAX_CELL_COLUMNS ? MAX_CELL_COLUMNS : width;
}

static void put_shared_title(stepper *s, sb *title)
{
    const step_shared_memory *m = &s->w.shared;
    const char *v = word_of_byte(m, s->word);
    const shared_variable *in = variable_at(m, s->word);
    sb_printf(title, "shared[%lld] bank %lld", s->word, s->word / BANK_BYTES % STEP_LANE_COUNT);
    if (in)
        sb_printf(title, ", %s + %lld", in->name, s->word - in->offset);
    sb_printf(title, " = %s %s", v ? v : "?", m->type ? m->type : "");
}

/* Ask the replayer for the rows around the chosen word, if other rows are loaded. */
static void request_shared_rows(stepper *s, int rows)
{
    long long last = s->w.shared.bytes > 0 ? (s->w.shared.bytes - 1) / ROW_BYTES : 0;
    long long row = s->word / ROW_BYTES, from = row > rows / 2 ? row - rows / 2 : 0;
    from = from + rows > last + 1 ? (last + 1 > rows ? last + 1 - rows : 0) : from;
    if (from * ROW_BYTES != s->w.shared_from || rows != s->w.shared_rows)
        session_drop_answer(&s->w, ASK_SHARED);
    s->w.shared_from = from * ROW_BYTES;
    s->w.shared_rows = rows;
}

void fill_shared_pane(stepper *s, page *p, sb *title, int rows, int columns)
{
    const step_shared_memory *m = &s->w.shared;
    int shown = rows > 2 ? rows - 1 - (rows > 4) : 1;
    if (s->w.where.is_ended || !m->count) {
        if (m->bytes == 0 && !s->w.why[ASK_SHARED] && !s->w.where.is_ended)
            s->word = 0;
        put_reason_for_empty_pane(p, s, ASK_SHARED, "This kernel has no shared memory.", columns);
        return;
    }
    if (s->word >= m->bytes)
        s->word = (m->bytes - 1) / BANK_BYTES * BANK_BYTES;
    request_shared_rows(s, shown);
    put_shared_title(s, title);
    int width = shared_cell_columns(s, columns), fit = (columns - 8) / width;
    fit = fit > STEP_LANE_COUNT ? STEP_LANE_COUNT : fit;
    int bank = (int)(s->word / BANK_BYTES % STEP_LANE_COUNT), first = bank / fit * fit;
    first = first + fit > STEP_LANE_COUNT ? STEP_LANE_COUNT - fit : first;
    styled head = {0};
    styled_printf(&head, STYLE_DIM, "%7s", "bank");
    for (int b = first; b < first + fit; b++)
        if (width > 2 || b % 2 == 0)
            styled_printf(&head, STYLE_DIM, "%*d", width > 2 ? width : b == first ? 2 : 4, b);
    page_add_line(p, &head);
    for (size_t i = 0; i < m->count && (int)p->count <= shown; i++) {
        const shared_row *r = &m->rows[i];
        styled t = {0};
        styled_printf(&t, STYLE_DIM, "%7lld", r->offset);
        for (int b = first; b < first + fit && b < (int)r->count; b++)
            append_shared_word(s, &t, r->offset + b * BANK_BYTES, r->values[b], width);
        page_add_line(p, &t);
    }
    if (rows > 4 && !s->shared_values)
        page_line_add(p, STYLE_DIM,
                      "        + - x: too wide for a cell (d shows values)   n: not a number");
}
