/* The names of the runtime's functions, numbered: what a jump is written for. The two libraries
 * have the same numbers. */
#pragma once

#define ADOPT_MOST_NAMES 512 /* of one library: its functions' numbers are below this one */
#define ADOPT_LIBRARIES                                                     \
    2 /* libcudart.so.13 and .12: the number of a function of the second is \
         ADOPT_MOST_NAMES higher, and jump.S has an entry for each */

#ifndef __ASSEMBLER__

/* The number of the runtime's function NAME; -1: the runtime has none of that name. */
int adopt_number_of_name(const char *name);

/* The name with this NUMBER; NULL: no name has it. */
const char *adopt_name(unsigned number);

#endif
