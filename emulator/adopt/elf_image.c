#include "elf_image.h"
#include "function_names.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#if defined __x86_64__
#define MACHINE EM_X86_64
#else
#define MACHINE EM_AARCH64
#endif

/* Every local symbol of NVIDIA's static runtime begins so. */
#define RUNTIME_PREFIX "libcudart_static_"
/* Functions of older runtimes that later ones lack. */
#define NAME_OF_11 "cudaBindTexture"
#define NAME_OF_12 "cudaGetDeviceProperties_v2"

/* NVIDIA's static libraries for which the emulator has others: a call of each, and how names of its
 * inner functions begin, both of which a program's own may have, too. */
static const struct {
    const char *name, *call, *inside;
} libraries[] = {
    {"cublas", "cublasCreate_v2", "libcublas_"},
    {"curand", "curandCreateGenerator", "_ZN18rng_config_dynamic"},
    {"cufft", "cufftCreate", "_GLOBAL__sub_I_cufft"},
};
enum { LIBRARIES = sizeof libraries / sizeof *libraries };

enum { ENOUGH_BYTES = 24 }; /* a function of as many bytes needs no search for what follows */

/* A part of a file, and the file. */
typedef struct span {
    const uint8_t *bytes; /* first byte; NULL: the part reaches past the end of the file */
    size_t size;
} span;

static const span nothing; /* no part of a file */

static span cut(span whole, uint64_t from, uint64_t size)
{
    if (from > whole.size || size > whole.size - from)
        return nothing;
    return (span){whole.bytes + from, (size_t)size};
}

/* The text at FROM in the string table, which ends inside it; NULL: there is none. */
static const char *text_in(span strings, uint64_t from)
{
    if (from >= strings.size || !memchr(strings.bytes + from, 0, strings.size - from))
        return NULL;
    return (const char *)strings.bytes + from;
}

/* The tables of an ELF file; entries are copied out, since a file may misalign them. */
typedef struct tables {
    span file, sections, segments, names;
    unsigned section_count, segment_count;
} tables;

static Elf64_Shdr section_at(const tables *t, unsigned i)
{
    Elf64_Shdr s;
    memcpy(&s, t->sections.bytes + i * sizeof s, sizeof s);
    return s;
}

static span bytes_of_section(const tables *t, const Elf64_Shdr *s)
{
    return s->sh_type == SHT_NOBITS ? nothing : cut(t->file, s->sh_offset, s->sh_size);
}

static bool open_tables(span file, tables *t)
{
    Elf64_Ehdr h;
    if (file.size < sizeof h)
        return false;
    memcpy(&h, file.bytes, sizeof h);
    if (memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 || h.e_ident[EI_CLASS] != ELFCLASS64 ||
        h.e_ident[EI_DATA] != ELFDATA2LSB || h.e_machine != MACHINE)
        return false;
    *t = (tables){.file = file};
    if (h.e_phentsize == sizeof(Elf64_Phdr)) {
        t->segments = cut(file, h.e_phoff, (uint64_t)h.e_phnum * sizeof(Elf64_Phdr));
        t->segment_count = t->segments.bytes ? h.e_phnum : 0;
    }
    if (h.e_shentsize == sizeof(Elf64_Shdr)) {
        t->sections = cut(file, h.e_shoff, (uint64_t)h.e_shnum * sizeof(Elf64_Shdr));
        t->section_count = t->sections.bytes ? h.e_shnum : 0;
    }
    if (h.e_shstrndx < t->section_count) {
        const Elf64_Shdr names = section_at(t, h.e_shstrndx);
        t->names = bytes_of_section(t, &names);
    }
    return true;
}

/* --- device code --- */

/* nvcc links a file of machine code without a function into programs that have no kernels. */
static bool has_functions(span code)
{
    static const char text[] = ".text.";
    return code.size < SELFMAG || memcmp(code.bytes, ELFMAG, SELFMAG) != 0 /* it is compressed */ ||
           memmem(code.bytes, code.size, text, sizeof text - 1);
}

/* Count the entries of the fat binaries in a section: a header of 16 bytes, then entries, each with
 * a header and a payload (cudart/code/fatbin.c reads them). */
static void count_device_code(span section, adopt_image *out)
{
    enum { HEADER = 16, ENTRY = 64, PTX = 1, MACHINE_CODE = 2 };
    for (size_t at = 0; at + HEADER <= section.size;) {
        uint32_t magic;
        uint64_t body, padded;
        memcpy(&magic, section.bytes + at, sizeof magic);
        memcpy(&body, section.bytes + at + 8, sizeof body);
        span left = cut(section, at + HEADER, body);
        if (magic != UINT32_C(0xBA55ED50) || !left.bytes) {
            at += 8;
            continue;
        }
        while (left.size >= ENTRY) {
            uint16_t kind;
            uint32_t header;
            memcpy(&kind, left.bytes, sizeof kind);
            memcpy(&header, left.bytes + 4, sizeof header);
            memcpy(&padded, left.bytes + 8, sizeof padded);
            const span payload = cut(left, header, padded);
            if (header < ENTRY || !payload.bytes)
                break;
            out->ptx += kind == PTX;
            out->machine_code += kind == MACHINE_CODE && has_functions(payload);
            left = cut(left, header + padded, left.size - header - padded);
        }
        at += HEADER + ((size_t)body + 7) / 8 * 8;
    }
}

/* --- symbols --- */

typedef struct symbols {
    span table, strings;
    size_t count;
} symbols;

static symbols open_symbols(const tables *t, const Elf64_Shdr *s)
{
    symbols y = {.table = bytes_of_section(t, s)};
    if (!y.table.bytes || s->sh_entsize != sizeof(Elf64_Sym) || s->sh_link >= t->section_count)
        return (symbols){0};
    const Elf64_Shdr strings = section_at(t, s->sh_link);
    y.strings = bytes_of_section(t, &strings);
    y.count = y.strings.bytes ? y.table.size / sizeof(Elf64_Sym) : 0;
    return y;
}

static Elf64_Sym symbol_at(const symbols *y, size_t i)
{
    Elf64_Sym s;
    memcpy(&s, y->table.bytes + i * sizeof s, sizeof s);
    return s;
}

/* The code at ADDRESS, up to the end of its segment, if that holds code. */
static span code_at(const tables *t, uint64_t address)
{
    for (unsigned i = 0; i < t->segment_count; i++) {
        Elf64_Phdr p;
        memcpy(&p, t->segments.bytes + i * sizeof p, sizeof p);
        if (p.p_type != PT_LOAD || !(p.p_flags & PF_X) || address < p.p_vaddr ||
            address - p.p_vaddr >= p.p_filesz)
            continue;
        const span segment = cut(t->file, p.p_offset, p.p_filesz);
        return cut(segment, address - p.p_vaddr, p.p_filesz - (address - p.p_vaddr));
    }
    return nothing;
}

/* Bytes from ADDRESS to the next function, at most MOST. */
static size_t cap_at(const symbols *y, uint64_t address, size_t most)
{
    for (size_t i = 0; i < y->count; i++) {
        const Elf64_Sym s = symbol_at(y, i);
        if (ELF64_ST_TYPE(s.st_info) == STT_FUNC && s.st_value > address &&
            s.st_value - address < most)
            most = (size_t)(s.st_value - address);
    }
    return most;
}

static adopt_function function_at(const tables *t, const symbols *y, const Elf64_Sym *s,
                                  unsigned number)
{
    const span code = code_at(t, s->st_value);
    size_t cap = s->st_size < code.size ? (size_t)s->st_size : code.size;
    if (cap < ENOUGH_BYTES)
        cap = cap_at(y, s->st_value, code.size);
    return (adopt_function){number, s->st_value, code.bytes, cap};
}

/* A file may name a function often: it is taken as many times as there are names at most. False:
 * there is no memory. */
static bool add_function(const tables *t, const symbols *y, const Elf64_Sym *s, unsigned number,
                         adopt_image *out)
{
    const adopt_function f = function_at(t, y, s, number);
    if (!f.code || out->function_count == ADOPT_MOST_NAMES)
        return true;
    if (!out->function && !(out->function = calloc(ADOPT_MOST_NAMES, sizeof *out->function)))
        return false;
    out->function[out->function_count++] = f;
    return true;
}

static void read_nvrtc(const tables *t, const symbols *y, adopt_image *out)
{
    static const char *const names[NVRTC_CALLS] = {
        [NVRTC_CUBIN] = "nvrtcGetCUBIN",
        [NVRTC_CUBIN_SIZE] = "nvrtcGetCUBINSize",
        [NVRTC_PTX] = "nvrtcGetPTX",
        [NVRTC_PTX_SIZE] = "nvrtcGetPTXSize",
    };
    for (size_t i = 0; i < y->count; i++) {
        const Elf64_Sym s = symbol_at(y, i);
        const char *name = s.st_shndx == SHN_UNDEF ? NULL : text_in(y->strings, s.st_name);
        for (unsigned k = 0; name && *name == 'n' && k < NVRTC_CALLS; k++)
            if (strcmp(name, names[k]) == 0)
                out->nvrtc[k] = function_at(t, y, &s, k);
    }
}

/* Read the functions of the file's own symbol table. False: there is no memory. */
static bool read_own_symbols(const tables *t, const symbols *y, adopt_image *out)
{
    bool of_11 = false, of_12 = false;
    struct {
        bool call, inside;
    } has[LIBRARIES] = {0};
    for (size_t i = 0; i < y->count; i++) {
        const Elf64_Sym s = symbol_at(y, i);
        const char *name = text_in(y->strings, s.st_name);
        if (!name || s.st_shndx == SHN_UNDEF)
            continue;
        out->has_symbols = true;
        if (strncmp(name, RUNTIME_PREFIX, sizeof RUNTIME_PREFIX - 1) == 0)
            out->carries_runtime = true;
        if (ELF64_ST_TYPE(s.st_info) != STT_FUNC)
            continue;
        of_11 |= strcmp(name, NAME_OF_11) == 0;
        of_12 |= strcmp(name, NAME_OF_12) == 0;
        for (int k = 0; k < LIBRARIES; k++) {
            has[k].call |= strcmp(name, libraries[k].call) == 0;
            has[k].inside |= strncmp(name, libraries[k].inside, strlen(libraries[k].inside)) == 0;
        }
        const int number = adopt_number_of_name(name);
        if (number >= 0 && !add_function(t, y, &s, (unsigned)number, out))
            return false;
    }
    for (int k = 0; k < LIBRARIES; k++)
        if (has[k].call && has[k].inside)
            out->carries_library = libraries[k].name;
    out->older = !out->carries_runtime ? 0 : of_11 ? 11 : of_12 ? 12 : 0;
    return true;
}

static bool imports_runtime(const symbols *y)
{
    for (size_t i = 0; i < y->count; i++) {
        const Elf64_Sym s = symbol_at(y, i);
        const char *name = s.st_shndx == SHN_UNDEF ? text_in(y->strings, s.st_name) : NULL;
        if (name && adopt_number_of_name(name) >= 0)
            return true;
    }
    return false;
}

static bool read_section(const tables *t, const Elf64_Shdr *s, adopt_image *out)
{
    const char *name = text_in(t->names, s->sh_name);
    const span bytes = bytes_of_section(t, s);
    const symbols y =
        s->sh_type == SHT_SYMTAB || s->sh_type == SHT_DYNSYM ? open_symbols(t, s) : (symbols){0};
    if (name && strcmp(name, ".nvFatBinSegment") == 0)
        out->has_device_code = true;
    if (name && bytes.bytes &&
        (strcmp(name, ".nv_fatbin") == 0 || strcmp(name, "__nv_relfatbin") == 0))
        count_device_code(bytes, out);
    if (s->sh_type == SHT_DYNSYM)
        out->imports_runtime |= imports_runtime(&y);
    read_nvrtc(t, &y, out);
    return s->sh_type != SHT_SYMTAB || read_own_symbols(t, &y, out);
}

bool adopt_image_read(const uint8_t *bytes, size_t size, adopt_image *out)
{
    tables t;
    *out = (adopt_image){0};
    if (!open_tables((span){bytes, size}, &t))
        return false;
    for (unsigned i = 0; i < t.section_count; i++) {
        const Elf64_Shdr s = section_at(&t, i);
        if (!read_section(&t, &s, out))
            return false;
    }
    return true;
}

void adopt_image_free(adopt_image *image)
{
    free(image->function);
    image->function = NULL;
}
