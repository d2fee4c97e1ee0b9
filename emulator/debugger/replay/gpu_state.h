/* The state of a replay on a GPU, for the files of this folder that share it. */
#pragma once

#include "gpu.h"
#include "gpu_regions.h"

/* Exit statuses of a replay on a GPU. */
enum {
    EXIT_DIFFERS = 1, /* a result differs, or a call failed */
    EXIT_REFUSED = 2, /* the recording cannot be repeated on a GPU */
    EXIT_NO_GPU = 3   /* no suitable GPU was found */
};

/* A device variable: its address in the recording and on this GPU. */
typedef struct moved_variable {
    uint64_t recorded, size; /* address and bytes of the variable in the recording */
    CUdeviceptr here;        /* address of the variable on this GPU; 0: not known */
    void *kept;              /* saved contents, for gpu_restore_variables; NULL: none */
    char name[256];          /* name of the variable in the PTX */
} moved_variable;

typedef struct gpu_allocation {
    uint64_t address, size; /* address of the first byte; bytes */
} gpu_allocation;

struct gpu_replay {
    rec_reader *reader;     /* the recording */
    rec_position after;     /* position after the record being repeated */
    FILE *to;               /* the output table; NULL: none is written */
    const gpu_watch *watch; /* NULL: every launch runs once */
    char *err;              /* buffer for the error message, of `cap` bytes */
    size_t cap;             /* size of `err` */
    int status;             /* exit status, one of EXIT_*; 0: no error */
    gpu_regions regions;    /* regions of device memory that are allocated at recorded addresses */
    bool reserved;          /* the recorded addresses are reserved */
    CUmodule *module;       /* [modules] loaded modules */
    uint64_t modules;       /* number of entries in `module` */
    moved_variable *variables; /* [variable_count] device variables */
    size_t variable_count;     /* entries used in the list of variables */
    gpu_allocation *memory; /* [memory_count] allocations that exist at this point of the replay */
    size_t memory_count;    /* entries used in the list of memory */
    char device[128];       /* name of the GPU */
    CUevent begin, done;    /* events before and after the current launch */
    double ns;              /* duration of the last launch in ns */
    uint64_t digest;        /* digest of the bytes of the last copy to the host */
    uint64_t compared, differences; /* results compared so far; results that differ */
    char kernel[300], shape[160];   /* name of the last kernel; its grid and block as text */
    uint64_t number;                /* number of the last launch */
    bool launched;                  /* the current operation is a launch */
};

/* Address on this GPU of a recorded address: only variables lie elsewhere. */
CUdeviceptr gpu_address_of_recorded(const gpu_replay *r, uint64_t address);
/* Repeat what the host wrote to memory while operation OP ran. The recording has these writes
 * before the result of OP. */
bool gpu_repeat_host_writes(gpu_replay *r, uint64_t op);

/* gpu_launch.c: repeat launch X */
bool gpu_repeat_launch(gpu_replay *r, const rec_launch *x);
