/* Lets other rooms hear of host code that touches device memory (window.c). */
#ifndef WARPBOOK_HOST_ACCESS_H
#define WARPBOOK_HOST_ACCESS_H

#include <stdint.h>

/* Set the function that is called, in the signal handler, with the address and with what was
 * printed about it without the prefix "warpbook: ". */
void mem_on_host_access(void (*say)(uint64_t address, const char *text));

#endif
