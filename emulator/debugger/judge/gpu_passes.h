/* Kernels by which the judge fills arrays in a GPU's memory with noise, digests them and samples
 * them; noise.h does the same for host memory. Needs gpu_driver_load and a context. */
#pragma once

#include "../replay/gpu_driver.h"
#include "judged_launch.h"

typedef struct gpu_passes {
    CUmodule module;                           /* the loaded PTX of the kernels */
    CUfunction fill, resample, digest, sample; /* kernels, one for each pass over an array */
    CUdeviceptr cap;                           /* device memory for digests and samples */
} gpu_passes;

/* Load the kernels and allocate their memory. Every function returns the driver's error. */
CUresult gpu_passes_load_kernels(gpu_passes *p);

/* Fill BYTES bytes at AT with noise of TYPE. Equal seeds give equal noise. */
CUresult gpu_passes_fill(gpu_passes *p, CUdeviceptr at, uint64_t bytes, rule_type type,
                         uint64_t seed);

/* Replace about half of the elements of an array by other elements of the array. */
CUresult gpu_passes_resample(gpu_passes *p, CUdeviceptr at, uint64_t bytes, rule_type type,
                             uint64_t seed);

/* A digest of the array's values and their positions, without the last bytes % 4 bytes. */
CUresult gpu_passes_digest(gpu_passes *p, CUdeviceptr at, uint64_t bytes, uint64_t *digest);

/* Copy COUNT (at most SAMPLE_ELEMENTS) elements to the host: element noise_sample_index(seed, k,
 * all) is number k. */
CUresult gpu_passes_sample(gpu_passes *p, CUdeviceptr at, uint64_t bytes, rule_type type,
                           uint64_t seed, uint64_t count, void *to);
