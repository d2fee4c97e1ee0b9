#include "transcript.h"

#include "../../base/list.h"
#include "../recording/recording.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The last bytes of a transcript file; the entries stand before them. */
typedef struct transcript_footer {
    char magic[8];               /* marks the end of a complete file */
    uint64_t count, entry_bytes; /* number of entries; size of an entry in bytes */
} transcript_footer;

static const char magic[8] = "wbjudge1";

bool transcript_create(transcript_writer *w, const char *path)
{
    *w = (transcript_writer){.file = fopen(path, "we")};
    return w->file;
}

/* Append SIZE bytes to the file; an error sets W->failed. */
static void write_bytes(transcript_writer *w, const void *bytes, size_t size)
{
    w->failed |= size && fwrite(bytes, 1, size, w->file) != size;
    w->end += size;
}

void transcript_store_output(transcript_writer *w, transcript_entry *e, uint32_t k,
                             const void *from, uint64_t bytes)
{
    const uint64_t digest = rec_digest_bytes(0, from, bytes);
    e->out[k].bytes = bytes;
    e->out[k].digest = digest;
    for (size_t i = w->count; i-- > 0;) {
        for (uint32_t j = 0; j < w->row[i].outs; j++) {
            if (w->row[i].out[j].digest == digest && w->row[i].out[j].bytes == bytes) {
                e->out[k].offset = w->row[i].out[j].offset;
                return;
            }
        }
    }
    static const char zeros[16];
    write_bytes(w, zeros, (16 - w->end % 16) % 16);
    e->out[k].offset = w->end;
    write_bytes(w, from, bytes);
}

void transcript_append_entry(transcript_writer *w, const transcript_entry *e)
{
    transcript_entry *row = LIST_ADD(w->row, w->count);
    if (row)
        *row = *e;
    w->failed |= !row;
}

bool transcript_close(transcript_writer *w)
{
    static const char zeros[16];
    transcript_footer f = {.count = w->count, .entry_bytes = sizeof(transcript_entry)};
    memcpy(f.magic, magic, sizeof magic);
    write_bytes(w, zeros, (16 - w->end % 16) % 16);
    write_bytes(w, w->row, w->count * sizeof *w->row);
    write_bytes(w, &f, sizeof f);
    const bool good = fclose(w->file) == 0 && !w->failed;
    free(w->row);
    return good;
}

/* Whether everything that the entries refer to lies before offset END of the file. */
static bool entries_are_valid(const transcript *t, uint64_t end)
{
    for (size_t i = 0; i < t->count; i++) {
        const transcript_entry *e = &t->row[i];
        if (e->outs > TRANSCRIPT_MAX_OUTPUTS || !memchr(e->kernel, 0, sizeof e->kernel))
            return false;
        for (uint32_t k = 0; k < e->outs; k++)
            if (e->out[k].offset > end || e->out[k].bytes > end - e->out[k].offset)
                return false;
    }
    return true;
}

bool transcript_open(transcript *t, const char *path)
{
    struct stat s;
    transcript_footer f;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    *t = (transcript){0};
    if (file < 0)
        return false;
    void *at = !fstat(file, &s) && s.st_size > (off_t)sizeof f
                   ? mmap(NULL, (size_t)s.st_size, PROT_READ, MAP_PRIVATE, file, 0)
                   : MAP_FAILED;
    close(file);
    if (at == MAP_FAILED)
        return false;
    t->bytes = at;
    t->size = (size_t)s.st_size;
    const size_t rest = t->size - sizeof f;
    memcpy(&f, t->bytes + rest, sizeof f);
    if (!memcmp(f.magic, magic, sizeof magic) && f.entry_bytes == sizeof(transcript_entry) &&
        f.count <= rest / sizeof(transcript_entry) &&
        (rest - f.count * sizeof(transcript_entry)) % 8 == 0) {
        const uint64_t end = rest - f.count * sizeof(transcript_entry);
        t->row = (const transcript_entry *)(const void *)(t->bytes + end);
        t->count = f.count;
        if (entries_are_valid(t, end))
            return true;
    }
    transcript_unmap(t);
    return false;
}

void transcript_unmap(transcript *t)
{
    if (t->bytes)
        munmap((void *)(uintptr_t)t->bytes, t->size);
    *t = (transcript){0};
}

void transcript_explain_difference(const transcript_entry *want, const transcript_entry *own,
                                   char *why, size_t cap)
{
    if (strcmp(want->kernel, own->kernel) != 0) {
        snprintf(why, cap, "it launches %.80s where the reference launches %.80s", own->kernel,
                 want->kernel);
    } else if (want->scalars != own->scalars) {
        snprintf(why, cap, "it gives %s different sizes than the reference does", own->kernel);
    } else if (want->inputs != own->inputs) {
        snprintf(why, cap, "it gives %s different inputs than the reference does", own->kernel);
    }
}
