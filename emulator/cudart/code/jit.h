/* Options of the JIT compiler (Driver API, CUjit_option; the runtime's cudaJitOption has the same
 * numbers). A program passes them when it loads or links PTX; some return values. Call these
 * functions with the runtime's lock held. */
#pragma once

#include "../core/call.h"
#include "kernel.h"

/* A buffer that the program provides for the JIT compiler's messages: information or errors. */
typedef struct rt_jit_log {
    bool given;   /* the program passed the option for this buffer, possibly with NULL */
    char *text;   /* the buffer, owned by the program; NULL: none */
    uint32_t cap; /* size of the buffer in bytes */
    void **size;  /* out: length of the message in bytes; at most `cap` is stored */
} rt_jit_log;

struct rt_jit_options {
    rt_jit_log info;      /* buffer for the info log */
    rt_jit_log error;     /* buffer for the error log */
    bool verbose;         /* value of CU_JIT_LOG_VERBOSE */
    bool debug;           /* value of CU_JIT_GENERATE_DEBUG_INFO */
    bool optimize;        /* the program asks for optimized code (CU_JIT_OPTIMIZATION_LEVEL) */
    bool override;        /* options win over directives in the PTX (OVERRIDE_DIRECTIVE_VALUES) */
    bool impossible;      /* an option's value is one that no compiler can satisfy */
    uint32_t registers;   /* maximum number of registers per thread; 0: no limit */
    uint32_t threads;     /* threads that a block must be able to have; 0: no requirement */
    uint32_t max_threads; /* value of CU_JIT_MAX_THREADS_PER_BLOCK; 0: not given */
    uint32_t min_blocks;  /* value of CU_JIT_MIN_CTA_PER_SM; 0: not given */
    uint32_t target;      /* target compute capability, 90 for 9.0; 0: that of the device */
    void **time;          /* output: receives the wall time of the compilation */
    void **threads_out;   /* output: receives the number of threads per block */
    const char *const *name; /* GLOBAL_SYMBOL_NAMES: variables that the program defines */
    void *const *address;    /* GLOBAL_SYMBOL_ADDRESSES: device addresses of these variables */
    uint32_t symbol_count;   /* entries in `name` and `address` */
    unsigned symbol_options; /* how many of the three GLOBAL_SYMBOL options were given */
};

/* Read COUNT options into *JIT, which must be zero before the first call; later values replace
 * earlier ones. Returns cudaErrorInvalidValue for an unknown option or value. */
cudaError_t rt_jit_read_options(unsigned count, const int *option, void **value,
                                rt_jit_options *jit);
/* Returns cudaSuccess if PTX for TARGET can be compiled with the options of JIT, else the error. */
cudaError_t rt_jit_check_target_option(const rt_jit_options *jit, uint32_t target);
/* Turn options into directives of M's kernels: .maxnreg, .maxntid and .minnctapersm. */
void rt_jit_apply_limits(const rt_jit_options *jit, ptx_module *m);
/* The device address that the program gave for variable NAME; 0 if none. */
uint64_t rt_jit_provided_symbol_address(const rt_jit_options *jit, const char *name);
/* Store TEXT in the program's buffer, truncated to fit; NULL stores an empty string. */
void rt_jit_write_log(const rt_jit_log *log, const char *text);
/* Write the register count and memory sizes of M's kernels to the info log if JIT requests it
 * (LOG_VERBOSE). M may be NULL. */
void rt_jit_log_kernels(const rt_jit_options *jit, rt_module *m);
/* Store the values that options return: the wall time in seconds, and the threads per block. */
void rt_jit_store_results(const rt_jit_options *jit, double seconds);

/* Maximum number of registers per thread of kernel F, by its directives or the hardware. */
uint32_t rt_jit_register_limit(const ptx_func *f);

/* Format of the first line of the text that cuLinkComplete returns in the emulator; on a GPU it
 * returns machine code. */
#define RT_JIT_LINKED_FORMAT "// linked for sm_%u\n"
/* Format of each further line of the linked text: a variable that the program defines
 * (GLOBAL_SYMBOL_NAMES), and its address. */
#define RT_JIT_SYMBOL_FORMAT "// symbol %s %llx\n"
/* Add the symbols of linked TEXT to *JIT. Returns false if the host is out of memory. Release with
 * rt_jit_free_symbols. */
bool rt_jit_read_linked_symbols(const char *text, rt_jit_options *jit);
void rt_jit_free_symbols(rt_jit_options *jit); /* frees what rt_jit_read_linked_symbols added */
/* jit_link.c: insert directives for the options of JIT into TEXT; *OUT is malloc'ed. Errors in TEXT
 * go to JIT's error log. */
cudaError_t rt_jit_add_directives(const char *text, const rt_jit_options *jit, char **out);
/* Can every symbol that TEXT uses but does not define be resolved? If not, SAID receives the name
 * of one. Returns true without a check if the program provides symbols (GLOBAL_SYMBOL_NAMES): a
 * launch then reports the missing ones. */
bool rt_jit_are_symbols_resolvable(const char *text, const rt_jit_options *jit, char *said,
                                   size_t cap);
/* Link COUNT PTX texts into one, malloc'ed. */
cudaError_t rt_jit_link_texts(const char *const *text, unsigned count, const rt_jit_options *jit,
                              char **out);
