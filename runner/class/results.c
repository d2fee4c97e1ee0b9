#include "results.h"

#include "../base/files.h"
#include "../base/job.h"
#include "../base/json.h"
#include "../base/leftovers.h"
#include "../base/plain.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_RESULT_BYTES = 32 << 20 }; /* maximum size of a result file */

static char *in(results *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

static char *in(results *r, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    OWNED char *name = xvprintf(format, list);
    va_end(list);
    return arena_printf(&r->memory, "%s/%s", r->dir, name);
}

/* --- opening --- */

static bool lock_results_directory(results *r, char *err, size_t err_size)
{
    r->lock = open(in(r, ".lock"), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (r->lock < 0)
        snprintf(err, err_size, "cannot write to %s: %s", r->dir, strerror(errno));
    else if (flock(r->lock, LOCK_EX | LOCK_NB) == 0)
        return true;
    else
        snprintf(err, err_size, "another `warpbook grade` writes to %s", r->dir);
    return false;
}

/* A random seed that no student can guess, small enough that JSON and gnuplot store it exactly. */
static uint64_t new_random_seed(void)
{
    uint64_t bits = 0;
    while (!bits) {
        if (getrandom(&bits, sizeof bits, 0) != sizeof bits)
            bits = hash_bytes(HASH_INITIAL_VALUE, &(double){monotonic_s()}, sizeof(double));
        bits >>= 12;
    }
    return bits;
}

static bool store_seed(results *r, uint64_t seed, char *err, size_t err_size)
{
    char *path = in(r, ".seed"), *text = read_whole_file(path, 64, NULL);
    uint64_t old = text ? strtoull(text, NULL, 10) : 0;
    free(text);
    r->seed = seed ? seed : old ? old : new_random_seed();
    if (r->seed == old)
        return true;
    char *line = arena_printf(&r->memory, "%" PRIu64 "\n", r->seed);
    if (write_whole_file(path, line, strlen(line)) && chmod(path, 0600) == 0)
        return true;
    return fails(err, err_size, "cannot write %s: %s", path, strerror(errno));
}

bool results_open(results *r, const char *dir, uint64_t seed, char *err, size_t err_size)
{
    *r = (results){.lock = -1};
    r->dir = arena_strdup(&r->memory, dir);
    bool fresh = !file_is_dir(dir);
    if (!make_directories(in(r, ".cache"))) {
        snprintf(err, err_size, "cannot make the directory %s: %s", dir, strerror(errno));
        results_close(r);
        return false;
    }
    if (fresh)
        chmod(dir, 0700); /* only the owner may read marks */
    if (lock_results_directory(r, err, err_size) && store_seed(r, seed, err, err_size)) {
        remove_leftovers(in(r, ".cache"), NULL);
        return true;
    }
    results_close(r);
    return false;
}

bool results_open_for_reading(results *r, const char *dir, char *err, size_t err_size)
{
    *r = (results){.lock = -1};
    r->dir = arena_strdup(&r->memory, dir);
    if (file_is_dir(dir))
        return true;
    snprintf(err, err_size,
             "there is no directory %s: `warpbook grade LAB PATH... --results %s` "
             "makes it",
             dir, dir);
    results_close(r);
    return false;
}

void results_close(results *r)
{
    if (r->lock >= 0)
        close(r->lock);
    arena_free(&r->memory);
    *r = (results){.lock = -1};
}

/* --- results --- */

char *results_lab_name(arena *a, const char *chapter_name)
{
    char *name = arena_strdup(a, chapter_name);
    for (char *p = name; *p; p++)
        if (*p == '/')
            *p = '-';
    return name;
}

static json_t *load_json(const char *path)
{
    size_t len = 0;
    OWNED char *text = read_whole_file(path, MAX_RESULT_BYTES, &len);
    json_t *value = text ? json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL) : NULL;
    if (json_is_object(value))
        return value;
    json_decref(value);
    return NULL;
}

static bool save_json(const char *path, json_t *value)
{
    OWNED char *text = json_dumps(value, JSON_INDENT(1));
    CLEANUP(sb_free) sb line = {0};
    sb_printf(&line, "%s\n", text ? text : "{}");
    return text && write_whole_file(path, line.s, line.len);
}

static char *result_path(results *r, const char *student, const char *lab)
{
    return in(r, "%s/%s.json", plain_file_name(&r->memory, student), lab);
}

json_t *results_read_one(results *r, const char *student, const char *lab)
{
    return load_json(result_path(r, student, lab));
}

/* True: OLD and RESULT are equal except for the time of judging. */
static bool results_are_equal(json_t *old, json_t *result)
{
    static const char *const times[] = {"graded", "seconds", "first_seconds"};
    json_auto_t *a = json_deep_copy(old), *b = json_deep_copy(result);
    json_t *parts[] = {a, b, json_object_get(a, "result"), json_object_get(b, "result")};
    for (size_t i = 0; i < 4; i++)
        for (size_t k = 0; k < sizeof times / sizeof *times; k++)
            json_object_del(parts[i], times[k]);
    return json_equal(a, b);
}

double results_number(json_t *object, const char *name)
{
    json_t *n = json_object_get(object, name);
    return json_is_number(n) ? json_number_value(n) : NAN;
}

static char *directory_of_result(results *r, const char *path)
{
    return arena_strndup(&r->memory, path, (size_t)(strrchr(path, '/') - path));
}

bool results_write_one(results *r, const char *student, const char *lab, json_t *result)
{
    char *path = result_path(r, student, lab);
    char *dir = directory_of_result(r, path);
    json_auto_t *old = load_json(path);
    bool same = old && results_are_equal(old, result);
    if (same)
        return true;
    if (!make_directories(dir))
        return false;
    remove_leftovers(dir, NULL);
    return save_json(path, result);
}

char *results_page_path(arena *a, const char *dir, const char *student, const char *lab)
{
    return arena_printf(a, "%s/%s/%s.run.html", dir, plain_file_name(a, student), lab);
}

bool results_write_page(results *r, const char *student, const char *lab, const char *page)
{
    const char *path = results_page_path(&r->memory, r->dir, student, lab);
    if (!page)
        return unlink(path) == 0 || errno == ENOENT || errno == ENOTDIR;
    return make_directories(directory_of_result(r, path)) &&
           write_whole_file(path, page, strlen(page));
}

/* --- results stored by the content of a submission --- */

static char *cache_path(results *r, const char *content)
{
    return in(r, ".cache/%016" PRIx64 ".json",
              hash_bytes(HASH_INITIAL_VALUE, content, strlen(content)));
}

json_t *results_read_cached(results *r, const char *content)
{
    json_t *entry = load_json(cache_path(r, content)), *value = NULL;
    const char *of = member_text(entry, "content");
    if (of && strcmp(of, content) == 0)
        value = json_incref(json_object_get(entry, "value"));
    json_decref(entry);
    return value;
}

bool results_write_cached(results *r, const char *content, json_t *value)
{
    json_auto_t *entry = json_pack("{s:s, s:O}", "content", content, "value", value);
    return entry && save_json(cache_path(r, content), entry);
}

/* --- reports on similar submissions ----------------------------------------------------------- */

json_t *results_read_similarity(results *r, const char *lab)
{
    return load_json(in(r, "similar-%s.json", lab));
}

bool results_write_similarity(results *r, const char *lab, json_t *report)
{
    return save_json(in(r, "similar-%s.json", lab), report);
}

/* --- reading all results ---------------------------------------------------------------------- */

json_t *results_read_all(results *r, const char *lab)
{
    json_t *all = json_array();
    size_t students, files;
    const char **student = directory_names(&r->memory, r->dir, &students);
    for (size_t i = 0; i < students; i++) {
        const char **file = directory_names(&r->memory, in(r, "%s", student[i]), &files);
        for (size_t k = 0; k < files; k++) {
            size_t n = strlen(file[k]);
            if (!ends_with(file[k], ".json") ||
                (lab && (strlen(lab) != n - 5 || strncmp(lab, file[k], n - 5) != 0)))
                continue;
            json_auto_t *one = load_json(in(r, "%s/%s", student[i], file[k]));
            if (one && member_text(one, "student") && member_text(one, "lab"))
                json_array_append(all, one);
        }
    }
    return all;
}
