/* What an ELF file says of the CUDA runtime that it carries. The bytes may be any: no read leaves
 * them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A function of the runtime in an image. */
typedef struct adopt_function {
    unsigned number;     /* number of its name (function_names.h) */
    uint64_t address;    /* address in the image, before it is loaded */
    const uint8_t *code; /* its first bytes in the file */
    size_t cap;          /* bytes from the address to what follows */
} adopt_function;

/* The functions of NVRTC that hand out what it has compiled, as machine code and as PTX. */
enum { NVRTC_CUBIN, NVRTC_CUBIN_SIZE, NVRTC_PTX, NVRTC_PTX_SIZE, NVRTC_CALLS };

typedef struct adopt_image {
    bool has_symbols; /* the file has a symbol table of its own functions (it is not stripped) */
    bool has_device_code;        /* the file registers device code with a CUDA runtime */
    bool imports_runtime;        /* the file takes the runtime's functions from another file */
    bool carries_runtime;        /* it has NVIDIA's runtime in itself, as its symbols say */
    const char *carries_library; /* what `-l` calls a library of NVIDIA's that it has in itself, for
                                    which the emulator has another; or NULL */
    unsigned ptx, machine_code;  /* number of texts of PTX and of pieces of machine code in it */
    unsigned older;           /* major version of the toolkit, below 13, whose runtime it carries:
                                 12, or 11 also for older ones; 0: of a newer one, or unknown */
    adopt_function *function; /* functions of the runtime that the file carries, allocated */
    size_t function_count;
    adopt_function nvrtc[NVRTC_CALLS]; /* NVRTC's functions; code is NULL: the file has it not */
} adopt_image;

/* Read the file of SIZE bytes at BYTES. False: it is no ELF file of this machine, or there is no
 * memory. Free with adopt_image_free in any case. */
bool adopt_image_read(const uint8_t *bytes, size_t size, adopt_image *out);
void adopt_image_free(adopt_image *image);
