/* The rows of WARPBOOK_ACCESSES and WARPBOOK_HEAT for one launch (CONTRIBUTING.md, "Formats"). */
#ifndef WARPBOOK_ACCESSES_TABLES_H
#define WARPBOOK_ACCESSES_TABLES_H

#include "heat.h"
#include "shape.h"

/* Shapes of an instruction that are written, those on which most of the cost is spent. */
#define ACC_SHAPES 8u

/* Append the instructions SITE, sorted, of a launch of G; LINE: only those of this line, 0: all.
 * ALLOCATIONS name what global accesses reach. False: an I/O error, see errno. */
bool acc_write_accesses(const char *path, const sm_grid *g, const char *kernel,
                        const acc_site *site, uint32_t line, const acc_heats *allocations);
bool acc_write_heat(const char *path, const sm_grid *g, const char *kernel, const acc_heats *h);

#endif
