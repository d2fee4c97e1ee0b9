/* Lets other rooms hear of host code that touches device memory (window.c). */
#ifndef WARPBOOK_HOST_ACCESS_H
#define WARPBOOK_HOST_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

/* Set the function that is called, in the signal handler, with the address and with what was
 * printed about it without the prefix "warpbook: ". */
void mem_on_host_access(void (*say)(uint64_t address, const char *text));

/* HANDLE is asked first, in the signal's handler, about each access of the host's that faulted, by
 * the instruction at CODE: true where it is to be repeated. NULL: nobody is asked. */
void mem_on_fault(bool (*handle)(uint64_t address, bool wrote, uint64_t code));

#endif
