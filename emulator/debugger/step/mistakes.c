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

/* --- printing two texts side by side --- */

enum {
    COLUMN_CHARACTERS = 38, /* width of each of the two texts */
    GAP_CHARACTERS = 3      /* width of the gap between them */
};

/* Take at most COLUMN_CHARACTERS characters from *TEXT, up to the end of its line; break at a blank
 * if possible. */
static size_t next_line_length(const char **text)
{
    size_t n = strcspn(*text, "\n");
    if (n > COLUMN_CHARACTERS) {
        n = COLUMN_CHARACTERS;
        for (size_t k = COLUMN_CHARACTERS; k > COLUMN_CHARACTERS / 2; k--) {
            if ((*text)[k] == ' ') {
                n = k;
                break;
            }
        }
    }
    return n;
}

static void write_side_by_side(FILE *to, const char *left, const char *right)
{
    while (*left || *right) {
        const size_t a = next_line_length(&left), b = next_line_length(&right);
        fprintf(to, "  %-*.*s%*s%.*s\n", COLUMN_CHARACTERS, (int)a, left, b ? GAP_CHARACTERS : 0,
                b ? " | " : "", (int)b, right);
        left += a;
        left += *left == '\n' || *left == ' ';
        right += b;
        right += *right == '\n' || *right == ' ';
    }
}

/* The worker's text about its current moment, malloc'ed. WHO accessed the memory, and DID what. */
static char *moment_side_text(step_controller *c, const char *who, const char *did)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (!to)
        return NULL;
    if (step_worker_state.json)
        fprintf(to, "{\"who\":%s,\"did\":%s", step_quoted(who), step_quoted(did));
    else
        fprintf(to, "%s %s\n", who, did);
    c->capture = to;
    const bool good = step_ask_question(c, "side", "", "");
    c->capture = NULL;
    fputs(step_worker_state.json ? "}" : "", to);
    fclose(to);
    if (!good) {
        free(text);
        text = NULL;
    }
    return text;
}

/* Text about the other access from the report itself, if no instruction of this run made it. */
static char *report_side_text(const step_mistake *f)
{
    char *text = NULL;
    if (!f->other_did[0])
        return NULL;
    const int n = step_worker_state.json
                      ? asprintf(&text, "{\"who\":%s,\"did\":%s,\"path\":%s,\"line\":%u}",
                                 step_quoted(f->other_who), step_quoted(f->other_did),
                                 step_quoted(f->other_path), f->other_line)
                      : asprintf(&text, "%s %s\n%s:%u\n", f->other_who, f->other_did, f->other_path,
                                 f->other_line);
    return n < 0 ? NULL : text;
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
    if (step_worker_state.json) {
        printf(
            "{\"ok\":true,\"answer\":\"report\",\"number\":%" PRIu64
            ",\"kind\":%s,\"text\":%s,\"place\":%s,\"missing\":%s,\"fix\":%s,\"sides\":[%s%s%s]}\n",
            number, step_quoted(f->kind), step_quoted(f->text), step_quoted(place),
            step_quoted(f->missing), step_quoted(f->fix), later, earlier ? "," : "",
            earlier ? earlier : "");
        return;
    }
    /* print only the first line if both sides show the rest of the text */
    const int length = earlier ? (int)strcspn(f->text, "\n") : (int)strlen(f->text);
    printf("report %" PRIu64 ": %.*s\n", number, length, f->text);
    if (earlier) {
        printf("\n");
        write_side_by_side(stdout, earlier, later);
    } else {
        printf("\n%s", later);
    }
    if (f->missing[0])
        printf("\nMissing between the two%s%s: %s\n", place[0] ? ", for " : "", place, f->missing);
    if (f->fix[0] && earlier)
        printf("\n%s\n", f->fix);
    printf("\n");
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
        earlier = moment_side_text(c, f.other_who, f.other_did);
    earlier = earlier ? earlier : report_side_text(&f);
    char *later = step_go_to_moment(c, tick) ? moment_side_text(c, f.who, f.did) : NULL;
    if (later)
        print_report(c, number, &f, later, earlier);
    else
        snprintf(err, size, "the moment of report %" PRIu64 " was not found", number);
    free(earlier);
    free(later);
    return later != NULL;
}
