/* Which word was meant by one that is misspelt; the runner uses it too. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The changes of one letter (missing, added, another, two swapped) that make WORD of NAME; a number
 * above any sensible one if either is longer than 31 bytes. */
static inline size_t spelling_distance(const char *word, const char *name)
{
    enum { LONGEST = 31 };
    size_t n = strlen(word), m = strlen(name), d[LONGEST + 1][LONGEST + 1];
    if (n > LONGEST || m > LONGEST)
        return SIZE_MAX;
    for (size_t i = 0; i <= n; i++)
        for (size_t k = 0; k <= m; k++) {
            if (!i || !k) {
                d[i][k] = i + k;
                continue;
            }
            size_t best = d[i - 1][k - 1] + (word[i - 1] != name[k - 1]);
            best = d[i - 1][k] + 1 < best ? d[i - 1][k] + 1 : best;
            best = d[i][k - 1] + 1 < best ? d[i][k - 1] + 1 : best;
            bool swapped =
                i > 1 && k > 1 && word[i - 1] == name[k - 2] && word[i - 2] == name[k - 1];
            d[i][k] = swapped && d[i - 2][k - 2] + 1 < best ? d[i - 2][k - 2] + 1 : best;
        }
    return d[n][m];
}

/* True: WORD is probably NAME misspelt. */
static inline bool is_misspelling(const char *word, const char *name)
{
    return spelling_distance(word, name) <= (strlen(name) + 1) / 3;
}

/* Keep NAME in *BEST if WORD may be NAME misspelt, and resembles *BEST less. */
static inline void spelling_keep_nearer(const char **best, const char *word, const char *name)
{
    if (is_misspelling(word, name) &&
        (!*best || spelling_distance(word, name) < spelling_distance(word, *best)))
        *best = name;
}
