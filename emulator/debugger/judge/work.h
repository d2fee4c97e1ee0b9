/* The judging of work that a program hands to streams in pieces of its own choice: copies in,
 * kernels, copies out. It is not the launches that are compared with the reference's, but what
 * comes back to page-locked memory of the host in a section.
 *
 * The book's harness divides the operations into sections: by events in the default stream, and by
 * copies of cudaMemcpy to the device or to page-locked memory. In each section the values that
 * copies bring from the host are replaced by others, each value by the same one wherever it stands,
 * and in each section by another one. So what comes back is right only if the device has computed
 * it, from what was copied in this section. */
#ifndef WARPBOOK_JUDGE_WORK_H
#define WARPBOOK_JUDGE_WORK_H

#include "../replay/replay.h"
#include "rules.h"
#include "transcript.h"

typedef struct work work;

/* Read of RECORDING how its operations are divided. RULE, WRITE and AGAINST (one of the two is
 * NULL) are the caller's. NULL with a sentence in ERR. Released by work_close. */
work *work_open(const char *recording, const rule *rule, uint64_t key, transcript_writer *write,
                const transcript *against, char *err, size_t room);
void work_close(work *w);

/* Why the recording cannot be what the runtime makes of a program: operations of a stream are not
 * ordered. NULL: it is sound. */
const char *work_policy(const work *w);

/* What replay_next is to repeat: before, and after it has been repeated. False: the host is out of
 * memory. */
bool work_before(work *w, const rec_item *item);
bool work_after(work *w);

/* Whether ITEM belongs to the work in that row of AGAINST, or is behind it. */
bool work_reaches(const work *w, const rec_item *item, uint64_t row);

/* Whether the launch that replay_next is to repeat belongs to work: in its section something has
 * been copied from the host. */
bool work_takes(const work *w);

typedef struct work_done {
    size_t index; /* row of the transcript */
    double ns;
    const char *why; /* what is wrong with it, or "" */
} work_done;

/* After all: work NUMBER, from 0. False: there is none. */
bool work_result(work *w, const replay *r, size_t number, work_done *out);

#endif
