/* A replay, for the files of this folder. */
#ifndef WARPBOOK_REPLAY_STATE_H
#define WARPBOOK_REPLAY_STATE_H

#include "../../cudart/core/repeat.h"
#include "replay.h"

enum { REPLAY_DOUBTS = 32 }; /* the recorder writes no more */

/* An operation that has run, or that only the time line knows. */
typedef struct replay_op {
    rt_op op;
    uint64_t counters, digest;
    bool named; /* op.name is owned */
} replay_op;

struct replay {
    rec_reader *reader;
    rec_start start;
    char *texts; /* of start */
    const rec_item *next;
    rec_place at; /* of `next`; and after it */
    rec_place after;
    bool ordered;       /* orders_read: races between operations are looked for */
    bool gpu;           /* recorded on one */
    uint64_t spare;     /* of a GPU's recording: addresses from here on are never recorded */
    bool same_device;   /* the recorded profile: times and counters are compared */
    rt_module **module; /* [modules + 1] */
    uint64_t modules;
    replay_op **op; /* by number, hashed: [mask + 1] */
    uint64_t ops, mask;
    rt_op **batch; /* `timed` since the last `settle` */
    size_t batch_count, batch_room;
    uint64_t open;    /* the launch that was repeated and whose result has not come; 0: none */
    uint8_t *scratch; /* what the last copy to the host returned */
    uint64_t scratch_size;
    uint8_t *params;            /* of replay_launch */
    char *doubt[REPLAY_DOUBTS]; /* sentences of records `unsure` */
    unsigned doubts;
    bool failed;
    char error[1024];
    char difference[512];
    uint64_t differences, compared;
    bool passing;     /* launches do not run: replay_pass */
    uint64_t changes; /* of which memory and modules there are */
};

bool replay_fail(replay *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
void replay_differ(replay *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The operation of that number, NULL: none; a new one, NULL: the host is out of memory. */
replay_op *replay_find(const replay *r, uint64_t number);
replay_op *replay_add(replay *r, uint64_t number);

/* Go on with the record at AT. */
void replay_place(replay *r, rec_place at);

/* --- perform.c: each repeats one record; false: replay_fail has been called --------------------
 */

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

/* --- orders.c: which operations come before which, where races between them are looked for ------
 */

/* Read it from the recording, once the device is open, if the kind race is looked for. */
bool orders_read(replay *r);
/* OP, repeated once more, keeps what is known of FROM. */
void orders_again(const rt_op *from, rt_op *to);
/* OP, issued by a call of that name, is about to run; has run. */
void orders_begin(replay *r, rt_op *op, const char *call);
void orders_done(replay *r, rt_op *op);
void orders_drop(rt_op *op);

#endif
