/* Memory functions for recording and replaying a program: the observer of allocations, and host
 * memory at addresses that are probably free in the replaying process too. */
#include "watcher.h"

#include "../base/lock.h"

#include "state.h"

#include <sys/mman.h>

const mem_watcher *mem_current_watcher; /* observer of allocations; NULL: none */

/* Preferred address of pinned and managed memory while a program is recorded: far from the
 * addresses of programs, libraries, stacks and the device window. */
#define HOST_PAGES_HINT UINT64_C(0x6e0000000000)

void *mem_host_pages(uint64_t size)
{
    static uint64_t next = HOST_PAGES_HINT;
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *hint =
        mem_current_watcher
            ? (void *)(uintptr_t)__atomic_fetch_add(&next, (size | 0x1fffff) + 1, __ATOMIC_RELAXED)
            : NULL;
    void *at = mmap(hint, size, PROT_READ | PROT_WRITE, flags, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

void mem_get_window(uint64_t *base, uint64_t *size)
{
    HOLD_LOCK(&mem_state_shared.lock);
    *base = mem_state_shared.base;
    *size = mem_state_shared.size;
}
