#include "fault.h"

#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

/* What of a word of code must be equal for it to be a store ("Loads and Stores" of the Arm
 * architecture's index of encodings; for one or two registers bit 22 is that of a load). */
static const struct {
    uint32_t mask, value;
} aarch64_stores[] = {
    {0xbfff0000, 0x0c000000}, /* st1 to st4 of whole vectors */
    {0xbfe00000, 0x0c800000}, /* and with a new address */
    {0xbfdf0000, 0x0d000000}, /* of one element */
    {0xbfc00000, 0x0d800000}, /* and with a new address */
    {0x3f400000, 0x08000000}, /* exclusive and ordered; cas without acquire */
    {0x3fa07c00, 0x08a07c00}, /* cas */
    {0xbfa07c00, 0x08207c00}, /* casp */
    {0x3a400000, 0x28000000}, /* a pair of registers */
    {0x3bc00000, 0x39000000}, /* a register */
    {0x3be00000, 0x38000000}, /* and with a new address, or next to it */
    {0x3be00c00, 0x38200800}, /* at a sum of registers */
    {0x3ec00000, 0x3c800000}, /* a vector of 16 bytes, in all these ways */
    {0x3fe00c00, 0x19000000}, /* ordered, next to an address */
    {0x3f20fc00, 0x38208000}, /* swp */
    {0x3f208c00, 0x38200000}, /* ldadd, ldset and others */
    {0xfe000000, 0xe4000000}, /* vectors of SVE */
    {0xffffffe0, 0xd50b7420}, /* dc zva */
};

bool mem_is_aarch64_store(uint32_t word)
{
    bool is = false;
    for (size_t k = 0; k < sizeof aarch64_stores / sizeof *aarch64_stores; k++)
        is = is || (word & aarch64_stores[k].mask) == aarch64_stores[k].value;
    return is;
}

static __thread void (*step_done)(void); /* this thread executes one instruction alone */

#if defined(__x86_64__)

uint64_t mem_fault_code(const ucontext_t *context)
{
    return (uint64_t)context->uc_mcontext.gregs[REG_RIP];
}

bool mem_fault_wrote(const ucontext_t *context)
{
    return context->uc_mcontext.gregs[REG_ERR] & 2;
}

enum { TRAP_FLAG = 0x100 }; /* bit of EFLAGS: the CPU raises SIGTRAP after the next instruction */

static bool begin_step(ucontext_t *context)
{
    context->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
    return true;
}

static void end_step(ucontext_t *context)
{
    context->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
}

void mem_stop_stepping(ucontext_t *context)
{
    (void)context;
}

#else /* AArch64 */

uint64_t mem_fault_code(const ucontext_t *context)
{
    return context->uc_mcontext.pc;
}

/* Linux says in a record of the signal's frame why the CPU could not go on (asm/sigcontext.h). */
bool mem_fault_wrote(const ucontext_t *context)
{
    enum { ESR_RECORD = 0x45535201, DATA_ABORT = 0x24, WRITES = 1 << 6 };
    const mcontext_t *cpu = &context->uc_mcontext;
    struct {
        uint32_t kind, bytes;
    } head = {0};
    for (size_t at = 0; at + sizeof head + sizeof(uint64_t) <= sizeof cpu->__reserved;
         at += head.bytes) {
        memcpy(&head, cpu->__reserved + at, sizeof head);
        if (head.bytes < sizeof head)
            break;
        uint64_t why;
        memcpy(&why, cpu->__reserved + at + sizeof head, sizeof why);
        if (head.kind == ESR_RECORD)
            return (why >> 26 & 0x3f) == DATA_ABORT && why & WRITES;
    }
    uint32_t word = 0;
    if (cpu->pc != cpu->fault_address) /* else a jump to where no code is */
        memcpy(&word, (const void *)(uintptr_t)cpu->pc, sizeof word);
    return mem_is_aarch64_store(word);
}

/* A program cannot have the CPU stop after one instruction. A copy of it is executed elsewhere,
 * with an instruction behind it that raises SIGTRAP. It is no branch, since it has accessed memory.
 */
static __thread uint32_t *step_code;
static __thread uint64_t stepped_from; /* address of the instruction that is copied */

enum { STEP_WORDS = 2, BREAK = (int)0xd4200000 };

static bool begin_step(ucontext_t *context)
{
    const uint64_t from = context->uc_mcontext.pc;
    uint32_t word;
    memcpy(&word, (const void *)(uintptr_t)from, sizeof word);
    if ((word & 0x3b000000) == 0x18000000) /* loads from next to the code */
        return false;
    uint32_t *code = mmap(NULL, STEP_WORDS * sizeof *code, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (code == MAP_FAILED)
        return false;
    code[0] = word;
    code[1] = (uint32_t)BREAK;
    if (mprotect(code, STEP_WORDS * sizeof *code, PROT_READ | PROT_EXEC) != 0) {
        munmap(code, STEP_WORDS * sizeof *code);
        return false;
    }
    __builtin___clear_cache((char *)code, (char *)(code + STEP_WORDS));
    step_code = code;
    stepped_from = from;
    context->uc_mcontext.pc = (uintptr_t)code;
    return true;
}

static void leave_step_code(ucontext_t *context, uint64_t to)
{
    context->uc_mcontext.pc = to;
    munmap(step_code, STEP_WORDS * sizeof *step_code);
    step_code = NULL;
}

static void end_step(ucontext_t *context)
{
    leave_step_code(context, stepped_from + sizeof *step_code);
}

void mem_stop_stepping(ucontext_t *context)
{
    if (step_code && context->uc_mcontext.pc == (uintptr_t)step_code) {
        leave_step_code(context, stepped_from);
        step_done = NULL;
    }
}

#endif

static struct sigaction previous_trap_handler;

static void handle_trap(int sig, siginfo_t *info, void *context)
{
    void (*const done)(void) = step_done;
    if (done) {
        step_done = NULL;
        end_step(context);
        done();
    } else if (previous_trap_handler.sa_flags & SA_SIGINFO) {
        previous_trap_handler.sa_sigaction(sig, info, context);
    } else if (previous_trap_handler.sa_handler != SIG_DFL &&
               previous_trap_handler.sa_handler != SIG_IGN) {
        previous_trap_handler.sa_handler(sig);
    } else {
        struct sigaction plain = {.sa_handler = SIG_DFL};
        sigaction(sig, &plain, NULL);
        raise(sig);
    }
}

void mem_step_over_fault(ucontext_t *context, void (*done)(void))
{
    static atomic_flag installed = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&installed)) {
        struct sigaction act = {.sa_sigaction = handle_trap, .sa_flags = SA_SIGINFO | SA_ONSTACK};
        sigemptyset(&act.sa_mask);
        sigaction(SIGTRAP, &act, &previous_trap_handler);
    }
    if (!sigismember(&context->uc_sigmask, SIGTRAP) && begin_step(context))
        step_done = done;
}
