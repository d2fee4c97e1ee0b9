/* Accesses of a kernel outside of what it may access: past the ends of an array, or of memory of
 * malloc() in device code. Each instruction is reported once for each object that it misses. */
#pragma once

#include "../../core/observer.h"

/* The object that an access misses. */
typedef struct san_missed_object {
    uint64_t base, size; /* address and size in bytes */
    uint64_t key;        /* further mark of the object, with a meaning that the observer chooses */
} san_missed_object;

/* The accesses of one instruction outside of one object. */
typedef struct san_stray_access {
    const ptx_insn *insn;     /* the accessing instruction */
    san_missed_object object; /* the object next to which the access was made */
    sm_effect effect;         /* read, write or atomic update */
    uint64_t block, address;  /* the first access: index of its block in the grid; its address */
    uint32_t thread, bytes;   /* the first access: thread in the block; number of bytes */
    uint64_t times;           /* number of such accesses, one for each thread that made it */
} san_stray_access;

/* The accesses of a launch that touch bytes outside of their object. Thread-safe. */
typedef struct san_stray_accesses san_stray_accesses;

san_stray_accesses *san_stray_accesses_new(const sm_grid *g); /* NULL: the host is out of memory */
/* Record that lane LANE, in access A, touches bytes outside of OBJECT. */
void san_stray_accesses_add(san_stray_accesses *l, const sm_access *a, uint32_t lane,
                            const san_missed_object *object);
/* Release L. Returns a malloc'd list of reports; NULL: none. COMPLETE fills in what is particular
 * to an access: remedy, chapter, sentence, which begins with r->at.thread_text, and other side. */
sm_report *san_stray_accesses_report(san_stray_accesses *l,
                                     void (*complete)(void *context, sm_report *r,
                                                      const san_stray_access *x),
                                     void *context);
/* For observers that keep nothing for a block: its object is that of the launch, LAUNCH, which
 * stays when the block ends. */
void *san_block_shares_launch(void *launch, const sm_block *b);
void san_ignore_block_end(void *launch);
