/* Reads ELF files written by the toolkit's assembler. Section .nv.info is a sequence of attributes,
 * each with a format byte (4: a size and that many bytes follow), a name byte, a u16 size and the
 * values. Two attributes have a pair of u32 as value: the index of a kernel's symbol, and either
 * the kernel's register count (name 0x2f) or the size of its stack frame in bytes (name 0x11). The
 * format was found by examining files from ptxas 12 and 13. */
#include "machine.h"

#include <gelf.h>
#include <string.h>

#define ATTR_FORMAT_SIZED 4u
#define ATTR_FRAME        0x11u
#define ATTR_REGISTERS    0x2fu

const Elf_Data *machine_section(Elf *e, const char *name)
{
    size_t names;
    GElf_Shdr s;
    if (elf_getshdrstrndx(e, &names))
        return NULL;
    for (Elf_Scn *n = NULL; (n = elf_nextscn(e, n));) {
        const char *own = gelf_getshdr(n, &s) ? elf_strptr(e, names, s.sh_name) : NULL;
        if (own && !strcmp(own, name)) {
            const Elf_Data *bytes = elf_getdata(n, NULL);
            return bytes && bytes->d_buf ? bytes : NULL;
        }
    }
    return NULL;
}

/* The index of the symbol NAME, or 0 if the file has no such symbol (a symbol table's first entry
 * has no name). */
static uint32_t elf_symbol_index(Elf *e, const char *name)
{
    GElf_Shdr s = {0};
    GElf_Sym sym;
    Elf_Scn *n = NULL;
    while ((n = elf_nextscn(e, n)) && !(gelf_getshdr(n, &s) && s.sh_type == SHT_SYMTAB)) {
    }
    Elf_Data *symbols = n ? elf_getdata(n, NULL) : NULL;
    for (int i = 1; gelf_getsym(symbols, i, &sym); i++) {
        const char *own = elf_strptr(e, s.sh_link, sym.st_name);
        if (own && !strcmp(own, name))
            return (uint32_t)i;
    }
    return 0;
}

static void read_kernel_info(const uint8_t *info, size_t bytes, uint32_t symbol,
                             machine_kernel_info *out)
{
    for (size_t at = 0; at + 4 <= bytes;) {
        uint16_t size;
        memcpy(&size, info + at + 2, sizeof size);
        const bool sized = info[at] == ATTR_FORMAT_SIZED;
        uint32_t pair[2] = {0};
        if (sized && size == sizeof pair && bytes - at >= 4 + sizeof pair)
            memcpy(pair, info + at + 4, sizeof pair);
        if (pair[0] == symbol && info[at + 1] == ATTR_REGISTERS)
            out->registers = pair[1];
        else if (pair[0] == symbol && info[at + 1] == ATTR_FRAME)
            out->frame = pair[1];
        at += 4 + (sized ? size : 0u);
    }
}

bool machine_read_kernel_info(void *image, size_t size, const char *kernel,
                              machine_kernel_info *out)
{
    *out = (machine_kernel_info){0};
    elf_version(EV_CURRENT);
    Elf *e = elf_memory(image, size);
    const uint32_t symbol = e ? elf_symbol_index(e, kernel) : 0;
    const Elf_Data *info = symbol ? machine_section(e, ".nv.info") : NULL;
    if (info)
        read_kernel_info(info->d_buf, info->d_size, symbol, out);
    elf_end(e);
    return out->registers != 0;
}
