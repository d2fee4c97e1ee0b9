/* Memory words through which threads synchronise: the accesses that threads have released through
 * each of them. */
#pragma once

#include "view.h"

typedef struct san_sync_word {
    uint64_t key;    /* address of the word */
    san_view *all;   /* accesses released to the whole device */
    san_view *reads; /* reads released to the whole device */
    struct san_block_release {
        uint64_t block; /* index in the grid */
        san_view *view; /* accesses that the block's threads have released */
    } * own;            /* accesses released with block scope, an entry for each block */
    uint32_t own_count; /* entries used in `own` */
    bool used;          /* this slot of the hash table is in use */
} san_sync_word;

/* Hash table of words by address; begin with zeros. */
typedef struct san_sync_words {
    san_sync_word *slot; /* [cap] the slots */
    uint32_t count, cap; /* slots in use; all slots */
} san_sync_words;

/* The word KEY; NULL: nothing was released through it. */
san_sync_word *san_sync_word_find(const san_sync_words *t, uint64_t key);
/* The word KEY, made if necessary; NULL: the host is out of memory. */
san_sync_word *san_sync_word_add(san_sync_words *t, uint64_t key);
/* Forget all that was released through W. */
void san_sync_word_clear(san_sync_word *w);
/* The accesses released through W with block scope by threads of BLOCK; NULL: out of memory. */
san_view **san_sync_word_of_block(san_sync_word *w, uint64_t block);
void san_sync_words_free(san_sync_words *t);
