/* Repeats a recording (debugger/recording) on the emulated device in this process. Memory contents
 * after every operation, counters and modelled times equal those of the recorded run. A process can
 * have one replay, in one thread, since the emulated device belongs to the process.
 *
 * A program calls replay_open, then replay_repeat_next until it returns REPLAY_END. The step engine
 * stops before a launch (replay_next_record, replay_describe_next_launch) and observes it
 * (replay_add_observer). Device addresses equal those of the recorded program. */
#pragma once

#include "../../core/observer.h"
#include "../../core/sm.h"
#include "../recording/recording.h"

typedef struct replay replay;

typedef struct replay_options {
    const char *profile; /* device profile instead of the recorded one; NULL: the recorded one */
    bool counted; /* count memory accesses also if the run was recorded with WARPBOOK_COUNTING=0 */
    bool races_between_ops; /* let the race check also look for races between operations */
    uint64_t launches;      /* end after this many launches; 0: repeat all */
    rec_bounds most;        /* upper limits on what the recording may use; 0: the default */
} replay_options;

/* Open a recording, check all of it, and open the device. On failure returns NULL with a message in
 * ERR: the recording is damaged, truncated, too new, not a recording, or cannot be repeated here.
 * The emulator's WARPBOOK_* variables apply, so set them before this call. */
replay *replay_open(const char *path, const replay_options *o, char *err, size_t cap);
void replay_close(replay *r);

/* Whether replay_open failed because an address of the recording is in use in this process. Process
 * addresses are random, so the address may be free in another process. */
bool replay_address_was_taken(void);
/* Restart this program with ARGV, to get other random addresses; at most eight times. */
void replay_restart_process(char **argv);
/* How often replay_restart_process has restarted this program. */
int replay_restart_count(void);

typedef enum replay_result {
    REPLAY_DONE,  /* one record has been repeated */
    REPLAY_END,   /* the recording has no further record */
    REPLAY_FAILED /* replay_error says why; the replay cannot go on */
} replay_result;

/* The record that replay_repeat_next will repeat; NULL at the end of the recording. Valid until the
 * next call of a function of this header. REC_launch, REC_copy, REC_fill and REC_write are
 * operations; a record `result` follows each. */
const rec_item *replay_next_record(replay *r);
/* Repeat the record of replay_next_record. A launch runs to its end within this call. */
replay_result replay_repeat_next(replay *r);
/* Like replay_repeat_next, but the kernel of a launch does not run, so memory stays unchanged. */
replay_result replay_skip_next(replay *r);
const char *replay_error(const replay *r);

/* Look at later records without repeating anything. replay_position: where the next record is.
 * replay_look_further makes the record after it the next one. replay_look_back returns to a
 * position from which only replay_look_further was called. */
rec_position replay_position(const replay *r);
void replay_look_further(replay *r);
void replay_look_back(replay *r, rec_position at);

/* replay_first_difference: a message about the first difference from the recorded run, or NULL.
 * replay_difference_count: the number of differences. */
const char *replay_first_difference(const replay *r);
uint64_t replay_difference_count(const replay *r);
/* The number of results, digests and times that have been compared with the recording so far. */
uint64_t replay_compared_count(const replay *r);

/* The launch that replay_repeat_next will run. Its pointers are borrowed and valid while the module
 * is loaded; params only until the next call. */
typedef struct replay_kernel {
    uint64_t
        number; /* number of the launch in the order of issue, from 0, as in WARPBOOK_COUNTERS */
    uint64_t stream;                        /* identifier of the stream; 0: the default stream */
    const char *name;                       /* name of the kernel, demangled, without parameters */
    const char *entry;                      /* name of the kernel in the PTX */
    const ptx_func *func;                   /* the kernel in the PTX */
    const ptx_module *ptx;                  /* the parsed PTX of the module */
    const char *text;                       /* the module's PTX */
    uint32_t grid[3], block[3], cluster[3]; /* launch dimensions: x, y, z */
    uint64_t shared;                        /* bytes of dynamic shared memory */
    const uint8_t *params; /* [param_bytes] the parameters as laid out in the PTX */
    uint64_t param_bytes;  /* bytes of the parameters */
} replay_kernel;
bool replay_describe_next_launch(replay *r, replay_kernel *out);
/* The recorded time in ns of the launch that replay_repeat_next will run; 0: it did not end. NAME:
 * demangled name of its kernel. DOUBT becomes the recorder's warning that a replay may differ, as
 * the rest of a sentence after the kernel's name, or "". */
double replay_recorded_time(replay *r, const char *name, char *doubt, size_t cap);

/* Let O observe every later launch, besides the checks of WARPBOOK_SANITIZE; NULL: none. An
 * observer of instructions must be set before modules are loaded: directly after replay_open. */
void replay_add_observer(replay *r, const sm_observer *o);

/* Turn off the checks of WARPBOOK_SANITIZE for all later launches. */
void replay_stop_checks(replay *r);
/* Turn off the search for races within launches, which takes longest, until it is on again. */
void replay_skip_race_checks(bool skip);

/* Bytes of earlier work's data in the modelled L2: replay_l2_bytes reads the number,
 * replay_set_l2_bytes sets it for later launches. */
uint64_t replay_l2_bytes(void);
void replay_set_l2_bytes(uint64_t bytes);

/* replay_op_duration: modelled time in ns of an operation that has been repeated. replay_has_fault:
 * whether an error stopped the operation. */
double replay_op_duration(const replay *r, uint64_t op);
/* As rt_clock_end_in_row, of operations that have been repeated. */
double replay_end_in_row(const replay *r, uint64_t op, uint64_t before, double before_end,
                         size_t place);
/* When operation OP ends on the modelled timeline, in ns; OP may be an event. 0: no time yet. */
double replay_op_end_time(const replay *r, uint64_t op);
bool replay_has_fault(const replay *r, uint64_t op);

/* The bytes that the last repeated copy returned to the host, rows packed; NULL: the last copy was
 * not to the host. */
const uint8_t *replay_returned_bytes(const replay *r, uint64_t *size);

/* The first record of the recording. Reading it does not advance the replay. */
const rec_start *replay_start_record(const replay *r);
const char *replay_device_name(const replay *r); /* name of the device profile in use */
