/* Finds the allocation that a message about an invalid address names. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The address of the allocation that mem_describe names for an access of SIZE bytes at ADDRESS; 0:
 * it names none. *FREED: the allocation has been freed. */
uint64_t mem_described_allocation(uint64_t address, uint64_t size, bool *freed);
/* Should mem_alloc avoid the addresses of memory that was freed lately? Then a kernel that uses
 * freed memory is noticed, also after the next allocation. Call it before the first allocation. */
void mem_keep_freed_addresses(bool keep);

/* Set the function DESCRIBE, which says what host code has at an address: it writes that to OUT and
 * returns it, or NULL. Without it, messages only say that the address is one of the host. */
void mem_set_host_describer(const char *(*describe)(uint64_t address, char *out, size_t size));
