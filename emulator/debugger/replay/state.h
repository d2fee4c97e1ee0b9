/* A replay, for the files of this folder. */
#ifndef WARPBOOK_REPLAY_STATE_H
#define WARPBOOK_REPLAY_STATE_H

#include "../../cudart/core/repeat.h"
#include "replay.h"

enum { REPLAY_DOUBTS = 32 }; /* the recorder writes no more records `unsure` than this */

/* An operation that has run, or that only the time line knows. */
typedef struct replay_op {
    rt_op op;
    uint64_t counters, digest;
    bool named; /* the replay owns op.name */
} replay_op;

struct replay {
    rec_reader *reader;
    rec_start start;
    char *texts; /* texts of the record `start` */
    const rec_item *next;
    rec_place at; /* place of the record `next`, and of the one after it */
    rec_place after;
    bool ordered;     /* races between operations are looked for: orders.c */
    bool gpu;         /* the run was recorded on a GPU */
    uint64_t spare;   /* in a GPU's recording no recorded address lies above this one */
    bool same_device; /* the recorded device profile is used, so times and counters are compared */
    rt_module **module; /* [modules + 1] */
    uint64_t modules;
    replay_op **op; /* [mask + 1] operations, hashed by number */
    uint64_t ops, mask;
    rt_op **batch; /* records `timed` since the last `settle` */
    size_t batch_count, batch_room;
    uint64_t open; /* number of the launch that was repeated and whose result has not been read yet;
                      0: none */
    uint8_t *scratch; /* what the last copy to the host returned */
    uint64_t scratch_size;
    uint8_t *params;            /* buffer for the parameters of replay_launch */
    char *doubt[REPLAY_DOUBTS]; /* sentences of the records `unsure` */
    unsigned doubts;
    bool failed;
    char error[1024];
    char difference[512];
    uint64_t differences, compared;
    bool passing;     /* launches are skipped: replay_skip_next */
    uint64_t changes; /* number of changes to the set of allocations and modules */
};

bool replay_fail(replay *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
void replay_differ(replay *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The operation of that number, NULL: none; a new one, NULL: the host is out of memory. */
replay_op *replay_find(const replay *r, uint64_t number);
replay_op *replay_add(replay *r, uint64_t number);

/* Go on with the record at AT. */
void replay_set_place(replay *r, rec_place at);

/* --- perform.c: each function repeats one record; false: replay_fail has been called ---------- */

bool perform(replay *r, const rec_item *item);
/* The launch of X: checked, with its parameters. The caller owns these. */
bool perform_prepare(replay *r, const rec_launch *x, rt_launch *l);

/* --- device.c: memory, modules, textures --------------------------------------------------------
 */

bool device_alloc(replay *r, const rec_alloc *x);
bool device_adopt(replay *r, const rec_adopt *x);
bool device_free(replay *r, const rec_free *x);
bool device_module(replay *r, const rec_module *x);
bool device_unload(replay *r, const rec_unload *x);
bool device_texture(replay *r, const rec_texture *x);
/* Store the bytes of DATA at ADDRESS. */
bool device_write(replay *r, uint64_t address, const rec_data *data);
/* Compare device memory with the digests of X. */
bool device_compare(replay *r, const rec_memory *x);

/* orders.c: which operations come before which, if races between operations are looked for */

/* Read it from the recording, once the device is open, if the kind race is looked for. */
bool orders_read(replay *r);
/* OP, repeated once more, keeps what is known of FROM. */
void orders_again(const rt_op *from, rt_op *to);
/* OP, issued by a call of that name, is about to run; has run. */
void orders_begin(replay *r, rt_op *op, const char *call);
void orders_done(replay *r, rt_op *op);
void orders_drop(rt_op *op);

#endif
