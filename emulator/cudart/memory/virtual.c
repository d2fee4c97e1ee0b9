#include "virtual.h"

#include "../checks/checks.h"
#include "../core/recorder.h"
#include "../core/state.h"

#include <fcntl.h>
#include <stdlib.h>

struct rt_physical {
    mem_physical *of;         /* the memory, whose user this handle is */
    unsigned count;           /* how often the program has got this handle and not released it */
    struct rt_physical *next; /* next in the list of all handles */
};

static rt_physical **find_link_to_physical(const rt_physical *p)
{
    rt_physical **slot = &rt.memory.physical;
    while (*slot && *slot != p)
        slot = &(*slot)->next;
    return slot;
}

static bool is_physical(const rt_physical *p)
{
    return p && *find_link_to_physical(p);
}

/* A new handle of OF, whose user it becomes; it takes OF along if out of memory. */
static cudaError_t new_physical(rt_physical **out, mem_physical *of)
{
    rt_physical *p = malloc(sizeof *p);
    if (!p) {
        mem_physical_drop(of);
        return cudaErrorMemoryAllocation;
    }
    *p = (rt_physical){of, 1, rt.memory.physical};
    rt.memory.physical = p;
    rt_note_object(RT_PHYSICAL_OBJECT, (uintptr_t)p);
    *out = p;
    return cudaSuccess;
}

static cudaError_t error_of_granularity(const char *what, size_t value)
{
    return rt_error_because(cudaErrorInvalidValue,
                            "the %s, %zu, is 0 or no multiple of the granularity, %zu bytes", what,
                            value, RT_GRANULARITY);
}

static cudaError_t create(rt_physical **out, size_t size, bool shared)
{
    cudaError_t e = rt_lock();
    if (!e && (!size || size % RT_GRANULARITY))
        e = error_of_granularity("size", size);
    if (!e) {
        mem_physical *of = mem_physical_new(size, shared);
        e = of ? new_physical(out, of) : cudaErrorMemoryAllocation;
    }
    return rt_unlock(e);
}

static cudaError_t release(rt_physical *p)
{
    rt_lock_without_checks();
    rt_physical **slot = find_link_to_physical(p);
    const cudaError_t e = p && *slot ? cudaSuccess : cudaErrorInvalidValue;
    if (!e && --p->count == 0) {
        *slot = p->next;
        rt_note_object_destroyed(RT_PHYSICAL_OBJECT, (uintptr_t)p);
        mem_physical_drop(p->of);
        free(p);
    }
    return rt_unlock(e);
}

static cudaError_t retain(rt_physical **out, uint64_t at)
{
    mem_mapping m;
    cudaError_t e = rt_lock();
    e = RT_INVALID_IF(e, !mem_find_mapping(at, &m) || m.name);
    if (!e) {
        rt_physical *p = rt.memory.physical;
        while (p && p->of != m.of)
            p = p->next;
        if (p) {
            p->count++;
            *out = p;
        } else {
            mem_physical_hold(m.of);
            e = new_physical(out, m.of);
        }
    }
    return rt_unlock(e);
}

static cudaError_t is_shared(rt_physical *p, bool *shared)
{
    cudaError_t e = rt_lock();
    e = RT_INVALID_IF(e, !is_physical(p));
    return RT_UNLOCK_WITH(e, shared, p->of->fd >= 0);
}

static cudaError_t export(int *fd, rt_physical *p)
{
    cudaError_t e = rt_lock();
    e = RT_INVALID_IF(e, !is_physical(p));
    if (!e && p->of->fd < 0) {
        e = rt_error_because(cudaErrorInvalidValue,
                             "the memory was made without requestedHandleTypes of "
                             "CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR");
    }
    if (!e) {
        const int copy = fcntl(p->of->fd, F_DUPFD_CLOEXEC, 0);
        e = copy < 0 ? cudaErrorOperatingSystem : cudaSuccess;
        *fd = e ? *fd : copy;
    }
    return rt_unlock(e);
}

static cudaError_t import(rt_physical **out, int fd)
{
    cudaError_t e = rt_lock();
    if (!e) {
        mem_physical *of = mem_physical_open(fd);
        e = of ? new_physical(out, of) : cudaErrorUnknown;
    }
    return rt_unlock(e);
}

static cudaError_t reserve(uint64_t *at, size_t size, size_t align, uint64_t wish)
{
    cudaError_t e = rt_lock();
    if (!e && (!size || size % RT_GRANULARITY))
        e = error_of_granularity("size", size);
    if (!e && wish % RT_GRANULARITY)
        e = rt_error_because(cudaErrorInvalidValue,
                             "the address that is wished is no multiple of the granularity, %zu "
                             "bytes",
                             RT_GRANULARITY);
    if (!e && align & (align - 1)) {
        e = rt_error_because(cudaErrorInvalidValue, "the alignment, %zu, is no power of two",
                             align);
    }
    if (!e) {
        const uint64_t found =
            mem_reserve_addresses(size, align > RT_GRANULARITY ? align : RT_GRANULARITY, wish);
        e = found ? cudaSuccess : cudaErrorMemoryAllocation;
        *at = e ? *at : found;
    }
    if (!e)
        rt_note_object(RT_ADDRESSES_OBJECT, *at);
    return rt_unlock(e);
}

static cudaError_t free_addresses(uint64_t at, size_t size)
{
    rt_lock_without_checks();
    const bool good = mem_free_addresses(at, size);
    if (good)
        rt_note_object_destroyed(RT_ADDRESSES_OBJECT, at);
    return rt_unlock(good ? cudaSuccess
                          : rt_error_because(cudaErrorInvalidValue,
                                             "the addresses and the size are not those of one "
                                             "cuMemAddressReserve, or memory is mapped there"));
}

static cudaError_t map(uint64_t at, size_t size, size_t offset, rt_physical *p)
{
    cudaError_t e = rt_lock();
    e = RT_INVALID_IF(e, !size || !is_physical(p));
    if (!e && (offset || size != p->of->size)) {
        e = rt_error_because(cudaErrorNotSupported,
                             "a device maps memory as a whole: all %llu bytes, from offset 0 on",
                             (unsigned long long)p->of->size);
    }
    if (!e && at % RT_GRANULARITY)
        e = error_of_granularity("address", at);
    if (!e && !mem_map_physical(&(mem_mapping){.at = at, .size = size, .of = p->of})) {
        e = rt_error_because(cudaErrorInvalidValue,
                             "the addresses are not all reserved, or something is mapped there "
                             "already");
    }
    if (!e) {
        rt_note_object(RT_MAPPING_OBJECT, at);
        RT_CALL_RECORDER(unheld, "the program maps memory itself (cuMemMap)");
    }
    return rt_unlock(e);
}

static bool is_opened(uint64_t at)
{
    mem_mapping m;
    return mem_find_mapping(at, &m) && m.name;
}

static cudaError_t error_of_mappings(void)
{
    return rt_error_because(cudaErrorInvalidValue,
                            "the addresses do not begin and end with mappings of cuMemMap");
}

static cudaError_t unmap(uint64_t at, size_t size)
{
    rt_lock_without_checks();
    rt_finish_all();
    const bool good =
        size && size % RT_GRANULARITY == 0 && !is_opened(at) && mem_unmap_physical(at, size);
    for (uint64_t k = 0; good && k < size; k += RT_GRANULARITY)
        rt_note_object_destroyed(RT_MAPPING_OBJECT, at + k);
    return rt_unlock(good ? cudaSuccess : error_of_mappings());
}

static cudaError_t set_access(uint64_t at, size_t size, mem_mapped_access access)
{
    cudaError_t e = rt_lock();
    if (!e && (is_opened(at) || !mem_set_mapped_access(at, size, access)))
        e = error_of_mappings();
    return rt_unlock(e);
}

static cudaError_t get_access(uint64_t at, mem_mapped_access *access)
{
    mem_range r;
    mem_mapping m = {0}; /* of memory that is not mapped so, an H200 says that nobody may use it */
    cudaError_t e = rt_lock();
    e = RT_INVALID_IF(e, !mem_find_mapping(at, &m) && !mem_find_range(at, &r));
    return RT_UNLOCK_WITH(e, access, m.access);
}

static cudaError_t find_reserved(uint64_t at, uint64_t *base, size_t *size)
{
    cudaError_t e = rt_lock();
    e = RT_INVALID_IF(e, !mem_find_addresses(at, base, size));
    return rt_unlock(e);
}

const rt_virtual rt_virtual_calls = {.create = create,
                                     .release = release,
                                     .retain = retain,
                                     .is_shared = is_shared,
                                     .export = export,
                                     .import = import,
                                     .reserve = reserve,
                                     .free = free_addresses,
                                     .map = map,
                                     .unmap = unmap,
                                     .set_access = set_access,
                                     .get_access = get_access,
                                     .find_reserved = find_reserved};
