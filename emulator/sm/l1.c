#include "l1.h"

#include "access.h"

#include <stdlib.h>
#include <string.h>

struct l1_model *sm_l1_new(void)
{
    struct l1_model *l1 = calloc(1, sizeof *l1);
    if (l1) {
        l1->generation = 1; /* a line of zeros is of no block */
    }
    return l1;
}

void sm_l1_free(struct l1_model *l1)
{
    free(l1);
}

void sm_l1_begin(struct l1_model *l1)
{
    if (++l1->generation == L1_GENERATIONS) {
        memset(l1->line, 0, sizeof l1->line);
        memset(l1->const_line, 0, sizeof l1->const_line);
        l1->generation = 1;
    }
}
