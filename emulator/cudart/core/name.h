/* Converts mangled names of kernels and variables to the names in the source code. */
#pragma once

/* Demangle a kernel's name and drop its result and parameters: _Z1kIfEvPT_i, which is "void
 * k<float>(float*, int)", becomes "k<float>". To be freed; NULL: no memory. */
char *name_of_kernel(const char *mangled);

/* Demangle the name of a variable: _ZN5shape4edgeE becomes "shape::edge". The caller frees the
 * result; NULL if the host is out of memory. */
char *name_of_variable(const char *mangled);
