/* Memory that the program maps itself, for the driver API (Driver API, "Virtual Memory
 * Management"). Each function takes the runtime's lock. */
#pragma once

#include "../../memory/mapped.h"
#include "../core/call.h"

/* Physical memory is made, addresses are reserved and memory is mapped in multiples of this. */
#define RT_GRANULARITY ((size_t)2 << 20)

/* A handle of physical memory. */
typedef struct rt_physical rt_physical;

/* The functions that libcuda.so.1 calls. */
typedef struct rt_virtual {
    /* SHARED: other processes may map the memory. */
    cudaError_t (*create)(rt_physical **out, size_t size, bool shared);
    cudaError_t (*release)(rt_physical *p);
    /* Another handle of the memory that is mapped at AT, or the same once more. */
    cudaError_t (*retain)(rt_physical **out, uint64_t at);
    cudaError_t (*is_shared)(rt_physical *p, bool *shared);
    /* A new file descriptor of the memory; a handle of the memory of such a descriptor. */
    cudaError_t (*export)(int *fd, rt_physical *p);
    cudaError_t (*import)(rt_physical **out, int fd);
    cudaError_t (*reserve)(uint64_t *at, size_t size, size_t align, uint64_t wish);
    cudaError_t (*free)(uint64_t at, size_t size);
    cudaError_t (*map)(uint64_t at, size_t size, size_t offset, rt_physical *p);
    cudaError_t (*unmap)(uint64_t at, size_t size);
    cudaError_t (*set_access)(uint64_t at, size_t size, mem_mapped_access access);
    cudaError_t (*get_access)(uint64_t at, mem_mapped_access *access);
    /* The addresses that were reserved together with AT. */
    cudaError_t (*find_reserved)(uint64_t at, uint64_t *base, size_t *size);
} rt_virtual;

extern const rt_virtual rt_virtual_calls;
