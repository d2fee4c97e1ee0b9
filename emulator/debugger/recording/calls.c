#include "calls.h"

#include "../../base/lock.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct rec_known_place {
    uint64_t hash;           /* hash of the stack frames, the kernel and the called function */
    const char *call;        /* name of the called function; a constant of the library */
    san_host_position where; /* the position in host code */
    uint64_t number;         /* number of its record in the file; 0: not written yet */
};

static pthread_mutex_t places_lock = PTHREAD_MUTEX_INITIALIZER; /* guards the two below */
static rec_known_place *known_places[REC_MAX_PLACES]; /* in the order of their first call */
static uint32_t known_place_count;

/* Used by rec_write_call only. */
static const rec_known_place *place_of_next_records; /* NULL: not known */
static uint64_t places_written;                      /* number of records `place` in the file */

static uint64_t hash_of_caller(const san_caller *by)
{
    const uint64_t words[] = {(uint64_t)(uintptr_t)by->call, (uint64_t)(uintptr_t)by->kernel};
    const uint64_t hash = rec_digest_bytes(0, words, sizeof words);
    return rec_digest_bytes(hash, by->frame, by->depth * sizeof *by->frame);
}

static rec_known_place *new_place(const san_caller *by, uint64_t hash)
{
    rec_known_place *p = calloc(1, sizeof *p);
    if (p) {
        p->hash = hash;
        p->call = by->call ? by->call : "";
        san_position_of_caller(by, &p->where);
    }
    return p;
}

rec_known_place *rec_find_place(const san_caller *by)
{
    if (!by || !by->depth)
        return NULL;
    const uint64_t hash = hash_of_caller(by);
    HOLD_LOCK(&places_lock);
    for (uint32_t k = known_place_count; k-- > 0;)
        if (known_places[k]->hash == hash)
            return known_places[k];
    rec_known_place *new = known_place_count < REC_MAX_PLACES ? new_place(by, hash) : NULL;
    if (new)
        known_places[known_place_count++] = new;
    return new;
}

/* Whether a reader accepts TEXT as a name: no control characters. */
static bool is_printable(const char *text)
{
    while (*text && (unsigned char)*text >= ' ' && *text != 127)
        text++;
    return !*text;
}

static bool write_place(rec_writer *w, rec_known_place *p)
{
    const char *file = basename(p->where.path);
    const bool known = p->where.line && is_printable(file);
    p->number = ++places_written;
    return rec_write_item(
        w, &(rec_item){
               .kind = REC_place,
               .place = {.call = p->call,
                         .file = known ? file : "",
                         .line = known ? p->where.line : 0,
                         .column = known ? p->where.column : 0,
                         .function = is_printable(p->where.function) ? p->where.function : ""}});
}

bool rec_write_call(rec_writer *w, rec_known_place *place)
{
    if (place == place_of_next_records)
        return true;
    place_of_next_records = place;
    return (!place || place->number || write_place(w, place)) &&
           rec_write_item(w, &(rec_item){.kind = REC_call, .call = {place ? place->number : 0, 0}});
}
