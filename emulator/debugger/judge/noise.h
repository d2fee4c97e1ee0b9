/* What a judge puts into arrays before a launch: values that the submission's process cannot have
 * known, so that only work which this launch does from its arguments gives the reference's results.
 */
#ifndef WARPBOOK_JUDGE_NOISE_H
#define WARPBOOK_JUDGE_NOISE_H

#include "rules.h"

/* Fill BYTES bytes at AT with values of TYPE that no kernel leaves by chance, and that it may add
 * to. The same SEED gives the same values. */
void noise_fill(void *at, uint64_t bytes, rule_type type, uint64_t seed);

/* Replace each element by one of the same array, some of them several times: the values stay of the
 * kind that the kernel may be given, and what follows from them changes. False: the host is out of
 * memory, and nothing has changed. */
bool noise_resample(void *at, uint64_t bytes, rule_type type, uint64_t seed);

/* Replace each value by another one, the same for the same value and SEED. */
void noise_replace(void *at, uint64_t bytes, rule_type type, uint64_t seed);

/* Which of COUNT elements is number K of a sample: the same for the same SEED. */
uint64_t noise_place(uint64_t seed, uint64_t k, uint64_t count);

#endif
