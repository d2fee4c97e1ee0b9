/* The student's progress, stored in state.json in .warpbook/ (or $WARPBOOK_STATE). A change locks
 * the state, reads the file, writes a new file and renames it over the old one, so it stays intact
 * if the program is killed or two run at once. An unusable file is kept under another name. */
#pragma once

#include "../book/chapter.h"
#include "verdict.h"

#define STATE_VERSION 1 /* version of the format of state.json */

/* How far the student is with a lab: not tried yet, tried, passed. */
typedef enum lab_progress { PROGRESS_NEW, PROGRESS_FAIL, PROGRESS_PASS } lab_progress;

typedef struct saved_state {
    const char *dir; /* directory of state.json, the file with the student's progress */
    char *path;      /* path of state.json */
    void *root;      /* a json_t: content of state.json when it was last read */
    char *warning;   /* a sentence to be shown once, or NULL */
    bool read_only;  /* the state file could not be written, and a warning said so */
    unsigned long long
        file_version_read; /* identifies the version of the file that `root` was read from */
} saved_state;

/* Read the state file. Never fails: `warning` says what went wrong. */
void state_open(saved_state *s, const installation *h);
void state_close(saved_state *s);
/* Read the state file again if another program has changed it; return true if so. */
bool state_refresh(saved_state *s);
/* Return the pending warning and clear it; the caller frees the text. NULL: no warning. */
char *state_take_warning(saved_state *s);

/* The progress of the student's lab. A lab that has passed stays so, even if later runs fail. */
lab_progress state_progress(const saved_state *s, const chapter *c);
/* The kept JSON object of chapter C, also one that was kept under another number; borrowed; NULL:
 * there is none. */
struct json_t *state_chapter_entry(const saved_state *s, const chapter *c);

/* The chapter that had NUMBER when the student last worked on it, or NULL. */
const chapter *state_numbered_before(const saved_state *s, const book *b, int number);

bool state_ever_passed(const saved_state *s, const chapter *c);
/* A sentence about the last run, or NULL. Valid until the state changes. */
const char *state_last_reason(const saved_state *s, const chapter *c);
/* The verdict of the last run; meaningful only if state_last_reason is not NULL. */
verdict_kind state_last_verdict(const saved_state *s, const chapter *c);
void state_set_result(saved_state *s, const chapter *c, const verdict *v);

/* Take ENTRY for what is kept of chapter C, which another process could not write. */
void state_take_entry(saved_state *s, const chapter *c, struct json_t *entry);

/* The number of hints of TODO region `todo` that were shown. */
size_t state_shown_hint_count(const saved_state *s, const chapter *c, int todo);
void state_set_shown_hint_count(saved_state *s, const chapter *c, int todo, size_t shown);

bool state_get_prediction(const saved_state *s, const chapter *c, const prediction *p,
                          double *said);
void state_set_prediction(saved_state *s, const chapter *c, const prediction *p, double said);
/* The student's own sentence on why prediction P was wrong, "" if none was wanted; NULL: not asked
 * yet. Another predicted value forgets it. Valid until the state changes. */
const char *state_prediction_why(const saved_state *s, const chapter *c, const prediction *p);
void state_set_prediction_why(saved_state *s, const chapter *c, const prediction *p,
                              const char *said);

/* The student's own sentence on why the choice broke the kernel of exercise C; NULL: none yet.
 * Valid until the state changes. */
const char *state_why(const saved_state *s, const chapter *c);
void state_set_why(saved_state *s, const chapter *c, const char *said);

/* The last answer to a question of the chapter's quiz. */
typedef struct quiz_answer {
    const char *said; /* text of the answer, valid until the state changes; NULL: none was given */
    int tries;        /* number of answers given; none are counted after a right one */
    bool right;       /* `said` is right */
} quiz_answer;
quiz_answer state_last_answer(const saved_state *s, const chapter *c, int number);
void state_add_answer(saved_state *s, const chapter *c, int number, const char *said, bool right);

/* Where the student stopped reading. */
typedef struct reading_place {
    const char *chapter; /* name of the chapter, valid until the state changes; NULL: not known */
    int tab;             /* tab of the screen */
    int thousandths;     /* first visible line of the tab, in thousandths of its text */
} reading_place;
reading_place state_reading_place(const saved_state *s);
void state_set_reading_place(saved_state *s, const reading_place *p);

/* The device last chosen on the screen: "auto", "emulator" or "gpu". NULL: none chosen yet. */
const char *state_chosen_device(const saved_state *s);
void state_set_chosen_device(saved_state *s, const char *device);

/* Delete the chapter's results, but not its hints and predictions. Used when a lab is reset. */
void state_forget_result(saved_state *s, const chapter *c);
