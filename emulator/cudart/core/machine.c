/* Reads ELF files written by the toolkit's assembler. Section .nv.info is a sequence of attributes:
 *  byte format (4: a size and that many bytes follow), byte name, u16 size, values.
 * The values of some attributes are two u32: a symbol's index, and for that kernel its registers
 * (name 0x2f) or the size of its frame in bytes (0x11). Found by examining files from ptxas 12 and
 * 13. */
#include "machine.h"

#include <elf.h>
#include <string.h>

#define FORMAT_SIZED   4u
#define ATTR_FRAME     0x11u
#define ATTR_REGISTERS 0x2fu

typedef struct span {
    const uint8_t *at;
    uint64_t size;
} span;

static bool header_of(const uint8_t *image, size_t size, Elf64_Ehdr *h)
{
    if (size < sizeof *h) {
        return false;
    }
    memcpy(h, image, sizeof *h);
    return !memcmp(h->e_ident, ELFMAG, SELFMAG) && h->e_ident[EI_CLASS] == ELFCLASS64 &&
           h->e_shentsize == sizeof(Elf64_Shdr) && h->e_shoff <= size &&
           h->e_shnum <= (size - h->e_shoff) / sizeof(Elf64_Shdr);
}

static bool section(const uint8_t *image, size_t size, const Elf64_Ehdr *h, uint32_t n,
                    Elf64_Shdr *s, span *bytes)
{
    if (n >= h->e_shnum) {
        return false;
    }
    memcpy(s, image + h->e_shoff + n * sizeof *s, sizeof *s);
    if (s->sh_type == SHT_NOBITS || s->sh_offset > size || s->sh_size > size - s->sh_offset) {
        return false;
    }
    *bytes = (span){image + s->sh_offset, s->sh_size};
    return true;
}

static bool names(span strings, uint64_t at, const char *name)
{
    const size_t n = strlen(name) + 1;
    return at < strings.size && n <= strings.size - at && !memcmp(strings.at + at, name, n);
}

/* The index of a symbol, or 0 if there is none (a symbol table's first entry has no name). */
static uint32_t symbol_of(span symbols, span strings, const char *name)
{
    for (uint64_t i = 1; i < symbols.size / sizeof(Elf64_Sym); i++) {
        Elf64_Sym s;
        memcpy(&s, symbols.at + i * sizeof s, sizeof s);
        if (names(strings, s.st_name, name)) {
            return (uint32_t)i;
        }
    }
    return 0;
}

static void read_info(span info, uint32_t symbol, machine_kernel *out)
{
    for (uint64_t at = 0; at + 4 <= info.size;) {
        uint16_t size;
        memcpy(&size, info.at + at + 2, sizeof size);
        const bool sized = info.at[at] == FORMAT_SIZED;
        uint32_t pair[2] = {0};
        if (sized && size == sizeof pair && info.size - at >= 4 + sizeof pair) {
            memcpy(pair, info.at + at + 4, sizeof pair);
        }
        if (pair[0] == symbol && info.at[at + 1] == ATTR_REGISTERS) {
            out->registers = pair[1];
        } else if (pair[0] == symbol && info.at[at + 1] == ATTR_FRAME) {
            out->frame = pair[1];
        }
        at += 4 + (sized ? size : 0u);
    }
}

bool machine_describe(const void *image, size_t size, const char *kernel, machine_kernel *out)
{
    *out = (machine_kernel){0};
    Elf64_Ehdr h;
    Elf64_Shdr s, of_names, of_strings;
    span bytes, section_names, symbols = {0}, strings = {0}, info = {0};
    if (!header_of(image, size, &h) ||
        !section(image, size, &h, h.e_shstrndx, &of_names, &section_names)) {
        return false;
    }
    for (uint32_t n = 0; n < h.e_shnum; n++) {
        if (!section(image, size, &h, n, &s, &bytes)) {
            continue;
        }
        if (s.sh_type == SHT_SYMTAB && section(image, size, &h, s.sh_link, &of_strings, &strings)) {
            symbols = bytes;
        } else if (names(section_names, s.sh_name, ".nv.info")) {
            info = bytes;
        }
    }
    const uint32_t symbol = symbol_of(symbols, strings, kernel);
    if (symbol) {
        read_info(info, symbol, out);
    }
    return out->registers != 0;
}
