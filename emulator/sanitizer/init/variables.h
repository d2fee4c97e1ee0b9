/* Which __device__ and __constant__ variables only the host can set. Such a variable holds zeros
 * until the host sets it, which the program hardly wants. */
#pragma once

#include "../../ptx/ptx.h"

/* The variables of M, by index, that a function of M may write: it stores through their address, or
 * passes it on. malloc'd; NULL: the host is out of memory. */
bool *san_variables_written_by_kernels(const ptx_module *m);

/* What the source files of a module say of a variable; PTX hides an initial value of zero. */
typedef enum san_declaration {
    SAN_NOT_DECLARED, /* none of the files can be read, or none declares the variable */
    SAN_WITHOUT_VALUE,
    SAN_WITH_VALUE
} san_declaration;
/* Look for the declaration of the variable NAME, which may be qualified (shape::edge). */
san_declaration san_find_declaration(const ptx_module *m, const char *name);
