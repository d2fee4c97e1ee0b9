/* Pages of host memory that host code must leave alone for a while: the first access to a guarded
 * byte is noted, with the address of the code that made it, and the page is then let go. The
 * program goes on as if nothing had been there. (mprotect(2); the signal's handler only notes.)
 *
 * System calls that are given guarded pages fail with EFAULT instead of being noted. */
#ifndef WARPBOOK_SANITIZER_GUARD_H
#define WARPBOOK_SANITIZER_GUARD_H

#include "caller.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What host code must not do. */
typedef enum { SAN_MAY_READ, SAN_MUST_NOT_TOUCH } san_guard_kind;

/* Guard BYTES bytes from AT on; OWNER is the caller's own. Pages that lie in it only in part are
 * guarded too: other bytes of them may be touched without a word. False: there are too many guards,
 * or the pages cannot be protected; nothing is guarded then. */
bool san_guard(uint64_t at, uint64_t bytes, san_guard_kind kind, const void *owner);
/* Let go of all that OWNER guards. */
void san_unguard(const void *owner);

/* While the device works on host memory, nothing is guarded: lift and restore, which nest. */
void san_guards_lift(void);
void san_guards_restore(void);

/* An access that broke a guard. */
typedef struct san_touch {
    const void *owner;
    uint64_t address;
    san_caller by; /* the caller; frame 0 holds the address after the accessing instruction */
    bool wrote;
    uint32_t bytes;    /* how many bytes of BEFORE are valid: up to the end of the page */
    uint8_t before[4]; /* the bytes from ADDRESS on before they were touched */
} san_touch;

/* Take one of the touches that have been noted and not been taken; false: there is none. */
bool san_touched(san_touch *out);

/* The signal handler's: the instruction at CODE faulted at ADDRESS. True: it was a guard's doing,
 * and the instruction can be repeated. */
bool san_guard_fault(uint64_t address, bool wrote, uint64_t code);

#endif
