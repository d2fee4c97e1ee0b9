/* Repeats a recording (debugger/recording) on the emulated device in this process: the same bytes
 * in memory after every operation, the same counters, the same modelled times. One replay per
 * process, one thread: the device is the process's own.
 *
 * A program that uses it: replay_open; then replay_next until it returns REPLAY_END. The step
 * engine stops before a launch (replay_peek, replay_launch), watches it (replay_observe), and may
 * do it again (replay_keep_moment, replay_return_to). Addresses are device addresses, the same as
 * in the recorded program. */
#ifndef WARPBOOK_REPLAY_H
#define WARPBOOK_REPLAY_H

#include "../../core/observer.h"
#include "../../core/sm.h"
#include "../recording/recording.h"

typedef struct replay replay;

typedef struct replay_options {
    const char *profile; /* device profile instead of the recorded one; NULL: the recorded one */
    bool counted; /* count memory accesses also if the run was recorded with WARPBOOK_COUNTING=0 */
    bool between; /* let the race check also look for races between operations */
    rec_bounds most; /* upper limits on what the recording may use; 0: the default */
} replay_options;

/* Open a recording, check all of it, and open the device. NULL: it is damaged, foreign, truncated,
 * newer, or cannot be repeated here; ERR says which, in one sentence, and nothing has been done.
 * The WARPBOOK_* variables of the emulator apply, so set them before. */
replay *replay_open(const char *path, const replay_options *o, char *err, size_t room);
void replay_close(replay *r);

/* Whether replay_open failed because an address that the program used is in use in this process.
 * Addresses of a process are random, so another one may have it free. */
bool replay_taken(void);
/* Run this program again with ARGV, in another process's addresses, at most eight times. */
void replay_start_again(char **argv);
/* How often it has been run again. */
int replay_tries(void);

typedef enum replay_result {
    REPLAY_DONE,  /* one record has been repeated */
    REPLAY_END,   /* the recording has no further record */
    REPLAY_FAILED /* replay_error says why; the replay cannot go on */
} replay_result;

/* The record that replay_next repeats; NULL at the end. Valid until the next call of a function of
 * this header. REC_launch, REC_copy, REC_fill, REC_write are operations; `result` follows each. */
const rec_item *replay_peek(replay *r);
/* Repeat it. A launch runs to its end within this call. */
replay_result replay_next(replay *r);
/* The same, but a launch's kernel does not run: memory stays as it is. */
replay_result replay_skip_next(replay *r);
const char *replay_error(const replay *r);
/* Repeat everything before launch NUMBER, so that replay_peek is that launch. REPLAY_END: there is
 * no such launch after this place. */
replay_result replay_to_launch(replay *r, uint64_t number);

/* The first difference from what was recorded, in one sentence, or NULL; and how many there are. */
const char *replay_first_difference(const replay *r);
uint64_t replay_difference_count(const replay *r);
/* How many results, digests and times have been compared with what was recorded. */
uint64_t replay_compared_count(const replay *r);

/* The launch that replay_next would do. Borrowed, valid while its module is loaded; params until
 * the next call. */
typedef struct replay_kernel {
    uint64_t
        number; /* number of the launch in the order of issue, from 0, as in WARPBOOK_COUNTERS */
    uint64_t stream;
    const char *name;  /* demangled, without parameters */
    const char *entry; /* name of the kernel in the PTX */
    const ptx_func *func;
    const ptx_module *ptx;
    const char *text; /* the module's PTX */
    uint32_t grid[3], block[3], cluster[3];
    uint64_t shared; /* bytes of dynamic shared memory */
    const uint8_t *params;
    uint64_t param_bytes;
} replay_kernel;
bool replay_launch(replay *r, replay_kernel *out);
/* What the recording says of that launch, of kernel NAME (demangled): its modelled time in ns, 0 if
 * it did not end; and in DOUBT why it cannot be repeated for certain, as what follows the kernel's
 * name in a sentence, or "". */
double replay_recorded_time(replay *r, const char *name, char *doubt, size_t room);

/* Watch every launch from now on with O, besides the checks of WARPBOOK_SANITIZE; NULL: no longer.
 * An observer of instructions must be there before modules are loaded: right after replay_open. */
void replay_observe(replay *r, const sm_observer *o);

/* Look for mistakes (WARPBOOK_SANITIZE) in nothing that follows. */
void replay_stop_checks(replay *r);

/* Bytes that the modelled L2 holds of earlier work: now, and for what follows. */
uint64_t replay_l2_holds(void);
void replay_set_l2(uint64_t bytes);

/* Keep the device's memory, so that what follows can be repeated; NULL: the host is out of memory.
 * replay_return_to puts everything back to that moment: the bytes, the clock, the place in the
 * recording. Between the two only operations may have been repeated, and their results: false, and
 * nothing is put back, if memory was allocated or freed, code loaded, or the clock set, since. What
 * device malloc() has given out is not taken back. */
typedef struct replay_moment replay_moment;
replay_moment *replay_keep_moment(replay *r);
bool replay_return_to(replay *r, const replay_moment *m);
void replay_forget_moment(replay_moment *m);

/* The modelled time in ns of an operation that has been repeated, and whether a fault stopped it.
 */
double replay_duration_of(const replay *r, uint64_t op);
/* Where it ends on the modelled time line, in ns; operations that only the time line knows (events)
 * too. 0: it is not placed yet. */
double replay_end_time_of(const replay *r, uint64_t op);
bool replay_fault(const replay *r, uint64_t op);

/* What a copy to the host returned: the bytes, rows packed, of the copy repeated last. NULL: it was
 * none. */
const uint8_t *replay_returned_bytes(const replay *r, uint64_t *size);

/* The recording itself, for its first record and for its size. Reading it moves no replay. */
const rec_start *replay_start(const replay *r);
const char *replay_device(const replay *r); /* name of the device profile in use */

#endif
