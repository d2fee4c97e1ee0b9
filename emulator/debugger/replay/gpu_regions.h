/* The device addresses of a recording as few large regions, which a GPU's driver can be asked for.
 */
#ifndef WARPBOOK_REPLAY_GPU_REGIONS_H
#define WARPBOOK_REPLAY_GPU_REGIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A driver gives an address that is asked for only at multiples of this, and only to reservations
 * as large (NVIDIA's 580 on an H200); smaller ones come from parts of what it has. */
#define GPU_REGION_UNIT (UINT64_C(32) << 20)

typedef struct gpu_region {
    uint64_t from, to; /* multiples of GPU_REGION_UNIT */
} gpu_region;

typedef struct gpu_regions {
    gpu_region *list; /* regions in the order of their addresses; they do not touch */
    size_t count, room;
} gpu_regions;

/* Add SIZE bytes at ADDRESS. False: the host is out of memory. */
bool gpu_regions_add(gpu_regions *r, uint64_t address, uint64_t size);
/* Whether ADDRESS is in a region; whether any of SIZE bytes there is. */
bool gpu_regions_have(const gpu_regions *r, uint64_t address);
bool gpu_regions_touch(const gpu_regions *r, uint64_t address, uint64_t size);
void gpu_regions_free(gpu_regions *r);

#endif
