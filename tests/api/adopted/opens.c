/* Opens each library that it is given, calls it, closes it, and opens it again. It has no CUDA in itself. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    for (int round = 0; round < 2; round++)
        for (int i = 1; i < argc; i++) {
            void *library = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
            int (*part)(int) = library ? (int (*)(int))dlsym(library, "part_of_library") : NULL;
            if (!part)
                return fprintf(stderr, "%s\n", dlerror()), 1;
            printf("%d\n", part(i));
            dlclose(library);
        }
}
