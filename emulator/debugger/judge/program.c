#include "program.h"

#include "../../cudart/code/fatbin.h"
#include "../../cudart/core/machine.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_FILE_BYTES ((off_t)256 << 20)
#define FATBIN_MAGIC   UINT32_C(0xba55ed50)

/* The header of a fat-binary container. The container's content follows, then the next header, at a
 * multiple of 8. */
typedef struct fatbin_container {
    uint32_t magic;           /* FATBIN_MAGIC */
    uint16_t version, header; /* version; size of this header in bytes */
    uint64_t content;         /* size of the content in bytes */
} fatbin_container;

/* Whether BYTES bytes from OFFSET on lie within the SIZE bytes of the file. */
static bool is_within_file(size_t size, uint64_t offset, uint64_t bytes)
{
    return offset <= size && bytes <= size - offset;
}

/* Add the PTX text T to the list of P. Returns false when the host is out of memory. */
static bool add_ptx_text(judged_program *p, const fatbin_text *t)
{
    char **ptx = realloc(p->ptx, (p->count + 1) * sizeof *ptx);
    if (!ptx)
        return false;
    p->ptx = ptx;
    size_t *length = realloc(p->length, (p->count + 1) * sizeof *length);
    if (!length)
        return false;
    p->length = length;
    p->ptx[p->count] = t->ptx;
    p->length[p->count++] = t->length;
    return true;
}

/* Add the PTX of each fat-binary container in the LENGTH bytes at AT to P. */
static bool read_containers(judged_program *p, const char *at, size_t length, char *err,
                            size_t room)
{
    size_t done = 0;
    fatbin_container c;
    while (done + sizeof c <= length) {
        memcpy(&c, at + done, sizeof c);
        if (c.magic != FATBIN_MAGIC || !is_within_file(length - done, c.header, c.content)) {
            done += 8; /* padding between containers */
            continue;
        }
        /* Copy the container: its PTX is searched for at the alignment of its address. */
        const size_t bytes = (size_t)(c.header + c.content);
        char *copy = malloc(bytes);
        fatbin_text t = {0};
        fatbin_status s = FATBIN_MEMORY;
        if (copy) {
            memcpy(copy, at + done, bytes);
            s = fatbin_choose_ptx(copy, bytes, 90, &t);
        }
        free(copy);
        if (s == FATBIN_OK && !add_ptx_text(p, &t)) {
            free(t.ptx);
            s = FATBIN_MEMORY;
        }
        if (s != FATBIN_OK && s != FATBIN_NO_PTX) {
            snprintf(err, room, "the program's device code cannot be read: %.300s", t.message);
            return false;
        }
        done += (bytes + 7) & ~(size_t)7;
    }
    return true;
}

bool read_program_ptx(const char *path, judged_program *out, char *err, size_t room)
{
    struct stat st;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    *out = (judged_program){0};
    snprintf(err, room, "%s is not a program with device code", path);
    elf_version(EV_CURRENT);
    Elf *e = fd >= 0 && !fstat(fd, &st) && st.st_size <= MAX_FILE_BYTES
                 ? elf_begin(fd, ELF_C_READ, NULL)
                 : NULL;
    const Elf_Data *code = e ? machine_section(e, ".nv_fatbin") : NULL;
    const bool good =
        code && read_containers(out, code->d_buf, code->d_size, err, room) && out->count;
    elf_end(e);
    if (fd >= 0)
        close(fd);
    if (!good)
        free_program_ptx(out);
    return good;
}

void free_program_ptx(judged_program *p)
{
    for (size_t k = 0; k < p->count; k++)
        free(p->ptx[k]);
    free(p->ptx);
    free(p->length);
    *p = (judged_program){0};
}

bool program_has_ptx(const judged_program *p, const void *ptx, size_t length)
{
    for (size_t k = 0; k < p->count; k++)
        if (p->length[k] == length && !memcmp(p->ptx[k], ptx, length))
            return true;
    return false;
}
