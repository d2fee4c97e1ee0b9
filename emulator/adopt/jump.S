/* What the functions of a static runtime jump to: entry N jumps to the address in adopt_target[N], and first asks
 * adopt_load for it where it is not known. The arguments, whatever they are, arrive as they were: System V ABI of AMD64,
 * AAPCS64. */
#include "function_names.h"

        .text
        .globl  adopt_entry
        .hidden adopt_entry
        .type   adopt_entry, %function
        .balign 16

#if defined __x86_64__
adopt_entry:
        .set    number, 0
        .rept   ADOPT_MOST_NAMES * ADOPT_LIBRARIES
        .balign 16
        movl    $number, %r11d
        jmp     through_table
        .set    number, number + 1
        .endr
        .size   adopt_entry, . - adopt_entry

        .type   through_table, %function
through_table:
        leaq    adopt_target(%rip), %r10
        movq    (%r10, %r11, 8), %r10
        testq   %r10, %r10
        jz      1f
        jmp     *%r10
1:      pushq   %rbp
        movq    %rsp, %rbp
        pushq   %rdi
        pushq   %rsi
        pushq   %rdx
        pushq   %rcx
        pushq   %r8
        pushq   %r9
        pushq   %rax
        pushq   %rax
        andq    $-16, %rsp
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
        call    adopt_load
        movq    %rax, %r11
        movups  (%rsp), %xmm0
        movups  16(%rsp), %xmm1
        movups  32(%rsp), %xmm2
        movups  48(%rsp), %xmm3
        movups  64(%rsp), %xmm4
        movups  80(%rsp), %xmm5
        movups  96(%rsp), %xmm6
        movups  112(%rsp), %xmm7
        movq    -8(%rbp), %rdi
        movq    -16(%rbp), %rsi
        movq    -24(%rbp), %rdx
        movq    -32(%rbp), %rcx
        movq    -40(%rbp), %r8
        movq    -48(%rbp), %r9
        movq    -56(%rbp), %rax
        leave
        jmp     *%r11
        .size   through_table, . - through_table

#elif defined __aarch64__
adopt_entry:
        .set    number, 0
        .rept   ADOPT_MOST_NAMES * ADOPT_LIBRARIES
        .balign 16
        mov     w17, #number
        b       through_table
        .set    number, number + 1
        .endr
        .size   adopt_entry, . - adopt_entry

        .type   through_table, %function
through_table:
        adrp    x16, adopt_target
        add     x16, x16, :lo12:adopt_target
        ldr     x16, [x16, x17, lsl #3]
        cbz     x16, 1f
        br      x16
1:      stp     x29, x30, [sp, #-224]!
        mov     x29, sp
        stp     x0, x1, [sp, #16]
        stp     x2, x3, [sp, #32]
        stp     x4, x5, [sp, #48]
        stp     x6, x7, [sp, #64]
        str     x8, [sp, #80]
        stp     q0, q1, [sp, #96]
        stp     q2, q3, [sp, #128]
        stp     q4, q5, [sp, #160]
        stp     q6, q7, [sp, #192]
        mov     w0, w17
        bl      adopt_load
        mov     x16, x0
        ldp     x0, x1, [sp, #16]
        ldp     x2, x3, [sp, #32]
        ldp     x4, x5, [sp, #48]
        ldp     x6, x7, [sp, #64]
        ldr     x8, [sp, #80]
        ldp     q0, q1, [sp, #96]
        ldp     q2, q3, [sp, #128]
        ldp     q4, q5, [sp, #160]
        ldp     q6, q7, [sp, #192]
        ldp     x29, x30, [sp], #224
        br      x16
        .size   through_table, . - through_table
#endif

        .section .note.GNU-stack, "", %progbits
