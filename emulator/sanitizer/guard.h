/* Guards on pages of host memory that host code must not access for some time. The first access
 * to a guarded byte is recorded, with the address of the accessing code; then the page is
 * unprotected, and the program continues normally. (mprotect(2); the signal handler only
 * records.)
 *
 * A system call that is given a guarded page fails with EFAULT instead of being recorded. */
#pragma once

#include "caller.h"

#include <stdbool.h>
#include <stdint.h>

/* Which accesses of host code are allowed. */
typedef enum {
    SAN_MAY_READ,      /* host code may read, but not write */
    SAN_MUST_NOT_TOUCH /* host code may neither read nor write */
} san_guard_kind;      /* which accesses of host code a guard allows */

/* Guard BYTES bytes from AT on; OWNER identifies the guard for san_unguard_host_memory(). Pages
 * that the range covers only in part are protected too, but accesses to their other bytes are not
 * recorded. False: there are too many guards, or no protection; then nothing is guarded. */
bool san_guard_host_memory(uint64_t at, uint64_t bytes, san_guard_kind kind, const void *owner);
/* Remove all guards of OWNER. */
void san_unguard_host_memory(const void *owner);

/* The device calls san_unprotect_guarded_pages before it accesses host memory and
 * san_protect_guarded_pages afterwards: its own accesses are no errors. Calls nest. Between the two
 * calls, the first access to a guard's pages unprotects them: most operations access few guarded
 * ranges, and it takes long to unprotect all. AT_ONCE: unprotect all pages now, because system
 * calls may access the memory, or because no signal handler calls san_guard_fault. */
void san_unprotect_guarded_pages(bool at_once);
void san_protect_guarded_pages(void);

/* An access to a guarded byte. */
typedef struct san_guard_access {
    const void *owner; /* identifies the guard, as given to san_guard_host_memory() */
    uint64_t address;  /* first byte accessed */
    san_caller by;     /* the accessing code; frame 0: the address after the instruction */
    bool wrote;        /* the access is a write */
    uint32_t bytes;    /* how many bytes of `before` are valid: up to the end of the page */
    uint8_t before[4]; /* contents from `address` on before the access */
} san_guard_access;

/* Return the next recorded access in *OUT. False: there is none. */
bool san_next_guard_access(san_guard_access *out);

/* Called by the signal handler: the instruction at CODE faulted at ADDRESS. True: a guard caused
 * the fault, and the instruction can be repeated. An access next to the guarded bytes of a page
 * sets *STEP: the page is unprotected for it, and san_protect_stepped_page protects the page again.
 */
bool san_guard_fault(uint64_t address, bool wrote, uint64_t code, bool *step);
void san_protect_stepped_page(void);

/* Store in *C the stack frames of the code at CODE, which a signal has interrupted; frames of the
 * signal handler, which calls this, are omitted. */
void san_capture_faulting_code(san_caller *c, uint64_t code);
