/* host_library FILE CALL: loads the library FILE of the CUDA toolkit and calls its function CALL
 * twice, with room for its output. The call must return an error, because the library cannot work
 * without a GPU (run-linked). */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    long room[64] = {0};
    void *library = argc == 3 ? dlopen(argv[1], RTLD_NOW) : NULL;
    int (*call)(void *, int, int, int) = NULL;
    if (library) {
        *(void **)&call = dlsym(library, argv[2]);
    }
    if (!call) {
        printf("%s\n", argc == 3 ? dlerror() : "usage: host_library FILE CALL");
        return 2;
    }
    for (int i = 0; i < 2; i++) {
        if (call(room, 100, 0x29, 1) == 0) {
            printf("%s succeeded\n", argv[2]);
        }
    }
    return 0;
}
