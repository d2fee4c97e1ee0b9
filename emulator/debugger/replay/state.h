/* The internal state of a replay, shared by the files of this directory. */
#pragma once

#include "../../cudart/core/repeat.h"
#include "replay.h"

enum { MAX_WARNINGS = 32 }; /* maximum number of records `unsure` that the recorder writes */

/* An operation that has run, or an event that only has a time. */
typedef struct replay_op {
    rt_op op;          /* the operation of the emulated runtime */
    uint64_t counters; /* hash of the counters of a launch */
    uint64_t digest;   /* digest of the bytes that a copy returned to the host */
    bool named;        /* the replay owns op.name */
} replay_op;

/* A place in the recorded program's host code that called the API (calls.c). */
typedef struct replay_place replay_place;

struct replay {
    rec_reader *reader;   /* reader of the recording file */
    rec_start start;      /* first record of the file */
    char *texts;          /* memory of the strings that `start` points to */
    const rec_item *next; /* record that replay_repeat_next will repeat */
    rec_position at;      /* position of the record `next` */
    rec_position after;   /* position after the record being repeated */
    uint64_t launches;    /* the replay ends after this many launches; 0: it repeats all */
    bool ordered;         /* the race check also looks for races between operations (orders.c) */
    bool gpu;             /* the run was recorded on a GPU */
    uint64_t spare;       /* in a recording from a GPU: first address above all recorded ones */
    bool same_device; /* the recorded device profile is used, so times and counters are compared */
    rt_module **module; /* [modules + 1] loaded modules by number */
    uint64_t modules;   /* number of modules so far */
    replay_op **op;     /* [mask + 1] operations, hashed by number */
    uint64_t ops, mask; /* operations in the table; size of the table - 1 */
    rt_op **batch;      /* [batch_count] operations that get their times at the next `settle` */
    size_t batch_count;
    uint64_t open;    /* number of the launch repeated whose result has not been read; 0: none */
    uint8_t *scratch; /* the bytes that the last copy to the host returned */
    uint64_t scratch_size;     /* bytes of the scratch buffer */
    uint8_t *params;           /* buffer for the parameters of replay_describe_next_launch */
    char *doubt[MAX_WARNINGS]; /* the recorder's warnings that a replay may differ */
    unsigned warning_count;    /* number of entries in `doubt` */
    bool failed;               /* replay_set_error has been called */
    char error[1024];          /* message of replay_set_error */
    char difference[512];      /* message about the first difference from the recording */
    uint64_t differences;      /* number of differences from the recording */
    uint64_t compared;         /* number of comparisons */
    uint32_t range; /* range between cudaProfilerStart and cudaProfilerStop; 0: outside of all */
    bool passing;   /* replay_skip_next is running, so kernels of launches are skipped */
    replay_place *place[REC_MAX_PLACES]; /* places in host code, in the order of their records */
    uint64_t places;                     /* number of records `place` that have been repeated */
    san_caller call; /* the recorded call whose records are repeated; 0: not known */
};

bool replay_set_error(replay *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
void replay_report_difference(replay *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* replay_find_op: the operation NUMBER; NULL: it does not exist. replay_add_op: a new operation
 * NUMBER; NULL: the host is out of memory. */
replay_op *replay_find_op(const replay *r, uint64_t number);
replay_op *replay_add_op(replay *r, uint64_t number);

/* Continue the replay with the record at position AT. */

/* --- perform.c: each function repeats one record; false: replay_set_error has been called ----- */

bool repeat_record(replay *r, const rec_item *item);
/* Prepare launch X in L: check it and fetch its parameters. The caller frees the parameters. */
bool prepare_launch(replay *r, const rec_launch *x, rt_launch *l);

/* --- device_records.c: memory, modules, textures ---------------------------------------------- */

bool repeat_alloc_record(replay *r, const rec_alloc *x);
bool repeat_adopt_record(replay *r, const rec_adopt *x);
bool repeat_free_record(replay *r, const rec_free *x);
bool repeat_module_record(replay *r, const rec_module *x);
bool repeat_unload_record(replay *r, const rec_unload *x);
bool repeat_texture_record(replay *r, const rec_texture *x);
/* Store the bytes of DATA at ADDRESS. */
bool write_data_to_device(replay *r, uint64_t address, const rec_data *data);
/* Compare device memory with the digests of X. */
bool compare_memory_digests(replay *r, const rec_memory *x);

/* --- calls.c: the calls of the recorded program ----------------------------------------------- */

/* add_place_of_calls: note record X; false: the host is out of memory. begin_records_of_call: the
 * next records come from call X. */
bool add_place_of_calls(replay *r, const rec_place *x);
bool begin_records_of_call(replay *r, const rec_call *x);
void free_places_of_calls(replay *r);

/* orders.c: the order of operations, for the check of races between operations */

/* Read the operations' order, once the device is open, if the race check is on. */
bool read_order_of_operations(replay *r);
/* Copy the order of operation FROM to TO, the same operation when it is repeated once more. */
void copy_op_order(const rt_op *from, rt_op *to);
/* check_order_before_op: OP, issued by the runtime call named CALL, is about to run.
 * check_order_after_op: OP has run. */
void check_order_before_op(replay *r, rt_op *op, const char *call);
void check_order_after_op(replay *r, rt_op *op);
/* A stream's wait for a value has ended, as X says. */
void check_order_after_value_wait(replay *r, const rec_met *x);
void free_op_order(rt_op *op);
