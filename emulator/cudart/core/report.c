#include "report.h"

#include "../../memory/memory.h"
#include "name.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A JSON line under construction. Fields that do not fit are left out, so that the JSON object
 * stays complete. */
typedef struct json_line {
    char text[8192];
    size_t used;
    const char *path; /* the file that WARPBOOK_REPORTS names */
} json_line;

enum { TAIL = 8 }; /* bytes kept free for closing the object */

static void put_bytes(json_line *l, const char *bytes, size_t n)
{
    memcpy(l->text + l->used, bytes, n);
    l->used += n;
}

/* Write TEXT as a JSON string (RFC 8259, section 7) to TO, which has ROOM bytes. Returns the
 * length, or 0 if the string does not fit. Bytes that are not ASCII are assumed to be UTF-8. */
static size_t quote_json(char *to, size_t room, const char *text)
{
    size_t n = 0;
    if (room < 2) {
        return 0;
    }
    to[n++] = '"';
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        char piece[8];
        int length = *c == '"' || *c == '\\' ? snprintf(piece, sizeof piece, "\\%c", *c)
                     : *c == '\n'            ? snprintf(piece, sizeof piece, "\\n")
                     : *c < 0x20             ? snprintf(piece, sizeof piece, "\\u%04x", *c)
                                             : snprintf(piece, sizeof piece, "%c", *c);
        if (n + (size_t)length + 1 > room) {
            return 0;
        }
        memcpy(to + n, piece, (size_t)length);
        n += (size_t)length;
    }
    to[n++] = '"';
    return n;
}

/* Add a field NAME with VALUE, which is JSON text already. */
static void put_raw(json_line *l, const char *name, const char *value)
{
    const bool first = l->text[l->used - 1] == '{';
    const size_t need = strlen(name) + strlen(value) + 4;
    if (l->used + need + TAIL > sizeof l->text) {
        return;
    }
    l->used += (size_t)sprintf(l->text + l->used, "%s\"%s\":%s", first ? "" : ",", name, value);
}

/* Add a string field, or nothing if TEXT is NULL. */
static void put_text(json_line *l, const char *name, const char *text)
{
    char value[6000];
    const size_t n = text ? quote_json(value, sizeof value - 1, text) : 0;
    if (n) {
        value[n] = '\0';
        put_raw(l, name, value);
    }
}

static void put_number(json_line *l, const char *name, uint64_t number)
{
    char value[32];
    snprintf(value, sizeof value, "%" PRIu64, number);
    put_raw(l, name, value);
}

/* Add an address as a string: many readers of JSON turn numbers into doubles. */
static void put_address(json_line *l, const char *name, uint64_t address)
{
    char value[32];
    snprintf(value, sizeof value, "0x%" PRIx64, address);
    put_text(l, name, value);
}

static void put_dim3(json_line *l, const char *name, const uint32_t v[3])
{
    char value[64];
    snprintf(value, sizeof value, "[%u,%u,%u]", v[0], v[1], v[2]);
    put_raw(l, name, value);
}

static void put_source_line(json_line *l, const char *path, uint32_t number)
{
    if (path) {
        const char *slash = strrchr(path, '/');
        put_text(l, "file", slash ? slash + 1 : path);
        put_number(l, "line", number);
        put_text(l, "path", path);
    }
}

static void put_mend(json_line *l, const char *mend)
{
    char text[SAN_ADVICE_BYTES];
    put_text(l, "mend", san_advice_text(mend, text, sizeof text));
}

static void put_chapter(json_line *l, uint32_t chapter)
{
    if (chapter) {
        put_number(l, "chapter", chapter);
    }
}

static void put_other_access(json_line *l, const sm_report_access *side)
{
    put_source_line(l, side->path, side->line);
    put_text(l, "who", side->thread_text);
    put_text(l, "did", side->access_name);
}

/* Begin an object. Returns false if WARPBOOK_REPORTS is not set. */
static bool begin_line(json_line *l, const char *kind)
{
    l->path = getenv("WARPBOOK_REPORTS");
    l->used = 0;
    put_bytes(l, "{", 1);
    put_text(l, "kind", kind);
    return l->path && *l->path;
}

static void end_line(json_line *l)
{
    put_bytes(l, "}\n", 2);
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
    if (fd >= 0) {
        close(fd);
    }
}

void report_finding(const char *kernel, const sm_report *r)
{
    json_line l;
    if (!begin_line(&l, r->kind)) {
        return;
    }
    put_text(&l, "kernel", kernel);
    put_other_access(&l, &r->at);
    if (l.used + 1024 < sizeof l.text) { /* leaves room to close the inner object */
        put_bytes(&l, ",\"other\":{", 10);
        put_other_access(&l, &r->other);
        put_bytes(&l, "}", 1);
    }
    put_text(&l, "missing", r->missing);
    if (r->address) {
        put_address(&l, "address", r->address);
    } else {
        put_number(&l, "offset", r->offset);
    }
    if (r->times) {
        put_number(&l, "times", r->times);
    }
    put_dim3(&l, "block", r->block);
    put_text(&l, "sentence", r->sentence);
    put_mend(&l, r->remedy);
    put_chapter(&l, r->chapter);
    put_text(&l, "severity", r->note ? "note" : "error");
    put_text(&l, "text", r->text);
    end_line(&l);
}

/* The JSON word for each kind of fault, and the chapter of the book that explains its cause. */
static const struct fault_word {
    const char *word;
    uint32_t chapter;
} fault_words[] = {[SM_OK] = {"none", 0},
                   [SM_FAULT_ADDRESS] = {"address", 1},
                   [SM_FAULT_MISALIGNED] = {"misaligned", 2},
                   [SM_FAULT_ASSERT] = {"assert", 0},
                   [SM_FAULT_TRAP] = {"trap", 0},
                   [SM_FAULT_ILLEGAL] = {"illegal", 0},
                   [SM_FAULT_GONE] = {"gone", 0},
                   [SM_FAULT_PC] = {"pc", 0},
                   [SM_FAULT_STACK] = {"stack", 11},
                   [SM_FAULT_DEADLOCK] = {"deadlock", 12},
                   [SM_FAULT_SYNC] = {"sync", 9},
                   [SM_FAULT_UNSUPPORTED] = {"unsupported", 0},
                   [SM_FAULT_RESOURCES] = {"resources", 11},
                   [SM_FAULT_MEMORY] = {"memory", 0}};

uint32_t report_chapter(const sm_fault *f)
{
    return f->space == PTX_SPACE_TEX ? 0 : fault_words[f->kind].chapter; /* no chapter on
                                                                          * textures */
}

/* Add the first line of F's text; the source line and the remedy follow it in the text. */
static void put_sentence(json_line *l, const sm_fault *f)
{
    char sentence[sizeof f->text];
    snprintf(sentence, sizeof sentence, "%s", f->text);
    sentence[strcspn(sentence, "\n")] = '\0';
    put_text(l, "sentence", sentence);
}

static void put_call_position(json_line *l, const san_call_position *w)
{
    if (w->place.line) {
        put_source_line(l, w->place.path, w->place.line);
    }
    put_text(l, "call", w->call);
    put_text(l, "function", w->place.function[0] ? w->place.function : NULL);
    if (w->call) {
        put_number(l, "number", w->number);
    }
}

/* Add what another call DID, as the object "other". */
static void put_other_call(json_line *l, const san_call_position *w, const char *did)
{
    if (did && l->used + 1024 < sizeof l->text) { /* leaves room to close the inner object */
        put_bytes(l, ",\"other\":{", 10);
        put_call_position(l, w);
        put_text(l, "did", did);
        put_bytes(l, "}", 1);
    }
}

void report_fault(const char *kernel, const sm_fault *f, const san_call_position *origin,
                  const char *did)
{
    json_line l;
    if (!begin_line(&l, "fault")) {
        return;
    }
    put_text(&l, "fault", fault_words[f->kind].word);
    put_text(&l, "kernel", kernel);
    put_source_line(&l, f->path, f->line);
    if (f->function) { /* only a fault at an instruction has a thread */
        char *function = name_of_kernel(f->function);
        put_text(&l, "function", function);
        free(function);
        put_dim3(&l, "thread", f->thread);
        put_dim3(&l, "block", f->block);
    }
    if (f->size) {
        char what[400];
        const bool missed = f->kind == SM_FAULT_ADDRESS &&
                            (f->space == PTX_SPACE_GLOBAL || f->space == PTX_SPACE_NONE);
        put_address(&l, "address", f->address);
        put_number(&l, "bytes", f->size);
        if (missed) {
            put_text(&l, "allocation", mem_describe(f->address, f->size, what, sizeof what));
        }
    }
    put_other_call(&l, origin, did);
    put_sentence(&l, f);
    put_mend(&l, f->remedy);
    put_chapter(&l, report_chapter(f));
    put_text(&l, "severity", "error");
    put_text(&l, "text", f->text);
    end_line(&l);
}

void report_host_finding(const san_finding *f, const char *text)
{
    json_line l;
    if (!begin_line(&l, f->kind)) {
        return;
    }
    put_call_position(&l, &f->at);
    put_other_call(&l, &f->other, f->other_did);
    if (f->address) {
        put_address(&l, "address", f->address);
    }
    put_text(&l, "sentence", f->sentence);
    put_mend(&l, f->mend);
    put_chapter(&l, f->chapter);
    put_text(&l, "severity", "error");
    put_text(&l, "text", text);
    end_line(&l);
}

void report_message(const char *text)
{
    json_line l;
    if (begin_line(&l, "message")) {
        put_text(&l, "text", text);
        end_line(&l);
    }
}
