/* Where things are: the repository (or another house of the same plan), and what lies in it. */
#ifndef WARPBOOK_HOUSE_H
#define WARPBOOK_HOUSE_H

#include "text.h"

typedef struct house {
    arena memory;
    const char *root;     /* absolute */
    const char *build;    /* directory where labs are built and run: $WARPBOOK_WORK or root/build */
    const char *emulator; /* house_emulator; NULL: nobody has asked yet */
    const char *state;    /* directory of saved results: $WARPBOOK_STATE or root/.warpbook */
} house;

/* ROOT, else $WARPBOOK_ROOT, else the directory above the program, else above the current one, that
 * holds chapters/. False with a sentence in ERR. */
bool house_open(house *h, const char *root, char *err, size_t err_size);
void house_close(house *h);

/* A path in the house, in its arena. */
char *house_path(house *h, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A directory of an installed copy, such as "lib/warpbook", found from where the program lies;
 * NULL: there is none. In the house's arena. */
const char *house_installed(house *h, const char *below);

/* A program or file beside the emulator's library, such as "warpbook-replay"; in the arena. */
const char *house_tool(house *h, const char *name);

/* The directory of the emulator: beside the program (`make B=DIR`), built in the book, or
 * installed; where it is nowhere, where it would be built. In the house's arena. */
const char *house_emulator(house *h);

/* The emulator's library, or NULL where it is not built. */
const char *house_emulator_library(house *h);

/* PATH as people see it: relative to the root where it lies below. */
const char *house_short(const house *h, const char *path);

#endif
