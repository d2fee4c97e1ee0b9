/* Paths of the workbook: its root directory (the repository or a copy), and the directories of
 * chapters, builds, results and the emulator. */
#pragma once

#include "text.h"

typedef struct installation {
    arena memory;         /* arena that holds paths and other strings */
    const char *root;     /* absolute path of the workbook's directory; NULL: none was found */
    const char *build;    /* directory where labs are built and run: $WARPBOOK_WORK or root/build */
    const char *emulator; /* result of emulator_path(); NULL: not called yet */
    const char *state;    /* directory of saved results: $WARPBOOK_STATE or root/.warpbook */
} installation;

/* Find the workbook: ROOT, else $WARPBOOK_ROOT, else the nearest directory above the program, else
 * above the current directory, with chapters/. False with a sentence in ERR: none was found. */
bool installation_open(installation *h, const char *root, char *err, size_t err_size);
void installation_close(installation *h);

/* A path below the workbook's root, in the arena of H. */
char *installation_path(installation *h, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A directory of an installed copy, such as "lib/warpbook", found relative to the running program;
 * NULL: there is none. In the arena of H. */
const char *installation_data_path(installation *h, const char *below);

/* A file next to the emulator's library, such as "warpbook-replay"; in the arena of H. */
const char *installation_tool(installation *h, const char *name);

/* Path of the program NAME, such as "warpbook-grade", that the workbook starts: in libexec/ next to
 * the workbook's program, in build/libexec or installed. If it is nowhere, the path where it was
 * looked for last. In the arena of H. */
const char *installation_program(installation *h, const char *name);

/* The directory of the emulator: next to the program (`make B=DIR`), built in the workbook, or
 * installed; if it does not exist, the directory where it would be built. In the arena of H. */
const char *emulator_path(installation *h);

/* Path of the emulator's library; NULL: it is not built. */
const char *installation_emulator_library(installation *h);

/* PATH as messages show it: relative to the root if it lies below the root. */
const char *installation_short_path(const installation *h, const char *path);
