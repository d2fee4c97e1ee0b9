/* The loops that a thread is in, and a sentence on who else is in one. For reports on launches that
 * never end. Inside the SM. */
#ifndef WARPBOOK_AROUND_H
#define WARPBOOK_AROUND_H

#include "../sm/sched.h"

enum { SM_EXITS_MOST = 4 }; /* most exit comparisons of a loop that are examined */

/* A loop of some function, and where a thread is in it. */
typedef struct sm_around {
    const sm_frame *frame;      /* the frame of the function that contains the loop */
    const struct sm_loop *loop; /* NULL: the thread is in no loop */
} sm_around;

/* The outermost loop around fragment F: that of the kernel itself, where there is one, and else of
 * the first function called that has one. */
sm_around sm_outermost_loop(const sm_fragment *f);
/* The innermost loop around F in the function that F runs. */
sm_around sm_innermost_loop(const sm_fragment *f);

/* A comparison that decides whether a loop is left. */
typedef struct sm_exit_test {
    const sm_insn *at; /* the setp instruction */
    double left, right, distance;
    char text[80]; /* "17 with 100" */
} sm_exit_test;

/* The comparisons of integers or floats that decide whether lane LANE leaves the loop A, with their
 * operands as they are now. Returns how many there are. */
uint32_t sm_exit_tests(const sm_around *a, uint32_t lane, sm_exit_test test[SM_EXITS_MOST]);

/* Is there any way out of the loop: a branch, an exit, a return or a trap? */
bool sm_loop_has_exit(const sm_around *a);

/* Does the loop contain an atomic operation? */
bool sm_loop_has_atomic(const sm_around *a);

/* Write "The loop of lines 12 to 14: 64 threads of the block are in it, 192 have left the kernel."
 * for block B to OUT. */
void sm_loop_text(const sm_block *b, const sm_around *a, char *out, size_t size);

#endif
