/* A transcript of the reference's judged launches: their inputs and outputs. One judge writes the
 * file and later judges read it. The format is private to this machine and this build. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { TRANSCRIPT_MAX_OUTPUTS = 4 }; /* maximum number of output arrays of a kernel */

/* One judged launch, or one piece of work (judged_work.h). */
typedef struct transcript_entry {
    char kernel[128];         /* name of the kernel, or of the check of work */
    uint64_t scalars, inputs; /* digests of all scalars and of all inputs */
    bool other;               /* true: the reference launches this kernel, which no rule names; the
                                 other fields are unused */
    uint32_t fills;           /* memsets and copies on the device that precede the launch */
    bool work;                /* true: the next five fields describe a section of work */
    uint64_t section;         /* number of the section of the run */
    uint64_t range, offset;   /* number of the page-locked range, and offset of the data in it */
    uint64_t bytes, digest;   /* size and digest of the data */
    double ns;                /* time of the launch in ns: modelled, or measured on a GPU */
    uint64_t l2;   /* bytes in L2, before the launch, of data that earlier launches used */
    uint32_t outs; /* number of output arrays */
    struct {
        uint64_t bytes, digest, offset; /* size, digest and file offset of the stored bytes */
        uint64_t all, all_digest;  /* size and digest of the whole output; of a large output only a
                                      sample of elements is stored */
    } out[TRANSCRIPT_MAX_OUTPUTS]; /* [outs] the stored outputs */
} transcript_entry;

/* --- written --- */

typedef struct transcript_writer {
    FILE *file;            /* the file being written */
    transcript_entry *row; /* [count] entries written so far */
    size_t count;
    uint64_t end; /* current end of the file */
    bool failed;  /* a write failed */
} transcript_writer;

bool transcript_create(transcript_writer *w, const char *path);
/* Store the BYTES bytes at FROM as output K of entry E; equal bytes are stored once. */
void transcript_store_output(transcript_writer *w, transcript_entry *e, uint32_t k,
                             const void *from, uint64_t bytes);
void transcript_append_entry(transcript_writer *w, const transcript_entry *e);
/* Finish the file. Returns false if a part of it could not be written. */
bool transcript_close(transcript_writer *w);

/* --- read --- */

typedef struct transcript {
    const char *bytes;           /* the mapped file */
    size_t size;                 /* size of the file in bytes */
    const transcript_entry *row; /* [count] */
    size_t count;
} transcript;

/* Open the transcript PATH. Returns false if the file is not a transcript. */
bool transcript_open(transcript *t, const char *path);
/* Release the memory of transcript_open. */
void transcript_unmap(transcript *t);

/* Compare a launch OWN with the reference's launch WANT. WHY (CAP bytes) tells the difference:
 * another kernel, other scalars or other inputs. It is not changed if they are equal. */
void transcript_explain_difference(const transcript_entry *want, const transcript_entry *own,
                                   char *why, size_t cap);
