/* The device window: a range of addresses without access rights, the backing mapping, and the
 * signal handler that explains host accesses to the window. */
#include "../base/lock.h"
#include "fault.h"
#include "host_access.h"
#include "state.h"
#include "watcher.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

mem_state mem_state_shared = {.lock = PTHREAD_MUTEX_INITIALIZER}; /* state of device memory */

/* Preferred address of the window. The address is the same in every run, so that messages with
 * addresses are the same too. */
#define WINDOW_HINT ((void *)UINT64_C(0x700000000000))
/* Lowest address at which a program under ThreadSanitizer can map memory. */
#define WINDOW_HINT_TSAN ((void *)UINT64_C(0x7e8000000000))

extern void __tsan_init(void) __attribute__((weak));

static struct sigaction previous_handler; /* the signal handler that the program had installed */

static const char *access_kind_text(const ucontext_t *context)
{
    return mem_fault_wrote(context) ? "wrote to" : "read";
}

/* Called first when a host access faults; NULL: nothing is called. See mem_set_fault_hook. */
static bool (*fault_hook)(uint64_t address, bool wrote, uint64_t code, bool *step);
/* Called after an instruction was executed in a single step. */
static void (*on_single_step_done)(void);

void mem_set_fault_hook(bool (*handle)(uint64_t address, bool wrote, uint64_t code, bool *step),
                        void (*stepped)(void))
{
    fault_hook = handle;
    on_single_step_done = stepped;
}

/* Call the fault hook; returns true if the faulting instruction must be executed again. */
static bool call_host_fault_hook(uint64_t address, ucontext_t *context)
{
    if (!fault_hook)
        return false;
    bool step = false;
    const bool again =
        fault_hook(address, mem_fault_wrote(context), mem_fault_code(context), &step);
    if (step)
        mem_step_over_fault(context, on_single_step_done);
    return again;
}

static void (*on_host_access)(const mem_host_access *a);

void mem_set_host_access_hook(void (*say)(const mem_host_access *a))
{
    on_host_access = say;
}

const char mem_host_access_remedy[] = "the CPU cannot follow a device pointer: copy the data with "
                                      "cudaMemcpy first, or let a kernel touch it";

const char *mem_host_access_text(const mem_host_access *a, char *buf, size_t buf_size)
{
    snprintf(buf, buf_size, "host code %s device memory directly: address 0x%llx is %s", a->did,
             (unsigned long long)a->address, a->what);
    return buf;
}

static void print_host_access_text(const mem_host_access *a)
{
    char sentence[600], text[900];
    int n = snprintf(text, sizeof text, "warpbook: %s.\nwarpbook: %s.\n",
                     mem_host_access_text(a, sentence, sizeof sentence), mem_host_access_remedy);
    if (n > 0) {
        ssize_t written =
            write(STDERR_FILENO, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
        (void)written;
    }
}

/* Print a message about a host access to device address ADDRESS, in the signal handler. Some
 * functions called here are not async-signal-safe in general, but with these arguments they neither
 * allocate nor wait, and the process is about to end. */
static void print_host_access(uint64_t address, const ucontext_t *context)
{
    char what[400];
    if (pthread_mutex_trylock(&mem_state_shared.lock) == 0) {
        mem_range r;
        size_t at =
            mem_first_above(mem_state_shared.live.range, mem_state_shared.live.count, address);
        if (at > 0 && address - mem_state_shared.live.range[at - 1].base <
                          mem_state_shared.live.range[at - 1].size) {
            char name[300];
            r = mem_state_shared.live.range[at - 1];
            mem_describe_range(&r, name, sizeof name);
            snprintf(what, sizeof what, "byte %llu of %s", (unsigned long long)(address - r.base),
                     name);
        } else {
            mem_describe_locked(address, 1, what, sizeof what);
        }
        pthread_mutex_unlock(&mem_state_shared.lock);
    } else {
        snprintf(what, sizeof what, "device memory");
    }
    const mem_host_access a = {address, mem_fault_code(context), access_kind_text(context), what};
    (on_host_access ? on_host_access : print_host_access_text)(&a);
}

/* Has the program no signal handler of its own that may let it go on? */
static bool ends_process(void)
{
    return !(previous_handler.sa_flags & SA_SIGINFO) && previous_handler.sa_handler == SIG_DFL;
}

static void handle_segv(int sig, siginfo_t *info, void *context)
{
    uint64_t address = (uintptr_t)info->si_addr;
    mem_stop_stepping(context);
    if (sig == SIGSEGV && info->si_code > 0 && call_host_fault_hook(address, context))
        return;
    if (sig == SIGSEGV && info->si_code > 0 && mem_in_window(address)) {
        print_host_access(address, context);
    } else if (sig == SIGSEGV && on_host_access && ends_process()) {
        const mem_host_access a = {address, mem_fault_code(context), access_kind_text(context),
                                   NULL};
        on_host_access(&a);
    }
    if (previous_handler.sa_flags & SA_SIGINFO) {
        previous_handler.sa_sigaction(sig, info, context);
    } else if (previous_handler.sa_handler != SIG_DFL && previous_handler.sa_handler != SIG_IGN) {
        previous_handler.sa_handler(sig);
    } else {
        /* After this, the access faults again and ends the process, as without this handler. */
        struct sigaction plain = {.sa_handler = SIG_DFL};
        sigaction(sig, &plain, NULL);
        if (info->si_code <= 0)
            raise(sig);
    }
}

bool mem_is_fault_hook_active(void)
{
    struct sigaction now;
    return fault_hook && sigaction(SIGSEGV, NULL, &now) == 0 && now.sa_flags & SA_SIGINFO &&
           now.sa_sigaction == handle_segv;
}

static void install_handler(void)
{
    struct sigaction act = {.sa_sigaction = handle_segv, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&act.sa_mask);
    sigaction(SIGSEGV, &act, &previous_handler);
}

static void *reserve_addresses(void *hint, uint64_t size, int protection)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
#ifdef MAP_FIXED_NOREPLACE
    if (hint) {
        void *at = mmap(hint, size, protection, flags | MAP_FIXED_NOREPLACE, -1, 0);
        if (at == hint)
            return at;
        if (at != MAP_FAILED)
            munmap(at, size);
    }
#endif
    void *at = mmap(NULL, size, protection, flags, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

static struct {
    uint64_t base;  /* requested address of the window; 0: the default */
    uint64_t size;  /* requested size of the window in bytes; 0: the default */
    uint64_t floor; /* lowest address that mem_alloc shall use; 0: the start of the window */
} chosen_window;    /* arguments of mem_set_window */

void mem_set_window(uint64_t base, uint64_t size, uint64_t floor)
{
    chosen_window.base = base;
    chosen_window.size = size;
    chosen_window.floor = floor;
}

static void *window_hint(void)
{
    return chosen_window.base ? (void *)(uintptr_t)chosen_window.base
           : __tsan_init      ? WINDOW_HINT_TSAN
                              : WINDOW_HINT;
}

/* Reserve the window, the backing and the bitmaps of touch.c for TOTAL bytes. Returns false, with
 * all of them released, if one cannot be reserved. */
static bool reserve_window(uint64_t total)
{
    const uint64_t page = mem_page_bytes();
    /* The window is larger than TOTAL, because of the gaps between allocations. */
    uint64_t size =
        chosen_window.size ? chosen_window.size : total + total / 8 + (UINT64_C(64) << 20);
    size = (size + page - 1) / page * page;
    if (!chosen_window.size && size < total) {
        errno = ENOMEM;
        return false;
    }
    uint8_t *window = reserve_addresses(window_hint(), size, PROT_NONE);
    if (!window)
        return false;
    mem_state_shared.commit = false;
    uint8_t *backing = reserve_addresses(NULL, size, PROT_READ | PROT_WRITE);
    /* The system charges writable pages before they are touched, so give access later. */
    if (!backing) {
        mem_state_shared.commit = true;
        backing = reserve_addresses(NULL, size, PROT_NONE);
    }
    if (!backing || !mem_reserve_touch_bitmaps((uintptr_t)window, size)) {
        int why = errno;
        munmap(window, size);
        if (backing)
            munmap(backing, size);
        errno = why;
        return false;
    }
    madvise(backing, size, MADV_DONTDUMP);
    madvise(backing, size, MADV_HUGEPAGE); /* a page fault costs more than clearing its 4 KiB */
    mem_state_shared.base = (uintptr_t)window;
    mem_state_shared.delta = backing - window;
    mem_state_shared.floor = chosen_window.floor;
    mem_state_shared.total = total;
    __atomic_store_n(&mem_state_shared.size, size, __ATOMIC_RELEASE);
    return true;
}

bool mem_reserve_window(uint64_t total)
{
    HOLD_LOCK(&mem_state_shared.lock);
    if (mem_state_shared.size)
        return true;
    /* If a limit forbids that size, give the device less memory. */
    const uint64_t least = UINT64_C(16) << 20;
    bool ok = reserve_window(total);
    for (uint64_t less = total / 2; !ok && less >= least; less /= 2)
        ok = reserve_window(less);
    if (ok)
        install_handler();
    return ok;
}

bool mem_in_window(uint64_t address)
{
    uint64_t size = __atomic_load_n(&mem_state_shared.size, __ATOMIC_ACQUIRE);
    return address - mem_state_shared.base < size;
}
