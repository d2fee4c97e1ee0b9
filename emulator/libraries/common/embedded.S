/* What a library holds as data: the kernels as PTX, its versions and what a missing call answers. */
#define NAMES library_kernels, library_version, library_cudart_version, library_name, library_missing, library_missing_name
        .section .rodata
        .globl NAMES
        .hidden NAMES
        .balign 8
library_version:
        .long VERSION
library_cudart_version:
        .long CUDART_VERSION
library_missing:
        .long MISSING
library_name:
        .asciz NAME
library_missing_name:
        .asciz MISSING_NAME
library_kernels:
        .incbin PTX
        .byte 0
        .section .note.GNU-stack, "", %progbits
