/* Shows a mistake that a sanitizer has found as two moments side by side: its two accesses. */
#include "control.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- finding the moments of a mistake --- */

/* A search for the access of mistake F that was made from LINE of the file PATH. */
static step_goal access_goal(const step_mistake *f, const char *path, uint32_t line)
{
    step_goal g = {.kind = STEP_ACCESSES, .line = line};
    g.place = (step_place){.kind = f->address ? STEP_GLOBAL : STEP_SHARED,
                           .address = f->address ? f->address : f->offset,
                           .type = STEP_U8,
                           .lane = -1};
    g.of = (step_warp_id){f->launch, f->block, 0};
    snprintf(g.file, sizeof g.file, "%s", path);
    return g;
}

/* Find the moment of mistake F. If the sanitizer reports the mistake only at the end of its launch,
 * this is the moment of the first access that the report names. */
static bool find_moment(step_controller *c, const step_mistake *f, uint64_t *tick)
{
    *tick = f->tick;
    if (f->exact)
        return true;
    const step_launch_note *l = step_launch_of(c, f->tick);
    const step_goal g = access_goal(f, f->path, f->line);
    step_result r;
    if (!l || !step_go_to_moment(c, l->base))
        return false;
    step_order o = step_order_new(STEP_RUN);
    o.goal = g;
    o.until = f->tick;
    if (!step_send_order(c, &o))
        return false;
    r = c->at;
    *tick = r.hits ? r.hit : step_moment_before(c, f->tick, 1);
    return true;
}

/* Find the moment of the other access of mistake F, before TICK. Returns false if no instruction of
 * this run made that access. */
static bool find_other_access(step_controller *c, const step_mistake *f, uint64_t tick,
                              uint64_t *other)
{
    step_goal g = access_goal(f, f->other_path, f->other_line);
    step_result r;
    if (!f->other_line)
        return false;
    if (strcmp(f->kind, "sync") == 0) {
        g = (step_goal){.kind = STEP_TO, .line = f->other_line};
        snprintf(g.file, sizeof g.file, "%s", f->other_path);
    }
    return step_find_last_hit(c, &g, 1, tick, other, &r);
}

/* --- answering --- */

/* The current moment as JSON, malloc'ed; NULL: the worker has ended. WHO accessed the memory, and
 * DID what. */
static char *moment_side(step_controller *c, const char *who, const char *did)
{
    char *text = NULL, *moment = step_ask_worker(c, "side");
    if (moment && asprintf(&text, "{\"who\":%s,\"did\":%s%s}", step_quoted(who), step_quoted(did),
                           moment) < 0)
        text = NULL;
    free(moment);
    return text;
}

/* The other access as the report itself has it, as JSON, if no instruction of this run made it. */
static char *report_side(const step_mistake *f)
{
    char *text = NULL;
    if (f->other_did[0] && asprintf(&text, "{\"who\":%s,\"did\":%s,\"path\":%s,\"line\":%u}",
                                    step_quoted(f->other_who), step_quoted(f->other_did),
                                    step_quoted(f->other_path), f->other_line) < 0)
        text = NULL;
    return text;
}

/* Write the memory that F is about, as the command `who` reads it: by its array's name, if any. */
static void text_of_accessed_memory(step_controller *c, const step_mistake *f, char *out,
                                    size_t size)
{
    char question[64];
    out[0] = '\0';
    if (!f->address && strcmp(f->kind, "race") != 0 && strcmp(f->kind, "init") != 0)
        return;
    snprintf(question, sizeof question,
             f->address ? "name global 0x%" PRIx64 : "name shared %" PRIu64,
             f->address ? f->address : f->offset);
    char *name = step_ask_worker(c, question);
    if (name && *name)
        snprintf(out, size, "%s", name);
    else if (f->address)
        snprintf(out, size, "global[0x%" PRIx64 "]", f->address);
    else
        snprintf(out, size, "shared[%u]", f->offset);
    free(name);
}

/* Print report NUMBER: the text of mistake F, and its two accesses; EARLIER may be NULL. */
static void print_report(step_controller *c, uint64_t number, const step_mistake *f,
                         const char *later, const char *earlier)
{
    char place[160];
    text_of_accessed_memory(c, f, place, sizeof place);
    printf("{\"ok\":true,\"answer\":\"report\",\"number\":%" PRIu64
           ",\"kind\":%s,\"text\":%s,\"place\":%s,\"missing\":%s,\"fix\":%s,\"sides\":[%s%s%s]}\n",
           number, step_quoted(f->kind), step_quoted(f->text), step_quoted(place),
           step_quoted(f->missing), step_quoted(f->fix), later, earlier ? "," : "",
           earlier ? earlier : "");
}

bool step_show_report(step_controller *c, uint64_t number, char *err, size_t size)
{
    const step_goal any = {.kind = STEP_REPORT};
    step_result r;
    while (c->mistake_count < number && !c->whole && !c->stopped) {
        if (!step_go_to_moment(c, c->reached) || !step_run_to_goal(c, &any, 1, &r)) {
            snprintf(err, size, "the program ended during the search through the run");
            return false;
        }
    }
    if (c->mistake_count < number) {
        snprintf(err, size, "the run has %u report%s", c->mistake_count,
                 c->mistake_count == 1 ? "" : "s");
        return false;
    }
    static step_mistake f;
    f = c->mistakes[number - 1];
    uint64_t tick, other;
    if (!find_moment(c, &f, &tick)) {
        snprintf(err, size, "the moment of report %" PRIu64 " was not found", number);
        return false;
    }
    char *earlier = NULL;
    if (find_other_access(c, &f, tick, &other) && step_go_to_moment(c, other))
        earlier = moment_side(c, f.other_who, f.other_did);
    earlier = earlier ? earlier : report_side(&f);
    char *later = step_go_to_moment(c, tick) ? moment_side(c, f.who, f.did) : NULL;
    if (later)
        print_report(c, number, &f, later, earlier);
    else
        snprintf(err, size, "the moment of report %" PRIu64 " was not found", number);
    free(earlier);
    free(later);
    return later != NULL;
}
