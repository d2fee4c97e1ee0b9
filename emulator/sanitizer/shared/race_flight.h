/* Mistakes with copies of cp.async in flight that are not accesses to the destination. */
#ifndef WARPBOOK_RACE_FLIGHT_H
#define WARPBOOK_RACE_FLIGHT_H

#include "../../core/observer.h"
#include "../reports.h"

#include <pthread.h>

enum { SAN_LEFT_COPIES = 20 };

/* The first copy of an instruction that was in flight when its block ended. */
typedef struct san_left_copy {
    const ptx_insn *insn;    /* the cp.async */
    uint64_t block;          /* index in the grid */
    uint32_t thread, offset; /* thread of the block; destination in shared memory */
} san_left_copy;

/* State of the race check for a launch. */
typedef struct race_launch {
    const sm_grid *grid;
    san_reports *reports;                /* reports of the launch */
    pthread_mutex_t lock;                /* guards the rest */
    bool waited;                         /* some thread has waited for a copy */
    san_left_copy left[SAN_LEFT_COPIES]; /* copies that no thread waited for */
    uint32_t left_count;                 /* entries used in `left` */
} race_launch;

/* A writes to global memory, in a block that has started copies: report it if one of them may still
 * have to read the bytes. */
void san_race_source_written(const sm_access *a);

/* Report the copies that are left, where no thread of the launch has waited for any. Copies that
 * other reports name are left out. */
void san_race_report_left(race_launch *l);

#endif
