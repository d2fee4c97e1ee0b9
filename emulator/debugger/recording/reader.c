/* Reads recordings. The reader does not trust the file: it decompresses and checks the whole file
 * when it opens it, before it returns any record. Later it decompresses frames again when they are
 * needed, so that memory stays bounded. */
#include "file.h"

#include "../../base/list.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

/* Default limits of a recording; number of frames that are kept in memory decompressed. */
#define MAX_RECORDING_BYTES (UINT64_C(64) << 30)
#define MAX_RECORDS         (UINT64_C(16) << 20)
#define MAX_CACHED_FRAMES   6
#define USUAL_FRAME_BYTES \
    ((size_t)16 << 10) /* bytes of a compressed frame that are read in the first attempt */

typedef struct file_frame {
    uint64_t at;          /* offset of the frame in the file */
    uint32_t packed, raw; /* compressed size; decompressed size */
} file_frame;

typedef struct data_piece {
    uint32_t frame, offset; /* number of the frame, and offset in its decompressed bytes */
} data_piece;

/* A frame that is held in memory decompressed. */
typedef struct cached_frame {
    uint64_t frame; /* index of the frame + 1; 0: none */
    uint64_t used;  /* when the frame was last used, for choosing the one to drop */
    uint8_t *bytes; /* the decompressed bytes */
} cached_frame;

struct rec_reader {
    int file;           /* file descriptor */
    uint64_t size;      /* bytes of the recording */
    ZSTD_DCtx *zstd;    /* decompression context */
    uint8_t *packed;    /* buffer for one compressed frame */
    size_t packed_cap;  /* capacity of `packed` */
    file_frame *frames; /* [frame_count] frames of the file */
    size_t frame_count;
    data_piece *pieces;                   /* [piece_count] pieces of data */
    uint32_t *piece_size;                 /* [piece_count] size of each piece in bytes */
    size_t piece_count, size_count;       /* entries of `pieces`, and as many of `piece_size` */
    uint64_t records;                     /* number of records read so far */
    uint64_t raw_bytes;                   /* total decompressed bytes */
    cached_frame kept[MAX_CACHED_FRAMES]; /* frames that are decompressed */
    uint64_t uses;                        /* number of frame look-ups so far */
    rec_position place;                   /* position of the next record */
    rec_store store;                      /* memory for the lists and texts of `item` */
    rec_item item;                        /* the record that rec_next_item returned last */
    bool started, ended; /* the check has found the record `start`; the record `end` */
    rec_bounds most;     /* limits on the size of the recording */
    char *err;           /* the caller's buffer for an error message */
    size_t err_cap;      /* size of `err` */
};

__attribute__((format(printf, 2, 3))) static bool set_error(rec_reader *r, const char *format, ...)
{
    const size_t used = strlen(r->err);
    va_list ap;
    va_start(ap, format);
    vsnprintf(r->err + used, r->err_cap - used, format, ap);
    va_end(ap);
    return false;
}

/* --- frames ----------------------------------------------------------------------------------- */

/* Read SIZE bytes at offset AT of the recording. Returns false if they are not there. */
static bool read_bytes_at(rec_reader *r, uint64_t at, void *to, size_t size)
{
    if (at > r->size || size > r->size - at)
        return false;
    for (size_t n = 0; n < size;) {
        const ssize_t got = pread(r->file, (char *)to + n, size - n, (off_t)(at + n));
        if (got <= 0 && !(got < 0 && errno == EINTR))
            return false;
        n += got > 0 ? (size_t)got : 0;
    }
    return true;
}

/* The decompressed bytes of frame K; NULL: the frame cannot be read. */
static const uint8_t *decompressed_frame(rec_reader *r, size_t k)
{
    cached_frame *oldest = &r->kept[0];
    for (size_t n = 0; n < MAX_CACHED_FRAMES; n++) {
        cached_frame *at = &r->kept[n];
        if (at->frame == k + 1) {
            at->used = ++r->uses;
            return at->bytes;
        }
        oldest = at->used < oldest->used ? at : oldest;
    }
    const file_frame *f = &r->frames[k];
    uint8_t *bytes = oldest->bytes ? oldest->bytes : malloc(REC_MAX_FRAME_BYTES);
    oldest->bytes = bytes;
    oldest->frame = 0;
    if (!bytes || !read_bytes_at(r, f->at, r->packed, f->packed))
        return NULL;
    const size_t n = ZSTD_decompressDCtx(r->zstd, bytes, REC_MAX_FRAME_BYTES, r->packed, f->packed);
    if (ZSTD_isError(n) || n != f->raw)
        return NULL;
    oldest->frame = k + 1;
    oldest->used = ++r->uses;
    return bytes;
}

/* Find the compressed frame at offset AT in the file, and add it to the list of frames. */
static bool add_frame_at(rec_reader *r, uint64_t at)
{
    const size_t cap = r->size - at < r->packed_cap ? (size_t)(r->size - at) : r->packed_cap;
    size_t most = USUAL_FRAME_BYTES / 2, packed;
    do { /* most frames are short, so read only USUAL_FRAME_BYTES bytes at first */
        most = 2 * most < cap ? 2 * most : cap;
        if (!read_bytes_at(r, at, r->packed, most))
            return set_error(r, "cannot be read");
        packed = ZSTD_findFrameCompressedSize(r->packed, most);
    } while (ZSTD_isError(packed) && most < cap);
    if (ZSTD_isError(packed)) {
        /* A frame that seems too long may be cut off: its end is only known from its contents. */
        return set_error(r, most < r->packed_cap ? "is truncated or damaged" : "is damaged");
    }
    const unsigned long long raw = ZSTD_getFrameContentSize(r->packed, most);
    if (raw > REC_MAX_FRAME_BYTES || raw == 0) {
        return set_error(r, "is damaged: a frame states no size, or more than %d bytes",
                         REC_MAX_FRAME_BYTES);
    }
    r->raw_bytes += raw;
    if (r->raw_bytes > r->most.bytes) {
        return set_error(r, "holds more than %llu bytes, which is more than a replay accepts",
                         (unsigned long long)r->most.bytes);
    }
    file_frame *f = LIST_ADD(r->frames, r->frame_count);
    if (!f)
        return set_error(r, "needs more memory than the host has");
    *f = (file_frame){at, (uint32_t)packed, (uint32_t)raw};
    return true;
}

/* --- records ---------------------------------------------------------------------------------- */

static bool read_varint(const uint8_t **at, const uint8_t *end, uint64_t *out)
{
    *out = 0;
    for (unsigned shift = 0; shift < 56; shift += 7) {
        if (*at == end)
            return false;
        const uint8_t byte = *(*at)++;
        *out |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return true;
    }
    return false;
}

/* Split the record at *AT into its KIND and its fields' bytes. Returns NULL or an error message. */
static const char *split_record(const uint8_t **at, const uint8_t *end, rec_kind *kind,
                                const uint8_t **bytes, size_t *size)
{
    uint64_t k, n;
    if (!read_varint(at, end, &k) || !read_varint(at, end, &n))
        return "a record ends within its header";
    if (k >= REC_KINDS)
        return "it has a record of an unknown kind";
    if (n > REC_MAX_RECORD_BYTES || n > (uint64_t)(end - *at))
        return "a record is longer than its frame";
    *kind = (rec_kind)k;
    *bytes = *at;
    *size = (size_t)n;
    *at += n;
    return NULL;
}

/* Add a piece of SIZE bytes, at OFFSET in the decompressed frame, to the list of pieces. Returns
 * NULL or an error message. */
static const char *add_piece(rec_reader *r, size_t frame_index, uint32_t offset, size_t size)
{
    if (!size || size > REC_MAX_PIECE_BYTES)
        return "a piece of data is empty or too long";
    data_piece *p = LIST_ADD(r->pieces, r->piece_count);
    uint32_t *bytes = p ? LIST_ADD(r->piece_size, r->size_count) : NULL;
    if (!bytes)
        return "the host is out of memory";
    *p = (data_piece){(uint32_t)frame_index, offset};
    *bytes = (uint32_t)size;
    return NULL;
}

/* Decode a record and check that it may stand here. Returns NULL or an error message. */
static const char *check_record(rec_reader *r, rec_kind kind, const uint8_t *bytes, size_t size)
{
    const char *wrong =
        rec_decode_item(kind, bytes, size, r->piece_size, r->piece_count, &r->store, &r->item);
    if (wrong)
        return wrong;
    if (r->ended || (kind == REC_start) == r->started) {
        return r->ended ? "it continues after its `end` record"
                        : "its `start` record is missing or not the first one";
    }
    r->started = true;
    r->ended = kind == REC_end;
    if (r->ended && r->item.end.records != r->records)
        return "its number of records is wrong";
    r->records++;
    return NULL;
}

/* Check the records of frame K and add its pieces of data to the list. */
static bool check_records_of_frame(rec_reader *r, size_t k)
{
    const uint8_t *start = decompressed_frame(r, k);
    if (!start)
        return set_error(r, "is damaged: a checksum is wrong");
    const uint8_t *at = start, *end = start + r->frames[k].raw;
    while (at < end) {
        rec_kind kind;
        const uint8_t *bytes;
        size_t size;
        const char *wrong = split_record(&at, end, &kind, &bytes, &size);
        if (!wrong && r->records + r->piece_count >= r->most.records) {
            return set_error(r, "has more than %llu records, which is more than a replay accepts",
                             (unsigned long long)r->most.records);
        }
        wrong = wrong               ? wrong
                : kind == REC_piece ? add_piece(r, k, (uint32_t)(bytes - start), size)
                                    : check_record(r, kind, bytes, size);
        if (wrong)
            return set_error(r, "is damaged: %s", wrong);
    }
    return true;
}

static bool check_file_header(rec_reader *r)
{
    rec_file_header head;
    if (r->size < sizeof head || !read_bytes_at(r, 0, &head, sizeof head) ||
        head.skippable != REC_SKIPPABLE_FRAME ||
        memcmp(head.name, REC_FORMAT_NAME, sizeof head.name) != 0)
        return set_error(r, "is not a recording");
    if (head.version > REC_VERSION) {
        return set_error(r,
                         "is a recording of version %u, and this warpbook reads up to version %u",
                         head.version, REC_VERSION);
    }
    if (head.version == 0 || head.zero || head.size != sizeof head - 8)
        return set_error(r, "is damaged: its header is invalid");
    return true;
}

/* Read and check all frames. Returns false with an error message in R->err. */
static bool check_whole_file(rec_reader *r)
{
    if (!check_file_header(r))
        return false;
    const size_t named = strlen(r->err);
    for (uint64_t at = sizeof(rec_file_header); at < r->size;
         at += r->frames[r->frame_count - 1].packed) {
        if (!add_frame_at(r, at)) {
            if (!r->most.unfinished || !r->started)
                return false;
            r->err[named] = '\0'; /* the last frame of the file is cut off */
            break;
        }
        if (!check_records_of_frame(r, r->frame_count - 1))
            return false;
    }
    if (!r->ended && !(r->most.unfinished && r->started))
        return set_error(r, "is truncated: its end is missing");
    rec_set_position(r, (rec_position){0});
    return true;
}

/* --- opening ---------------------------------------------------------------------------------- */

rec_reader *rec_open_file(const char *path, const rec_bounds *most, char *err, size_t cap)
{
    struct stat is;
    rec_reader *r = calloc(1, sizeof *r);
    /* O_NONBLOCK: opening a pipe would otherwise wait for a writer. */
    const int file = r ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    if (file < 0 || fstat(file, &is) != 0 || !S_ISREG(is.st_mode)) {
        snprintf(err, cap, "%s cannot be read: %s", path,
                 file < 0 ? strerror(errno) : "it is not a file");
        if (file >= 0)
            close(file);
        free(r);
        return NULL;
    }
    snprintf(err, cap, "%s ", path);
    r->err = err;
    r->err_cap = cap;
    r->file = file;
    r->size = (uint64_t)is.st_size;
    r->most = most ? *most : (rec_bounds){0};
    r->most.bytes = r->most.bytes ? r->most.bytes : MAX_RECORDING_BYTES;
    r->most.records = r->most.records ? r->most.records : MAX_RECORDS;
    r->packed_cap = ZSTD_compressBound(REC_MAX_FRAME_BYTES);
    r->packed = malloc(r->packed_cap);
    r->zstd = ZSTD_createDCtx();
    if (!r->packed || !r->zstd || !check_whole_file(r)) {
        rec_close_reader(r);
        return NULL;
    }
    r->err = NULL;
    err[0] = 0;
    return r;
}

void rec_close_reader(rec_reader *r)
{
    if (!r)
        return;
    close(r->file);
    ZSTD_freeDCtx(r->zstd);
    free(r->packed);
    free(r->frames);
    free(r->pieces);
    free(r->piece_size);
    free(r->store.word);
    for (size_t k = 0; k < MAX_CACHED_FRAMES; k++)
        free(r->kept[k].bytes);
    free(r);
}

/* --- reading ---------------------------------------------------------------------------------- */

const rec_item *rec_next_item(rec_reader *r)
{
    while (r->place.frame < r->frame_count) {
        const file_frame *f = &r->frames[r->place.frame];
        if (r->place.offset >= f->raw) {
            r->place.frame++;
            r->place.offset = 0;
            continue;
        }
        const uint8_t *start = decompressed_frame(r, (size_t)r->place.frame);
        const uint8_t *at = start ? start + r->place.offset : NULL, *bytes;
        rec_kind kind;
        size_t size;
        if (!start || split_record(&at, start + f->raw, &kind, &bytes, &size))
            return NULL;
        r->place.offset = (uint64_t)(at - start);
        if (kind != REC_piece) {
            r->place.index++;
            return rec_decode_item(kind, bytes, size, r->piece_size, r->piece_count, &r->store,
                                   &r->item)
                       ? NULL
                       : &r->item;
        }
    }
    return NULL;
}

rec_position rec_read_position(const rec_reader *r)
{
    return r->place;
}

void rec_set_position(rec_reader *r, rec_position to)
{
    r->place = to;
}

bool rec_read_data(rec_reader *r, const rec_data *data, uint64_t from, void *to, uint64_t size)
{
    if (from > data->size || size > data->size - from)
        return false;
    uint8_t *out = to;
    uint64_t at = 0; /* offset of the piece in DATA */
    for (uint32_t k = 0; k < data->count && size; k++) {
        const uint64_t number = data->piece[k];
        if (number >= r->piece_count)
            return false;
        const uint32_t length = r->piece_size[number];
        if (from < at + length) {
            const uint64_t skip = from - at;
            const uint64_t n = length - skip < size ? length - skip : size;
            const uint8_t *bytes = decompressed_frame(r, r->pieces[number].frame);
            if (!bytes)
                return false;
            memcpy(out, bytes + r->pieces[number].offset + skip, (size_t)n);
            out += n;
            from += n;
            size -= n;
        }
        at += length;
    }
    return !size;
}

void *rec_read_all_data(rec_reader *r, const rec_data *data)
{
    char *to = data->size < SIZE_MAX ? malloc((size_t)data->size + 1) : NULL;
    if (to && !rec_read_data(r, data, 0, to, data->size)) {
        free(to);
        return NULL;
    }
    if (to)
        to[data->size] = 0;
    return to;
}
