/* Options of the JIT compiler (Driver API, CUjit_option; the runtime's cudaJitOption has the same
 * numbers): what a program requests when it loads or links PTX, and what it gets back. Call with
 * the runtime's lock held. */
#ifndef WARPBOOK_JIT_H
#define WARPBOOK_JIT_H

#include "../cudart.h"

/* A buffer of the program for messages: information or errors. */
typedef struct rt_jit_log {
    bool given;    /* the option was given, possibly with NULL */
    char *text;    /* the buffer, owned by the program; NULL: none */
    uint32_t room; /* size of the buffer in bytes */
    void **size;   /* where to store the length of the message; at most `room` is stored */
} rt_jit_log;

struct rt_jit {
    rt_jit_log info, error;
    bool verbose, debug, optimize, override; /* override: OVERRIDE_DIRECTIVE_VALUES */
    bool impossible;    /* an option's value is one that no compiler can satisfy */
    uint32_t registers; /* most registers per thread; 0: no limit */
    uint32_t threads;   /* threads that a block must be able to have; 0: no requirement */
    uint32_t max_threads, min_blocks;
    uint32_t target; /* 90 for compute capability 9.0; 0: the device's own */
    void **time, **threads_out;
    const char *const *name; /* GLOBAL_SYMBOL_NAMES: variables that the program defines */
    void *const *address;    /* GLOBAL_SYMBOL_ADDRESSES: their device addresses */
    uint32_t symbols;
    unsigned of_symbols; /* how many of the three GLOBAL_SYMBOL options were given */
};

/* Read COUNT options into *JIT, which must be zero before the first call; later values replace
 * earlier ones. Returns cudaErrorInvalidValue for an unknown option or value. */
cudaError_t rt_jit_read(unsigned count, const int *option, void **value, rt_jit *jit);
/* Returns cudaSuccess if PTX for TARGET can be compiled with the options of JIT, else the error
 * code. */
cudaError_t rt_jit_refuses(const rt_jit *jit, uint32_t target);
/* Turn options into directives of M's kernels: .maxnreg, .maxntid and .minnctapersm. */
void rt_jit_apply(const rt_jit *jit, ptx_module *m);
/* The device address that the program gave for variable NAME; 0 if none. */
uint64_t rt_jit_symbol(const rt_jit *jit, const char *name);
/* Store TEXT in the program's buffer, truncated to fit; NULL stores an empty string. */
void rt_jit_tell(const rt_jit_log *log, const char *text);
/* Write registers and memory of M's kernels to the info log if JIT requests it (LOG_VERBOSE). M may
 * be NULL. */
void rt_jit_tell_kernels(const rt_jit *jit, rt_module *m);
/* Store the options that return values: the wall time of SECONDS, and the threads per block. */
void rt_jit_answer(const rt_jit *jit, double monotonic_seconds);
double rt_jit_clock(void); /* the host's monotonic clock, seconds */

/* Most registers that a thread of kernel F may have, by its directives or else by the hardware. */
uint32_t rt_jit_limit(const ptx_func *f);

/* First line of what cuLinkComplete returns, which on a GPU is machine code. */
#define RT_JIT_LINKED "// linked for sm_%u\n"
/* The lines after it: a variable that the program defines (GLOBAL_SYMBOL_NAMES), and its address.
 */
#define RT_JIT_SYMBOL "// symbol %s %llx\n"
/* Add the symbols of linked TEXT to *JIT. Returns false if the host is out of memory. Release with
 * rt_jit_drop_symbols. */
bool rt_jit_linked_symbols(const char *text, rt_jit *jit);
void rt_jit_drop_symbols(rt_jit *jit);
/* jit_link.c: TEXT with directives for the options of JIT, malloc'ed. Errors in TEXT go to JIT's
 * error log. */
cudaError_t rt_jit_source(const char *text, const rt_jit *jit, char **out);
/* Whether every symbol that TEXT uses but does not define can be resolved; if not, SAID names one.
 * Returns true without checking if the program provides symbols (GLOBAL_SYMBOL_NAMES): a launch
 * reports what is missing. */
bool rt_jit_resolves(const char *text, const rt_jit *jit, char *said, size_t room);
/* Link COUNT texts to one, malloc'ed. */
cudaError_t rt_jit_join(const char *const *text, unsigned count, const rt_jit *jit, char **out);

#endif
