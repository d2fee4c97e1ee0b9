/* Decides which panes are shown and where; a larger terminal shows more panes. */
#include "stepper.h"

typedef struct pane_layout {
    const stepper *s;
    pane_place *out; /* [count] positions of the panes that have been placed so far */
    size_t count;    /* number of panes placed so far */
} pane_layout;

static void add_pane(pane_layout *l, pane what, int y, int x, int rows, int columns)
{
    if (rows >= 2)
        l->out[l->count++] = (pane_place){what, y, x, rows, columns};
}

/* Return true for panes that need many rows: pictures and reports. */
static bool is_tall_pane(pane what)
{
    return what == PANE_REQUEST || what == PANE_REPORTS;
}

enum {
    WIDE_COLUMNS = 140, /* on a terminal of at least this width, two panes are side by side */
    TALL_ROWS = 40,     /* on a terminal of at least this height, more panes are shown */
    LANES_ROWS = 5,     /* height of the pane that shows the lanes of a warp */
    RIGHT_COLUMNS = 79, /* width of the right pane, in which a diagram of a memory request fits */
};

static void lay_out_narrow_screen(pane_layout *l, int top, int rows)
{
    const stepper *s = l->s;
    int wide = s->columns;
    bool tall = is_tall_pane(s->slot), values = rows >= TALL_ROWS - 3;
    int lanes = tall && !values ? 0 : LANES_ROWS + (rows >= 26);
    int code = tall && !values ? 8 : 10 + (rows - 21) / 3;
    int middle = values ? rows / 4 : 0;
    int slot = rows - lanes - code - middle;
    pane last = values && s->slot == PANE_VALUES ? PANE_SHARED : s->slot;
    add_pane(l, PANE_CODE, top, 0, code, wide);
    add_pane(l, PANE_LANES, top + code, 0, lanes, wide);
    add_pane(l, PANE_VALUES, top + code + lanes, 0, middle, wide);
    add_pane(l, last, top + rows - slot, 0, slot, wide);
}

static void lay_out_wide_screen(pane_layout *l, int top, int rows)
{
    const stepper *s = l->s;
    int left = s->columns - RIGHT_COLUMNS - 1, x = left + 1;
    int lanes = LANES_ROWS + 2, upper = rows * 2 / 5;
    int values = rows >= TALL_ROWS - 3 ? rows / 5 : 0, lower = rows - upper - values;
    int warps = upper - lanes;
    pane last =
        s->slot == PANE_WARPS || s->slot == PANE_SHARED || (values && s->slot == PANE_VALUES)
            ? PANE_REQUEST
            : s->slot;
    add_pane(l, PANE_CODE, top, 0, upper, left);
    add_pane(l, PANE_LANES, top, x, lanes, RIGHT_COLUMNS);
    add_pane(l, PANE_WARPS, top + lanes, x, warps, RIGHT_COLUMNS);
    add_pane(l, PANE_VALUES, top + upper, 0, values, s->columns);
    add_pane(l, PANE_SHARED, top + upper + values, 0, lower, left);
    add_pane(l, last, top + upper + values, x, lower, RIGHT_COLUMNS);
}

size_t layout_make(const stepper *s, pane_place out[PANE_COUNT])
{
    pane_layout l = {.s = s, .out = out};
    int top = 1, rows = s->rows - 3; /* the bar, the message, the keys */
    if (s->zoom)
        add_pane(&l, s->focus, top, 0, rows, s->columns);
    else if (s->columns >= WIDE_COLUMNS)
        lay_out_wide_screen(&l, top, rows);
    else
        lay_out_narrow_screen(&l, top, rows);
    return l.count;
}
