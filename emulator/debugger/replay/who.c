/* Finds the operation that wrote a byte of device memory last. An observer sees the stores of
 * launches; copies, fills and host writes are compared with the byte's address. */
#include "state.h"
#include "tool.h"

#include "../../memory/memory.h"
#include "../step/step.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static struct {
    bool is_requested, is_byte_allocated; /* --who was given; the byte's memory was allocated */
    char name[300]; /* name of the variable that contains the byte; empty: the place is an address
                       or the number of an allocation */
    uint64_t number, offset; /* number of the cudaMalloc; offset of the byte in it */
    uint64_t address;        /* address of the byte */
    bool by_address;         /* the place was given as an address */
    uint64_t base; /* the allocation that contains the byte; 0: not allocated yet, or freed */
    uint64_t allocations;  /* number of cudaMalloc allocations so far */
    char answer[1600];     /* text about the last write */
    char where[600];       /* number and kernel of the running launch, as text */
    const ptx_module *ptx; /* the module that runs */
    const ptx_func *func;  /* the kernel that runs */
    bool wrote;            /* the running launch has written the byte */
    char from[300];        /* where host code issued the operation: " at lab.cu:12", or "" */
} writer_search_state;

/* Set the text that says who wrote the searched byte last. */
__attribute__((format(printf, 1, 2))) static void set_last_writer_text(const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    vsnprintf(writer_search_state.answer, sizeof writer_search_state.answer, format, ap);
    va_end(ap);
}

/* Whether the BYTES bytes at ADDRESS contain the searched byte. */
static bool contains_searched_byte(uint64_t address, uint64_t bytes)
{
    return writer_search_state.base && writer_search_state.address - address < bytes;
}

/* --- the observer that notes who writes the byte ---------------------------------------------- */

static void *on_launch_begin(const sm_grid *g)
{
    (void)g;
    return &writer_search_state;
}

static sm_report *on_launch_end(void *launch)
{
    (void)launch;
    return NULL;
}

static void *on_block_open(void *launch, const sm_block *b)
{
    (void)launch;
    return (void *)(uintptr_t)b;
}

static void on_block_close(void *block)
{
    (void)block;
}

/* Note that lane LANE of access A wrote the byte; DID says how. */
static void note_writer(const sm_access *a, uint32_t lane, const char *did)
{
    const sm_warp *w = a->warp;
    char at[300], text[300] = "";
    FILE *f = fmemopen(text, sizeof text, "w");
    if (f) {
        ptx_print_insn(f, writer_search_state.ptx, writer_search_state.func, a->insn);
        fclose(f);
    }
    text[strcspn(text, "\n")] = 0;
    set_last_writer_text("written last by %s, thread (%u,%u,%u) of block (%u,%u,%u), %s at %s: %s",
                         writer_search_state.where, w->tid[0][lane], w->tid[1][lane],
                         w->tid[2][lane], w->block->id[0], w->block->id[1], w->block->id[2], did,
                         ptx_source_position(writer_search_state.ptx, a->insn, at, sizeof at),
                         text);
    writer_search_state.wrote = true;
}

static void note_access(void *block, const sm_access *a)
{
    (void)block;
    if (a->effect == SM_READS || a->space != PTX_SPACE_GLOBAL)
        return;
    SM_EACH_LANE(lane, a->mask)
        if (contains_searched_byte(a->address[lane], a->bytes))
            note_writer(a, lane, a->effect == SM_WRITES ? "stored it" : "updated it atomically");
}

static void note_copy_complete(void *block, void *issued, const sm_access *a)
{
    (void)block, (void)issued;
    const uint32_t lane = (uint32_t)__builtin_ctz(a->mask);
    if (a->space == PTX_SPACE_GLOBAL && contains_searched_byte(a->address[lane], a->bytes))
        note_writer(a, lane, "wrote it with an asynchronous copy");
}

static void note_surface_write(void *block, const sm_access *a)
{
    (void)block;
    SM_EACH_LANE(lane, a->mask)
        if (contains_searched_byte(a->address[lane], a->bytes))
            note_writer(a, lane, "stored it through a surface");
}

/* Run blocks in order, so that the last writer is the same in every replay. */
static const sm_observer write_observer = {.serial = true,
                                           .sees = SM_SEES_GLOBAL,
                                           .launch_begins = on_launch_begin,
                                           .launch_ends = on_launch_end,
                                           .block_opens = on_block_open,
                                           .block_closes = on_block_close,
                                           .access = note_access,
                                           .copy_lands = note_copy_complete,
                                           .surface_writes = note_surface_write};

/* --- answering the question ------------------------------------------------------------------- */

static bool parse_number(const char *text, const char *end, uint64_t *out)
{
    char *stop;
    errno = 0;
    *out = strtoull(text, &stop, 0);
    return stop == end && *text >= '0' && *text <= '9' && !errno;
}

bool begin_writer_search(replay *r, const char *place, char *err, size_t cap)
{
    const char *end = place + strlen(place), *plus = strrchr(place, '+');
    const char *first = plus ? plus : end;
    uint64_t value;
    bool good = first > place && (size_t)(first - place) < sizeof writer_search_state.name &&
                (!plus || parse_number(plus + 1, end, &writer_search_state.offset));
    if (good && parse_number(place, first, &value)) {
        writer_search_state.by_address = !strncmp(place, "0x", 2);
        writer_search_state.number = writer_search_state.by_address ? 0 : value;
        writer_search_state.address =
            writer_search_state.by_address ? value + writer_search_state.offset : 0;
        good = writer_search_state.by_address || (value && plus);
    } else if (good) {
        snprintf(writer_search_state.name, sizeof writer_search_state.name, "%.*s",
                 (int)(first - place), place);
    }
    if (!good) {
        snprintf(err, cap,
                 "--who %s: give an address (0x700000001000), the number of a cudaMalloc and an "
                 "offset in bytes (2+16), or a variable's name and an offset (table+4)",
                 place);
        return false;
    }
    writer_search_state.is_requested = true;
    replay_add_observer(r, &write_observer);
    return true;
}

/* --- records as they are repeated ------------------------------------------------------------- */

/* Check whether new device memory contains the searched byte. */
static void note_allocation(const rec_alloc *x)
{
    writer_search_state.allocations += x->kind == MEM_DEVICE;
    const bool this =
        writer_search_state.by_address ? writer_search_state.address - x->address < x->size
        : writer_search_state.name[0]  ? !strcmp(writer_search_state.name, x->name)
                                       : x->kind == MEM_DEVICE && writer_search_state.allocations ==
                                                                     writer_search_state.number;
    if (this && (writer_search_state.by_address || writer_search_state.offset < x->size)) {
        writer_search_state.base = x->address;
        writer_search_state.address = writer_search_state.by_address
                                          ? writer_search_state.address
                                          : x->address + writer_search_state.offset;
        writer_search_state.is_byte_allocated = true;
        set_last_writer_text(x->kind == MEM_MODULE || x->kind == MEM_CONSTANT
                                 ? "the initial value of the variable %.200s"
                                 : "never written%.0s",
                             x->name);
    }
}

/* Check whether host memory that kernels may now use contains the searched byte. */
static void note_host_memory(const rec_adopt *x)
{
    if (writer_search_state.by_address && writer_search_state.address - x->address < x->size) {
        writer_search_state.base = x->address;
        writer_search_state.is_byte_allocated = true;
        set_last_writer_text("never written");
    }
}

/* Whether a box of rows contains the byte; *AT becomes the byte's offset in the packed rows. */
static bool find_in_box(rec_list side, rec_list extent, uint64_t *at)
{
    for (uint64_t z = 0; writer_search_state.base && z < extent.of[2]; z++) {
        const uint64_t slice = side.of[0] + z * side.of[2];
        const uint64_t off = writer_search_state.address - slice;
        const uint64_t y = extent.of[1] == 1 || !side.of[1] ? 0 : off / side.of[1];
        const uint64_t x = off - y * side.of[1];
        if (writer_search_state.address >= slice && y < extent.of[1] && x < extent.of[0]) {
            *at = (z * extent.of[1] + y) * extent.of[0] + x;
            return true;
        }
    }
    return false;
}

void writer_before_record(replay *r, const rec_item *next)
{
    replay_kernel k;
    if (!writer_search_state.is_requested || next->kind != REC_launch ||
        !replay_describe_next_launch(r, &k))
        return;
    writer_search_state.ptx = k.ptx;
    writer_search_state.func = k.func;
    writer_search_state.wrote = false;
    snprintf(writer_search_state.where, sizeof writer_search_state.where,
             "launch %" PRIu64 ", kernel %.400s", k.number, k.name);
}

/* Report to the step engine that operation OP, made by CALL, wrote the rows. HOW and WHAT: "from"
 * the host, or "with" a value. */
static void report_write_of_rows(rec_list side, rec_list extent, const char *how, uint64_t op,
                                 const char *call, const char *what)
{
    step_write w = {side.of[0],   side.of[1],   side.of[2], extent.of[0],
                    extent.of[1], extent.of[2], true,       ""};
    snprintf(w.by, sizeof w.by, "operation %" PRIu64 ", %.50s%.60s %s %.30s", op, call,
             writer_search_state.from, how, what);
    step_note_write(&w);
}

/* Report to the step debugger that BY wrote BYTES bytes at ADDRESS. */
static void report_write_of_bytes(uint64_t address, uint64_t bytes, const char *by)
{
    step_write w = {address, bytes, bytes, bytes, 1, 1, false, ""};
    snprintf(w.by, sizeof w.by, "%s", by);
    step_note_write(&w);
}

/* Report the writes of record DONE to the step engine, for its command `who`. */
static void report_writes_to_step(const rec_item *done)
{
    char text[120], value[24];
    switch (done->kind) {
    case REC_alloc:
        snprintf(text, sizeof text, "the initial value of the variable %.80s", done->alloc.name);
        report_write_of_bytes(
            done->alloc.address, done->alloc.size,
            done->alloc.kind == MEM_MODULE || done->alloc.kind == MEM_CONSTANT ? text : "");
        break;
    case REC_adopt: report_write_of_bytes(done->adopt.address, done->adopt.size, ""); break;
    case REC_copy:
        report_write_of_rows(done->copy.to, done->copy.extent, "from", done->copy.op,
                             done->copy.call, done->copy.host_from ? "the host" : "the device");
        break;
    case REC_fill:
        snprintf(value, sizeof value, "0x%" PRIx64, done->fill.value);
        report_write_of_rows(done->fill.to, done->fill.extent, "with", done->fill.op,
                             done->fill.call, value);
        break;
    case REC_write:
        snprintf(text, sizeof text, "operation %" PRIu64 ", cuStreamWriteValue of 0x%" PRIx64,
                 done->write.op, done->write.value);
        report_write_of_bytes(done->write.address, done->write.bytes, text);
        break;
    case REC_pages:
        report_write_of_bytes(done->pages.address, done->pages.bytes.size,
                              "the host, without a call");
        break;
    case REC_wrong: step_note_wrong_value(done->wrong.address, done->wrong.text); break;
    default: break;
    }
}

void writer_after_record(replay *r, const rec_item *done)
{
    uint64_t at;
    const san_host_position *p = r->call.recorded;
    writer_search_state.from[0] = '\0';
    if (p && p->line) {
        snprintf(writer_search_state.from, sizeof writer_search_state.from, " at %.255s:%u",
                 p->path, p->line);
    }
    if (step_is_session())
        report_writes_to_step(done);
    if (!writer_search_state.is_requested)
        return;
    switch (done->kind) {
    case REC_alloc: note_allocation(&done->alloc); break;
    case REC_adopt: note_host_memory(&done->adopt); break;
    case REC_free:
        writer_search_state.base =
            done->free.address == writer_search_state.base ? 0 : writer_search_state.base;
        break;
    case REC_copy:
        if (find_in_box(done->copy.to, done->copy.extent, &at)) {
            char from[40] = "the host";
            if (!done->copy.host_from)
                snprintf(from, sizeof from, "0x%" PRIx64, done->copy.from.of[0]);
            set_last_writer_text("written last by operation %" PRIu64 ", %.100s%s: byte %" PRIu64
                                 " of the data copied from %s",
                                 done->copy.op, done->copy.call, writer_search_state.from, at,
                                 from);
        }
        break;
    case REC_fill:
        if (find_in_box(done->fill.to, done->fill.extent, &at)) {
            set_last_writer_text(
                "written last by operation %" PRIu64 ", %.100s%s: the fill with 0x%" PRIx64,
                done->fill.op, done->fill.call, writer_search_state.from, done->fill.value);
        }
        break;
    case REC_write:
        if (contains_searched_byte(done->write.address, done->write.bytes)) {
            set_last_writer_text("written last by operation %" PRIu64
                                 ": a stream wrote the value 0x%" PRIx64,
                                 done->write.op, done->write.value);
        }
        break;
    case REC_pages:
        if (contains_searched_byte(done->pages.address, done->pages.bytes.size))
            set_last_writer_text("written last by the host, without a call");
        break;
    default: break;
    }
}

bool print_last_writer(FILE *to)
{
    for (char *c = writer_search_state.answer; *c; c++)
        *c = (unsigned char)*c < ' ' ? ' ' : *c;
    if (!writer_search_state.is_byte_allocated) {
        fprintf(to, "no memory of that name or number was allocated, or it is too short\n");
    } else {
        const uint8_t *byte = mem_host_pointer(writer_search_state.address, 1);
        fprintf(to, "0x%" PRIx64 ": %s\n", writer_search_state.address, writer_search_state.answer);
        if (byte && writer_search_state.base)
            fprintf(to, "0x%" PRIx64 ": its value is 0x%02x\n", writer_search_state.address, *byte);
    }
    return writer_search_state.is_byte_allocated;
}
