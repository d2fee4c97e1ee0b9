/* Finds the loops that contain a thread's current instruction, and describes which threads are in a
 * loop. Used in reports on launches that never end. Private to the SM. */
#ifndef WARPBOOK_AROUND_H
#define WARPBOOK_AROUND_H

#include "../sm/sched.h"

enum { SM_MAX_EXIT_TESTS = 4 }; /* maximum number of comparisons of a loop that are examined */

/* A loop that contains a thread's current instruction, and the frame of the loop's function. */
typedef struct sm_loop_position {
    const sm_frame *frame;      /* the frame of the function that contains the loop */
    const struct sm_loop *loop; /* NULL: the thread is in no loop */
} sm_loop_position;

/* The outermost loop around fragment F: a loop of the kernel if F is in one, otherwise of the first
 * called function in which F is in a loop. */
sm_loop_position sm_outermost_loop(const sm_fragment *f);
/* The innermost loop around fragment F in the function that F executes. */
sm_loop_position sm_innermost_loop(const sm_fragment *f);

/* A comparison that decides whether a loop is left. */
typedef struct sm_exit_test {
    const sm_insn *at;            /* the setp instruction */
    double left, right, distance; /* operands of the comparison; their difference */
    char text[80];                /* the operands as text: "17 with 100" */
} sm_exit_test;

/* The comparisons of integers or floats that decide whether lane LANE leaves the loop A, with the
 * current values of their operands. Returns the number of comparisons. */
uint32_t sm_exit_tests(const sm_loop_position *a, uint32_t lane,
                       sm_exit_test test[SM_MAX_EXIT_TESTS]);

/* Does loop A have an exit: a branch out of it, an exit, a return or a trap? */
bool sm_loop_has_exit(const sm_loop_position *a);

/* Does loop A contain an atomic operation? */
bool sm_loop_has_atomic(const sm_loop_position *a);

/* Write "The loop of lines 12 to 14: 64 threads of the block are in it, 192 have left the kernel."
 * for block B to OUT. */
void sm_describe_loop(const sm_block *b, const sm_loop_position *a, char *out, size_t size);

#endif
