#include "device_code.h"

#include "../../cudart/code/fatbin.h"
#include "../../cudart/core/machine.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_FILE_BYTES ((off_t)256 << 20)

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
static bool read_containers(judged_program *p, const char *at, size_t length, char *err, size_t cap)
{
    for (size_t done = 0, bytes; done < length; done += (bytes + 7) & ~(size_t)7) {
        bytes = fatbin_size(at + done, length - done);
        if (!bytes) {
            bytes = 8; /* padding between containers */
            continue;
        }
        fatbin_text t = {0};
        fatbin_status s = fatbin_choose_ptx(at + done, bytes, 90, &t);
        if (s == FATBIN_OK && !add_ptx_text(p, &t)) {
            free(t.ptx);
            s = FATBIN_MEMORY;
        }
        if (s != FATBIN_OK && s != FATBIN_NO_PTX) {
            snprintf(err, cap, "the program's device code cannot be read: %.300s", t.message);
            return false;
        }
    }
    return true;
}

bool read_program_ptx(const char *path, judged_program *out, char *err, size_t cap)
{
    struct stat st;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    *out = (judged_program){0};
    snprintf(err, cap, "%s is not a program with device code", path);
    elf_version(EV_CURRENT);
    Elf *e = fd >= 0 && !fstat(fd, &st) && st.st_size <= MAX_FILE_BYTES
                 ? elf_begin(fd, ELF_C_READ, NULL)
                 : NULL;
    const Elf_Data *code = e ? machine_section(e, ".nv_fatbin") : NULL;
    const bool good =
        code && read_containers(out, code->d_buf, code->d_size, err, cap) && out->count;
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
