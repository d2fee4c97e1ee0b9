/* The controller's lists (choices, launches, reports, snapshots), and JSON strings. */
#include "../../base/json.h"
#include "control.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *step_quoted(const char *text)
{
    static char *kept[8];
    static unsigned next;
    char **slot = &kept[next++ % 8];
    free(*slot);
    char *p = *slot = malloc(6 * strlen(text) + 3); /* a character takes at most 6 */
    if (!p)
        return "\"\"";
    *p++ = '"';
    for (char piece[8]; *text;) {
        const size_t n = json_escape(piece, &text);
        /* cppcheck-suppress uninitvar ; json_escape fills what it counts */
        memcpy(p, piece, n);
        p += n;
    }
    memcpy(p, "\"", 2);
    return *slot;
}

/* --- lists --- */

void step_list_choices(const step_controller *c)
{
    fputs("{\"ok\":true,\"answer\":\"choices\",\"choices\":[", stdout);
    for (uint32_t k = 0; k < c->choices; k++) {
        const step_launch_note *l = step_launch_of(c, c->choice[k].tick);
        printf("%s{\"launch\":%" PRIu64 ",\"count\":%" PRIu64 ",\"warp\":%u}", k ? "," : "",
               l ? l->number : 0, c->choice[k].tick - (l ? l->base : 0), c->choice[k].warp);
    }
    fputs("]}\n", stdout);
}

void step_list_launches(const step_controller *c)
{
    fputs("{\"ok\":true,\"answer\":\"launches\",\"launches\":[", stdout);
    for (uint32_t k = 0; k < c->launches; k++) {
        const step_launch_note *l = &c->launch[k];
        printf("%s{\"launch\":%" PRIu64 ",\"kernel\":%s", k ? "," : "", l->number,
               step_quoted(l->kernel));
        if (l->insn_count != UINT64_MAX)
            printf(",\"instructions\":%" PRIu64, l->insn_count);
        putchar('}');
    }
    fputs("]}\n", stdout);
}

void step_list_reports(const step_controller *c)
{
    fputs("{\"ok\":true,\"answer\":\"reports\",\"reports\":[", stdout);
    for (uint32_t k = 0; k < c->mistake_count; k++) {
        const step_mistake *f = &c->mistakes[k];
        const step_launch_note *l = step_launch_of(c, f->tick);
        printf("%s{\"number\":%u,\"launch\":%" PRIu64 ",\"count\":%" PRIu64
               ",\"kind\":%s,\"path\":%s,\"line\":%u,\"text\":%s}",
               k ? "," : "", k + 1, l ? l->number : 0, f->tick - (l ? l->base : 0),
               step_quoted(f->kind), step_quoted(f->path), f->line, step_quoted(f->text));
    }
    fputs("]}\n", stdout);
}

void step_list_snapshots(step_controller *c)
{
    step_limit_snapshot_memory(c);
    printf("{\"ok\":true,\"answer\":\"snapshots\",\"count\":%u,\"most\":%u,\"bytes\":%" PRIu64
           ",\"limit\":%" PRIu64 ",\"thinned\":%" PRIu64 ",\"at\":[",
           c->kept.count, STEP_MAX_SNAPSHOTS, c->memory, c->max_snapshot_memory, c->kept.thinned);
    for (uint32_t k = 0; k < c->kept.count; k++) {
        const step_launch_note *l = step_launch_of(c, c->kept.list[k].tick);
        printf("%s[%" PRIu64 ",%" PRIu64 "]", k ? "," : "", l ? l->number : 0,
               c->kept.list[k].tick - (l ? l->base : 0));
    }
    fputs("]}\n", stdout);
}
