/* State and functions shared by the files of the full-screen interface (runner/screen). */
#pragma once

#include "../base/coprocess.h"
#include "../base/json.h"
#include "../base/saved.h"
#include "../book/page.h"
#include "../book/quiz.h"
#include "../judge/desk.h"
#include "../show/plot.h"
#include "../term/graphics.h"
#include "../term/paint.h"
#include "../term/terminal.h"

enum {
    SCREEN_WIDE_COLUMNS = 110, /* from this width on, Enter keeps the list of chapters visible */
    SCREEN_FULL_TITLES = 140,  /* from this width on, the list shows whole chapter titles */
    SCREEN_SPLIT_PANE = 150,   /* from this width on, a pane shows code and output side by side */
    SCREEN_SPLIT_OUTPUT = 60,  /* columns of the output next to the code */
    SCREEN_TEXT_COLUMNS = 96   /* longest line of prose, because longer ones are hard to read */
};

/* The tabs of a chapter on the screen. */
typedef enum screen_tab {
    TAB_LESSON,   /* text of the lesson */
    TAB_CODE,     /* source code of the lab or the solution */
    TAB_OUTPUT,   /* verdict and output of the lab's last run */
    TAB_COUNTERS, /* counters of the last run's kernels */
    TAB_PLOT,     /* plots of the last run's measurements */
    TAB_BOOK,     /* a page of the whole book: words, tutorial, results; shown while it is open */
    TAB_COUNT     /* number of tabs */
} screen_tab;

/* What the screen knows of a run; the pages about it are made by warpbook-runs. */
typedef struct run_summary {
    arena memory;
    verdict_kind kind;
    const char *reason;      /* the verdict in one sentence */
    const char *seed;        /* seed of the lab's random inputs; NULL: not recorded */
    prediction_row *guesses; /* [guess_count] predicted values, without their names */
    size_t guess_count;      /* number of predictions */
} run_summary;

/* The screen's data about one chapter. */
typedef struct chapter_view {
    run_summary v;              /* result of the lab's last run */
    bool has_verdict, recalled; /* `v` is valid; results of earlier runs were looked for */
    bool of_solution, brief; /* the run of `v` ran the solution; was a check, with a brief result */
    size_t top[TAB_COUNT], left[TAB_COUNT]; /* first visible line and column of each tab */
    bool show_solution;                     /* the code tab shows the solution */
    bool more;  /* show the folded counters and the code margin (key m) */
    bool asked; /* the student was asked for the predictions in this session */
    /* If these three differ from the present files, another program has run the lab again. */
    char *record;                   /* path of the lab's record, its table of results */
    char *reason_seen;              /* reason of the verdict, as last read from the state file */
    unsigned long long record_seen; /* number that identifies the version of the file `record` that
                                       was last read */
} chapter_view;

/* What the open box shows: nothing (none is open), keys, hints, the question before a reset. */
typedef enum box_kind { BOX_NONE, BOX_HELP, BOX_HINT, BOX_RESET } box_kind;

/* A picture of the plot tab as an image, over blank lines of its page. */
typedef struct plot_image {
    size_t line;   /* line of the plot tab's text at which the image begins */
    int rows;      /* rows of the screen that the image takes */
    char *bytes;   /* escape sequences that draw the image at the cursor; NULL: not made yet */
    size_t length; /* length of `bytes` */
} plot_image;
enum { PLOT_MAX_IMAGES = 4 }; /* images of a chapter's plots, at most */

/* Pictures being drawn for the plot tab, one job at a time. */
typedef struct plot_drawing {
    job *j;
    build_target t;
    size_t picture;    /* index of the picture being drawn */
    int format;        /* format in which the picture is being drawn: 0 text, 1 png, 2 svg */
    page page;         /* pictures finished so far, drawn as text */
    char *error;       /* a sentence that says why no picture could be drawn; NULL: none failed */
    bool done, wanted; /* all pictures are drawn; the plot tab is open and needs them */
    int width, height; /* size for pictures, in characters */
    const chapter *c;  /* chapter to which the pictures belong; NULL: no pictures */
    plot_image images[PLOT_MAX_IMAGES]; /* pictures as images, if the terminal shows them */
    size_t image_count;                 /* entries used in `images` */
} plot_drawing;

/* Views of the lab's memory accesses, in the plot tab instead of the plots (screen_access.c). */
typedef struct access_view access_view;

enum { MAX_MATCHES = 1000 }; /* matches of a text search that are kept, at most */
typedef struct match_position {
    size_t line, byte; /* line of the page, and byte in the line */
} match_position;
typedef struct text_search {
    char text[80]; /* text that is searched for; "": no search */
    bool fresh;    /* the search has just begun: no match of `text` was shown yet */
    match_position at[MAX_MATCHES];
    size_t count, current; /* number of matches; index of the match that is shown */
} text_search;

/* Words of the glossary, looked up one after another. */
typedef struct linked_words {
    arena memory;
    const char **anchors; /* [count] where the glossary explains them */
    size_t count, current;
    bool fresh; /* the current one was not scrolled to yet */
} linked_words;

/* The purpose of the text typed in the line above the keys. */
typedef enum prompt_kind {
    PROMPT_NONE,    /* no text is being typed */
    PROMPT_FIND,    /* text to find in the page */
    PROMPT_CHAPTER, /* number or name of a chapter */
    PROMPT_NUMBER,  /* number that answers a prediction */
    PROMPT_ANSWER,  /* answer to a quiz question */
    PROMPT_WHY      /* sentence on why a prediction was wrong */
} prompt_kind;
typedef struct prompt {
    prompt_kind kind; /* what the student is asked to type */
    char text[320];
    size_t len; /* length of `text` in bytes */
} prompt;

enum {
    SCREEN_LIST_Y = 2, /* screen row at which the list of chapters begins */
    SCREEN_PANE_Y = 3, /* screen row at which the text of a tab begins */
};

#define LISTED_PART (SIZE_MAX / 2 + 1) /* a row of the list that is the heading of a part */

/* The lab file that is watched, to run the lab when the file is saved. */
typedef struct lab_watch {
    file_watch lab; /* watches the file of the lab */
    size_t chapter; /* index of the chapter whose lab is watched */
    bool off;       /* the w key has switched off running the lab when it is saved */
    bool due;       /* the lab's file was saved, and the lab has not run since */
} lab_watch;

/* The build and run of a lab in progress. */
typedef struct lab_run {
    bool active;          /* a lab is built or runs */
    size_t chapter;       /* index of the chapter whose lab it is */
    bool solution, brief; /* it runs the solution; it is a check, with a brief result */
    json_int_t number;    /* of all runs; what is said about another one is too late */
    double start;         /* time of the start, by monotonic_s */
    double end_by;        /* time at which a cancelled run must have ended; 0: not cancelled */
    json_t *news;         /* what was said last about it; NULL: nothing yet */
    json_t *result;       /* how it ended; NULL: it has not */
} lab_run;

typedef struct screen {
    session *d;
    int rows, columns;
    bool quit, zoom;       /* end the program; the text takes the whole width */
    bool on_pane;          /* arrow keys scroll the text, and do not move in the list of chapters */
    bool gpu;              /* runs use a GPU instead of the emulator */
    const char *no_device; /* a sentence that says why no lab can be run, or NULL */
    size_t chosen, list_top; /* index of the chosen chapter; first visible entry of `listed` */
    bool open_only;          /* the list leaves out chapters that have passed */
    size_t *listed; /* rows of the list: the index of a chapter, or LISTED_PART + that of a part's
                       first listed chapter; list_rows of them are visible, from list_top on */
    size_t listed_count;  /* number of rows in the list */
    int list_rows;        /* rows of the screen for the list of chapters */
    screen_tab tab;       /* the tab that is shown */
    chapter_view *views;  /* one view per chapter */
    coprocess *runs;      /* warpbook-runs, which runs the labs; NULL: it is not running */
    char *runs_error;     /* why it does not answer, in a sentence; NULL: it does */
    unsigned runs_starts; /* how often it was started since a key was pressed */
    lab_run run;
    plot_drawing drawing;  /* plots of the chosen chapter, shown or being drawn */
    graphics graphics;     /* how the terminal shows images; GRAPHICS_AUTO: that is not known yet */
    bool graphics_asked;   /* the terminal was asked, and has not answered */
    uint64_t image_state;  /* hash of the terminal's images and their positions; 0: none is shown */
    access_view *accesses; /* pictures of memory accesses, shown in the plot tab; NULL: none */
    page page;             /* contents of the chosen tab */
    page beside;           /* where code and output stand side by side, contents of the other */
    bool dirty;            /* the contents of the tab have changed: `page` must be made again */
    box_kind box;          /* what the open dialog box shows; BOX_NONE: none is open */
    page box_page;         /* text of the dialog box */
    const char *box_title; /* title of the dialog box */
    size_t box_top;        /* first visible line of the dialog box */
    size_t book_page;      /* the page of the whole book in its tab: an index for book_page_title */
    screen_tab book_from;  /* the tab that was open before it */
    linked_words words;    /* the words that the visible part of the lesson linked to */
    text_search find;      /* the search for a text in the chosen tab */
    prompt prompt;
    int hinted;             /* number of the TODO whose hints are in the box */
    size_t asking;          /* index of the prediction that the student is asked for, or about */
    bool ask_again;         /* the student pressed P to predict: the lab does not run afterwards */
    int answering;          /* number of the quiz question being answered */
    screen_message message; /* above the keys */
    int spin;               /* animation step of the busy indicator */
    lab_watch watch;        /* watches the lab's file, to run the lab when it is saved */
} screen;

/* The chosen chapter and its view; NULL in a book without chapters. */
static inline chapter *screen_chapter(screen *s)
{
    return s->d->book.count ? &s->d->book.chapters[s->chosen] : NULL;
}

static inline chapter_view *screen_view(screen *s)
{
    return &s->views[s->chosen];
}

/* The pane's text area: first column, width and height. */
int screen_pane_left(const screen *s);
int screen_pane_width(const screen *s);
/* True: the pane shows the code, and to its right the output. */
bool screen_is_split(const screen *s);
int screen_pane_height(const screen *s);
/* The columns that prose is wrapped to. */
size_t screen_text_columns(const screen *s);

/* screen_view.c: show the stored results of an earlier run, as if the run had just ended. */
void view_load_last_verdict(screen *s);
/* screen_view.c: forget the results shown, if another program has run the lab again. */
void view_forget_outdated_verdict(screen *s);
/* screen_view.c: forget the results shown, but not which version of the record they came from. */
void view_forget_verdict(chapter_view *v);
void view_update_record(screen *s, chapter_view *v);
void view_free(chapter_view *v);
/* screen_view.c: the line of the lab that the compiler refused in the last run; 0: none. */
int view_refused_line(const chapter_view *v);

/* screen_draw.c: draw everything: the title bar, the list of chapters, the tab, the bottom line. */
void screen_draw(screen *s);

/* The tab at column X of the row of tabs, or -1; the key whose word is at column X of the bottom
 * line, or NULL. */
int screen_tab_at(const screen *s, int x);
const struct key_row *screen_bar_key(const screen *s, int x);

/* screen_pages.c: make s->page for the chosen tab, if the page is out of date. */
void screen_refresh_page(screen *s);

/* A key of the screen: a row of keys.def. */
typedef struct key_row {
    const char *name; /* the key's name in the help */
    int codes[2];     /* two key codes with the same action; the second may be 0 */
    void (*call)(screen *s);
    void (*handler)(screen *s, int argument); /* if `call` is NULL */
    int argument;                             /* second argument of `handler` */
    const char *bar;                          /* word in the bottom line, or NULL */
    const char *help; /* line in the help; KEY_HELP_ABOVE: that of the row above; NULL: none */
} key_row;

#define KEY_HELP_ABOVE "" /* help of a key whose help stands in the row above */

/* screen_keys.c: the table of keys. */
extern const key_row screen_keys[];   /* [screen_key_count] the keys, in the order of the help */
extern const size_t screen_key_count; /* number of keys */
/* What the bottom line of a wide terminal adds for some tabs: a row BAR of keys.def. */
typedef struct bar_word {
    int code;         /* code of the key */
    unsigned tabs;    /* bit t: shown in tab t */
    const char *word; /* what the key does there */
} bar_word;
extern const bar_word screen_bar_words[]; /* [screen_bar_word_count] */
extern const size_t screen_bar_word_count;
void screen_handle_key(screen *s, int key);
void screen_choose_chapter(screen *s, size_t chapter);
/* Choose the next chapter in the list (BY: 1) or the previous one (BY: -1). */
void screen_choose_next(screen *s, int by);
/* Number of chapters among the first ROWS rows of the list. */
size_t screen_count_listed(const screen *s, size_t rows);
void screen_show_tab(screen *s, screen_tab t);
void screen_scroll(screen *s, long lines);
/* Fill s->listed with the indices of the chapters to show in the list. */
void screen_list_chapters(screen *s);
void screen_show_attempt_result(screen *s);

/* screen_box.c: boxes with help, hints or a question, drawn over the pane. */
void box_show_help(screen *s);
/* Show the next hint. If NUMBER is not 0, show the hints of TODO NUMBER that were shown before, or
 * its first hint. */
void box_show_hint(screen *s, int number);
void box_ask_reset(screen *s);
void box_close(screen *s);
/* Handle a key while a box is open. */
void box_handle_key(screen *s, int key);
void screen_start_run(screen *s, bool solution, bool brief);

/* screen_book.c: pages of the whole book, besides the chapters: words, tutorial, results. */
extern const size_t book_page_count;
const char *book_page_title(size_t i);
void make_book_page(screen *s);
/*  Add the text of the lesson of chapter I, or of page I - chapters of the whole book, to P. False:
 * there is none. */
bool book_add_text(screen *s, size_t i, page *p);
/* Open the glossary at the first word linked in the lesson; in the glossary, at the next. */
void book_show_word(screen *s);
/* Open the glossary at the word at row Y and column X of the lesson. False: no linked word. */
bool book_click_word(screen *s, int y, int x);
void book_open_page(screen *s, size_t i);
/* Go back to the tab from which the page was opened. */
void book_close_page(screen *s);

/* screen_find.c: mark_found_text marks the matches in a new page, go_to_match goes to the next (BY:
 * 1) or previous match, end_search ends the search. */
void mark_found_text(screen *s);
bool is_search_active(const screen *s);
void go_to_match(screen *s, int by);
void end_search(screen *s);
/* prompt_open asks for a line of text of this KIND, prompt_handle_key handles a key while the
 * student types, prompt_label is the label before the text. */
void prompt_open(screen *s, int kind);
void prompt_handle_key(screen *s, int key);
const char *prompt_label(const screen *s);
/* True: the line is typed into the page, below its question, and not in the bottom line. */
bool prompt_has_field(const screen *s);
/* Scroll the page until the field of the question being asked is visible, below its question. */
void prompt_scroll_to_field(screen *s);
#define PROMPT_FIELD "▸ Your " /* beginning of the line in which the student types */

/* screen_predict.c: ask for the predictions that have no answer (with AGAIN: for all), and then run
 * the lab. False: no prediction to ask for. */
bool predict_begin(screen *s, bool again);
/* predict_accept_number accepts the typed number, predict_skip_question skips the question, or ALL
 * that follow too. predict_accepts_key returns true if KEY may be part of a number, and shows a
 * message if not. */
void predict_accept_number(screen *s);
void predict_skip_question(screen *s, bool all);
bool predict_accepts_key(screen *s, int key);
/* After a run, predict_ask_why asks why its first unexplained prediction was wrong.
 * predict_accept_why keeps the typed sentence, or none for this prediction (or ALL that follow
 * too); then the output shows the book's. */
void predict_ask_why(screen *s);
void predict_accept_why(screen *s);
void predict_skip_why(screen *s, bool all);
/* The line that the lesson shows at prediction I; the caller frees it. */
char *prediction_line_text(screen *s, const chapter *c, size_t i);

/* screen_quiz.c: quiz_begin asks the unsettled quiz questions one by one, quiz_accept_answer
 * accepts the typed answer, quiz_skip_question skips the question, or ALL that follow too.
 * quiz_accepts_key returns true if KEY may be part of an answer, and shows a message if not. */
void quiz_begin(screen *s);
void quiz_accept_answer(screen *s);
void quiz_skip_question(screen *s, bool all);
bool quiz_accepts_key(screen *s, int key);
/* The line that the lesson shows below a question; the caller frees it. */
char *quiz_line_text(screen *s, const chapter *c, const question *q);

/* screen_mouse.c: set up the mouse, and handle its events (KEY_MOUSE). */
void mouse_init(void);
void mouse_handle_event(screen *s);

/* screen_watch.c: run the lab whenever it is saved. */
void watch_check_lab(screen *s);
/* Accept the lab's current text as seen, so that it does not start a run. */
void watch_accept_saved(screen *s);
void watch_toggle(screen *s);
void watch_stop(screen *s);
/* Wait for a key and return it. ERR: no key within WAIT_MS, or the lab was saved before. */
int watch_wait_for_key(screen *s, int wait_ms);

/* screen_runs.c: runs labs, and asks about their runs, by the program warpbook-runs. If that ends,
 * a sentence is shown, and the next question starts it again; if it ends twice, the next key. */
/* Start to run the chosen chapter's lab, or its solution. False: s->runs_error says why not. */
bool runs_start(screen *s, bool solution, bool brief);
/* Read what is said about the run in progress; when it has ended, show its result. */
void runs_poll(screen *s);
/* Cancel the run: its result will say so. */
void runs_cancel(screen *s);
/* End the run without a result. */
void runs_stop(screen *s);
/* End the program that runs the labs. */
void runs_end(screen *s);
/* Ask REQUEST, to which the chosen chapter and the device are added, and wait for the answer, which
 * the caller releases. NULL: s->runs_error says why there is none. */
json_t *runs_ask(screen *s, json_t *request);
/* Add the page that is the answer to REQUEST, or a sentence on why there is none. */
void runs_add_page(screen *s, json_t *request);
/* Read a result of runs_ask about a run into V. */
void runs_read_summary(chapter_view *v, const json_t *view);
/* The file descriptor to poll for what is said, or -1. */
int runs_output_fd(const screen *s);
/* What the last news of the run say of KEY; NULL: nothing. */
const char *runs_news(const screen *s, const char *key);
/* Text about the progress of the run; the caller frees it. NULL: no progress yet. */
char *progress_text(const screen *s, style *how);

/* screen_margin.c: the counters of a source line in the largest launch of its kernel. */
typedef struct line_count {
    double requests;        /* requests to global and local memory */
    double sectors;         /* 32-byte sectors that these requests moved */
    double conflicts;       /* bank conflicts of shared memory */
    double executed, lanes; /* instructions executed by warps; sum of the lanes active in each */
    bool shared;            /* the line accesses shared memory */
} line_count;
typedef struct code_margin {
    line_count *lines; /* counters by source line; all 0 if nothing was counted */
    size_t count;
    bool outdated; /* the lab's text is newer than the run */
    int refused;   /* the line that the compiler refused, if the text is still the same; else 0 */
} code_margin;
/* Read the counts for the lines of the text at PATH. */
void margin_read(code_margin *m, screen *s, const char *path, bool solution);
/* Append to P the line that names the columns of the counters next to the code. */
void margin_append_heading(page *p, size_t columns);
void margin_append(styled *t, const code_margin *m, size_t line);
void margin_free(code_margin *m);

/* screen_image.c: plots as images, in a terminal that shows them. images_ask_terminal asks
 * the terminal how, without waiting; images_handle_key filters the answer out of the typed keys: it
 * returns KEY, or ERR for a part of the answer.
 */
void images_ask_terminal(screen *s);
int images_handle_key(screen *s, int key);
/* Adjust the size in characters for plot_start, which assumes a fixed size of a character, so that
 * the image fills WIDTH x HEIGHT characters of this terminal. */
void images_scale(const screen *s, int *width, int *height);
/* images_reserve adds an image of ROWS lines to the plot tab; images_set_sixels and images_set_png
 * set its contents: sixel escape sequences, or the PNG file PATH. */
void images_reserve(screen *s, int rows);
void images_set_sixels(screen *s, const char *bytes);
void images_set_png(screen *s, const char *path);
/* images_hide, called before curses draws, removes images that are no longer visible; images_show,
 * called afterwards, draws the visible ones. */
void images_hide(screen *s);
void images_show(screen *s);
void images_drop(plot_drawing *d);

/* screen_plot.c: draw the plots of the chosen chapter. */
void drawing_start(screen *s);
void drawing_poll(screen *s);
void drawing_discard(screen *s);

/* screen_access.c: show how the lab accesses memory; if shown already, go to the next picture (BY:
 * 1) or the previous one. */
void access_view_open(screen *s, int by);
void make_accesses_page(screen *s);
void access_view_poll(screen *s);
/* Return true while the lab runs to record its memory accesses. */
bool is_access_run_active(const screen *s);
/* Close the views of memory accesses: the plot tab shows the plots again. */
void access_view_close(screen *s);

/* screen_edit.c: run other programs that take over the terminal: the student's editor, and the
 * stepper through the last run. */
void screen_edit_lab(screen *s);
/* The same for the chapter's kernel to break, whose choice is then judged. */
void screen_break_kernel(screen *s);
void screen_step_last_run(screen *s);
