/* warpbook exec: any program built with `nvcc -cudart shared`, on the emulator. */
#include "cli.h"
#include "elf_needed.h"
#include "files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int help(house *h)
{
    puts("usage: warpbook exec PROG [ARGS]\n"
         "\n"
         "Runs a program on the emulated CUDA device. Build it with\n"
         "    nvcc -std=c++17 -O3 -lineinfo -cudart shared -arch=sm_90 prog.cu -o prog\n"
         "Its exit code is the program's own.\n");
    char *list = file_read(house_path(h, "build/emulator/warpbook-env.txt"), 1 << 20, NULL);
    if (list)
        fputs(list, stdout);
    else
        puts("The emulator's WARPBOOK_* variables are listed here once it is built (run `make`).");
    free(list);
    return EXIT_PASS;
}

/* Whether the program would reach the emulator; a sentence where it would not. */
static bool suits(house *h, const char *path, const char *library, char *err, size_t err_size)
{
    elf_facts f;
    if (!elf_read(path, &f) || !f.is_elf)
        return true; /* a script, perhaps one that starts the program */
    const char *soname = strrchr(library, '/') + 1;
    if (!f.cudart[0] && f.has_fatbin) {
        snprintf(
            err, err_size,
            "%s carries NVIDIA's runtime library in itself, so the emulator cannot stand in for "
            "it: build it again with `nvcc -cudart shared`",
            path);
        return false;
    }
    if (f.cudart[0] && strcmp(f.cudart, soname) != 0) {
        snprintf(err, err_size,
                 "%s was built by another CUDA Toolkit: it wants %s, and the emulator is %s; build "
                 "it again with this toolkit's nvcc",
                 path, f.cudart, soname);
        return false;
    }
    if (f.cudart[0] && f.has_rpath)
        fprintf(stderr,
                "warpbook: %s names its own library directories (RPATH), which come before the "
                "emulator's; if it finds NVIDIA's library there, build it without\n",
                path);
    (void)h;
    return true;
}

int cli_exec(house *h, char **argv)
{
    char err[1024];
    if (argv[0] && (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0))
        return help(h);
    if (argv[0] && strcmp(argv[0], "--") == 0)
        argv++;
    if (!argv[0]) {
        fputs("usage: warpbook exec PROG [ARGS] (warpbook exec --help says more)\n", stderr);
        return EXIT_USAGE;
    }
    char *path = program_find(argv[0]);
    if (!path) {
        fprintf(stderr, "warpbook: there is no program %s%s\n", argv[0],
                file_exists(argv[0]) ? " that may be executed: write it as a path, ./prog" : "");
        return EXIT_USAGE;
    }
    const char *library = house_emulator_library(h);
    bool ok = true;
    if (!library) {
        fprintf(stderr, "warpbook: the emulator is not built (%s/libcudart.so.*): run `make`\n",
                house_short(h, h->emulator));
        free(path);
        return EXIT_LACKS;
    }
    ok = suits(h, path, library, err, sizeof err);
    if (!ok) {
        fprintf(stderr, "warpbook: %s\n", err);
        free(path);
        return EXIT_USAGE;
    }
    putenv((char *)emulator_library_path(h));
    fflush(NULL);
    execv(path, argv);
    fprintf(stderr, "warpbook: %s does not start: %s\n", path, strerror(errno));
    free(path);
    return EXIT_FAIL;
}
