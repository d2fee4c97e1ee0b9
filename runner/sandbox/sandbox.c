#include "sandbox.h"

#include "../base/files.h"
#include "usage.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

const sandbox_limits default_sandbox_limits[] = {
    [SANDBOX_COMPILE] = {.memory = (size_t)3 << 30,
                         .address = (size_t)6 << 30,
                         .files = (size_t)512 << 20,
                         .names = 1000,
                         .processes = 64,
                         .threads = 128,
                         .cpu_factor = 2},
    [SANDBOX_RUN] = {.memory = (size_t)3 << 30,
                     .address = (size_t)16 << 30,
                     .files = (size_t)256 << 20,
                     .names = 1000,
                     .threads = 512,
                     .cpu_factor = 4},
    [SANDBOX_JOBS] = {.memory = (size_t)3 << 30,
                      .address = (size_t)16 << 30,
                      .files = (size_t)256 << 20,
                      .names = 1000,
                      .processes = 8,
                      .threads = 512,
                      .cpu_factor = 4},
    /* Snapshots share most of their memory, but each counts all of it. */
    [SANDBOX_WALK] = {.memory = (size_t)12 << 30,
                      .address = (size_t)16 << 30,
                      .files = (size_t)256 << 20,
                      .names = 1000,
                      .processes = 256,
                      .threads = 512,
                      .cpu_factor = 4},
    /* Larger limits for GPU labs: the driver's mappings count as address space too. */
    [SANDBOX_GPU] = {.memory = (size_t)12 << 30,
                     .address = (size_t)256 << 30,
                     .files = (size_t)256 << 20,
                     .names = 1000,
                     .threads = 512,
                     .cpu_factor = 4},
};

/* Descriptors of a shell that runs before the program: it writes to READY_FD when all is mounted,
 * waits for a line on GO_FD, and then execs the program. */
enum {
    READY_FD = 8, /* the shell in the sandbox writes here when all is mounted */
    GO_FD = 9,    /* the shell waits for a line from here before it starts the program */
};
/* The script of the shell that waits on GO_FD and then execs the program. */
#define GATE_SCRIPT    "echo >&8; read -r go <&9 && exec 8>&- 9<&- && exec \"$@\""
#define MOUNT_LIMIT_MS 20000 /* how long mounting may take, in milliseconds */

struct sandbox {
    sandbox_use use;          /* what runs: the compiler, a lab, or a lab on a GPU */
    sandbox_limits limits;    /* limits of memory, files and processes */
    arena memory;             /* arena that holds the arguments */
    const char **argv;        /* command line of bubblewrap, the program that makes the sandbox */
    const char **shown;       /* bubblewrap's arguments that make paths of the host readable */
    size_t argc, shown_words; /* words in `argv` and in `shown` */
    int filter;               /* descriptor of the file with the system-call filter */
    int info[2];              /* pipe on which bubblewrap reports the process id `inside` */
    int ready[2], go[2];      /* pipes whose inner ends become READY_FD and GO_FD */
    rlim_t cpu_s;             /* limit of CPU time in seconds */
    pid_t inside;     /* process id of the sandbox's first process, seen from outside; 0: unknown */
    int out, tmp;     /* descriptors of SANDBOX_OUT and SANDBOX_TMP, open also after the sandbox has
                         ended; negative: not opened yet */
    job_limit broken; /* the limit that the program exceeded, or JOB_LIMIT_NONE */
};

/* --- check that a sandbox is available --- */

/* What a container may refuse, so the probe asks for all of it. */
#define OWN_NAMESPACES                                                                    \
    "--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", \
        "--unshare-cgroup-try", "--hostname", "sandbox"

static bool probe_bubblewrap(char *err, size_t err_size)
{
    char *bwrap = find_program("bwrap");
    if (!bwrap) {
        snprintf(err, err_size,
                 "found no bwrap, which keeps submissions apart from this machine: install the "
                 "package bubblewrap, or grade your own files with --no-sandbox");
        return false;
    }
    const char *argv[] = {bwrap,       OWN_NAMESPACES, "--ro-bind", "/usr",          "/usr",
                          "--proc",    "/proc",        "--symlink", "usr/lib64",     "/lib64",
                          "--symlink", "usr/lib",      "/lib",      "/usr/bin/true", NULL};
    job_end how;
    int code;
    OWNED char *says = job_run_and_read(argv, 30, &how, &code);
    bool ok = how == JOB_EXITED && code == 0;
    if (!ok) {
        says[strcspn(says, "\n")] = '\0';
        snprintf(
            err, err_size,
            "bubblewrap cannot make a sandbox here (%s): allow unprivileged user namespaces, in "
            "a container by the options that INSTRUCTORS.md names, or grade your own files with "
            "--no-sandbox",
            *says ? says : "it does not say why");
    }
    free(bwrap);
    return ok;
}

bool sandbox_works(char *err, size_t err_size)
{
    static bool asked, works;
    static char why[512];
    if (!asked)
        works = probe_bubblewrap(why, sizeof why);
    asked = true;
    if (!works)
        snprintf(err, err_size, "%s", why);
    return works;
}

/* --- the arguments of bubblewrap --- */

static void add_argument(sandbox *s, const char *word)
{
    *ARENA_PUSH(&s->memory, s->argv, s->argc) = word ? arena_strdup(&s->memory, word) : NULL;
}

#define ADD_ARGUMENTS(s, ...)                                          \
    do {                                                               \
        const char *const words_[] = {__VA_ARGS__};                    \
        for (size_t i_ = 0; i_ < sizeof words_ / sizeof *words_; i_++) \
            add_argument(s, words_[i_]);                               \
    } while (0)

static void add_mount(sandbox *s, const char *how, const char *path)
{
    const char *words[] = {how, path, path};
    for (size_t i = 0; i < 3; i++)
        *ARENA_PUSH(&s->memory, s->shown, s->shown_words) = arena_strdup(&s->memory, words[i]);
}

void sandbox_show(sandbox *s, const char *path)
{
    add_mount(s, "--ro-bind", path);
}

/* Like sandbox_show, but does nothing if PATH does not exist. */
static void sandbox_show_if_exists(sandbox *s, const char *path)
{
    add_mount(s, "--ro-bind-try", path);
}

/* Show /usr, /bin and the like. On a merged system /bin is a link into /usr, on an older one a
 * directory. */
static void show_system_directories(sandbox *s)
{
    static const char *const places[] = {"/bin", "/sbin", "/lib", "/lib32", "/lib64"};
    sandbox_show(s, "/usr");
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char to[256];
        ssize_t n = readlink(places[i], to, sizeof to - 1);
        if (n > 0) {
            to[n] = '\0';
            ADD_ARGUMENTS(s, "--symlink", to, places[i]);
        } else {
            sandbox_show_if_exists(s, places[i]);
        }
    }
    sandbox_show_if_exists(s, "/etc/ld.so.cache");
    sandbox_show_if_exists(s, "/etc/alternatives");
    /* Here glibc reads whether the system has huge pages. */
    sandbox_show_if_exists(s, "/sys/kernel/mm/transparent_hugepage");
}

/* --- access to a GPU --- */

/* True: PATH is the device file of the driver's control, of unified memory or of a GPU; not
 * one that configures or shares a GPU. */
static bool is_gpu_node(const char *path)
{
    const char *name = path + strlen("/dev/nvidia");
    struct stat st;
    bool wanted = strcmp(name, "ctl") == 0 || strcmp(name, "-uvm") == 0 ||
                  (*name && !name[strspn(name, "0123456789")]);
    return wanted && lstat(path, &st) == 0 && S_ISCHR(st.st_mode);
}

static void mount_gpu_devices(sandbox *s)
{
    size_t count;
    const char **names = directory_names(&s->memory, "/dev", &count);
    for (size_t i = 0; i < count; i++) {
        const char *path = arena_printf(&s->memory, "/dev/%s", names[i]);
        if (starts_with(names[i], "nvidia") && is_gpu_node(path))
            ADD_ARGUMENTS(s, "--dev-bind", path, path);
    }
}

/* Make /proc/self writable, because the driver names its threads there. The host's other entries of
 * /proc are mounted read-only over the sandbox's /proc one by one. */
static void make_own_proc_writable(sandbox *s)
{
    size_t count;
    const char **names = directory_names(&s->memory, "/proc", &count);
    for (size_t i = 0; i < count; i++) {
        const char *path = arena_printf(&s->memory, "/proc/%s", names[i]);
        struct stat st;
        bool process = strspn(names[i], "0123456789") > 0;
        if (!process && lstat(path, &st) == 0 && !S_ISLNK(st.st_mode))
            ADD_ARGUMENTS(s, "--ro-bind-try", path, path);
    }
}

static void add_writable_directory(sandbox *s, const char *path)
{
    ADD_ARGUMENTS(s, "--size", arena_printf(&s->memory, "%zu", s->limits.files), "--tmpfs", path);
}

sandbox *sandbox_new(sandbox_use use, const sandbox_limits *limits)
{
    sandbox *s = xmalloc(sizeof *s);
    *s = (sandbox){.use = use,
                   .limits = limits ? *limits : default_sandbox_limits[use],
                   .filter = -1,
                   .info = {-1, -1},
                   .ready = {-1, -1},
                   .go = {-1, -1},
                   .out = -1,
                   .tmp = -1};
    OWNED char *bwrap = find_program("bwrap");
    ADD_ARGUMENTS(s, bwrap ? bwrap : "/usr/bin/bwrap", OWN_NAMESPACES, "--uid", "1000", "--gid",
                  "1000", "--cap-drop", "ALL", "--new-session", "--die-with-parent");
    show_system_directories(s);
    ADD_ARGUMENTS(s, "--proc", "/proc");
    if (use == SANDBOX_GPU)
        make_own_proc_writable(s);
    else
        ADD_ARGUMENTS(s, "--remount-ro", "/proc");
    ADD_ARGUMENTS(s, "--dev", "/dev");
    if (use == SANDBOX_GPU)
        mount_gpu_devices(s);
    return s;
}

/* Add the rest of bubblewrap's arguments. / and /dev (file systems in memory) become read-only;
 * what is mounted below them does not change. */
static void complete_bubblewrap_arguments(sandbox *s, const char *const *argv,
                                          const char *const *env)
{
    add_writable_directory(s, SANDBOX_OUT);
    add_writable_directory(s, SANDBOX_TMP);
    for (size_t i = 0; i < s->shown_words; i++)
        add_argument(s, s->shown[i]);
    ADD_ARGUMENTS(s, "--remount-ro", "/", "--remount-ro", "/dev", "--chdir", SANDBOX_TMP,
                  "--clearenv");
    ADD_ARGUMENTS(s, "--setenv", "PATH", "/usr/local/bin:/usr/bin:/bin", "--setenv", "HOME",
                  SANDBOX_TMP, "--setenv", "TMPDIR", SANDBOX_TMP, "--setenv", "LC_ALL", "C.UTF-8");
    for (; env && *env; env++) {
        const char *equals = strchr(*env, '=');
        if (equals)
            ADD_ARGUMENTS(s, "--setenv",
                          arena_printf(&s->memory, "%.*s", (int)(equals - *env), *env), equals + 1);
    }
    ADD_ARGUMENTS(s, "--seccomp", arena_printf(&s->memory, "%d", s->filter), "--info-fd",
                  arena_printf(&s->memory, "%d", s->info[1]), "/bin/sh", "-c", GATE_SCRIPT, "sh");
    for (; *argv; argv++)
        add_argument(s, *argv);
    add_argument(s, NULL);
}

/* --- starting a sandbox --- */

static void set_resource_limit(int what, rlim_t most)
{
    struct rlimit l;
    if (getrlimit(what, &l) != 0)
        return;
    l.rlim_cur = l.rlim_cur < most ? l.rlim_cur : most;
    l.rlim_max = l.rlim_max < most ? l.rlim_max : most;
    setrlimit(what, &l);
}

/* Set limits in the forked child, before it execs bubblewrap. */
static void set_child_limits(void *object)
{
    const sandbox *s = object;
    const sandbox_limits *l = &s->limits;
    set_resource_limit(RLIMIT_CORE, 0);
    set_resource_limit(RLIMIT_CPU, s->cpu_s);
    set_resource_limit(RLIMIT_AS, l->address);
    set_resource_limit(RLIMIT_DATA, l->address);
    set_resource_limit(RLIMIT_FSIZE, l->files);
    set_resource_limit(RLIMIT_NOFILE, 256);
    set_resource_limit(RLIMIT_MSGQUEUE, 0);
    set_resource_limit(RLIMIT_MEMLOCK, 0);
    set_resource_limit(RLIMIT_STACK, (rlim_t)64 << 20);
    fcntl(s->filter, F_SETFD, 0);
    fcntl(s->info[1], F_SETFD, 0);
    dup2(s->ready[1], READY_FD);
    dup2(s->go[0], GO_FD);
}

/* Open a pipe whose descriptors are not READY_FD or GO_FD. */
static bool open_pipe(int ends[2])
{
    int low[2];
    if (pipe2(low, O_CLOEXEC) != 0)
        return false;
    for (int i = 0; i < 2; i++) {
        ends[i] = fcntl(low[i], F_DUPFD_CLOEXEC, GO_FD + 1);
        close(low[i]);
    }
    return ends[0] >= 0 && ends[1] >= 0;
}

static bool open_pipes(sandbox *s, char *err, size_t err_size)
{
    int filter = system_call_filter_open(s->use, err, err_size);
    if (filter < 0)
        return false;
    s->filter = fcntl(filter, F_DUPFD_CLOEXEC, GO_FD + 1);
    close(filter);
    if (s->filter >= 0 && open_pipe(s->info) && open_pipe(s->ready) && open_pipe(s->go))
        return true;
    snprintf(err, err_size, "cannot make the sandbox's pipes: %s", strerror(errno));
    return false;
}

/* Read once from FD, waiting at most MOUNT_LIMIT_MS. */
static ssize_t read_with_timeout(int fd, char *bytes, size_t size)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    int n;
    do
        n = poll(&p, 1, MOUNT_LIMIT_MS);
    while (n < 0 && errno == EINTR);
    return n > 0 ? read(fd, bytes, size) : -1;
}

static int open_directory_inside(const sandbox *s, const char *path)
{
    char full[64];
    snprintf(full, sizeof full, "/proc/%d/root%s", (int)s->inside, path);
    return open(full, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* Wait until all is mounted, and open the sandbox's directories before the program starts: an open
 * directory stays readable after the sandbox ends. */
static bool open_directories_inside(sandbox *s)
{
    char text[1024] = "", byte;
    size_t len = 0;
    ssize_t n = 1;
    while (n > 0 && len < sizeof text - 1 && !memchr(text, '}', len)) {
        n = read_with_timeout(s->info[0], text + len, sizeof text - 1 - len);
        len += n > 0 ? (size_t)n : 0;
    }
    text[len] = '\0';
    const char *at = strstr(text, "\"child-pid\":");
    s->inside = at ? (pid_t)strtol(at + strlen("\"child-pid\":"), NULL, 10) : 0;
    if (s->inside <= 0 || read_with_timeout(s->ready[0], &byte, 1) != 1)
        return false;
    s->out = open_directory_inside(s, SANDBOX_OUT);
    s->tmp = open_directory_inside(s, SANDBOX_TMP);
    return s->out >= 0 && s->tmp >= 0;
}

job *sandbox_start(sandbox *s, const char *const *argv, const char *const *env, double limit_s,
                   char *err, size_t err_size)
{
    if (!open_pipes(s, err, err_size))
        return NULL;
    complete_bubblewrap_arguments(s, argv, env);
    s->cpu_s = (rlim_t)(limit_s * s->limits.cpu_factor) + 1;
    job *j = job_start(
        &(job_spec){.argv = s->argv, .limit_s = limit_s, .prepare = set_child_limits, .object = s});
    close_descriptor(&s->filter);
    close_descriptor(&s->info[1]);
    close_descriptor(&s->ready[1]);
    close_descriptor(&s->go[0]);
    if (!open_directories_inside(s) || write(s->go[1], "\n", 1) != 1) {
        job_cancel(j);
        while (!job_poll(j, 50))
            ;
        const char *says = job_output(j, NULL);
        snprintf(err, err_size, "the sandbox did not start: %.*s", (int)strcspn(says, "\n"),
                 *says ? says : "bubblewrap gives no reason");
        job_free(j);
        return NULL;
    }
    close_descriptor(&s->info[0]);
    close_descriptor(&s->ready[0]);
    close_descriptor(&s->go[1]);
    return j;
}

/* --- watching a running sandbox --- */

static bool has_too_many_files(int directory, unsigned names)
{
    struct statvfs v;
    return fstatvfs(directory, &v) == 0 && v.f_files - v.f_ffree > names;
}

void sandbox_watch(sandbox *s, job *j)
{
    const sandbox_limits *l = &s->limits;
    if (s->broken != JOB_LIMIT_NONE || s->inside <= 0)
        return;
    usage u = usage_of(s->inside);
    if (u.resident > l->memory)
        s->broken = JOB_LIMIT_MEMORY;
    else if (u.threads > l->threads || (l->processes && u.processes > l->processes))
        s->broken = JOB_LIMIT_THREADS;
    else if (has_too_many_files(s->out, l->names) || has_too_many_files(s->tmp, l->names))
        s->broken = JOB_LIMIT_FILES;
    if (s->broken != JOB_LIMIT_NONE)
        job_kill(j);
}

job_limit sandbox_exceeded_limit(const sandbox *s)
{
    return s->broken;
}

job_end sandbox_job_end(const job *j, int *code)
{
    job_end how = job_outcome(j, code);
    if (how == JOB_EXITED && *code > 128 && *code < 128 + NSIG) {
        *code -= 128;
        return JOB_SIGNALLED;
    }
    return how;
}

/* --- afterwards --- */

static bool copy_bytes(int from, int to, size_t bytes)
{
    char chunk[1 << 16];
    for (size_t done = 0; done < bytes;) {
        size_t want = bytes - done < sizeof chunk ? bytes - done : sizeof chunk;
        ssize_t n = read(from, chunk, want);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        for (ssize_t written = 0; written < n;) {
            ssize_t w = write(to, chunk + written, (size_t)(n - written));
            if (w < 0 && errno != EINTR)
                return false;
            written += w > 0 ? w : 0;
        }
        done += (size_t)n;
    }
    return true;
}

bool sandbox_copy_file_out(const sandbox *s, const char *name, const char *to, unsigned mode,
                           size_t limit)
{
    struct stat st;
    int from = openat(s->out, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (from < 0)
        return false;
    if (fstat(from, &st) != 0 || !S_ISREG(st.st_mode) || (uint64_t)st.st_size > limit) {
        close(from);
        errno = EINVAL;
        return false;
    }
    int file = open(to, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, (mode_t)mode);
    bool ok = file >= 0 && copy_bytes(from, file, (size_t)st.st_size);
    int why = errno;
    if (file >= 0)
        close(file);
    if (file >= 0 && !ok)
        unlink(to);
    close(from);
    errno = why;
    return ok;
}

bool sandbox_is_full(const sandbox *s)
{
    enum { ALMOST_NOTHING = 64 << 10 }; /* bytes */
    struct statvfs room;
    return fstatvfs(s->out, &room) == 0 && room.f_bavail * room.f_bsize < ALMOST_NOTHING;
}

void sandbox_free(sandbox *s)
{
    if (!s)
        return;
    int *const all[] = {&s->filter, &s->info[0], &s->info[1], &s->ready[0], &s->ready[1],
                        &s->go[0],  &s->go[1],   &s->out,     &s->tmp};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        close_descriptor(all[i]);
    arena_free(&s->memory);
    free(s);
}
