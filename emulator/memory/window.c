/* The device window: a range of addresses without access rights, the backing mapping, and the
 * signal handler that explains host accesses to the window. */
#include "host_access.h"
#include "state.h"
#include "watcher.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

mem_state mem_the = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Preferred address of the window. The address is the same in every run, so that messages with
 * addresses are the same too. */
#define WINDOW_HINT ((void *)UINT64_C(0x700000000000))
/* Lowest address at which a program under ThreadSanitizer can map memory. */
#define WINDOW_HINT_TSAN ((void *)UINT64_C(0x7e8000000000))

extern void __tsan_init(void) __attribute__((weak));

static struct sigaction before; /* the signal handler that the program had installed */

static const char *host_access(const ucontext_t *context)
{
#if defined(__x86_64__)
    return context->uc_mcontext.gregs[REG_ERR] & 2 ? "wrote to" : "read";
#else
    (void)context;
    return "touched";
#endif
}

static bool (*on_any_fault)(uint64_t address, bool wrote, uint64_t code);

void mem_on_fault(bool (*handle)(uint64_t address, bool wrote, uint64_t code))
{
    on_any_fault = handle;
}

/* Call the fault hook; returns true if the faulting instruction must be executed again. The hook is
 * not called on CPUs on which the kind of access and the instruction are not known. */
static bool is_same_fault_again(uint64_t address, const ucontext_t *context)
{
#if defined(__x86_64__)
    const greg_t *reg = context->uc_mcontext.gregs;
    return on_any_fault && on_any_fault(address, reg[REG_ERR] & 2, (uint64_t)reg[REG_RIP]);
#else
    (void)address, (void)context;
    return false;
#endif
}

static void (*on_host_access)(uint64_t address, const char *text);

/* Print a message about a host access to device address ADDRESS, in the signal handler. Some
 * functions called here are not async-signal-safe in general, but with these arguments they neither
 * allocate nor wait, and the process is about to end. */
static void say_device_address(uint64_t address, const ucontext_t *context)
{
    char what[400], text[900];
    if (pthread_mutex_trylock(&mem_the.lock) == 0) {
        mem_range r;
        size_t at = mem_first_above(mem_the.live.range, mem_the.live.count, address);
        if (at > 0 && address - mem_the.live.range[at - 1].base < mem_the.live.range[at - 1].size) {
            char name[300];
            r = mem_the.live.range[at - 1];
            mem_describe_range(&r, name, sizeof name);
            snprintf(what, sizeof what, "byte %llu of %s", (unsigned long long)(address - r.base),
                     name);
        } else {
            mem_describe_locked(address, 1, what, sizeof what);
        }
        pthread_mutex_unlock(&mem_the.lock);
    } else {
        snprintf(what, sizeof what, "device memory");
    }
    int n = snprintf(text, sizeof text,
                     "warpbook: host code %s device memory directly: address 0x%llx is %s.\n"
                     "  The CPU cannot follow a device pointer. Copy the data with cudaMemcpy "
                     "first, or let a kernel touch it.\n",
                     host_access(context), (unsigned long long)address, what);
    if (n > 0) {
        ssize_t written =
            write(STDERR_FILENO, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
        (void)written;
        if (on_host_access) {
            on_host_access(address, text + strlen("warpbook: "));
        }
    }
}

void mem_on_host_access(void (*say)(uint64_t address, const char *text))
{
    on_host_access = say;
}

static void on_fault(int sig, siginfo_t *info, void *context)
{
    uint64_t address = (uintptr_t)info->si_addr;
    if (sig == SIGSEGV && info->si_code > 0 && is_same_fault_again(address, context)) {
        return;
    }
    if (sig == SIGSEGV && info->si_code > 0 && mem_in_window(address)) {
        say_device_address(address, context);
    }
    if (before.sa_flags & SA_SIGINFO) {
        before.sa_sigaction(sig, info, context);
    } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
        before.sa_handler(sig);
    } else {
        /* After the handler returns, the access faults again and ends the process, as without this
         * handler. */
        struct sigaction plain = {.sa_handler = SIG_DFL};
        sigaction(sig, &plain, NULL);
        if (info->si_code <= 0) {
            raise(sig);
        }
    }
}

static void watch_host(void)
{
    struct sigaction act = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&act.sa_mask);
    sigaction(SIGSEGV, &act, &before);
}

static void *reserve(void *hint, uint64_t size, int protection)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
#ifdef MAP_FIXED_NOREPLACE
    if (hint) {
        void *at = mmap(hint, size, protection, flags | MAP_FIXED_NOREPLACE, -1, 0);
        if (at == hint) {
            return at;
        }
        if (at != MAP_FAILED) {
            munmap(at, size);
        }
    }
#endif
    void *at = mmap(NULL, size, protection, flags, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

static struct {
    uint64_t base, size, floor;
} wish;

void mem_window_wish(uint64_t base, uint64_t size, uint64_t floor)
{
    wish.base = base;
    wish.size = size;
    wish.floor = floor;
}

static void *window_hint(void)
{
    return wish.base ? (void *)(uintptr_t)wish.base : __tsan_init ? WINDOW_HINT_TSAN : WINDOW_HINT;
}

/* Reserve the window, the backing and the bitmaps of touch.c for TOTAL bytes. Returns false, with
 * all of them released, if one cannot be reserved. */
static bool try_open(uint64_t total)
{
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    /* The window is larger than TOTAL, because of the gaps between allocations. */
    uint64_t size = wish.size ? wish.size : total + total / 8 + (UINT64_C(64) << 20);
    size = (size + page - 1) / page * page;
    if (!wish.size && size < total) {
        errno = ENOMEM;
        return false;
    }
    uint8_t *window = reserve(window_hint(), size, PROT_NONE);
    if (!window) {
        return false;
    }
    mem_the.commit = false;
    uint8_t *backing = reserve(NULL, size, PROT_READ | PROT_WRITE);
    /* The system charges writable pages before they are touched, so give access later. */
    if (!backing) {
        mem_the.commit = true;
        backing = reserve(NULL, size, PROT_NONE);
    }
    if (!backing || !mem_touch_open((uintptr_t)window, size)) {
        int why = errno;
        munmap(window, size);
        if (backing) {
            munmap(backing, size);
        }
        errno = why;
        return false;
    }
    madvise(backing, size, MADV_DONTDUMP);
    mem_the.base = (uintptr_t)window;
    mem_the.delta = backing - window;
    mem_the.floor = wish.floor;
    mem_the.total = total;
    __atomic_store_n(&mem_the.size, size, __ATOMIC_RELEASE);
    return true;
}

bool mem_open(uint64_t total)
{
    bool ok = true;
    pthread_mutex_lock(&mem_the.lock);
    if (mem_the.size == 0) {
        /* If a limit forbids that size, give the device less memory. */
        const uint64_t least = UINT64_C(16) << 20;
        ok = try_open(total);
        for (uint64_t less = total / 2; !ok && less >= least; less /= 2) {
            ok = try_open(less);
        }
        if (ok) {
            watch_host();
        }
    }
    pthread_mutex_unlock(&mem_the.lock);
    return ok;
}

bool mem_in_window(uint64_t address)
{
    uint64_t size = __atomic_load_n(&mem_the.size, __ATOMIC_ACQUIRE);
    return address - mem_the.base < size;
}
