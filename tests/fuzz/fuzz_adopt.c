/* Any bytes as an ELF file: adopt_image_read must neither crash nor read past the end, and code
 * that it returns must lie within the input.
 *
 * With clang -fsanitize=fuzzer this is a libFuzzer target. Built with FUZZ_MAIN it runs alone:
 * fuzz_adopt [COUNT [SEED]] tries COUNT (default 4000) inputs made from a seed. */
#include "emulator/adopt/elf_image.h"
#include "emulator/adopt/function_names.h"
#include "fuzz.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool lies_within(const adopt_function *f, const uint8_t *file, size_t size)
{
    const size_t at = (size_t)(f->code - file);
    return at <= size && f->cap <= size - at;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    adopt_image image;
    /* An allocation of the exact size, so that a sanitizer detects overruns. */
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy)
        return 0;
    memcpy(copy, data, size);
    const bool read = adopt_image_read(copy, size, &image);
    for (size_t i = 0; i < image.function_count; i++) {
        const adopt_function *f = &image.function[i];
        if (!read || !lies_within(f, copy, size) || !adopt_name(f->number))
            abort();
    }
    for (size_t i = 0; i < NVRTC_CALLS; i++)
        if (image.nvrtc[i].code && !lies_within(&image.nvrtc[i], copy, size))
            abort();
    adopt_image_free(&image);
    free(copy);
    return 0;
}

#ifdef FUZZ_MAIN

FUZZ_STATE;

#if defined __x86_64__
#define MACHINE EM_X86_64
#else
#define MACHINE EM_AARCH64
#endif

enum {
    FILE_BYTES = 4096,
    CODE = 0x400,
    STRINGS = 0x600,
    SYMBOLS = 0x800,
    DEVICE = 0xc00,
    SECTIONS = 0xe00
};

static uint32_t put_text(uint8_t *c, size_t *n, const char *text)
{
    const size_t at = *n;
    memcpy(c + STRINGS + at, text, strlen(text) + 1);
    *n += strlen(text) + 1;
    return (uint32_t)at;
}

static size_t put_symbols(uint8_t *c, size_t *strings)
{
    static const char *const names[] = {
        "libcudart_static_0123", "cudaMalloc",    "__cudaRegisterFatBinary",
        "cudaBindTexture",       "cudaFree",      "own",
        "cudaLaunchKernel_ptsz", "nvrtcGetCUBIN", "nvrtcGetPTXSize"};
    Elf64_Sym s[16] = {0};
    const size_t count = 1 + fuzz_random() % 15;
    for (size_t i = 1; i < count; i++) {
        const char *name = names[fuzz_random() % (sizeof names / sizeof *names)];
        s[i] = (Elf64_Sym){.st_name = put_text(c, strings, name),
                           .st_info = ELF64_ST_INFO(STB_LOCAL, STT_FUNC),
                           .st_shndx = fuzz_random() % 4 ? 1 : SHN_UNDEF,
                           .st_value = CODE + 16 * i,
                           .st_size = 16 * (fuzz_random() % 4)};
    }
    memcpy(c + SYMBOLS, s, sizeof s);
    return count * sizeof *s;
}

static void put_container(uint8_t *c)
{
    const uint32_t magic = 0xBA55ED50, header = 64;
    const uint16_t kind = 1 + fuzz_random() % 2;
    const uint64_t body = 128, padded = 64;
    memcpy(c + DEVICE, &magic, sizeof magic);
    memcpy(c + DEVICE + 8, &body, sizeof body);
    memcpy(c + DEVICE + 16, &kind, sizeof kind);
    memcpy(c + DEVICE + 20, &header, sizeof header);
    memcpy(c + DEVICE + 24, &padded, sizeof padded);
}

/* A valid file with a few functions, which is then damaged. */
static size_t make_valid_file(uint8_t *c)
{
    memset(c, 0, FILE_BYTES);
    size_t strings = 1;
    const size_t symbols = put_symbols(c, &strings);
    put_container(c);
    const Elf64_Phdr code = {.p_type = PT_LOAD,
                             .p_flags = PF_R | PF_X,
                             .p_offset = CODE,
                             .p_vaddr = CODE,
                             .p_filesz = 0x200,
                             .p_memsz = 0x200};
    memcpy(c + sizeof(Elf64_Ehdr), &code, sizeof code);
    Elf64_Shdr s[6] = {0};
    const bool stripped = fuzz_random() % 4 == 0;
    s[1] = (Elf64_Shdr){.sh_type = SHT_STRTAB, .sh_offset = STRINGS, .sh_size = 0x200};
    s[2] = (Elf64_Shdr){.sh_type = stripped ? SHT_DYNSYM : SHT_SYMTAB,
                        .sh_offset = SYMBOLS,
                        .sh_size = symbols,
                        .sh_link = 1,
                        .sh_entsize = sizeof(Elf64_Sym)};
    s[3] = (Elf64_Shdr){.sh_name = put_text(c, &strings, ".nv_fatbin"),
                        .sh_type = SHT_PROGBITS,
                        .sh_offset = DEVICE,
                        .sh_size = 0x200};
    s[4] = (Elf64_Shdr){.sh_name = put_text(c, &strings, ".nvFatBinSegment"),
                        .sh_type = SHT_PROGBITS,
                        .sh_offset = DEVICE,
                        .sh_size = 24};
    memcpy(c + SECTIONS, s, sizeof s);
    Elf64_Ehdr h = {.e_machine = MACHINE, .e_phoff = sizeof h};
    memcpy(h.e_ident, ELFMAG, SELFMAG);
    h.e_ident[EI_CLASS] = ELFCLASS64;
    h.e_ident[EI_DATA] = ELFDATA2LSB;
    h.e_phentsize = sizeof code;
    h.e_phnum = 1;
    h.e_shoff = SECTIONS;
    h.e_shentsize = sizeof *s;
    h.e_shnum = 6;
    h.e_shstrndx = 1;
    memcpy(c, &h, sizeof h);
    return SECTIONS + sizeof s;
}

/* A large number in a field of a header or of a symbol. */
static void put_large_number(uint8_t *bytes, size_t n, size_t at)
{
    const uint64_t value = fuzz_random() >> fuzz_random() % 64;
    static const size_t parts[] = {0, SYMBOLS, DEVICE, SECTIONS};
    at = parts[fuzz_random() % 4] + at % 0x180;
    if (at / 8 * 8 + 8 <= n)
        memcpy(bytes + at / 8 * 8, &value, sizeof value);
}

int main(int argc, char **argv)
{
    static uint8_t bytes[FILE_BYTES];
    return fuzz_files(argc, argv, "fuzz_adopt", bytes, make_valid_file, put_large_number);
}

#endif
