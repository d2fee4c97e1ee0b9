/* Writes recordings. Records are collected and compressed frame by frame; pieces of data are looked
 * up by their hash, so that data which a program copies repeatedly is stored once. */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>
#include <zstd.h>

/* Data is mostly floats, which no zstd level compresses much; level 1 finds repetitions fastest. */
#define ZSTD_LEVEL 1 /* compression level of zstd */

typedef struct known_piece {
    rec_hash hash;  /* hash of the bytes of the piece */
    uint64_t piece; /* number of the piece + 1; 0: an empty slot */
} known_piece;

struct rec_writer {
    int file;                 /* file descriptor */
    char *path, *part;        /* final path, and the path while writing (PATH.part) */
    bool failed;              /* a write has failed */
    ZSTD_CCtx *zstd;          /* compression context */
    uint8_t *frame;           /* records that have not been written to the file yet */
    size_t used, cap;         /* bytes of the frame in use; bytes allocated */
    uint8_t *packed;          /* buffer for a compressed frame */
    size_t packed_cap;        /* capacity of `packed` */
    uint8_t *item;            /* the record being encoded */
    size_t item_cap;          /* capacity of `item` */
    uint64_t records, pieces; /* number of records and of data pieces written so far */
    known_piece *table;       /* [1 << bits] pieces already written, hashed by content */
    unsigned bits;            /* base-2 logarithm of the size of `table` */
    uint64_t *list; /* numbers of the data that rec_store_data has returned since the last record */
    size_t list_count, list_cap; /* entries used in `list`; its capacity */
    uint8_t *box;                /* buffer in which the rows of a copied box are packed together */
};

static char *join_strings(const char *a, const char *b)
{
    char *to = malloc(strlen(a) + strlen(b) + 1);
    if (to)
        strcat(strcpy(to, a), b);
    return to;
}

static void release_writer(rec_writer *w)
{
    if (w->file >= 0)
        close(w->file);
    ZSTD_freeCCtx(w->zstd);
    free(w->path);
    free(w->part);
    free(w->frame);
    free(w->packed);
    free(w->item);
    free(w->table);
    free(w->list);
    free(w->box);
    free(w);
}

static bool write_all(rec_writer *w, const void *bytes, size_t size)
{
    const char *at = bytes;
    while (size && !w->failed) {
        const ssize_t n = write(w->file, at, size);
        if (n < 0 && errno != EINTR) {
            w->failed = true;
        } else if (n > 0) {
            at += n;
            size -= (size_t)n;
        }
    }
    return !w->failed;
}

static bool write_file_header(rec_writer *w)
{
    rec_file_header head = {.skippable = REC_SKIPPABLE_FRAME,
                            .size = sizeof head - 2 * sizeof head.size,
                            .version = REC_VERSION};
    memcpy(head.name, REC_FORMAT_NAME, sizeof head.name);
    return write_all(w, &head, sizeof head);
}

/* A writer for the open FILE; the writer takes ownership of the file. */
static rec_writer *new_writer_for(int file, const char *path)
{
    rec_writer *w = calloc(1, sizeof *w);
    if (!w) {
        close(file);
        return NULL;
    }
    w->file = file;
    w->path = strdup(path);
    w->part = join_strings(path, ".part");
    w->zstd = ZSTD_createCCtx();
    w->cap = REC_MAX_FRAME_BYTES;
    w->frame = malloc(w->cap);
    w->packed_cap = ZSTD_compressBound(w->cap);
    w->packed = malloc(w->packed_cap);
    w->bits = 10;
    w->table = calloc((size_t)1 << w->bits, sizeof *w->table);
    if (!w->path || !w->part || !w->zstd || !w->frame || !w->packed || !w->table) {
        release_writer(w);
        errno = ENOMEM;
        return NULL;
    }
    ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL);
    ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_checksumFlag, 1);
    return w;
}

rec_writer *rec_create_file(const char *path)
{
    char *part = join_strings(path, ".part");
    int file = part ? open(part, O_RDWR | O_CREAT | O_CLOEXEC, 0666) : -1;
    free(part);
    /* The lock is held while the file is open; it fails if another process records to it. */
    if (file >= 0 && (flock(file, LOCK_EX | LOCK_NB) != 0 || ftruncate(file, 0) != 0)) {
        const int why = errno;
        close(file);
        file = -1;
        errno = why == EWOULDBLOCK ? EBUSY : why;
    }
    rec_writer *w = file >= 0 ? new_writer_for(file, path) : NULL;
    if (w && !write_file_header(w)) {
        release_writer(w);
        w = NULL;
    }
    return w;
}

bool rec_flush_frame(rec_writer *w)
{
    if (!w->used || w->failed)
        return !w->failed;
    const size_t n = ZSTD_compress2(w->zstd, w->packed, w->packed_cap, w->frame, w->used);
    if (ZSTD_isError(n)) {
        errno = ENOMEM;
        w->failed = true;
    }
    w->used = 0;
    return !w->failed && write_all(w, w->packed, n);
}

static size_t encode_varint(uint8_t *to, uint64_t value)
{
    size_t n = 0;
    do {
        to[n++] = (uint8_t)((value & 127) | (value > 127) << 7);
        value >>= 7;
    } while (value);
    return n;
}

/* Append a record, whose encoded fields are SIZE bytes, to the frame. */
static bool append_encoded_record(rec_writer *w, rec_kind kind, const void *bytes, size_t size)
{
    uint8_t head[20];
    size_t n = encode_varint(head, kind);
    n += encode_varint(head + n, size);
    if (size > REC_MAX_RECORD_BYTES || (w->cap - w->used < n + size && !rec_flush_frame(w))) {
        w->failed = true;
        return false;
    }
    memcpy(w->frame + w->used, head, n);
    if (size)
        memcpy(w->frame + w->used + n, bytes, size);
    w->used += n + size;
    return !w->failed;
}

bool rec_write_item(rec_writer *w, const rec_item *item)
{
    size_t used = 0;
    if (w->failed || !rec_encode_item(item, &w->item, &used, &w->item_cap) ||
        !append_encoded_record(w, item->kind, w->item, used)) {
        w->failed = true;
        return false;
    }
    w->records++;
    w->list_count = 0;
    return true;
}

/* --- pieces ----------------------------------------------------------------------------------- */

/* The slot for HASH in the table: it already holds HASH, or it is empty. */
static known_piece *find_piece_slot(known_piece *table, unsigned bits, rec_hash hash)
{
    const uint64_t mask = (UINT64_C(1) << bits) - 1;
    uint64_t k = hash.low & mask;
    while (table[k].piece && (table[k].hash.low != hash.low || table[k].hash.high != hash.high))
        k = (k + 1) & mask;
    return &table[k];
}

/* Double the size of the hash table of pieces. Returns false when the host is out of memory. */
static bool grow_piece_table(rec_writer *w)
{
    known_piece *more = calloc((size_t)1 << (w->bits + 1), sizeof *more);
    if (!more)
        return false;
    for (size_t k = 0; k < (size_t)1 << w->bits; k++)
        if (w->table[k].piece)
            *find_piece_slot(more, w->bits + 1, w->table[k].hash) = w->table[k];
    free(w->table);
    w->table = more;
    w->bits++;
    return true;
}

/* The number of the piece with these bytes; new bytes are appended as a new piece. */
static uint64_t piece_number(rec_writer *w, const void *bytes, size_t size)
{
    const rec_hash hash = rec_hash_of(bytes, size);
    known_piece *at = find_piece_slot(w->table, w->bits, hash);
    if (!at->piece) {
        if (!append_encoded_record(w, REC_piece, bytes, size))
            return 0;
        *at = (known_piece){hash, ++w->pieces};
        const uint64_t piece = at->piece;
        if (w->pieces > (UINT64_C(1) << w->bits) / 2 && !grow_piece_table(w))
            w->failed = true;
        return piece - 1;
    }
    return at->piece - 1;
}

rec_data rec_store_data(rec_writer *w, const void *bytes, uint64_t size)
{
    const size_t count = (size_t)((size + REC_MAX_PIECE_BYTES - 1) / REC_MAX_PIECE_BYTES);
    if (w->list_cap - w->list_count < count) {
        /* Lists that were returned before must stay valid, so take a new list and keep the small
         * old one. */
        const size_t cap = 2 * (w->list_count + count) + 4096;
        uint64_t *more = w->list_count ? NULL : malloc(cap * sizeof *more);
        if (!more) {
            w->failed = true;
            return (rec_data){0};
        }
        free(w->list);
        w->list = more;
        w->list_cap = cap;
    }
    uint64_t *list = w->list + w->list_count;
    w->list_count += count;
    for (size_t k = 0; k < count && !w->failed; k++) {
        const uint64_t at = (uint64_t)k * REC_MAX_PIECE_BYTES;
        const uint64_t n = size - at < REC_MAX_PIECE_BYTES ? size - at : REC_MAX_PIECE_BYTES;
        list[k] = piece_number(w, (const uint8_t *)bytes + at, (size_t)n);
    }
    if (w->failed)
        return (rec_data){0};
    return (rec_data){size, (uint32_t)count, list};
}

rec_data rec_store_box(rec_writer *w, const void *bytes, size_t pitch, size_t slice, size_t width,
                       size_t height, size_t depth)
{
    if ((height == 1 || pitch == width) && (depth == 1 || slice == width * height))
        return rec_store_data(w, bytes, (uint64_t)width * height * depth);
    free(w->box);
    w->box = malloc(width * height * depth);
    if (!w->box) {
        w->failed = true;
        return (rec_data){0};
    }
    for (size_t z = 0; z < depth; z++) {
        for (size_t y = 0; y < height; y++) {
            memcpy(w->box + (z * height + y) * width,
                   (const uint8_t *)bytes + z * slice + y * pitch, width);
        }
    }
    return rec_store_data(w, w->box, (uint64_t)width * height * depth);
}

/* --- the end of the recording ----------------------------------------------------------------- */

/* Write the record `end` and rename the file to its final path. CUT: the program ended early. */
static bool finish_recording_file(rec_writer *w, bool cut)
{
    const rec_item item = {.kind = REC_end, .end = {.records = w->records, .cut = cut}};
    bool good = rec_write_item(w, &item) && rec_flush_frame(w);
    good = close(w->file) == 0 && good;
    w->file = -1;
    good = good && rename(w->part, w->path) == 0;
    const int why = errno;
    release_writer(w);
    errno = why;
    return good;
}

bool rec_close_file(rec_writer *w)
{
    return finish_recording_file(w, false);
}

void rec_abandon_file(rec_writer *w)
{
    release_writer(w);
}

/* Count the records of a valid frame. False: it is damaged, or its last record is `end`. */
static bool count_records(const uint8_t *at, size_t size, uint64_t *records, uint64_t *pieces)
{
    const uint8_t *end = at + size;
    while (at < end) {
        uint64_t head[2] = {0};
        for (int k = 0; k < 2; k++) {
            unsigned shift = 0;
            do {
                if (at == end || shift > 56)
                    return false;
                head[k] |= (uint64_t)(*at & 127) << shift;
                shift += 7;
            } while (*at++ > 127);
        }
        if (head[0] == REC_end || head[1] > (uint64_t)(end - at))
            return false;
        *(head[0] == REC_piece ? pieces : records) += 1;
        at += head[1];
    }
    return true;
}

/* The bytes of FILE that are complete frames, out of SIZE; 0: no complete frame has a record. */
static size_t complete_frames_size(const uint8_t *file, size_t size, uint8_t *cap,
                                   uint64_t *records, uint64_t *pieces)
{
    size_t at = sizeof(rec_file_header), kept = 0;
    while (at < size) {
        const size_t n = ZSTD_findFrameCompressedSize(file + at, size - at);
        if (ZSTD_isError(n))
            break;
        const size_t raw = ZSTD_decompress(cap, REC_MAX_FRAME_BYTES, file + at, n);
        if (ZSTD_isError(raw) || !count_records(cap, raw, records, pieces))
            break;
        at += n;
        kept = at;
    }
    return *records ? kept : 0;
}

/* All *SIZE bytes of FILE, malloc'ed; NULL: the file cannot be read or is too short. */
static uint8_t *file_contents(int file, size_t *size)
{
    const off_t end = lseek(file, 0, SEEK_END);
    uint8_t *bytes = end > (off_t)sizeof(rec_file_header) ? malloc((size_t)end) : NULL;
    size_t n = 0;
    while (bytes && n < (size_t)end) {
        const ssize_t got = pread(file, bytes + n, (size_t)end - n, (off_t)n);
        if (got <= 0) {
            free(bytes);
            return NULL;
        }
        n += (size_t)got;
    }
    *size = n;
    return bytes;
}

bool rec_rescue_file(const char *path, char *err, size_t cap)
{
    char *part = join_strings(path, ".part");
    const int file = part ? open(part, O_RDWR | O_CLOEXEC) : -1;
    size_t size = 0;
    uint8_t *bytes = file >= 0 ? file_contents(file, &size) : NULL;
    uint8_t *frame = bytes ? malloc(REC_MAX_FRAME_BYTES) : NULL;
    uint64_t records = 0, pieces = 0;
    const size_t kept = frame ? complete_frames_size(bytes, size, frame, &records, &pieces) : 0;
    free(bytes);
    free(frame);
    free(part);
    bool good = kept && ftruncate(file, (off_t)kept) == 0 &&
                lseek(file, (off_t)kept, SEEK_SET) == (off_t)kept;
    rec_writer *w = good ? new_writer_for(file, path) : NULL;
    if (w) {
        w->records = records;
        w->pieces = pieces;
        good = finish_recording_file(w, true);
    } else if (file >= 0) {
        close(file);
    }
    if (!w || !good) {
        snprintf(
            err, cap,
            "nothing was recorded: the program never launched a kernel or waited for the device");
    }
    return w && good;
}
