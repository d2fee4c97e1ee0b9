// alone: it includes a table of calls
// What cuGetProcAddress finds under each name of the driver API, and under each symbol that is no name: for
// no flag, the legacy and the per-thread default stream the CUDA versions from which the answer is another,
// with the symbol there, or why there is none: "old" (the version is too old) or "none" (no such name).
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

// Before cuda.h, whose macros would rename the calls in them.
static const struct {
    const char *name, *symbol;
} rows[] = {
#define CALL(name, version, since, own, ...) {#name, #name #version},
#define SAME(name, version, since, own, ...) CALL(name, version, since, own)
#define STUB(name, version, since, own)      CALL(name, version, since, own)
#include "../../../../emulator/cudriver/calls.def"
};
static const int versions[] = {
    2000,  2010,  2020,  2030,  3000,  3010,  3020,  4000,  4010,  4020,  5000,  5050,  6000,  6050, 7000,
    7050,  8000,  9000,  9010,  9020,  10000, 10010, 10020, 11000, 11010, 11020, 11030, 11040, 11050, 11060,
    11070, 11080, 12000, 12010, 12020, 12030, 12040, 12050, 12060, 12070, 12080, 12090, 13000};

typedef int (*find_entry)(const char *, void **, int, unsigned long long, int *);

static void ask(find_entry find, const char *name, unsigned flags)
{
    void *last = NULL;
    int was = -1;
    for (int version : versions) {
        void *at = NULL;
        int status = -1, code = find(name, &at, version, flags, &status);
        if (at == last && status == was) {
            continue;
        }
        last = at;
        was = status;
        Dl_info info = {};
        const bool named = at && dladdr(at, &info) && info.dli_saddr == at;
        printf(" %d %s", version, code ? "error" : named ? info.dli_sname : at ? "inside" : status == 2 ? "old" : "none");
    }
}

int main(void)
{
    void *lib = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
    const find_entry find = lib ? (find_entry)dlsym(lib, "cuGetProcAddress_v2") : NULL;
    if (!find) {
        return 1;
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const bool again = i && !strcmp(rows[i - 1].name, rows[i].name);
        const char *names[] = {again ? NULL : rows[i].name,
                               strcmp(rows[i].name, rows[i].symbol) ? rows[i].symbol : NULL};
        for (const char *name : names) {
            if (!name) {
                continue;
            }
            printf("%s\t-", name);
            for (unsigned flags = 0; flags < 3; flags++) {
                ask(find, name, flags);
                printf("%s", flags < 2 ? ";" : "\n");
            }
        }
    }
    return 0;
}
