/* Names as people write them. */
#ifndef WARPBOOK_NAME_H
#define WARPBOOK_NAME_H

/* "void k<float>(float*, int)" of _Z1kIfEvPT_i, without result and parameters: "k<float>". The
 * caller frees it; NULL when the host is out of memory. */
char *name_of_kernel(const char *mangled);

#endif
