/* Finds the allocation that a message about an invalid address names. */
#ifndef WARPBOOK_MEMORY_DESCRIBE_H
#define WARPBOOK_MEMORY_DESCRIBE_H

#include <stdbool.h>
#include <stdint.h>

/* The address of the allocation that mem_describe names for an access of SIZE bytes at ADDRESS; 0:
 * it names none. *FREED: the allocation has been freed. */
uint64_t mem_described_allocation(uint64_t address, uint64_t size, bool *freed);
/* Should mem_alloc avoid the addresses of memory that was freed lately? Then a kernel that uses
 * freed memory is noticed, also after the next allocation. Call it before the first allocation. */
void mem_keep_freed_addresses(bool keep);

#endif
