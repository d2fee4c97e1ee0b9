#include "content.h"

#include "../base/files.h"
#include "../book/pristine.h"
#include "../run/build.h"
#include "../run/graft.h"

#include <inttypes.h>
#include <stdlib.h>

enum { MAX_HASHED_BYTES = 256 << 20 }; /* bytes of a file that is hashed, at most */

static uint64_t hash_file_content(const char *path)
{
    return hash_file(HASH_INITIAL_VALUE, path, MAX_HASHED_BYTES);
}

static const char *environment_value(const char *name)
{
    const char *value = getenv(name);
    return value ? value : "";
}

/* A hash of the assignment's rubric and of the rubrics of its programs. */
static uint64_t hash_rubrics(installation *h, const chapter *c)
{
    uint64_t hash = hash_file(HASH_INITIAL_VALUE, arena_printf(&h->memory, "%s/rubric.tsv", c->dir),
                              MAX_HASHED_BYTES);
    for (int k = 0; k < CHAPTER_MAX_PROGRAMS && c->program_rubrics[k]; k++)
        hash = hash_file(hash, arena_printf(&h->memory, "%s/rubric.%d.tsv", c->dir, k + 1),
                         MAX_HASHED_BYTES);
    return hash;
}

char *hash_grading_conditions(installation *h, const chapter *c, uint64_t seed, bool gpu,
                              bool boxed, bool run_pages, double timeout_s)
{
    nvcc_compiler nvcc = {0};
    char err[512] = "";
    arena *a = &h->memory;
    find_compiler(&nvcc, err, sizeof err);
    return arena_printf(
        a,
        "warpbook %016" PRIx64
        "\nnvcc %s %d.%d\nhost compiler %s\nflags %s, %s\nemulator %016" PRIx64
        "\ncommon %016" PRIx64 "\nrubric %016" PRIx64 "\njudge %016" PRIx64 "\nsolution %016" PRIx64
        "\nlab %s\nseed %" PRIu64 "\nelements %s\ndevice %s\nsandbox %d\npages %d\nseconds %g\n",
        hash_file_content("/proc/self/exe"), nvcc.path, nvcc.major, nvcc.minor,
        environment_value("NVCC_CCBIN"), environment_value("NVCC_PREPEND_FLAGS"),
        environment_value("NVCC_APPEND_FLAGS"),
        hash_directory(HASH_INITIAL_VALUE, emulator_path(h), MAX_HASHED_BYTES),
        hash_directory(HASH_INITIAL_VALUE, installation_path(h, "common"), MAX_HASHED_BYTES),
        hash_rubrics(h, c), hash_file_content(arena_printf(a, "%s/judge.tsv", c->dir)),
        hash_file_content(c->solution ? c->solution : ""), c->name, seed,
        environment_value("WARPBOOK_N"), gpu ? "gpu" : "emulator", boxed, run_pages, timeout_s);
}

/* Escape to ASCII, so that the text is valid in JSON whatever encoding a student's editor used. */
static void add_escaped_ascii(sb *out, const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < 0x80 && *text != '\\')
            sb_add(out, text, 1);
        else
            sb_printf(out, "\\%02x", (unsigned char)*text);
}

char *content_of_submission(const char *shared, const char *original, const char *text,
                            int *ignored)
{
    CLEANUP(arena_free) arena a = {0};
    sb out = {0};
    const char *why = NULL;
    char *plain = graft_normalized_text(text),
         *whole = insert_todo_regions(original, plain, "lab.cu", &a, &why);
    *ignored = first_changed_line(plain, original);
    if (whole) {
        sb_puts(&out, shared);
        add_escaped_ascii(&out, whole);
    }
    free(plain);
    free(whole);
    return whole ? sb_take(&out) : NULL;
}
