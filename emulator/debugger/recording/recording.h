/* Recordings: what a program requested of its device, as data. FORMAT.md describes the file,
 * records.def lists what it holds; writer.c writes it, reader.c reads it, item.c codes records.
 *
 * This header and the files behind it know nothing of the emulator, so other programs (the recorder
 * for a GPU, the fuzz target) use them too. All functions: one thread at a time for each object. */
#ifndef WARPBOOK_RECORDING_H
#define WARPBOOK_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REC_VERSION 2u

enum {
    REC_PIECE_MOST = 1 << 20,  /* most bytes of one piece of data */
    REC_RECORD_MOST = 2 << 20, /* most bytes of one record */
    REC_FRAME_MOST = 4 << 20,  /* most bytes of one frame after decompression */
    REC_TEXT_MOST = 1 << 16    /* most bytes of a name */
};

#define REC_DATA_MOST (UINT64_C(32) << 30) /* most bytes that one field refers to */

/* Bytes that a record refers to: the pieces of that number, one after another. */
typedef struct rec_data {
    uint64_t size;
    uint32_t count;
    const uint64_t *piece; /* [count]; borrowed from the writer or reader */
} rec_data;

typedef struct rec_list {
    uint32_t count;
    const uint64_t *of; /* [count]; borrowed from the writer or reader */
} rec_list;

/* rec_alloc, rec_launch, ...: one struct a record, with the fields of records.def. */
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
    rec_kind kind;
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

const char *rec_kind_name(rec_kind kind);

/* --- hash.c ----------------------------------------------------------------------------------- */

typedef struct rec_hash {
    uint64_t low, high;
} rec_hash;

/* A hash of 128 bits that is the same on every machine. It withstands accidents, not attacks. */
rec_hash rec_hash_of(const void *bytes, size_t size);
/* The low half, for digests. SEED chains several. */
uint64_t rec_digest(uint64_t seed, const void *bytes, size_t size);

/* --- writer.c --------------------------------------------------------------------------------- */

typedef struct rec_writer rec_writer;

/* Begin a recording that will be PATH. Until rec_close it is PATH.part, which is created anew.
 * NULL: it cannot be written (errno says why). */
rec_writer *rec_create(const char *path);
/* Append a record. Lists and texts are copied. False: the file cannot be written; then and later
 * nothing more is. */
bool rec_put(rec_writer *w, const rec_item *item);
/* Keep SIZE bytes for the next record, which refers to them by the result; valid until the next
 * rec_put. Identical pieces are kept once. */
rec_data rec_keep(rec_writer *w, const void *bytes, uint64_t size);
/* The same for rows of WIDTH bytes: row y of slice z begins at BYTES + z * SLICE + y * PITCH. */
rec_data rec_keep_box(rec_writer *w, const void *bytes, size_t pitch, size_t slice, size_t width,
                      size_t height, size_t depth);
/* Compress and write what there is, so that it outlives the program. */
bool rec_flush(rec_writer *w);
/* Append the record `end`, and rename the file. Releases W. */
bool rec_close(rec_writer *w);
/* Release W; the file stays PATH.part. For a child process. */
void rec_abandon(rec_writer *w);

/* Make PATH of PATH.part, which a program that ended early has left: what was written in full, and
 * the record `end` with `cut`. False: there is none, or it holds nothing (ERR says so). */
bool rec_rescue(const char *path, char *err, size_t room);

/* --- reader.c --------------------------------------------------------------------------------- */

typedef struct rec_reader rec_reader;

/* What a recording may ask for at most; 0: the usual, which is 64 GiB of data, decompressed, and
 * 16 million records. */
typedef struct rec_bounds {
    uint64_t bytes, records;
} rec_bounds;

/* Open a recording and check all of it: frames, checksums, every record and reference. NULL: it is
 * damaged, foreign, truncated or newer; ERR says which, in one sentence. */
rec_reader *rec_open(const char *path, const rec_bounds *most, char *err, size_t room);
/* The same for SIZE bytes at BYTES, which the caller keeps until rec_close_reader. NAME is for ERR.
 */
rec_reader *rec_open_bytes(const void *bytes, size_t size, const char *name, const rec_bounds *most,
                           char *err, size_t room);
void rec_close_reader(rec_reader *r);

/* The record after the last one read, pieces left out. NULL: there is none, or the host is out of
 * memory. Valid until the next call, as is what it points to. */
const rec_item *rec_next(rec_reader *r);
/* Where rec_next stands, and back to there. */
typedef struct rec_place {
    uint64_t frame, offset, index;
} rec_place;
rec_place rec_position(const rec_reader *r);
void rec_seek(rec_reader *r, rec_place to);
/* The number of records, without pieces. */
uint64_t rec_count(const rec_reader *r);
/* Bytes of all pieces, and of the file. */
uint64_t rec_piece_bytes(const rec_reader *r);
uint64_t rec_file_bytes(const rec_reader *r);

/* Store bytes [FROM, FROM + SIZE) of DATA, of a record of R. False: outside of it, or the host is
 * out of memory. */
bool rec_fetch(rec_reader *r, const rec_data *data, uint64_t from, void *to, uint64_t size);
/* All of it, malloc'ed, with a NUL byte after the end. */
void *rec_fetch_all(rec_reader *r, const rec_data *data);

/* --- item.c: records as bytes ----------------------------------------------------------------- */

/* Append ITEM's fields to *TO, a malloc'ed buffer of *ROOM bytes of which *USED are in use. */
bool rec_encode(const rec_item *item, uint8_t **to, size_t *used, size_t *room);

/* Memory for what a decoded record points to. */
typedef struct rec_store {
    uint64_t *word;
    size_t used, room;
} rec_store;

/* Decode the SIZE bytes of a record of kind KIND. PIECE_SIZE[k] is the size of piece k, of which
 * PIECES are known. NULL: sound; else what is wrong. */
const char *rec_decode(rec_kind kind, const uint8_t *bytes, size_t size, const uint32_t *piece_size,
                       uint64_t pieces, rec_store *store, rec_item *out);

/* The record as one line of text, without a newline: NAME field=value ... Returns what snprintf
 * does. */
int rec_print(const rec_item *item, char *to, size_t room);

#endif
