/* The instruction of host code that a signal has interrupted: what it did, and how to run it alone.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

uint64_t mem_fault_code(const ucontext_t *context);
bool mem_fault_wrote(const ucontext_t *context);

/* Execute the interrupted instruction once; DONE is called after it, in the handler of SIGTRAP. Not
 * done if the program blocks SIGTRAP, because the signal would then end the process. */
void mem_step_over_fault(ucontext_t *context, void (*done)(void));
/* An instruction that is executed that way has faulted again: CONTEXT is as if it had not been. */
void mem_stop_stepping(ucontext_t *context);

/* Is the instruction WORD of AArch64 a store, or an atomic operation? For systems that do not say:
 * Linux does, qemu's emulation of it does not. */
bool mem_is_aarch64_store(uint32_t word);
