/* Chooses the device that runs a lab: the emulator, or a GPU if one is available. */
#pragma once

#include "installation.h"

#include <stdbool.h>

/* The value of the option --device. DEVICE_AUTO: a GPU if there is one, else the emulator. */
typedef enum device_choice { DEVICE_AUTO, DEVICE_EMULATOR, DEVICE_GPU } device_choice;

const char *device_name(device_choice d); /* "auto", "emulator" or "gpu" */
/* Parse the option value WORD. False: WORD is no device. */
bool device_parse(const char *word, device_choice *out);

/* True: a GPU is available. The first call queries NVIDIA's driver, in a child process because a
 * driver may hang or crash; later calls return the stored answer. False with a sentence in WHY: no
 * GPU is available. */
bool is_gpu_available(char *why, size_t size);

/* The compute capability of the GPU, such as 90 for 9.0; 0: no GPU is available. */
int gpu_capability(void);

/* Set *GPU: run on a GPU (true) or on the emulator. False with a sentence in ERR: the chosen device
 * is not available. */
bool device_resolve(device_choice choice, installation *h, bool *gpu, char *err, size_t err_size);

/* The profile of the device that the emulator models: an id, or a file (WARPBOOK_PROFILE). */
const char *modelled_device(void);
/* Whether its times were compared with recordings of that device (emulator/base/profiles.def).
 * False for a file of one's own, too. */
bool is_modelled_device_measured(void);
/* What there is to say of the times of a device that was not measured: "never measured", and by how
 * much they differ from what others published, if that is known. */
const char *unmeasured_device_note(void);

/* Environment for a program on the emulator: "LD_LIBRARY_PATH=...", followed by its old value; in
 * the arena of H. */
const char *emulator_library_path(installation *h);
