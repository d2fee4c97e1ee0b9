#include "name.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef char *demangle_fn(const char *, char *, size_t *, int *);

/* The C++ runtime's own demangler, where there is one: nvcc's programs bring it with them. */
static demangle_fn *demangler(void)
{
    static demangle_fn *fn;
    static bool tried;
    if (!tried) {
        tried = true;
        fn = (demangle_fn *)dlsym(RTLD_DEFAULT, "__cxa_demangle");
        void *lib = fn ? NULL : dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
        if (lib) {
            fn = (demangle_fn *)dlsym(lib, "__cxa_demangle");
        }
    }
    return fn;
}

char *name_of_kernel(const char *mangled)
{
    demangle_fn *demangle = demangler();
    char *whole = demangle ? demangle(mangled, NULL, NULL, NULL) : NULL;
    if (!whole) {
        return strdup(mangled);
    }
    /* Cut the parameters: from the parenthesis that the last one closes. */
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
    /* Templates come with their result in front: cut up to the last space outside brackets. */
    char *start = whole;
    depth = 0;
    for (char *p = whole; *p; p++) {
        depth += *p == '<' || *p == '(';
        depth -= *p == '>' || *p == ')';
        if (*p == ' ' && depth == 0) {
            start = p + 1;
        }
    }
    char *out = strdup(start);
    free(whole);
    return out;
}
