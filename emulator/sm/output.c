#include "output.h"
#include "../base/list.h"
#include "../base/lock.h"
#include "../memory/memory.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A piece of text that a block has printed. */
typedef struct output_chunk {
    uint64_t block; /* linear index of the block */
    uint64_t order; /* position of the text in the block's output */
    char *text;     /* the text, not terminated by NUL */
    size_t length;  /* length of `text` in bytes */
} output_chunk;

/* The text that device printf has printed in a launch. */
struct sm_output {
    pthread_mutex_t lock; /* protects the fields below */
    output_chunk *list;   /* [count] texts that have not been printed yet */
    size_t count;
    sm_printed printed; /* what the launch has printed so far */
};

struct sm_output *sm_output_new(void)
{
    struct sm_output *o = calloc(1, sizeof *o);
    if (o)
        pthread_mutex_init(&o->lock, NULL);
    return o;
}

void sm_output_count(struct sm_output *o, const sm_printed *n)
{
    HOLD_LOCK(&o->lock);
    o->printed.calls += n->calls;
    o->printed.bytes += n->bytes;
    o->printed.surplus = o->printed.surplus ? o->printed.surplus : n->surplus;
}

sm_printed sm_output_printed(struct sm_output *o)
{
    HOLD_LOCK(&o->lock);
    return o->printed;
}

void sm_output_add(struct sm_output *o, uint64_t block, const char *text, size_t length)
{
    HOLD_LOCK(&o->lock);
    output_chunk *last = o->count ? &o->list[o->count - 1] : NULL;
    if (last && last->block == block) {
        char *longer = realloc(last->text, last->length + length);
        if (longer) {
            memcpy(longer + last->length, text, length);
            last->text = longer;
            last->length += length;
            mem_count_working_memory((int64_t)length);
        }
        return;
    }
    char *copy = malloc(length);
    output_chunk *new = copy ? LIST_ADD(o->list, o->count) : NULL;
    if (new) {
        memcpy(copy, text, length);
        *new = (output_chunk){block, o->count - 1, copy, length};
        mem_count_working_memory((int64_t)length);
    } else {
        free(copy);
    }
}

static int compare_output_chunks(const void *a, const void *b)
{
    const output_chunk *x = a, *y = b;
    if (x->block != y->block)
        return x->block < y->block ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

void sm_output_flush(struct sm_output *o, bool print)
{
    if (o->count)
        qsort(o->list, o->count, sizeof *o->list, compare_output_chunks);
    for (size_t k = 0; k < o->count; k++) {
        if (print)
            fwrite(o->list[k].text, 1, o->list[k].length, stdout);
        free(o->list[k].text);
        mem_count_working_memory(-(int64_t)o->list[k].length);
    }
    if (o->count && print)
        fflush(stdout);
    free(o->list);
    pthread_mutex_destroy(&o->lock);
    free(o);
}
