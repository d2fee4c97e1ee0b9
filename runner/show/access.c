#include "access.h"

#include <stdlib.h>
#include <string.h>

/* --- reading ---------------------------------------------------------------------------------- */

access_space memory_space_of_name(const char *name)
{
    return strcmp(name, "shared") == 0                                   ? SPACE_SHARED
           : strcmp(name, "global") == 0                                 ? SPACE_GLOBAL
           : strcmp(name, "const") == 0 || strcmp(name, "constant") == 0 ? SPACE_CONST
                                                                         : SPACE_OTHER;
}

static unsigned field_as_count(const table *t, size_t row, const char *column)
{
    double v = table_number_or(t, row, column, 0);
    return v > 0 && v < 1e6 ? (unsigned)v : 0;
}

/* Read the addresses of 32 lanes, such as "0,4,-,12"; false: TEXT has another form. */
static bool read_addresses(memory_request *r, const char *text)
{
    int lane = 0;
    for (; text && lane < LANES; lane++) {
        char *end = NULL;
        r->on[lane] = !(text[0] == '-' && (text[1] == ',' || text[1] == '\0'));
        if (r->on[lane]) {
            r->at[lane] = strtoll(text, &end, 10);
            if (end == text || (*end && *end != ','))
                return false;
        }
        text = strchr(text, ',');
        text = text ? text + 1 : NULL;
    }
    return lane == LANES && !text;
}

static bool read_row(requests *r, const table *t, size_t row)
{
    static const char *const texts[] = {"kernel", "file", "op", "effect", "of_block", "space"};
    const char *text[6], *memory = table_get(t, row, "memory"), *path = table_get(t, row, "path");
    for (size_t i = 0; i < 6; i++) {
        text[i] = table_get(t, row, texts[i]);
        if (!text[i])
            return false;
    }
    arena *a = &r->memory;
    memory_request q = {.kernel = arena_strdup(a, text[0]),
                        .file = arena_strdup(a, text[1]),
                        .op = arena_strdup(a, text[2]),
                        .effect = arena_strdup(a, text[3]),
                        .of_block = arena_strdup(a, text[4]),
                        .space = memory_space_of_name(text[5]),
                        .memory = arena_strdup(a, memory ? memory : ""),
                        .path = arena_strdup(a, path ? path : ""),
                        .line = (int)field_as_count(t, row, "line"),
                        .shape = (int)field_as_count(t, row, "shape"),
                        .launch = table_number_or(t, row, "launch", 0),
                        .insn = table_number_or(t, row, "insn", 0),
                        .bytes = field_as_count(t, row, "bytes"),
                        .lanes = field_as_count(t, row, "lanes"),
                        .served = field_as_count(t, row, "served"),
                        .warp = field_as_count(t, row, "warp"),
                        .cost = field_as_count(t, row, "cost"),
                        .size = table_number_or(t, row, "size", 0),
                        .begins = (long long)table_number_or(t, row, "begins", 0),
                        .requests = table_number_or(t, row, "requests", 0),
                        .all_requests = table_number_or(t, row, "all_requests", 0),
                        .all_cost = table_number_or(t, row, "all_cost", 0),
                        .all_ideal = table_number_or(t, row, "all_ideal", 0),
                        .all_conflicts = table_number_or(t, row, "all_conflicts", 0),
                        .all_used = table_number_or(t, row, "all_used", 0),
                        .alike = 1};
    q.served = q.served ? q.served : LANES;
    if (!read_addresses(&q, table_get(t, row, "addresses")) || !q.bytes || q.bytes > LINE_BYTES)
        return false;
    *ARENA_PUSH(a, r->list, r->count) = q;
    return true;
}

bool requests_read(requests *r, const char *path)
{
    *r = (requests){0};
    OWNED_TABLE table *t = table_read(path);
    if (!t)
        return false;
    bool good = true;
    for (size_t row = 0; row < t->rows && good; row++)
        good = read_row(r, t, row);
    if (!good)
        requests_free(r);
    return good;
}

void requests_free(requests *r)
{
    arena_free(&r->memory);
    *r = (requests){0};
}

/* --- choosing --------------------------------------------------------------------------------- */

double largest_launch_of(const requests *r, const char *kernel)
{
    double best = -1, most = -1;
    for (size_t i = 0; i < r->count;) {
        double launch = r->list[i].launch, sum = 0;
        bool same = strcmp(r->list[i].kernel, kernel) == 0;
        for (; i < r->count && r->list[i].launch == launch; i++)
            sum += r->list[i].shape == 1 ? r->list[i].all_requests : 0;
        if (same && sum > most) {
            most = sum;
            best = launch;
        }
    }
    return best;
}

/* The kernel with the highest cost at source line LINE; NULL: no kernel accesses memory there. */
static const char *kernel_of_line(const requests *r, int line)
{
    const char *best = NULL;
    double most = -1;
    for (size_t i = 0; i < r->count; i++) {
        const char *kernel = r->list[i].kernel;
        double sum = 0;
        if (r->list[i].line != line)
            continue;
        for (size_t j = 0; j < r->count; j++)
            if (r->list[j].line == line && r->list[j].shape == 1 &&
                strcmp(r->list[j].kernel, kernel) == 0)
                sum += r->list[j].all_cost;
        if (sum > most) {
            most = sum;
            best = kernel;
        }
    }
    return best;
}

/* Return true if the lanes of A and B have the same offsets from their first lane's address. */
static bool has_same_pattern(const memory_request *a, const memory_request *b)
{
    bool alike = strcmp(a->op, b->op) == 0 && a->cost == b->cost && a->lanes == b->lanes &&
                 a->line == b->line;
    int first = -1;
    for (int lane = 0; lane < LANES && alike; lane++) {
        first = first < 0 && a->on[lane] ? lane : first;
        alike = a->on[lane] == b->on[lane] &&
                (!a->on[lane] || a->at[lane] - a->at[first] == b->at[lane] - b->at[first]);
    }
    return alike;
}

static int compare_by_line(const void *x, const void *y)
{
    const memory_request *a = x, *b = y;
    return a->insn < b->insn ? -1 : a->insn > b->insn;
}

static int compare_by_cost(const void *x, const void *y)
{
    const memory_request *a = x, *b = y;
    return a->all_cost > b->all_cost ? -1 : a->all_cost < b->all_cost ? 1 : compare_by_line(x, y);
}

/* Merge instructions with the same access pattern: the most expensive one stays in LIST, the counts
 * of the others are added to it. Returns the new length of LIST. */
static size_t merge_same_patterns(memory_request *list, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        const memory_request *q = &list[i];
        size_t k = 0;
        while (k < kept && !has_same_pattern(&list[k], q))
            k++;
        if (k == kept) {
            list[kept++] = *q;
            continue;
        }
        list[k].alike++;
        list[k].requests += q->requests;
        list[k].all_requests += q->all_requests;
        list[k].all_cost += q->all_cost;
        list[k].all_ideal += q->all_ideal;
        list[k].all_conflicts += q->all_conflicts;
        list[k].all_used += q->all_used;
    }
    return kept;
}

static bool is_request_of_kind(const memory_request *q, const char *only)
{
    return !only || strcmp(q->effect, only) == 0 ||
           (q->space != SPACE_OTHER && q->space == memory_space_of_name(only));
}

static bool matches_choice(const memory_request *q, const access_choice *c, const char *kernel)
{
    return q->shape == 1 && (!c->line || q->line == c->line) && strcmp(q->kernel, kernel) == 0 &&
           is_request_of_kind(q, c->only);
}

/* The launch of KERNEL with the most requests that match C; negative: no request matches. */
static double launch_with_most_selected(const requests *r, const access_choice *c,
                                        const char *kernel)
{
    double best = -1, most = 0;
    for (size_t i = 0; i < r->count; i++)
        if (matches_choice(&r->list[i], c, kernel) && r->list[i].all_requests > most) {
            most = r->list[i].all_requests;
            best = r->list[i].launch;
        }
    return best;
}

static memory_request *requests_of_launch(const requests *r, arena *a, const access_choice *c,
                                          const char *kernel, double launch, size_t *found)
{
    memory_request *list = NULL;
    for (size_t i = 0; i < r->count; i++)
        if (r->list[i].launch == launch && matches_choice(&r->list[i], c, kernel))
            *ARENA_PUSH(a, list, *found) = r->list[i];
    return list;
}

memory_request *select_requests(const requests *r, arena *a, const access_choice *c, size_t *found)
{
    memory_request *list = NULL;
    *found = 0;
    const char *kernel = c->kernel ? c->kernel : kernel_of_line(r, c->line);
    double launch = c->launch >= 0 ? c->launch : kernel ? largest_launch_of(r, kernel) : -1;
    if (kernel)
        list = requests_of_launch(r, a, c, kernel, launch, found);
    if (kernel && !*found && c->launch < 0) /* the largest launch has no such request */
        list = requests_of_launch(r, a, c, kernel, launch_with_most_selected(r, c, kernel), found);
    if (*found) {
        qsort(list, *found, sizeof *list, compare_by_cost);
        *found = merge_same_patterns(list, *found);
        qsort(list, *found, sizeof *list, compare_by_line);
    }
    return list;
}

static int compare_numbers(const void *x, const void *y)
{
    return *(const int *)x - *(const int *)y;
}

int *lines_with_requests(const requests *r, arena *a, const char *file, size_t *found)
{
    int *list = NULL;
    *found = 0;
    for (size_t i = 0; i < r->count; i++) {
        bool known = r->list[i].line == 0 || strcmp(r->list[i].file, file) != 0;
        for (size_t k = 0; k < *found && !known; k++)
            known = list[k] == r->list[i].line;
        if (!known)
            *ARENA_PUSH(a, list, *found) = r->list[i].line;
    }
    if (*found)
        qsort(list, *found, sizeof *list, compare_numbers);
    return list;
}

/* --- how the hardware serves a memory request ------------------------------------------------- */

static bool is_atomic(const memory_request *r)
{
    return strcmp(r->effect, "update") == 0;
}

static int compare_by_word(const void *x, const void *y)
{
    const word_use *a = x, *b = y;
    if (a->group != b->group)
        return a->group - b->group;
    return a->word < b->word ? -1 : a->word > b->word;
}

size_t request_words(const memory_request *r, word_use *uses)
{
    size_t n = 0;
    for (int lane = 0; lane < LANES; lane++) {
        if (!r->on[lane])
            continue;
        int group = r->space == SPACE_SHARED ? lane / (int)r->served : 0;
        long long at = r->begins + r->at[lane], first = at / WORD_BYTES;
        long long last = (at + (long long)r->bytes - 1) / WORD_BYTES;
        for (long long word = first; word <= last && n < MAX_REQUEST_WORDS; word++) {
            size_t k = 0;
            while (k < n && !(uses[k].word == word && uses[k].group == group))
                k++;
            if (k == n)
                uses[n++] = (word_use){.word = word, .lane = lane, .group = group};
            uses[k].lanes++;
        }
    }
    qsort(uses, n, sizeof *uses, compare_by_word);
    return n;
}

unsigned request_passes(const memory_request *r, unsigned load[BANKS])
{
    word_use uses[MAX_REQUEST_WORDS];
    size_t n = request_words(r, uses), i = 0;
    unsigned passes = 0;
    memset(load, 0, BANKS * sizeof *load);
    while (i < n) {
        unsigned here[BANKS] = {0}, most = 0;
        int group = uses[i].group;
        for (; i < n && uses[i].group == group; i++) {
            unsigned bank = (unsigned)(uses[i].word % BANKS);
            here[bank] += is_atomic(r) ? (unsigned)uses[i].lanes : 1;
            most = here[bank] > most ? here[bank] : most;
        }
        for (int bank = 0; bank < BANKS; bank++)
            load[bank] += here[bank];
        passes += most;
    }
    return passes;
}

unsigned request_sectors(const memory_request *r, unsigned *used)
{
    unsigned sectors = 0;
    *used = 0;
    for (int lane = 0; lane < LANES; lane++) {
        bool known_sector = !r->on[lane], known = !r->on[lane];
        for (int k = 0; k < lane; k++) {
            known_sector |= r->on[k] && r->at[k] / SECTOR_BYTES == r->at[lane] / SECTOR_BYTES;
            known |= r->on[k] && r->at[k] == r->at[lane];
        }
        sectors += !known_sector;
        *used += known ? 0 : r->bytes;
    }
    return sectors;
}

unsigned request_addresses(const memory_request *r)
{
    unsigned used;
    request_sectors(r, &used);
    return r->bytes ? used / r->bytes : 0;
}

char lane_letter(int lane)
{
    return (char)(lane < 10 ? '0' + lane : 'a' + lane - 10);
}
