/* Where the copies from page-locked host memory begin, so that the judge knows which element of a
 * program's data is which. A position counts from the lowest address that copies of the same
 * section read in the same page-locked memory: a program may page-lock more than it copies, and its
 * arrays lie in any order. */
#pragma once

#include "../recording/recording.h"

typedef struct copy_source {
    uint64_t op, from;       /* number of the copy's operation; address of its source */
    uint64_t section, range; /* section of the run; number of the page-locked memory, from 1 */
    uint64_t start;          /* lowest address of its section in its memory */
} copy_source;

typedef struct copy_sources {
    copy_source *list; /* [count] */
    size_t count;
    struct locked_memory {
        uint64_t address, size;
    } * locked; /* [locked_count] memory that the program shares with the device, as adopted */
    size_t locked_count;
} copy_sources;

/* Note record ITEM, if it is about page-locked memory or copies from it. Returns false when the
 * host is out of memory. */
bool copy_sources_note(copy_sources *s, const rec_item *item);
/* Set all starts; `section` of each source must be known. */
void copy_sources_find_starts(copy_sources *s);
/* The start of the copy OP; 0: it does not copy from page-locked memory. */
uint64_t copy_sources_start(const copy_sources *s, uint64_t op);
void copy_sources_free(copy_sources *s);
