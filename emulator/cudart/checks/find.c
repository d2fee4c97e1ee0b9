/* Telling what was found, each mistake once. */
#include "../../sanitizer/suppress.h"
#include "../core/report.h"
#include "checks.h"

#include <stdlib.h>

static san_finding told[SAN_FINDINGS];
static size_t told_count;
static bool told_all;
static __thread const void *launching;

bool rt_found_at(const san_where *at)
{
    for (size_t k = 0; k < told_count; k++) {
        san_finding f = told[k];
        f.at = *at;
        if (san_finding_same(&f, &told[k])) {
            return true;
        }
    }
    return false;
}

void rt_check_launching(const void *host)
{
    launching = host;
}

void rt_find(const san_finding *f)
{
    if (san_suppressed(f->kind, f->kernel, f->at.place.path, f->at.place.line)) {
        return;
    }
    for (size_t k = 0; k < told_count; k++) {
        if (san_finding_same(&told[k], f)) {
            return;
        }
    }
    if (told_count == SAN_FINDINGS) {
        if (!told_all) {
            told_all = true;
            rt_say("more mistakes in host code were found than %d: mend these first", SAN_FINDINGS);
        }
        return;
    }
    told[told_count++] = *f;
    char text[SAN_FINDING_BYTES];
    san_finding_text(f, text, sizeof text);
    rt_print(text);
    report_host_finding(f, text);
}

san_caller *rt_check_issued(void)
{
    san_caller *c = rt.sanitize & (SAN_HOST | SAN_RACE | SAN_INIT) ? malloc(sizeof *c) : NULL;
    if (c) {
        rt_caller(c);
    }
    return c;
}

void rt_caller(san_caller *c)
{
    san_caller_take(c, rt_calls);
    c->kernel = launching;
}
