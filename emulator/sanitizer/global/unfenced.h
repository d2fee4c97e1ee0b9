/* Races that only a fence is missing to prevent: a thread writes, an atomic operation of it or of
 * its block publishes that, an operation of another thread sees the word published, and the other
 * thread accesses what was written. For each block the strong operations that it executed last are
 * kept, so that the report of a race names the operation that lacks the fence. */
#pragma once

#include "happens_before.h"
#include "shadow.h"

typedef struct san_uses san_uses; /* the last strong operations of the blocks of a launch */
typedef struct san_racing_access san_racing_access;

san_uses *san_uses_new(void); /* NULL: the host is out of memory */
void san_uses_free(san_uses *u);

/* LANE of A's warp has executed A, a strong operation on the word KEY. */
void san_uses_add(san_uses *u, const san_block *b, const sm_access *a, uint32_t lane, uint64_t key);

/* The two operations between which a value was passed on, and which of them lacks a fence. */
typedef struct san_missing_fence {
    const ptx_insn *publishes, *sees; /* the operations of the first and of the second thread */
    bool both;     /* the second thread acquires nothing: it needs a fence in any case */
    bool released; /* the first thread has executed a fence: only the second one lacks it */
} san_missing_fence;

/* Would fences order FIRST before SECOND, an access of block B? */
bool san_find_missing_fence(const san_uses *u, const san_block *b, const san_racing_access *second,
                            const san_racing_access *first, san_missing_fence *out);
