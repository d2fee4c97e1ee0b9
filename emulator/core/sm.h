/* The streaming multiprocessors: PTX functions translated to code, and grids run on them.
 *
 * A program is one module bound to the addresses of its variables. Kernels are translated at first
 * use. A launch runs to its end before sm_run returns; queues and streams are the runtime's. */
#ifndef WARPBOOK_SM_H
#define WARPBOOK_SM_H

#include "../counters/counters.h"
#include "../counters/work.h"
#include "../ptx/ptx.h"
#include "cycles.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sm_program sm_program;

typedef enum sm_fault_kind {
    SM_OK,
    SM_FAULT_ADDRESS,     /* out of bounds, freed, never allocated, host pointer: CUDA error 700 */
    SM_FAULT_MISALIGNED,  /* 716 */
    SM_FAULT_ASSERT,      /* 710 */
    SM_FAULT_TRAP,        /* trap: 719 */
    SM_FAULT_ILLEGAL,     /* illegal instruction: 715 */
    SM_FAULT_GONE,        /* shared memory of a block of the cluster that has ended: 719 */
    SM_FAULT_PC,          /* indirect call to no function: 718 */
    SM_FAULT_STACK,       /* local memory or call depth: 719 */
    SM_FAULT_DEADLOCK,    /* no thread of the grid can go on: reported, 719 */
    SM_FAULT_SYNC,        /* member mask misused where hardware would be undefined: 719 */
    SM_FAULT_UNSUPPORTED, /* the launch was refused: cudaErrorNotSupported */
    SM_FAULT_RESOURCES,   /* too much shared memory, too many threads ...: 9 or 701 */
    SM_FAULT_MEMORY       /* the host is out of memory: 2 */
} sm_fault_kind;

/* What stopped a launch. TEXT is the whole message for a student: several short lines, the first a
 * sentence with the source line, thread, block, address and the allocation it missed. */
typedef struct sm_fault {
    sm_fault_kind kind;
    uint32_t block[3], thread[3];
    uint64_t address;
    uint32_t size; /* bytes of the access */
    ptx_space space;
    char where[160];      /* "lab.cu:31" */
    const char *path;     /* the file as the compiler was given it, the module's; NULL: not known */
    uint32_t line;        /* in it */
    const char *function; /* mangled, the module's; NULL: the fault has no instruction */
    char text[1536];
} sm_fault;

/* One of two accesses that an observer reports. Strings that are pointers are the module's. */
typedef struct sm_report_side {
    const char *path; /* the file as the compiler was given it; NULL: not known */
    uint32_t line;    /* in it */
    char who[80];     /* "thread 3" */
    const char *did;  /* "read", "wrote" or "updated atomically" */
} sm_report_side;

/* What an observer found in a launch. */
enum { SM_SENTENCE_BYTES = 900, SM_REPORT_BYTES = SM_SENTENCE_BYTES + 60 };
typedef struct sm_report {
    struct sm_report *next;
    const char *kind; /* "race" */
    uint32_t block[3];
    uint32_t offset;     /* bytes, of shared memory */
    const char *missing; /* what would have ordered the two: "__syncthreads()" */
    sm_report_side at, other;
    char sentence[SM_SENTENCE_BYTES]; /* both accesses, and what is missing between */
    char text[SM_REPORT_BYTES];       /* the whole line for people */
} sm_report;

/* Bind module M (borrowed, must outlive the program) to the device addresses of its global and
 * constant variables: var_address[v->index]; other spaces' entries are ignored. The array is
 * copied. NULL when the host is out of memory. */
sm_program *sm_load(const ptx_module *m, const uint64_t *var_address);
void sm_unload(sm_program *p);

/* What a pointer to device function F holds: a value that only a call understands. For relocations
 * that name functions. Takes no program, as variables are filled in before sm_load. */
uint64_t sm_func_address(const ptx_func *f);
/* The function of M that has this address; NULL: none. */
const ptx_func *sm_func_at(const ptx_module *m, uint64_t address);

/* Is that where threads see shared or local memory, which another grid has not? */
bool sm_is_private(uint64_t address);

/* Does the device have a function of this name, so that no module need define it (vprintf, malloc,
 * what libcudadevrt has)? */
bool sm_provides(const char *name);

typedef struct sm_kernel_info {
    uint32_t registers;     /* a thread, from the widest live set; at least 8, maybe more than
                               a thread can have */
    uint64_t static_shared; /* bytes, a block */
    uint64_t local_bytes;   /* a thread */
    uint64_t param_bytes;
    uint64_t const_bytes; /* of the module */
    uint32_t max_threads; /* of .maxntid, else 1024 */
    bool calls_runtime;   /* it may launch kernels, copy, and so on */
} sm_kernel_info;

/* Translate if need be and describe. False with *fault for an instruction that is not there. */
bool sm_describe(sm_program *p, const ptx_func *kernel, sm_kernel_info *out, sm_fault *fault);

/* What a handle of a conditional node is the device address of (cudaGraphSetConditional). */
typedef struct sm_condition {
    uint64_t mark; /* SM_CONDITION_MARK */
    uint32_t value, unused;
} sm_condition;
#define SM_CONDITION_MARK UINT64_C(0x6e6f697469646e6f)

/* --- what kernels ask of the runtime --- */

typedef enum sm_runtime_function {
#define RUNTIME(name, args) SM_RUNTIME_##name,
#include "runtime.def"
#undef RUNTIME
} sm_runtime_function;

typedef struct sm_runtime_argument {
    uint64_t value;   /* the first 8 bytes */
    uint32_t word[3]; /* the first 12: a dim3 */
} sm_runtime_argument;

#define SM_RUNTIME_ARGUMENTS 8

/* A thread's call of the runtime (CUDA C++ Programming Guide, "CUDA Dynamic Parallelism", "Device
 * Runtime"). */
typedef struct sm_runtime_call {
    sm_runtime_function function;
    sm_runtime_argument arg[SM_RUNTIME_ARGUMENTS];
    uint64_t block;  /* x fastest */
    uint32_t thread; /* of the block, likewise */
    /* Where BYTES at ADDRESS lie, as the thread sees memory; NULL: there is none. */
    void *(*memory)(const struct sm_runtime_call *c, uint64_t address, uint32_t bytes);
    uint64_t result;     /* what it returns; 0 before */
    sm_fault_kind fault; /* SM_OK, or what the launch stops with */
    char stop[300];      /* and why */
} sm_runtime_call;

/* What watches a launch; observer.h. */
typedef struct sm_observer sm_observer;

/* Whether others can help a grid that gets nowhere by itself. */
typedef enum sm_help {
    SM_HELP_CAME,  /* they have had a turn */
    SM_HELP_HOST,  /* the host may, later */
    SM_HELP_NONE,  /* nobody can */
    SM_HELP_NEVER, /* the device is broken: stop, with nothing to say */
} sm_help;

typedef struct sm_launch {
    const ptx_func *kernel;
    uint32_t grid[3], block[3];
    uint32_t cluster[3]; /* blocks of a cluster in each direction; 0: as the kernel says, or 1 */
    uint64_t dynamic_shared; /* bytes */
    uint64_t stack_bytes;    /* local memory a thread may use for calls (cudaLimitStackSize);
                                0: 64 KiB. What the kernel itself needs is added */
    const void *params;      /* kernel->param_bytes bytes, laid out as the PTX says */
    uint32_t workers;        /* host threads; 0: as many as there are cores */
    bool cooperative;
    bool want_lines; /* keep per-line rows in the result */
    bool unheard;    /* what the kernel prints is lost */
    /* Who watches: observer.h, at most 4, NULL-terminated; borrowed. NULL: nobody. */
    const sm_observer *const *observers;
    bool uncounted;      /* count instructions only: nothing of what memory accesses cost */
    uint32_t sm_count;   /* of the profile: what %nsmid says */
    uint64_t l1_bytes;   /* of an SM, beside the shared memory of its blocks */
    uint32_t l2_slices;  /* of the profile; 0: atomic operations are not followed to L2 */
    uint64_t clock_base; /* modelled ns at launch: what %globaltimer starts from */
    double clock_mhz;
    const sm_cycles *cycles; /* of the profile: what warps' clocks are made of; NULL: one each */
    uint32_t schedulers;     /* of an SM; 0: one */
    uint32_t blocks_per_sm;  /* that are resident together; 0: one */
    uint64_t l2_bytes;
    /* Does what C asks, on any worker, one at a time; RUNTIME is handed on. NULL: device code has
     * no runtime here. */
    void (*runtime_call)(void *runtime, sm_runtime_call *c);
    void *runtime;
    bool (*host_waits)(void); /* does all of the program wait for this launch, so that nobody on the
                                 host can write memory that it sees (pinned, managed)? Called by any
                                 worker; NULL: no */
    /* Every block polls, or with STUCK: without others they go the same way for ever. CHANGED: the
     * grid has changed memory since this was asked last. Others have their turns before it returns;
     * called by any worker, one at a time, SEAT is handed on. NULL: there are no others. */
    sm_help (*others)(void *seat, bool stuck, bool changed);
    void *seat;
} sm_launch;

typedef struct sm_result {
    counters total;
    launch_work work; /* work.block: owned likewise */
    line_row *lines;  /* owned by the result when want_lines; sm_result_clear releases it */
    size_t line_count;
    struct sm_line_part {
        line_row *rows; /* what the strings of `lines` hang from; sm_result_clear's */
    } * parts;
    size_t part_count;
    sm_report *reports; /* what observers found, a list; NULL: nothing. Owned likewise */
    sm_fault fault;     /* kind SM_OK when the launch ended well */
} sm_result;

/* Run a grid to its end. Device printf goes to stdout, block by block in order. Always fills
 * *result; returns result->fault.kind == SM_OK. Thread-safe; launches may overlap. */
bool sm_run(sm_program *p, const sm_launch *launch, sm_result *result);
void sm_result_clear(sm_result *result);

/* Add the device memory that launches have touched since this was asked last, or since the last
 * one ended, to OUT: where another launch begins before one has ended. */
void sm_touched(counters *out);

/* "x86-64-v4" and so on: the build of the handlers that this machine runs. */
const char *sm_isa(void);

#endif
