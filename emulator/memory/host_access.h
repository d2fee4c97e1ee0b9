/* Host code that touches device memory is told so (window.c); here others may listen. */
#ifndef WARPBOOK_HOST_ACCESS_H
#define WARPBOOK_HOST_ACCESS_H

#include <stdint.h>

/* SAY is called, in the signal's handler, with the address and what is printed about it, without
 * its "warpbook: ". */
void mem_on_host_access(void (*say)(uint64_t address, const char *text));

#endif
