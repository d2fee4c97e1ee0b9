/* Opens each library that it is given, if that can be, calls it, closes it, and opens it again. It has no CUDA in itself. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    for (int round = 0; round < 2; round++)
        for (int i = 1; i < argc; i++) {
            void *library = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
            if (!library) {
                const char *why = dlerror(); /* "libx.so: cannot open ..." */
                printf("no %.*s\n", (int)strcspn(why, ":"), why);
                continue;
            }
            int (*part)(int) = (int (*)(int))dlsym(library, "part_of_library");
            printf("%d\n", part(i));
            dlclose(library);
        }
}
