/* What the reference's launches were given and gave: a file that one judge writes and the next ones
 * read. It is of this machine and this build, and is not kept elsewhere. */
#ifndef WARPBOOK_JUDGE_TRANSCRIPT_H
#define WARPBOOK_JUDGE_TRANSCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { TRANSCRIPT_OUTS = 4 }; /* most output arrays of a kernel */

/* One launch of a kernel that is judged. */
typedef struct entry {
    char kernel[128];
    uint64_t scalars, inputs; /* digests of all scalars and of all inputs */
    /* For work.h: the section of the work, and what came back to which page-locked memory. */
    bool work; /* not a launch */
    uint64_t section, range, offset, bytes, digest;
    double ns;   /* modelled */
    uint64_t l2; /* bytes that L2 held before of earlier work */
    uint32_t outs;
    struct {
        uint64_t bytes, digest,
            offset; /* size and digest of the bytes kept, and their offset in the file */
        uint64_t all, all_digest; /* size and digest of the whole output, of which a large one is
                                     kept as a sample only */
    } out[TRANSCRIPT_OUTS];
} entry;

/* --- written --- */

typedef struct transcript_writer {
    FILE *file;
    entry *row;
    size_t count, room;
    uint64_t end;
    bool failed;
} transcript_writer;

bool transcript_create(transcript_writer *w, const char *path);
/* Keep the BYTES bytes at FROM as output K of E; the same bytes are kept once. */
void transcript_keep(transcript_writer *w, entry *e, uint32_t k, const void *from, uint64_t bytes);
void transcript_add(transcript_writer *w, const entry *e);
/* False: not all of it could be written. */
bool transcript_close(transcript_writer *w);

/* --- read --- */

typedef struct transcript {
    const char *bytes; /* the mapped file */
    size_t size;
    const entry *row; /* [count] */
    size_t count;
} transcript;

/* Open a transcript. False: the file is none. */
bool transcript_open(transcript *t, const char *path);
void transcript_done(transcript *t);

#endif
