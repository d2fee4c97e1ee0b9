/* Recordings: the calls of a program that change its device, stored as data. FORMAT.md describes
 * the file and records.def lists the records; writer.c writes the file, reader.c reads it, item.c
 * encodes records. This header and these files do not depend on the emulator, so other programs
 * (the recorder for a GPU, the fuzz target) use them too. No function is thread-safe: one thread at
 * a time may use an object. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REC_VERSION 6u /* version of the file format */

enum {
    REC_MAX_PIECE_BYTES = 1 << 20,  /* maximum bytes of one piece of data */
    REC_MAX_RECORD_BYTES = 2 << 20, /* maximum bytes of one record */
    REC_MAX_FRAME_BYTES = 4 << 20,  /* maximum bytes of one compressed frame after decompression */
    REC_MAX_TEXT_BYTES = 1 << 16,   /* maximum bytes of a name */
    REC_MAX_PLACES = 4096           /* maximum number of records `place` */
};

#define REC_MAX_DATA_BYTES                                                 \
    (UINT64_C(32) << 30) /* maximum bytes of data that one field refers to \
                          */

/* Bytes that a record refers to: the contents of pieces, one after another. */
typedef struct rec_data {
    uint64_t size;         /* total bytes of all pieces */
    uint32_t count;        /* number of pieces */
    const uint64_t *piece; /* [count] numbers of the pieces; borrowed from the writer or reader */
} rec_data;

typedef struct rec_list {
    uint32_t count;     /* number of elements */
    const uint64_t *of; /* [count] elements; borrowed from the writer or reader */
} rec_list;

/* A struct for each kind of record (rec_alloc, rec_launch, ...), with the fields of records.def. */
#define RECORD(name, meaning) typedef struct rec_##name {
#define NUM(field, meaning)   uint64_t field;
#define REAL(field, meaning)  double field;
#define TEXT(field, meaning)  const char *field;
#define NUMS(field, meaning)  rec_list field;
#define DATA(field, meaning)  rec_data field;
#define END(name) \
    char none;    \
    }             \
    rec_##name;
#include "records.def"

typedef enum rec_kind {
#define RECORD(name, meaning) REC_##name,
#define NUM(field, meaning)
#define REAL(field, meaning)
#define TEXT(field, meaning)
#define NUMS(field, meaning)
#define DATA(field, meaning)
#define END(name)
#include "records.def"
    REC_KINDS
} rec_kind;

/* One record of a recording, with the fields of its kind. */
typedef struct rec_item {
    rec_kind kind; /* kind of the record; it selects a field below */
    union {
#define RECORD(name, meaning) rec_##name name;
#define NUM(field, meaning)
#define REAL(field, meaning)
#define TEXT(field, meaning)
#define NUMS(field, meaning)
#define DATA(field, meaning)
#define END(name)
#include "records.def"
    };
} rec_item;

/* --- hash.c ----------------------------------------------------------------------------------- */

typedef struct rec_hash {
    uint64_t low, high; /* halves of the 128-bit hash */
} rec_hash;

/* A 128-bit hash with equal results on every machine. It finds accidental differences, but does not
 * withstand attacks. */
rec_hash rec_hash_of(const void *bytes, size_t size);
/* The low 64 bits of the hash, for digests. SEED chains the digests of several byte ranges. */
uint64_t rec_digest_bytes(uint64_t seed, const void *bytes, size_t size);

/* --- writer.c --------------------------------------------------------------------------------- */

typedef struct rec_writer rec_writer;

/* Begin to write a recording to PATH. Until rec_close_file the file is called PATH.part and
 * replaces an older PATH.part. Returns NULL, with errno, if the file cannot be written. */
rec_writer *rec_create_file(const char *path);
/* Append a record. Lists and texts are copied. Returns false if the file cannot be written; later
 * records are then dropped too. */
bool rec_write_item(rec_writer *w, const rec_item *item);
/* Store SIZE bytes for the next record, which refers to them by the returned value; the value is
 * valid until the next rec_write_item. Identical pieces are stored once. */
rec_data rec_store_data(rec_writer *w, const void *bytes, uint64_t size);
/* Like rec_store_data, for a box of rows of WIDTH bytes: row y of slice z begins at BYTES + z *
 * SLICE + y
 * * PITCH. */
rec_data rec_store_box(rec_writer *w, const void *bytes, size_t pitch, size_t slice, size_t width,
                       size_t height, size_t depth);
/* Compress and write all records so far, so that they survive a crash of the program. */
bool rec_flush_frame(rec_writer *w);
/* Append the record `end`, and rename the file. Releases W. */
bool rec_close_file(rec_writer *w);
/* Release W, the recording unfinished: the file stays PATH.part. For a child process after fork. */
void rec_abandon_file(rec_writer *w);

/* Turn PATH.part, left by a program that ended early, into PATH: keep every complete frame and
 * append an `end` record with `cut`. Returns false with a message in ERR if the file is missing or
 * has no records. */
bool rec_rescue_file(const char *path, char *err, size_t cap);

/* --- reader.c --------------------------------------------------------------------------------- */

typedef struct rec_reader rec_reader;

/* Limits on a recording; 0: the default, 64 GiB of decompressed data and 16 million records. */
typedef struct rec_bounds {
    uint64_t bytes, records; /* maximum number of decompressed bytes; of records */
    bool unfinished;         /* the file may end early, as if the recorded program was killed */
} rec_bounds;

/* Open a recording and check all of it: frames, checksums, every record and reference. Returns NULL
 * with a message in ERR if the recording is damaged, truncated, too new or not a recording. */
rec_reader *rec_open_file(const char *path, const rec_bounds *most, char *err, size_t cap);
void rec_close_reader(rec_reader *r);

/* Read the next record; records of pieces are skipped. NULL: the recording has no more records, or
 * the host is out of memory. The record and its contents are valid until the next call. */
const rec_item *rec_next_item(rec_reader *r);
/* A position of rec_next_item in the recording, for rec_read_position and rec_set_position. */
typedef struct rec_position {
    uint64_t frame;  /* number of the compressed frame */
    uint64_t offset; /* byte offset in the decompressed frame */
    uint64_t index;  /* number of the record in the recording */
} rec_position;
rec_position rec_read_position(const rec_reader *r);
void rec_set_position(rec_reader *r, rec_position to);

/* Store bytes [FROM, FROM + SIZE) of DATA, of a record of R, at TO. Returns false if the bytes lie
 * outside DATA or the host is out of memory. */
bool rec_read_data(rec_reader *r, const rec_data *data, uint64_t from, void *to, uint64_t size);
/* All bytes of DATA, malloc'ed, with a NUL byte at the end. */
void *rec_read_all_data(rec_reader *r, const rec_data *data);

/* --- item.c: encoding and decoding records --- */

/* Append the encoded fields of ITEM to *TO, malloc'ed, of *CAP bytes, *USED of them in use. */
bool rec_encode_item(const rec_item *item, uint8_t **to, size_t *used, size_t *cap);

/* Memory for the lists and texts that a decoded record points to. */
typedef struct rec_store {
    uint64_t *word;   /* [cap] the memory, in 64-bit words */
    size_t used, cap; /* words in use; words allocated */
} rec_store;

/* Decode the SIZE bytes of a record of kind KIND. PIECE_SIZE[k] is the size of piece k; PIECES
 * pieces are known. Returns NULL on success, else an error message. */
const char *rec_decode_item(rec_kind kind, const uint8_t *bytes, size_t size,
                            const uint32_t *piece_size, uint64_t pieces, rec_store *store,
                            rec_item *out);

/* Print ITEM as one line, without a newline: NAME field=value ... Returns what snprintf does. */
int rec_format_item(const rec_item *item, char *to, size_t cap);
