/* Reads any bytes as a recording of a program's run: reading and checking must neither crash, nor
 * read past the end, nor allocate a size that the file claims but does not contain; every refusal
 * must have a message.
 *
 * With clang -fsanitize=fuzzer this is a libFuzzer target. Built with FUZZ_MAIN it runs alone:
 * fuzz_recording [COUNT [SEED]] tries COUNT (default 2000) inputs made from a seed: valid files
 * with damaged bytes, and valid frames that contain records with damaged fields. */
#include "emulator/debugger/recording/file.h"
#include "emulator/debugger/replay/check_recording.h"
#include "fuzz.h"

#include <stdio.h>
#include <string.h>
#include <zstd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Number of inputs that could be opened, and that were valid: if all were refused at once, the
 * fuzzer would test nothing. */
static unsigned long opened_count, valid_count;

static void read_all(rec_reader *r)
{
    char line[600];
    for (const rec_item *i; (i = rec_next_item(r));) {
        rec_format_item(i, line, sizeof line);
        if (i->kind == REC_poke) {
            const rec_data data = i->poke.bytes;
            void *bytes = data.size < 1 << 20 ? rec_read_all_data(r, &data) : NULL;
            uint8_t byte;
            if (data.size && !rec_read_data(r, &data, data.size - 1, &byte, 1))
                abort();
            free(bytes);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char err[300] = "", why[256] = "";
    const rec_bounds most = {.bytes = 64 << 20, .records = 100000};
    FILE *f = fopen("it", "w");
    if (!f || fwrite(data, 1, size, f) != size || fclose(f))
        abort();
    rec_reader *r = rec_open_file("it", &most, err, sizeof err);
    if (!r != (strncmp(err, "it is ", 6) == 0 || strncmp(err, "it holds ", 9) == 0 ||
               strncmp(err, "it has ", 7) == 0)) {
        fprintf(stderr, "said: %s\n", err);
        abort();
    }
    if (r) {
        opened_count++;
        read_all(r);
        const bool good = check_recording(r, why, sizeof why);
        valid_count += good;
        if (!good != (why[0] != 0))
            abort();
    }
    rec_close_reader(r);
    return 0;
}

#ifdef FUZZ_MAIN

FUZZ_STATE;

static uint8_t record_bytes[1 << 16], file[1 << 17];
static size_t record_bytes_size; /* bytes used in record_bytes */

static void put_number(uint64_t value)
{
    do {
        record_bytes[record_bytes_size++] = (uint8_t)((value & 127) | (value > 127) << 7);
        value >>= 7;
    } while (value);
}

static void put_record(const rec_item *item, bool damage)
{
    static uint8_t *bytes;
    static size_t cap;
    size_t used = 0;
    if (!rec_encode_item(item, &bytes, &used, &cap))
        abort();
    if (damage && used)
        for (size_t n = 1 + fuzz_random_below(3); n; n--)
            bytes[fuzz_random_below(used)] = (uint8_t)fuzz_random();
    put_number(damage && fuzz_random_below(8) == 0 ? fuzz_random_below(REC_KINDS + 2) : item->kind);
    put_number(damage && fuzz_random_below(8) == 0 ? fuzz_random_below(used + 9) : used);
    memcpy(record_bytes + record_bytes_size, bytes, used);
    record_bytes_size += used;
}

static void put_piece(size_t size)
{
    put_number(REC_piece);
    put_number(size);
    memset(record_bytes + record_bytes_size, (int)fuzz_random(), size);
    record_bytes_size += size;
}

/* Write the records of a small run: memory, code, a copy, a launch, a fill, a texture, times. */
static uint64_t make_and_read_file(uint64_t damaged)
{
    enum { BASE = 1 << 20 };
    const uint64_t three[] = {1 + fuzz_random_below(3), 1, 1}, zero[] = {0, 0, 0},
                   at[] = {BASE + 256, 64, 0}, extent[] = {7, 1, 1}, piece[] = {0},
                   places[] = {0, BASE}, after[] = {1}, options[] = {0, 0, 0, 0},
                   image[] = {1, 2, 2, 32, 1, 2, 0, 0, 1, BASE, 4096},
                   level[] = {BASE, 16, 16, 1, 64, 1024}, sampler[17] = {1, 1, 1},
                   ranges[] = {BASE, 5};
    const rec_data data = {7, 1, piece};
    const rec_item item[] = {
        {.kind = REC_start, .start = {.source = "emulator", .base = BASE, .size = 1 << 20}},
        {.kind = REC_alloc, .alloc = {.address = BASE, .size = 4096}},
        {.kind = REC_adopt, .adopt = {.address = 1 << 24, .size = 8192, .kind = 3}},
        {.kind = REC_module,
         .module = {.id = 1, .ptx = data, .options = {4, options}, .places = {2, places}}},
        {.kind = REC_texture,
         .texture =
             {.handle = 1, .image = {11, image}, .levels = {6, level}, .sampler = {17, sampler}}},
        {.kind = REC_copy,
         .copy = {.op = 1,
                  .call = "cudaMemcpy",
                  .way = 1,
                  .to = {3, at},
                  .from = {3, zero},
                  .extent = {3, extent},
                  .host_from = 1,
                  .bytes = data}},
        {.kind = REC_result, .result = {.op = 1, .ns = 5.5}},
        {.kind = REC_launch,
         .launch = {.op = 2,
                    .module = 1,
                    .kernel = "k",
                    .grid = {3, three},
                    .block = {3, three},
                    .cluster = {3, zero},
                    .params = data}},
        {.kind = REC_pages, .pages = {.address = (1 << 24) + 100, .bytes = data}},
        {.kind = REC_result, .result = {.op = 2}},
        {.kind = REC_memory, .memory = {.ranges = {2, ranges}}},
        {.kind = REC_fill,
         .fill = {.op = 3, .to = {3, at}, .extent = {3, extent}, .value = 1, .unit = 1}},
        {.kind = REC_poke, .poke = {.address = BASE + 8, .bytes = data}},
        {.kind = REC_timed, .timed = {.op = 1, .seq = 1, .kind = 1}},
        {.kind = REC_timed, .timed = {.op = 2, .seq = 2, .since = 1, .after = {1, after}}},
        {.kind = REC_settle, .settle = {.count = 2}},
        {.kind = REC_untexture, .untexture = {.handle = 1}},
        {.kind = REC_unload, .unload = {.id = 1}},
        {.kind = REC_free, .free = {.address = BASE}},
    };
    const uint64_t count = sizeof item / sizeof *item;
    for (uint64_t k = 0; k < count; k++)
        put_record(&item[k], k == damaged);
    return count;
}

/* Fill `file`; returns its size. */
static size_t make_file(void)
{
    const bool fields =
        fuzz_random_below(4) != 0; /* damage fields of records, else bytes of the file */
    rec_file_header head = {REC_SKIPPABLE_FRAME, sizeof head - 8, "", REC_VERSION, 0};
    memcpy(head.name, REC_FORMAT_NAME, sizeof head.name);
    record_bytes_size = 0;
    put_piece(7);
    const uint64_t count = make_and_read_file(fields ? fuzz_random_below(20) : UINT64_MAX);
    const rec_item end = {.kind = REC_end, .end = {.records = count}};
    put_record(&end, false);
    if (fields && fuzz_random_below(4) == 0)
        record_bytes_size -= fuzz_random_below(40);
    ZSTD_CCtx *zstd = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 1);
    memcpy(file, &head, sizeof head);
    size_t size = sizeof head + ZSTD_compress2(zstd, file + sizeof head, sizeof file - sizeof head,
                                               record_bytes, record_bytes_size);
    ZSTD_freeCCtx(zstd);
    for (size_t n = fields ? 0 : fuzz_random_below(4); n; n--)
        file[fuzz_random_below(size)] ^= (uint8_t)(1 << fuzz_random_below(8));
    return !fields && fuzz_random_below(3) == 0 ? fuzz_random_below(size) : size;
}

int main(int argc, char **argv)
{
    const long count = fuzz_count(argc, argv, 2000);
    for (long n = 0; n < count; n++)
        LLVMFuzzerTestOneInput(file, make_file());
    printf("%ld recordings: %lu could be read, %lu were valid\n", count, opened_count, valid_count);
    return opened_count < (unsigned long)count / 8 || valid_count < (unsigned long)count / 16 ||
           valid_count > (unsigned long)count / 2;
}

#endif
