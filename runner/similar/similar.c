#include "similar.h"

#include "../base/files.h"
#include "../base/json.h"
#include "../book/pristine.h"
#include "../run/graft.h"
#include "../run/stage.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Copied programs have runs of at least this many equal tokens. sim_c's default of 24 tokens is
 * half the code of some TODO regions. */
#define MIN_TOKEN_RUN "16" /* shortest run of equal tokens that counts as similar */

enum {
    MIN_TEXT_BYTES = 80,         /* shorter texts are not compared */
    MAX_SUBMISSIONS = 5000,      /* submissions that are compared, at most */
    MAX_OUTPUT_BYTES = 64 << 20, /* output of sim_c that is read, at most */
};
#define TIME_LIMIT_S 600.0 /* time limit of sim_c in seconds */

/* --- collecting the texts to compare --- */

static bool region_has_line(const todo_region *t, const char *text, const char *line)
{
    const char *other;
    size_t len;
    int number = 0;
    while ((other = next_line(&text, &len)) && ++number < t->end) {
        OWNED char *copy = xprintf("%.*s", (int)len, other);
        bool same = number > t->begin && strcmp(strip(copy), line) == 0;
        if (same)
            return true;
    }
    return false;
}

static void add_region(sb *out, const todo_region *t, const char *text,
                       const todo_region *of_starter, const char *starter)
{
    const char *line;
    size_t len;
    int number = 0;
    while ((line = next_line(&text, &len)) && ++number < t->end) {
        char *copy = xprintf("%.*s", (int)len, line), *plain = strip(copy);
        if (number > t->begin && *plain &&
            !(of_starter && region_has_line(of_starter, starter, plain)))
            sb_printf(out, "%s\n", plain);
        free(copy);
    }
}

char *text_to_compare(const char *text, const char *starter)
{
    chapter theirs = {0}, ours = {0};
    CLEANUP(arena_free) arena a = {0};
    sb out = {0};
    OWNED char *plain = graft_normalized_text(text);
    chapter_read_lab(&theirs, &a, plain);
    chapter_read_lab(&ours, &a, starter);
    for (size_t i = 0; !theirs.problem_count && i < theirs.todo_count; i++)
        add_region(&out, &theirs.todos[i], plain, chapter_find_todo(&ours, theirs.todos[i].number),
                   starter);
    sb_add(&out, "", 0);
    return sb_take(&out);
}

/* --- reading what sim_c prints --- */

/* The NUMBER of a path DIR/NUMBER.c at the start of TEXT; negative: it has none. */
static long submission_number(const char *text, size_t len)
{
    char *end;
    size_t from = len;
    while (from > 0 && text[from - 1] != '/')
        from--;
    long n = strtol(text + from, &end, 10);
    return end > text + from && (size_t)(end - text) + 2 == len && starts_with(end, ".c") ? n : -1;
}

static void add_similarity(arena *a, similar_list *list, size_t x, size_t y, int percent)
{
    size_t first = x < y ? x : y, second = x < y ? y : x;
    similar_pair *p = NULL;
    for (size_t i = list->count; i-- > 0 && !p;)
        if (list->pairs[i].a == first && list->pairs[i].b == second)
            p = &list->pairs[i];
    if (!p) {
        p = ARENA_PUSH(a, list->pairs, list->count);
        *p = (similar_pair){.a = first, .b = second};
    }
    *(x < y ? &p->a_in_b : &p->b_in_a) = percent;
}

static int larger_percentage(const similar_pair *p)
{
    return p->a_in_b > p->b_in_a ? p->a_in_b : p->b_in_a;
}

static int compare_by_percent(const void *x, const void *y)
{
    const similar_pair *p = x, *q = y;
    int least = larger_percentage(q) - larger_percentage(p),
        sum = q->a_in_b + q->b_in_a - p->a_in_b - p->b_in_a;
    if (least || sum)
        return least ? least : sum;
    return p->a != q->a ? (p->a > q->a) - (p->a < q->a) : (p->b > q->b) - (p->b < q->b);
}

similar_list similar_parse_output(arena *a, const char *output, int above)
{
    static const char says[] = " consists for ", of[] = " % of ", material[] = " material";
    similar_list list = {0};
    const char *line;
    size_t len;
    while ((line = next_line(&output, &len))) {
        char *copy = xprintf("%.*s", (int)len, line), *at = strstr(copy, says);
        char *other = at ? strstr(at, of) : NULL, *end = other ? strstr(other, material) : NULL;
        if (end) {
            long x = submission_number(copy, (size_t)(at - copy));
            long y = submission_number(other + strlen(of), (size_t)(end - other) - strlen(of));
            int percent = atoi(at + strlen(says));
            if (x >= 0 && y >= 0 && x != y && percent >= above)
                add_similarity(a, &list, (size_t)x, (size_t)y, percent);
        }
        free(copy);
    }
    if (list.count)
        qsort(list.pairs, list.count, sizeof *list.pairs, compare_by_percent);
    return list;
}

/* --- running sim_c --- */

/* Write the texts to files DIR/NUMBER.c, and append their paths to ARGV. */
static bool write_texts(const char *dir, const char *starter, const submissions *all, arena *a,
                        const char ***argv, size_t *argc, size_t *count)
{
    *count = 0;
    for (size_t i = 0; i < all->count; i++) {
        if (!all->list[i].text || strlen(all->list[i].text) != all->list[i].length)
            continue;
        OWNED char *text = text_to_compare(all->list[i].text, starter);
        char *path = arena_printf(a, "%s/%zu.c", dir, i);
        bool enough = strlen(text) >= MIN_TEXT_BYTES;
        bool ok = !enough || write_whole_file(path, text, strlen(text));
        if (!ok)
            return false;
        if (enough) {
            *ARENA_PUSH(a, *argv, *argc) = path;
            ++*count;
        }
    }
    *ARENA_PUSH(a, *argv, *argc) = NULL;
    return true;
}

static similar_end run_sim_c(const char *dir, const char **argv, const char *result, bool boxed,
                             char *err, size_t err_size)
{
    stage g = {0};
    const char *const shown[] = {dir, NULL};
    if (!stage_start(&g,
                     &(stage_spec){.use = SANDBOX_RUN,
                                   .boxed = boxed,
                                   .argv = argv,
                                   .limit_s = TIME_LIMIT_S,
                                   .shown = shown},
                     err, err_size))
        return SIMILAR_LACKS;
    int code;
    bool whole = stage_wait(&g);
    job_end how = stage_outcome(&g, &code);
    bool ok = whole && how == JOB_EXITED && code == 0 && stage_copy_file_out(&g, result, 0600);
    const char *says = job_output(g.j, NULL);
    if (!ok)
        snprintf(err, err_size, "sim_c failed: %.*s", (int)strcspn(says, "\n"),
                 *says ? says : "it does not say why");
    stage_free(&g);
    return ok ? SIMILAR_DONE : SIMILAR_FAILED;
}

static void remove_texts(const char *dir, const char *const *paths, const char *result)
{
    for (; *paths; paths++)
        unlink(*paths);
    unlink(result);
    rmdir(dir);
}

similar_end similar_find(installation *h, const chapter *c, const submissions *all,
                         const similar_options *options, arena *a, similar_list *out, char *err,
                         size_t err_size)
{
    OWNED char *sim = find_program("sim_c"), *starter = read_original_lab(h, c, err, err_size);
    const char *dir = arena_printf(a, "%s/similar/%d", h->build, (int)getpid());
    const char *result = arena_printf(a, "%s/pairs.txt", dir), **argv = NULL;
    size_t argc = 0, fixed, count = 0;
    similar_end end = SIMILAR_LACKS;
    *out = (similar_list){0};
    if (!sim) {
        snprintf(err, err_size,
                 "found no sim_c, which compares submissions: install the package "
                 "similarity-tester, which Debian 12 has and Debian 13 has not");
    } else if (starter && all->count > MAX_SUBMISSIONS) {
        snprintf(err, err_size,
                 "%zu submissions were given, but at most %d can be compared at once", all->count,
                 MAX_SUBMISSIONS);
        end = SIMILAR_FAILED;
    } else if (starter) {
        const char *const words[] = {arena_strdup(a, sim),
                                     "-p",
                                     "-e",
                                     "-a",
                                     "-T",
                                     "-r",
                                     MIN_TOKEN_RUN,
                                     "-o",
                                     stage_result_path(a, options->boxed, result)};
        for (fixed = 0; fixed < sizeof words / sizeof *words; fixed++)
            *ARENA_PUSH(a, argv, argc) = words[fixed];
        bool written =
            make_directories(dir) && write_texts(dir, starter, all, a, &argv, &argc, &count);
        if (!written)
            snprintf(err, err_size, "cannot write below %s: %s", dir, strerror(errno));
        end = !written    ? SIMILAR_LACKS
              : count < 2 ? SIMILAR_DONE
                          : run_sim_c(dir, argv, result, options->boxed, err, err_size);
        OWNED char *output = end == SIMILAR_DONE && count > 1
                                 ? read_whole_file(result, MAX_OUTPUT_BYTES, NULL)
                                 : NULL;
        if (output)
            *out = similar_parse_output(a, output, options->min_percent);
        out->compared = count;
        if (written)
            remove_texts(dir, argv + fixed, result);
    }
    return end;
}

json_t *similar_json(const chapter *c, const submissions *all, const similar_list *list, int above)
{
    json_t *pairs = json_array();
    for (size_t i = 0; i < list->count; i++) {
        const similar_pair *p = &list->pairs[i];
        json_array_append_new(
            pairs, json_pack("{s:o, s:o, s:i, s:i}", "first",
                             sanitized_json(all->list[p->a].student, false), "second",
                             sanitized_json(all->list[p->b].student, false), "first_in_second",
                             p->a_in_b, "second_in_first", p->b_in_a));
    }
    return json_pack("{s:s, s:s, s:i, s:i, s:o}", "lab", c->name, "title",
                     c->title ? c->title : c->name, "compared", (int)list->compared, "above", above,
                     "pairs", pairs);
}
