#include "usage.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_PROCESSES = 4096 }; /* processes that are counted, at most */

/* Read the start of the file /proc/PID/NAME as text. False: the process has ended. */
static bool read_proc_text(pid_t pid, const char *name, char *text, size_t size)
{
    char path[96];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    int f = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = f < 0 ? -1 : read(f, text, size - 1);
    if (f >= 0)
        close(f);
    text[n > 0 ? n : 0] = '\0';
    return n > 0;
}

/* List the child processes of PID, which /proc keeps apart for each thread that started some. */
static size_t list_child_processes(pid_t pid, pid_t *out, size_t room)
{
    char name[64], text[65536];
    size_t count = 0;
    snprintf(name, sizeof name, "task/%d/children", (int)pid);
    if (!read_proc_text(pid, name, text, sizeof text))
        return 0;
    for (char *at = text, *end; count < room; at = end) {
        long child = strtol(at, &end, 10);
        if (end == at)
            break;
        out[count++] = (pid_t)child;
    }
    return count;
}

static void add_process(pid_t pid, usage *u)
{
    char text[1024];
    unsigned long size, resident;
    const char *after;
    long threads = 0;
    if (read_proc_text(pid, "statm", text, sizeof text) &&
        sscanf(text, "%lu %lu", &size, &resident) == 2)
        u->resident += (uint64_t)resident * (uint64_t)sysconf(_SC_PAGESIZE);
    /* The process name in the second field may contain any characters, but ends at the last ')'. */
    if (read_proc_text(pid, "stat", text, sizeof text) && (after = strrchr(text, ')')) &&
        sscanf(after + 1,
               " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %ld",
               &threads) == 1 &&
        threads > 0)
        u->threads += (uint64_t)threads;
    u->processes++;
}

usage usage_of(pid_t root)
{
    usage u = {0};
    pid_t *list = malloc(MAX_PROCESSES * sizeof *list);
    size_t count = 0;
    if (!list)
        return u;
    list[count++] = root;
    for (size_t i = 0; i < count; i++) {
        add_process(list[i], &u);
        count += list_child_processes(list[i], list + count, MAX_PROCESSES - count);
    }
    free(list);
    return u;
}
