/* Redirects a runtime that is linked into a program or a library to the emulator's. */
#pragma once

#include "elf_image.h"

#include <stdbool.h>
#include <stdint.h>

/* Write a jump to the emulator's function over each function of IMAGE, which is loaded at an offset
 * of BASE from the addresses in its file; FIRST is the number of the first function of the library
 * that is jumped to. Call before any of its code runs. Returns NULL, or why nothing was written. */
const char *adopt_write_jumps(const adopt_image *image, uintptr_t base, unsigned first);

/* Let NVRTC, which IMAGE is, hand out PTX where it is asked for machine code: it makes both if it
 * compiles for a GPU, and modules are loaded from either. Call before any of its code runs. */
bool adopt_hand_out_ptx(const adopt_image *image, uintptr_t base);

/* Load the emulator's library, if it is not there, and return its function of this NUMBER
 * (function_names.h). Ends the process with a message if it cannot. Called by jump.S and before
 * main. */
void *adopt_load(unsigned number);
