#include "guard.h"

#include "../core/warp.h"

#include <execinfo.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

enum {
    MAX_GUARDS = 256,          /* most guarded ranges */
    MAX_LOGGED_ACCESSES = 256, /* most accesses that wait for their report */
    MAX_SINGLE_STEPS = 4096    /* most accesses to unguarded bytes of protected pages, each of which
                                  costs two signals; after that many, such an access removes the
                                  protection of its page */
};

/* A guarded range of host memory. The signal handler reads the guards without a lock: a guard is
 * valid once `owner` is set, and `owner` is set last. If another thread touches a page while its
 * guard is being removed, this costs one repeated fault. */
typedef struct host_guard {
    _Atomic(const void *) owner; /* identifies the guard: the caller of san_guard_host_memory()
                                    chose it; NULL: the slot is free */
    uint64_t at, bytes;          /* address and size of the guarded range */
    san_guard_kind kind;         /* accesses of host code that the guard allows */
} host_guard;

static host_guard guard_table[MAX_GUARDS]; /* the guarded ranges */
static atomic_uint guard_slots_used;       /* number of slots that have ever been used */
static atomic_int
    unprotect_calls; /* calls of san_unprotect_guarded_pages without their san_protect_guarded_pages
                        yet: while there are any, pages stay unprotected */
static atomic_bool must_protect_again; /* guarded pages may be unprotected: the last caller of
                                          san_protect_guarded_pages protects them */

static san_guard_access guard_access_log[MAX_LOGGED_ACCESSES]; /* accesses to report */
static atomic_uint accesses_logged, accesses_reported; /* entries of the log: used; reported */
static atomic_bool is_log_entry_complete[MAX_LOGGED_ACCESSES]; /* [entry of the log] the signal
                                                                  handler has filled the entry in */

static uint64_t first_guarded_page(const host_guard *g)
{
    return g->at / mem_page_bytes() * mem_page_bytes();
}

static uint64_t end_of_guarded_pages(const host_guard *g)
{
    return (g->at + g->bytes + mem_page_bytes() - 1) / mem_page_bytes() * mem_page_bytes();
}

static bool protect_pages_of_guard(const host_guard *g, int protection)
{
    return mprotect((void *)(uintptr_t)first_guarded_page(g),
                    end_of_guarded_pages(g) - first_guarded_page(g), protection) == 0;
}

static int page_protection_of_guard(const host_guard *g)
{
    return g->kind == SAN_MAY_READ ? PROT_READ : PROT_NONE;
}

static bool is_guard_in_use(host_guard *g)
{
    return atomic_load(&g->owner) != NULL;
}

/* Protect again the pages of all guards that are in force, the strictest guards last. */
static void protect_guarded_pages(void)
{
    for (int strict = 0; strict < 2; strict++) {
        for (unsigned k = 0; k < atomic_load(&guard_slots_used); k++) {
            host_guard *g = &guard_table[k];
            if (is_guard_in_use(g) && (g->kind == SAN_MUST_NOT_TOUCH) == strict)
                protect_pages_of_guard(g, page_protection_of_guard(g));
        }
    }
}

static bool covers_page_of(const host_guard *g, uint64_t address)
{
    return address >= first_guarded_page(g) && address < end_of_guarded_pages(g);
}

/* Unprotect the pages of all guards that cover the page of ADDRESS; 0: of all guards. Returns
 * whether there is such a guard. Also called by the signal handler. */
static bool unprotect_guards_at(uint64_t address)
{
    bool any = false;
    for (unsigned k = 0; k < atomic_load(&guard_slots_used); k++) {
        host_guard *g = &guard_table[k];
        if (is_guard_in_use(g) && (!address || covers_page_of(g, address))) {
            protect_pages_of_guard(g, PROT_READ | PROT_WRITE);
            any = true;
        }
    }
    atomic_store(&must_protect_again, true);
    return any;
}

/* Protect the pages of all guards: now, or after the last san_unprotect_guarded_pages. */
static void protect_guarded_pages_soon(void)
{
    if (atomic_load(&unprotect_calls))
        atomic_store(&must_protect_again, true);
    else
        protect_guarded_pages();
}

bool san_guard_host_memory(uint64_t at, uint64_t bytes, san_guard_kind kind, const void *owner)
{
    unsigned k = 0;
    while (k < MAX_GUARDS && atomic_load(&guard_table[k].owner))
        k++;
    if (k == MAX_GUARDS || !bytes)
        return false;
    host_guard *g = &guard_table[k];
    g->at = at;
    g->bytes = bytes;
    g->kind = kind;
    if (!atomic_load(&unprotect_calls) && !protect_pages_of_guard(g, page_protection_of_guard(g)))
        return false;
    if (k >= atomic_load(&guard_slots_used))
        atomic_store(&guard_slots_used, k + 1);
    atomic_store(&g->owner, owner);
    protect_guarded_pages_soon(); /* another guard of a shared page may be stricter */
    return true;
}

void san_unguard_host_memory(const void *owner)
{
    bool any = false;
    for (unsigned k = 0; k < atomic_load(&guard_slots_used); k++) {
        host_guard *g = &guard_table[k];
        if (atomic_load(&g->owner) == owner) {
            any = true;
            protect_pages_of_guard(g, PROT_READ | PROT_WRITE);
            atomic_store(&g->owner, NULL);
        }
    }
    while (atomic_load(&guard_slots_used) &&
           !atomic_load(&guard_table[atomic_load(&guard_slots_used) - 1].owner))
        atomic_fetch_sub(&guard_slots_used, 1);
    if (any)
        protect_guarded_pages_soon(); /* another guard may still protect the same page */
}

void san_unprotect_guarded_pages(bool at_once)
{
    atomic_fetch_add(&unprotect_calls, 1);
    if (at_once && atomic_load(&guard_slots_used))
        unprotect_guards_at(0);
}

void san_protect_guarded_pages(void)
{
    if (atomic_fetch_sub(&unprotect_calls, 1) == 1 && atomic_exchange(&must_protect_again, false))
        protect_guarded_pages();
}

/* --- called by the signal handler: no locks, no allocation ------------------------------------ */

/* The unwinder was loaded when the guarded operation was issued, so it allocates no memory now. */
void san_capture_faulting_code(san_caller *c, uint64_t code)
{
    void *frames[SAN_MAX_FRAMES + 8];
    const int n = backtrace(frames, SAN_MAX_FRAMES + 8);
    int k = 0;
    while (k < n && (uint64_t)(uintptr_t)frames[k] != code)
        k++;
    *c = (san_caller){.depth = 1, .frame = {code + 1}};
    for (k++; k < n && c->depth < SAN_MAX_FRAMES; k++)
        c->frame[c->depth++] = (uint64_t)(uintptr_t)frames[k];
}

static void log_guard_access(const void *owner, uint64_t address, bool wrote, uint64_t code)
{
    const unsigned k = atomic_fetch_add(&accesses_logged, 1);
    if (k >= MAX_LOGGED_ACCESSES) {
        atomic_store(&accesses_logged, MAX_LOGGED_ACCESSES);
        return;
    }
    san_guard_access *t = &guard_access_log[k];
    const uint64_t left =
        mem_page_bytes() - address % mem_page_bytes(); /* bytes up to the end of the page, because
                                                        * the next page may be guarded */
    *t = (san_guard_access){.owner = owner, .address = address, .wrote = wrote};
    t->bytes = left < sizeof t->before ? (uint32_t)left : (uint32_t)sizeof t->before;
    memcpy(t->before, (const void *)(uintptr_t)address, t->bytes);
    san_capture_faulting_code(&t->by, code);
    atomic_store(&is_log_entry_complete[k], true);
}

/* Remove the protection of the page that holds ADDRESS. */
static void unprotect_page(uint64_t address)
{
    mprotect((void *)(uintptr_t)(address / mem_page_bytes() * mem_page_bytes()), mem_page_bytes(),
             PROT_READ | PROT_WRITE);
}

static __thread uint64_t
    single_stepped_page; /* page that this thread may touch for one instruction; 0: none */
static atomic_uint single_step_count; /* number of accesses so far that were single-stepped */

bool san_guard_fault(uint64_t address, bool wrote, uint64_t code, bool *step)
{
    bool ours = false, forbidden = false;
    if (atomic_load(&unprotect_calls))
        return unprotect_guards_at(address);
    for (unsigned k = 0; k < atomic_load(&guard_slots_used); k++) {
        host_guard *g = &guard_table[k];
        const void *owner = atomic_load(&g->owner);
        if (!owner || !covers_page_of(g, address))
            continue;
        if (!ours)
            unprotect_page(address);
        ours = true;
        if (address >= g->at && address - g->at < g->bytes &&
            (wrote || g->kind == SAN_MUST_NOT_TOUCH)) {
            log_guard_access(owner, address, wrote, code);
            forbidden = true;
        }
    }
    if (ours && !forbidden && atomic_fetch_add(&single_step_count, 1) < MAX_SINGLE_STEPS) {
        single_stepped_page = address / mem_page_bytes() * mem_page_bytes();
        *step = true;
    }
    return ours;
}

void san_protect_stepped_page(void)
{
    const uint64_t page = single_stepped_page;
    int protection = PROT_READ | PROT_WRITE;
    single_stepped_page = 0;
    for (unsigned k = 0; k < atomic_load(&guard_slots_used); k++) {
        host_guard *g = &guard_table[k];
        if (is_guard_in_use(g) && covers_page_of(g, page))
            protection &= page_protection_of_guard(g);
    }
    if (atomic_load(&unprotect_calls))
        atomic_store(&must_protect_again, true);
    else if (page)
        mprotect((void *)(uintptr_t)page, mem_page_bytes(), protection);
}

bool san_next_guard_access(san_guard_access *out)
{
    const unsigned k = atomic_load(&accesses_reported);
    if (k >= MAX_LOGGED_ACCESSES || !atomic_load(&is_log_entry_complete[k]))
        return false;
    *out = guard_access_log[k];
    atomic_store(&is_log_entry_complete[k], false);
    if (k + 1 == atomic_load(&accesses_logged)) { /* all slots are used: start again */
        atomic_store(&accesses_reported, 0);
        atomic_store(&accesses_logged, 0);
    } else {
        atomic_store(&accesses_reported, k + 1);
    }
    return true;
}
