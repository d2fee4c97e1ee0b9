/* What the workbook remembers: state.json in .warpbook/ (or $WARPBOOK_STATE). Every change is read,
 * made and written under a lock, beside and renamed, so that a kill at any moment and two programs
 * at once leave a whole file. A file that cannot be used is kept aside under another name. */
#ifndef WARPBOOK_STATE_H
#define WARPBOOK_STATE_H

#include "../book/chapter.h"
#include "verdict.h"

#define STATE_VERSION 1

typedef enum progress { PROGRESS_NEW, PROGRESS_FAIL, PROGRESS_PASS } progress;

typedef struct state {
    const char *dir;
    char *path;
    void *root;              /* json_t: what the file held at the last look */
    char *warning;           /* a sentence to be shown once, or NULL */
    bool read_only;          /* it could not be written; reported once */
    unsigned long long seen; /* identifies the version of the file that `root` was read from */
} state;

/* Never fails: what went wrong is in WARNING. */
void state_open(state *s, const house *h);
void state_close(state *s);
/* Read the file anew if another program has written it; true where it has. */
bool state_refresh(state *s);
/* The warning, to be freed, and forget it; NULL: none. */
char *state_take_warning(state *s);

/* The progress of the student's lab. What has passed once stays passed, whatever was tried
 * afterwards. */
progress state_progress(const state *s, const chapter *c);
bool state_ever_passed(const state *s, const chapter *c);
/* A sentence about the last run, or NULL. Valid until the state changes. */
const char *state_reason(const state *s, const chapter *c);
/* What the last run came to; meaningful where state_reason is not NULL. */
verdict_kind state_kind(const state *s, const chapter *c);
void state_set_result(state *s, const chapter *c, const verdict *v);

/* How many hints of a TODO were shown. */
size_t state_hints(const state *s, const chapter *c, int todo);
void state_set_hints(state *s, const chapter *c, int todo, size_t shown);

bool state_prediction(const state *s, const chapter *c, const prediction *p, double *said);
void state_set_prediction(state *s, const chapter *c, const prediction *p, double said);

/* The last answer to question NUMBER of the chapter's bank. */
typedef struct answered {
    const char *said; /* valid until the state changes; NULL: none was given */
    int tries;        /* number of tries until an answer was right */
    bool right;       /* SAID is, or an answer before it was */
} answered;
answered state_answered(const state *s, const chapter *c, int number);
void state_note_answer(state *s, const chapter *c, int number, const char *said, bool right);

/* "auto", "emulator" or "gpu": the screen's last choice. NULL: none yet. */
const char *state_device(const state *s);
void state_set_device(state *s, const char *device);

/* Forget what is known of the chapter's results (not hints, not predictions): after a reset. */
void state_forget_result(state *s, const chapter *c);

#endif
