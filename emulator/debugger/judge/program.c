#include "program.h"

#include "../../cudart/code/fatbin.h"

#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MOST    ((size_t)256 << 20)
#define FATBIN_MAGIC UINT32_C(0xba55ed50)

/* The header of a container; the next one follows it and its content, at a multiple of 8. */
typedef struct container {
    uint32_t magic;
    uint16_t version, header;
    uint64_t content;
} container;

static char *whole_file(const char *path, size_t *size)
{
    FILE *f = fopen(path, "re");
    char *bytes = NULL;
    long end = 0;
    if (f && !fseek(f, 0, SEEK_END) && (end = ftell(f)) > 0 && (size_t)end <= FILE_MOST) {
        rewind(f);
        bytes = malloc((size_t)end);
        if (bytes && fread(bytes, 1, (size_t)end, f) != (size_t)end) {
            free(bytes);
            bytes = NULL;
        }
    }
    if (f)
        fclose(f);
    *size = (size_t)end;
    return bytes;
}

static bool within(size_t size, uint64_t offset, uint64_t bytes)
{
    return offset <= size && bytes <= size - offset;
}

/* Section NAME of an ELF file of 64 bits: its bytes; NULL: there is none. */
static const char *section(const char *file, size_t size, const char *name, size_t *length)
{
    Elf64_Ehdr head;
    Elf64_Shdr row, names;
    if (size < sizeof head)
        return NULL;
    memcpy(&head, file, sizeof head);
    if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_shentsize != sizeof row ||
        !within(size, head.e_shoff, (uint64_t)head.e_shnum * sizeof row) ||
        head.e_shstrndx >= head.e_shnum)
        return NULL;
    memcpy(&names, file + head.e_shoff + head.e_shstrndx * sizeof row, sizeof names);
    if (!within(size, names.sh_offset, names.sh_size))
        return NULL;
    const size_t n = strlen(name) + 1;
    for (unsigned k = 0; k < head.e_shnum; k++) {
        memcpy(&row, file + head.e_shoff + k * sizeof row, sizeof row);
        if (within(names.sh_size, row.sh_name, n) &&
            !memcmp(file + names.sh_offset + row.sh_name, name, n) &&
            within(size, row.sh_offset, row.sh_size)) {
            *length = row.sh_size;
            return file + row.sh_offset;
        }
    }
    return NULL;
}

static bool keep(program *p, const fatbin_text *t)
{
    char **ptx = realloc(p->ptx, (p->count + 1) * sizeof *ptx);
    p->ptx = ptx ? ptx : p->ptx;
    size_t *length = ptx ? realloc(p->length, (p->count + 1) * sizeof *length) : NULL;
    if (!length)
        return false;
    p->length = length;
    p->ptx[p->count] = t->ptx;
    p->length[p->count++] = t->length;
    return true;
}

static bool read_containers(program *p, const char *at, size_t length, char *err, size_t room)
{
    size_t done = 0;
    container c;
    while (done + sizeof c <= length) {
        memcpy(&c, at + done, sizeof c);
        if (c.magic != FATBIN_MAGIC || !within(length - done, c.header, c.content)) {
            done += 8; /* padding between containers */
            continue;
        }
        /* The container is copied, since its text is looked for at its address's alignment. */
        const size_t bytes = (size_t)(c.header + c.content);
        char *copy = malloc(bytes);
        fatbin_text t = {0};
        fatbin_status s = FATBIN_MEMORY;
        if (copy) {
            memcpy(copy, at + done, bytes);
            s = fatbin_choose(copy, bytes, 90, &t);
        }
        free(copy);
        if (s == FATBIN_OK && !keep(p, &t)) {
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

bool program_read(const char *path, program *out, char *err, size_t room)
{
    size_t size, length = 0;
    char *file = whole_file(path, &size);
    const char *code = file ? section(file, size, ".nv_fatbin", &length) : NULL;
    *out = (program){0};
    snprintf(err, room, "%s is no program with device code", path);
    const bool good = code && read_containers(out, code, length, err, room) && out->count;
    free(file);
    if (!good)
        program_free(out);
    return good;
}

void program_free(program *p)
{
    for (size_t k = 0; k < p->count; k++)
        free(p->ptx[k]);
    free(p->ptx);
    free(p->length);
    *p = (program){0};
}

bool program_holds(const program *p, const void *ptx, size_t length)
{
    for (size_t k = 0; k < p->count; k++)
        if (p->length[k] == length && !memcmp(p->ptx[k], ptx, length))
            return true;
    return false;
}
