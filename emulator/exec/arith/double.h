/* NaN handling in double precision: a NaN operand is returned quiet, with its sign and payload (PTX
 * ISA 9.7.3). If several operands are NaN, an H200 returns b, then c, then a; a division returns
 * the dividend's. */
#ifndef WARPBOOK_EXEC_DOUBLE_H
#define WARPBOOK_EXEC_DOUBLE_H

#include "../lanes.h"

#define EXEC_QUIET_F64 UINT64_C(0x0008000000000000) /* the bit that makes a NaN quiet */
/* The NaN that an invalid operation returns. */
#define EXEC_NAN_F64 UINT64_C(0xfff8000000000000)

static inline double exec_quiet_nan(double x)
{
    return exec_f64(exec_bits64(x) | EXEC_QUIET_F64);
}

/* Correct R, the host's result of an operation on A, B and C: a NaN becomes the GPU's. */
static inline double exec_fix_nan3(double r, double a, double b, double c)
{
    /* Use successive selections, not nested ones: the compiler turns successive selections into
     * vector selects. */
    double nan = exec_f64(EXEC_NAN_F64);
    nan = a == a ? nan : exec_quiet_nan(a);
    nan = c == c ? nan : exec_quiet_nan(c);
    nan = b == b ? nan : exec_quiet_nan(b);
    return r == r ? r : nan;
}

static inline double exec_fix_nan2(double r, double a, double b)
{
    return exec_fix_nan3(r, a, b, b);
}

static inline double exec_fix_nan1(double r, double a)
{
    return exec_fix_nan3(r, a, a, a);
}

#endif
