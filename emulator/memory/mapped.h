/* Memory that a program maps itself: addresses that are reserved without memory, physical memory
 * without an address, and mappings of one to the other. Physical memory can be mapped at several
 * addresses, and in several processes. */
#pragma once

#include "memory.h"

/* Physical memory. It exists until its last user drops it; each mapping is a user, too. */
typedef struct mem_physical {
    uint64_t size;   /* bytes, whole pages */
    uint64_t charge; /* bytes of the device that it occupies; 0: another process has them */
    void *view; /* all of it in this process's memory; copies of this mapping are the device's */
    int fd;     /* the file that other processes can map; -1: none */
    uint32_t users; /* number of users */
} mem_physical;

/* Who may touch mapped memory. */
typedef enum mem_mapped_access {
    MEM_ACCESS_NONE,
    MEM_ACCESS_READ,
    MEM_ACCESS_ALL
} mem_mapped_access;

/* One mapping. */
typedef struct mem_mapping {
    uint64_t at, size;        /* device address of the first byte; bytes */
    mem_physical *of;         /* the memory that is mapped there */
    mem_mapped_access access; /* what kernels and copies may do there */
    const char *name; /* the call that mapped it for the program; NULL: the program itself did */
    uint64_t front, back; /* bytes at its start and at its end that are nobody's */
} mem_mapping;

/* New physical memory of SIZE bytes with one user; NULL: the device or the host has not that much.
 * SHARED: other processes may map it. */
mem_physical *mem_physical_new(uint64_t size, bool shared);
/* A page of the host that other processes may map, zeros at first; NULL: there is none. */
mem_physical *mem_new_shared_page(void);
/* The memory that another process made, whose file FD is; NULL: FD is no such file. This process
 * cannot hand it on. */
mem_physical *mem_physical_open(int fd);
void mem_physical_hold(mem_physical *p); /* one user more */
void mem_physical_drop(mem_physical *p); /* one user less */

/* Reserve SIZE bytes of addresses at a multiple of ALIGN, at WISH if these are free. Returns the
 * first; 0: there are none. */
uint64_t mem_reserve_addresses(uint64_t size, uint64_t align, uint64_t wish);
/* The addresses that were reserved together with ADDRESS, mapped or not; false: not reserved. */
bool mem_find_addresses(uint64_t address, uint64_t *base, uint64_t *size);
/* Give back the SIZE bytes of addresses that were reserved at AT. False: these were not reserved at
 * once, or memory is mapped there. */
bool mem_free_addresses(uint64_t at, uint64_t size);

/* Map memory as M says, from its first byte on, where addresses are reserved and nothing is mapped.
 * False: they are not, or something is. */
bool mem_map_physical(const mem_mapping *m);
/* Remove the mappings in the SIZE bytes at AT. False: AT is not reserved, or one only in part. */
bool mem_unmap_physical(uint64_t at, uint64_t size);
/* Change the access of the mappings that fill the SIZE bytes at AT. False: these bytes are not
 * filled by whole mappings. */
bool mem_set_mapped_access(uint64_t at, uint64_t size, mem_mapped_access access);
/* The mapping that contains ADDRESS, copied to *OUT. Its physical memory gets no user. */
bool mem_find_mapping(uint64_t address, mem_mapping *out);

/* Let other processes map the allocation of cudaMalloc at BASE: its bytes move to a file, and stay
 * where they are for kernels. Returns the file, which the memory owns; -1: it cannot be. */
int mem_share_allocation(uint64_t base);
