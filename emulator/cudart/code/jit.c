/* Reads the options of the JIT compiler (jit.h) and turns them into directives. Which values are
 * valid, and which of two conflicting options wins, was measured with an H200's driver
 * (tests/hardware/codes/driver/jit_options.cu). */
#include "jit.h"

#include "../core/state.h"

#include <string.h>

/* Values of CUjit_option. The runtime's header does not name all of them. */
enum {
    JIT_MAX_REGISTERS, /* this and the next ones: CU_JIT_* of cuda.h */
    JIT_THREADS_PER_BLOCK,
    JIT_WALL_TIME,
    JIT_INFO_LOG_BUFFER,
    JIT_INFO_LOG_BUFFER_SIZE,
    JIT_ERROR_LOG_BUFFER,
    JIT_ERROR_LOG_BUFFER_SIZE,
    JIT_OPTIMIZATION_LEVEL,
    JIT_TARGET = 9,
    JIT_GENERATE_DEBUG_INFO = 11,
    JIT_LOG_VERBOSE,
    JIT_CACHE_MODE = 14,
    JIT_NEW_SM3X_OPT,
    JIT_GLOBAL_SYMBOL_NAMES = 17,
    JIT_GLOBAL_SYMBOL_ADDRESSES,
    JIT_GLOBAL_SYMBOL_COUNT,
    JIT_REFERENCED_KERNEL_NAMES = 25,
    JIT_REFERENCED_VARIABLE_NAMES = 27,
    JIT_MIN_CTA_PER_SM = 31,
    JIT_MAX_THREADS_PER_BLOCK,
    JIT_OVERRIDE_DIRECTIVE_VALUES,
    JIT_OPTION_COUNT
};

enum {
    JIT_LEAST_REGISTER_LIMIT = 24, /* smaller limits on registers are raised to this one */
    JIT_CACHE_MODE_COUNT = 3       /* number of valid values of JIT_CACHE_MODE */
};
#define ARCH_SPECIFIC   UINT32_C(0x10000) /* flag of a target such as sm_90a, in CUjit_target */
#define FAMILY_SPECIFIC UINT32_C(0x20000) /* flag of a target such as sm_100f, in CUjit_target */

static uint32_t max_registers(void)
{
    return (uint32_t)rt.profile.registers_per_thread;
}

/* Does a CUDA 13 driver know this compute capability? */
static bool is_known_target(uint32_t target)
{
    static const uint8_t known[] = {0,  1,  2,  3,   4,   5,   30,  32,  35, 37, 50,
                                    52, 53, 60, 61,  62,  70,  72,  75,  80, 86, 87,
                                    88, 89, 90, 100, 101, 103, 110, 120, 121};
    const uint32_t plain = target & ~(ARCH_SPECIFIC | FAMILY_SPECIFIC);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i] == plain)
            return true;
    return false;
}

static cudaError_t read_log_option(int option, void **value, rt_jit_options *jit)
{
    const uint32_t n = (uint32_t)(uintptr_t)*value;
    rt_jit_log *log = option <= JIT_INFO_LOG_BUFFER_SIZE ? &jit->info : &jit->error;
    if (option == JIT_INFO_LOG_BUFFER || option == JIT_ERROR_LOG_BUFFER) {
        log->given = true;
        log->text = *value;
    } else {
        log->cap = n;
        log->size = value;
    }
    return cudaSuccess;
}

static cudaError_t read_target_option(uint32_t n, rt_jit_options *jit)
{
    const uint32_t plain = n & ~(ARCH_SPECIFIC | FAMILY_SPECIFIC);
    jit->target =
        plain ? plain : 1; /* 0 stands for a missing option, so store a target that no device has */
    return is_known_target(n) ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t read_option(int option, void **value, rt_jit_options *jit)
{
    const uint32_t n = (uint32_t)(uintptr_t)*value;
    switch (option) {
    case JIT_MAX_REGISTERS:
        jit->registers = n > max_registers()            ? 0
                         : n < JIT_LEAST_REGISTER_LIMIT ? JIT_LEAST_REGISTER_LIMIT
                                                        : n;
        return n ? cudaSuccess : cudaErrorInvalidValue;
    case JIT_THREADS_PER_BLOCK:
        jit->threads = n;
        jit->threads_out = value;
        break;
    case JIT_WALL_TIME: jit->time = value; break;
    case JIT_INFO_LOG_BUFFER:
    case JIT_INFO_LOG_BUFFER_SIZE:
    case JIT_ERROR_LOG_BUFFER:
    case JIT_ERROR_LOG_BUFFER_SIZE: return read_log_option(option, value, jit);
    case JIT_OPTIMIZATION_LEVEL:
        jit->optimize = n;
        jit->impossible |= (int32_t)n < 0;
        break;
    case JIT_TARGET: return read_target_option(n, jit);
    case JIT_GENERATE_DEBUG_INFO: jit->debug = n; break;
    case JIT_LOG_VERBOSE: jit->verbose = n; break;
    case JIT_CACHE_MODE: return n < JIT_CACHE_MODE_COUNT ? cudaSuccess : cudaErrorInvalidValue;
    case JIT_NEW_SM3X_OPT: /* has an effect on compute capability 3.x only */
        jit->impossible = true;
        break;
    case JIT_GLOBAL_SYMBOL_NAMES:
        jit->name = *value;
        jit->symbol_options++;
        break;
    case JIT_GLOBAL_SYMBOL_ADDRESSES:
        jit->address = *value;
        jit->symbol_options++;
        break;
    case JIT_GLOBAL_SYMBOL_COUNT:
        jit->symbol_count = n;
        jit->symbol_options++;
        break;
    case JIT_REFERENCED_KERNEL_NAMES:
    case JIT_REFERENCED_VARIABLE_NAMES: return *value ? cudaSuccess : cudaErrorInvalidValue;
    case JIT_MIN_CTA_PER_SM:
        jit->min_blocks = n;
        jit->impossible |= (int32_t)n < 0;
        break;
    case JIT_MAX_THREADS_PER_BLOCK: jit->max_threads = n; break;
    case JIT_OVERRIDE_DIRECTIVE_VALUES: jit->override = n; break;
    default: /* options for machine code, caches, and inputs other than PTX */
        return option >= 0 && option < JIT_OPTION_COUNT ? cudaSuccess : cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

cudaError_t rt_jit_read_options(unsigned count, const int *option, void **value,
                                rt_jit_options *jit)
{
    if (count && (!option || !value))
        return cudaErrorInvalidValue;
    uint32_t registers = 0; /* if JIT_MAX_REGISTERS is given twice, the first value counts */
    for (unsigned i = 0; i < count; i++) {
        cudaError_t e = read_option(option[i], &value[i], jit);
        if (e)
            return e;
        if (option[i] == JIT_MAX_REGISTERS)
            jit->registers = registers = registers ? registers : jit->registers;
    }
    /* A log and its size must be given together, and so symbols' names, addresses and count. */
    return jit->info.given == !!jit->info.size && jit->error.given == !!jit->error.size &&
                   (!jit->symbol_options || (jit->symbol_options >= 3 && jit->name && jit->address))
               ? cudaSuccess
               : cudaErrorInvalidValue;
}

cudaError_t rt_jit_check_target_option(const rt_jit_options *jit, uint32_t target)
{
    enum { OLDEST_TARGET = 50 };
    if (jit->impossible || (jit->debug && jit->optimize))
        return cudaErrorInvalidPtx;
    if (!jit->target || jit->target == rt_compute_capability())
        return cudaSuccess;
    return jit->target < OLDEST_TARGET ? cudaErrorInvalidKernelImage
           : jit->target < target      ? cudaErrorInvalidPtx
                                       : cudaErrorInvalidSource;
}

uint64_t rt_jit_provided_symbol_address(const rt_jit_options *jit, const char *name)
{
    for (uint32_t i = 0; jit && i < jit->symbol_count; i++)
        if (jit->name[i] && !strcmp(jit->name[i], name))
            return (uint64_t)(uintptr_t)jit->address[i];
    return 0;
}

void rt_jit_write_log(const rt_jit_log *log, const char *text)
{
    const uint32_t size = text && log->text && log->cap > 1 ? strnlen(text, log->cap) : 0;
    if (size) {
        memset(log->text, 0, log->cap); /* a real driver clears the rest of the buffer too */
        memcpy(log->text, text, size < log->cap ? size : size - 1);
    } else if (log->text && log->cap) {
        log->text[0] = '\0';
    }
    if (log->size)
        memcpy(log->size, &size, sizeof size);
}

/* JIT_THREADS_PER_BLOCK, rounded up to whole warps and limited to the largest block. */
static uint32_t rounded_block_threads(const rt_jit_options *jit)
{
    return jit->threads > RT_BLOCK_THREADS ? RT_BLOCK_THREADS : (jit->threads + 31) / 32 * 32;
}

void rt_jit_store_results(const rt_jit_options *jit, double seconds)
{
    const float ms = (float)(seconds * 1e3);
    if (jit->time)
        memcpy(jit->time, &ms, sizeof ms);
    if (jit->threads_out) {
        const uint32_t threads = rounded_block_threads(jit);
        memcpy(jit->threads_out, &threads, sizeof threads);
    }
}

/* --- registers of a kernel -------------------------------------------------------------------- */

static uint32_t product_of_sizes(const uint32_t n[3])
{
    return n[0] * (n[1] ? n[1] : 1) * (n[2] ? n[2] : 1);
}

/* Maximum number of registers per thread with which BLOCKS blocks of THREADS threads can be
 * resident on one SM; 0 if every number of registers allows that, or none does. */
static uint32_t registers_for_blocks(uint32_t threads, uint32_t blocks)
{
    const uint64_t all = ((uint64_t)threads + 31) / 32 * 32 * (blocks ? blocks : 1);
    if (!all || all > (uint64_t)rt.profile.threads_per_sm)
        return 0;
    const uint64_t each = (uint64_t)rt.profile.registers_per_sm / all / 8 * 8;
    return each < max_registers() ? (uint32_t)each : 0;
}

static uint32_t min_nonzero(uint32_t a, uint32_t b)
{
    return !a ? b : !b || a < b ? a : b;
}

uint32_t rt_jit_register_limit(const ptx_func *f)
{
    if (f->maxnreg)
        return f->maxnreg < JIT_LEAST_REGISTER_LIMIT ? JIT_LEAST_REGISTER_LIMIT : f->maxnreg;
    const uint32_t threads = product_of_sizes(f->reqntid[0] ? f->reqntid : f->maxntid);
    const uint32_t least = min_nonzero(registers_for_blocks(threads, 1),
                                       registers_for_blocks(threads, f->minnctapersm));
    return least ? least : max_registers();
}

static void apply_jit_options(const rt_jit_options *jit, ptx_func *f)
{
    const bool said = f->maxntid[0] || f->reqntid[0] || f->minnctapersm || f->maxnreg;
    if (jit->override || !said) { /* directives in the PTX win over options */
        if (jit->max_threads) {
            memset(f->reqntid, 0, sizeof f->reqntid);
            f->maxntid[0] = jit->max_threads;
            f->maxntid[1] = f->maxntid[2] = 1;
        }
        f->minnctapersm = jit->min_blocks ? jit->min_blocks : f->minnctapersm;
        f->maxnreg = jit->registers ? jit->registers : f->maxnreg;
        const uint32_t most = registers_for_blocks(rounded_block_threads(jit), 1);
        f->maxnreg = most ? min_nonzero(rt_jit_register_limit(f), most) : f->maxnreg;
    }
}

void rt_jit_apply_limits(const rt_jit_options *jit, ptx_module *m)
{
    for (uint32_t i = 0; i < m->func_count; i++)
        if (m->funcs[i]->is_entry && m->funcs[i]->has_body)
            apply_jit_options(jit, m->funcs[i]);
}
