/* Programs that somebody built themselves: can they run on the emulator, and what do they need?. */
#pragma once

#include "../base/installation.h"

#include <stdbool.h>
#include <stddef.h>

/* What the file at PATH is instead of a program, as a sentence in ERR: device code, for instance.
 * False: it is none of what is known, or there is no such file. */
bool own_program_is_device_code(const char *path, char *err, size_t err_size);

/* True: the program at PATH may run, on a GPU before NVIDIA's library if GPU, else on the emulator.
 * False: a sentence in ERR says why not. */
bool own_program_can_run(installation *h, const char *path, bool gpu, char *err, size_t err_size);

/* Set the environment in which programs, and those that they start, find the emulator. */
void own_program_environment(installation *h);
