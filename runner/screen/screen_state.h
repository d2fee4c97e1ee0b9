/* What the files of the screen share. */
#ifndef WARPBOOK_SCREEN_STATE_H
#define WARPBOOK_SCREEN_STATE_H

#include "../attempt/attempt.h"
#include "../base/saved.h"
#include "../book/page.h"
#include "../book/quiz.h"
#include "../judge/desk.h"
#include "../show/plot.h"

#include <curses.h>

enum { SCREEN_MIN_COLUMNS = 80, SCREEN_MIN_ROWS = 24, SCREEN_WIDE_COLUMNS = 110 };

typedef enum tab { TAB_LESSON, TAB_CODE, TAB_OUTPUT, TAB_COUNTERS, TAB_PLOT, TAB_COUNT } tab;

/* What is known of one chapter while the screen is open. */
typedef struct view {
    verdict v;
    bool has_verdict, recalled, of_solution, brief;
    size_t top[TAB_COUNT], left[TAB_COUNT];
    bool show_solution; /* the code tab shows the solution */
    bool more;          /* the folded part of counters and code (key m) */
    bool asked;         /* the predictions have been asked for in this session */
    /* The record of the run that is shown, and the sentence that the state had of it, to notice
     * that another program has replaced it. */
    char *record, *reason_seen;
    unsigned long long record_seen;
} view;

typedef enum box_kind { BOX_NONE, BOX_HELP, BOX_HINT, BOX_RESET } box_kind;

/* Pictures being drawn for the plot tab, one job at a time. */
typedef struct drawing {
    job *j;
    target t;
    size_t picture; /* index of the picture being drawn */
    int format;     /* format: 0 text, 1 png, 2 svg */
    page page;      /* the texts finished so far */
    char *error;
    bool done, wanted;
    int width, height;
    const chapter *c; /* chapter to which the pictures belong; NULL: there are none */
} drawing;

/* How the lab accesses memory, instead of the pictures (screen_access.c). */
typedef struct accesses accesses;

/* A search in the page that is shown. */
enum { FIND_MOST = 1000 };
typedef struct found {
    size_t line, byte; /* line of the page, and byte in the line */
} found;
typedef struct finder {
    char text[80]; /* text that is searched for; "": no search */
    bool fresh;    /* no match was shown yet */
    found at[FIND_MOST];
    size_t count, current;
} finder;

/* What is typed in the line above the keys. */
typedef enum prompt_kind {
    PROMPT_NONE,
    PROMPT_FIND,
    PROMPT_CHAPTER,
    PROMPT_NUMBER,
    PROMPT_ANSWER
} prompt_kind;
typedef struct prompt {
    prompt_kind kind;
    char text[80];
    size_t len;
} prompt;

/* The first row of the list of chapters. */
enum { SCREEN_LIST_Y = 2 };

/* The lab that is looked at, to see it saved. */
typedef struct watch {
    saved lab;
    size_t chapter; /* index of the chapter whose lab is watched */
    bool off;       /* switched off by the w key */
    bool due;       /* the lab was saved and has not run since */
} watch;

typedef struct screen {
    desk *d;
    int rows, columns;
    bool quit, zoom, on_pane; /* on_pane: arrow keys scroll the pane */
    bool gpu;
    const char *no_device; /* why nothing can be run, or NULL */
    size_t chosen, list_top;
    bool open_only; /* the list leaves out what has passed */
    size_t *listed; /* the chapters in the list, of them LIST_ROWS from LIST_TOP on in sight */
    size_t listed_count;
    int list_rows;
    tab tab;
    view *views; /* one view per chapter */
    attempt *a;  /* running, or NULL */
    size_t a_chapter;
    bool a_solution, a_brief;
    size_t a_seen; /* number that changes when there is something new to show of the attempt */
    drawing drawing;
    accesses *accesses; /* pictures of memory accesses; NULL: the plot tab shows the pictures */
    page page;          /* contents of the chosen tab */
    bool dirty;         /* the page must be made anew */
    box_kind box;
    page box_page;
    const char *box_title;
    size_t box_top;
    finder find;
    prompt prompt;
    int hinted;     /* number of the TODO of which the box shows hints */
    size_t asking;  /* index of the prediction that is asked for */
    bool ask_again; /* asked by the P key: no run follows */
    int answering;  /* number of the question of the bank that is asked */
    char *message;
    style message_style;
    int spin;
    watch watch;
} screen;

/* The chosen chapter and its view; NULL in a book without chapters. */
static inline chapter *screen_chapter(screen *s)
{
    return s->d->book.count ? &s->d->book.chapters[s->chosen] : NULL;
}

static inline view *screen_view(screen *s)
{
    return &s->views[s->chosen];
}

/* The place of the pane's text: rows and columns. */
int screen_pane_left(const screen *s);
int screen_pane_width(const screen *s);
int screen_pane_height(const screen *s);

void screen_say(screen *s, style how, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* screen.c: take over the terminal. */
void screen_begin(screen *s);

/* screen_view.c: show what an earlier run left, as if it had just been run. */
void view_recall(screen *s);
/* screen_view.c: forget it, if another program has run the lab again. */
void view_follow(screen *s);
/* screen_view.c: forget it in any case, except what view_recall and view_follow compare. */
void view_forget(view *v);
void view_settle(screen *s, view *v);
void view_free(view *v);

/* screen_draw.c: draw the whole screen. */
void screen_draw(screen *s);

/* The tab at column X of their row, or -1; the key whose word stands at column X of the bottom
 * line, or NULL. */
int screen_tab_at(const screen *s, int x);
const struct key_row *screen_bar_key(const screen *s, int x);

/* screen_pages.c: make s->page for the chosen tab, if it is out of date. */
void screen_refresh_page(screen *s);

/* A row of keys.def. */
typedef struct key_row {
    const char *name;
    int codes[2]; /* two keys that do the same; the second may be 0 */
    void (*handler)(screen *s, int argument);
    int argument;
    const char *bar;  /* word in the bottom line, or NULL */
    const char *help; /* line in the help; KEY_HELP_SAME: shared with the row above; NULL: none */
} key_row;

#define KEY_HELP_SAME ""

/* screen_keys.c: the table of keys. */
extern const key_row screen_keys[];
extern const size_t screen_key_count;
void screen_key(screen *s, int key);
void screen_choose(screen *s, size_t chapter);
/* The next chapter in the list (BY: 1), the one before (-1). */
void screen_choose_next(screen *s, int by);
void screen_show_tab(screen *s, tab t);
void screen_scroll(screen *s, long lines);
/* Fill s->listed with the chapters to show. */
void screen_list_chapters(screen *s);
void screen_attempt_ended(screen *s);

/* screen_box.c: questions and texts in a box over the pane. */
void box_help(screen *s);
/* The next hint; or, of TODO NUMBER where that is not 0, those that were shown before, or the
 * first. */
void box_hint(screen *s, int number);
void box_reset(screen *s);
void box_close(screen *s);
/* A key while a box is open. */
void box_key(screen *s, int key);
void screen_start_run(screen *s, bool solution, bool brief);

/* screen_find.c: mark the matches in a page that was just made; go to the next (BY: 1) or previous
 * one; end the search. */
void find_mark(screen *s);
bool find_active(const screen *s);
void find_step(screen *s, int by);
void find_end(screen *s);
/* Ask for a line of this KIND; a key while it is asked for; the words before it. */
void prompt_open(screen *s, int kind);
void prompt_key(screen *s, int key);
const char *prompt_words(const screen *s);

/* screen_predict.c: ask for the predictions that have no answer (with AGAIN: for all), and then run
 * the lab. False: there is none to ask for. */
bool predict_begin(screen *s, bool again);
/* Take what was typed; or leave the question out. Whether KEY may be part of a number: else it says
 * so. */
void predict_take(screen *s);
void predict_leave_out(screen *s);
bool predict_allows(screen *s, int key);
/* What the lesson shows where it asks for prediction I; to be freed. */
char *predict_mark(screen *s, const chapter *c, size_t i);

/* screen_quiz.c: ask the questions of the bank that are not settled, one by one; take what was
 * typed; leave the question out. */
void quiz_begin(screen *s);
void quiz_take(screen *s);
void quiz_leave_out(screen *s);
/* What the lesson shows below a question; to be freed. */
char *quiz_mark(screen *s, const chapter *c, const question *q);

/* screen_mouse.c: handling the mouse (KEY_MOUSE). */
void mouse_begin(void);
void mouse_key(screen *s, int unused);

/* screen_watch.c: run the lab whenever it is saved. */
void watch_look(screen *s);
/* The lab as it is now is no news: it need not run. */
void watch_settle(screen *s);
void watch_toggle(screen *s);
void watch_end(screen *s);
/* A key, or ERR where none comes in WAIT_MS or the lab is saved before. */
int watch_key(screen *s, int wait_ms);
/* What is known of a run that goes on, to be freed; NULL: nothing yet. */
char *watch_news(const attempt *a, style *how);

/* screen_counters.c: the counters tab. */
void counters_page(screen *s);

/* screen_margin.c: of a line of source, what its kernel's largest launch counted. */
typedef struct line_count {
    double requests, sectors; /* requests to and sectors of global and local memory */
    double conflicts;         /* bank conflicts of shared memory */
    double executed, lanes;   /* instructions, and lanes active in all of them */
    bool shared;              /* it accesses shared memory */
} line_count;
typedef struct code_margin {
    line_count *lines; /* by line number; all fields are 0 where nothing was counted */
    size_t count;
    bool outdated; /* the text is newer than the run */
} code_margin;
/* Read the counts for the lines of the text at PATH. */
void margin_read(code_margin *m, screen *s, const char *path, bool solution);
void margin_put(styled *t, const code_margin *m, size_t line);
void margin_free(code_margin *m);

/* screen_plot.c: draw pictures. */
void drawing_want(screen *s);
void drawing_pump(screen *s);
void drawing_drop(screen *s);

/* screen_access.c: show how the lab accesses memory, or of what is shown the next picture (BY: 1)
 * or the previous one. */
void accesses_open(screen *s, int by);
void accesses_page(screen *s);
void accesses_pump(screen *s);
/* Whether the lab runs for it. */
bool accesses_run(const screen *s);
/* The plot tab shows the pictures again. */
void accesses_drop(screen *s);

/* screen_edit.c: other programs with the terminal to themselves: the student's editor, and the walk
 * through the last run. */
void screen_edit_lab(screen *s);
void screen_walk_run(screen *s);
/* Step through a run of C's lab or SOLUTION with these inputs (NULL: any). A sentence, to be freed,
 * where that failed; NULL: it did not. */
char *screen_step(screen *s, const chapter *c, bool solution, const char *of_seed);

#endif
