/* What a library holds as data: the kernels as PTX, and its versions. */
        .section .rodata
        .globl library_kernels, library_version, library_cudart_version
        .hidden library_kernels, library_version, library_cudart_version
        .balign 8
library_version:
        .long VERSION
library_cudart_version:
        .long CUDART_VERSION
library_kernels:
        .incbin PTX
        .byte 0
        .section .note.GNU-stack, "", %progbits
