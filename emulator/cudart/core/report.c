#include "report.h"

#include "../../base/json.h"
#include "../../memory/memory.h"
#include "name.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A JSON line under construction. Fields that do not fit are omitted: it stays complete. */
typedef struct json_line {
    char text[8192];  /* the line, not NUL-terminated */
    size_t used;      /* number of bytes of `text` that are written */
    const char *path; /* the file that WARPBOOK_REPORTS names */
} json_line;

enum { CLOSING_BYTES = 8 }; /* bytes of the line kept free for closing the JSON object */

static void append_bytes(json_line *l, const char *bytes, size_t n)
{
    memcpy(l->text + l->used, bytes, n);
    l->used += n;
}

/* Write TEXT as a JSON string to TO, which has SIZE bytes. Returns the length, or 0 if the string
 * does not fit. */
static size_t quote_json(char *to, size_t size, const char *text)
{
    size_t n = 0;
    to[n++] = '"';
    while (*text) {
        char piece[8];
        const size_t length = json_escape(piece, &text);
        if (n + length + 1 > size)
            return 0;
        memcpy(to + n, piece, length);
        n += length;
    }
    to[n++] = '"';
    return n;
}

/* Add a field NAME with VALUE, which is JSON text already. */
static void add_json_field(json_line *l, const char *name, const char *value)
{
    const bool first = l->text[l->used - 1] == '{';
    const size_t need = strlen(name) + strlen(value) + 4;
    if (l->used + need + CLOSING_BYTES > sizeof l->text)
        return;
    l->used += (size_t)sprintf(l->text + l->used, "%s\"%s\":%s", first ? "" : ",", name, value);
}

/* Add a string field, or nothing if TEXT is NULL. */
static void add_text_field(json_line *l, const char *name, const char *text)
{
    char value[6000];
    const size_t n = text ? quote_json(value, sizeof value - 1, text) : 0;
    if (n) {
        value[n] = '\0';
        add_json_field(l, name, value);
    }
}

static void add_number_field(json_line *l, const char *name, uint64_t number)
{
    char value[32];
    snprintf(value, sizeof value, "%" PRIu64, number);
    add_json_field(l, name, value);
}

/* Add an address as a string: many readers of JSON turn numbers into doubles. */
static void add_address_field(json_line *l, const char *name, uint64_t address)
{
    char value[32];
    snprintf(value, sizeof value, "0x%" PRIx64, address);
    add_text_field(l, name, value);
}

static void add_dim3_field(json_line *l, const char *name, const uint32_t v[3])
{
    char value[64];
    snprintf(value, sizeof value, "[%u,%u,%u]", v[0], v[1], v[2]);
    add_json_field(l, name, value);
}

static void add_source_line_field(json_line *l, const char *path, uint32_t number)
{
    if (path) {
        add_text_field(l, "file", basename(path));
        add_number_field(l, "line", number);
        add_text_field(l, "path", path);
    }
}

static void add_remedy_field(json_line *l, const char *fix)
{
    char text[SAN_ADVICE_BYTES];
    add_text_field(l, "fix", san_advice_text(fix, text, sizeof text));
}

static void add_chapter_field(json_line *l, uint32_t chapter)
{
    if (chapter)
        add_number_field(l, "chapter", chapter);
}

static void add_other_access(json_line *l, const sm_report_access *side)
{
    add_source_line_field(l, side->path, side->line);
    add_text_field(l, "who", side->thread_text);
    add_text_field(l, "did", side->access_name);
}

/* Begin an object. Returns false if WARPBOOK_REPORTS is not set. */
static bool begin_json_line(json_line *l, const char *kind)
{
    l->path = getenv("WARPBOOK_REPORTS");
    l->used = 0;
    append_bytes(l, "{", 1);
    add_text_field(l, "kind", kind);
    return l->path && *l->path;
}

static void end_json_line(json_line *l)
{
    append_bytes(l, "}\n", 2);
    const int fd = open(l->path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    const bool ok = fd >= 0 && write(fd, l->text, l->used) == (ssize_t)l->used;
    if (!ok) {
        char text[600];
        const int n =
            snprintf(text, sizeof text, "warpbook: WARPBOOK_REPORTS: cannot write %s: %s\n",
                     l->path, strerror(errno));
        const size_t length = (size_t)n < sizeof text ? (size_t)n : sizeof text - 1;
        ssize_t done = write(STDERR_FILENO, text, length);
        (void)done; /* if stderr cannot be written either, nothing can be reported */
    }
    if (fd >= 0)
        close(fd);
}

void append_kernel_finding_report(const char *kernel, const sm_report *r)
{
    json_line l;
    if (!begin_json_line(&l, r->kind))
        return;
    add_text_field(&l, "kernel", kernel);
    add_other_access(&l, &r->at);
    if (l.used + 1024 < sizeof l.text) { /* there is enough space left to close the inner object */
        append_bytes(&l, ",\"other\":{", 10);
        add_other_access(&l, &r->other);
        append_bytes(&l, "}", 1);
    }
    add_text_field(&l, "missing", r->missing);
    if (r->address)
        add_address_field(&l, "address", r->address);
    else
        add_number_field(&l, "offset", r->offset);
    if (r->times)
        add_number_field(&l, "times", r->times);
    add_dim3_field(&l, "block", r->block);
    add_text_field(&l, "sentence", r->sentence);
    add_remedy_field(&l, r->remedy);
    add_chapter_field(&l, r->chapter);
    add_text_field(&l, "severity", r->note ? "note" : "error");
    add_text_field(&l, "text", r->text);
    end_json_line(&l);
}

/* The JSON word for each kind of fault, and the chapter of the book that explains its cause. */
static const struct fault_word {
    const char *word; /* value of the JSON field for the kind of fault */
    uint32_t chapter; /* chapter that explains the cause of such faults; 0: none */
} fault_words[] = {[SM_OK] = {"none", CHAPTER_NONE},
                   [SM_FAULT_ADDRESS] = {"address", CHAPTER_EFFECTIVE_BANDWIDTH},
                   [SM_FAULT_MISALIGNED] = {"misaligned", CHAPTER_COALESCING},
                   [SM_FAULT_ASSERT] = {"assert", CHAPTER_NONE},
                   [SM_FAULT_TRAP] = {"trap", CHAPTER_NONE},
                   [SM_FAULT_ILLEGAL] = {"illegal", CHAPTER_NONE},
                   [SM_FAULT_GONE] = {"gone", CHAPTER_NONE},
                   [SM_FAULT_PC] = {"pc", CHAPTER_NONE},
                   [SM_FAULT_STACK] = {"stack", CHAPTER_REGISTERS_AND_OCCUPANCY},
                   [SM_FAULT_DEADLOCK] = {"deadlock", CHAPTER_DIVERGENCE},
                   [SM_FAULT_SYNC] = {"sync", CHAPTER_WARP_SHUFFLES},
                   [SM_FAULT_UNSUPPORTED] = {"unsupported", CHAPTER_NONE},
                   [SM_FAULT_RESOURCES] = {"resources", CHAPTER_REGISTERS_AND_OCCUPANCY},
                   [SM_FAULT_MEMORY] = {"memory", CHAPTER_NONE}};

uint32_t chapter_of_fault(const sm_fault *f)
{
    return f->space == PTX_SPACE_TEX ? CHAPTER_TEXTURES
           : f->kind == SM_FAULT_SYNC && f->space == PTX_SPACE_SHARED
               ? CHAPTER_ASYNCHRONOUS_COPIES
               : fault_words[f->kind].chapter;
}

/* Add the first line of F's text; the source line and the remedy follow it in the text. */
static void add_sentence_field(json_line *l, const sm_fault *f)
{
    char sentence[sizeof f->text];
    snprintf(sentence, sizeof sentence, "%s", f->text);
    sentence[strcspn(sentence, "\n")] = '\0';
    add_text_field(l, "sentence", sentence);
}

static void add_call_position(json_line *l, const san_call_position *w)
{
    if (w->place.line)
        add_source_line_field(l, w->place.path, w->place.line);
    add_text_field(l, "call", w->call);
    add_text_field(l, "function", w->place.function[0] ? w->place.function : NULL);
    if (w->call)
        add_number_field(l, "number", w->number);
}

/* Add what another call DID, as the object "other". */
static void add_other_call_field(json_line *l, const san_call_position *w, const char *did)
{
    if (did && l->used + 1024 < sizeof l->text) { /* leaves room to close the inner object */
        append_bytes(l, ",\"other\":{", 10);
        add_call_position(l, w);
        add_text_field(l, "did", did);
        append_bytes(l, "}", 1);
    }
}

void append_fault_report(const char *kernel, const sm_fault *f, const san_call_position *origin,
                         const char *did)
{
    json_line l;
    if (!begin_json_line(&l, "fault"))
        return;
    add_text_field(&l, "fault", fault_words[f->kind].word);
    add_text_field(&l, "kernel", kernel);
    add_source_line_field(&l, f->path, f->line);
    if (f->function) { /* only a fault at an instruction belongs to a thread */
        char *function = name_of_kernel(f->function);
        add_text_field(&l, "function", function);
        free(function);
        add_dim3_field(&l, "thread", f->thread);
        add_dim3_field(&l, "block", f->block);
    }
    if (f->size) {
        char what[400];
        const bool missed = f->kind == SM_FAULT_ADDRESS &&
                            (f->space == PTX_SPACE_GLOBAL || f->space == PTX_SPACE_NONE);
        add_address_field(&l, "address", f->address);
        add_number_field(&l, "bytes", f->size);
        if (missed)
            add_text_field(&l, "allocation", mem_describe(f->address, f->size, what, sizeof what));
    }
    add_other_call_field(&l, origin, did);
    add_sentence_field(&l, f);
    add_remedy_field(&l, f->remedy);
    add_chapter_field(&l, chapter_of_fault(f));
    add_text_field(&l, "severity", "error");
    add_text_field(&l, "text", f->text);
    end_json_line(&l);
}

void append_host_finding_report(const san_finding *f, const char *text)
{
    json_line l;
    if (!begin_json_line(&l, f->kind))
        return;
    add_call_position(&l, &f->at);
    add_other_call_field(&l, &f->other, f->other_did);
    if (f->address)
        add_address_field(&l, "address", f->address);
    add_text_field(&l, "sentence", f->sentence);
    add_remedy_field(&l, f->fix);
    add_chapter_field(&l, f->chapter);
    add_text_field(&l, "severity", "error");
    add_text_field(&l, "text", text);
    end_json_line(&l);
}

void append_message_report(const char *text)
{
    json_line l;
    if (begin_json_line(&l, "message")) {
        add_text_field(&l, "text", text);
        end_json_line(&l);
    }
}
