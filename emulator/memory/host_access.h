/* Callbacks for host code that accesses device memory by mistake (window.c). */
#ifndef WARPBOOK_HOST_ACCESS_H
#define WARPBOOK_HOST_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

/* Set the function SAY that the signal handler calls after host code accessed device memory, with
 * the address and the printed message without the prefix "warpbook: ". */
void mem_set_host_access_hook(void (*say)(uint64_t address, const char *text));

/* Set the function HANDLE that the signal handler calls first for each host access that faults.
 * CODE is the address of the instruction. HANDLE returns true if the instruction must be executed
 * again. NULL: no function is called. */
void mem_set_fault_hook(bool (*handle)(uint64_t address, bool wrote, uint64_t code));

#endif
