/* The rules for judging the launches of an assignment: labs/NN-topic/judge.tsv, a table with the
 * columns `kernel parameter role type tolerance`. A row stands for a kernel parameter, or for a
 * device variable that the kernel uses, given by its name. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum rule_role {
    RULE_IN,  /* an input array: must hold the values that the reference's holds */
    RULE_OUT, /* an array that the kernel writes completely: filled with noise before the launch */
    RULE_UPDATE,  /* an array that the kernel reads and writes: filled with the noise of the
                     reference before the launch */
    RULE_BEGUN,   /* an array that the kernel reads and writes, and that must equal the reference's
                     before the launch */
    RULE_SCALAR,  /* a value that must equal the reference's */
    RULE_SCRATCH, /* scratch memory of the kernel: not compared */
    RULE_WORK,    /* not a kernel: data that timed work copies back to the host */
    RULE_SHARE,   /* not a kernel: a check of times: work `parameter` takes at most `tolerance`
                     percent   of the time of work `parameter` + 1 */
    RULE_HOST,    /* not a kernel: a check of a result that only the host computes */
    RULE_TIMES,   /* not a kernel: a check of durations, which the submission's own run makes */
    RULE_SERIES   /* not a kernel: launches of the kernel `variable`, one after another and into
                     the same arrays, that are judged as one: how many there are is the
                     submission's choice, and scalars and inputs of the first one are compared */
} rule_role;

/* Integers, then floating-point numbers. */
typedef enum rule_type { RULE_I8, RULE_I32, RULE_I64, RULE_F16, RULE_F32, RULE_F64 } rule_type;

typedef struct judge_rule {
    char kernel[128];   /* demangled kernel name without parameters; name of the check for the roles
                           RULE_WORK to RULE_SERIES */
    uint32_t parameter; /* index of the parameter, used if `variable` is empty */
    char variable[64];  /* name of a device variable, or of the kernel of a series; empty: the rule
                           is  about a parameter */
    rule_role role;     /* role of the parameter */
    rule_type type;     /* type of the elements */
    double tolerance;   /* for floats: greatest allowed difference from the reference */
} judge_rule;

typedef struct judge_rules {
    judge_rule *row; /* [count] rows of judge.tsv */
    size_t count;    /* number of rows */
} judge_rules;

/* Read the rules in file PATH. Returns false with a message in ERR that names the line. rules_free
 * releases OUT. */
bool rules_read(const char *path, judge_rules *out, char *err, size_t cap);
void rules_free(judge_rules *r);

/* Whether any rule is about KERNEL. */
bool rules_mention_kernel(const judge_rules *r, const char *kernel);

/* The rule that makes one of launches of KERNEL that follow one another; NULL: each is judged. */
const judge_rule *rules_series_of_kernel(const judge_rules *r, const char *kernel);

/* The first rule with ROLE; NULL: no rule has it. */
const judge_rule *rules_first_with_role(const judge_rules *r, rule_role role);

size_t rule_element_bytes(rule_type type);
bool rule_is_float(rule_type type);
/* True: a launch writes the array, so it is an output to compare. */
bool rule_is_about_output(const judge_rule *r);

/* The element at AT as a number. */
double read_rule_value(rule_type type, const void *at);

/* Whether the element MINE is that of the reference, WANT, within the tolerance. */
bool rule_is_element_same(const judge_rule *r, const void *mine, const void *want);
