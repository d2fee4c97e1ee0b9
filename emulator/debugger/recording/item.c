/* Converts records to bytes and to text. Integers are varints of seven bits a byte, low bits first;
 * doubles are eight bytes; lists, texts and data begin with their length. */
#include "recording.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *kind_name(rec_kind kind)
{
    static const char *const name[] = {
#define RECORD(name, meaning) #name,
#define NUM(field, meaning)
#define REAL(field, meaning)
#define TEXT(field, meaning)
#define NUMS(field, meaning)
#define DATA(field, meaning)
#define END(name)
#include "records.def"
    };
    return (unsigned)kind < REC_KINDS ? name[kind] : "?";
}

/* --- encoding a record ------------------------------------------------------------------------ */

typedef struct encoder {
    uint8_t **to;       /* the buffer, which grows */
    size_t *used, *cap; /* bytes used and allocated */
    bool full;          /* the host is out of memory, so encoding has failed */
} encoder;

static void encode_bytes(encoder *s, const void *bytes, size_t size)
{
    if (*s->cap - *s->used < size) {
        const size_t cap = 2 * (*s->used + size) + 256;
        uint8_t *more = realloc(*s->to, cap);
        if (!more) {
            s->full = true;
            return;
        }
        *s->to = more;
        *s->cap = cap;
    }
    if (size)
        memcpy(*s->to + *s->used, bytes, size);
    *s->used += size;
}

static void encode_number(encoder *s, uint64_t value)
{
    uint8_t byte[10];
    size_t n = 0;
    do {
        byte[n++] = (uint8_t)((value & 127) | (value > 127) << 7);
        value >>= 7;
    } while (value);
    encode_bytes(s, byte, n);
}

static void encode_real(encoder *s, double value)
{
    encode_bytes(s, &value, sizeof value);
}

static void encode_text(encoder *s, const char *text)
{
    size_t n = text ? strlen(text) : 0;
    n = n < REC_MAX_TEXT_BYTES ? n : REC_MAX_TEXT_BYTES;
    encode_number(s, n);
    encode_bytes(s, text, n);
}

static void encode_numbers(encoder *s, const uint64_t *of, uint32_t count)
{
    encode_number(s, count);
    for (uint32_t k = 0; k < count; k++)
        encode_number(s, of[k]);
}

bool rec_encode_item(const rec_item *item, uint8_t **to, size_t *used, size_t *cap)
{
    encoder s = {to, used, cap, false};
    switch (item->kind) {
#define RECORD(name, meaning)              \
    case REC_##name: {                     \
        const rec_##name *x = &item->name; \
        (void)x;
#define NUM(field, meaning)  encode_number(&s, x->field);
#define REAL(field, meaning) encode_real(&s, x->field);
#define TEXT(field, meaning) encode_text(&s, x->field);
#define NUMS(field, meaning) encode_numbers(&s, x->field.of, x->field.count);
#define DATA(field, meaning)          \
    encode_number(&s, x->field.size); \
    encode_numbers(&s, x->field.piece, x->field.count);
#define END(name) \
    break;        \
    }
#include "records.def"
    default: return false;
    }
    return !s.full;
}

/* --- decoding a record ------------------------------------------------------------------------ */

typedef struct decoder {
    const uint8_t *at, *end;    /* bytes that remain to be decoded */
    const uint32_t *piece_size; /* sizes of the data pieces that the record may refer to */
    uint64_t pieces;            /* number of data pieces */
    rec_store *store;           /* memory for the decoded lists and texts */
    const char *wrong;          /* message about the first error, or NULL */
} decoder;

/* Note that the record is malformed; only the first error WHY is kept. */
static void fail_decoding(decoder *s, const char *why)
{
    s->wrong = s->wrong ? s->wrong : why;
}

static uint64_t decode_number(decoder *s)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (s->at == s->end) {
            fail_decoding(s, "a record ends within a number");
            return 0;
        }
        const uint8_t byte = *s->at++;
        if (shift == 63 && byte > 1)
            break;
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return value;
    }
    fail_decoding(s, "a number has more than 64 bits");
    return 0;
}

static double decode_real(decoder *s)
{
    double value = 0;
    if ((size_t)(s->end - s->at) < sizeof value) {
        fail_decoding(s, "a record ends within a number");
        return 0;
    }
    memcpy(&value, s->at, sizeof value);
    s->at += sizeof value;
    if (!(value > -1e300 && value < 1e300)) {
        fail_decoding(s, "a floating-point number is not finite");
        return 0;
    }
    return value;
}

/* Take WORDS words from the store, which has room for everything in the record. */
static uint64_t *allocate_words(decoder *s, size_t words)
{
    uint64_t *at = s->store->word + s->store->used;
    if (s->store->cap - s->store->used < words) {
        fail_decoding(s, "a list is longer than its record");
        return NULL;
    }
    s->store->used += words;
    return at;
}

static const char *decode_text(decoder *s)
{
    const uint64_t n = decode_number(s);
    if (n > REC_MAX_TEXT_BYTES || n > (uint64_t)(s->end - s->at)) {
        fail_decoding(s, "a name is longer than its record");
        return "";
    }
    char *text = (char *)allocate_words(s, n / 8 + 1);
    if (!text || memchr(s->at, 0, n)) {
        fail_decoding(s, "a name has a NUL byte");
        return "";
    }
    memcpy(text, s->at, n);
    text[n] = 0;
    s->at += n;
    return text;
}

static rec_list decode_numbers(decoder *s)
{
    const uint64_t n = decode_number(s);
    if (n > (uint64_t)(s->end - s->at)) {
        fail_decoding(s, "a list is longer than its record");
        return (rec_list){0};
    }
    uint64_t *to = allocate_words(s, n);
    for (uint64_t k = 0; to && k < n; k++)
        to[k] = decode_number(s);
    return to && !s->wrong ? (rec_list){(uint32_t)n, to} : (rec_list){0};
}

/* Decode a reference to pieces of data and check that the pieces exist. */
static rec_data decode_data(decoder *s)
{
    const uint64_t size = decode_number(s);
    const rec_list list = decode_numbers(s);
    uint64_t sum = 0;
    for (uint32_t k = 0; k < list.count; k++) {
        if (list.of[k] >= s->pieces) {
            fail_decoding(s, "a record refers to bytes that the recording does not have");
            return (rec_data){0};
        }
        sum += s->piece_size[list.of[k]];
    }
    if (sum != size || sum > REC_MAX_DATA_BYTES) {
        fail_decoding(s, "the size of a record's data is not the size that the record states");
        return (rec_data){0};
    }
    return (rec_data){size, list.count, list.of};
}

/* Empty the store and make room for NEED words. Returns false when the host is out of memory. */
static bool reserve_words(rec_store *store, size_t need)
{
    if (store->cap < need) {
        uint64_t *more = realloc(store->word, need * sizeof *more);
        if (!more)
            return false;
        store->word = more;
        store->cap = need;
    }
    store->used = 0;
    return true;
}

const char *rec_decode_item(rec_kind kind, const uint8_t *bytes, size_t size,
                            const uint32_t *piece_size, uint64_t pieces, rec_store *store,
                            rec_item *out)
{
    /* Each element of a list and each character of a name takes at least one byte of the record,
     * and each name needs one more word of the store. */
    if (!reserve_words(store, size + 64))
        return "the host is out of memory";
    decoder s = {bytes, bytes + size, piece_size, pieces, store, NULL};
    memset(out, 0, sizeof *out);
    out->kind = kind;
    switch (kind) {
#define RECORD(name, meaning)       \
    case REC_##name: {              \
        rec_##name *x = &out->name; \
        (void)x;
#define NUM(field, meaning)  x->field = decode_number(&s);
#define REAL(field, meaning) x->field = decode_real(&s);
#define TEXT(field, meaning) x->field = decode_text(&s);
#define NUMS(field, meaning) x->field = decode_numbers(&s);
#define DATA(field, meaning) x->field = decode_data(&s);
#define END(name) \
    break;        \
    }
#include "records.def"
    default: return "it has a record of an unknown kind";
    }
    if (s.at != s.end)
        fail_decoding(&s, "a record is longer than its fields");
    return s.wrong;
}

/* --- a record as text ------------------------------------------------------------------------- */

typedef struct text_line {
    char *to;   /* the buffer for the text */
    size_t cap; /* bytes that are free in the buffer */
    int length; /* length of the text so far */
} text_line;

__attribute__((format(printf, 2, 3))) static void append_format(text_line *l, const char *format,
                                                                ...)
{
    va_list ap;
    va_start(ap, format);
    const size_t used = (size_t)l->length < l->cap ? (size_t)l->length : l->cap;
    const int n = vsnprintf(l->to + used, l->cap - used, format, ap);
    va_end(ap);
    l->length += n > 0 ? n : 0;
}

/* Append the text of a name from the recording. It may contain any byte, so control characters are
 * shown as '?'. */
static void append_text(text_line *l, const char *name, const char *text)
{
    append_format(l, " %s=", name);
    for (const char *c = text; *c; c++)
        append_format(l, "%c", (unsigned char)*c < ' ' || *c == 127 ? '?' : *c);
}

static void append_numbers(text_line *l, const char *name, rec_list list)
{
    enum { MAX_SHOWN_NUMBERS = 24 };
    append_format(l, " %s=", name);
    for (uint32_t k = 0; k < list.count && k < MAX_SHOWN_NUMBERS; k++) {
        append_format(l, list.of[k] >> 32 ? "%s0x%" PRIx64 : "%s%" PRIu64, k ? "," : "",
                      list.of[k]);
    }
    if (list.count > MAX_SHOWN_NUMBERS)
        append_format(l, ",... (%u)", list.count);
}

int rec_format_item(const rec_item *item, char *to, size_t cap)
{
    text_line l = {to, cap, 0};
    append_format(&l, "%s", kind_name(item->kind));
    switch (item->kind) {
#define RECORD(name, meaning)              \
    case REC_##name: {                     \
        const rec_##name *x = &item->name; \
        (void)x;
#define NUM(field, meaning) \
    append_format(&l, x->field >> 32 ? " %s=0x%" PRIx64 : " %s=%" PRIu64, #field, x->field);
#define REAL(field, meaning) append_format(&l, " %s=%.17g", #field, x->field);
#define TEXT(field, meaning)     \
    if (x->field && x->field[0]) \
        append_text(&l, #field, x->field);
#define NUMS(field, meaning) append_numbers(&l, #field, x->field);
#define DATA(field, meaning) append_format(&l, " %s=%" PRIu64 "B", #field, x->field.size);
#define END(name) \
    break;        \
    }
#include "records.def"
    default: break;
    }
    return l.length;
}
