#include "reported.h"

#include "../base/list.h"
#include "../base/lock.h"

#include <pthread.h>
#include <stdio.h>

typedef struct error_hash {
    uint64_t place; /* hash of the error's source position */
    uint64_t whole; /* hash of the kind and of all else that distinguishes the error */
} error_hash;

static struct {
    pthread_mutex_t lock; /* protects the fields below */
    error_hash *list;     /* errors reported so far */
    unsigned count;
    unsigned most; /* maximum number of errors to report */
    bool ended;    /* the user has been told that there are more errors than are reported */
} reported = {.lock = PTHREAD_MUTEX_INITIALIZER, .most = SAN_MAX_FINDINGS};

void san_report_at_most(unsigned count)
{
    HOLD_LOCK(&reported.lock);
    reported.most = count;
}

/* --- hashes (FNV-1a) -------------------------------------------------------------------------- */

static uint64_t mix_hash(uint64_t h, uint64_t v)
{
    return (h ^ v) * UINT64_C(0x100000001b3);
}

static uint64_t mix_text_hash(uint64_t h, const char *text)
{
    for (; text && *text; text++)
        h = mix_hash(h, (unsigned char)*text);
    return mix_hash(h, 256);
}

#define HASH_SEED UINT64_C(0xcbf29ce484222325)

static uint64_t report_access_hash(const sm_report_access *s)
{
    return mix_hash(mix_text_hash(HASH_SEED, s->path ? s->path : s->where), s->path ? s->line : 0);
}

static error_hash hash_of_kernel_error(const sm_report *r, const char *name)
{
    error_hash m = {.place = report_access_hash(&r->at)};
    m.whole = mix_text_hash(mix_text_hash(m.place, r->kind), name);
    m.whole = mix_hash(m.whole, r->address != 0);
    m.whole = r->any_other ? m.whole : mix_hash(m.whole, report_access_hash(&r->other));
    return m;
}

/* A hash that is equal for positions that san_is_same_finding treats as the same. */
static uint64_t call_position_hash(const san_call_position *w)
{
    return w->place.line
               ? mix_hash(mix_text_hash(HASH_SEED, w->place.path), w->place.line)
               : mix_hash(mix_hash(mix_hash(HASH_SEED, 0), w->number), (uintptr_t)w->call);
}

static error_hash hash_of_host_error(const san_finding *f)
{
    error_hash m = {.place = call_position_hash(&f->at)};
    m.whole = mix_text_hash(m.place, f->kind);
    m.whole = mix_hash(m.whole, f->other_did ? call_position_hash(&f->other) : 0);
    return m;
}

/* --- the list of reported mistakes ------------------------------------------------------------ */

static bool is_error_listed(const error_hash *m)
{
    for (unsigned k = 0; k < reported.count; k++)
        if (reported.list[k].whole == m->whole)
            return true;
    return false;
}

static san_report_verdict add_reported_error(error_hash m)
{
    HOLD_LOCK(&reported.lock);
    if (is_error_listed(&m))
        return SAN_REPORTED;
    error_hash *new =
        reported.count < reported.most ? LIST_ADD(reported.list, reported.count) : NULL;
    if (new) {
        *new = m;
        return SAN_REPORT;
    }
    const bool ends = !reported.ended;
    reported.ended = true;
    return ends ? SAN_REPORTS_END : SAN_REPORTED;
}

san_report_verdict san_count_kernel_report(const sm_report *r, const char *name)
{
    return add_reported_error(hash_of_kernel_error(r, name));
}

san_report_verdict san_count_host_finding(const san_finding *f)
{
    return add_reported_error(hash_of_host_error(f));
}

const char *san_describe_report_count(char *out, size_t size)
{
    HOLD_LOCK(&reported.lock);
    snprintf(out, size, "more than %u mistake%s found: correct %s first", reported.most,
             reported.most == 1 ? " was" : "s were", reported.most == 1 ? "this one" : "these");
    return out;
}

bool san_is_reported(const sm_report *r, const char *name)
{
    const error_hash m = hash_of_kernel_error(r, name);
    HOLD_LOCK(&reported.lock);
    return is_error_listed(&m) || (reported.count >= reported.most && reported.ended);
}

bool san_is_reported_at(const san_call_position *at)
{
    const uint64_t place = call_position_hash(at);
    HOLD_LOCK(&reported.lock);
    for (unsigned k = 0; k < reported.count; k++)
        if (reported.list[k].place == place)
            return true;
    return false;
}
