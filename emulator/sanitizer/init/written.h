/* Which bytes of device memory have been written: one bit for each byte, for allocations that
 * begin unwritten (cudaMalloc, cudaMallocAsync, cudaMallocManaged). Bytes of other memory count as
 * written.
 *
 * The host writes managed memory without a call. A page of it that has no memory yet has not been
 * touched by the host; all bytes of a page that the host has touched count as written. All
 * functions may be called by any thread; the caller orders calls that mark bytes and calls that
 * test them. */
#pragma once

#include "../caller.h"

#include <stdbool.h>
#include <stdint.h>

/* --- bit masks of written bytes: a bit for each byte of a range, in [bytes / 64 + 2] words ---- */

/* Are all of the N bytes from AT on written? */
static inline bool san_are_all_bits_set(const uint64_t *bits, uint64_t at, uint64_t n)
{
    if (n == 0)
        return true;
    const uint64_t first = at / 64, last = (at + n - 1) / 64;
    const uint64_t head = UINT64_MAX << at % 64, tail = UINT64_MAX >> (63 - (at + n - 1) % 64);
    if (first == last)
        return (~bits[first] & head & tail) == 0;
    uint64_t missing = (~bits[first] & head) | (~bits[last] & tail);
    for (uint64_t w = first + 1; w < last; w++)
        missing |= ~bits[w];
    return missing == 0;
}
/* Is at least one of the N bytes from AT on written? */
bool san_is_any_bit_set(const uint64_t *bits, uint64_t at, uint64_t n);
/* Mark N bytes from AT on as written or, if WRITTEN is false, as unwritten. */
void san_set_bits(uint64_t *bits, uint64_t at, uint64_t n, bool written);

/* --- device memory ---------------------------------------------------------------------------- */

typedef struct san_device_allocation {
    uint64_t at, size;
    san_caller by;                     /* the API call that allocated the memory */
    uint64_t *bits;                    /* a bit for each byte; set: written */
    uint64_t written_from, written_to; /* a range of which all bytes are known to be written */
    uint64_t mixed;   /* number of a piece (SAN_WRITTEN_PIECE bytes) that is not all written */
    bool is_variable; /* a __device__ variable, which holds zeros until the host sets it */
    bool is_set;      /* only such a variable: the host has set some of its bytes */
    uint64_t copied_from, copied_to; /* offsets between which unwritten values were copied in; both
                                        0: none were */
    uint64_t source;  /* where the first of them came from, on the device; 0: shared or local
                         memory */
    uint32_t users;   /* number of references: by the table, and by launches */
    uint8_t *present; /* managed memory: [pages] found present in host memory; else NULL */
    uint64_t absent;  /* only managed memory: number of pages not found present yet */
} san_device_allocation;

enum {
    SAN_WRITTEN_PIECE = 4096 /* size of the pieces whose bits are examined together, in bytes */
};
/* Are N bytes from offset AT of allocation F written? Examines their bits, and extends the range
 * that is known to be written. */
bool san_examine_written_bits(san_device_allocation *f, uint64_t at, uint64_t n);
/* Are N bytes from offset AT of allocation F written? All of them are within F. */
static inline bool san_is_all_written(san_device_allocation *f, uint64_t at, uint64_t n)
{
    return (at >= f->written_from && at + n <= f->written_to) || san_examine_written_bits(f, at, n);
}
/* Mark N bytes from offset AT of F on as unwritten. */
void san_mark_unwritten(san_device_allocation *f, uint64_t at, uint64_t n);

/* N bytes at offset AT of F were written with unwritten ones of SOURCE (0: shared or local). */
void san_note_copied_unwritten(san_device_allocation *f, uint64_t at, uint64_t n, uint64_t source);
/* Are the unwritten bytes at AT copies of unwritten bytes? *SOURCE: where the first came from. */
bool san_is_copied_unwritten(uint64_t at, uint64_t *source);

/* API call BY allocated SIZE bytes at AT, which are unwritten. If the host is out of memory,
 * they count as written. */
void san_add_unwritten(uint64_t at, uint64_t size, const san_caller *by);
/* Like san_add_unwritten, for a __device__ variable that only the host can set. */
void san_add_unset_variable(uint64_t at, uint64_t size);
/* Like san_add_unwritten, for managed memory: AT is the start of a page, untouched so far. */
void san_add_managed_unwritten(uint64_t at, uint64_t size, const san_caller *by);
/* Mark the pages of managed memory that the host has touched as written; ALL: all pages. */
void san_mark_pages_touched_by_host(bool all);
/* The allocation that begins at AT is freed; unknown addresses are ignored. */
void san_forget_tracked_allocation(uint64_t at);
void san_forget_all_tracked_allocations(void);

/* The current allocations, sorted by address: a malloc'd array of *COUNT. NULL: the host is out
 * of memory. san_release_tracked_allocations releases it. */
san_device_allocation **san_take_tracked_allocations(uint32_t *count);
void san_release_tracked_allocations(san_device_allocation **list, uint32_t count);
/* Returns a new list: the *COUNT allocations of LIST (*COUNT increases) and the heap for malloc()
 * in device code, which contains address AT and counts as written. LIST is released. NULL: there is
 * no heap at AT, and LIST stays valid. */
san_device_allocation **san_add_heap_of_device(uint64_t at, san_device_allocation **list,
                                               uint32_t *count);
/* The allocation in LIST that contains AT, or NULL. */
san_device_allocation *san_find_tracked_allocation(san_device_allocation *const *list,
                                                   uint32_t count, uint64_t at);

/* Is AT in an allocation whose written bytes are tracked? */
bool san_is_allocation_tracked(uint64_t at);
/* N bytes at AT are written by the host, a fill, or a copy from memory that counts as written. */
void san_mark_written(uint64_t at, uint64_t n);
/* N bytes are copied from FROM to TO: copies of unwritten bytes are unwritten. */
void san_copy_written_marks(uint64_t to, uint64_t from, uint64_t n);
/* Find the first of the N bytes at AT that are unwritten elements, and not only padding of
 * structures: stores their range in *FROM and *TO, offsets from AT, and the API call that allocated
 * the memory in *BY. False: there are none. */
bool san_find_unwritten_elements(uint64_t at, uint64_t n, uint64_t *from, uint64_t *to,
                                 san_caller *by);
