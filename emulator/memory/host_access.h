/* Callbacks for host code that accesses device memory by mistake (window.c). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An access of host code to an address where it may not, device memory in particular. */
typedef struct mem_host_access {
    uint64_t address; /* device address that host code accessed */
    uint64_t code;    /* address of the accessing instruction; 0: not known */
    const char *did;  /* "read" or "wrote to" */
    const char *what; /* where it lies: "byte 0 of the 256 bytes that ..."; NULL: in no device
                         memory */
} mem_host_access;

/* Set the function SAY that the signal handler calls before such an access ends the process. It
 * prints the message: mem_host_access_text, or more. Without it the handler prints that text. */
void mem_set_host_access_hook(void (*say)(const mem_host_access *a));

/* Write a sentence that describes the access A, without its full stop, to BUF. Returns BUF. */
const char *mem_host_access_text(const mem_host_access *a, char *buf, size_t buf_size);
/* What to do instead of accessing device memory on the host; without a full stop. */
extern const char mem_host_access_remedy[];

/* Set the function HANDLE that the signal handler calls first for each host access that faults.
 * CODE is the address of the instruction. HANDLE returns true if the instruction must be executed
 * again; if it sets *STEP, STEPPED is called after that instruction. NULL: no function is called.
 */
void mem_set_fault_hook(bool (*handle)(uint64_t address, bool wrote, uint64_t code, bool *step),
                        void (*stepped)(void));
/* Does a host access that faults call the function of mem_set_fault_hook? Not if the program has
 * installed its own SIGSEGV handler. */
bool mem_is_fault_hook_active(void);
