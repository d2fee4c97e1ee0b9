/* What the stand-ins for NVIDIA's libraries share. Each uses the driver API as any program may. */
#pragma once

#include "../../toolkit/driver.h"

#include <stdatomic.h>
#include <stdbool.h>

/* What the library holds as data (embedded.S): its kernels as PTX, its version, that of the runtime
 * next to it, and with which status, and that one's name, a call that is missing answers. */
extern const char library_kernels[], library_name[], library_missing_name[];
extern const int library_version, library_cudart_version, library_missing;

/* The shape of a launch. */
typedef struct library_shape {
    unsigned grid[3], block[3]; /* 0: 1 */
    unsigned shared;            /* bytes of dynamic shared memory */
} library_shape;

/* Is a context current, or made so: device 0's primary one, which the runtime API has? */
bool library_has_context(void);
/* Launch the kernel NAME of KERNELS with ARGS. */
CUresult library_launch(CUmodule kernels, const char *name, const library_shape *shape,
                        CUstream stream, void **args);
/* A library's GetProperty: part WHICH (0 major, 1 minor, 2 patch) of its version, in which a major
 * one counts UNIT and a minor one 100. False: there is no such part. */
bool library_property(int which, int unit, int *value);
/* Print one line, unless the flag SAID is set: NAME is missing. Returns the status that says so. */
int library_report_missing(const char *name, atomic_flag *said);
