/* Which device runs a lab: the emulator, or a GPU where one answers. */
#ifndef WARPBOOK_DEVICE_H
#define WARPBOOK_DEVICE_H

#include "house.h"

#include <stdbool.h>

typedef enum device_choice { DEVICE_AUTO, DEVICE_EMULATOR, DEVICE_GPU } device_choice;

const char *device_name(device_choice d);
/* False where WORD is no device. */
bool device_parse(const char *word, device_choice *out);

/* Ask NVIDIA's driver, in a child (a driver may hang or crash), once in the life of the program.
 * False with a sentence in WHY where no GPU answers. */
bool gpu_answers(char *why, size_t size);

/* The compute capability of the GPU, such as 90 for 9.0; 0: no GPU answers. */
int gpu_capability(void);

/* DEVICE_EMULATOR or DEVICE_GPU for a choice; false with a sentence in ERR where it is not there.
 */
bool device_resolve(device_choice choice, house *h, bool *gpu, char *err, size_t err_size);

/* Environment for a program on the emulator: "LD_LIBRARY_PATH=...", followed by its old value; in
 * the house's arena. */
const char *emulator_library_path(house *h);

#endif
