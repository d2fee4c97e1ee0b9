/* Launches of emulated multiprocessors: what to run, and its result: counters, faults, reports. */
#pragma once

#include "../counters/counters.h"
#include "../counters/source.h"
#include "../counters/work.h"
#include "../ptx/ptx.h"
#include "chapters.h"
#include "cycles.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sm_program sm_program; /* a module bound to the addresses of its variables */

typedef enum sm_fault_kind {
    SM_OK,               /* no fault */
    SM_FAULT_ADDRESS,    /* invalid address (out of bounds, freed, never allocated, or of the host):
                            CUDA error 700 */
    SM_FAULT_MISALIGNED, /* misaligned address: CUDA error 716 */
    SM_FAULT_ASSERT,     /* failed assert(): CUDA error 710 */
    SM_FAULT_TRAP,       /* the PTX instruction trap: CUDA error 719 */
    SM_FAULT_ILLEGAL,    /* illegal instruction: CUDA error 715 */
    SM_FAULT_GONE,     /* access to the shared memory of a block that has exited: CUDA error 719 */
    SM_FAULT_PC,       /* indirect call to an address that is not a function: CUDA error 718 */
    SM_FAULT_STACK,    /* local memory or the call stack is exhausted: CUDA error 700 */
    SM_FAULT_DEADLOCK, /* no thread of the grid can make progress: reported as CUDA error 719 */
    SM_FAULT_SYNC, /* invalid mask of a warp operation (undefined in the PTX ISA): CUDA error 719 */
    SM_FAULT_UNSUPPORTED, /* the launch was refused: cudaErrorNotSupported */
    SM_FAULT_RESOURCES,   /* too much shared memory, too many threads ...: CUDA error 9 or 701 */
    SM_FAULT_MEMORY       /* the host is out of memory: CUDA error 2 */
} sm_fault_kind;

/* Why a launch was stopped. `text` is the whole message in several short lines. Its first line is a
 * sentence with the source line, thread, block, address and the nearest allocation. */
typedef struct sm_fault {
    sm_fault_kind kind;           /* what went wrong; SM_OK: nothing */
    uint32_t block[3], thread[3]; /* indices of the block and of the faulting thread in it */
    uint64_t address;             /* device address of the access */
    uint32_t size;                /* bytes that each lane accesses */
    ptx_space space;              /* state space of the access */
    char where[160];              /* source position: "lab.cu:31" */
    const char *path;     /* source file as the compiler had it, the module's; NULL: unknown */
    uint32_t line;        /* source line in `path` */
    const char *function; /* mangled name, owned by the module; NULL: no instruction */
    const char *insn; /* mnemonic of the faulting instruction; NULL: the fault has no instruction */
    const char *remedy; /* how to correct the usual mistake, part of `text`; NULL: no advice */
    char text[1536];    /* the message */
} sm_fault;

/* One of the two accesses in an observer's report. The module owns its strings. */
typedef struct sm_report_access {
    const char *path;        /* source file as given to the compiler; NULL: unknown */
    uint32_t line;           /* line in `path` */
    char where[160];         /* "lab.cu:42", or "PTX line 19" */
    char thread_text[80];    /* the thread that accessed: "thread 3" */
    const char *access_name; /* kind of access: "read", "wrote" or "atomically updated" */
} sm_report_access;

enum { SM_SENTENCE_BYTES = 900, SM_REPORT_BYTES = 3000 }; /* sizes of texts in sm_report */
/* A mistake that an observer found. */
typedef struct sm_report {
    struct sm_report *next; /* next report in the list */
    const char *kind;       /* "race" */
    const char *kernel;     /* name of the kernel for people */
    bool note; /* true: not a mistake, for instance two accesses whose order does not matter */
    uint32_t chapter; /* chapter of the book that explains this mistake (chapters.h) */
    uint32_t block[3];
    uint32_t offset;       /* for shared memory: offset of the word in bytes */
    char place[120];       /* what the kernel calls the byte there: "byte 16 of part" */
    uint64_t address;      /* device address in global memory; 0: shared memory */
    uint64_t times;        /* how often the mistake was seen in the launch; 0: not counted */
    const char *remedy;    /* a sentence that says how to correct the mistake; NULL: not known */
    char remedy_text[480]; /* where `remedy` points if it is composed for this report */
    const char *missing;   /* the missing synchronization of the two accesses: "__syncthreads()" */
    sm_report_access at, other;
    char other_text[300]; /* text that describes the other access; "": there is no other access */
    bool any_other; /* the access `at` is reported only once, whatever the other accesses are */
    char host_path[512]; /* path of the source file, if the other access is in host code */
    char sentence[SM_SENTENCE_BYTES]; /* names both accesses and the missing synchronization */
    char text[SM_REPORT_BYTES];       /* the whole report as printed on stderr, several lines */
} sm_report;

/* What a conditional node's handle points to in device memory (cudaGraphSetConditional). */
typedef struct sm_condition {
    uint64_t mark;   /* SM_CONDITION_MARK, by which a valid condition is recognised */
    uint32_t value;  /* the condition's value, which decides whether the graph's body runs */
    uint32_t unused; /* not used; fills the object up to 16 bytes */
} sm_condition;
#define SM_CONDITION_MARK UINT64_C(0x6e6f697469646e6f) /* sm_condition.mark if valid */

/* --- device runtime calls --------------------------------------------------------------------- */

typedef enum sm_runtime_function {
#define RUNTIME(name, args) SM_RUNTIME_##name,
#include "runtime.def"
#undef RUNTIME
} sm_runtime_function;

typedef struct sm_runtime_argument {
    uint64_t value;   /* argument of at most 8 bytes */
    uint32_t word[3]; /* argument of type dim3 */
} sm_runtime_argument;

#define SM_RUNTIME_MAX_ARGUMENTS 8 /* most arguments of a function of the device runtime */

/* A call of the device runtime by one thread (CUDA C++ Programming Guide, "CUDA Dynamic
 * Parallelism", "Device Runtime"). */
typedef struct sm_runtime_call {
    sm_runtime_function function;
    sm_runtime_argument arg[SM_RUNTIME_MAX_ARGUMENTS]; /* arguments of the call */
    uint64_t block;  /* linear index of the block in the grid, x fastest */
    uint32_t thread; /* linear index of the thread in its block, x fastest */
    /* Host pointer to BYTES at device address ADDRESS as the thread sees it; NULL: invalid. */
    void *(*memory)(const struct sm_runtime_call *c, uint64_t address, uint32_t bytes);
    uint64_t result;  /* return value of the call; initially 0 */
    uint32_t request; /* number of the work that the call has requested, and that may run while the
                       * kernel goes on, from 1; 0: none */
    sm_fault_kind fault;  /* SM_OK, or the kind of fault with which to stop the launch */
    char fault_text[300]; /* message of the fault in `fault` */
} sm_runtime_call;

/* An observer of a launch: observer.h. */
typedef struct sm_observer sm_observer; /* functions called at the events of a launch */

/* Result of sm_launch.run_other_grids, called if a grid cannot make progress alone. */
typedef enum sm_help_result {
    SM_HELP_OTHERS_RAN,    /* other grids have run for a while; the kernel can poll again */
    SM_HELP_HOST_ONLY,     /* no other grid can help, but the host may still write memory */
    SM_HELP_NONE,          /* no other grid or host code can help */
    SM_HELP_DEVICE_FAILED, /* the device has already failed: stop without a message */
} sm_help_result;

typedef struct sm_launch {
    const ptx_func *kernel;
    uint32_t grid[3], block[3]; /* size of the grid in blocks; size of a block in threads */
    uint32_t cluster[3];     /* blocks per cluster in each direction; 0: the kernel's own, or 1 */
    uint64_t dynamic_shared; /* bytes of dynamic shared memory per block */
    uint64_t stack_bytes;    /* stack of a thread in a kernel that recurses (cudaLimitStackSize), in
                              * addition to what the kernel itself needs; 0: the default */
    const void *params;      /* [kernel->param_bytes] the kernel's parameters, as its PTX lays them
                                out */
    uint32_t workers;        /* number of host threads that run blocks; 0: one per core */
    bool cooperative;        /* launched with cudaLaunchCooperativeKernel */
    bool want_lines;         /* return counters for each source line, in sm_result.lines */
    bool want_source;        /* return counters for each instruction, in sm_result.source */
    bool discard_output;     /* discard the text that the kernel prints */
    const char *name; /* the kernel's name for people, used by observers; NULL: the mangled name */
    uint64_t number;  /* number of the launch in the order of issue, used by observers */
    uint64_t stream;  /* id of the stream to which the launch was issued, used by observers */
    /* NULL-terminated, at most SM_OBSERVERS observers (observer.h); borrowed. NULL: none. */
    const sm_observer *const *observers; /* list of the launch's observers */
    bool skip_memory_cost; /* count instructions but not the cost of memory accesses */
    uint32_t sm_count;     /* number of SMs of the device profile; read by %nsmid */
    uint64_t
        l1_bytes; /* bytes of an SM's L1 cache, without the shared memory of its resident blocks */
    uint32_t l2_slices;     /* L2 slices of the device; 0: do not model the cost of atomics at L2 */
    uint64_t clock_base;    /* modelled time of the launch in ns; %globaltimer starts here */
    double clock_mhz;       /* clock rate of an SM in MHz */
    double blocks_per_ns;   /* blocks that the whole device can start per ns; 0: no limit */
    uint32_t schedulers;    /* warp schedulers per SM; 0: one */
    uint32_t blocks_per_sm; /* resident blocks per SM; 0: one */
    uint64_t max_resident_blocks; /* most blocks that are resident at once; 0: not known */
    uint64_t l2_bytes;            /* size of the L2 cache in bytes */
    uint32_t patience_ms; /* a launch is stopped if for this CPU time no block ends and no loop
                             makes progress (launch/patience.h); 0: no limit */
    /* Executes device runtime call C; receives `runtime` below as RUNTIME. Any worker may call it,
     * but only one at a time. NULL: device code cannot call the runtime. */
    void (*runtime_call)(void *runtime, sm_runtime_call *c);
    void *runtime; /* first argument of runtime_call (RUNTIME) */
    /* Do all host threads of the program wait for this launch, so that the host cannot change
     * pinned or managed memory? Any worker may call it. NULL: no. */
    bool (*host_waits)(void);
    /* Runs other grids for a while, because every block of this grid polls. STUCK: the blocks poll
     * for ever unless memory changes. CHANGED: this grid has changed memory since the last call.
     * CONTEXT: `other_grids_context`. Any worker may call it, but only one at a time. NULL: there
     * are no other grids. */
    sm_help_result (*run_other_grids)(void *context, bool stuck, bool changed);
    void *other_grids_context; /* first argument of run_other_grids */
} sm_launch;

/* What a launch has printed with device printf. */
typedef struct sm_printed {
    uint64_t calls;          /* lanes that called printf */
    uint64_t bytes;          /* bytes of a GPU's buffer for them */
    const ptx_insn *surplus; /* a call with more arguments than printf takes; NULL: none */
} sm_printed;

typedef struct sm_result {
    counters total;   /* counters of the whole launch */
    launch_work work; /* work of the launch; its array `block` is released by launch_result_clear */
    line_row *lines;  /* [line_count] counters for each source line (if want_lines), malloc'd;
                         released by launch_result_clear */
    size_t line_count; /* number of entries in `lines` */
    struct sm_line_part {
        line_row *rows; /* rows whose strings `lines` uses; released by launch_result_clear */
    } * parts;
    size_t part_count;   /* number of entries in `parts` */
    source_row *source;  /* [source_count] counters for each instruction (if want_source), malloc'd;
                            released by launch_result_clear */
    size_t source_count; /* number of entries in `source` */
    char *source_text;   /* the characters of the strings in `source` */
    sm_report
        *reports; /* list of the observers' reports, or NULL; released by launch_result_clear */
    sm_printed printed; /* what the launch has printed */
    sm_fault fault;     /* why the launch was stopped; its kind is SM_OK if the launch succeeded */
} sm_result;
