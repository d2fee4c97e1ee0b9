/* Shared by the fuzz programs: random numbers from a seed, so that a run can be repeated, and
 * functions that damage an input. */
#ifndef FUZZ_H
#define FUZZ_H

#include "../../emulator/debugger/recording/mix.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One file of each program defines the state with FUZZ_STATE. */
#define FUZZ_STATE uint64_t fuzz_state
extern uint64_t fuzz_state;

__attribute__((unused)) static uint64_t fuzz_random(void)
{
    return rec_draw_random(&fuzz_state);
}

__attribute__((unused)) static size_t fuzz_random_below(size_t n)
{
    return n ? fuzz_random() % n : 0;
}

/* The number of inputs to try, for the command line PROGRAM [COUNT [SEED]]. */
__attribute__((unused)) static long fuzz_count(int argc, char **argv, long count)
{
    fuzz_state = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
    return argc > 1 ? strtol(argv[1], NULL, 0) : count;
}

/* Damage N bytes in up to seven places; return the new length. Every other change is made by
 * DAMAGE_FORMAT (NULL: none), which makes a change that is most likely to break this kind of file,
 * at byte AT or later. */
__attribute__((unused)) static size_t
fuzz_damage(uint8_t *bytes, size_t n, void (*damage_format)(uint8_t *bytes, size_t n, size_t at))
{
    for (unsigned changes = fuzz_random() % 8; changes; changes--) {
        const size_t at = fuzz_random_below(n);
        switch (fuzz_random() % (damage_format ? 8 : 4)) {
        case 0: bytes[at] = (uint8_t)fuzz_random(); break;
        case 1: bytes[at] ^= (uint8_t)(1u << fuzz_random() % 8); break;
        case 2: /* truncate, but rarely: a truncated file is refused early */
            n = fuzz_random() % 8 ? n : 1 + at;
            break;
        case 3: { /* repeat a range of bytes */
            const size_t from = fuzz_random_below(n);
            memmove(bytes + at, bytes + from, fuzz_random_below(n - (at > from ? at : from)));
            break;
        }
        default: damage_format(bytes, n, at);
        }
    }
    return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

/* The main function of a fuzz program NAME: MAKE writes a valid file into BYTES and returns its
 * length; the file is then damaged and tested. */
__attribute__((unused)) static int
fuzz_files(int argc, char **argv, const char *name, uint8_t *bytes, size_t (*make)(uint8_t *bytes),
           void (*damage_format)(uint8_t *bytes, size_t n, size_t at))
{
    const long count = fuzz_count(argc, argv, 4000);
    for (long i = 0; i < count; i++)
        LLVMFuzzerTestOneInput(bytes, fuzz_damage(bytes, make(bytes), damage_format));
    printf("%s: %ld inputs\n", name, count);
    return 0;
}

#endif
