/* Writes the outputs of a replayed run: DIR/index.tsv, a row for each file; DIR/copy-OP.bin, the
 * bytes that a copy to the host returned, rows packed; DIR/launch-N/ADDRESS.bin, each range of
 * memory that launch N changed. */
#include "tool.h"

#include "../../memory/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static struct {
    char dir[3000]; /* the output directory */
    FILE *index;    /* DIR/index.tsv */
    struct range {
        uint64_t base, hash; /* address of the range; hash of its contents */
    } * last;            /* memory ranges, with hashes, after the last operation; sorted by base */
    uint32_t last_count; /* number of ranges */
} output_files;

static bool set_write_error(char *err, size_t cap, const char *path)
{
    snprintf(err, cap, "%s cannot be written: %s", path, strerror(errno));
    return false;
}

bool open_output_files(const char *dir, char *err, size_t cap)
{
    char path[3100];
    snprintf(output_files.dir, sizeof output_files.dir, "%s", dir);
    snprintf(path, sizeof path, "%s/index.tsv", output_files.dir);
    if (strlen(dir) >= sizeof output_files.dir || (mkdir(dir, 0777) != 0 && errno != EEXIST))
        return set_write_error(err, cap, dir);
    output_files.index = fopen(path, "w");
    if (!output_files.index)
        return set_write_error(err, cap, path);
    fprintf(output_files.index, "op\twhat\tlaunch\tname\taddress\tbytes\tfile\n");
    return true;
}

static bool write_file(const char *name, const void *bytes, uint64_t size, char *err, size_t cap)
{
    char path[3200];
    snprintf(path, sizeof path, "%s/%s", output_files.dir, name);
    FILE *f = fopen(path, "w");
    const bool good = f && fwrite(bytes, 1, (size_t)size, f) == size;
    if ((f && fclose(f) != 0) || !good)
        return set_write_error(err, cap, path);
    return true;
}

static bool write_copied_bytes(replay *r, const rec_copy *x, uint64_t op, char *err, size_t cap)
{
    uint64_t size;
    char name[64];
    const uint8_t *bytes = replay_returned_bytes(r, &size);
    (void)x;
    if (!bytes)
        return true;
    snprintf(name, sizeof name, "copy-%06" PRIu64 ".bin", op);
    fprintf(output_files.index, "%" PRIu64 "\tcopy\t-\t-\t-\t%" PRIu64 "\t%s\n", op, size, name);
    return write_file(name, bytes, size, err, cap);
}

/* Hash of the range at BASE after the last operation; 0: the range did not exist. */
static uint64_t previous_hash_of_range(uint64_t base)
{
    for (uint32_t k = 0; k < output_files.last_count; k++)
        if (output_files.last[k].base == base)
            return output_files.last[k].hash;
    return 0;
}

/* Hash each range of memory. If there is a launch OP, write the ranges that it changed to files. */
static bool write_changed_memory(const rec_launch *op, const char *kernel, char *err, size_t cap)
{
    const mem_map *map = mem_take_snapshot();
    struct range *now = map ? calloc(map->count ? map->count : 1, sizeof *now) : NULL;
    bool good = now != NULL, made = false;
    for (uint32_t k = 0; good && k < map->count; k++) {
        const mem_range *r = &map->range[k];
        const void *at = (const void *)(uintptr_t)(r->base + (uint64_t)r->delta);
        now[k] = (struct range){r->base, rec_digest_bytes(0, at, (size_t)r->size)};
        if (!op || r->own || now[k].hash == previous_hash_of_range(r->base))
            continue;
        char name[96], path[3200];
        snprintf(name, sizeof name, "launch-%06" PRIu64, op->number);
        snprintf(path, sizeof path, "%s/%s", output_files.dir, name);
        if (!made && mkdir(path, 0777) != 0 && errno != EEXIST) {
            good = set_write_error(err, cap, path);
            break;
        }
        made = true;
        snprintf(name, sizeof name, "launch-%06" PRIu64 "/%" PRIx64 ".bin", op->number, r->base);
        fprintf(output_files.index,
                "%" PRIu64 "\tlaunch\t%" PRIu64 "\t%s\t0x%" PRIx64 "\t%" PRIu64 "\t%s\n", op->op,
                op->number, kernel, r->base, r->size, name);
        good = write_file(name, at, r->size, err, cap);
    }
    free(output_files.last);
    output_files.last = now;
    output_files.last_count = now ? map->count : 0;
    mem_release_snapshot(map);
    return good;
}

bool write_output_files(replay *r, const rec_item *done, const char *name, char *err, size_t cap)
{
    if (!output_files.index)
        return true;
    switch (done->kind) {
    case REC_launch: return write_changed_memory(&done->launch, name, err, cap);
    case REC_copy:
        return write_copied_bytes(r, &done->copy, done->copy.op, err, cap) &&
               write_changed_memory(NULL, NULL, err, cap);
    case REC_alloc:
    case REC_adopt:
    case REC_module:
    case REC_fill:
    case REC_write:
    case REC_pages:
    case REC_poke: return write_changed_memory(NULL, NULL, err, cap);
    default: return true;
    }
}

bool close_output_files(void)
{
    const bool good =
        !output_files.index || (!ferror(output_files.index) && fclose(output_files.index) == 0);
    output_files.index = NULL;
    free(output_files.last);
    output_files.last = NULL;
    return good;
}
