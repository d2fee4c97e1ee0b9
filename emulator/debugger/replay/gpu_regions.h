/* The device addresses of a recording, merged into few regions that a GPU's driver can reserve. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* NVIDIA's driver (580 on an H200) reserves requested addresses only at multiples of 32 MiB and
 * from 32 MiB on; smaller reservations come from address ranges that the driver already has. */
#define GPU_REGION_UNIT (UINT64_C(32) << 20)

typedef struct gpu_region {
    uint64_t from, to; /* first address and end; multiples of GPU_REGION_UNIT */
} gpu_region;

typedef struct gpu_regions {
    gpu_region *list; /* [count] regions sorted by address; they do not touch each other */
    size_t count;
} gpu_regions;

/* Add SIZE bytes at ADDRESS, merging regions that touch. False: the host is out of memory. */
bool gpu_regions_add(gpu_regions *r, uint64_t address, uint64_t size);
/* gpu_regions_contain: whether ADDRESS lies in a region. gpu_regions_touch: whether any of the SIZE
 * bytes at ADDRESS does. */
bool gpu_regions_contain(const gpu_regions *r, uint64_t address);
bool gpu_regions_touch(const gpu_regions *r, uint64_t address, uint64_t size);
void gpu_regions_free(gpu_regions *r);
