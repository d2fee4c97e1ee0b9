#include "elf_needed.h"

#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct image {
    const unsigned char *bytes;
    uint64_t size;
} image;

/* SIZE bytes at OFFSET, or NULL where they are not all in the file. */
static const void *at(const image *f, uint64_t offset, uint64_t size)
{
    return offset <= f->size && size <= f->size - offset ? f->bytes + offset : NULL;
}

static const char *string_at(const image *f, uint64_t offset)
{
    if (offset >= f->size || !memchr(f->bytes + offset, 0, f->size - offset))
        return NULL;
    return (const char *)f->bytes + offset;
}

static void look_for_sections(const image *f, const Elf64_Ehdr *head, elf_facts *out)
{
    Elf64_Shdr s, names;
    const void *p = at(f, head->e_shoff + (uint64_t)head->e_shstrndx * sizeof s, sizeof s);
    if (head->e_shentsize != sizeof s || !p)
        return;
    memcpy(&names, p, sizeof names);
    for (unsigned i = 0; i < head->e_shnum; i++) {
        if (!(p = at(f, head->e_shoff + (uint64_t)i * sizeof s, sizeof s)))
            return;
        memcpy(&s, p, sizeof s);
        const char *name = string_at(f, names.sh_offset + s.sh_name);
        if (name && (strcmp(name, ".nv_fatbin") == 0 || strcmp(name, ".nvFatBinSegment") == 0))
            out->has_fatbin = true;
    }
}

/* File offset of a virtual address, through the loadable segments. */
static uint64_t offset_of(const image *f, const Elf64_Ehdr *head, uint64_t address)
{
    Elf64_Phdr p;
    for (unsigned i = 0; i < head->e_phnum; i++) {
        const void *at_p = at(f, head->e_phoff + (uint64_t)i * sizeof p, sizeof p);
        if (!at_p)
            break;
        memcpy(&p, at_p, sizeof p);
        if (p.p_type == PT_LOAD && address >= p.p_vaddr && address - p.p_vaddr < p.p_filesz)
            return address - p.p_vaddr + p.p_offset;
    }
    return UINT64_MAX;
}

static void look_at_dynamic(const image *f, const Elf64_Ehdr *head, const Elf64_Phdr *dynamic,
                            elf_facts *out)
{
    uint64_t strings = UINT64_MAX;
    for (int pass = 0; pass < 2; pass++)
        for (uint64_t i = 0; i < dynamic->p_filesz / sizeof(Elf64_Dyn); i++) {
            Elf64_Dyn d;
            const void *p = at(f, dynamic->p_offset + i * sizeof d, sizeof d);
            if (!p)
                break;
            memcpy(&d, p, sizeof d);
            if (d.d_tag == DT_NULL)
                break;
            if (pass == 0 && d.d_tag == DT_STRTAB)
                strings = offset_of(f, head, d.d_un.d_ptr);
            if (pass == 0 && (d.d_tag == DT_RPATH || d.d_tag == DT_RUNPATH))
                out->has_rpath = true;
            if (pass == 1 && d.d_tag == DT_NEEDED && strings != UINT64_MAX) {
                const char *name = string_at(f, strings + d.d_un.d_val);
                if (name && strncmp(name, "libcudart.so", 12) == 0)
                    snprintf(out->cudart, sizeof out->cudart, "%s", name);
            }
        }
}

bool elf_read(const char *path, elf_facts *out)
{
    *out = (elf_facts){0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    if (fd < 0)
        return false;
    if (fstat(fd, &st) != 0 || st.st_size < (off_t)sizeof(Elf64_Ehdr)) {
        close(fd);
        return true;
    }
    void *map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (map == MAP_FAILED)
        return false;
    image f = {map, (uint64_t)st.st_size};
    Elf64_Ehdr head;
    memcpy(&head, map, sizeof head);
    const unsigned one = 1;
    unsigned char order = *(const unsigned char *)&one ? ELFDATA2LSB : ELFDATA2MSB;
    if (memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && head.e_ident[EI_CLASS] == ELFCLASS64 &&
        head.e_ident[EI_DATA] == order) {
        out->is_elf = true;
        look_for_sections(&f, &head, out);
        for (unsigned i = 0; i < head.e_phnum; i++) {
            Elf64_Phdr p;
            const void *at_p = at(&f, head.e_phoff + (uint64_t)i * sizeof p, sizeof p);
            if (!at_p)
                break;
            memcpy(&p, at_p, sizeof p);
            if (p.p_type == PT_DYNAMIC)
                look_at_dynamic(&f, &head, &p, out);
        }
    }
    munmap(map, (size_t)st.st_size);
    return true;
}
