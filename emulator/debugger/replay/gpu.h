/* Repeats a recording on a GPU with the driver API: one operation at a time in the recorded order,
 * each launch between two events. */
#pragma once

#include "../recording/recording.h"

#include <cuda.h>
#include <stdio.h>

typedef struct gpu_replay gpu_replay;

/* A launch of the recording, ready to run on this GPU. */
typedef struct gpu_launch {
    CUfunction function;   /* the kernel to launch */
    CUlaunchConfig config; /* shape of the launch */
    CUlaunchAttribute
        attribute[2];   /* attributes for a cooperative launch and for the cluster shape */
    uint8_t *params;    /* [param_bytes] the kernel's parameters */
    size_t param_bytes; /* size of the parameters in bytes */
    char kernel[300];   /* demangled name of the kernel, without parameters */
} gpu_launch;

/* Callbacks that decide about the code and the launches of a replay. A function returns false to
 * end the replay, after it has called gpu_set_error. */
typedef struct gpu_watch {
    void *object; /* first argument of the functions below */
    /* Whether device code may be loaded: LENGTH bytes of PTX. The driver compiles it; machine code
     * of the recording is not used. */
    bool (*module)(void *object, gpu_replay *r, const char *ptx, size_t length);
    /* Called instead of running launch L[0]. L[1] to L[COUNT - 1] are the launches that follow at
     * once and whose kernels are in the same namespace: a call of a library issued all of them. */
    bool (*launches)(void *object, gpu_replay *r, gpu_launch *l, size_t count);
} gpu_watch;

/* Repeat the recording at PATH. Writes a row for each launch to TO: launch, kernel, grid, block,
 * recorded and measured microseconds. WATCH: callbacks, with which TO is not used; or NULL. Returns
 * 0; 1: a result differs or a call failed (ERR names the first); 2: the recording cannot be
 * repeated and nothing was done (ERR says why); 3: this machine has no suitable GPU. */
int gpu_repeat(const char *path, const gpu_watch *watch, FILE *to, char *err, size_t cap);

/* --- functions for the callbacks of gpu_watch --- */

/* Set the error with which the replay ends: STATUS (see the result of gpu_repeat), and a sentence.
 * Returns false. */
__attribute__((format(printf, 3, 4))) bool gpu_set_error(gpu_replay *r, int status,
                                                         const char *format, ...);
bool gpu_is_call_good(gpu_replay *r, CUresult e, const char *what);
/* Run launches one after the other; *NS: the time from before the first to after the last. */
bool gpu_time_launches(gpu_replay *r, gpu_launch *l, size_t count, double *ns);
/* The allocation that contains ADDRESS: its first byte and size. False: there is none. */
bool gpu_allocation_at(const gpu_replay *r, CUdeviceptr address, CUdeviceptr *base, uint64_t *size);
/* Save the contents of the device variables; restore them, as often as needed. */
bool gpu_save_variables(gpu_replay *r);
bool gpu_restore_variables(gpu_replay *r);
/* Device variable NAME. False: there is none. */
bool gpu_find_variable(const gpu_replay *r, const char *name, CUdeviceptr *base, uint64_t *size);
const char *gpu_device_name(const gpu_replay *r); /* name of the GPU */

/* Whether gpu_repeat failed because addresses of the recording are in use in this process. Process
 * addresses are random, so they may be free in another process. */
bool gpu_address_was_taken(void);
/* Restart this program without address randomisation, if the system permits it: its own memory then
 * lies at addresses that the recorded program, which had random addresses, rarely used. AGAIN: the
 * fixed addresses were in use too, so restart with random ones. Returns only if no restart is
 * needed or possible. */
void gpu_restart_with_fixed_addresses(bool again, char **argv);
