#include "name.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef char *demangle_fn(const char *, char *, size_t *, int *);

/* The demangler of the C++ runtime library, with which programs built by nvcc are linked. NULL if
 * there is none. */
static demangle_fn *load_demangler(void)
{
    static demangle_fn *fn;
    static bool tried;
    if (!tried) {
        tried = true;
        fn = (demangle_fn *)dlsym(RTLD_DEFAULT, "__cxa_demangle");
        void *lib = fn ? NULL : dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
        if (lib)
            fn = (demangle_fn *)dlsym(lib, "__cxa_demangle");
    }
    return fn;
}

/* MANGLED as C++ writes it; NULL: it is a name of C. The demangler takes `f` for the type float. */
static char *demangled(const char *mangled)
{
    demangle_fn *demangle = strncmp(mangled, "_Z", 2) == 0 ? load_demangler() : NULL;
    return demangle ? demangle(mangled, NULL, NULL, NULL) : NULL;
}

char *name_of_kernel(const char *mangled)
{
    char *whole = demangled(mangled);
    if (!whole)
        return strdup(mangled);
    /* Cut the parameter list: find the parenthesis that matches the last one. */
    char *end = strrchr(whole, ')');
    int depth = 0;
    for (char *p = end; p && p > whole; p--) {
        depth += *p == ')';
        depth -= *p == '(';
        if (depth == 0) {
            *p = 0;
            break;
        }
    }
    /* A template's name begins with the result type: cut up to the last space outside brackets. */
    char *start = whole;
    depth = 0;
    for (char *p = whole; *p; p++) {
        depth += *p == '<' || *p == '(';
        depth -= *p == '>' || *p == ')';
        if (*p == ' ' && depth == 0)
            start = p + 1;
    }
    char *out = strdup(start);
    free(whole);
    return out;
}

char *name_of_variable(const char *mangled)
{
    char *whole = demangled(mangled);
    if (!whole)
        return strdup(mangled);
    /* nvcc puts a variable that one file sees into a namespace with _INTERNAL_ in its name. */
    static const char of_file[] = "_INTERNAL_";
    const char *end = strncmp(whole, of_file, sizeof of_file - 1) == 0 ? strstr(whole, "::") : NULL;
    char *out = strdup(end ? end + 2 : whole);
    free(whole);
    return out;
}
