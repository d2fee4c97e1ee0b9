/* Judges work that a program splits into pieces of its own choice and issues to streams: copies in,
 * kernels, copies out. The judge does not compare single launches with the reference's, but the
 * data that a section of the run copies back to page-locked host memory.
 *
 * The book's harness divides the operations into sections: by events in the default stream, and by
 * cudaMemcpy calls that copy to the device or to page-locked memory. In each section the judge
 * replaces the values that are copied from the host, by their value and where they lie in
 * page-locked memory, and every section uses other replacements. So the data copied back is right
 * only if the device has computed it from the data that was copied in during the same section. */
#pragma once

#include "../replay/replay.h"
#include "rules.h"
#include "transcript.h"

typedef struct section_judge section_judge;

/* Find the sections of RECORDING, within the limits MOST. KEY: secret key of the replaced values.
 * Results go to the transcript WRITE, or are compared with the transcript AGAINST; one of them is
 * NULL. Both and RULE stay owned by the caller. Returns NULL with a message in ERR on failure.
 * section_judge_close releases the result. */
section_judge *section_judge_open(const char *recording, const rec_bounds *most,
                                  const judge_rule *rule, uint64_t key, transcript_writer *write,
                                  const transcript *against, char *err, size_t cap);
void section_judge_close(section_judge *w);

/* A message if the recording cannot come from a real run, because operations of a stream are not
 * ordered; NULL: the recording is sound. */
const char *section_order_error(const section_judge *w);

/* Call section_before_record before replay_repeat_next repeats record ITEM, and
 * section_after_record afterwards. Both return false when the host is out of memory. */
bool section_before_record(section_judge *w, const rec_item *item);
bool section_after_record(section_judge *w);

/* Whether ITEM belongs to the work in row ROW of the transcript AGAINST, or comes after it. */
bool section_has_reached_row(const section_judge *w, const rec_item *item, uint64_t row);

/* Whether the launch that replay_repeat_next repeats next is part of work: its section has copied
 * data from the host before. */
bool section_includes_launch(const section_judge *w);

typedef struct work_outcome {
    size_t index;    /* row of the transcript */
    double ns;       /* modelled duration of the work in ns */
    const char *why; /* message about a wrong result, or "" */
} work_outcome;

/* The result of work NUMBER, counted from 0, after the replay. False: there is none. */
bool section_judge_result(section_judge *w, const replay *r, size_t number, work_outcome *out);
