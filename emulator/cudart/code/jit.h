/* Options of the compiler in the driver (Driver API, CUjit_option; the runtime's cudaJitOption has
 * the same numbers): what a program chooses when it loads or links PTX, and what it is told. */
#ifndef WARPBOOK_JIT_H
#define WARPBOOK_JIT_H

#include "../cudart.h"

/* Messages for the program: information or errors. */
typedef struct rt_jit_log {
    bool given;    /* a buffer: the option, even with NULL */
    char *text;    /* the program's; NULL: none */
    uint32_t room; /* bytes */
    void **size;   /* where the length of the message goes, at most the room */
} rt_jit_log;

struct rt_jit {
    rt_jit_log info, error;
    bool verbose, debug, optimize, override; /* OVERRIDE_DIRECTIVE_VALUES */
    bool impossible;                         /* what no compiler can do */
    uint32_t registers;                      /* most a thread; 0: any */
    uint32_t threads;                        /* a block must be able to have so many; 0: any */
    uint32_t max_threads, min_blocks;
    uint32_t target; /* 90 for compute capability 9.0; 0: the device's */
    void **time, **threads_out;
    const char *const *name; /* of variables that the program defines ... */
    void *const *address;    /* ... and where they are */
    uint32_t symbols;
    unsigned of_symbols; /* how many of these three options there are */
};

/* Add COUNT options to *JIT, which begins as zeros; they replace what earlier calls read.
 * cudaErrorInvalidValue: there is no such option or value. */
cudaError_t rt_jit_read(unsigned count, const int *option, void **value, rt_jit *jit);
/* Whether PTX of TARGET can be compiled as JIT asks: the code of the refusal. */
cudaError_t rt_jit_refuses(const rt_jit *jit, uint32_t target);
/* What JIT asks becomes directives of M's kernels: .maxnreg and .maxntid. */
void rt_jit_apply(const rt_jit *jit, ptx_module *m);
/* The address that the program gave for the variable NAME; 0: none. */
uint64_t rt_jit_symbol(const rt_jit *jit, const char *name);
/* Put TEXT into LOG, cut to its room; NULL: an empty string. */
void rt_jit_tell(const rt_jit_log *log, const char *text);
/* Tell what there is to say of M's kernels, where JIT asks for it; M NULL: nothing. */
void rt_jit_tell_kernels(const rt_jit *jit, rt_module *m);
/* The options that are answered, SECONDS after the compiler began. */
void rt_jit_answer(const rt_jit *jit, double seconds);
double rt_jit_clock(void); /* seconds of the host's clock */

/* Registers that a thread of kernel F may have, by its directives or at all. */
uint32_t rt_jit_limit(const ptx_func *f);

/* What cuLinkComplete gives out begins with this comment: on a GPU it is machine code. */
#define RT_JIT_LINKED "// linked for sm_%u\n"
/* jit_link.c: TEXT with the directives that JIT asks for, malloc'ed. What is wrong with it goes to
 * JIT's log. */
cudaError_t rt_jit_source(const char *text, const rt_jit *jit, char **out);
/* Is all there that TEXT needs from elsewhere? What is not goes to SAID. With symbols of the
 * program's it is not looked at: what is missing is reported by the launch. */
bool rt_jit_resolves(const char *text, const rt_jit *jit, char *said, size_t room);
/* COUNT such texts as one, malloc'ed. */
cudaError_t rt_jit_join(const char *const *text, unsigned count, const rt_jit *jit, char **out);

#endif
