/* Prints lines "name<TAB>code" with the codes that the CUDA runtime returned, and runs each section
 * in a separate process, so that leftovers or a crash of one section do not affect the next. */
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <sys/wait.h>
#include <unistd.h>

/* Print the code that CALL returned, and clear the thread's last error. */
#define SAY(name, call)                                    \
    do {                                                   \
        cudaError_t code_ = (call);                        \
        cudaGetLastError();                                \
        printf("%s\t%s\n", name, cudaGetErrorName(code_)); \
        fflush(stdout);                                    \
    } while (0)
#define SHOW(name, format, ...)                        \
    do {                                               \
        printf("%s\t" format "\n", name, __VA_ARGS__); \
        fflush(stdout);                                \
    } while (0)

struct section {
    const char *name; /* name of the section, for the command line */
    void (*run)();    /* makes the calls of the section */
};

/* Run all sections, each in a new process of this program; with an argument, run only the section
 * it names. */
static int run_sections(const section *all, size_t n, int argc, char **argv)
{
    if (argc > 1) {
        for (size_t i = 0; i < n; i++) {
            if (!strcmp(argv[1], all[i].name)) {
                all[i].run();
            }
        }
        return 0;
    }
    for (size_t i = 0; i < n; i++) {
        fflush(stdout);
        pid_t child = fork();
        if (!child) {
            alarm(60);
            execl("/proc/self/exe", argv[0], all[i].name, (char *)NULL);
            _exit(127);
        }
        int status = 0;
        waitpid(child, &status, 0);
        printf("section %s ended with\t%s %d\n", all[i].name,
               WIFSIGNALED(status) ? "signal" : "status",
               WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    }
    return 0;
}
