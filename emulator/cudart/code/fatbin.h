/* Reads fat binaries, the containers into which nvcc puts device code. The emulator runs the PTX in
 * a container. It reads the machine code only for its register and memory sizes (machine.h). */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef enum fatbin_status {
    FATBIN_OK,      /* the PTX was found */
    FATBIN_DAMAGED, /* not a fat binary, truncated, or its compressed text cannot be decompressed */
    FATBIN_NO_PTX,  /* the container has machine code but no PTX */
    FATBIN_TOO_NEW, /* all PTX in the container is for later compute capabilities */
    FATBIN_UNLINKED, /* merge_text: the PTX texts cannot be linked */
    FATBIN_MEMORY    /* the host has too little memory */
} fatbin_status;

/* The PTX text chosen from one container. */
typedef struct fatbin_text {
    char *ptx;             /* malloc'ed and NUL-terminated; the caller frees it */
    size_t length;         /* bytes, without the NUL */
    uint32_t target;       /* compute capability of the PTX: 90 for compute_90; FATBIN_TOO_NEW: the
                              lowest that is there */
    uint16_t major, minor; /* version of the PTX ISA */
    char message[400];     /* if the status is not FATBIN_OK: what is wrong and what to do */
} fatbin_text;

#define FATBIN_MAGIC UINT32_C(0xBA55ED50) /* first four bytes of a container */

/* The bytes of the container that begins at DATA; 0: none does, or it reaches past LIMIT. */
size_t fatbin_size(const void *data, size_t limit);

/* Choose and decompress the PTX with the highest target that a device of compute capability
 * CAPABILITY (90 for 9.0) supports. The container begins at DATA; no byte from LIMIT on is read. If
 * the device is older than every target of this toolkit, choose the lowest. Safe for any bytes. */
fatbin_status fatbin_choose_ptx(const void *data, size_t limit, uint32_t capability,
                                fatbin_text *out);

/* Choose and decompress the machine code that a device of compute capability CAPABILITY would run.
 * Returns an ELF image of *SIZE bytes, to be freed; NULL if there is none or it is damaged. */
void *fatbin_find_machine_code(const void *data, size_t limit, uint32_t capability, size_t *size);

/* The struct that __cudaRegisterFatBinary receives; it lies in section .nvFatBinSegment. */
typedef struct fatbin_wrapper {
    int32_t magic;    /* FATBIN_WRAPPER_MAGIC */
    int32_t version;  /* 2: relocatable device code, and `linked` is valid */
    const void *data; /* the fat binary itself (the container) */
    void *linked;     /* NULL-terminated array of the containers that nvlink linked */
} fatbin_wrapper;

#define FATBIN_WRAPPER_MAGIC 0x466243B1 /* first four bytes of every fatbin_wrapper */

/* How many bytes from DATA on can be read: up to the end of the loaded ELF segment around it. */
size_t fatbin_readable_bytes(const void *data);
