/* The base of all headers in common/: the state of a run, its environment, its record, CUDA
 * errors. */
#ifndef WARPBOOK_LAB_BASE_H
#define WARPBOOK_LAB_BASE_H

#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cuda_profiler_api.h>
#include <cuda_runtime.h>

enum {
    LAB_MAX_VARIANTS = 64, /* checks of a lab, at most */
    LAB_NAME = 64,         /* bytes of a name, with its NUL */
    LAB_TEXT = 512         /* bytes of a message, with its NUL */
};

/* The check of one variant: its name and result. */
struct lab_variant {
    char name[LAB_NAME]; /* name of the kernel, or of its variant, that is checked */
    bool failed; /* the results were wrong at some problem size */
    char message[LAB_TEXT]; /* what was wrong, a sentence */
};

/* The state of this run of the lab, in one object. */
struct lab_state {
    struct lab_rounds_run *rounds; /* the LAB_ROUNDS in progress; NULL: none */
    bool begun;             /* lab_begin was called */
    bool emulated;          /* the device is warpbook's emulator, so times are modelled */
    /* An error occurred from which the device does not recover, such as a bad address. */
    bool device_lost;       /* after that, every CUDA call fails */
    bool only_check;        /* WARPBOOK_ONLY=check: nothing is measured */
    bool only_measure;      /* WARPBOOK_ONLY=measure: nothing is checked */
    bool all_sizes;         /* WARPBOOK_ALL_SIZES: a check goes on after a size that fails */
    bool no_curves;         /* WARPBOOK_CURVES=0: curves, which earn no points, are left out */
    char device[256];       /* name of the device (cudaDeviceProp.name) */
    uint64_t seed;          /* seed of the inputs: WARPBOOK_SEED, or from the clock */
    uint64_t random;        /* state of the random number generator */
    long elements;          /* elements to measure (WARPBOOK_N); 0: not set */
    long largest;           /* largest size of a check (WARPBOOK_LARGEST), at least 4096; 0: none */
    long copy_elements;     /* number of elements of the measured device-to-device copy */
    double copy_gbs;        /* bandwidth of the device's own copy in GB/s; 0: not measured yet */
    FILE *record;           /* file that the lab appends results to (WARPBOOK_RECORD) */
    int goals;              /* number of goals (limits on counters) printed so far */
    int choice;             /* number of the program to run, from 1, if there are several; 0: all */
    bool checks_over;       /* the record says that no further check is expected */
    int checks, failures;   /* number of checks run so far; number of those that failed */
    lab_variant variant[LAB_MAX_VARIANTS]; /* [checks] results of the checks */
    int compared;           /* calls of lab_expect at the current size */
    int current;            /* index of the variant being checked; -1: none */
    char context[LAB_NAME]; /* the case being checked: "n = 33, block = 64" */
};

static inline lab_state &lab_run(void)
{
    static lab_state state;
    return state;
}

static inline const char *lab_source_of_times(void) // on this device: modelled or measured
{
    return lab_run().emulated ? "modelled" : "measured";
}

/* Print a sentence to stderr and exit with CODE, one of the exit codes of ./warpbook: 1 failed, 2
 * usage, 3 no device. */
[[noreturn]] static inline void lab_stop(int code, const char *format, ...)
{
    va_list args;
    fflush(stdout);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(code);
}

/* Print TEXT in lines of at most 76 columns, indented by INDENT columns. */
static inline void lab_print_text(int indent, const char *text)
{
    int column = 0;
    while (*text) {
        int word = (int)strcspn(text, " ");
        if (column > 0 && column + 1 + word > 76) {
            putchar('\n');
            column = 0;
        }
        column +=
            column == 0 ? printf("%*s%.*s", indent, "", word, text) : printf(" %.*s", word, text);
        text += word;
        text += strspn(text, " ");
    }
    putchar('\n');
}

/* Returns 64 random bits, by the generator splitmix64. */
static inline uint64_t lab_bits(void)
{
    uint64_t z = lab_run().random += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/* The value of an integer environment variable; MISSING if it is unset or empty. */
static inline uint64_t lab_env_number(const char *name, uint64_t missing, uint64_t low,
                                       uint64_t high)
{
    const char *text = getenv(name);
    char *end = NULL;
    if (!text || !*text)
        return missing;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (errno || *end || *text == '-' || value < low || value > high)
        lab_stop(2, "%s is '%s': give a whole number from %llu to %llu, or unset it.", name, text,
                 (unsigned long long)low, (unsigned long long)high);
    return value;
}

/* Append a row to the record: kind name x n bytes ms gbs status source device detail. "-" stands
 * for an empty field. */
static inline void lab_append_row(const char *kind, const char *name, const char *x, const char *n,
                              const char *numbers, const char *status, const char *detail)
{
    lab_state &run = lab_run();
    char clean[LAB_TEXT];
    if (!run.record)
        return;
    snprintf(clean, sizeof clean, "%s", detail && *detail ? detail : "-");
    for (char *c = clean; *c; c++)
        if (*c == '\t' || *c == '\n')
            *c = ' ';
    fprintf(run.record, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", kind, name, x, n,
            numbers ? numbers : "-\t-\t-", status, lab_source_of_times(), run.device, clean);
    if (fflush(run.record) != 0)
        lab_stop(1, "The record %s cannot be written: %s.", getenv("WARPBOOK_RECORD"),
                 strerror(errno));
}

static inline void lab_open_record(void)
{
    const char *path = getenv("WARPBOOK_RECORD");
    if (!path || !*path)
        return;
    FILE *file = fopen(path, "a");
    if (!file)
        lab_stop(1, "The record %s cannot be opened: %s.", path, strerror(errno));
    fseek(file, 0, SEEK_END);
    if (ftell(file) == 0)
        fputs("kind\tname\tx\tn\tbytes\tms\tgbs\tstatus\tsource\tdevice\tdetail\n", file);
    lab_run().record = file;
}

/* Record once that the checks are over; measurements follow. */
static inline void lab_record_end_of_checks(void)
{
    lab_state &run = lab_run();
    if (!run.checks_over && run.checks > 0)
        lab_append_row("checked", "-", "-", "-", NULL, run.failures > 0 ? "fail" : "pass", "-");
    run.checks_over = true;
}

/* The checked variant with that name, or NULL. "kernel/256" is a variant of "kernel". */
static inline lab_variant *lab_find_variant(const char *name)
{
    lab_state &run = lab_run();
    for (int i = 0; i < run.checks; i++)
        if (strlen(run.variant[i].name) == strcspn(name, "/") &&
            strncmp(run.variant[i].name, name, strcspn(name, "/")) == 0)
            return &run.variant[i];
    return NULL;
}

/* Fail the running check with a sentence. Only the first failure of a check is kept. */
static inline void lab_fail(const char *format, ...)
{
    lab_state &run = lab_run();
    char text[LAB_TEXT - LAB_NAME - 8];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (run.current < 0)
        lab_stop(1, "%s", text);
    lab_variant &variant = run.variant[run.current];
    if (variant.failed)
        return;
    variant.failed = true;
    snprintf(variant.message, sizeof variant.message, "%s: %s", run.context, text);
}

static inline bool lab_failed(void)
{
    lab_state &run = lab_run();
    return run.current >= 0 && run.variant[run.current].failed;
}

#define CUDA_CHECK(call) lab_check_call((call), #call, __FILE__, __LINE__)

/* Handle the result of a call in CUDA_CHECK. During a check an error fails that check. After the
 * device is lost every call fails; that was reported once, and measurements are skipped. */
static inline void lab_check_call(cudaError_t error, const char *call, const char *file, int line)
{
    if (error == cudaSuccess || (lab_run().device_lost && lab_run().current < 0))
        return;
    const char *slash = strrchr(file, '/');
    file = slash ? slash + 1 : file;
    cudaGetLastError();
    bool none = error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver;
    if (cudaDeviceSynchronize() != cudaSuccess)
        lab_run().device_lost = true;
    if (lab_run().current < 0)
        lab_stop(none ? 3 : 1, "%s:%d: %s failed: %s (%s).", file, line, call,
                 cudaGetErrorString(error), cudaGetErrorName(error));
    lab_fail("%s at %s:%d failed: %s (%s).", call, file, line, cudaGetErrorString(error),
             cudaGetErrorName(error));
}

/* Why the last call failed, as the emulator knows it. A GPU's runtime says no more than the error's
 * name; then REASON becomes a question. */
static inline void lab_reason_of_error(char *reason, size_t size)
{
    static const auto ask = (const char *(*)(void))dlsym(RTLD_DEFAULT, "__cudaWarpbookReason");
    const char *why = ask ? ask() : "";
    snprintf(reason, size, "%s%s", *why ? ": " : ". Are its grid and block right?", why);
}

/* Wait for the device. Returns false, and fails the running check, after an error. */
static inline bool lab_wait_for_device(void)
{
    lab_state &run = lab_run();
    char reason[420];
    lab_reason_of_error(reason, sizeof reason);
    cudaError_t launch = cudaGetLastError();
    if (launch == cudaErrorNotReady) /* cudaErrorNotReady is the result of a query, not an error */
        launch = cudaSuccess;
    cudaError_t error = cudaDeviceSynchronize();
    if (error == cudaSuccess)
        error = launch;
    if (error == cudaSuccess)
        return true;
    cudaGetLastError();
    if (cudaDeviceSynchronize() != cudaSuccess)
        run.device_lost = true;
    if (launch != cudaSuccess && !run.device_lost)
        lab_fail("the kernel was not launched: %s (%s)%s", cudaGetErrorString(launch),
                 cudaGetErrorName(launch), reason);
    else
        lab_fail("the kernel was stopped: %s (%s).", cudaGetErrorString(error),
                 cudaGetErrorName(error));
    return false;
}

#endif
