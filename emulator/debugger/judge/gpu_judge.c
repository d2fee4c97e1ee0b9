#include "gpu_judge.h"

#include "../recording/mix.h"
#include "../replay/gpu.h"
#include "ahead.h"
#include "gpu_passes.h"

#include <stdlib.h>
#include <string.h>

enum {
    WARM_UP_RUNS = 2, /* launches that are not timed, before those that are */
    MAX_TIMINGS = 99, /* most timed runs of a launch */
    EXIT_REFUSED = 2, /* exit status: the recording is not judged */
    EXIT_NO_GPU = 3   /* exit status: no GPU can be used */
};

/* An array in GPU memory, without the guard zones before and after it. */
typedef struct gpu_array {
    CUdeviceptr at; /* address of the array; 0: the pointer refers to no memory */
    uint64_t bytes; /* size of the array */
} gpu_array;

/* What a kernel's scratch memory held before its launch. */
typedef struct kept_array {
    gpu_array array; /* the array in GPU memory */
    void *bytes;     /* the saved contents of the array, in host memory */
} kept_array;

enum { MAX_KEPT_ARRAYS = 4 }; /* most arrays that are saved before a launch */

typedef struct gpu_judging {
    const gpu_judge_options *spec;    /* what to judge */
    gpu_passes passes;                /* kernels that fill and digest arrays */
    bool ready;                       /* `passes` is open */
    launch_standard standard;         /* what launches are judged by */
    size_t number;                    /* number of the next row of the result table */
    kept_array kept[MAX_KEPT_ARRAYS]; /* contents of arrays saved before a launch */
    size_t kept_count;                /* entries used in `kept` */
} gpu_judging;

/* Write a row of the result table. The rows of one launch have the same number. */
static void write_result_row(const gpu_judging *j, const char *what, const char *kernel, double ns,
                             const char *sentence)
{
    fprintf(j->spec->table, "%s\t%s\t%zu\t%.17g\t%s\n", what, *kernel ? kernel : "-", j->number, ns,
            *sentence ? sentence : "-");
}

/* --- arrays --- */

/* The bytes of kernel parameter INDEX of launch L; *SIZE becomes their number. NULL: there is no
 * such parameter, or its size is not BYTES (0: any size). */
static const uint8_t *parameter_at(const gpu_launch *l, uint32_t index, size_t bytes, size_t *size)
{
    size_t offset = 0;
    *size = 0;
    if (gpu_calls.param_info(l->function, index, &offset, size) || offset > l->param_bytes ||
        *size > l->param_bytes - offset || (bytes && *size != bytes))
        return NULL;
    return l->params + offset;
}

/* The array at ADDRESS. The guard zone after it is as long as the one before it. */
static gpu_array gpu_array_at(const gpu_replay *r, CUdeviceptr address)
{
    CUdeviceptr base;
    uint64_t size;
    if (!gpu_allocation_at(r, address, &base, &size))
        return (gpu_array){0};
    const uint64_t fence = address - base, rest = size - fence;
    return (gpu_array){address, rest > fence ? rest - fence : 0};
}

/* The array that RULE names: a device variable, or what a parameter of launch L points to. */
static gpu_array gpu_array_of_rule(const gpu_replay *r, const gpu_launch *l, const judge_rule *rule)
{
    gpu_array a = {0};
    CUdeviceptr address;
    size_t size;
    if (*rule->variable)
        return gpu_find_variable(r, rule->variable, &a.at, &a.bytes) ? a : (gpu_array){0};
    const uint8_t *p = parameter_at(l, rule->parameter, sizeof address, &size);
    if (!p)
        return a;
    memcpy(&address, p, sizeof address);
    return gpu_array_at(r, address);
}

static bool is_rule_about_kernel_of(const judge_rule *r, const gpu_launch *l)
{
    return !strcmp(r->kernel, l->kernel);
}

/* --- scratch memory: restored after a launch, so that the next timed run finds it unchanged --- */

static void free_saved_scratch(gpu_judging *j)
{
    while (j->kept_count)
        free(j->kept[--j->kept_count].bytes);
}

/* Save the arrays that launch L changes and the judge does not fill, so that L can be repeated. */
static bool save_scratch(gpu_judging *j, gpu_replay *r, const gpu_launch *l)
{
    for (size_t i = 0; i < j->standard.rules->count; i++) {
        const judge_rule *rule = &j->standard.rules->row[i];
        const gpu_array a = gpu_array_of_rule(r, l, rule);
        if (!is_rule_about_kernel_of(rule, l) ||
            (rule->role != RULE_SCRATCH && rule->role != RULE_BEGUN) || !a.bytes)
            continue;
        if (j->kept_count == MAX_KEPT_ARRAYS) {
            return gpu_set_error(r, EXIT_REFUSED, "%s changes more arrays than can be restored",
                                 l->kernel);
        }
        kept_array *k = &j->kept[j->kept_count++];
        *k = (kept_array){a, malloc(a.bytes)};
        if (!k->bytes)
            return gpu_set_error(r, EXIT_NO_GPU, "the host is out of memory");
        if (!gpu_is_call_good(r, gpu_calls.copy_out(k->bytes, a.at, a.bytes), "a copy"))
            return false;
    }
    return gpu_save_variables(r);
}

static bool restore_scratch(const gpu_judging *j, gpu_replay *r)
{
    for (size_t i = 0; i < j->kept_count; i++) {
        const kept_array *k = &j->kept[i];
        if (!gpu_is_call_good(r, gpu_calls.copy_in(k->array.at, k->bytes, k->array.bytes),
                              "a copy"))
            return false;
    }
    return gpu_restore_variables(r);
}

/* --- preparing a launch, and checking its outputs --- */

/* A launch_parameter of a gpu_launch. */
static const uint8_t *parameter_of_launch(const void *launch, uint32_t index, size_t *bytes)
{
    return parameter_at(launch, index, 0, bytes);
}

/* Replace the inputs of launch L by other values and fill its outputs with noise. Digests of the
 * original inputs go to E. */
static bool fill_arrays_before_timed_launch(gpu_judging *j, gpu_replay *r, const gpu_launch *l,
                                            transcript_entry *e)
{
    const judge_rules *rules = j->standard.rules;
    CUresult bad = CUDA_SUCCESS;
    for (size_t i = 0; i < 2 * rules->count && !bad; i++) {
        const judge_rule *rule = &rules->row[i < rules->count ? i : i - rules->count];
        const uint64_t seed = launch_contents_seed(&j->standard, rule);
        const bool inputs = i < rules->count;
        uint64_t digest = 0, again = 0;
        if (!is_rule_about_kernel_of(rule, l) || rule->role >= RULE_SCALAR)
            continue;
        const gpu_array a = gpu_array_of_rule(r, l, rule);
        if (inputs && (rule->role == RULE_IN || rule->role == RULE_BEGUN)) {
            bad = gpu_passes_digest(&j->passes, a.at, a.bytes, &digest);
            e->inputs = rec_mix_bits(e->inputs + 1) ^ digest ^ a.bytes;
        }
        if (inputs && rule->role == RULE_IN && !bad) {
            bad = gpu_passes_resample(&j->passes, a.at, a.bytes, rule->type, seed);
            bad = bad ? bad : gpu_passes_digest(&j->passes, a.at, a.bytes, &again);
        } else if (!inputs && (rule->role == RULE_OUT || rule->role == RULE_UPDATE)) {
            bad = gpu_passes_fill(&j->passes, a.at, a.bytes, rule->type, seed);
        }
    }
    return gpu_is_call_good(r, bad, "the judge's own kernel");
}

/* Copy the elements of array A that are compared to the host. The caller frees them. NULL: the host
 * is out of memory, or a call has failed. */
static void *fetch_elements(gpu_judging *j, gpu_replay *r, gpu_array a, const judge_rule *rule)
{
    const size_t size = rule_element_bytes(rule->type);
    const uint64_t seed = launch_sample_seed(&j->standard, rule),
                   count = launch_compared_elements(rule, a.bytes);
    void *some = malloc(count * size + 1);
    const CUresult bad =
        !some ? CUDA_ERROR_OUT_OF_MEMORY
        : a.bytes > MAX_WHOLE_ARRAY_BYTES
            ? gpu_passes_sample(&j->passes, a.at, a.bytes, rule->type, seed, count, some)
        : a.bytes ? gpu_calls.copy_out(some, a.at, count * size)
                  : CUDA_SUCCESS;
    if (gpu_is_call_good(r, bad, "reading what a kernel wrote"))
        return some;
    free(some);
    return NULL;
}

/* Store the outputs of launch L in the transcript, or compare them with the reference's. WHY
 * becomes a message about a difference, or stays "". Returns false if a call of the GPU fails. */
static bool check_outputs(gpu_judging *j, gpu_replay *r, const gpu_launch *l, transcript_entry *e,
                          char *why, size_t cap)
{
    const judge_rules *rules = j->standard.rules;
    for (size_t i = 0; i < rules->count && e->outs < TRANSCRIPT_MAX_OUTPUTS; i++) {
        const judge_rule *rule = &rules->row[i];
        uint64_t digest = 0;
        if (!is_rule_about_kernel_of(rule, l) || !rule_is_about_output(rule))
            continue;
        const gpu_array a = gpu_array_of_rule(r, l, rule);
        void *some = fetch_elements(j, r, a, rule);
        if (!some || !gpu_is_call_good(r, gpu_passes_digest(&j->passes, a.at, a.bytes, &digest),
                                       "the judge's own kernel")) {
            free(some);
            return false;
        }
        launch_judge_output(&j->standard, rule, &(launch_output){a.bytes, digest, some}, e, why,
                            cap);
        free(some);
    }
    return true;
}

/* --- launches --- */

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_of(double *values, long count)
{
    qsort(values, (size_t)count, sizeof *values, compare_doubles);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* Run launch L once and judge it. ASKED becomes a message about a wrong kernel, size or input, WHY
 * a message about a wrong output. */
static bool run_and_judge_launch(gpu_judging *j, gpu_replay *r, gpu_launch *l, double *ns,
                                 char *asked, char *why, size_t cap)
{
    transcript_entry e = {
        .scalars = launch_scalars_digest(&j->standard, l->kernel, parameter_of_launch, l)};
    snprintf(e.kernel, sizeof e.kernel, "%.*s", (int)sizeof e.kernel - 1, l->kernel);
    if (!restore_scratch(j, r) || !fill_arrays_before_timed_launch(j, r, l, &e))
        return false;
    if (!*asked)
        launch_explain_difference(&j->standard, &e, asked, cap);
    if (!gpu_time_launches(r, l, 1, ns) || !check_outputs(j, r, l, &e, why, cap))
        return false;
    e.ns = *ns;
    if (j->standard.write)
        transcript_append_entry(j->standard.write, &e);
    j->standard.row++;
    return true;
}

/* Run launch L as often as requested, judge each run, and write the median of its times. */
static bool judge_launch(gpu_judging *j, gpu_replay *r, gpu_launch *l)
{
    enum { SENTENCE_BYTES = 256 };
    double ns[MAX_TIMINGS] = {0}, warm;
    char asked[SENTENCE_BYTES] = "", why[SENTENCE_BYTES] = "";
    bool good =
        j->ready || gpu_is_call_good(r, gpu_passes_load_kernels(&j->passes), "the judge's kernels");
    j->ready = true;
    good = good && save_scratch(j, r, l);
    for (long k = -WARM_UP_RUNS; k < j->spec->times && good; k++)
        good = run_and_judge_launch(j, r, l, k < 0 ? &warm : &ns[k], asked, why, SENTENCE_BYTES);
    free_saved_scratch(j);
    if (good) {
        if (*asked)
            write_result_row(j, "asked", l->kernel, 0, asked);
        write_result_row(j, "launch", l->kernel, median_of(ns, j->spec->times),
                         *asked ? asked : why);
        j->number++;
    }
    return good;
}

/* Time launches of kernels that no rule names, such as those of a library call. They are launched
 * together, as one measurement. */
static bool time_unjudged_launches(gpu_judging *j, gpu_replay *r, gpu_launch *l, size_t count)
{
    double ns[MAX_TIMINGS] = {0}, warm;
    for (long k = -WARM_UP_RUNS; k < j->spec->times; k++)
        if (!gpu_time_launches(r, l, count, k < 0 ? &warm : &ns[k]))
            return false;
    write_result_row(j, "other", l->kernel, median_of(ns, j->spec->times), "");
    j->number++;
    return true;
}

/* Callback of the replay: judge launches of kernels that rules name, and time the others. */
static bool judge_launches(void *object, gpu_replay *r, gpu_launch *l, size_t count)
{
    gpu_judging *j = object;
    for (size_t i = 0; i < count; i++) {
        char name[sizeof l->kernel];
        kernel_name_in_rules(j->standard.rules, l[i].kernel, name, sizeof name);
        if (rules_mention_kernel(j->standard.rules, name)) {
            memcpy(l[i].kernel, name, sizeof name);
            if (!judge_launch(j, r, &l[i]))
                return false;
        } else if (j->standard.write && i == 0) {
            return time_unjudged_launches(j, r, l, count);
        }
    }
    return true;
}

/* Callback of the replay: is a module code of the submitted program? Otherwise the replay ends. */
static bool check_module_is_submitted(void *object, gpu_replay *r, const char *ptx, size_t length)
{
    gpu_judging *j = object;
    static const char why[] =
        "its device code is not the code that the compiler made from the submitted source";
    if (program_has_ptx(j->spec->program, ptx, length)) {
        write_result_row(j, "device", gpu_device_name(r), 0, "");
        return true;
    }
    write_result_row(j, "policy", "", 0, why);
    return gpu_set_error(r, EXIT_REFUSED, "%s", why);
}

int gpu_judge(const gpu_judge_options *spec, char *err, size_t cap)
{
    gpu_judging j = {.spec = spec, .standard = spec->standard};
    const gpu_watch watch = {
        .object = &j, .module = check_module_is_submitted, .launches = judge_launches};
    if (spec->times < 1 || spec->times > MAX_TIMINGS) {
        snprintf(err, cap, "a launch is timed 1 to %d times", MAX_TIMINGS);
        return EXIT_REFUSED;
    }
    return gpu_repeat(spec->recording, &watch, NULL, err, cap);
}
