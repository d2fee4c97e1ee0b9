/* Writes a trace: one line for each instruction that a warp executes. */
#include "trace.h"

#include "../../core/sched.h"
#include "../../ptx/traits.h"
#include "registers.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static struct {
    trace_filter filter;     /* the instructions to trace */
    FILE *to;                /* the file; NULL: no trace is open */
    uint64_t limit, written; /* maximum size of the file in bytes; bytes written so far */
} open_trace;

/* --- reading WARPBOOK_TRACE --- */

/* The end of a field of WARPBOOK_TRACE: the next colon that is not part of the :: in a name such as
 * ns::kernel. */
static const char *end_of_trace_field(const char *text)
{
    const char *c = text;
    for (; *c && (*c != ':' || c[1] == ':'); c++)
        c += *c == ':';
    return c;
}

static bool read_number(const char *text, const char *end, uint32_t *number)
{
    char *stop;
    errno = 0;
    const unsigned long n = strtoul(text, &stop, 10);
    *number = (uint32_t)n;
    return stop == end && stop > text && *text >= '0' && *text <= '9' && !errno && n <= UINT32_MAX;
}

/* Read the block of WARPBOOK_TRACE, a number or x,y,z, up to END. */
static bool read_block(const char *text, const char *end, trace_filter *filter)
{
    const char *comma = memchr(text, ',', (size_t)(end - text));
    filter->by_number = !comma;
    if (!comma)
        return read_number(text, end, &filter->block[0]);
    const char *second = memchr(comma + 1, ',', (size_t)(end - comma - 1));
    return second && read_number(text, comma, &filter->block[0]) &&
           read_number(comma + 1, second, &filter->block[1]) &&
           read_number(second + 1, end, &filter->block[2]);
}

bool trace_read(const char *value, trace_filter *filter, char *err, size_t size)
{
    *filter = (trace_filter){.all_blocks = true, .all_warps = true};
    snprintf(filter->kernel, sizeof filter->kernel, "*");
    const char *from = value, *end = end_of_trace_field(value);
    bool good = end > from && (size_t)(end - from) < sizeof filter->path;
    if (good)
        snprintf(filter->path, sizeof filter->path, "%.*s", (int)(end - from), from);
    if (good && *end) {
        from = end + 1;
        end = end_of_trace_field(from);
        good = end > from && (size_t)(end - from) < sizeof filter->kernel;
        if (good)
            snprintf(filter->kernel, sizeof filter->kernel, "%.*s", (int)(end - from), from);
    }
    if (good && *end) {
        from = end + 1;
        end = end_of_trace_field(from);
        filter->all_blocks = false;
        good = read_block(from, end, filter);
    }
    if (good && *end) {
        from = end + 1;
        end = end_of_trace_field(from);
        filter->all_warps = false;
        good = !*end && read_number(from, end, &filter->warp);
    }
    if (!good) {
        snprintf(err, size,
                 "WARPBOOK_TRACE is \"%s\": give FILE, FILE:KERNEL, FILE:KERNEL:BLOCK or "
                 "FILE:KERNEL:BLOCK:WARP, where BLOCK is a number or x,y,z",
                 value);
    }
    return good;
}

bool trace_open(const trace_filter *filter, uint64_t limit, char *err, size_t size)
{
    const int fd = open(filter->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
    open_trace.to = fd < 0 ? NULL : fdopen(fd, "w");
    if (!open_trace.to) {
        snprintf(err, size, "WARPBOOK_TRACE: cannot write %s: %s", filter->path, strerror(errno));
        return false;
    }
    open_trace.filter = *filter;
    open_trace.limit = limit;
    const int n = fprintf(open_trace.to,
                          "launch\tkernel\tblock\twarp\tcount\tpc\tsource\tmask\tptx\twritten\n");
    open_trace.written = n > 0 ? (uint64_t)n : 0;
    return true;
}

void trace_close(void)
{
    if (open_trace.to) {
        fclose(open_trace.to);
        open_trace.to = NULL;
    }
}

bool trace_is_on(void)
{
    return open_trace.to != NULL;
}

/* --- a launch --- */

typedef struct traced_block {
    const sm_block *block;   /* the block in this slot */
    struct launch_trace *of; /* the trace of its launch */
    bool on;                 /* the block in this slot is traced */
} traced_block;

typedef struct launch_trace {
    const sm_grid *grid; /* the launched grid */
    const char *kernel;  /* name of the kernel */
    bool on;             /* the launch is traced */
    uint64_t count;      /* instructions executed so far by all warps */
    char **text; /* [site_count] PTX of each instruction as text, made when it is first needed */
    dbg_form **forms;  /* [code_count] format of each register */
    char *line;        /* the line being written */
    size_t line_bytes; /* size of `line` in bytes */
    FILE *into;        /* stream that writes to `line` */
} launch_trace;

static void free_launch_trace(launch_trace *l)
{
    const sm_unit *u = l->grid->unit;
    for (uint32_t k = 0; l->text && k < u->site_count; k++)
        free(l->text[k]);
    for (uint32_t k = 0; l->forms && k < u->code_count; k++)
        free(l->forms[k]);
    if (l->into)
        fclose(l->into);
    free(l->line);
    free(l->text);
    free(l->forms);
    free(l);
}

static void *on_launch_begin(const sm_grid *g)
{
    launch_trace *l = calloc(1, sizeof *l);
    if (!l)
        return NULL;
    const char *mangled = g->launch->kernel->name;
    l->grid = g;
    l->kernel = g->launch->name ? g->launch->name : mangled;
    l->on = open_trace.to && (fnmatch(open_trace.filter.kernel, l->kernel, 0) == 0 ||
                              fnmatch(open_trace.filter.kernel, mangled, 0) == 0);
    if (!l->on)
        return l;
    l->text = calloc(g->unit->site_count + 1u, sizeof *l->text);
    l->forms = calloc(g->unit->code_count + 1u, sizeof *l->forms);
    l->into = open_memstream(&l->line, &l->line_bytes);
    bool good = l->text && l->forms && l->into;
    for (uint32_t k = 0; good && k < g->unit->code_count; k++) {
        l->forms[k] = dbg_find_register_forms(g->unit->code[k]->func);
        good = l->forms[k] != NULL;
    }
    if (!good) {
        free_launch_trace(l);
        return NULL;
    }
    return l;
}

static sm_report *on_launch_end(void *state)
{
    if (open_trace.to)
        fflush(open_trace.to);
    free_launch_trace(state);
    return NULL;
}

static void *on_block_open(void *state, const sm_block *b)
{
    traced_block *p = calloc(1, sizeof *p);
    if (p)
        *p = (traced_block){.block = b, .of = state};
    return p;
}

static void on_block_begin(void *state)
{
    traced_block *p = state;
    const trace_filter *w = &open_trace.filter;
    const uint32_t *id = p->block->id;
    p->on = p->of->on &&
            (w->all_blocks ||
             (w->by_number ? p->block->linear == w->block[0]
                           : id[0] == w->block[0] && id[1] == w->block[1] && id[2] == w->block[2]));
}

/* --- lines --- */

/* The lanes of MASK that wait at instruction I for other lanes to reconverge. */
static uint32_t waiting_lanes(const sm_warp *w, const sm_insn *i, uint32_t mask)
{
    uint32_t lanes = 0;
    for (uint32_t k = 0; k < w->sched->count; k++) {
        const sm_fragment *f = &w->sched->frag[k];
        lanes |= f->wait_state == SM_AT_SYNC && f->pc == i ? f->mask : 0;
    }
    return lanes & mask;
}

/* Write the last column of a line: the registers that instruction I wrote. */
static void write_result_registers(launch_trace *l, const sm_warp *w, const sm_insn *i,
                                   uint32_t mask, const uint8_t *window)
{
    const sm_unit *u = l->grid->unit;
    const uint32_t index = u->site_code[i->site];
    const ptx_insn *in = sm_site_insn(w, i);
    bool any = waiting_lanes(w, i, mask);
    if (any)
        fputs("waits", l->into);
    const bool none = any || !mask || ptx_traits_of(in)->flow == PTX_FLOW_call;
    for (ptx_register_walk r = ptx_registers_written(in); !none && ptx_next_register(&r);) {
        fputs(any ? " " : "", l->into);
        any = true;
        dbg_register_text(l->into, u->code[index], l->forms[index], window, r.reg, mask);
    }
    fputs(any ? "\n" : "-\n", l->into);
}

/* Append the current line to the file, unless the file has reached its limit. */
static void append_line(launch_trace *l)
{
    fflush(l->into);
    const uint64_t length = (uint64_t)ftello(l->into);
    if (open_trace.written + length > open_trace.limit) {
        fprintf(open_trace.to,
                "# The trace ends here, after %" PRIu64 " bytes: choose a kernel, a block and a "
                "warp with WARPBOOK_TRACE=FILE:KERNEL:BLOCK:WARP.\n",
                open_trace.written);
        trace_close();
    } else if (fwrite(l->line, 1, length, open_trace.to) == length) {
        open_trace.written += length;
    } else {
        trace_close(); /* close the file after a write error; it may end in the middle of a line */
    }
    rewind(l->into);
}

static bool on_insn_begin(void *state, const sm_warp *w, const sm_insn *i, uint32_t mask)
{
    (void)w, (void)i, (void)mask;
    ((traced_block *)state)->of->count++;
    return true;
}

static void on_insn_end(void *state, const sm_warp *w, const sm_insn *i, uint32_t mask,
                        const uint8_t *window)
{
    const traced_block *p = state;
    launch_trace *l = p->of;
    if (!p->on || !open_trace.to ||
        (!open_trace.filter.all_warps && w->index != open_trace.filter.warp))
        return;
    const sm_unit *u = l->grid->unit;
    const sm_code *c = u->code[u->site_code[i->site]];
    const ptx_insn *in = sm_site_insn(w, i);
    char where[160];
    char **text = &l->text[i->site];
    *text = *text ? *text : dbg_insn_text(u->module, c->func, in);
    fprintf(l->into, "%" PRIu64 "\t%s\t%u,%u,%u\t%u\t%" PRIu64 "\t%u\t%s\t%08x\t%s\t",
            l->grid->launch->number, l->kernel, p->block->id[0], p->block->id[1], p->block->id[2],
            w->index, l->count - 1, i->site - c->site_base,
            ptx_source_position(u->module, in, where, sizeof where), mask, *text ? *text : "?");
    write_result_registers(l, w, i, mask, window);
    append_line(l);
}

static const sm_observer trace_observer = {.serial = true,
                                           .launch_begins = on_launch_begin,
                                           .launch_ends = on_launch_end,
                                           .block_opens = on_block_open,
                                           .block_closes = free,
                                           .block_begins = on_block_begin,
                                           .insn_begins = on_insn_begin,
                                           .insn_ends = on_insn_end};

void trace_add_observer(const sm_observer *list[SM_OBSERVERS + 1])
{
    if (trace_is_on())
        sm_observer_append(list, &trace_observer);
}
