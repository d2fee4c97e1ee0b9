/* State and functions shared by the files of the `warpbook step` screen. */
#pragma once

#include "../term/paint.h"
#include "session.h"

typedef enum pane {
    PANE_CODE,    /* source around the next line */
    PANE_LANES,   /* state of each lane of a warp */
    PANE_VALUES,  /* values of registers and variables in each lane */
    PANE_WARPS,   /* the warps of the current block, and what each does */
    PANE_SHARED,  /* contents of shared memory */
    PANE_REQUEST, /* diagram of the last memory request of the current warp */
    PANE_REPORTS, /* mistakes that were reported so far */
    PANE_COUNT    /* number of panes */
} pane;

enum {
    STEPPER_MIN_COLUMNS = 80,  /* least width of the terminal, in columns */
    STEPPER_MIN_ROWS = 24,     /* least height of the terminal, in rows */
    STEPPER_MAX_KEYS = 256,    /* keys that wait until the replayer is idle, at most */
    STEPPER_INPUT_BYTES = 200, /* longest text that can be typed, in bytes */
};

typedef struct step_key step_key; /* a key of the screen: a row of keys.def */

typedef struct stepper {
    step_session w;
    int rows, columns; /* size of the terminal */
    bool quit, zoom;   /* end the program; show only the focused pane, over the whole screen */
    pane focus, slot;  /* the focused pane; `slot`: the pane shown if there is room for only one of
                          several panes */
    unsigned moved;    /* value of w.moved, a count of moves, when the answers were last shown */

    long line_off;      /* number of the selected source line minus that of the current line */
    int lane;           /* number of the selected lane, from 0 */
    size_t value_row;   /* selected row of the pane of values */
    size_t warp_row;    /* selected row of the pane of warps */
    size_t report_row;  /* selected row of the pane of reports */
    size_t request_top; /* first visible row of the diagram in the pane PANE_REQUEST */
    long long word;     /* byte offset of the selected word of shared memory */
    bool shared_values; /* the pane of shared memory shows values instead of signs */

    const step_key *asking;          /* the key whose question is being answered, or NULL */
    char input[STEPPER_INPUT_BYTES]; /* text typed so far */
    size_t input_len;                /* length of `input` in bytes */
    bool boxed;                      /* a pop-up box is open */
    page box;                        /* text of the pop-up box */
    const char *box_title;           /* title of the pop-up box */
    size_t box_top;                  /* first visible line of the pop-up box */
    screen_message message;          /* for the user */
    int keys[STEPPER_MAX_KEYS];      /* keys pressed while the replayer was busy */
    size_t key_count;                /* entries used in `keys` */
    int spin;                        /* animation step of the busy indicator */
} stepper;

/* The position and size of a pane, including its title row. */
typedef struct pane_place {
    pane pane;
    int y, x, rows, columns;
} pane_place;

/* layout.c: compute the places of the visible panes; return the number of panes. */
size_t layout_make(const stepper *s, pane_place out[PANE_COUNT]);

/* panes.c: a kind of pane; it appends at most ROWS lines of at most COLUMNS, and the title. */
typedef struct pane_row {
    const char *name; /* title of the pane */
    void (*draw)(stepper *s, page *p, sb *title, int rows, int columns);
    unsigned queries; /* a bit for each kind of replayer answer that the pane shows */
} pane_row;
extern const pane_row pane_rows[PANE_COUNT]; /* the panes, by number */

void fill_code_pane(stepper *s, page *p, sb *title, int rows, int columns);
void fill_lanes_pane(stepper *s, page *p, sb *title, int rows, int columns);
void fill_values_pane(stepper *s, page *p, sb *title, int rows, int columns);
void fill_warps_pane(stepper *s, page *p, sb *title, int rows, int columns);
void fill_shared_pane(stepper *s, page *p, sb *title, int rows, int columns);
void fill_request_pane(stepper *s, page *p, sb *title, int rows, int columns);
void fill_reports_pane(stepper *s, page *p, sb *title, int rows, int columns);
/* Append a report as its two moments, such as the two accesses of a race. */
void append_report_moments(page *p, const step_report_moments *m, int columns);

/* The selected row of the pane of values; NULL: no row is selected. */
const step_value *chosen_value(const stepper *s);
/* The first of COUNT rows to show in ROWS rows, so that row CHOSEN is visible. */
size_t first_visible_row(size_t chosen, size_t count, size_t rows);
/* The character for a lane's state, and its style in *HOW. */
char lane_sign(lane_state state, style *how);
const char *lane_meaning(lane_state state);
/* Append the sentence for an empty pane: the reason given by the replayer, else OTHERWISE. */
void put_reason_for_empty_pane(page *p, const stepper *s, query_kind query, const char *otherwise,
                               int columns);

/* Return true if the replayer has been busy for so long that the screen says so. */
static inline bool stepper_is_slow(const stepper *s)
{
    return session_seconds_waited(&s->w) > 0.2;
}

/* step_draw.c: draw the screen. */
void stepper_draw(stepper *s);

/* keys.c */
struct step_key {
    const char *name;         /* the key's name in the help */
    int codes[2];             /* key codes with this action; the second may be 0 */
    const char *command;      /* command for the replayer, or its beginning; NULL: none */
    const char *question;     /* question whose answer completes the command; NULL: no question */
    void (*call)(stepper *s); /* at most one of both: */
    void (*handler)(stepper *s, int argument);
    int argument;           /* second argument of `handler` */
    const char *bar, *help; /* words of the bottom line and of the help, as in keys.def; help "":
                               shared with the row above */
};
extern const step_key step_keys[];  /* the keys, in the order of the help */
extern const size_t step_key_count; /* number of rows in step_keys */
/* Handle a key while the replayer is idle. */
void stepper_handle_key(stepper *s, int key);
void stepper_open_box(stepper *s, const char *title);
