/* Entry points by name (Driver API, "Driver Entry Point Access"). */
#include "cudriver.h"

#include <string.h>

/* The symbols themselves: the header's macros would rename them. */
#define ENTRY(name, symbol, since)              extern char entry_##symbol[] __asm__(#symbol);
#define PTSZ(name, symbol, since, params, args) ENTRY(name, symbol, since)
#define STUB(symbol, name, since)               ENTRY(name, symbol, since)
#include "entry.def"
#include "ptsz.def"
#include "stubs.def"
#undef ENTRY

typedef struct entry {
    const char *name, *symbol;
    void *at;
    int since; /* 12050 for 12.5 */
} entry;

/* Is a NULL stream the calling thread's own in the function SYMBOL? */
static bool of_thread(const char *symbol)
{
    const char *end = strrchr(symbol, '_');
    return end && (strcmp(end, "_ptsz") == 0 || strcmp(end, "_ptds") == 0);
}

/* Does A answer better to a program that asks for the newest, rather with PER_THREAD? */
static bool better(const entry *a, const entry *b, bool per_thread)
{
    if (!b) {
        return true;
    }
    if (per_thread && of_thread(a->symbol) != of_thread(b->symbol)) {
        return of_thread(a->symbol);
    }
    return a->since > b->since;
}

static CUresult find(const char *symbol, void **out, int version, cuuint64_t flags,
                     CUdriverProcAddressQueryResult *status)
{
    static const entry entries[] = {
#define ENTRY(name, symbol, since) {#name, #symbol, entry_##symbol, since},
#include "entry.def"
#include "ptsz.def"
#include "stubs.def"
#undef ENTRY
#undef PTSZ
#undef STUB
    };
    const cuuint64_t known =
        CU_GET_PROC_ADDRESS_LEGACY_STREAM | CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
    if (!symbol || !out || flags & ~known) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    const bool per_thread = flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
    const entry *best = NULL;
    bool known_name = false;
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        const entry *e = &entries[i];
        if (strcmp(e->name, symbol) != 0 || (of_thread(e->symbol) && !per_thread)) {
            continue;
        }
        known_name = true;
        if (e->since <= version && better(e, best, per_thread)) {
            best = e;
        }
    }
    *out = best ? best->at : NULL;
    const CUdriverProcAddressQueryResult found = best ? CU_GET_PROC_ADDRESS_SUCCESS
                                                 : known_name
                                                     ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                                                     : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    if (status) {
        *status = found;
    }
    return *out || status ? CUDA_SUCCESS
                          : CUDA_ERROR_NOT_FOUND; /* who asks why is told, not failed */
}

CUresult cuGetProcAddress(const char *symbol, void **out, int version, cuuint64_t flags,
                          CUdriverProcAddressQueryResult *status)
{
    return find(symbol, out, version, flags, status);
}

CUresult older_proc(const char *symbol, void **out, int version, cuuint64_t flags)
    CU_OLDER("cuGetProcAddress");
CUresult older_proc(const char *symbol, void **out, int version, cuuint64_t flags)
{
    return find(symbol, out, version, flags, NULL);
}
