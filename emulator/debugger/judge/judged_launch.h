/* What the judge on the emulator and the judge on a GPU both do with a launch: compare it, and each
 * array that it wrote, with the reference's launch, or store them in the transcript. */
#pragma once

#include "rules.h"
#include "transcript.h"

enum {
    MAX_WHOLE_ARRAY_BYTES = 1 << 20, /* of larger outputs only a sample of elements is stored */
    SAMPLE_ELEMENTS = 1 << 16        /* number of elements of such a sample */
};

/* What the launches of a run are judged by. All pointers are borrowed. */
typedef struct launch_standard {
    const judge_rules *rules;
    transcript_writer *write;  /* the reference's transcript being written; NULL: compare */
    const transcript *against; /* the reference's transcript; NULL while it is written */
    uint64_t key;              /* secret key from which array contents are made */
    size_t row;                /* row of the transcript for the next launch */
} launch_standard;

/* The reference's launch with which the next one is compared; NULL: a transcript is written, or the
 * reference made no further launch. */
const transcript_entry *launch_of_reference(const launch_standard *s);

/* The seed of what the judge writes into the array of rule R before the next launch. */
uint64_t launch_contents_seed(const launch_standard *s, const judge_rule *r);

/* Bytes of parameter INDEX of LAUNCH; *BYTES becomes their number. NULL: there is none. */
typedef const uint8_t *launch_parameter(const void *launch, uint32_t index, size_t *bytes);

/* A digest of the parameters of LAUNCH, of KERNEL, that must equal the reference's. */
uint64_t launch_scalars_digest(const launch_standard *s, const char *kernel,
                               launch_parameter *parameter, const void *launch);

/* Compare launch OWN with the reference's. WHY (CAP bytes) becomes a message about a difference of
 * kernel, scalars or inputs, or stays as it is. */
void launch_explain_difference(const launch_standard *s, const transcript_entry *own, char *why,
                               size_t cap);

/* The seed of the sample of elements of the array of rule R. */
uint64_t launch_sample_seed(const launch_standard *s, const judge_rule *r);
/* How many elements of an array of BYTES bytes of rule R are compared. */
uint64_t launch_compared_elements(const judge_rule *r, uint64_t bytes);
/* Index in that array of the compared element K. */
uint64_t launch_compared_index(const launch_standard *s, const judge_rule *r, uint64_t bytes,
                               uint64_t k);

/* An array that a launch wrote. */
typedef struct launch_output {
    uint64_t bytes, digest; /* size of the array; digest of all of it */
    const void *elements;   /* the elements that are compared, one after another */
} launch_output;

/* Store OUTPUT, the array of rule R, as the next output of launch OWN, or compare it with the
 * reference's. WHY (CAP bytes) becomes a message about the first wrong output, or stays "". */
void launch_judge_output(const launch_standard *s, const judge_rule *r, const launch_output *output,
                         transcript_entry *own, char *why, size_t cap);
