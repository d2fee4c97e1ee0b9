/* What a library holds as data: the kernels as PTX, and its versions. */
        .section .rodata
        .globl blas_kernels, blas_version, blas_cudart_version
        .hidden blas_kernels, blas_version, blas_cudart_version
        .balign 8
blas_version:
        .long VERSION
blas_cudart_version:
        .long CUDART_VERSION
blas_kernels:
        .incbin PTX
        .byte 0
        .section .note.GNU-stack, "", %progbits
