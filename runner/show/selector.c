#include "selector.h"

#include "../../emulator/base/parameter.h"
#include "profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int todo_of_line(const char *source, int n)
{
    const char *line;
    size_t len;
    int todo = 0;
    for (int k = 1; k <= n && (line = next_line(&source, &len)); k++) {
        const char *mark = memmem(line, len, "// TODO ", 8);
        if (mark)
            todo = atoi(mark + 8);
        else if (memmem(line, len, "// END TODO", 11))
            todo = 0;
    }
    return todo;
}

char *kernel_argument_name(arena *a, const char *source, const char *kernel, int n)
{
    size_t length;
    const char *name = parameter_name(source, kernel, n, &length);
    return name ? arena_strndup(a, name, length) : NULL;
}

/* --- lines ------------------------------------------------------------------------------------ */

/* Return true if KERNEL (NULL: any kernel) accesses memory at LINE. */
static bool accesses_memory_at_line(const requests *r, const char *kernel, int line,
                                    const char *file)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->list[i].line == line && strcmp(r->list[i].file, file) == 0 &&
            (!kernel || strcmp(r->list[i].kernel, kernel) == 0))
            return true;
    return false;
}

/* The kernel K if WORDS begin with "K:"; NULL: no such kernel. */
static const char *kernel_before_colon(const requests *r, const char *words)
{
    for (size_t i = 0; i < r->count; i++) {
        size_t n = strlen(r->list[i].kernel);
        if (strncmp(words, r->list[i].kernel, n) == 0 && words[n] == ':')
            return r->list[i].kernel;
    }
    return NULL;
}

static void list_lines_in_error(const requests *r, arena *a, const char *file, char *err,
                                size_t size)
{
    size_t count, used = strlen(err);
    int *lines = lines_with_requests(r, a, file, &count);
    for (size_t i = 0; i < count && used + 16 < size; i++)
        used += (size_t)snprintf(err + used, size - used, "%s%d", i ? ", " : "", lines[i]);
}

bool selector_find(const requests *r, const char *source, const char *file, const char *words,
                   access_choice *out, char *err, size_t err_size)
{
    CLEANUP(arena_free) arena a = {0};
    double number;
    const char *kernel = kernel_before_colon(r, words);
    const char *text = kernel ? words + strlen(kernel) + 1 : words;
    out->kernel = kernel;
    out->line = 0;
    if (parse_number(text, &number) && number >= 1 && number < 1e6) {
        out->line = accesses_memory_at_line(r, kernel, (int)number, file) ? (int)number : 0;
    } else {
        size_t count;
        int *lines = lines_with_requests(r, &a, file, &count);
        for (size_t i = 0; i < count && *text && !out->line; i++) {
            const char *line = trimmed_source_line(&a, source, lines[i]);
            if (line && strstr(line, text) && accesses_memory_at_line(r, kernel, lines[i], file))
                out->line = lines[i];
        }
    }
    if (!out->line) {
        snprintf(err, err_size,
                 "no line \"%s\" of %s accesses memory in the run; these do: ", words, file);
        list_lines_in_error(r, &a, file, err, err_size);
    }
    return out->line != 0;
}

bool selector_match(const requests *r, const char *source, const char *file, const char *from,
                    const memory_request *q, access_choice *out)
{
    CLEANUP(arena_free) arena a = {0};
    size_t count;
    double most = -1;
    bool is_same_text = false;
    int *lines = lines_with_requests(r, &a, file, &count);
    *out = (access_choice){.launch = -1};
    for (size_t i = 0; i < r->count; i++)
        if (strcmp(r->list[i].kernel, q->kernel) == 0)
            out->kernel = r->list[i].kernel;
    for (size_t i = 0; i < count && out->kernel; i++) {
        const char *line = trimmed_source_line(&a, source, lines[i]);
        bool same = line && from && strcmp(line, from) == 0;
        double spent = -1;
        for (size_t k = 0; k < r->count; k++) {
            const memory_request *p = &r->list[k];
            if (p->line == lines[i] && p->space == q->space && p->shape == 1 &&
                strcmp(p->kernel, q->kernel) == 0 && strcmp(p->effect, q->effect) == 0)
                spent = p->all_cost > spent ? p->all_cost : spent;
        }
        if (spent >= 0 && (same > is_same_text || (same == is_same_text && spent > most))) {
            is_same_text = same;
            most = spent;
            out->line = lines[i];
        }
    }
    return out->line != 0;
}
