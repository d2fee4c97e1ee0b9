/* The rows of WARPBOOK_ACCESSES and WARPBOOK_HEAT for one launch (docs/FORMATS.md). */
#pragma once

#include "heat.h"
#include "shape.h"

/* At most this number of request groups of an instruction is written: those with the largest share
 * of the cost. */
#define ACC_MAX_GROUPS_WRITTEN 8u /* most request groups written of an instruction */

/* Append the rows of launch G to the file PATH. SITE: the requests of each instruction, with sorted
 * groups; acc_request_list_index gives the index. LINE selects the instructions of one source line;
 * 0: all lines. ALLOCATIONS names the memory that global accesses reach. Returns false with errno
 * set on an I/O error. */
bool acc_write_accesses(const char *path, const sm_grid *g, const char *kernel,
                        const acc_insn_requests *site, uint32_t line,
                        const acc_heat_maps *allocations);
bool acc_write_heat(const char *path, const sm_grid *g, const char *kernel, const acc_heat_maps *h);
