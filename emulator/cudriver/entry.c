/* Lookup of driver functions by name (Driver API, "Driver Entry Point Access"). */
#include <stdbool.h>

/* calls.def is included before cuda.h, because macros in cuda.h would rename the functions. The
 * suffixes of the macros are values of its column `own`. */
#define DECLARE_SYMBOL(symbol)               extern char entry_##symbol[] __asm__(#symbol);
#define DECLARE_SYMBOL_no(symbol)            DECLARE_SYMBOL(symbol)
#define DECLARE_SYMBOL_ptsz(symbol)          DECLARE_SYMBOL(symbol) DECLARE_SYMBOL(symbol##_ptsz)
#define DECLARE_SYMBOL_ptds(symbol)          DECLARE_SYMBOL(symbol) DECLARE_SYMBOL(symbol##_ptds)

#define CALL(name, version, since, own, ...) DECLARE_SYMBOL_##own(name##version)
#define SAME(name, version, since, own, ...) DECLARE_SYMBOL_##own(name##version)
#define STUB(name, version, since, own)      DECLARE_SYMBOL_##own(name##version)
#include "calls.def"
#undef CALL
#undef SAME
#undef STUB

/* A symbol that cuGetProcAddress can find. */
typedef struct symbol_entry {
    const char *name; /* name of the function, without _v2 and similar suffixes */
    void *at;         /* address of the function */
    int since;        /* first CUDA version with this symbol; 12050 for 12.5 */
    bool own; /* the symbol is a variant whose NULL stream is the per-thread default stream */
} symbol_entry;

/* The variants for the per-thread default stream exist since CUDA 7. */
#define PER_THREAD_VARIANT_SINCE(since) ((since) > 7000 ? (since) : 7000)

#define ENTRY_no(name, symbol, since)   {#name, entry_##symbol, since, false},
#define ENTRY_ptsz(name, symbol, since)                                                          \
    ENTRY_no(name, symbol, since){#name, entry_##symbol##_ptsz, PER_THREAD_VARIANT_SINCE(since), \
                                  true},
#define ENTRY_ptds(name, symbol, since)                                                          \
    ENTRY_no(name, symbol, since){#name, entry_##symbol##_ptds, PER_THREAD_VARIANT_SINCE(since), \
                                  true},

#define CALL(name, version, since, own, ...) ENTRY_##own(name, name##version, since)
#define SAME(name, version, since, own, ...) ENTRY_##own(name, name##version, since)
#define STUB(name, version, since, own)      ENTRY_##own(name, name##version, since)
/* All symbols, in the order of calls.def. */
static const symbol_entry symbol_entries[] = {
#include "calls.def"
};

#include "cudriver.h"

#include <string.h>

static bool has_per_thread_variant(const char *name)
{
    for (size_t i = 0; i < sizeof symbol_entries / sizeof *symbol_entries; i++)
        if (symbol_entries[i].own && strcmp(symbol_entries[i].name, name) == 0)
            return true;
    return false;
}

/* Find the newest symbol that NAME refers to in VERSION. With the per-thread flag, a name that has
 * per-thread variants refers only to these variants, in every version. */
static CUresult find_symbol_entry(const char *symbol, void **out, int version, cuuint64_t flags,
                                  CUdriverProcAddressQueryResult *status)
{
    const cuuint64_t known =
        CU_GET_PROC_ADDRESS_LEGACY_STREAM | CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
    if (!symbol || !out || flags & ~known)
        return CUDA_ERROR_INVALID_VALUE;
    const bool own =
        (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) && has_per_thread_variant(symbol);
    const symbol_entry *best = NULL;
    bool known_name = false;
    for (size_t i = 0; i < sizeof symbol_entries / sizeof *symbol_entries; i++) {
        const symbol_entry *e = &symbol_entries[i];
        if (e->own != own || strcmp(e->name, symbol) != 0)
            continue;
        known_name = true;
        if (e->since <= version && (!best || e->since > best->since))
            best = e;
    }
    *out = best ? best->at : NULL;
    const CUdriverProcAddressQueryResult found = best ? CU_GET_PROC_ADDRESS_SUCCESS
                                                 : known_name
                                                     ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                                                     : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    if (status)
        *status = found;
    /* If the caller passes STATUS, the reason of a failure is stored there. */
    return *out || status ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult cuGetProcAddress(const char *symbol, void **out, int version, cuuint64_t flags,
                          CUdriverProcAddressQueryResult *status)
{
    return find_symbol_entry(symbol, out, version, flags, status);
}

CUresult older_get_proc_address(const char *symbol, void **out, int version, cuuint64_t flags)
    CU_HIDDEN_SYMBOL("cuGetProcAddress");
CUresult older_get_proc_address(const char *symbol, void **out, int version, cuuint64_t flags)
{
    return find_symbol_entry(symbol, out, version, flags, NULL);
}
