/* The names of the runtime's functions, numbered: what a jump is written for. */
#ifndef WARPBOOK_ADOPT_NAMES_H
#define WARPBOOK_ADOPT_NAMES_H

#define ADOPT_MOST_NAMES 512 /* jump.S has an entry for each number below this one */

#ifndef __ASSEMBLER__

/* The number of the runtime's function NAME; -1: the runtime has none of that name. */
int adopt_number_of_name(const char *name);

/* The name with this NUMBER; NULL: no name has it. */
const char *adopt_name(unsigned number);

#endif
#endif
