/* Suspicious reads: reads of unwritten bytes. They are kept until it is known whether they are
 * races instead; the others are reported. */
#pragma once

#include "../../core/observer.h"
#include "written.h"

/* --- suspicious reads and the source lines that make them ------------------------------------- */

typedef struct san_suspect {
    uint64_t address;     /* address of the first byte; in shared memory an offset */
    uint64_t block;       /* index of the reader's block in the grid */
    uint32_t thread;      /* index of the reader in its block */
    uint32_t epoch;       /* number of block-wide barriers that the reader's block had passed */
    uint64_t source;      /* the device address of the unwritten memory that the bytes were copied
                             from; 0: they were not, or from shared or local memory */
    uint16_t line_number; /* number of the source line that reads, in san_reading_lines */
    uint8_t bytes;        /* number of bytes read */
    bool strong; /* strong (volatile, atomic and so on): it may precede a write on purpose */
    bool raced;  /* another thread wrote the word without synchronisation: a race, which the race
                  * detector reports */
} san_suspect;

enum {
    SAN_MAX_READING_LINES = 20, /* most source lines that a launch reports */
    SAN_NO_LINE = UINT16_MAX    /* no line number: the list of source lines is full */
};

typedef struct san_reading_lines
    san_reading_lines; /* source lines of one launch that read unwritten bytes */

san_reading_lines *san_reading_lines_new(const sm_grid *g); /* NULL: the host is out of memory */
/* The number of the source line of access A; SAN_NO_LINE: there are too many lines. */
uint16_t san_source_line_number(san_reading_lines *s, const sm_access *a);
/* Return the reports as a malloc'd list, or NULL; releases S. Each source line is reported once,
 * even if several launches execute it. */
sm_report *san_take_init_reports(san_reading_lines *s);

/* --- suspicious reads of a launch or block ---------------------------------------------------- */

typedef struct san_suspects {
    san_suspect *list;   /* the suspicious reads */
    uint32_t count, cap; /* entries used in `list`; its capacity */
    uint32_t *index; /* [2 * cap] hash table by word: index in the list, counted from 1; 0: empty */
} san_suspects;

/* Keep the suspicious read S, unless another of the same word is kept, or there are too many. */
void san_suspects_add_read(san_suspects *t, const san_suspect *s);
/* THREAD of BLOCK stores N bytes at ADDRESS, after EPOCH barriers: mark the suspicious reads of
 * other threads as races. */
void san_suspects_mark_store(san_suspects *t, uint64_t address, uint64_t n, uint64_t block,
                             uint32_t thread, uint32_t epoch);
/* Add the suspicious reads that did not race to S, and remove all from T. LIST: the device
 * allocations, by address; what they read is written from then on. NULL: shared or local memory. */
void san_suspects_report_remaining(san_suspects *t, san_reading_lines *s,
                                   san_device_allocation *const *list, uint32_t count);
void san_suspects_free(san_suspects *t);
