/* Any bytes as a fat binary: fatbin_choose_ptx must neither crash nor read past the end, and PTX
 * text that it returns must lie within the input. Functions that read machine code are tested
 * likewise.
 *
 * With clang -fsanitize=fuzzer this is a libFuzzer target. Built with FUZZ_MAIN it runs alone:
 * fuzz_fatbin [COUNT [SEED]] tries COUNT (default 4000) inputs made from a seed. */
#include "emulator/cudart/code/fatbin.h"
#include "emulator/cudart/core/machine.h"
#include "fuzz.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fatbin_text out;
    /* An allocation of the exact size, so that a sanitizer detects overruns. */
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy)
        return 0;
    memcpy(copy, data, size);
    fatbin_status status = fatbin_choose_ptx(copy, size, 90, &out);
    if ((status == FATBIN_OK) != (out.ptx != NULL) || (out.ptx && out.length != strlen(out.ptx)) ||
        (status != FATBIN_OK && !out.message[0]))
        abort();
    free(out.ptx);
    size_t machine_size;
    machine_kernel_info kernel;
    void *machine = fatbin_find_machine_code(copy, size, 90, &machine_size);
    if (machine)
        machine_read_kernel_info(machine, machine_size, "k", &kernel);
    free(machine);
    machine_read_kernel_info(copy, size, "k", &kernel);
    free(copy);
    return 0;
}

#ifdef FUZZ_MAIN

FUZZ_STATE;

static void put_number(uint8_t *at, uint64_t value, size_t bytes)
{
    memcpy(at, &value, bytes);
}

/* A valid container with a few entries, which is then damaged. */
static size_t make_valid_container(uint8_t *c)
{
    static const char ptx[] = ".version 9.0\n.target sm_80\n.address_size 64\n";
    memset(c, 0, 1024);
    size_t n = 16;
    for (unsigned entries = 1 + fuzz_random() % 3; entries; entries--) {
        uint8_t packed[256];
        bool zstd = fuzz_random() & 1;
        size_t size = sizeof ptx;
        memcpy(packed, ptx, sizeof ptx);
        if (zstd)
            size = ZSTD_compress(packed, sizeof packed, ptx, sizeof ptx, 1);
        size_t padded = (size + 7) / 8 * 8;
        put_number(c + n, 1 + fuzz_random() % 2, 2);
        put_number(c + n + 4, 80, 4);
        put_number(c + n + 8, padded, 8);
        put_number(c + n + 16, zstd ? size : 0, 4);
        put_number(c + n + 28, 75 + fuzz_random() % 30, 4);
        put_number(c + n + 40, zstd ? 0x8011 : 0x11, 8);
        put_number(c + n + 56, zstd ? sizeof ptx : 0, 8);
        memcpy(c + n + 80, packed, size);
        n += 80 + padded;
    }
    put_number(c, 0xBA55ED50, 4);
    put_number(c + 4, 1, 2);
    put_number(c + 6, 16, 2);
    put_number(c + 8, n - 16, 8);
    return n;
}

/* A large number in a size field. */
static void put_large_size(uint8_t *bytes, size_t n, size_t at)
{
    if (at / 8 * 8 + 8 <= n)
        put_number(bytes + at / 8 * 8, fuzz_random() >> fuzz_random() % 64, 8);
}

int main(int argc, char **argv)
{
    static uint8_t bytes[1024];
    return fuzz_files(argc, argv, "fuzz_fatbin", bytes, make_valid_container, put_large_size);
}

#endif
