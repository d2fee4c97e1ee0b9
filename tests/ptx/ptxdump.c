/* ptxdump FILE...: parse PTX files, report instructions that are not supported, and print the
 * parsed modules as PTX. */
#include "../../emulator/ptx/ptx.h"
#include "../lib/ptx_print.h"

#include <stdlib.h>
#include <string.h>

static char *read_file(const char *path, size_t *len)
{
    FILE *f = fopen(path, "rb");
    char *text = NULL;
    size_t room = 0;
    *len = 0;
    for (size_t n = 1; f && n;) {
        if (*len == room) {
            room = room ? room * 2 : 1 << 16;
            char *grown = realloc(text, room);
            if (!grown) {
                free(text);
                text = NULL;
                break;
            }
            text = grown;
        }
        n = fread(text + *len, 1, room - *len, f);
        *len += n;
    }
    if (f) {
        fclose(f);
    }
    return text;
}

int main(int argc, char **argv)
{
    int status = 0;
    if (argc < 2) {
        fprintf(stderr, "usage: ptxdump FILE.ptx...\n");
        return 2;
    }
    for (int i = 1; i < argc; i++) {
        size_t len;
        char *text = read_file(argv[i], &len);
        ptx_error err;
        ptx_module *m = text ? ptx_parse(text, len, &err) : NULL;
        if (!m) {
            fprintf(stderr, "%s: %s\n", argv[i], text ? err.text : "cannot be read");
            free(text);
            status = 1;
            continue;
        }
        ptx_print(stdout, m);
        for (uint32_t k = 0; k < m->func_count; k++) {
            if (!ptx_check(m, m->funcs[k], &err)) {
                fprintf(stderr, "%s: %s: %s\n", argv[i], m->funcs[k]->name, err.text);
                status = 1;
            }
        }
        ptx_free(m);
        free(text);
    }
    return status;
}
