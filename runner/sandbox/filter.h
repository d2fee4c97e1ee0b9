/* The seccomp filter that limits the system calls of a program in the sandbox. */
#pragma once

#include <stddef.h>

/* What runs in the sandbox: the compiler, a lab on the emulator, one that starts itself again in
 * new processes (common/lab_process.h), a walk through a recorded run (`warpbook page`: processes
 * that talk by sockets, and many snapshots), or a lab on a GPU (with more system calls). */
typedef enum sandbox_use {
    SANDBOX_COMPILE,
    SANDBOX_RUN,
    SANDBOX_JOBS,
    SANDBOX_WALK,
    SANDBOX_GPU
} sandbox_use;

/* Write the filter as a BPF program into an unnamed file, and return its descriptor (close-on-exec,
 * at offset 0), which the caller closes. Negative: failed, with a sentence in ERR. */
int system_call_filter_open(sandbox_use use, char *err, size_t err_size);
