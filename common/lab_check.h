/* Checks: sizes, comparisons, and sentences that say what is wrong and where to look. */
#ifndef WARPBOOK_LAB_CHECK_H
#define WARPBOOK_LAB_CHECK_H

#include "lab_array.h"
#include "lab_shape.h"

/* Sizes for checks: multiples of a block, and other sizes. A random size follows them. */
static const int lab_sizes[] = {1,   2,   5,    31,   32,   33,   127,  128,   129,   255,
                                256, 257, 1000, 1024, 1025, 4099, 8192, 65537, 100003};
enum {
    LAB_SIZES = sizeof lab_sizes / sizeof lab_sizes[0], /* number of these sizes */
    LAB_MIN_RANDOM = 2000                               /* smallest random size */
};

/* Number of lab_sizes that are not larger than LARGEST; all of them if LARGEST is 0. */
static inline int lab_size_count(long largest)
{
    int count = LAB_SIZES;
    while (largest && lab_sizes[count - 1] > largest)
        count--;
    return count;
}

static inline long lab_smaller_limit(long a, long b) // the smaller of two limits; 0 is no limit
{
    return a > 0 && (b == 0 || a < b) ? a : b;
}

/* Implements LAB_CHECK: runs the body for each size until one fails, or for all sizes with
 * WARPBOOK_ALL_SIZES. ONLY: the only size, or 0 for all sizes up to MOST (at least 4096; 0: no
 * limit) and WARPBOOK_LARGEST. */
struct lab_check_run {
    explicit lab_check_run(const char *name, long only = 0, long most = 0)
        : largest(lab_smaller_limit(most, lab_run().largest)), next(0),
          sizes(only > 0 ? 1 : lab_size_count(largest) + 1), only((int)only), n(0), wrong(0),
          skip(true)
    {
        lab_state &run = lab_run();
        if (run.only_measure || run.device_lost)
            return;
        if (!run.begun)
            lab_stop(2, "LAB_CHECK before lab_begin.");
        if (run.checks == LAB_MAX_VARIANTS)
            lab_stop(2, "A lab has at most %d checks.", (int)LAB_MAX_VARIANTS);
        skip = false;
        if (run.checks == 0)
            printf("\nChecks\n");
        run.current = run.checks++;
        snprintf(run.variant[run.current].name, LAB_NAME, "%s", name);
    }

    bool more(void) // the body runs once more
    {
        if (skip)
            return false;
        lab_state &run = lab_run();
        if (next > 0)
            finish_size();
        if (lab_failed() || next == sizes) {
            finish();
            return false;
        }
        if (only > 0)
            n = only;
        else
            n = next < sizes - 1 ? lab_sizes[next] : random_size();
        next++;
        run.compared = 0;
        snprintf(run.context, sizeof run.context, "n = %d", n);
        return true;
    }

    int size(void) const // the size being checked
    {
        return n;
    }

  private:
    long largest;         /* the largest problem size that the check tries; 0: no limit */
    int next, sizes;      /* index of the next problem size; number of sizes */
    int only;             /* the only problem size of the check; 0: there are several */
    int n, wrong;         /* problem size being checked; number of wrong sizes so far */
    bool skip;            /* this check is left out, for instance because the run only measures */
    char first[LAB_TEXT]; /* what was wrong at the first wrong size */

    int random_size(void) const // a problem size that depends on the seed
    {
        uint64_t range = largest && largest < 62000 ? (uint64_t)(largest - LAB_MIN_RANDOM) : 60000;
        return LAB_MIN_RANDOM + (int)(lab_bits() % range);
    }

    void finish_size(void) // record whether the results at size n were right
    {
        lab_state &run = lab_run();
        char text[32];
        snprintf(text, sizeof text, "%d", n);
        if (lab_wait_for_device() && run.compared == 0)
            lab_fail("nothing was compared: a LAB_CHECK needs lab_expect or another comparison.");
        lab_variant &variant = run.variant[run.current];
        lab_append_row("check", variant.name, "-", text, NULL, variant.failed ? "fail" : "pass",
                       variant.failed ? variant.message : "-");
        if (!variant.failed || !run.all_sizes || run.device_lost)
            return;
        if (wrong++ == 0)
            snprintf(first, sizeof first, "%s", variant.message);
        variant.failed = false;
    }

    void finish(void) // print whether the check passed
    {
        lab_state &run = lab_run();
        lab_variant &variant = run.variant[run.current];
        if (wrong > 0) {
            variant.failed = true;
            snprintf(variant.message, sizeof variant.message, "%s", first);
        }
        if (variant.failed) {
            run.failures++;
            printf("  FAIL  %s\n", variant.name);
            lab_print_text(8, variant.message);
            if (run.device_lost)
                lab_print_text(8, "The device does not recover from this; the rest was not run.");
        } else if (only > 0) {
            printf("  pass  %-40s n = %d\n", variant.name, only);
        } else {
            printf("  pass  %-40s %d sizes, 1 to %d\n", variant.name, sizes, lab_sizes[sizes - 2]);
        }
        fflush(stdout);
        run.current = -1;
    }
};

/* VALUE as a number; lab_half.h has one for halves. */
template <class T> static double lab_number(T value)
{
    return (double)value;
}

/* Explain wrong elements R of OUT, the first of which is FOUND: the words that follow "out[3] is 7,
 * expected 9". */
template <class T, class F>
static void lab_diagnose(char *words, size_t room, T found, const lab_results &r, F expected)
{
    T mark;
    lab_poison(&mark);
    if (memcmp(&found, &mark, sizeof mark) == 0) {
        snprintf(words, room, ": was it written?");
        return;
    }
    lab_guard_value(&mark);
    if (memcmp(&found, &mark, sizeof mark) == 0 || isnan(lab_number(found)))
        snprintf(words, room,
                 ": was something read from beyond an array's ends, or before it was written?");
    else if (!lab_say_shape(r, lab_number((T)0.5) == 0, words, room, expected))
        snprintf(words, room,
                 lab_number(found) == 0 ? ": nothing was added or copied there." : ".");
}

/* Fail the check: WRONG elements of R are wrong, the first of which is FOUND, AT the device. */
template <class T, class F>
static void lab_fail_at(const T *at, T found, const lab_results &r, long wrong, F expected,
                        const char *reason)
{
    char words[160], value[64], wanted[32], off[200] = "";
    const double want = r.want[r.first], got = r.got[r.first];
    const char *digits = lab_number((T)0.5) == 0 ? "%.0f" : "%.9g"; // floats: 9 digits
    snprintf(wanted, sizeof wanted, digits, want);
    lab_diagnose(words, sizeof words, found, r, expected);
    T mark;
    lab_poison(&mark);
    if (isnan(got))
        snprintf(value, sizeof value, "NaN");
    else if (memcmp(&found, &mark, sizeof mark) == 0)
        snprintf(value, sizeof value, "the marker %.9g", got);
    else
        snprintf(value, sizeof value, digits, got);
    if (r.tolerance > 0 && fabs(got - want) <= 1000 * r.tolerance)
        snprintf(off, sizeof off, " It is off by %.2g, allowed are %.2g (%s).", fabs(got - want),
                 r.tolerance, reason);
    char sentence[LAB_TEXT - LAB_NAME - 8];
    snprintf(sentence, sizeof sentence, "%s[%ld] is %s, expected %s%s%s %ld of %ld wrong.", r.name,
             r.first, value, wanted, words, off, wrong, r.n);
    lab_register_wrong(at, sentence);
    lab_fail("%s", sentence);
}

/* Memory of the host for N values. */
template <class T> static T *lab_host_memory(long n)
{
    T *memory = (T *)malloc((size_t)(n > 0 ? n : 1) * sizeof(T));
    if (!memory)
        lab_stop(1, "The host has no memory for %ld elements.", n);
    return memory;
}

/* Compare every element of OUT with EXPECTED(i). Only valid inside a LAB_CHECK. The comparison is
 * !(difference <= TOLERANCE), so NaN never passes. REASON is the tolerance's. */
#define lab_expect(out, ...) lab_expect_of(#out, out, __VA_ARGS__)

/* Implements lab_expect; NAME is what the lab calls OUT. */
template <class T, class F>
static void lab_expect_of(const char *name, const lab_array<T> &out, F expected, double tolerance,
                          const char *reason)
{
    if (lab_run().current < 0)
        lab_stop(2, "lab_expect belongs into a LAB_CHECK.");
    lab_run().compared++;
    if (lab_failed() || !lab_wait_for_device())
        return;
    T *now = lab_host_memory<T>(out.n);
    double *got = lab_host_memory<double>(out.n), *want = lab_host_memory<double>(out.n);
    lab_results r = {name, got, want, out.n, tolerance, -1};
    long wrong = 0;
    if (out.download(now, 0, out.n)) {
        for (long i = 0; i < out.n; i++) {
            got[i] = lab_number(now[i]);
            want[i] = (double)expected(i);
            if (!(fabs(got[i] - want[i]) <= tolerance) && wrong++ == 0)
                r.first = i;
        }
    }
    if (wrong > 0)
        lab_fail_at(out.device + r.first, now[r.first], r, wrong, expected, reason);
    free(now);
    free(got);
    free(want);
    if (!lab_failed())
        lab_guards_intact();
}

/* Require that a number of the host, described by WHAT ("the time in ms"), lies between LOW and
 * HIGH; WHY is the reason. NaN fails. */
static inline void lab_between(double value, double low, double high, const char *what,
                               const char *why)
{
    if (lab_run().current < 0)
        lab_stop(2, "lab_between belongs into a LAB_CHECK.");
    lab_run().compared++;
    if (value >= low && value <= high)
        return;
    if (low == high)
        lab_fail("%s: %.5g, expected %.5g (%s).", what, value, low, why);
    else if (isinf(high))
        lab_fail("%s: %.5g, expected at least %.5g (%s).", what, value, low, why);
    else
        lab_fail("%s: %.5g, expected %.5g to %.5g (%s).", what, value, low, high, why);
}

/* Require that the condition SO is true; if not, the check fails with SENTENCE. */
static inline void lab_require(bool so, const char *sentence)
{
    if (lab_run().current < 0)
        lab_stop(2, "lab_require belongs into a LAB_CHECK.");
    lab_run().compared++;
    if (!so)
        lab_fail("%s", sentence);
}

/* Name the case of a size that is being checked, such as "n = 33, block = 64". */
static inline void lab_case(const char *what, int value)
{
    lab_state &run = lab_run();
    if (lab_failed())
        return;
    char *comma = strchr(run.context, ',');
    if (comma)
        *comma = '\0';
    size_t used = strlen(run.context);
    snprintf(run.context + used, sizeof run.context - used, ", %s = %d", what, value);
}

/* In an exercise to break a kernel (break.cu): end the run unless the choice is within BOUNDS, a
 * sentence. */
static inline void lab_bound(bool within, const char *bounds)
{
    if (!within)
        lab_stop(2, "The choice is out of bounds: %s.", bounds);
}

/* In such an exercise, after each launch: a launch that fails is no find. */
static inline void lab_launched(void)
{
    cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess)
        lab_stop(2, "The launch failed, so no kernel ran that could be wrong: %s.",
                 cudaGetErrorString(error));
}

#endif
