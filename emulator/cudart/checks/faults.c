/* Reports errors that end a kernel or the program: a kernel's fault, with its source line and the
 * call that allocated or freed the memory, and an access of host code to device memory. */
#include "../../memory/describe.h"
#include "../../ptx/ptx.h"
#include "../../sanitizer/guard.h"
#include "../../sanitizer/leak.h"
#include "../../sanitizer/source_line.h"
#include "../core/report.h"
#include "../core/state.h"
#include "checks.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

/* The CUDA call that allocated or freed the memory nearest to the address of a faulting access. */
typedef struct fault_origin {
    san_call_position at; /* source position of the call */
    const char *did;      /* text for the report: what the call did; NULL: position unknown */
    uint64_t overrun;     /* bytes of the allocation that the access missed at its end; 0: none */
} fault_origin;

static void find_fault_origin(const sm_fault *f, fault_origin *out)
{
    san_allocation a;
    bool freed = false;
    *out = (fault_origin){0};
    san_caller by;
    if (f->space == PTX_SPACE_TEX && rt_find_destroying_call(f->address, &by)) {
        san_call_position_of(&by, &out->at);
        out->did = "the object was destroyed here";
        return;
    }
    if (f->kind != SM_FAULT_ADDRESS || !(rt.sanitize & SAN_MEMORY) ||
        (f->space != PTX_SPACE_GLOBAL && f->space != PTX_SPACE_NONE))
        return;
    const uint64_t base = mem_described_allocation(f->address, f->size ? f->size : 1, &freed);
    rt_take_lock_again();
    if (base && san_find_allocation(base, freed, &a)) {
        san_call_position_of(freed ? &a.freed_by : &a.by, &out->at);
        out->overrun = !freed && f->address + f->size > a.at + a.size ? a.size : 0;
        out->did = !out->at.place.line ? NULL
                   : freed             ? (out->at.call && strstr(out->at.call, "Reset")
                                              ? "cudaDeviceReset freed the memory here"
                                              : "the memory was freed here")
                                       : "the memory was allocated here";
    }
    rt_release_lock();
}

/* Insert LINES after the line of F's text that begins at FROM. Returns where the next begins. */
static size_t insert_lines_into_text(sm_fault *f, size_t from, const char *lines)
{
    const size_t n = strlen(lines), used = strlen(f->text);
    const size_t end = from + strcspn(f->text + from, "\n");
    if (!n || used + n + 1 >= sizeof f->text)
        return from;
    memmove(f->text + end + n + 1, f->text + end, used - end + 1);
    f->text[end] = '\n';
    memcpy(f->text + end + 1, lines, n);
    const char *last = f->text + end + 1;
    for (const char *c = last; c < f->text + end + n; c++)
        last = *c == '\n' ? c + 1 : last;
    return (size_t)(last - f->text);
}

static void complete_fault_text(sm_fault *f, const char *kernel, const fault_origin *o)
{
    char source[400] = "", origin[900] = "";
    size_t at = 0;
    if (f->path && san_source_line(f->path, f->line, 0, source, sizeof source))
        at = insert_lines_into_text(f, at, source);
    if (o->did) {
        char where[300];
        const san_host_position *p = &o->at.place;
        const size_t n = san_source_line(p->path, p->line, p->column, source, sizeof source);
        snprintf(origin, sizeof origin, "%s: %s%s%s",
                 san_call_position_text(&o->at, where, sizeof where), o->did, n ? "\n" : "",
                 n ? source : "");
        insert_lines_into_text(f, at, origin);
    }
    const size_t length = strlen(f->text);
    if (f->function && chapter_of_fault(f))
        snprintf(f->text + length, sizeof f->text - length, " (chapter %u)", chapter_of_fault(f));
    if (f->insn && !f->path) {
        const size_t all = strlen(f->text);
        snprintf(
            f->text + all, sizeof f->text - all,
            "\nIn kernel %.200s, instruction %.60s. nvcc -lineinfo makes reports name the line.",
            kernel, f->insn);
    }
}

bool rt_launch_site_text(const char *path, const san_caller *by, char *out, size_t size)
{
    san_call_position where;
    char position[300];
    if (!path || !by || !ptx_is_library_path(path))
        return false;
    san_call_position_of(by, &where);
    if (!where.place.line)
        return false;
    snprintf(out, size, "%s: here the program started the kernel, whose source is in a library",
             san_call_position_text(&where, position, sizeof position));
    return true;
}

/* Replace LENGTH bytes at FROM in F's text by TEXT, if there is space. */
static void replace_in_text(sm_fault *f, char *from, size_t length, const char *text)
{
    const size_t n = strlen(text), rest = strlen(from + length) + 1;
    if ((size_t)(from - f->text) + n + rest > sizeof f->text)
        return;
    memmove(from + n, from + length, rest);
    memcpy(from, text, n);
}

static void replace_remedy(sm_fault *f, const char *remedy)
{
    char *advice = f->remedy ? strstr(f->text, f->remedy) : NULL;
    if (advice) {
        replace_in_text(f, advice, strlen(f->remedy), remedy);
        f->remedy = remedy;
    }
}

/* A lambda in a member function captures this, where it seems to capture the members: say so in
 * place of where the address lies, with its own remedy. */
static void name_captured_this(sm_fault *f, const san_caller *by, const uint8_t *params,
                               size_t bytes)
{
    static const char remedy[] =
        "Copy the members that the lambda uses into local variables before it, or capture *this, "
        "if the destructor of that copy frees nothing.";
    char class[600], text[800];
    char *from = strstr(f->text, "a host address, "),
         *end = from ? strstr(from, ". A kernel") : NULL;
    if (!end || !by ||
        !rt_find_class_of_captured_this(f->address, by->kernel, params, bytes, class, sizeof class))
        return;
    snprintf(
        text, sizeof text,
        "a host address, in an object of host code: the lambda uses members of class %s, and so "
        "has captured this, a pointer to host memory",
        class);
    replace_in_text(f, from, (size_t)(end - from), text);
    replace_remedy(f, remedy);
}

/* A kernel went past the end of memory that has as many bytes as the kernel was given as a number:
 * it was allocated in elements, it seems. */
static void name_size_in_elements(sm_fault *f, uint64_t allocated, const uint8_t *params,
                                  size_t bytes)
{
    static const char remedy[] =
        "The memory has as many bytes as the kernel was given elements, it seems: allocate n * "
        "sizeof(type) bytes, not n. If it was given bytes, compare the index with the elements "
        "that fit.";
    uint32_t word;
    bool given = false;
    for (size_t at = 0; allocated && at + sizeof word <= bytes && !given; at += sizeof word) {
        memcpy(&word, params + at, sizeof word);
        given = word == allocated;
    }
    if (given && f->size > 1)
        replace_remedy(f, remedy);
}

void rt_report_fault(const char *kernel, sm_fault *f, const san_caller *by, const uint8_t *params,
                     size_t bytes)
{
    fault_origin o;
    char site[500];
    rt_take_lock_again();
    rt_report_unchecked_errors(); /* the first cause first */
    rt_release_lock();
    find_fault_origin(f, &o);
    name_captured_this(f, by, params, bytes);
    name_size_in_elements(f, o.overrun, params, bytes);
    if (rt_launch_site_text(f->path, by, site, sizeof site))
        insert_lines_into_text(f, 0, site);
    complete_fault_text(f, kernel, &o);
    rt_print(f->text);
    append_fault_report(kernel, f, o.did ? &o.at : NULL, o.did);
}

/* Searching for the line allocates memory, which is no harm: the code that follows a wrong pointer
 * does not hold the allocator's locks. */
void rt_report_host_access(const mem_host_access *a)
{
    char text[SAN_FINDING_BYTES];
    san_caller by;
    san_finding f = {.kind = "host",
                     .fix = mem_host_access_remedy,
                     .address = a->address,
                     .chapter = CHAPTER_EFFECTIVE_BANDWIDTH};
    rt_report_unchecked_errors();
    san_capture_faulting_code(&by, a->code);
    san_skip_own_frames(&by);
    if (by.call) { /* the call used what it was given as an address of host memory */
        const bool launches = strstr(by.call, "Launch");
        snprintf(f.sentence, sizeof f.sentence,
                 "%s %s host memory at 0x%llx, which is %s: a pointer that this call was given is "
                 "wrong",
                 by.call, a->did, (unsigned long long)a->address,
                 a->what ? a->what : "no memory of this program");
        f.fix = launches ? "let each element of the array of arguments hold the address of an "
                           "argument (&x), not its value, and each pointer be valid"
                         : "pass the address of host memory where the call expects one";
    } else if (a->what) {
        mem_host_access_text(a, f.sentence, sizeof f.sentence);
    } else {
        return; /* a mistake of host code that has nothing to do with CUDA */
    }
    san_call_position_of(&by, &f.at);
    san_finding_text(&f, text, sizeof text);
    rt_print(text);
    append_host_finding_report(&f, text);
}

static void report_at_abort(int signal)
{
    rt_report_unchecked_errors();
    struct sigaction plain = {.sa_handler = SIG_DFL};
    sigaction(signal, &plain, NULL);
    raise(signal);
}

void rt_watch_for_abort(void)
{
    struct sigaction now, report = {.sa_handler = report_at_abort};
    if (rt.sanitize & SAN_HOST && sigaction(SIGABRT, NULL, &now) == 0 && now.sa_handler == SIG_DFL)
        sigaction(SIGABRT, &report, NULL);
}
