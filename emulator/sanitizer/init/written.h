/* Which bytes of device memory somebody has written: one bit a byte, for allocations that begin
 * unwritten (cudaMalloc). Bytes of other memory count as written. All functions may be called by
 * any thread; who marks bytes and who asks about them are ordered by the caller. */
#ifndef WARPBOOK_SANITIZER_WRITTEN_H
#define WARPBOOK_SANITIZER_WRITTEN_H

#include "../caller.h"

#include <stdbool.h>
#include <stdint.h>

/* --- a bit for each byte of a range, in [bytes / 64 + 2] words -------------------------------- */

/* Are all, or is one, of N bytes from AT on written? */
bool san_bits_all(const uint64_t *bits, uint64_t at, uint64_t n);
bool san_bits_any(const uint64_t *bits, uint64_t at, uint64_t n);
/* Mark N bytes from AT on as written, or with WRITTEN false as holding what nobody wrote. */
void san_bits_set(uint64_t *bits, uint64_t at, uint64_t n, bool written);

/* --- device memory ------------------------------------------------------------------------------
 */

typedef struct san_fresh {
    uint64_t at, size;
    san_caller by; /* who allocated the memory */
    uint64_t *bits;
    uint32_t users; /* number of owners: the table, and launches */
} san_fresh;

/* BY allocated SIZE bytes at AT, which nobody has written. Where the host is out of memory they
 * count as written. */
void san_fresh_add(uint64_t at, uint64_t size, const san_caller *by);
/* The memory that begins at AT is freed; unknown addresses are passed over. */
void san_fresh_drop(uint64_t at);
void san_fresh_drop_all(void);

/* The allocations that are there now, by address: a malloc'd array of *COUNT. NULL: the host is out
 * of memory. san_fresh_release takes it back. */
san_fresh **san_fresh_take(uint32_t *count);
void san_fresh_release(san_fresh **list, uint32_t count);
/* LIST (of *COUNT, which rises) with the heap of device code in it, of which AT is an address: all
 * of it counts as written. LIST is released. NULL: there is none, and LIST stays. */
san_fresh **san_fresh_take_heap(uint64_t at, san_fresh **list, uint32_t *count);
/* The one of LIST that holds AT, or NULL. */
san_fresh *san_fresh_find(san_fresh *const *list, uint32_t count, uint64_t at);

/* The host, a fill or a copy from memory that counts as written writes N bytes at AT. */
void san_fresh_write(uint64_t at, uint64_t n);
/* N bytes go from FROM to TO: what nobody wrote remains so. */
void san_fresh_copy(uint64_t to, uint64_t from, uint64_t n);
/* Is no byte of the N at AT written? BY (may be NULL): who allocated them. */
bool san_fresh_untouched(uint64_t at, uint64_t n, san_caller *by);

#endif
