/* Tests reading register counts from machine code: an ELF file built by the test in ptxas's format,
 * also damaged at every byte and truncated at every length. */
#include "emulator/cudart/core/machine.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

static const char section_names[] = "\0.shstrtab\0.strtab\0.symtab\0.nv.info";
static const char symbol_names[] = "\0first\0_Z6secondPf";

/* An ELF file with the machine code's attributes. */
typedef struct image {
    Elf64_Ehdr header;                        /* ELF header */
    Elf64_Shdr section[5];                    /* section headers */
    Elf64_Sym symbol[3];                      /* symbol table */
    uint8_t info[40];                         /* contents of .nv.info */
    char section_names[sizeof section_names]; /* string table of the sections */
    char symbol_names[sizeof symbol_names];   /* string table of the symbols */
} image;

static Elf64_Shdr section_at(uint32_t name, uint32_t type, size_t at, size_t size, uint32_t link)
{
    return (Elf64_Shdr){.sh_name = name,
                        .sh_type = type,
                        .sh_offset = at,
                        .sh_size = size,
                        .sh_link = link,
                        .sh_addralign = 1,
                        .sh_entsize = type == SHT_SYMTAB ? sizeof(Elf64_Sym) : 0};
}

static image make_image(void)
{
    image m = {.header = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                          .e_version = EV_CURRENT,
                          .e_ehsize = sizeof(Elf64_Ehdr),
                          .e_shoff = offsetof(image, section),
                          .e_shentsize = sizeof(Elf64_Shdr),
                          .e_shnum = 5,
                          .e_shstrndx = 1},
               .symbol = {{0}, {.st_name = 1}, {.st_name = 7}}};
    /* an attribute of four bytes, the frame and the registers of symbol 2, the registers of symbol
     * 1 */
    static const uint8_t info[] = {3, 0x50, 0, 0,    4, 0x11, 8, 0, 2, 0, 0,  0, 96, 0,
                                   0, 0,    4, 0x2f, 8, 0,    2, 0, 0, 0, 42, 0, 0,  0,
                                   4, 0x2f, 8, 0,    1, 0,    0, 0, 8, 0, 0,  0};
    memcpy(m.info, info, sizeof info);
    memcpy(m.section_names, section_names, sizeof section_names);
    memcpy(m.symbol_names, symbol_names, sizeof symbol_names);
    m.section[1] =
        section_at(1, SHT_STRTAB, offsetof(image, section_names), sizeof section_names, 0);
    m.section[2] =
        section_at(11, SHT_STRTAB, offsetof(image, symbol_names), sizeof symbol_names, 0);
    m.section[3] = section_at(19, SHT_SYMTAB, offsetof(image, symbol), sizeof m.symbol, 2);
    m.section[4] = section_at(27, SHT_LOPROC, offsetof(image, info), sizeof m.info, 3);
    return m;
}

static uint32_t registers_of_kernel(void *bytes, size_t size, const char *kernel)
{
    machine_kernel_info k;
    const bool known = machine_read_kernel_info(bytes, size, kernel, &k);
    assert_int_equal(known, k.registers != 0);
    return k.registers;
}

static void reads_register_counts_of_kernels(void **state)
{
    (void)state;
    image m = make_image();
    assert_int_equal(registers_of_kernel(&m, sizeof m, "_Z6secondPf"), 42);
    assert_int_equal(registers_of_kernel(&m, sizeof m, "first"), 8);
    assert_int_equal(registers_of_kernel(&m, sizeof m, "third"), 0);
    assert_int_equal(registers_of_kernel(&m, sizeof m, "secondPf"), 0);
    assert_int_equal(registers_of_kernel(&m, sizeof m, ""), 0);
    machine_kernel_info k;
    assert_true(machine_read_kernel_info(&m, sizeof m, "_Z6secondPf", &k));
    assert_int_equal(k.frame, 96);
    assert_true(machine_read_kernel_info(&m, sizeof m, "first", &k));
    assert_int_equal(k.frame, 0);
}

/* The file is placed right before an unreadable page, so that a read past its end crashes. */
static void survives_truncated_or_damaged_files(void **state)
{
    (void)state;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *map = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(map != MAP_FAILED);
    assert_int_equal(mprotect(map + page, page, PROT_NONE), 0);
    image m = make_image();
    const size_t end = offsetof(image, symbol_names) + sizeof symbol_names;
    for (size_t size = 0; size < end; size++) {
        memcpy(map + page - size, &m, size);
        assert_int_equal(registers_of_kernel(map + page - size, size, "_Z6secondPf"), 0);
    }
    unsigned lost = 0;
    for (size_t at = 0; at < sizeof m; at++) {
        static const uint8_t change[] = {0x01, 0x80, 0xff};
        for (size_t i = 0; i < sizeof change; i++) {
            uint8_t *copy = memcpy(map + page - sizeof m, &m, sizeof m);
            copy[at] ^= change[i];
            lost += registers_of_kernel(copy, sizeof m, "_Z6secondPf") != 42;
        }
    }
    assert_true(lost > 20);
    munmap(map, 2 * page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_register_counts_of_kernels),
        cmocka_unit_test(survives_truncated_or_damaged_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
