/* A pile: the files of one archive or directory that was handed in. Archives come from students:
 * they are read in memory and nothing of them is written to disk. Only regular files count, below
 * limits on number, size and ratio; of their texts only those that have a TODO region are kept. */
#ifndef WARPBOOK_PILE_H
#define WARPBOOK_PILE_H

#include "../base/text.h"

#include <stdint.h>

enum {
    PILE_FILES = 20000,    /* most entries of one pile, directories included */
    PILE_DEPTH = 32,       /* greatest depth of nested directories */
    PILE_PATH = 1024,      /* most bytes of a path */
    PILE_TEXT = 1 << 20,   /* most bytes of a text that can be graded */
    PILE_KEPT = 128 << 20, /* most bytes of all texts that are kept */
    PILE_BYTES = 1 << 30,  /* most bytes to which the entries of an archive unpack */
    PILE_RATIO = 200, /* greatest ratio of unpacked to packed bytes, once more than PILE_FREE bytes
                         are unpacked */
    PILE_FREE = 16 << 20,
    PILE_ARCHIVE = 512 << 20, /* most bytes of an archive */
};

typedef struct pile_file {
    const char *path;    /* below the pile, with / between; never absolute, no . or .. in it */
    const char *text;    /* text of a file that has a TODO region; else NULL */
    size_t length;       /* length of the text in bytes */
    const char *refused; /* why it was not looked at, as in "is a link"; or NULL */
    int64_t time;        /* seconds since 1970 when it was written or handed in; 0: not known */
} pile_file;

typedef struct pile {
    arena memory;
    pile_file *files;
    size_t count;
    size_t kept;    /* bytes of texts kept so far */
    size_t outside; /* number of entries left out because their path leads out of the pile */
} pile;

/* Whether the bytes are the beginning of an archive that pile_archive reads: zip, tar, or tar with
 * gzip, bzip2, xz. A tar needs 512 bytes. */
bool pile_is_archive(const void *bytes, size_t length);

/* Add what an archive holds, PREFIX (may be "") before each path. TIME: of each file; 0: what the
 * archive says. False with a sentence in ERR, without the archive's name: it is damaged, or goes
 * over a limit; what was read before stays. */
bool pile_archive(pile *p, const void *bytes, size_t length, const char *prefix, int64_t time,
                  char *err, size_t err_size);

/* Add what lies below the directory PATH; no link is followed. An archive in it counts as a
 * directory with its name up to the extension. False with a sentence in ERR. */
bool pile_directory(pile *p, const char *path, char *err, size_t err_size);

void pile_free(pile *p);

/* The length of NAME without the extension of an archive or a text: "alice" of alice.tar.gz. */
size_t pile_stem(const char *name);

#endif
