/* Lists a recording: a line for each operation, in the order in which the device ran them. */
#include "tool.h"

#include "../../cudart/core/name.h"
#include "../../cudart/streams/op.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The line of an operation whose result, with its time, has not been read yet. */
typedef struct pending_line {
    uint64_t op;     /* number of the operation; 0: the slot is free */
    char text[1200]; /* the text of the line so far */
} pending_line;

enum { MAX_PENDING_LINES = 32 }; /* maximum number of lines that wait for a result */

typedef struct record_lister {
    FILE *to;                             /* where the lines are printed */
    pending_line open[MAX_PENDING_LINES]; /* lines that wait for a result */
    uint32_t allocations;                 /* number of cudaMalloc allocations so far */
    bool measured;                        /* recorded on a GPU, so times are measured */
    char *place[REC_MAX_PLACES];          /* places in host code, as text: ", lab.cu:42" */
    uint64_t places;                      /* entries in use */
    const char *from; /* place of the calls that the next records come from; "": none */
} record_lister;

static const char *memory_kind_name(uint64_t kind)
{
    static const char *const name[] = {"device memory",  "variable",          "constant variable",
                                       "pinned memory",  "registered memory", "managed memory",
                                       "array or mipmap"};
    return kind < sizeof name / sizeof *name ? name[kind] : "memory";
}

static const char *direction_name(uint64_t way)
{
    return way == RT_COPY_H2D   ? "host to device"
           : way == RT_COPY_D2H ? "device to host"
           : way == RT_COPY_D2D ? "device to device"
                                : "host to host";
}

/* Replace control characters in a name from the file, lest a terminal obey them. */
static void replace_control_characters(char *text)
{
    for (char *c = text; *c; c++)
        *c = (unsigned char)*c < ' ' || *c == 127 ? '?' : *c;
}

/* Print a line, and free its slot. */
static void print_pending_line(record_lister *l, pending_line *p)
{
    if (p->op) {
        fprintf(l->to, "%s\n", p->text);
        p->op = 0;
    }
}

static pending_line *add_pending_line(record_lister *l, uint64_t op)
{
    pending_line *oldest = &l->open[0];
    for (int k = 0; k < MAX_PENDING_LINES; k++)
        if (!l->open[k].op)
            oldest = &l->open[k];
    print_pending_line(l, oldest);
    oldest->op = op;
    return oldest;
}

/* Keep the text of a place in host code, which later records `call` name by its number. */
static void note_place(record_lister *l, const rec_place *x)
{
    char text[300] = "";
    if (x->file[0]) {
        snprintf(text, sizeof text, ", %.255s:%" PRIu64, x->file, x->line);
        replace_control_characters(text);
    }
    if (l->places < REC_MAX_PLACES && (l->place[l->places] = strdup(text)))
        l->places++;
}

static void list_launch(record_lister *l, const rec_launch *x)
{
    pending_line *p = add_pending_line(l, x->op);
    char *name = name_of_kernel(x->kernel);
    char cluster[80] = "", shared[48] = "";
    if (x->cluster.count == 3 && x->cluster.of[0]) {
        snprintf(cluster, sizeof cluster, ", clusters of %" PRIu64 "x%" PRIu64 "x%" PRIu64,
                 x->cluster.of[0], x->cluster.of[1], x->cluster.of[2]);
    }
    if (x->shared)
        snprintf(shared, sizeof shared, ", %" PRIu64 " bytes of shared memory", x->shared);
    snprintf(p->text, sizeof p->text,
             "%8" PRIu64 "  launch %" PRIu64 ": %.400s, %" PRIu64 "x%" PRIu64 "x%" PRIu64
             " blocks of %" PRIu64 "x%" PRIu64 "x%" PRIu64 "%s%s, stream %" PRIu64 "%s%s%s",
             x->op, x->number, name ? name : x->kernel, x->grid.of[0], x->grid.of[1], x->grid.of[2],
             x->block.of[0], x->block.of[1], x->block.of[2], shared, cluster, x->stream,
             x->cooperative ? ", cooperative" : "",
             x->depth  ? ", launched by a kernel"
             : x->node ? ", from a graph"
                       : "",
             l->from);
    replace_control_characters(p->text);
    free(name);
}

static void list_copy(record_lister *l, const rec_copy *x)
{
    pending_line *p = add_pending_line(l, x->op);
    char from[40] = "", to[40] = "";
    if (!x->host_from)
        snprintf(from, sizeof from, " from 0x%" PRIx64, x->from.of[0]);
    if (!x->host_to)
        snprintf(to, sizeof to, " to 0x%" PRIx64, x->to.of[0]);
    snprintf(p->text, sizeof p->text,
             "%8" PRIu64 "  copy: %.100s, %s, %" PRIu64 " bytes%s%s, stream %" PRIu64 "%s", x->op,
             x->call, direction_name(x->way), x->extent.of[0] * x->extent.of[1] * x->extent.of[2],
             from, to, x->stream, l->from);
    replace_control_characters(p->text);
}

static void list_fill(record_lister *l, const rec_fill *x)
{
    pending_line *p = add_pending_line(l, x->op);
    snprintf(p->text, sizeof p->text,
             "%8" PRIu64 "  fill: %.100s, %" PRIu64 " bytes at 0x%" PRIx64 " with 0x%" PRIx64
             ", stream %" PRIu64 "%s",
             x->op, x->call, x->extent.of[0] * x->extent.of[1] * x->extent.of[2], x->to.of[0],
             x->value, x->stream, l->from);
    replace_control_characters(p->text);
}

static void list_result(record_lister *l, const rec_result *x)
{
    for (int k = 0; k < MAX_PENDING_LINES; k++) {
        pending_line *p = &l->open[k];
        if (p->op == x->op) {
            fprintf(l->to, "%s", p->text);
            p->op = 0;
            if (x->fault) {
                fprintf(l->to, ": stopped by error %" PRIu64, x->fault);
            } else {
                fprintf(l->to, ": %.3f us (%s)", x->ns * 1e-3,
                        l->measured ? "measured" : "modelled");
            }
            fputc('\n', l->to);
        }
    }
}

/* Print a line for a recorded event, or for a wait of the host or of a stream; other operations
 * have lines already. */
static void list_event_or_wait(record_lister *l, const rec_timed *x)
{
    if (x->kind == RT_EVENT_RECORD) {
        fprintf(l->to, "%8" PRIu64 "  event recorded, stream %" PRIu64 "\n", x->op, x->stream);
    } else if (x->kind == RT_HOST_WAIT) {
        fprintf(l->to, "%8" PRIu64 "  the host has waited for %s\n", x->op,
                x->after.count > 2 ? "all streams" : "a stream or an event");
    } else if (x->kind == RT_EVENT_WAIT && !x->node && x->after.count > 1) {
        fprintf(l->to, "%8" PRIu64 "  stream %" PRIu64 " waits\n", x->op, x->stream);
    }
}

static void list_memory(record_lister *l, uint64_t address, uint64_t size, uint64_t kind,
                        const char *name)
{
    char number[64] = "", text[500];
    if (kind == MEM_DEVICE)
        snprintf(number, sizeof number, " (allocation %u)", ++l->allocations);
    snprintf(text, sizeof text, "%s%s%.300s%s", memory_kind_name(kind), name && name[0] ? " " : "",
             name ? name : "", number);
    replace_control_characters(text);
    fprintf(l->to, "          %s: %" PRIu64 " bytes at 0x%" PRIx64 "\n", text, size, address);
}

/* Print a line of WHAT and TEXT, which may contain any byte. */
static void list_sentence(record_lister *l, const char *what, const char *text)
{
    char line[1000];
    snprintf(line, sizeof line, "%s%.900s", what, text);
    replace_control_characters(line);
    fprintf(l->to, "          %s\n", line);
}

static void list_start(record_lister *l, const rec_start *x)
{
    char line[1500];
    l->measured = !strcmp(x->source, "gpu");
    snprintf(line, sizeof line, "recorded on %.20s %.100s: %.1000s",
             l->measured ? "the GPU" : "the device profile", x->profile[0] ? x->profile : "h200",
             x->program);
    replace_control_characters(line);
    fprintf(l->to, "%s\n", line);
}

static void list_record(record_lister *l, const rec_item *i)
{
    switch (i->kind) {
    case REC_start: list_start(l, &i->start); break;
    case REC_alloc:
        list_memory(l, i->alloc.address, i->alloc.size, i->alloc.kind, i->alloc.name);
        break;
    case REC_adopt: list_memory(l, i->adopt.address, i->adopt.size, i->adopt.kind, NULL); break;
    case REC_free: fprintf(l->to, "          freed: 0x%" PRIx64 "\n", i->free.address); break;
    case REC_module:
        fprintf(l->to, "          module %" PRIu64 ": %" PRIu64 " bytes of PTX\n", i->module.id,
                i->module.ptx.size);
        break;
    case REC_unload: fprintf(l->to, "          module %" PRIu64 " unloaded\n", i->unload.id); break;
    case REC_place: note_place(l, &i->place); break;
    case REC_call:
        l->from = i->call.place && i->call.place <= l->places ? l->place[i->call.place - 1] : "";
        break;
    case REC_launch: list_launch(l, &i->launch); break;
    case REC_copy: list_copy(l, &i->copy); break;
    case REC_fill: list_fill(l, &i->fill); break;
    case REC_write:
        fprintf(l->to, "%8" PRIu64 "  value 0x%" PRIx64 " written at 0x%" PRIx64 "%s\n",
                i->write.op, i->write.value, i->write.address, l->from);
        break;
    case REC_host:
        fprintf(l->to, "%8" PRIu64 "  host function, stream %" PRIu64 "%s\n", i->host.op,
                i->host.stream, l->from);
        break;
    case REC_pages:
        fprintf(l->to, "          the host changed %" PRIu64 " bytes at 0x%" PRIx64 "\n",
                i->pages.bytes.size, i->pages.address);
        break;
    case REC_result: list_result(l, &i->result); break;
    case REC_timed: list_event_or_wait(l, &i->timed); break;
    case REC_reset: fprintf(l->to, "          cudaDeviceReset\n"); break;
    case REC_mark: list_sentence(l, "", i->mark.text); break;
    case REC_wrong: list_sentence(l, "the program found a wrong value: ", i->wrong.text); break;
    case REC_unsure: list_sentence(l, "a replay may differ: ", i->unsure.text); break;
    case REC_end:
        if (i->end.cut)
            fprintf(l->to, "          the program ended early: its last operations are missing\n");
        break;
    default: break;
    }
}

bool list_recording(const char *path, bool all, FILE *to, char *err, size_t cap)
{
    record_lister *l = calloc(1, sizeof *l);
    rec_reader *r = l ? rec_open_file(path, NULL, err, cap) : NULL;
    if (!r) {
        free(l);
        return false;
    }
    l->to = to;
    l->from = "";
    static char line[4096];
    for (const rec_item *i; (i = rec_next_item(r));) {
        if (all) {
            rec_format_item(i, line, sizeof line);
            fprintf(to, "%s\n", line);
        } else {
            list_record(l, i);
        }
    }
    for (int k = 0; k < MAX_PENDING_LINES; k++)
        print_pending_line(l, &l->open[k]);
    rec_close_reader(r);
    while (l->places)
        free(l->place[--l->places]);
    free(l);
    return true;
}
