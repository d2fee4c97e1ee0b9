/* What a judge looks at in the launches of an assignment: labs/NN-topic/judge.tsv, a table with the
 * columns `kernel parameter role type tolerance`, one row per parameter, or per variable of the
 * device that the kernel uses, by its name. */
#ifndef WARPBOOK_JUDGE_RULES_H
#define WARPBOOK_JUDGE_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum rule_role {
    RULE_IN,  /* an array that the kernel reads: must hold the same as the reference's */
    RULE_OUT, /* an array that the kernel writes completely: filled with noise before the launch */
    RULE_UPDATE,  /* an array that the kernel reads and writes: filled before with the same noise as
                     the reference's */
    RULE_BEGUN,   /* an array that the kernel reads and writes, and that must equal the reference's
                     before the launch */
    RULE_SCALAR,  /* a value that must equal the reference's */
    RULE_SCRATCH, /* scratch memory of the kernel: not compared */
    RULE_WORK,    /* no kernel: what comes back to the host from a section (work.h) */
    RULE_SHARE,   /* no kernel: a check of times: work number `parameter` takes at most
                   * `tolerance` percent of the time of the one after it */
    RULE_HOST,    /* no kernel: a check of what only the host computes, so no launch shows it */
    RULE_TIMES    /* the same, of times: the submission's own run has to count for them */
} rule_role;

typedef enum rule_type { RULE_I8, RULE_I32, RULE_I64, RULE_F32, RULE_F64 } rule_type;

typedef struct rule {
    char kernel[128];   /* demangled, without parameters; of the last four the name of a check */
    uint32_t parameter; /* where `variable` is empty */
    char variable[64];  /* name of a variable of the device */
    rule_role role;
    rule_type type;
    double tolerance; /* for floats: greatest allowed difference from the reference */
} rule;

typedef struct rules {
    rule *row;
    size_t count;
} rules;

/* False with a sentence that names the line in ERR. rules_free releases. */
bool rules_read(const char *path, rules *out, char *err, size_t room);
void rules_free(rules *r);

/* Whether any rule is about this kernel. */
bool rules_judge(const rules *r, const char *kernel);

/* The first rule with this role; NULL: there is none. */
const rule *rules_first(const rules *r, rule_role role);

size_t rule_bytes(rule_type type);

#endif
