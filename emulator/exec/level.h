/* Chooses the build of the instruction handlers that suits this CPU. */
#ifndef WARPBOOK_EXEC_LEVEL_H
#define WARPBOOK_EXEC_LEVEL_H

#include "../core/handlers.h"

/* The best level that this CPU can run, or the one that WARPBOOK_ISA=v1|v3|v4 selects if the CPU
 * can run it. */
const sm_handlers *exec_handlers(void);

/* The name of the build of the instruction handlers in use, such as "x86-64-v4". */
const char *exec_isa_name(void);

#endif
