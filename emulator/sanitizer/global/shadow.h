/* The shadow of global memory: for each word, the thread that wrote it last and the threads that
 * have read it since.
 *
 * A page covers 4096 bytes and is allocated when a thread touches one of them. It has a cell for
 * each word or, after narrower accesses, for each two bytes or each byte; cells take at most 8
 * bytes for each byte of memory. A cell refers to records: a record describes one execution of
 * an instruction by a warp. */
#pragma once

#include "../../core/observer.h"

enum { SAN_PAGE_BYTES = 4096 /* bytes of memory that a shadow page covers */ };

/* A reference to an access: lane REF % 32 of record REF / 32; 0: no access. */
typedef uint32_t san_ref; /* an access: 32 * its record's number + its lane */

typedef struct san_record {
    uint64_t block;       /* index of the block in the grid */
    const ptx_insn *insn; /* the instruction of the access */
    uint32_t time;        /* time of the access on the launch's clock */
    uint16_t warp;        /* number of the warp in its block */
    uint8_t effect : 4;   /* read, write or update (sm_effect) */
    bool strong : 1;      /* volatile, relaxed and so on, or atomic */
    bool in_block : 1;    /* scope .cta: the access is strong only for threads of its own block */
    uint8_t intent : 4;   /* what a strong access is meant for: san_intent */
    uint8_t fenced : 4;   /* the widest fence since the lock was taken: 1 + san_scope; 0: none */
    uint64_t lock;        /* the lock that the only active lane holds (locks.h); 0: none */
} san_record;
_Static_assert(sizeof(san_record) == 32, "keep records small: a launch makes millions of them");

/* The accesses that a cell refers to: last plain and last strong write, last and second reader. */
typedef enum {
    SAN_LAST_WRITE,  /* the last plain write */
    SAN_LAST_STRONG, /* the last strong write */
    SAN_LAST_READ,   /* the last read */
    SAN_OTHER_READ,  /* a read by another thread than the last reader */
    SAN_CELL_KINDS   /* number of the kinds of accesses above */
} san_cell;          /* the accesses that a shadow cell refers to */

/* Sizes of the lists of reads in a page that no thread has written (readers.h). */
enum {
    SAN_MAX_LISTS = 4,                      /* most lists of reads of a page */
    SAN_LIST_BYTES = 4096,                  /* size of a list in bytes */
    SAN_READS_PER_LIST = SAN_LIST_BYTES / 8 /* most reads in a list */
};

typedef struct san_page {
    uint64_t number;           /* address of the first byte / SAN_PAGE_BYTES */
    uint32_t shift;            /* a cell covers 1 << shift bytes */
    bool listed;               /* readers are kept as lists, not in cells */
    uint32_t read_count;       /* number of entries in the lists */
    void *list[SAN_MAX_LISTS]; /* lists of SAN_LIST_BYTES each, or NULL; `read_count` says how many
                                  entries are in use */
    /* [SAN_PAGE_BYTES >> shift] cells of each kind; NULL: no access. At shift 0 strong writes are
     * kept as plain ones, and there is no second reader. */
    san_ref *cell[SAN_CELL_KINDS];  /* [SAN_CELL_KINDS] arrays of references, one reference for 1 <<
                                       shift bytes */
    uint32_t launch;                /* number of the launch to which the contents belong */
    san_ref *spare[SAN_CELL_KINDS]; /* arrays for `cell` that are kept for reuse; they hold contents
                                       of an earlier launch */
} san_page;

enum {
    SAN_RECORDS_PER_CHUNK = 1 << 14, /* access records are allocated in chunks of this many */
    SAN_CACHED_PAGES = 128           /* entries of the cache of recently used shadow pages */
};

/* The shadow memory of a launch: the last accesses to each word. */
typedef struct san_shadow {
    san_page *
        last[SAN_CACHED_PAGES]; /* cache of the pages looked up last: a hash table by page number */
    san_record **chunk;         /* all records, in chunks of SAN_RECORDS_PER_CHUNK */
    struct san_page_table *own; /* table of all shadow pages */
} san_shadow;

san_shadow *san_shadow_new(void); /* NULL: the host is out of memory */
void san_shadow_free(san_shadow *s);

/* The page of ADDRESS with cells of at most BYTES bytes (1, 2 or more). NULL: out of memory. */
san_page *san_shadow_find(san_shadow *s, uint64_t address, uint32_t bytes);
/* The pages that the launch has touched, in ascending order: a malloc'd array of *COUNT. NULL:
 * the host is out of memory. */
san_page **san_shadow_pages(const san_shadow *s, uint32_t *count);
/* Forget all accesses to BYTES bytes at ADDRESS. */
void san_shadow_forget(san_shadow *s, uint64_t address, uint64_t bytes);

/* The page's array of cells of KIND, allocated if necessary. NULL: the host is out of memory. */
san_ref *san_page_cells(san_shadow *s, san_page *p, san_cell kind);
/* Allocate the page's list K, if necessary. False: the host is out of memory. */
bool san_page_add_list(san_shadow *s, san_page *p, uint32_t k);

/* The number of a record equal to R: a recent record or a new one. 0: the host is out of memory. */
uint32_t san_shadow_add_record(san_shadow *s, const san_record *r);
/* The number of a record for a weak access by several lanes, which hold no lock. */
uint32_t san_shadow_add_weak_record(san_shadow *s, uint64_t block, const ptx_insn *insn,
                                    uint32_t time, uint32_t warp, sm_effect effect);

static inline const san_record *san_shadow_record(const san_shadow *s, uint32_t number)
{
    return &s->chunk[number / SAN_RECORDS_PER_CHUNK][number % SAN_RECORDS_PER_CHUNK];
}

static inline san_page *san_shadow_page(san_shadow *s, uint64_t address, uint32_t bytes)
{
    san_page *p = s->last[address / SAN_PAGE_BYTES % SAN_CACHED_PAGES];
    return p && p->number == address / SAN_PAGE_BYTES && 1u << p->shift <= bytes
               ? p
               : san_shadow_find(s, address, bytes);
}
