/* State of the observer of reads of unwritten memory: of a launch and of a resident block. */
#pragma once

#include "flow.h"
#include "suspects.h"
#include "written.h"

typedef struct san_init_launch {
    const sm_grid *grid; /* the grid that the launch runs */
    san_flow flow;       /* data flow of the kernel */
    san_device_allocation *
        *allocations; /* the device memory that was allocated when the launch began, by address */
    uint32_t allocation_count; /* number of entries in `allocations` */
    san_reading_lines *lines;  /* source lines that read unwritten memory, for the reports */
    san_suspects suspects;     /* suspicious reads of global memory: they may be races instead */
} san_init_launch;

/* The unwritten bytes of the values in a register of a warp, as one bit mask for each lane. */
typedef struct san_unwritten_values {
    bool some;                /* some lane holds an unwritten value */
    uint16_t bytes[SM_LANES]; /* mask of unwritten bytes, by lane */
    uint64_t source;          /* device address of the first lane's; 0: shared or local memory */
} san_unwritten_values;

typedef struct san_init_block {
    san_init_launch *launch; /* the launch of the block */
    const sm_block *block;   /* the resident block */
    uint64_t *bits;          /* a bit for each byte of the block's shared memory; set: written */
    uint64_t shared_bytes;   /* bytes of the block's shared memory */
    uint64_t *local; /* a bit for each byte of local memory, thread by thread; set: written; NULL:
                        no access yet */
    uint64_t local_bytes; /* bytes of local memory of a thread */
    bool full;            /* all shared memory has been written */
    bool carries;         /* a register may hold an unwritten value */
    struct {
        uint64_t from, to; /* addresses between which unwritten values were stored; both 0: none */
        uint64_t source;   /* as in san_unwritten_values, of the first of them */
    } moved[2];            /* to shared and to local memory */
    uint32_t epoch;        /* number of barriers that the block has passed */
    san_suspects suspects[2];    /* suspicious reads of shared and of local memory */
    san_device_allocation *last; /* allocation of the last access, which is looked up first */
    san_unwritten_values
        *carried; /* [warps][flow.count] unwritten bytes of the values in registers */
    struct {      /* the cp.async of each lane that has read its source and has not
                   * written yet */
        uint32_t bytes[SM_LANES];     /* bytes that each lane copies */
        uint16_t unwritten[SM_LANES]; /* mask of unwritten source bytes, by lane */
    } copy;                           /* state of a warp's cp.async */
} san_init_block;

/* The written bits of the memory range that holds an address. */
typedef struct san_bit_range {
    uint64_t *bits;      /* a bit for each byte of the range; set: written */
    uint64_t base, size; /* first address of the range; its size in bytes */
} san_bit_range;

/* The allocation of ADDRESS in global memory; NULL: all its bytes count as written. */
static inline san_device_allocation *san_allocation_of(san_init_block *p, uint64_t address)
{
    if (!p->last || address - p->last->at >= p->last->size) {
        const san_init_launch *l = p->launch;
        san_device_allocation *f =
            san_find_tracked_allocation(l->allocations, l->allocation_count, address);
        if (!f)
            return NULL;
        p->last = f;
    }
    return p->last;
}

/* The written bits for ADDRESS. Without bits: there are none, and all bytes count as written. */
static inline san_bit_range san_written_bits(san_init_block *p, ptx_space space, uint64_t address)
{
    if (space == PTX_SPACE_SHARED)
        return (san_bit_range){p->bits, 0, p->shared_bytes};
    if (space == PTX_SPACE_LOCAL)
        return (san_bit_range){p->local, 0, p->local_bytes};
    const san_device_allocation *f = san_allocation_of(p, address);
    return f ? (san_bit_range){f->bits, f->at, f->size} : (san_bit_range){0};
}

static inline san_suspects *san_suspects_in_space(san_init_block *p, ptx_space space)
{
    return space == PTX_SPACE_GLOBAL ? &p->launch->suspects
                                     : &p->suspects[space == PTX_SPACE_LOCAL];
}

/* Mark N bytes at ADDRESS as unwritten. */
static inline void san_unmark_bytes(san_init_block *p, ptx_space space, uint64_t address,
                                    uint64_t n)
{
    const san_bit_range v = san_written_bits(p, space, address);
    if (v.bits) {
        if (space == PTX_SPACE_GLOBAL)
            san_mark_unwritten(p->last, address - v.base, n);
        else
            san_set_bits(v.bits, address - v.base, n, false);
        p->full = p->full && space != PTX_SPACE_SHARED;
    }
}

/* --- init_quick.c: accesses of written bytes -------------------------------------------------- */

/* Are all bytes that A touches written? False also if this is not known. */
bool san_all_bytes_are_written(san_init_block *p, const sm_access *a);
/* Quick check of an access whose addresses follow a known pattern (sm_observer.regular_access).
 * True: all bytes are written, and nothing else is to be checked. */
bool san_init_regular_access(void *block, const sm_access *a);
