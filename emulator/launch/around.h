/* Finds the loops that contain a thread's current instruction, and describes which threads are in a
 * loop. Used in reports on launches that never end. Private to the SM. */
#pragma once

#include "../core/sched.h"

enum {
    LAUNCH_MAX_EXIT_TESTS = 4, /* maximum number of comparisons of a loop that are examined */
    LAUNCH_MAX_NEST = 4        /* maximum number of nested loops that are examined */
};

/* A loop that contains a thread's current instruction, and the frame of the loop's function. */
typedef struct launch_loop_position {
    const sm_frame *frame;           /* the frame of the function that contains the loop */
    const struct compile_loop *loop; /* NULL: the thread is in no loop */
} launch_loop_position;

/* The outermost loop around fragment F: a loop of the kernel if F is in one, otherwise of the first
 * called function in which F is in a loop. */
launch_loop_position launch_outermost_loop(const sm_fragment *f);
/* The loops around fragment F, of the kernel and of the functions that it has called, the outermost
 * first. Returns their number; of more than LAUNCH_MAX_NEST the outer ones are kept. */
uint32_t launch_loops_around(const sm_fragment *f, launch_loop_position loop[LAUNCH_MAX_NEST]);
/* The innermost loop around fragment F in the function that F executes. */
launch_loop_position launch_innermost_loop(const sm_fragment *f);

/* A comparison that decides whether a loop is left. */
typedef struct launch_exit_test {
    const sm_insn *at;            /* the setp instruction */
    double left, right, distance; /* operands of the comparison; their difference */
    char text[80];                /* the operands as text: "17 with 100" */
} launch_exit_test;

/* The comparisons of integers or floats that decide whether lane LANE leaves the loop A, with the
 * current values of their operands. Returns the number of comparisons. */
uint32_t launch_exit_tests(const launch_loop_position *a, uint32_t lane,
                           launch_exit_test test[LAUNCH_MAX_EXIT_TESTS]);

/* Does loop A have an exit: a branch out of it, an exit, a return or a trap? */
bool launch_loop_has_exit(const launch_loop_position *a);

/* How often warps of worker K have reached the end of loop A's body. */
uint64_t launch_loop_iterations(const sm_worker *k, const launch_loop_position *a);

/* Write "The loop of lines 12 to 14: 64 threads of the block are in it, 192 have left the kernel."
 * for block B to OUT. */
void launch_describe_loop(const sm_block *b, const launch_loop_position *a, char *out, size_t size);
