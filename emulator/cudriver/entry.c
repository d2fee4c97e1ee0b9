/* Entry points by name (Driver API, "Driver Entry Point Access"). */
#include "cudriver.h"

#include <string.h>

/* The symbols themselves: the header's macros would rename them. */
#define ENTRY(name, symbol, since) extern char entry_##symbol[] __asm__(#symbol);
#include "entry.def"
#undef ENTRY

typedef struct entry {
    const char *name;
    void *at;
    int since; /* 12050 for 12.5 */
} entry;

static CUresult find(const char *symbol, void **out, int version, cuuint64_t flags,
                     CUdriverProcAddressQueryResult *status)
{
    static const entry entries[] = {
#define ENTRY(name, symbol, since) {#name, entry_##symbol, since},
#include "entry.def"
#undef ENTRY
    };
    const cuuint64_t known =
        CU_GET_PROC_ADDRESS_LEGACY_STREAM | CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
    if (!symbol || !out || flags & ~known) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *out = NULL;
    CUdriverProcAddressQueryResult found = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        if (strcmp(entries[i].name, symbol) != 0) {
            continue;
        }
        if (entries[i].since <= version) {
            *out = entries[i].at;
            found = CU_GET_PROC_ADDRESS_SUCCESS;
        } else if (!*out) {
            found = CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT;
        }
    }
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

/* Tables of functions that NVIDIA's own libraries share with the driver, by an identifier each;
 * none is public and there is none. libnvrtc asks for one and goes on without it, but not without
 * this. */
CUresult cuGetExportTable(const void **table, const CUuuid *id);
CUresult cuGetExportTable(const void **table, const CUuuid *id)
{
    if (!table || !id) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *table = NULL;
    return CUDA_ERROR_NOT_FOUND;
}
