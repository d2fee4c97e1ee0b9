/* The shadow of global memory: for each word who wrote it last and who has read it since.
 *
 * A page stands for 4096 bytes and is made when one of them is touched. It has a cell for each
 * word, or, where narrower accesses have been made, for each two bytes or each byte; cells take at
 * most 8 bytes a byte. A cell refers to records: what the lanes of one instruction did at one time.
 */
#ifndef WARPBOOK_SANITIZER_SHADOW_H
#define WARPBOOK_SANITIZER_SHADOW_H

#include "../../core/observer.h"

enum { SAN_PAGE = 4096 };

/* Lane REF % 32 of record REF / 32; 0: nobody. */
typedef uint32_t san_ref;

typedef struct san_record {
    uint64_t block; /* index of the block in the grid */
    const ptx_insn *insn;
    uint32_t time;
    uint16_t warp;
    uint8_t effect; /* read, write or update: sm_effect */
    bool strong;    /* volatile, relaxed and so on, or atomic */
    bool in_block;  /* strong only for threads of its own block */
    uint8_t intent; /* what a strong access is meant for: san_intent */
    bool bare;      /* no fence has been executed since the lock was taken */
    uint64_t lock;  /* the lock that the only active lane holds (locks.h); 0: none */
} san_record;

/* What a cell refers to: its last plain write, its last strong one, its last reader, another one.
 */
typedef enum { SAN_WROTE, SAN_STRONG, SAN_READ, SAN_OTHER, SAN_CELLS } san_cell;

/* Lists of what has been read in a page that nobody has written: readers.h. */
enum { SAN_LISTS = 4, SAN_LIST_BYTES = 4096, SAN_READINGS = SAN_LIST_BYTES / 8 };

typedef struct san_page {
    uint64_t number; /* address / SAN_PAGE */
    uint32_t shift;  /* a cell stands for 1 << shift bytes */
    bool listed;     /* readers are kept as lists, not in cells */
    uint32_t readings;
    void *list[SAN_LISTS]; /* lists of SAN_LIST_BYTES each, or NULL; `readings` says how much of
                              each is in use */
    /* [SAN_PAGE >> shift] each; NULL: all 0. At shift 0 strong writes are kept as plain ones, and
     * no other reader. */
    san_ref *cell[SAN_CELLS];
    uint32_t launch;           /* number of the launch to which the contents belong */
    san_ref *spare[SAN_CELLS]; /* arrays like those of `cell` that still hold what an earlier launch
                                  left */
} san_page;

enum { SAN_CHUNK = 1 << 14 };

/* The shadow memory of a launch: who has accessed which memory. */
typedef struct san_shadow {
    san_page *last[8];  /* the pages looked up last, by number */
    san_record **chunk; /* records, in chunks of a fixed size */
    struct san_pages *own;
} san_shadow;

san_shadow *san_shadow_new(void); /* NULL: the host is out of memory */
void san_shadow_free(san_shadow *s);

/* The page of ADDRESS with cells of at most BYTES bytes (1, 2 or more). NULL: the host is out of
 * memory. */
san_page *san_shadow_find(san_shadow *s, uint64_t address, uint32_t bytes);
/* The pages that the launch has touched, in rising order: a malloc'd array of *COUNT. NULL: the
 * host is out of memory. */
san_page **san_shadow_pages(const san_shadow *s, uint32_t *count);
/* Nobody has touched BYTES bytes at ADDRESS. */
void san_shadow_forget(san_shadow *s, uint64_t address, uint64_t bytes);

/* The page's array of KIND, made if need be. NULL: the host is out of memory. */
san_ref *san_page_cells(san_shadow *s, san_page *p, san_cell kind);
/* Make the page's list K, if need be. False: the host is out of memory. */
bool san_page_list(san_shadow *s, san_page *p, uint32_t k);

/* The number of a record like R, a new one or one of the last; 0: the host is out of memory. */
uint32_t san_shadow_note(san_shadow *s, const san_record *r);

static inline const san_record *san_shadow_record(const san_shadow *s, uint32_t number)
{
    return &s->chunk[number / SAN_CHUNK][number % SAN_CHUNK];
}

static inline san_page *san_shadow_page(san_shadow *s, uint64_t address, uint32_t bytes)
{
    san_page *p = s->last[address / SAN_PAGE % 8];
    return p && p->number == address / SAN_PAGE && 1u << p->shift <= bytes
               ? p
               : san_shadow_find(s, address, bytes);
}

#endif
