/* What the files of the screen of `warpbook step` share. */
#ifndef WARPBOOK_STEP_STEPPER_H
#define WARPBOOK_STEP_STEPPER_H

#include "walk.h"

typedef enum pane {
    PANE_CODE,
    PANE_LANES,
    PANE_VALUES,
    PANE_WARPS,
    PANE_SHARED,
    PANE_REQUEST,
    PANE_REPORTS,
    PANES
} pane;

enum { STEPPER_MIN_COLUMNS = 80, STEPPER_MIN_ROWS = 24, STEPPER_KEYS = 256, STEPPER_INPUT = 200 };

typedef struct step_key step_key;

typedef struct stepper {
    walk w;
    int rows, columns;
    bool quit, zoom;
    bool is_opening;  /* the first command has been sent and not answered */
    pane focus, slot; /* the focused pane; `slot` is shown where there is room for only one of
                         several panes */
    unsigned moved;   /* w.moved when the screen was last drawn */

    /* What is chosen in the panes. */
    long line_off; /* distance in lines from the current one */
    int lane;
    size_t value_row, warp_row, report_row, request_top;
    long long word; /* byte offset of a word of shared memory */
    bool shared_values;

    const step_key *asking; /* the key whose question is being answered, or NULL */
    char input[STEPPER_INPUT];
    size_t input_len;
    bool boxed;
    page box;
    const char *box_title;
    size_t box_top;
    char *message; /* a message for the user, or NULL */
    style message_style;
    int keys[STEPPER_KEYS]; /* keys pressed while the engine was busy */
    size_t key_count;
    int spin;
} stepper;

/* Where a pane is, its title row included. */
typedef struct pane_place {
    pane pane;
    int y, x, rows, columns;
} pane_place;

/* layout.c: the places of the panes that are shown; their number. */
size_t layout_make(const stepper *s, pane_place out[PANES]);

/* panes.c: a pane as lines of at most COLUMNS, ROWS of them at most, and what stands in its title.
 */
typedef struct pane_row {
    const char *name;
    void (*draw)(stepper *s, page *p, sb *title, int rows, int columns);
    unsigned looks; /* a bit for each kind of answer that it shows */
} pane_row;
extern const pane_row panes[PANES];

void pane_code(stepper *s, page *p, sb *title, int rows, int columns);
void pane_lanes(stepper *s, page *p, sb *title, int rows, int columns);
void pane_values(stepper *s, page *p, sb *title, int rows, int columns);
void pane_warps(stepper *s, page *p, sb *title, int rows, int columns);
void pane_shared(stepper *s, page *p, sb *title, int rows, int columns);
void pane_request(stepper *s, page *p, sb *title, int rows, int columns);
void pane_reports(stepper *s, page *p, sb *title, int rows, int columns);
/* A report as two moments. */
void page_moments(page *p, const step_moments *m, int columns);

/* What is chosen in the values: the row and its place ("%r5[3]"). NULL: nothing is. */
const step_value *chosen_value(const stepper *s);
/* Which row of COUNT is the first that is shown, so that the chosen one is seen. */
size_t first_shown(size_t chosen, size_t count, size_t rows);
/* The sign of a lane's state, and how it is drawn. */
char lane_sign(lane_state state, style *how);
const char *lane_meaning(lane_state state);
/* The sentence in a pane that has nothing to show, and the reason. */
void pane_nothing(page *p, const stepper *s, ask look, const char *otherwise, int columns);

/* Whether something has been waited for so long that the person is told. */
static inline bool stepper_is_slow(const stepper *s)
{
    return walk_waiting(&s->w) > 0.2;
}

/* step_draw.c: draw the screen. */
void stepper_draw(stepper *s);

/* keys.c */
struct step_key {
    const char *name;
    int codes[2];
    const char *command;  /* command that is sent, or its beginning; NULL: the handler does all */
    const char *question; /* question that asks for the rest of the command; NULL: none */
    void (*handler)(stepper *s, int argument);
    int argument;
    const char *bar, *help; /* words of the bottom line and of the help, as in keys.def; help "":
                               shared with the row above */
};
extern const step_key step_keys[];
extern const size_t step_key_count;
/* A key while nothing is being waited for. */
void stepper_key(stepper *s, int key);
void stepper_say(stepper *s, style how, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void stepper_open_box(stepper *s, const char *title);

#endif
