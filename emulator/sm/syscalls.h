/* Functions that the device itself provides: vprintf, malloc, assert, the device runtime. */
#ifndef WARPBOOK_SYSCALLS_H
#define WARPBOOK_SYSCALLS_H

#include "../core/code.h"

/* The implementation, for sm_call.system, of a function that the device provides: vprintf,
 * __assertfail, malloc, free. NULL: no such function has this name and number of arguments. */
typedef const sm_insn *(*sm_syscall)(sm_warp *w, const sm_insn *i, const sm_call *c);
sm_syscall sm_syscall_find(const char *name, uint32_t args);
#define SM_ANY_ARGUMENTS UINT32_MAX /* ARGS of sm_syscall_find: any number of arguments */
/* The implementation of a function of the device runtime (core/runtime.def). NULL: no such function
 * has this name and number of arguments. */
sm_syscall sm_runtime_find(const char *name, uint32_t args);

/* Argument ARG of a call for one lane, at most 8 bytes. */
uint64_t sm_read_call_argument(const uint8_t *window, const sm_call_operand *arg, uint32_t lane);
void sm_write_call_argument(uint8_t *window, const sm_call_operand *arg, uint32_t lane,
                            uint64_t value);

/* Is ADDRESS in the window of shared or local memory, and so invalid in any other grid? */
bool sm_is_private_address(uint64_t address);

/* Does the device itself provide this function, so that no module has to define it (vprintf,
 * malloc, the functions of libcudadevrt)? */
bool sm_is_device_function(const char *name);

#endif
