#include "filter.h"

#include <errno.h>
#include <linux/sched.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    FOR_COMPILER = 1 << SANDBOX_COMPILE, /* the compiler may make the call */
    FOR_GPU = 1 << SANDBOX_GPU,          /* a lab on a GPU may make the call */
    FOR_WALK = 1 << SANDBOX_WALK,        /* a walk through a run may make the call */
    FOR_LAB = 1 << SANDBOX_RUN | 1 << SANDBOX_JOBS | FOR_WALK | FOR_GPU, /* any lab, and a walk */
    FOR_BOTH = FOR_COMPILER | FOR_LAB /* the compiler and labs may make the call */
};

static const struct {
    const char *name; /* name of a system call */
    unsigned who;     /* which programs may make the call: FOR_COMPILER, FOR_GPU ... */
} allowed_calls[] = {
#define CALL(name, who) {#name, who},
#include "syscalls.def"
#undef CALL
};

/* The flags of clone(2) that put a new process into new namespaces. */
#define CLONE_NAMESPACE_FLAGS                                                                \
    ((uint64_t)CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | \
     CLONE_NEWPID | CLONE_NEWNET)

static bool allow_call(scmp_filter_ctx f, const char *name)
{
    int number = seccomp_syscall_resolve_name(name);
    return number < 0 || seccomp_rule_add(f, SCMP_ACT_ALLOW, number, 0) == 0;
}

static bool allow_call_if(scmp_filter_ctx f, const char *name, struct scmp_arg_cmp condition)
{
    int number = seccomp_syscall_resolve_name(name);
    return number < 0 || seccomp_rule_add_array(f, SCMP_ACT_ALLOW, number, 1, &condition) == 0;
}

/* Allow clone: for threads in the compiler and in labs, for new processes only in the compiler,
 * which starts its passes, in labs with jobs and in walks; never with a new namespace. clone3 is
 * refused, because a filter cannot read its flags; the C library then uses clone. */
static bool allow_clone(scmp_filter_ctx f, sandbox_use use)
{
    if (use == SANDBOX_COMPILE || use == SANDBOX_JOBS || use == SANDBOX_WALK)
        return allow_call_if(f, "clone", SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_NAMESPACE_FLAGS, 0));
    return allow_call_if(
        f, "clone",
        SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_NAMESPACE_FLAGS | CLONE_THREAD, CLONE_THREAD));
}

static bool allow_calls_by_argument(scmp_filter_ctx f, sandbox_use use)
{
    static const uint64_t terminal[] = {TCGETS, TIOCGWINSZ, FIONREAD, FIOCLEX, FIONBIO};
    static const uint64_t process[] = {PR_SET_NAME, PR_GET_NAME, PR_SET_PDEATHSIG, PR_GET_DUMPABLE};
    bool ok = allow_clone(f, use);
    for (size_t i = 0; i < sizeof terminal / sizeof *terminal; i++)
        ok = ok && allow_call_if(f, "ioctl", SCMP_A1(SCMP_CMP_MASKED_EQ, UINT32_MAX, terminal[i]));
    for (size_t i = 0; i < sizeof process / sizeof *process; i++)
        ok = ok && allow_call_if(f, "prctl", SCMP_A0(SCMP_CMP_MASKED_EQ, UINT32_MAX, process[i]));
    /* A process may read and lower its own limits (process 0). Raising a hard limit needs a
     * privilege that a sandboxed process does not have. */
    return ok && allow_call_if(f, "prlimit64", SCMP_A0(SCMP_CMP_EQ, 0, 0)) &&
           allow_call_if(f, "setrlimit", SCMP_A0(SCMP_CMP_NE, RLIMIT_NLIMITS, 0));
}

/* Allow the ioctls of NVIDIA's driver: its resource manager uses ioctl type F, unified memory uses
 * plain numbers apart from two. The driver's sockets exist only in the sandbox's own network
 * namespace, and none is connected. */
static bool allow_driver(scmp_filter_ctx f)
{
    static const uint64_t begin_and_end = 0x30000000;
    return allow_call_if(f, "ioctl", SCMP_A1(SCMP_CMP_MASKED_EQ, 0xff00, 'F' << 8)) &&
           allow_call_if(f, "ioctl", SCMP_A1(SCMP_CMP_MASKED_EQ, 0xffffff00, 0)) &&
           allow_call_if(f, "ioctl", SCMP_A1(SCMP_CMP_MASKED_EQ, 0xffffff00, begin_and_end)) &&
           allow_call_if(f, "socket", SCMP_A0(SCMP_CMP_EQ, AF_UNIX, 0));
}

/* Allow a walk to connect its own processes, and to collect those that end. */
static bool allow_walk(scmp_filter_ctx f)
{
    return allow_call_if(f, "socketpair", SCMP_A0(SCMP_CMP_EQ, AF_UNIX, 0)) &&
           allow_call_if(f, "prctl",
                         SCMP_A0(SCMP_CMP_MASKED_EQ, UINT32_MAX, PR_SET_CHILD_SUBREAPER));
}

int system_call_filter_open(sandbox_use use, char *err, size_t err_size)
{
    scmp_filter_ctx f = seccomp_init(SCMP_ACT_ERRNO(ENOSYS));
    bool ok = f && seccomp_attr_set(f, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS) == 0;
    for (size_t i = 0; ok && i < sizeof allowed_calls / sizeof *allowed_calls; i++)
        if (allowed_calls[i].who & 1u << use)
            ok = allow_call(f, allowed_calls[i].name);
    ok = ok && allow_calls_by_argument(f, use) && (use != SANDBOX_GPU || allow_driver(f)) &&
         (use != SANDBOX_WALK || allow_walk(f));
    int file = ok ? memfd_create("filter", MFD_CLOEXEC) : -1;
    ok = file >= 0 && seccomp_export_bpf(f, file) == 0 && lseek(file, 0, SEEK_SET) == 0;
    if (!ok) {
        snprintf(err, err_size, "cannot make the sandbox's filter of system calls: %s",
                 errno ? strerror(errno) : "libseccomp refused a rule");
        if (file >= 0)
            close(file);
        file = -1;
    }
    if (f)
        seccomp_release(f);
    return file;
}
