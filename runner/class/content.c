#include "content.h"

#include "../attempt/build.h"
#include "../attempt/graft.h"
#include "../base/files.h"
#include "../book/pristine.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_BYTES = 256 << 20 };

static uint64_t file_hash(uint64_t hash, const char *path)
{
    size_t length = 0;
    char *bytes = file_read(path, FILE_BYTES, &length);
    hash = hash_bytes(hash, path, strlen(path) + 1);
    if (bytes)
        hash = hash_bytes(hash, bytes, length);
    free(bytes);
    return hash;
}

static int by_name(const void *x, const void *y)
{
    return strcmp(*(const char *const *)x, *(const char *const *)y);
}

/* Of all regular files in DIR, and their names. */
static uint64_t directory_hash(const char *dir)
{
    arena a = {0};
    const char **files = NULL;
    size_t count = 0;
    uint64_t hash = HASH_START;
    DIR *d = opendir(dir);
    struct dirent *e;
    while (d && (e = readdir(d)))
        if (e->d_name[0] != '.')
            *ARENA_PUSH(&a, files, count) = arena_printf(&a, "%s/%s", dir, e->d_name);
    if (d)
        closedir(d);
    if (count)
        qsort(files, count, sizeof *files, by_name);
    for (size_t i = 0; i < count; i++)
        hash = file_hash(hash, files[i]);
    arena_free(&a);
    return hash;
}

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value ? value : "";
}

char *content_shared(house *h, const chapter *c, uint64_t seed, bool gpu, bool boxed,
                     double timeout_s)
{
    compiler nvcc = {0};
    char err[512] = "";
    arena *a = &h->memory;
    compiler_find(&nvcc, err, sizeof err);
    return arena_printf(
        a,
        "warpbook %016" PRIx64 "\nnvcc %s %d.%d\nhost compiler %s\nemulator %016" PRIx64
        "\ncommon %016" PRIx64 "\nrubric %016" PRIx64 "\njudge %016" PRIx64 "\nsolution %016" PRIx64
        "\nlab %s\nseed %" PRIu64 "\nelements %s\ndevice %s\nsandbox %d\nseconds %g\n",
        file_hash(HASH_START, "/proc/self/exe"), nvcc.path, nvcc.major, nvcc.minor,
        variable("NVCC_CCBIN"), gpu ? 0 : directory_hash(h->emulator),
        directory_hash(house_path(h, "common")),
        file_hash(HASH_START, arena_printf(a, "%s/rubric.tsv", c->dir)),
        file_hash(HASH_START, arena_printf(a, "%s/judge.tsv", c->dir)),
        file_hash(HASH_START, c->solution ? c->solution : ""), c->name, seed,
        variable("WARPBOOK_N"), gpu ? "gpu" : "emulator", boxed, timeout_s);
}

/* In ASCII, so that it is a JSON string whatever a student's editor wrote. */
static void add_ascii(sb *out, const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < 0x80 && *text != '\\')
            sb_add(out, text, 1);
        else
            sb_printf(out, "\\%02x", (unsigned char)*text);
}

char *content_of(const char *shared, const char *book, const char *text, int *ignored)
{
    arena a = {0};
    sb out = {0};
    const char *why = NULL;
    char *plain = graft_plain(text), *whole = graft(book, plain, "lab.cu", &a, &why);
    *ignored = pristine_difference(plain, book);
    if (whole) {
        sb_puts(&out, shared);
        add_ascii(&out, whole);
    }
    free(plain);
    free(whole);
    arena_free(&a);
    return whole ? sb_take(&out) : NULL;
}
