/* Symbols that note that they are called and jump to the real function, whatever its arguments are:
 * System V ABI, AMD64. interposer_unsupported_call says where to. */
        .text
        .macro UNSUPPORTED_SYMBOL name, number
        .globl  \name
        .type   \name, @function
\name:
        movl    $\number, %r11d
        jmp     interposer_pass
        .size   \name, . - \name
        .endm

        .type   interposer_pass, @function
interposer_pass:
        pushq   %rbp
        movq    %rsp, %rbp
        pushq   %rdi
        pushq   %rsi
        pushq   %rdx
        pushq   %rcx
        pushq   %r8
        pushq   %r9
        pushq   %rax
        pushq   %rax
        subq    $128, %rsp
        movups  %xmm0, (%rsp)
        movups  %xmm1, 16(%rsp)
        movups  %xmm2, 32(%rsp)
        movups  %xmm3, 48(%rsp)
        movups  %xmm4, 64(%rsp)
        movups  %xmm5, 80(%rsp)
        movups  %xmm6, 96(%rsp)
        movups  %xmm7, 112(%rsp)
        movl    %r11d, %edi
        call    interposer_unsupported_call
        movq    %rax, %r11
        movups  (%rsp), %xmm0
        movups  16(%rsp), %xmm1
        movups  32(%rsp), %xmm2
        movups  48(%rsp), %xmm3
        movups  64(%rsp), %xmm4
        movups  80(%rsp), %xmm5
        movups  96(%rsp), %xmm6
        movups  112(%rsp), %xmm7
        addq    $128, %rsp
        popq    %rax
        popq    %rax
        popq    %r9
        popq    %r8
        popq    %rcx
        popq    %rdx
        popq    %rsi
        popq    %rdi
        popq    %rbp
        jmp     *%r11
        .size   interposer_pass, . - interposer_pass

#include "unheld.s.inc"

        .section .note.GNU-stack, "", @progbits
