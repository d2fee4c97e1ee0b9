/* State and functions shared by the files of the `warpbook step` screen. */
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
    bool is_opening;  /* the first command was sent but not answered yet */
    pane focus, slot; /* the focused pane; `slot`: the pane shown if there is room for only one of
                         several panes */
    unsigned moved;   /* w.moved when the screen was last drawn */

    /* The items selected in the panes. */
    long line_off; /* distance in lines of the selected line from the current line */
    int lane;
    size_t value_row, warp_row, report_row, request_top;
    long long word;     /* byte offset of a word of shared memory */
    bool shared_values; /* the pane of shared memory shows values instead of signs */

    const step_key *asking; /* the key whose question is being answered, or NULL */
    char input[STEPPER_INPUT];
    size_t input_len;
    bool boxed; /* a pop-up box is open */
    page box;
    const char *box_title;
    size_t box_top;
    char *message; /* a message for the user, or NULL */
    style message_style;
    int keys[STEPPER_KEYS]; /* keys pressed while the engine was busy */
    size_t key_count;
    int spin; /* frame of the busy indicator */
} stepper;

/* The position and size of a pane, including its title row. */
typedef struct pane_place {
    pane pane;
    int y, x, rows, columns;
} pane_place;

/* layout.c: compute the places of the visible panes; return the number of panes. */
size_t layout_make(const stepper *s, pane_place out[PANES]);

/* panes.c: a kind of pane; its function appends at most ROWS lines of at most COLUMNS, and the
 * title's text. */
typedef struct pane_row {
    const char *name;
    void (*draw)(stepper *s, page *p, sb *title, int rows, int columns);
    unsigned looks; /* a bit for each kind of engine answer that the pane shows */
} pane_row;
extern const pane_row panes[PANES];

void pane_code(stepper *s, page *p, sb *title, int rows, int columns);
void pane_lanes(stepper *s, page *p, sb *title, int rows, int columns);
void pane_values(stepper *s, page *p, sb *title, int rows, int columns);
void pane_warps(stepper *s, page *p, sb *title, int rows, int columns);
void pane_shared(stepper *s, page *p, sb *title, int rows, int columns);
void pane_request(stepper *s, page *p, sb *title, int rows, int columns);
void pane_reports(stepper *s, page *p, sb *title, int rows, int columns);
/* Append a report as its two moments, such as the two accesses of a race. */
void page_moments(page *p, const step_moments *m, int columns);

/* The selected row of the pane of values; NULL: no row is selected. */
const step_value *chosen_value(const stepper *s);
/* The first of COUNT rows to show in ROWS rows, so that row CHOSEN is visible. */
size_t first_visible_row(size_t chosen, size_t count, size_t rows);
/* The character for a lane's state, and its style in *HOW. */
char lane_sign(lane_state state, style *how);
const char *lane_meaning(lane_state state);
/* Append the sentence for an empty pane: the reason given by the engine, else OTHERWISE. */
void pane_put_empty(page *p, const stepper *s, query_kind look, const char *otherwise, int columns);

/* Return true if the engine has been busy for so long that the screen says so. */
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
    const char *command; /* engine command to send, or its beginning; NULL: only the handler runs */
    const char *question; /* question whose answer completes the command; NULL: no question */
    void (*handler)(stepper *s, int argument);
    int argument;
    const char *bar, *help; /* words of the bottom line and of the help, as in keys.def; help "":
                               shared with the row above */
};
extern const step_key step_keys[];
extern const size_t step_key_count;
/* Handle a key while the engine is idle. */
void stepper_key(stepper *s, int key);
void stepper_say(stepper *s, style how, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void stepper_open_box(stepper *s, const char *title);

#endif
