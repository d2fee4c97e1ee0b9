#include "diagram.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_DIAGRAM_ROWS = 8,     /* rows that are drawn; further rows are only counted */
    WIDE_LABEL_COLUMNS = 8,   /* columns of the label left of each row, in a wide diagram */
    NARROW_LABEL_COLUMNS = 1, /* columns of the label left of each row, in a narrow diagram */
    SECTOR_WORDS = SECTOR_BYTES / WORD_BYTES /* 4-byte words of a sector */
};

/* An access diagram that is being drawn. */
typedef struct canvas {
    page *p;        /* page to which finished lines are appended */
    styled line;    /* the line of text that is being drawn */
    bool wide;      /* true: DIAGRAM_WIDE_COLUMNS columns; false: DIAGRAM_NARROW_COLUMNS */
    bool sectors;   /* draw a bar between two 32-byte sectors of a row */
    size_t most;    /* rows that are drawn, at most */
    FILE *cells;    /* for an image: file to which the drawn cells are written too; NULL: none */
    int panel, row; /* position in the image: panel number and row */
} canvas;

static void write_image_cell(canvas *c, const char *kind, int column, const char *text)
{
    if (c->cells)
        fprintf(c->cells, "%d\t%s\t%d\t%d\t%s\n", c->panel, kind, c->row, column,
                *text ? text : "-");
}

/* The kind of a cell of the diagram: an image draws each kind in another colour. */
static const char *kind_of_cell(const canvas *c, style how, char text)
{
    return text == '.'         ? (c->sectors ? "unused" : "none")
           : how == STYLE_BAD  ? "extra"
           : how == STYLE_GOOD ? "many"
                               : "lane";
}

/* Does a bar between two sectors follow COLUMN? in a wide diagram the bar replaces a blank. */
static bool ends_sector(const canvas *c, int column)
{
    return c->sectors && column % SECTOR_WORDS == SECTOR_WORDS - 1 && column + 1 < LANES;
}

static void put_diagram_cell(canvas *c, int column, style how, char text)
{
    if (text != ' ')
        write_image_cell(c, kind_of_cell(c, how, text), column, (char[]){text, '\0'});
    styled_add(&c->line, how, &text, 1);
    if (ends_sector(c, column))
        styled_puts(&c->line, STYLE_DIM, "|");
    else if (c->wide)
        styled_puts(&c->line, STYLE_NORMAL, " ");
}

static void end_diagram_row(canvas *c)
{
    /* Remove blanks at the end of a line: text in a lesson has none. */
    while (c->line.text.len && c->line.text.s[c->line.text.len - 1] == ' ') {
        c->line.text.len--;
        c->line.styles.len--;
    }
    page_add_line(c->p, &c->line);
    c->row++;
}

/* Bytes as a label of at most 7 characters. */
static const char *offset_text(long long bytes, char *buf, size_t size)
{
    if (bytes > -100000 && bytes < 1000000)
        snprintf(buf, size, "%lld", bytes);
    else if (bytes / 1024 < 1000000)
        snprintf(buf, size, "%lldK", bytes / 1024);
    else
        snprintf(buf, size, "%lldM", bytes / 1048576);
    return buf;
}

/* Write the row's label: its byte offset BYTES, or in a narrow diagram its index ROW. */
static void put_row_label(canvas *c, long long bytes, int row)
{
    char text[32];
    write_image_cell(c, "label", 0, offset_text(bytes, text, sizeof text));
    if (c->wide)
        styled_printf(&c->line, STYLE_DIM, "%*s ", WIDE_LABEL_COLUMNS - 1, text);
    else
        styled_printf(&c->line, STYLE_DIM, "%*d ", NARROW_LABEL_COLUMNS, row % 10);
}

/* The line above the cells: the number of every fourth column. */
static void draw_header(canvas *c, const char *what)
{
    enum { LANES_PER_CELL = 4 };
    write_image_cell(c, "axis", 0, what);
    styled_printf(&c->line, STYLE_DIM, "%*s ",
                  c->wide ? WIDE_LABEL_COLUMNS - 1 : NARROW_LABEL_COLUMNS, c->wide ? what : "");
    for (int column = 0; column < LANES; column += LANES_PER_CELL) {
        bool bar = ends_sector(c, column + LANES_PER_CELL - 1);
        int width = LANES_PER_CELL * (c->wide ? 2 : 1) - (bar && c->wide);
        styled_printf(&c->line, STYLE_DIM, "%-*d%s", width, column, bar ? "|" : "");
    }
    end_diagram_row(c);
    c->row = 0; /* rows of an image begin below the header */
}

static void put_omitted_rows(canvas *c, size_t rows, const char *what)
{
    if (rows <= c->most)
        return;
    OWNED char *text = xprintf("... %zu more %s", rows - c->most, what);
    write_image_cell(c, "rest", 0, text);
    page_line_add(c->p, STYLE_DIM, "%*s%s", c->wide ? WIDE_LABEL_COLUMNS : NARROW_LABEL_COLUMNS + 1,
                  "", text);
    c->row++;
}

/* --- drawing an access to shared memory ------------------------------------------------------- */

static char lane_letter_of_word(const word_use *u)
{
    return u->lanes > 1 ? '*' : lane_letter(u->lane);
}

static bool is_atomic(const memory_request *r)
{
    return strcmp(r->effect, "update") == 0;
}

/* The first byte of the array of R in row ROW of the block's shared memory. */
static long long first_byte_in_row(const memory_request *r, long long row)
{
    long long byte = row * BANKS * WORD_BYTES - r->begins;
    return byte > 0 ? byte : 0;
}

/* Draw one group of lanes. A row is 128 bytes of shared memory, a column is a bank; two words in
 * one column need two passes. */
static void draw_group_row(canvas *c, const memory_request *r, const word_use *uses, size_t count)
{
    bool taken[BANKS] = {0};
    size_t rows = 0;
    for (size_t i = 0; i < count; rows++) {
        long long row = uses[i].word / BANKS;
        char cell[BANKS] = {0};
        style how[BANKS] = {0};
        for (; i < count && uses[i].word / BANKS == row; i++) {
            long long bank = uses[i].word % BANKS;
            cell[bank] = lane_letter_of_word(&uses[i]);
            how[bank] = taken[bank] || (is_atomic(r) && uses[i].lanes > 1) ? STYLE_BAD
                        : uses[i].lanes > 1                                ? STYLE_GOOD
                                                                           : STYLE_NORMAL;
            taken[bank] = true;
        }
        if (rows >= c->most)
            continue;
        put_row_label(c, first_byte_in_row(r, row), (int)rows + 1);
        for (int bank = 0; bank < BANKS; bank++)
            put_diagram_cell(c, bank, cell[bank] ? how[bank] : STYLE_DIM,
                             cell[bank] ? cell[bank] : '.');
        end_diagram_row(c);
    }
    put_omitted_rows(c, rows, "rows of 128 bytes");
}

static void draw_shared_request(canvas *c, const memory_request *r)
{
    word_use uses[MAX_REQUEST_WORDS];
    unsigned load[BANKS];
    size_t n = request_words(r, uses);
    request_passes(r, load);
    draw_header(c, "bank");
    for (size_t i = 0; i < n;) {
        size_t from = i;
        while (i < n && uses[i].group == uses[from].group)
            i++;
        if (r->served < LANES) {
            int first = uses[from].group * (int)r->served;
            OWNED char *text = xprintf("lanes %d to %d:", first, first + (int)r->served - 1);
            write_image_cell(c, "group", 0, text);
            page_line_add(c->p, STYLE_DIM, "%s", text);
            c->row++;
        }
        draw_group_row(c, r, uses + from, i - from);
    }
    const char *what = is_atomic(r) ? "lanes" : "words";
    styled_printf(&c->line, STYLE_DIM, "%*s ",
                  c->wide ? WIDE_LABEL_COLUMNS - 1 : NARROW_LABEL_COLUMNS, c->wide ? what : "=");
    write_image_cell(c, "sum", 0, what);
    for (int bank = 0; bank < BANKS; bank++) {
        bool is_busy = load[bank] > n / LANES + 1 || load[bank] > 4;
        char text[16];
        snprintf(text, sizeof text, "%u", load[bank]);
        if (load[bank])
            write_image_cell(c, is_busy ? "busy" : "load", bank, text);
        styled_add(&c->line, is_busy ? STYLE_BAD : STYLE_NORMAL,
                   load[bank] == 0   ? "."
                   : load[bank] < 10 ? text
                                     : "+",
                   1);
        if (c->wide)
            styled_puts(&c->line, STYLE_NORMAL, " ");
    }
    end_diagram_row(c);
}

/* --- drawing an access to global memory ------------------------------------------------------- */

/* A row is a 128-byte cache line, a column is a word; untouched sectors stay blank. */
static void draw_global_request(canvas *c, const memory_request *r)
{
    word_use uses[MAX_REQUEST_WORDS];
    size_t n = request_words(r, uses), rows = 0;
    c->sectors = true;
    draw_header(c, "word");
    for (size_t i = 0; i < n; rows++) {
        long long line = uses[i].word / LANES;
        char cell[LANES] = {0};
        style how[LANES] = {0};
        bool fetched[LANES / SECTOR_WORDS] = {0};
        for (; i < n && uses[i].word / LANES == line; i++) {
            long long word = uses[i].word % LANES;
            cell[word] = lane_letter_of_word(&uses[i]);
            how[word] = uses[i].lanes > 1 ? STYLE_GOOD : STYLE_NORMAL;
            fetched[word / SECTOR_WORDS] = true;
        }
        if (rows >= c->most)
            continue;
        put_row_label(c, line * LINE_BYTES, (int)rows + 1);
        for (int word = 0; word < LANES; word++)
            put_diagram_cell(c, word, cell[word] ? how[word] : STYLE_BAD,
                             cell[word]                     ? cell[word]
                             : fetched[word / SECTOR_WORDS] ? '.'
                                                            : ' ');
        end_diagram_row(c);
    }
    put_omitted_rows(c, rows, "lines of 128 bytes");
}

/* --- drawing a load from constant memory ------------------------------------------------------ */

/* A row is an address, a column is a lane. */
static void draw_constant_request(canvas *c, const memory_request *r)
{
    size_t rows = 0;
    draw_header(c, "lane");
    for (int lane = 0; lane < LANES; lane++) {
        bool known = !r->on[lane];
        for (int k = 0; k < lane && !known; k++)
            known = r->on[k] && r->at[k] == r->at[lane];
        if (known || rows++ >= c->most)
            continue;
        put_row_label(c, r->at[lane], (int)rows);
        for (int k = 0; k < LANES; k++) {
            bool here = r->on[k] && r->at[k] == r->at[lane];
            put_diagram_cell(c, k, here ? STYLE_NORMAL : STYLE_DIM, here ? lane_letter(k) : '.');
        }
        end_diagram_row(c);
    }
    put_omitted_rows(c, rows, "addresses");
}

/* --- sentences -------------------------------------------------------------------------------- */

static const char *plural_form(double n, const char *one, const char *many)
{
    return n == 1 ? one : many;
}

static void describe_bank_conflicts(sb *b, const memory_request *r)
{
    unsigned load[BANKS], passes = request_passes(r, load), busiest = 0;
    unsigned groups = 0;
    word_use uses[MAX_REQUEST_WORDS];
    size_t n = request_words(r, uses);
    for (size_t i = 0; i < n; i++)
        groups += i == 0 || uses[i].group != uses[i - 1].group;
    for (unsigned bank = 0; bank < BANKS; bank++)
        busiest = load[bank] > load[busiest] ? bank : busiest;
    sb_printf(b, "%u %s: ", passes, plural_form(passes, "pass", "passes"));
    if (passes > groups)
        sb_printf(b, "bank %u serves %u %s one after another. Without conflicts: %u.", busiest,
                  load[busiest], is_atomic(r) ? "lanes" : "words", groups);
    else if (groups > 1)
        sb_printf(b, "%u lanes at once, %u groups, no conflict.", r->served, groups);
    else if (n == 1 && r->lanes > 1)
        sb_printf(b, "all %u lanes access one word, a broadcast.", r->lanes);
    else
        sb_puts(b, "no bank has to serve two words.");
}

static void describe_sectors(sb *b, const memory_request *r)
{
    unsigned used, sectors = request_sectors(r, &used), bytes = sectors * SECTOR_BYTES;
    bool reads = strcmp(r->effect, "read") == 0;
    unsigned least = (used + SECTOR_BYTES - 1) / SECTOR_BYTES;
    sb_printf(b, "%u %s of 32 bytes: %u bytes %s, %u used (%.0f %%).", sectors,
              plural_form(sectors, "sector", "sectors"), bytes, reads ? "fetched" : "sent", used,
              bytes ? 100.0 * used / bytes : 0);
    if (least < sectors)
        sb_printf(b, " %u %s would do.", least, plural_form(least, "sector", "sectors"));
    if (r->cost > sectors)
        sb_printf(b, " Lanes with the same address are served one after another: %u sectors count.",
                  r->cost);
}

char *describe_request(const memory_request *r)
{
    sb b = {0};
    unsigned n = request_addresses(r);
    switch (r->space) {
    case SPACE_SHARED: describe_bank_conflicts(&b, r); break;
    case SPACE_GLOBAL: describe_sectors(&b, r); break;
    case SPACE_CONST:
        sb_printf(&b, "%u %s: %u %s.", n, plural_form(n, "address", "different addresses"), n,
                  plural_form(n, "pass for all lanes", "passes, one after another"));
        break;
    case SPACE_OTHER:
        sb_printf(&b, "%u %s of 32 bytes; the words of neighbouring lanes lie side by side.",
                  r->cost, plural_form(r->cost, "sector", "sectors"));
    }
    return sb_take(&b);
}

char *describe_all_requests(const memory_request *r)
{
    static const char *const units[][2] = {
        {"pass", "passes"}, {"sector", "sectors"}, {"address", "addresses"}, {"sector", "sectors"}};
    double mean = r->all_requests > 0 ? r->all_cost / r->all_requests : 0;
    if (r->requests == r->all_requests)
        return xprintf("All %.0f requests of the launch are such.", r->requests);
    return xprintf("%.0f of %.0f requests of the launch are such; on average one has %.4g %s.",
                   r->requests, r->all_requests, mean,
                   plural_form(mean, units[r->space][0], units[r->space][1]));
}

/* --- drawing the whole access diagram --------------------------------------------------------- */

static void draw_wrapped(canvas *c, style how, char *text)
{
    page_wrap_text(c->p, how, text, c->wide ? DIAGRAM_WIDE_COLUMNS : DIAGRAM_NARROW_COLUMNS, "",
                   "");
    free(text);
}

/* Write a line of text to the access diagram, and to the image's table as a row of kind WHAT. */
static void put_diagram_text(canvas *c, style how, const char *what, char *text)
{
    write_image_cell(c, what, 0, text);
    draw_wrapped(c, how, text);
}

static void draw_diagram(canvas *c, const memory_request *r, const char *source, const char *name)
{
    const char *memory = name                                      ? name
                         : r->space == SPACE_SHARED && !*r->memory ? "shared memory"
                                                                   : r->memory;
    put_diagram_text(c, STYLE_STRONG, "heading",
                     xprintf("%s:%d %s %s", r->file, r->line, r->kernel, r->op));
    if (source) {
        write_image_cell(c, "source", 0, source);
        page_line_add(c->p, STYLE_CODE, "| %.*s",
                      (int)utf8_fit(source, strlen(source),
                                    (c->wide ? DIAGRAM_WIDE_COLUMNS : DIAGRAM_NARROW_COLUMNS) - 2),
                      source);
    }
    put_diagram_text(c, STYLE_NORMAL, "who",
                     xprintf("block %s, warp %u: %u %s, %u %s each%s%s", r->of_block, r->warp,
                             r->lanes, plural_form(r->lanes, "lane", "lanes"), r->bytes,
                             plural_form(r->bytes, "byte", "bytes"), *memory ? ", of " : "",
                             memory));
    c->row = 0;
    switch (r->space) {
    case SPACE_SHARED: draw_shared_request(c, r); break;
    case SPACE_GLOBAL: draw_global_request(c, r); break;
    case SPACE_CONST: draw_constant_request(c, r); break;
    case SPACE_OTHER: break;
    }
    put_diagram_text(c, STYLE_STRONG, "sentence", describe_request(r));
    if (r->requests > 0) /* a hand-written request has no count */
        put_diagram_text(c, STYLE_DIM, "total", describe_all_requests(r));
    styled_free(&c->line);
}

void draw_request_diagram(page *p, const memory_request *r, const char *source, const char *name,
                          size_t columns)
{
    canvas c = {.p = p, .wide = columns >= DIAGRAM_WIDE_COLUMNS, .most = MAX_DIAGRAM_ROWS};
    draw_diagram(&c, r, source, name);
}

void diagram_write_text(page *p, const memory_request *r, const char *source, const char *name)
{
    CLEANUP(page_free) page whole = {0};
    draw_request_diagram(&whole, r, source, name, DIAGRAM_WIDE_COLUMNS);
    for (size_t i = 0; i < whole.count; i++)
        if (whole.lines[i].len && whole.lines[i].s[0] != ' ')
            page_line_add(p, STYLE_NORMAL, "%s", whole.lines[i].s);
}

void diagram_write_cells(FILE *f, int panel, const char *title, const memory_request *r,
                         const char *source, const char *name)
{
    static const char *const spaces[] = {"shared", "global", "const", "other"};
    CLEANUP(page_free) page p = {0};
    canvas c = {.p = &p, .wide = true, .most = DIAGRAM_IMAGE_ROWS, .cells = f, .panel = panel};
    write_image_cell(&c, "space", 0, spaces[r->space]);
    write_image_cell(&c, "title", 0, title);
    draw_diagram(&c, r, source, name);
}

void draw_diagram_legend(page *p, access_space space, size_t columns)
{
    static const char *const dots[] = {"   .: no lane", "   .: in the sector, not used", "", ""};
    if (space == SPACE_OTHER)
        return;
    page_line_add(p, STYLE_DIM, "0-9, a-v: lanes 0 to 31%s%s",
                  space == SPACE_CONST ? "" : "   *: several lanes", dots[space]);
    page_line_add(p, STYLE_DIM, "left column: %s",
                  columns < DIAGRAM_WIDE_COLUMNS ? "the number of the row"
                  : space == SPACE_CONST         ? "the address, in bytes"
                  : space == SPACE_SHARED        ? "the array's first byte in the row"
                                                 : "the first byte of the row");
}

static void append_diagram_line(styled *t, const page *side, size_t i, size_t pad)
{
    size_t width = 0;
    if (i < side->count) {
        const page_line *l = &side->lines[i];
        for (size_t k = 0; k < l->len; k++)
            styled_add(t, (style)l->styles[k], l->s + k, 1);
        width = utf8_width(l->s, l->len);
    }
    for (; width < pad; width++)
        styled_puts(t, STYLE_NORMAL, " ");
}

void place_diagrams_side_by_side(page *p, const char *left_title, const page *left,
                                 const char *right_title, const page *right)
{
    CLEANUP(styled_free) styled t = {0};
    size_t left_width = DIAGRAM_NARROW_COLUMNS + DIAGRAM_GAP_COLUMNS;
    if (*left_title || *right_title) {
        styled_printf(&t, STYLE_HEADING, "%-*s", (int)left_width, left_title);
        styled_puts(&t, STYLE_HEADING, right_title);
        page_add_line(p, &t);
    }
    for (size_t i = 0; i < left->count || i < right->count; i++) {
        append_diagram_line(&t, left, i, i < right->count && right->lines[i].len ? left_width : 0);
        append_diagram_line(&t, right, i, 0);
        page_add_line(p, &t);
    }
}
