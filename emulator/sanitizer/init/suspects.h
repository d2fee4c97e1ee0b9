/* Suspicious reads: reads of unwritten bytes. They are kept until it is known whether they are
 * races instead; the others are reported. */
#ifndef WARPBOOK_SANITIZER_SUSPECTS_H
#define WARPBOOK_SANITIZER_SUSPECTS_H

#include "../../core/observer.h"
#include "written.h"

/* --- places in the source --------------------------------------------------------------------- */

typedef struct san_suspect {
    uint64_t address; /* address of the first byte; in shared memory an offset */
    uint64_t block;   /* index of the reader's block in the grid */
    uint32_t thread;  /* index of the reader in its block */
    uint32_t epoch;   /* number of barriers that its block had passed at the read */
    uint16_t site;    /* number of the source line: san_read_site_of() */
    uint8_t bytes;    /* number of bytes read */
    bool strong;      /* a strong read, which may have been meant to come before a write */
    bool raced; /* another thread wrote the word without synchronisation: a race, which the race
                 * detector reports */
} san_suspect;

enum { SAN_MAX_READ_SITES = 20, SAN_NO_SITE = UINT16_MAX };

typedef struct san_sites san_sites; /* source lines of one launch that read unwritten bytes */

san_sites *san_sites_new(const sm_grid *g); /* NULL: the host is out of memory */
/* The number of the source line of access A; SAN_NO_SITE: there are too many lines. */
uint16_t san_read_site_of(san_sites *s, const sm_access *a);
/* Return the reports as a malloc'd list, or NULL; releases S. Each source line is reported once,
 * even if several launches execute it. */
sm_report *san_take_site_reports(san_sites *s);

/* --- reads --------------------------------------------------------------------------------------
 */

typedef struct san_suspects {
    san_suspect *list; /* the suspect reads */
    uint32_t count, room;
    uint32_t
        *index; /* [2 * room] hash table by word: index in the list, counted from 1; 0: empty */
} san_suspects;

/* Keep the suspicious read S, unless another read of the same word is kept, or there are too
 * many. */
void san_suspects_add_read(san_suspects *t, const san_suspect *s);
/* THREAD of BLOCK stores N bytes at ADDRESS, after EPOCH barriers: mark the suspicious reads of
 * other threads as races. */
void san_suspects_note_store(san_suspects *t, uint64_t address, uint64_t n, uint64_t block,
                             uint32_t thread, uint32_t epoch);
/* Add the suspicious reads that did not race to S, and remove all from T. LIST: the device
 * allocations, by address; the bytes read count as written from then on. NULL: shared or local
 * memory. */
void san_suspects_report(san_suspects *t, san_sites *s, san_device_allocation *const *list,
                         uint32_t count);
void san_suspects_free(san_suspects *t);

#endif
