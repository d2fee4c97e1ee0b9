/* What a recorder of the device is told (`warpbook exec --record`): each change of the device's
 * state, in the order in which it happens, whichever API caused it. Memory tells of allocations and
 * texture objects by itself (memory/watcher.h).
 *
 * cudart calls the functions of the recorder that has set rt_recorder; without one nothing here
 * costs more than a comparison. With the runtime's lock held, unless stated otherwise. */
#ifndef WARPBOOK_RECORDER_H
#define WARPBOOK_RECORDER_H

#include "../cudart.h"

/* What an operation does, for operations that do something: rt_op.tell fills it. */
typedef struct rt_told {
    enum { RT_TELLS_NOTHING, RT_TELLS_LAUNCH, RT_TELLS_COPY, RT_TELLS_FILL, RT_TELLS_WRITE } what;
    const rt_launch *launch;
    uint64_t number; /* of the launch */
    const char *call;
    rt_side to, from;
    size_t width, height, depth; /* copies and fills: bytes, rows, slices */
    const uint8_t *staged;       /* the source, made at the call, rows packed; NULL: none */
    copy_kind timing;
    uint64_t value; /* fills, writes */
    size_t unit;    /* bytes of the value */
} rt_told;

typedef struct rt_recorder {
    /* The device has been opened; the program ends by itself. */
    void (*opened)(void);
    void (*ends)(void);
    void (*forked)(void); /* this is a child process: it records nothing */
    /* A module has been loaded, or is about to be unloaded. JIT: it was compiled from PTX with
     * these options; NULL: it was registered, or had machine code. */
    void (*module)(const rt_module *m, const rt_jit *jit);
    void (*module_gone)(const rt_module *m);
    /* OP, which does something, is about to run; has run. */
    void (*begins)(const rt_op *op);
    void (*done)(const rt_op *op);
    /* A launch has these counters; without the lock, by the thread that runs it. */
    void (*counted)(const rt_op *op, const counters *total);
    /* Operations got their times; the host has waited. */
    void (*settled)(rt_op *const *op, size_t n);
    void (*waited)(void);
    /* Everything that the kernel of operation OP launched is done. */
    void (*nested_done)(uint64_t op);
    /* The runtime wrote BYTES bytes of device memory at AT, outside of an operation. */
    void (*poked)(uint64_t at, uint32_t bytes);
    /* Memory that nobody has written: rt_check_fresh. */
    void (*fresh)(uint64_t at, uint64_t size);
    /* cudaDeviceSetLimit was called: both limits in bytes; heap 0: unchanged. */
    void (*limits)(uint64_t stack, uint64_t heap);
    void (*reset)(void);
    /* A replay cannot repeat something for certain: a sentence. Any thread, the lock or not. */
    void (*unsure)(const char *sentence);
} rt_recorder;

/* What `unsure` says of a kernel that waits, after its name. */
#define RT_WAITS_FOR_HOST   "waits for what the host writes while it runs"
#define RT_WAITS_FOR_OTHERS "waits for other work of the device while it runs"

extern const rt_recorder *rt_records; /* NULL: nothing is recorded */

#define RT_RECORD(function, ...)                         \
    do {                                                 \
        const rt_recorder *const recorder_ = rt_records; \
        if (__builtin_expect(recorder_ != NULL, 0)) {    \
            recorder_->function(__VA_ARGS__);            \
        }                                                \
    } while (0)

#endif
