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
        if (d.d_tag == DT_RPATH)
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

static void read_interpreter(Elf *e, elf_facts *out)
{
    GElf_Phdr p;
    size_t count = 0, size = 0;
    const char *file = elf_rawfile(e, &size);
    elf_getphdrnum(e, &count);
    for (size_t i = 0; file && i < count && gelf_getphdr(e, (int)i, &p); i++)
        if (p.p_type == PT_INTERP && p.p_offset < size && p.p_filesz <= size - p.p_offset &&
            p.p_filesz < sizeof out->interpreter)
            snprintf(out->interpreter, sizeof out->interpreter, "%.*s", (int)p.p_filesz,
                     file + p.p_offset);
}

/* What runs a program, by the number in its header. */
static const char *machine_in_words(unsigned machine)
{
    static const struct {
        unsigned machine;
        const char *words;
    } known[] = {{EM_X86_64, "x86-64"},  {EM_AARCH64, "AArch64"}, {EM_386, "32-bit x86"},
                 {EM_ARM, "32-bit Arm"}, {EM_PPC64, "POWER"},     {EM_RISCV, "RISC-V"},
                 {EM_S390, "IBM Z"},     {EM_CUDA, "a GPU"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].machine == machine)
            return known[i].words;
    return "an unknown machine";
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
    GElf_Ehdr header;
    if (e && elf_kind(e) == ELF_K_ELF && gelf_getehdr(e, &header)) {
        ident = (const char *)header.e_ident;
        snprintf(out->machine, sizeof out->machine, "%s", machine_in_words(header.e_machine));
    }
    if (ident && ident[EI_CLASS] == ELFCLASS64 && ident[EI_DATA] == order) {
        /* First what reads the whole file: elf_end frees no section that was read before. */
        read_interpreter(e, out);
        read_section_headers(e, out);
    }
    elf_end(e);
    close(fd);
    return true;
}
