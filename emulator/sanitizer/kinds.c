#include "kinds.h"

#include <stdio.h>
#include <string.h>

static const char *const kind_names[] = {
#define SAN_KIND(name, NAME, meaning) #name,
#include "kinds.def"
#undef SAN_KIND
};

/* Set *BITS to the bits of the kind of error called NAME, a string of N characters; "none" has no
 * bits. False: no kind has this name. */
static bool bits_of_kind(const char *name, size_t n, unsigned *bits)
{
    *bits = 0;
    for (unsigned k = 0; k < SAN_NUMBERS; k++) {
        if (strlen(kind_names[k]) == n && memcmp(kind_names[k], name, n) == 0) {
            *bits = 1u << k;
            return true;
        }
    }
    if (n == 3 && memcmp(name, "all", 3) == 0) {
        *bits = SAN_ALL;
        return true;
    }
    if (n == 5 && memcmp(name, "notes", 5) == 0) {
        *bits = SAN_NOTES;
        return true;
    }
    return n == 4 && memcmp(name, "none", 4) == 0;
}

bool san_kinds_read(const char *list, unsigned *kinds, char *err, size_t size)
{
    *kinds = 0;
    for (const char *at = list ? list : ""; *at;) {
        const size_t n = strcspn(at, ",");
        unsigned bits;
        if (!bits_of_kind(at, n, &bits)) {
            snprintf(err, size,
                     "WARPBOOK_SANITIZE has \"%.*s\": it takes a list of memory, race, init, sync, "
                     "host and leak, separated by commas, or all, or none; add notes to report "
                     "harmless findings too",
                     (int)(n < 100 ? n : 100), at);
            return false;
        }
        *kinds |= bits;
        at += n + (at[n] == ',');
    }
    return true;
}
