#include "judged_work.h"

#include "../../base/list.h"
#include "../../cudart/streams/op.h"
#include "../../memory/memory.h"
#include "noise.h"
#include "sources.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_RANGES = 8,            /* most ranges of page-locked memory that are watched */
    MAX_STORED_BYTES = 1 << 20 /* of longer results only a digest is stored in a transcript */
};

/* A range of page-locked host memory, and the data that the section's copies brought there. */
typedef struct host_range {
    uint64_t address, size; /* address of the first byte; bytes */
    uint8_t *image;         /* [size] bytes that copies brought to the memory; NULL: none yet */
    bool *here;             /* [size / element] true: a copy has written the element */
    uint64_t lo, hi;        /* offsets between which copies of the current section wrote */
} host_range;

typedef struct section_result {
    uint64_t section; /* number of the section of the run */
    size_t index;     /* row of the transcript that the section is compared with */
    char why[256];    /* message about a wrong result, or "" */
} section_result;

struct section_judge {
    const judge_rule *rule;    /* the rule with the role RULE_WORK */
    size_t element;            /* size of an element of the copied data in bytes */
    uint64_t key;              /* secret key from which the replaced input values are made */
    transcript_writer *write;  /* transcript being written, or NULL */
    const transcript *against; /* transcript to compare with, or NULL */
    uint64_t *border; /* [borders] numbers of the operations that divide the run, ascending */
    size_t borders;
    copy_sources sources;         /* where copies from page-locked memory begin */
    char order_error[128];        /* message of section_order_error, or "" */
    host_range range[MAX_RANGES]; /* host memory that the program shares with the device */
    size_t ranges;                /* number of page-locked ranges */
    uint64_t section;             /* number of the section of the run that is being repeated */
    bool launched;                /* a kernel has been launched in the current section */
    bool brought;                 /* a copy has brought data from the host in the current section */
    size_t next;                  /* next row of AGAINST to compare with */
    section_result *found;        /* [found_count] results of the sections so far */
    size_t found_count;
    rec_kind
        kind; /* kind of the record being repeated; the fields below belong to the same record */
    bool from_host, to_host; /* the record is a copy from the host; a copy to page-locked memory */
    bool divides;            /* the operation begins a new section */
    uint64_t to, pitch, slice, width, height, depth; /* destination and extent of a copy */
    uint64_t op;                                     /* number of the copy's operation */
    uint64_t from[3]; /* its source: address, bytes from row to row, from slice to slice */
};

/* --- how operations are divided into sections, and whether they are ordered ------------------- */

/* Note that a new section begins after operation OP. Returns false if the host is out of memory. */
static bool add_section_border(section_judge *w, uint64_t op)
{
    uint64_t *border = LIST_ADD(w->border, w->borders);
    if (border)
        *border = op;
    return border;
}

static int compare_ascending(const void *x, const void *y)
{
    const uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    return (a > b) - (a < b);
}

static bool list_contains_op(rec_list l, uint64_t op)
{
    for (uint32_t k = 0; k < l.count; k++)
        if (l.of[k] == op)
            return true;
    return false;
}

enum { MAX_STREAMS = 64 }; /* most streams whose order is checked */
typedef struct newest_ops {
    uint64_t stream[MAX_STREAMS], op[MAX_STREAMS]; /* streams, and the last operation of each */
    size_t count;                                  /* number of streams seen so far */
} newest_ops;

/* Check that operation X is ordered as CUDA requires: operations of a stream run in order, and the
 * default stream and the other streams wait for each other. A timeline that breaks this order would
 * be shorter than the real one. */
static void check_stream_order(section_judge *w, newest_ops *n, const rec_timed *x)
{
    size_t k = 1;
    n->count += !n->count; /* element 0, the default stream, is always present */
    while (k < n->count && n->stream[k] != x->stream)
        k++;
    k = x->stream ? k : 0;
    if (k == MAX_STREAMS || x->node || x->kind == RT_HOST_WAIT)
        return;
    if (k == n->count)
        n->stream[n->count++] = x->stream;
    for (size_t other = 0; other < n->count; other++) {
        const bool matters = other == k || other == 0 || k == 0;
        if (matters && n->op[other] && !list_contains_op(x->after, n->op[other])) {
            snprintf(w->order_error, sizeof w->order_error,
                     "operation %llu is not ordered after the operations that its stream waits for",
                     (unsigned long long)x->op);
        }
    }
    n->op[k] = x->op;
}

/* Find the operations that divide recording R into sections, and check the order of each stream. */
static bool find_section_borders(section_judge *w, rec_reader *r)
{
    const rec_item *i;
    newest_ops n = {0};
    bool good = true;
    while (good && (i = rec_next_item(r))) {
        good = copy_sources_note(&w->sources, i);
        if (i->kind == REC_copy && !i->copy.stream && !i->copy.host_to &&
            !strcmp(i->copy.call, "cudaMemcpy")) {
            good = good && add_section_border(w, i->copy.op);
        } else if (i->kind == REC_timed) {
            good = good && (i->timed.kind != RT_EVENT_RECORD || i->timed.stream ||
                            add_section_border(w, i->timed.op));
            check_stream_order(w, &n, &i->timed);
        }
    }
    if (w->borders)
        qsort(w->border, w->borders, sizeof *w->border, compare_ascending);
    return good;
}

/* Number of section-dividing operations before OP; *DIVIDES: OP itself divides sections. */
static uint64_t section_of_op(const section_judge *w, uint64_t op, bool *divides)
{
    size_t low = 0, high = w->borders;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (w->border[middle] < op)
            low = middle + 1;
        else
            high = middle;
    }
    *divides = low < w->borders && w->border[low] == op;
    return low;
}

static void find_sections_of_sources(section_judge *w)
{
    bool divides;
    for (size_t k = 0; k < w->sources.count; k++)
        w->sources.list[k].section = section_of_op(w, w->sources.list[k].op, &divides);
    copy_sources_find_starts(&w->sources);
}

section_judge *section_judge_open(const char *recording, const rec_bounds *most,
                                  const judge_rule *given, uint64_t key, transcript_writer *write,
                                  const transcript *against, char *err, size_t cap)
{
    rec_reader *r = rec_open_file(recording, most, err, cap);
    section_judge *w = r ? calloc(1, sizeof *w) : NULL;
    if (w) {
        *w = (section_judge){.rule = given,
                             .element = rule_element_bytes(given->type),
                             .key = key,
                             .write = write,
                             .against = against};
        const bool good = find_section_borders(w, r);
        find_sections_of_sources(w);
        if (!good) {
            snprintf(err, cap, "the host is out of memory");
            section_judge_close(w);
            w = NULL;
        }
    }
    if (r)
        rec_close_reader(r);
    return w;
}

void section_judge_close(section_judge *w)
{
    if (!w)
        return;
    for (size_t k = 0; k < w->ranges; k++) {
        free(w->range[k].image);
        free(w->range[k].here);
    }
    free(w->border);
    copy_sources_free(&w->sources);
    free(w->found);
    free(w);
}

const char *section_order_error(const section_judge *w)
{
    return *w->order_error ? w->order_error : NULL;
}

/* --- the end of a section --------------------------------------------------------------------- */

/* Add the result of a section; INDEX is its row in the transcript. */
static bool add_section_result(section_judge *w, uint64_t section, size_t index, const char *why)
{
    section_result *f = LIST_ADD(w->found, w->found_count);
    if (!f)
        return false;
    f->section = section;
    f->index = index;
    snprintf(f->why, sizeof f->why, "%s", why);
    return true;
}

/* Number of elements between the offsets LO and HI of range R that a copy has written. */
static uint64_t copied_element_count(const section_judge *w, const host_range *r, uint64_t lo,
                                     uint64_t hi)
{
    uint64_t count = 0;
    for (uint64_t k = lo / w->element; k < hi / w->element; k++)
        count += r->here[k];
    return count;
}

/* Append the data that the current section copied to the host to the transcript. Returns false when
 * the host is out of memory. */
static bool store_section_result(section_judge *w)
{
    for (size_t k = 0; k < w->ranges && w->launched; k++) {
        const host_range *r = &w->range[k];
        const uint64_t bytes = r->hi > r->lo ? r->hi - r->lo : 0;
        if (!bytes || copied_element_count(w, r, r->lo, r->hi) != bytes / w->element)
            continue;
        transcript_entry e = {.work = true,
                              .section = w->section,
                              .range = k,
                              .offset = r->lo,
                              .bytes = bytes,
                              .digest = rec_digest_bytes(0, r->image + r->lo, bytes)};
        snprintf(e.kernel, sizeof e.kernel, "%s", w->rule->kernel);
        if (bytes <= MAX_STORED_BYTES) {
            transcript_store_output(w->write, &e, 0, r->image + r->lo, bytes);
            e.outs = 1;
        }
        transcript_append_entry(w->write, &e);
        return add_section_result(w, w->section, w->write->count - 1, "");
    }
    return true;
}

static float float_at(const uint8_t *at)
{
    float value;
    memcpy(&value, at, sizeof value);
    return value;
}

/* Compare the data that this section copied to the host with entry E: WHY becomes "" or a message
 * about the difference. */
static void compare_section(const section_judge *w, const transcript_entry *e, char *why,
                            size_t cap)
{
    const host_range *r = e->range < w->ranges ? &w->range[e->range] : NULL;
    const uint64_t elements = e->bytes / w->element;
    *why = '\0';
    if (!r || !r->image || e->offset > r->size || e->bytes > r->size - e->offset) {
        snprintf(why, cap, "nothing was copied back to the host");
        return;
    }
    const uint64_t came = copied_element_count(w, r, e->offset, e->offset + e->bytes);
    const uint8_t *mine = r->image + e->offset;
    if (came < elements) {
        snprintf(why, cap, "of %llu elements, %llu were copied back to the host",
                 (unsigned long long)elements, (unsigned long long)came);
    } else if (rec_digest_bytes(0, mine, e->bytes) != e->digest && !e->outs) {
        snprintf(why, cap, "the data copied back to the host differs from the reference's");
    }
    for (uint64_t k = 0; k < elements && e->outs && !*why; k++) {
        const float is = float_at(mine + k * w->element);
        const float want =
            float_at((const uint8_t *)w->against->bytes + e->out[0].offset + k * w->element);
        if (!(fabs((double)is - (double)want) <= w->rule->tolerance)) {
            snprintf(why, cap, "element %llu is %.9g, expected %.9g", (unsigned long long)k,
                     (double)is, (double)want);
        }
    }
}

/* Compare the current section with its row of the transcript; rows of earlier sections are reported
 * as missing. */
static bool check_section(section_judge *w)
{
    char why[256];
    while (w->next < w->against->count) {
        const transcript_entry *e = &w->against->row[w->next];
        if (e->work && e->section > w->section)
            break;
        w->next++;
        if (!e->work)
            continue;
        if (e->section == w->section)
            compare_section(w, e, why, sizeof why);
        else
            snprintf(why, sizeof why, "nothing was copied back to the host");
        if (!add_section_result(w, e->section, w->next - 1, why))
            return false;
    }
    return true;
}

/* Store or check the result of the current section, and forget which data arrived in it. */
static bool end_section(section_judge *w)
{
    const bool good = w->write ? store_section_result(w) : check_section(w);
    for (size_t k = 0; k < w->ranges; k++) {
        host_range *r = &w->range[k];
        if (r->hi > r->lo)
            memset(r->here + r->lo / w->element, 0, (r->hi - r->lo) / w->element + 1);
        r->lo = r->hi = 0;
    }
    w->launched = w->brought = false;
    return good;
}

/* --- operations ------------------------------------------------------------------------------- */

/* Number of the launch or copy that record I begins; 0: I is another record. */
static uint64_t operation_of_record(const rec_item *i)
{
    return i->kind == REC_launch ? i->launch.op : i->kind == REC_copy ? i->copy.op : 0;
}

static void watch_host_range(section_judge *w, const rec_adopt *x)
{
    if (w->ranges < MAX_RANGES && x->size <= (uint64_t)1 << 30)
        w->range[w->ranges++] = (host_range){.address = x->address, .size = x->size};
}

bool section_before_record(section_judge *w, const rec_item *i)
{
    const uint64_t op = operation_of_record(i);
    w->kind = i->kind;
    if (i->kind == REC_adopt)
        watch_host_range(w, &i->adopt);
    if (!op)
        return true;
    const uint64_t section = section_of_op(w, op, &w->divides);
    if (section > w->section) {
        if (!end_section(w))
            return false;
        w->section = section;
    }
    if (i->kind == REC_copy) {
        const rec_copy *x = &i->copy;
        w->op = x->op;
        w->from_host = x->host_from;
        w->to_host = !x->host_to && x->way == RT_COPY_D2H;
        w->to = x->to.of[0];
        w->pitch = x->to.of[1];
        w->slice = x->to.of[2];
        w->width = x->extent.of[0];
        w->height = x->extent.of[1];
        w->depth = x->extent.of[2];
        memcpy(w->from, x->from.of, sizeof w->from);
    }
    w->launched |= i->kind == REC_launch;
    return true;
}

/* Note that one row of a copy, BYTES bytes, has been written to page-locked memory at TO. Returns
 * false when the host is out of memory. */
static bool note_row_copied_to_host(section_judge *w, uint64_t to, uint64_t bytes)
{
    host_range *r = NULL;
    for (size_t k = 0; k < w->ranges; k++)
        if (to >= w->range[k].address && to - w->range[k].address <= w->range[k].size &&
            bytes <= w->range[k].size - (to - w->range[k].address))
            r = &w->range[k];
    if (!r || !bytes)
        return true;
    if (!r->image) {
        r->image = malloc(r->size);
        r->here = calloc(r->size / w->element + 1, sizeof *r->here);
    }
    if (!r->image || !r->here)
        return false;
    const uint64_t at = to - r->address;
    memcpy(r->image + at, (const void *)(uintptr_t)to, bytes);
    memset(r->here + at / w->element, 1, bytes / w->element);
    r->lo = r->hi > r->lo && r->lo < at ? r->lo : at;
    r->hi = r->hi > at + bytes ? r->hi : at + bytes;
    return true;
}

/* Position of the first element of a row that was copied from the host. */
static int64_t position_of_row(const section_judge *w, uint64_t y, uint64_t z)
{
    const uint64_t start = copy_sources_start(&w->sources, w->op);
    const uint64_t at = w->from[0] + y * w->from[1] + z * w->from[2];
    return start ? (int64_t)((at - start) / w->element) : NOISE_NO_POSITION;
}

bool section_after_record(section_judge *w)
{
    if (w->kind != REC_copy || w->divides || (!w->from_host && !w->to_host))
        return true;
    for (uint64_t z = 0; z < w->depth; z++) {
        for (uint64_t y = 0; y < w->height; y++) {
            const uint64_t to = w->to + z * w->slice + y * w->pitch;
            void *at = w->from_host ? mem_host_pointer(to, w->width) : NULL;
            if (at) {
                w->brought = true;
                replace_values(at, w->width, w->rule->type, position_of_row(w, y, z),
                               w->key + w->section);
            } else if (w->to_host && !note_row_copied_to_host(w, to, w->width)) {
                return false;
            }
        }
    }
    return true;
}

bool section_has_reached_row(const section_judge *w, const rec_item *i, uint64_t row)
{
    const transcript_entry *e =
        w->against && row < w->against->count ? &w->against->row[row] : NULL;
    bool divides;
    return e && e->work && operation_of_record(i) &&
           section_of_op(w, operation_of_record(i), &divides) >= e->section;
}

bool section_includes_launch(const section_judge *w)
{
    return w->brought;
}

/* --- results ---------------------------------------------------------------------------------- */

bool section_judge_result(section_judge *w, const replay *r, size_t number, work_outcome *out)
{
    if (number == 0) {
        const bool good = end_section(w);
        w->section = UINT64_MAX; /* no data arrives in a section after the last one */
        if (!good || !end_section(w))
            return false;
    }
    if (number >= w->found_count)
        return false;
    const section_result *f = &w->found[number];
    const bool between = f->section > 0 && f->section < w->borders;
    *out = (work_outcome){.index = f->index, .why = f->why};
    if (between) {
        out->ns = replay_op_end_time(r, w->border[f->section]) -
                  replay_op_end_time(r, w->border[f->section - 1]);
    }
    return true;
}
