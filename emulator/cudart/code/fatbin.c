/* Reads fat binary containers: a header of 16 bytes, then a sequence of entries, each with a header
 * and a payload. The format was found by examining files from nvcc 11 to 13. */
#include "fatbin.h"

#include <link.h>
#include <lz4.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define CONTAINER_HEADER 16u              /* size of its header in bytes */
#define ENTRY_KIND_PTX   1u               /* an entry holds PTX */
#define ENTRY_KIND_ELF   2u               /* an entry holds machine code */
#define FLAG_LZ4         UINT64_C(0x2000) /* an entry is compressed with LZ4 */
#define FLAG_ZSTD        UINT64_C(0x8000) /* an entry is compressed with zstd */
/* A fat binary whose PTX is said to be larger than this number of bytes is taken to be damaged. */
#define MAX_PTX_BYTES (UINT64_C(256) << 20)

/* The lowest compute capability for which toolkit 13 generates code. */
#define OLDEST_TARGET 75u

/* An entry of a fat binary. */
typedef struct container_entry {
    uint16_t kind;          /* ENTRY_KIND_PTX or ENTRY_KIND_ELF */
    uint32_t header_size;   /* bytes from the start of the entry to its payload */
    uint64_t padded_size;   /* size of the payload in bytes, with padding */
    uint32_t packed_size;   /* bytes of compressed PTX */
    uint16_t major, minor;  /* version of the PTX ISA */
    uint32_t target;        /* compute capability of the entry: 90 for 9.0 */
    uint64_t flags;         /* kind of compression: FLAG_LZ4 or FLAG_ZSTD */
    uint64_t full_size;     /* size of the payload in bytes after decompression */
    const uint8_t *payload; /* the entry's contents: PTX or machine code */
} container_entry;

static uint16_t read_u16(const uint8_t *p)
{
    uint16_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static uint32_t read_u32(const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static uint64_t read_u64(const uint8_t *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static fatbin_status set_failure(fatbin_text *out, fatbin_status status, const char *text)
{
    snprintf(out->message, sizeof out->message, "%s", text);
    return status;
}

static fatbin_status report_damaged_fat_binary(fatbin_text *out, const char *what)
{
    snprintf(out->message, sizeof out->message,
             "the program's fat binary is damaged: %s; build the program again", what);
    return FATBIN_DAMAGED;
}

/* Read the entry at *FROM, of which *LEFT bytes can be read, and go on to the next; returns false
 * if it does not fit. */
static bool take_entry(const uint8_t **from, uint64_t *left, container_entry *e)
{
    const uint8_t *at = *from;
    if (*left < 64)
        return false;
    *e = (container_entry){.kind = read_u16(at),
                           .header_size = read_u32(at + 4),
                           .padded_size = read_u64(at + 8),
                           .packed_size = read_u32(at + 16),
                           .minor = read_u16(at + 24),
                           .major = read_u16(at + 26),
                           .target = read_u32(at + 28),
                           .flags = read_u64(at + 40),
                           .full_size = read_u64(at + 56)};
    if (e->header_size < 64 || e->header_size > *left || e->padded_size > *left - e->header_size)
        return false;
    e->payload = at + e->header_size;
    *from = e->payload + e->padded_size;
    *left -= e->header_size + e->padded_size;
    return true;
}

/* Decompress the payload of E, which may be PTX or machine code. Stores its size in *UNPACKED and
 * appends a NUL. On failure returns NULL, and OUT and *STATUS say why. */
static char *unpack_payload(const container_entry *e, uint64_t *unpacked, fatbin_text *out,
                            fatbin_status *status)
{
    bool packed = e->flags & (FLAG_LZ4 | FLAG_ZSTD);
    uint64_t from = packed ? e->packed_size : e->padded_size;
    uint64_t size = packed ? e->full_size : e->padded_size;
    char *text = NULL;
    if (from > e->padded_size || from > INT32_MAX) {
        *status = report_damaged_fat_binary(
            out, "the compressed size of its PTX is larger than its entry");
    } else if (size > MAX_PTX_BYTES) {
        *status = report_damaged_fat_binary(out, "the size of its PTX is implausible");
    } else if (e->flags & FLAG_LZ4 && size > from * 255 + 64) {
        *status = report_damaged_fat_binary(out, "LZ4 cannot compress PTX by that much");
    } else if (!(text = malloc(size + 1))) {
        *status = set_failure(out, FATBIN_MEMORY,
                              "out of host memory while decompressing the program's PTX");
    }
    if (!text)
        return NULL;
    if (e->flags & FLAG_ZSTD) {
        size_t got = ZSTD_decompress(text, size, e->payload, from);
        if (ZSTD_isError(got) || got != size) {
            free(text);
            *status =
                report_damaged_fat_binary(out, "its zstd-compressed PTX cannot be decompressed");
            return NULL;
        }
    } else if (e->flags & FLAG_LZ4) {
        int got = LZ4_decompress_safe((const char *)e->payload, text, (int)from, (int)size);
        if (got < 0 || (uint64_t)got != size) {
            free(text);
            *status =
                report_damaged_fat_binary(out, "its LZ4-compressed PTX cannot be decompressed");
            return NULL;
        }
    } else {
        memcpy(text, e->payload, size);
    }
    text[size] = 0;
    *unpacked = size;
    return text;
}

static fatbin_status unpack_ptx_text(const container_entry *e, fatbin_text *out)
{
    uint64_t size;
    fatbin_status status;
    out->ptx = unpack_payload(e, &size, out, &status);
    if (!out->ptx)
        return status;
    out->length = strlen(out->ptx); /* the payload may be padded with NULs */
    out->target = e->target;
    out->major = e->major;
    out->minor = e->minor;
    return FATBIN_OK;
}

/* Does A suit a device of this compute capability better than B? */
static bool is_better_entry(const container_entry *a, const container_entry *b, uint32_t capability)
{
    if (capability < OLDEST_TARGET)
        return a->target < b->target;
    return a->target > b->target;
}

/* Check the container's header; its entries are *LEFT bytes from *AT on. */
static fatbin_status open_container(const void *data, size_t limit, const uint8_t **at,
                                    uint64_t *left, fatbin_text *out)
{
    const uint8_t *p = data;
    *out = (fatbin_text){0};
    if (limit < CONTAINER_HEADER)
        return report_damaged_fat_binary(out, "it is truncated");
    if (read_u32(p) != FATBIN_MAGIC)
        return report_damaged_fat_binary(out, "its first four bytes are wrong");
    uint32_t header = read_u16(p + 6);
    uint64_t body = read_u64(p + 8);
    if (header < CONTAINER_HEADER || header > limit || body > limit - header)
        return report_damaged_fat_binary(out, "it is longer than the file that contains it");
    *at = p + header;
    *left = body;
    return FATBIN_OK;
}

size_t fatbin_size(const void *data, size_t limit)
{
    const uint8_t *at;
    uint64_t left;
    fatbin_text out;
    return open_container(data, limit, &at, &left, &out) == FATBIN_OK
               ? (size_t)(at + left - (const uint8_t *)data)
               : 0;
}

fatbin_status fatbin_choose_ptx(const void *data, size_t limit, uint32_t capability,
                                fatbin_text *out)
{
    const uint8_t *at;
    uint64_t left;
    fatbin_status status = open_container(data, limit, &at, &left, out);
    if (status != FATBIN_OK)
        return status;
    container_entry best = {0};
    uint32_t lowest = UINT32_MAX, machine = 0;
    bool found = false;
    while (left) {
        container_entry e;
        if (!take_entry(&at, &left, &e))
            return report_damaged_fat_binary(out, "an entry reaches past its end");
        if (e.kind == ENTRY_KIND_PTX) {
            lowest = e.target < lowest ? e.target : lowest;
            bool fits = e.target <= capability || capability < OLDEST_TARGET;
            if (fits && (!found || is_better_entry(&e, &best, capability))) {
                best = e;
                found = true;
            }
        } else if (e.target > machine) {
            machine = e.target;
        }
    }
    if (found)
        return unpack_ptx_text(&best, out);
    if (lowest != UINT32_MAX) {
        snprintf(out->message, sizeof out->message,
                 "the program's PTX is for compute capability %u.%u and later, this device has "
                 "%u.%u: build with `nvcc -cudart shared -arch=sm_%u`, or choose another "
                 "WARPBOOK_PROFILE",
                 lowest / 10, lowest % 10, capability / 10, capability % 10, capability);
        out->target = lowest;
        return FATBIN_TOO_NEW;
    }
    uint32_t target = machine ? machine : capability;
    snprintf(out->message, sizeof out->message,
             "the program contains machine code but no PTX, which is what this device runs: build "
             "with `nvcc -cudart shared -arch=sm_%u`, or add `-gencode "
             "arch=compute_%u,code=compute_%u`",
             target, target, target);
    return FATBIN_NO_PTX;
}

void *fatbin_find_machine_code(const void *data, size_t limit, uint32_t capability, size_t *size)
{
    fatbin_text out;
    fatbin_status status;
    const uint8_t *at;
    uint64_t left;
    container_entry e, best = {0};
    if (open_container(data, limit, &at, &left, &out) != FATBIN_OK)
        return NULL;
    while (left && take_entry(&at, &left, &e))
        /* Machine code runs on devices of its major and its or a higher minor version. */
        if (e.kind == ENTRY_KIND_ELF && e.target / 10 == capability / 10 &&
            e.target <= capability && e.target > best.target)
            best = e;
    uint64_t unpacked = 0;
    void *image = best.target ? unpack_payload(&best, &unpacked, &out, &status) : NULL;
    *size = unpacked;
    return image;
}

/* A search for the loaded ELF segment that contains an address. */
typedef struct segment_query {
    uintptr_t address; /* the address to find in a loaded segment */
    size_t readable;   /* bytes from the address to the end of its segment; 0: in no segment */
} segment_query;

static int find_segment_of_address(struct dl_phdr_info *info, size_t size, void *arg)
{
    (void)size;
    segment_query *q = arg;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + ph->p_vaddr;
        if (ph->p_type == PT_LOAD && q->address >= start && q->address - start < ph->p_memsz) {
            q->readable = ph->p_memsz - (q->address - start);
            return 1;
        }
    }
    return 0;
}

size_t fatbin_readable_bytes(const void *data)
{
    segment_query q = {(uintptr_t)data, 0};
    dl_iterate_phdr(find_segment_of_address, &q);
    /* DATA is not in a loaded file, so it was built at run time: rely on the size in its header. */
    return q.readable ? q.readable : SIZE_MAX;
}
