/* Noise that the judge writes into arrays before a launch. The submission's process cannot have
 * known these values, so a launch gives the reference's results only if it really computes them
 * from its arguments. */
#pragma once

#include "rules.h"

/* Fill BYTES bytes at AT with values of TYPE that no kernel leaves there by chance. A kernel may
 * also add to these values. Equal seeds give equal values. */
void fill_with_random_values(void *at, uint64_t bytes, rule_type type, uint64_t seed);

/* Replace each element of an array by an element drawn from the array. The values stay valid inputs
 * of the kernel, but its results change. Returns false, with the array unchanged, when the host is
 * out of memory. */
bool resample_values(void *at, uint64_t bytes, rule_type type, uint64_t seed);

enum { NOISE_NO_POSITION = -1 };

/* Replace each element by a value made from the element, its position and SEED. FIRST: the position
 * of the first one, or NOISE_NO_POSITION: equal elements are then replaced by equal values. An
 * element that is copied twice, as of a halo, keeps its position, and so its replacement. */
void replace_values(void *at, uint64_t bytes, rule_type type, int64_t first, uint64_t seed);

/* Index, below COUNT, of the K-th element of a random sample. Equal seeds give equal samples. */
uint64_t noise_sample_index(uint64_t seed, uint64_t k, uint64_t count);
