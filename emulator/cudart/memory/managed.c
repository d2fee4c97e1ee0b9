/* Advice and prefetches for managed memory (Runtime API, "Memory Management"). Host and device
 * share its pages, so nothing moves, but programs can query what they have requested. */
#include "../../memory/memory.h"
#include "../core/state.h"
#include "../graphs/capture.h"
#include "release.h"

#include <stdlib.h>
#include <string.h>

/* What the program has requested for a range of managed memory. The list is sorted by address, and
 * its ranges do not overlap. */
typedef struct rt_managed_hint {
    uint64_t at;                       /* first address of the range */
    uint64_t size;                     /* size of the range in bytes */
    struct cudaMemLocation preferred;  /* location of cudaMemAdviseSetPreferredLocation */
    struct cudaMemLocation prefetched; /* location of the last cudaMemPrefetchAsync */
    bool read_mostly;                  /* cudaMemAdviseSetReadMostly is in effect */
    bool by_device, by_host;           /* cudaMemAdviseSetAccessedBy: the device; the host */
    struct rt_managed_hint *next;      /* the next hint, of higher addresses */
} managed_hint;

static bool is_managed(const void *p, size_t size)
{
    mem_range r;
    const uint64_t at = (uint64_t)(uintptr_t)p;
    return size && mem_find_range(at, &r) && r.kind == MEM_MANAGED &&
           size <= r.size - (at - r.base);
}

static bool is_valid_location(const struct cudaMemLocation *l)
{
    return l->type == cudaMemLocationTypeDevice ? !l->id
                                                : l->type >= cudaMemLocationTypeHost &&
                                                      l->type <= cudaMemLocationTypeHostNumaCurrent;
}

/* Make a hint begin at AT, if one contains it. Returns false if the host is out of memory. */
static bool split_hint_at(uint64_t at)
{
    managed_hint *h = rt.memory.hints;
    while (h && h->at + h->size <= at)
        h = h->next;
    if (!h || h->at >= at)
        return true;
    managed_hint *rest = malloc(sizeof *rest);
    if (!rest)
        return false;
    *rest = *h;
    rest->at = at;
    rest->size = h->at + h->size - at;
    h->size = at - h->at;
    h->next = rest;
    return true;
}

/* The first of the hints for exactly the bytes from P on, which follow one another; new hints
 * request nothing. NULL: the host is out of memory. */
static managed_hint *hints_for_range(const void *p, size_t size)
{
    const uint64_t from = (uint64_t)(uintptr_t)p, end = from + size;
    if (!split_hint_at(from) || !split_hint_at(end))
        return NULL;
    managed_hint **link = &rt.memory.hints, *first = NULL;
    while (*link && (*link)->at < from)
        link = &(*link)->next;
    for (uint64_t at = from; at < end; at = (*link)->at + (*link)->size, link = &(*link)->next) {
        if (!*link || (*link)->at > at) {
            managed_hint *h = calloc(1, sizeof *h);
            if (!h)
                return NULL;
            h->at = at;
            h->size = (*link && (*link)->at < end ? (*link)->at : end) - at;
            h->next = *link;
            *link = h;
        }
        first = first ? first : *link;
    }
    return first;
}

/* The hint after H, if it begins before END. */
static managed_hint *next_hint_before(const managed_hint *h, uint64_t end)
{
    return h->next && h->next->at < end ? h->next : NULL;
}

void rt_managed_drop_hints(uint64_t at, uint64_t size)
{
    for (managed_hint **p = &rt.memory.hints; *p;) {
        managed_hint *h = *p;
        if (h->at >= at && h->at < at + size) {
            *p = h->next;
            free(h);
        } else {
            p = &h->next;
        }
    }
}

cudaError_t rt_managed_prefetch(const void *p, size_t size, const struct cudaMemLocation *to)
{
    if (!is_managed(p, size))
        return cudaErrorInvalidValue;
    if (!to)
        return cudaSuccess;
    if (!is_valid_location(to))
        return to->type == cudaMemLocationTypeNone ? cudaErrorInvalidValue : cudaErrorInvalidDevice;
    managed_hint *h = hints_for_range(p, size);
    if (!h)
        return cudaErrorMemoryAllocation;
    for (const uint64_t end = (uint64_t)(uintptr_t)p + size; h; h = next_hint_before(h, end))
        h->prefetched = *to;
    return cudaSuccess;
}

cudaError_t cudaMemPrefetchAsync(const void *p, size_t size, struct cudaMemLocation location,
                                 unsigned int flags, cudaStream_t stream)
{
    cudaError_t e = rt_lock();
    rt_stream *s = rt_stream_of(stream);
    if (!e && (!s || flags))
        e = s ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
    e = e ? e : rt_capture_check_work(s);
    if (!e && rt_is_capturing(s))
        e = rt_capture_check_wait(s);
    return rt_unlock(e ? e : rt_managed_prefetch(p, size, &location));
}

static void set_advice(managed_hint *h, enum cudaMemoryAdvise advice,
                       const struct cudaMemLocation *location)
{
    switch (advice) {
    case cudaMemAdviseSetReadMostly:
    case cudaMemAdviseUnsetReadMostly: h->read_mostly = advice == cudaMemAdviseSetReadMostly; break;
    case cudaMemAdviseSetPreferredLocation: h->preferred = *location; break;
    case cudaMemAdviseUnsetPreferredLocation: h->preferred = (struct cudaMemLocation){0}; break;
    default:
        *(location->type == cudaMemLocationTypeDevice ? &h->by_device : &h->by_host) =
            advice == cudaMemAdviseSetAccessedBy;
    }
}

cudaError_t cudaMemAdvise(const void *p, size_t size, enum cudaMemoryAdvise advice,
                          struct cudaMemLocation location)
{
    cudaError_t e = rt_lock();
    const bool placed = advice == cudaMemAdviseSetPreferredLocation ||
                        advice == cudaMemAdviseSetAccessedBy ||
                        advice == cudaMemAdviseUnsetAccessedBy;
    if (!e && (advice < cudaMemAdviseSetReadMostly || advice > cudaMemAdviseUnsetAccessedBy ||
               !is_managed(p, size)))
        e = cudaErrorInvalidValue;
    e = RT_INVALID_IF(e, placed && !is_valid_location(&location));
    managed_hint *h = e ? NULL : hints_for_range(p, size);
    e = RT_ERROR_IF(e, !h, cudaErrorMemoryAllocation);
    for (const uint64_t end = (uint64_t)(uintptr_t)p + size; h; h = next_hint_before(h, end))
        set_advice(h, advice, &location);
    return rt_unlock(e);
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *p, size_t length,
                                     unsigned int flags)
{
    cudaError_t e = rt_lock();
    e = RT_ERROR_IF(e, !rt_stream_of(stream), cudaErrorInvalidResourceHandle);
    mem_range r;
    /* The range must be a whole allocation; cudaMemAttachSingle needs a stream other than the
     * legacy default stream. */
    if (!e && (!is_managed(p, 1) || !mem_find_range((uint64_t)(uintptr_t)p, &r) ||
               (uint64_t)(uintptr_t)p != r.base || (length && length != r.size) ||
               (flags == cudaMemAttachSingle && !rt_stream_of(stream)->id) ||
               (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost &&
                flags != cudaMemAttachSingle)))
        e = cudaErrorInvalidValue;
    return rt_unlock(e);
}

/* --- queries ---------------------------------------------------------------------------------- */

/* What holds for all bytes of the range. */
static managed_hint common_hint(uint64_t at, uint64_t end)
{
    static const managed_hint none;
    const managed_hint *h = rt.memory.hints;
    while (h && h->at + h->size <= at)
        h = h->next;
    if (!h || h->at > at)
        return none;
    managed_hint all = *h;
    for (; h->at + h->size < end; h = h->next) {
        const managed_hint *next = h->next;
        if (!next || next->at > h->at + h->size)
            return none;
        if (memcmp(&next->preferred, &all.preferred, sizeof all.preferred) != 0)
            all.preferred = none.preferred;
        if (memcmp(&next->prefetched, &all.prefetched, sizeof all.prefetched) != 0)
            all.prefetched = none.prefetched;
        all.read_mostly &= next->read_mostly;
        all.by_device &= next->by_device;
        all.by_host &= next->by_host;
    }
    return all;
}

/* A location as one number: a device's ordinal, cudaCpuDeviceId or cudaInvalidDeviceId. */
static int location_number(const struct cudaMemLocation *l)
{
    return l->type == cudaMemLocationTypeNone     ? cudaInvalidDeviceId
           : l->type == cudaMemLocationTypeDevice ? l->id
                                                  : cudaCpuDeviceId;
}

static cudaError_t store_range_attribute(int *out, size_t bytes, enum cudaMemRangeAttribute attr,
                                         const managed_hint *h)
{
    const bool list = attr == cudaMemRangeAttributeAccessedBy;
    if (!out || (list ? !bytes || bytes % sizeof *out : bytes != sizeof *out))
        return cudaErrorInvalidValue;
    switch (attr) {
    case cudaMemRangeAttributeReadMostly: *out = h->read_mostly; break;
    case cudaMemRangeAttributePreferredLocation: *out = location_number(&h->preferred); break;
    case cudaMemRangeAttributeLastPrefetchLocation: *out = location_number(&h->prefetched); break;
    case cudaMemRangeAttributeAccessedBy: {
        size_t n = 0;
        if (h->by_device)
            out[n++] = 0;
        if (h->by_host && n < bytes / sizeof *out)
            out[n++] = cudaCpuDeviceId;
        while (n < bytes / sizeof *out)
            out[n++] = cudaInvalidDeviceId;
        break;
    }
    case cudaMemRangeAttributePreferredLocationType: *out = (int)h->preferred.type; break;
    case cudaMemRangeAttributePreferredLocationId: *out = h->preferred.id; break;
    case cudaMemRangeAttributeLastPrefetchLocationType: *out = (int)h->prefetched.type; break;
    case cudaMemRangeAttributeLastPrefetchLocationId: *out = h->prefetched.id; break;
    default: return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

cudaError_t cudaMemRangeGetAttributes(void **out, size_t *bytes, enum cudaMemRangeAttribute *attr,
                                      size_t count, const void *p, size_t size)
{
    cudaError_t e = rt_lock();
    e = RT_INVALID_IF(e, !out || !bytes || !attr || !count || !is_managed(p, size));
    const uint64_t at = (uint64_t)(uintptr_t)p;
    const managed_hint h = common_hint(at, at + size);
    for (size_t i = 0; !e && i < count; i++)
        e = store_range_attribute(out[i], bytes[i], attr[i], &h);
    return rt_unlock(e);
}

cudaError_t cudaMemRangeGetAttribute(void *out, size_t bytes, enum cudaMemRangeAttribute attr,
                                     const void *p, size_t size)
{
    return cudaMemRangeGetAttributes(&out, &bytes, &attr, 1, p, size);
}
