#include "elf_needed.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void read_dynamic_section(Elf *e, Elf_Scn *section, size_t strings, elf_facts *out)
{
    GElf_Dyn d;
    Elf_Data *rows = elf_getdata(section, NULL);
    for (int i = 0; gelf_getdyn(rows, i, &d) && d.d_tag != DT_NULL; i++) {
        const char *name = d.d_tag == DT_NEEDED ? elf_strptr(e, strings, d.d_un.d_val) : NULL;
        if (d.d_tag == DT_RPATH || d.d_tag == DT_RUNPATH)
            out->has_rpath = true;
        if (name && strncmp(name, "libcudart.so", 12) == 0)
            snprintf(out->cudart, sizeof out->cudart, "%s", name);
    }
}

static void read_section_headers(Elf *e, elf_facts *out)
{
    GElf_Shdr s;
    size_t names = 0;
    elf_getshdrstrndx(e, &names);
    for (Elf_Scn *n = NULL; (n = elf_nextscn(e, n));) {
        if (!gelf_getshdr(n, &s))
            continue;
        const char *name = elf_strptr(e, names, s.sh_name);
        if (name && (strcmp(name, ".nv_fatbin") == 0 || strcmp(name, ".nvFatBinSegment") == 0))
            out->has_fatbin = true;
        if (s.sh_type == SHT_DYNAMIC)
            read_dynamic_section(e, n, s.sh_link, out);
    }
}

bool read_elf_facts(const char *path, elf_facts *out)
{
    *out = (elf_facts){0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) != 0) {
        if (fd >= 0)
            close(fd);
        return false;
    }
    elf_version(EV_CURRENT);
    Elf *e = elf_begin(fd, ELF_C_READ, NULL);
    const unsigned one = 1;
    const char order = *(const unsigned char *)&one ? ELFDATA2LSB : ELFDATA2MSB, *ident = NULL;
    if (e && elf_kind(e) == ELF_K_ELF)
        ident = elf_getident(e, NULL);
    if (ident && ident[EI_CLASS] == ELFCLASS64 && ident[EI_DATA] == order) {
        out->is_elf = true;
        read_section_headers(e, out);
    }
    elf_end(e);
    close(fd);
    return true;
}
