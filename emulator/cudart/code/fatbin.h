/* Fat binaries: what nvcc puts device code into. The PTX in them is what runs here;
 * the machine code is only asked what it says of itself (machine.h). */
#ifndef WARPBOOK_FATBIN_H
#define WARPBOOK_FATBIN_H

#include <stddef.h>
#include <stdint.h>

typedef enum fatbin_status {
    FATBIN_OK,
    FATBIN_DAMAGED,  /* not a fat binary, cut short, or its compressed text does not unpack */
    FATBIN_NO_PTX,   /* machine code only */
    FATBIN_TOO_NEW,  /* every PTX in it is for a later compute capability */
    FATBIN_UNLINKED, /* merge_text: the texts do not fit together */
    FATBIN_MEMORY    /* the host is out of memory */
} fatbin_status;

/* The text chosen from one container. */
typedef struct fatbin_text {
    char *ptx;             /* malloc'ed, NUL-terminated; the caller frees it */
    size_t length;         /* bytes, without the NUL */
    uint32_t target;       /* 90 for compute_90 */
    uint16_t major, minor; /* PTX version */
    char message[400];     /* when the status is not FATBIN_OK: what is wrong and what to do */
} fatbin_text;

/* Pick and unpack the PTX of highest target that a device of compute capability CAPABILITY (90 for
 * 9.0) can take, out of the container at DATA, of which no byte from LIMIT on is read. A device
 * older than all that this toolkit builds for takes the lowest target there is. Never crashes on
 * any bytes. */
fatbin_status fatbin_choose(const void *data, size_t limit, uint32_t capability, fatbin_text *out);

/* Pick and unpack the machine code that a device of compute capability CAPABILITY would run as it
 * is, an ELF image of *SIZE bytes which the caller frees; NULL: there is none, or it is damaged. */
void *fatbin_machine(const void *data, size_t limit, uint32_t capability, size_t *size);

/* The wrapper that __cudaRegisterFatBinary gets, in section .nvFatBinSegment. */
typedef struct fatbin_wrapper {
    int32_t magic;   /* FATBIN_WRAPPER_MAGIC */
    int32_t version; /* 2: relocatable device code, `linked` is there */
    const void *data;
    void *linked; /* NULL-terminated array of the containers that were linked */
} fatbin_wrapper;

#define FATBIN_WRAPPER_MAGIC 0x466243B1

/* Bytes that may be read from DATA on: to the end of the loaded segment that holds it. */
size_t fatbin_readable(const void *data);

#endif
