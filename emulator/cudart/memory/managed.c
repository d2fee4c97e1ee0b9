/* Advice and prefetches for managed memory (Runtime API, "Memory Management"). Host and device
 * share its pages, so nothing moves, but programs can query what they have requested. */
#include "../../memory/memory.h"
#include "../core/state.h"
#include "../graphs/capture.h"
#include "release.h"

#include <stdlib.h>
#include <string.h>

/* The most recent requests of the program for a range of managed memory. Newer hints are first in
 * the list and override older hints where they overlap. */
typedef struct rt_managed_hint {
    uint64_t at;                       /* first address of the range */
    uint64_t size;                     /* size of the range in bytes */
    struct cudaMemLocation preferred;  /* location of cudaMemAdviseSetPreferredLocation */
    struct cudaMemLocation prefetched; /* location of the last cudaMemPrefetchAsync */
    bool read_mostly;                  /* cudaMemAdviseSetReadMostly is in effect */
    bool by_device, by_host;           /* cudaMemAdviseSetAccessedBy: the device; the host */
    struct rt_managed_hint *next;      /* the next older hint, for any range */
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

/* Has any part of the range been prefetched to another place after the hint COVERS was recorded? */
static bool has_differing_hints(uint64_t at, size_t size, const managed_hint *covers)
{
    for (const managed_hint *h = rt.memory.hints; h && h != covers; h = h->next) {
        const bool within = h->at < at + size && at < h->at + h->size;
        if (within && memcmp(&h->prefetched, &covers->prefetched, sizeof h->prefetched) != 0)
            return true;
    }
    return false;
}

/* The newest hint that covers the whole range, or NULL. */
static managed_hint *managed_hint_covering(uint64_t at, size_t size)
{
    managed_hint *h = rt.memory.hints;
    while (h && !(h->at <= at && at + size <= h->at + h->size))
        h = h->next;
    return h;
}

/* The hint for exactly this range; a new hint starts as a copy of the newest hint that covers the
 * range. */
static managed_hint *find_or_add_hint(const void *p, size_t size)
{
    const uint64_t at = (uint64_t)(uintptr_t)p;
    managed_hint *covers = managed_hint_covering(at, size);
    if (covers && covers->at == at && covers->size == size)
        return covers;
    managed_hint *h = malloc(sizeof *h);
    if (h) {
        *h = covers ? *covers : (managed_hint){0};
        h->at = at;
        h->size = size;
        h->next = rt.memory.hints;
        rt.memory.hints = h;
    }
    return h;
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
    managed_hint *h = find_or_add_hint(p, size);
    if (!h)
        return cudaErrorMemoryAllocation;
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
    if (!e && placed && !is_valid_location(&location))
        e = cudaErrorInvalidValue;
    managed_hint *h = e ? NULL : find_or_add_hint(p, size);
    if (!e && !h)
        e = cudaErrorMemoryAllocation;
    if (!e) {
        switch (advice) {
        case cudaMemAdviseSetReadMostly:
        case cudaMemAdviseUnsetReadMostly:
            h->read_mostly = advice == cudaMemAdviseSetReadMostly;
            break;
        case cudaMemAdviseSetPreferredLocation:
            h->preferred = location;
            break;
        case cudaMemAdviseUnsetPreferredLocation:
            h->preferred = (struct cudaMemLocation){0};
            break;
        default:
            *(location.type == cudaMemLocationTypeDevice ? &h->by_device : &h->by_host) =
                advice == cudaMemAdviseSetAccessedBy;
        }
    }
    return rt_unlock(e);
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *p, size_t length,
                                     unsigned int flags)
{
    cudaError_t e = rt_lock();
    if (!e && !rt_stream_of(stream))
        e = cudaErrorInvalidResourceHandle;
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
    case cudaMemRangeAttributeReadMostly:
        *out = h->read_mostly;
        break;
    case cudaMemRangeAttributePreferredLocation:
        *out = location_number(&h->preferred);
        break;
    case cudaMemRangeAttributeLastPrefetchLocation:
        *out = location_number(&h->prefetched);
        break;
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
    case cudaMemRangeAttributePreferredLocationType:
        *out = (int)h->preferred.type;
        break;
    case cudaMemRangeAttributePreferredLocationId:
        *out = h->preferred.id;
        break;
    case cudaMemRangeAttributeLastPrefetchLocationType:
        *out = (int)h->prefetched.type;
        break;
    case cudaMemRangeAttributeLastPrefetchLocationId:
        *out = h->prefetched.id;
        break;
    default:
        return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

cudaError_t cudaMemRangeGetAttributes(void **out, size_t *bytes, enum cudaMemRangeAttribute *attr,
                                      size_t count, const void *p, size_t size)
{
    cudaError_t e = rt_lock();
    if (!e && (!out || !bytes || !attr || !count || !is_managed(p, size)))
        e = cudaErrorInvalidValue;
    static const managed_hint none;
    const uint64_t at = (uint64_t)(uintptr_t)p;
    managed_hint *covers = managed_hint_covering(at, size);
    managed_hint h = covers ? *covers : none;
    if (covers && has_differing_hints(at, size, covers))
        h.prefetched = none.prefetched;
    for (size_t i = 0; !e && i < count; i++)
        e = store_range_attribute(out[i], bytes[i], attr[i], &h);
    return rt_unlock(e);
}

cudaError_t cudaMemRangeGetAttribute(void *out, size_t bytes, enum cudaMemRangeAttribute attr,
                                     const void *p, size_t size)
{
    return cudaMemRangeGetAttributes(&out, &bytes, &attr, 1, p, size);
}
