/* The callbacks of a recorder of the device (`warpbook exec --record`): one for each kind of change
 * of the device's state. They are called in the order of the changes, whichever API caused them.
 * The memory module reports allocations and texture objects itself (memory/watcher.h). cudart calls
 * the functions of the recorder in rt_current_recorder; without a recorder the cost is one
 * comparison. The lock is held, unless stated otherwise. */
#pragma once

#include "../../sanitizer/caller.h"
#include "../code/kernel.h"
#include "../code/launch.h"
#include "../memory/copy.h"
#include "../streams/op.h"
#include "call.h"

/* Describes what an operation does; rt_op.describe fills it. RT_ACTION_NONE: the operation does
 * nothing that a recording must hold. */
typedef struct rt_op_info {
    enum {
        RT_ACTION_NONE,   /* nothing that a recording must contain */
        RT_ACTION_LAUNCH, /* a kernel launch */
        RT_ACTION_COPY,   /* a copy */
        RT_ACTION_FILL,   /* a memset */
        RT_ACTION_WRITE   /* cuStreamWriteValue */
    } action;
    const rt_launch *launch;     /* for launches: kernel, configuration and parameters */
    uint64_t number;             /* for launches: number of the launch, counted from 0 */
    const char *call;            /* name of the API function that issued the operation */
    rt_copy_box to;              /* destination of a copy, fill or write */
    rt_copy_box from;            /* source of a copy */
    size_t width, height, depth; /* for copies and fills: bytes in a row, rows, slices */
    const uint8_t *staged;       /* source bytes, saved when the copy was issued; NULL: not saved */
    copy_kind timing;            /* for copies: the kind that determines the modelled time */
    uint64_t value;              /* for fills and writes: the value that is stored */
    size_t unit;                 /* size of `value` in bytes */
} rt_op_info;

/* The callbacks of a recorder. */
typedef struct rt_recorder {
    void (*opened)(void); /* the device has been opened */
    void (*ends)(void);   /* the program is exiting by itself */
    void (*forked)(void); /* this process is a forked child, which must record nothing */
    /* A module has been loaded, or is about to be unloaded. JIT: it was compiled from PTX with
     * these options; NULL: it was registered, or had machine code. */
    void (*module)(const rt_module *m, const rt_jit_options *jit);
    void (*module_gone)(const rt_module *m); /* module M is about to be unloaded */
    void (*begins)(const rt_op *op); /* OP, whose action is not RT_ACTION_NONE, is about to run */
    void (*done)(const rt_op *op);   /* OP has run */
    /* The counters of a launch are known: TOTAL. Without the lock, by the launch's thread. */
    void (*counted)(const rt_op *op, const counters *total);
    void (*settled)(rt_op *const *op, size_t n); /* modelled times of N operations are known */
    void (*waited)(void);                        /* the host has waited for work */
    void (*nested_done)(
        uint64_t op); /* all kernels that the kernel of OP launched have completed */
    /* The runtime wrote BYTES bytes of device memory at AT, outside of an operation. */
    void (*poked)(uint64_t at, uint32_t bytes);
    /* SIZE bytes of memory at AT have been allocated and not written yet
     * (rt_note_unwritten_memory). BY: the call that allocated it; NULL: the call of this thread. */
    void (*fresh)(uint64_t at, uint64_t size, const san_caller *by);
    /* The wait OP of a stream ends, because the memory at AT now holds VALUE. */
    void (*value_met)(const rt_op *op, uint64_t at, uint64_t value);
    /* The memory at AT holds an array with guard zones around it (rt_note_guarded_array). */
    void (*array)(uint64_t at, uint64_t element, uint64_t count);
    /* The program says that the value at AT is wrong: SENTENCE. */
    void (*wrong)(uint64_t at, const char *sentence);
    /* cudaDeviceSetLimit was called: both limits in bytes; heap 0: unchanged. */
    void (*limits)(uint64_t stack, uint64_t heap);
    void (*reset)(void); /* cudaDeviceReset was called */
    /* No recording holds what the program does from here on; SENTENCE says why. Any thread may call
     * it, with or without the lock. */
    void (*unheld)(const char *sentence);
    /* A replay may not repeat the run exactly; SENTENCE says why. Any thread may call it, with or
     * without the lock. */
    void (*unsure)(const char *sentence);
} rt_recorder;

/* Why a replay may differ (callback `unsure`): they follow the name of a waiting kernel. */
#define RT_WAITS_FOR_HOST   "waits for what the host writes while it runs"
#define RT_WAITS_FOR_OTHERS "waits for other work of the device while it runs"

extern const rt_recorder *rt_current_recorder; /* the recorder; NULL: nothing is recorded */

/* Call the callback FUNCTION of the recorder, if it has one. */
#define RT_CALL_RECORDER(function, ...)                                      \
    do {                                                                     \
        const rt_recorder *const recorder_ = rt_current_recorder;            \
        if (__builtin_expect(recorder_ != NULL, 0) && recorder_->function) { \
            recorder_->function(__VA_ARGS__);                                \
        }                                                                    \
    } while (0)
