/* What the source calls a parameter of a kernel; the runner uses it too. */
#pragma once

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static inline bool is_name_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The '(' after the name, KERNEL's N characters, in its definition: the name follows __global__,
 * and no ';' comes before the '{'. */
static inline const char *find_parameters(const char *source, const char *kernel, size_t n)
{
    for (const char *s = source; (s = strstr(s, "__global__")); s++) {
        const char *open = strchr(s, '(');
        /* Skip the parentheses of __launch_bounds__(...). */
        while (open && open - s >= 17 && strncmp(open - 17, "__launch_bounds__", 17) == 0)
            open = strchr(open + 1, '(');
        if (!open)
            return NULL;
        const char *end = open;
        while (end > s && isspace((unsigned char)end[-1]))
            end--;
        if ((size_t)(end - s) > n && strncmp(end - n, kernel, n) == 0 &&
            !is_name_char(end[-(long)n - 1]))
            return open;
    }
    return NULL;
}

/* The name of parameter NUMBER, from 1, of KERNEL ("sum<4>") in the text SOURCE, *LENGTH bytes;
 * NULL: there is none. */
static inline const char *parameter_name(const char *source, const char *kernel, int number,
                                         size_t *length)
{
    const char *s = find_parameters(source, kernel, strcspn(kernel, "<")), *last = NULL;
    int depth = 0, at = 1;
    *length = 0;
    for (; s && *s; s++) {
        depth += (*s == '(' || *s == '<' || *s == '[') - (*s == ')' || *s == '>' || *s == ']');
        if ((*s == ',' && depth == 1) || (*s == ')' && depth == 0)) {
            if (at++ == number)
                return last;
            last = NULL;
        } else if (depth == 1 && is_name_char(*s) && !is_name_char(s[-1])) {
            last = s;
            *length = 1;
            while (is_name_char(s[*length]))
                (*length)++;
        }
        if (depth == 0)
            break;
    }
    return NULL;
}
