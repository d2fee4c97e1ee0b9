#include "function_names.h"

#include <stdlib.h>
#include <string.h>

#define SECOND_no(name)
#define SECOND_ptsz(name)     (#name "_ptsz"),
#define SECOND_ptds(name)     (#name "_ptds"),
#define CALL(name, own, ...)  #name, SECOND_##own(name)
#define STUB(name, own)       #name, SECOND_##own(name)
#define LINK(name)            /* no runtime of NVIDIA's has it */
#define OTHER(name, own)      /* the other list has it too */
#define SAME(name, own, next) #name, SECOND_##own(name)
static const char *const names[] = {
#include "../cudart/entry/calls.def"
#include "../cudart12/calls.def"
};

enum { NAME_COUNT = sizeof names / sizeof *names };
_Static_assert(NAME_COUNT <= ADOPT_MOST_NAMES, "jump.S needs an entry for each name");

static const char *const *sorted[NAME_COUNT]; /* the elements of `names` in the order of strcmp */

static int compare_names(const void *a, const void *b)
{
    return strcmp(**(const char *const *const *)a, **(const char *const *const *)b);
}

__attribute__((constructor)) static void sort_names(void)
{
    for (size_t i = 0; i < NAME_COUNT; i++)
        sorted[i] = &names[i];
    qsort(sorted, NAME_COUNT, sizeof *sorted, compare_names);
}

int adopt_number_of_name(const char *name)
{
    const char *const *key = &name;
    const char *const **found = bsearch(&key, sorted, NAME_COUNT, sizeof *sorted, compare_names);
    return found ? (int)(*found - names) : -1;
}

const char *adopt_name(unsigned number)
{
    return number < NAME_COUNT ? names[number] : NULL;
}
