/* Variables that are freed where their block ends, by whichever way: OWNED char *text = f(); */
#pragma once

#include <stdlib.h>
#include <string.h>

static inline void free_owned(void *variable)
{
    void *p;
    memcpy(&p, variable, sizeof p);
    free(p);
}

/* FREE is called with the variable's address. */
#define CLEANUP(free) __attribute__((cleanup(free)))
#define OWNED         CLEANUP(free_owned)
