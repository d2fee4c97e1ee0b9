/* Exact divisions, reciprocals and roots whose operands leave the short path. ptxas puts the usual
 * case in line and calls a function if the operands of any lane are out of its range: zeros,
 * infinities, subnormals, and exponents near the ends. The ranges are those of the code that nvcc
 * 13.0 generates for sm_90; that of f32 division, which one instruction (FCHK) tests, was recorded
 * on an H200 for all pairs of exponents (tests/hardware/clocks/h200/quotients.tsv). */
#include "../../ptx/traits.h"
#include "../lanes.h"
#include "double.h"

/* Why a lane leaves the short path. */
enum reason {
    SHORT_PATH,
    AT_THE_END, /* an operand or the result is near the end of the range */
    SPECIAL,    /* zero, infinity or NaN; of a root also a negative number */
    DIVISOR,   /* the divisor, or the operand of a reciprocal, is subnormal or about as large as can
                  be */
    SUBNORMAL, /* the dividend, or the operand of a root or a reciprocal, is subnormal */
    REASONS
};

enum { OF_DIV, OF_RCP, OF_SQRT, OPERATIONS };

/* What the function costs a warp: cycles of its scheduler, and cycles until its result is there.
 * Measured on an H200 as the difference to the short path: slow_paths.tsv of
 * tests/hardware/timings/h200/parts, 8448 warps and one warp. */
typedef struct slow_path {
    uint16_t issue, chain;
} slow_path;
static const slow_path costs[2][OPERATIONS][REASONS] = {
    {
        [OF_DIV] = {[AT_THE_END] = {53, 262},
                    [SPECIAL] = {38, 210},
                    [DIVISOR] = {83, 357},
                    [SUBNORMAL] = {118, 462}},
        [OF_RCP] = {[SPECIAL] = {27, 170}, [DIVISOR] = {60, 214}, [SUBNORMAL] = {27, 170}},
        [OF_SQRT] = {[AT_THE_END] = {28, 172}, [SPECIAL] = {14, 100}, [SUBNORMAL] = {28, 172}},
    },
    {
        [OF_DIV] = {[AT_THE_END] = {76, 275},
                    [SPECIAL] = {79, 288},
                    [DIVISOR] = {76, 275},
                    [SUBNORMAL] = {98, 311}},
        [OF_RCP] = {[AT_THE_END] = {43, 242}, [SPECIAL] = {36, 228}, [SUBNORMAL] = {36, 228}},
        [OF_SQRT] = {[AT_THE_END] = {32, 147}, [SPECIAL] = {24, 141}, [SUBNORMAL] = {56, 261}},
    },
};

/* Reason if the operand with EXPONENT, whose largest value is MOST, and with FRACTION is none of
 * the usual numbers, else OTHERWISE. */
static inline enum reason reason_of(uint32_t exponent, uint32_t most, bool fraction,
                                    enum reason otherwise)
{
    return exponent == most || (exponent == 0 && !fraction) ? SPECIAL
           : exponent == 0                                  ? SUBNORMAL
                                                            : otherwise;
}

static inline enum reason slow_div_32(float fa, float fb)
{
    const uint32_t a = exec_bits32(fa), b = exec_bits32(fb);
    const int ea = (int)(a >> 23 & 255), eb = (int)(b >> 23 & 255);
    if (ea >= 25 && ea <= 254 && eb >= 2 && eb <= 251 && ea - eb <= 126 && eb - ea <= 124)
        return SHORT_PATH;
    if (eb == 255 || (eb == 0 && !(b & 0x7fffff)))
        return SPECIAL;
    return reason_of((uint32_t)ea, 255, a & 0x7fffff, eb < 2 || eb > 251 ? DIVISOR : AT_THE_END);
}

static inline enum reason slow_rcp_32(float fa)
{
    const uint32_t a = exec_bits32(fa), e = a >> 23 & 255;
    return e > 0 && e < 253 ? SHORT_PATH : reason_of(e, 255, a & 0x7fffff, DIVISOR);
}

static inline enum reason slow_sqrt_32(float fa)
{
    const uint32_t a = exec_bits32(fa), e = a >> 23 & 255;
    return a - 0x0d000000 <= 0x727fffff ? SHORT_PATH
           : a >> 31                    ? SPECIAL
                                        : reason_of(e, 255, a & 0x7fffff, AT_THE_END);
}

static inline uint32_t upper_half(double a)
{
    return (uint32_t)(exec_bits64(a) >> 32) & 0x7fffffff;
}

static inline enum reason reason_of_64(double a, enum reason otherwise)
{
    return reason_of(upper_half(a) >> 20, 2047, exec_bits64(a) << 12, otherwise);
}

/* The code tests the upper halves of dividend, divisor and quotient as if they were floats: one
 * from 0x7f800000 on is infinity or NaN. */
static inline enum reason slow_div_64(double a, double b)
{
    const uint32_t q = upper_half(a / b);
    if (upper_half(a) >= 0x03600000 && upper_half(b) < 0x7f800000 && q > 0x00100000 &&
        q <= 0x7f800000)
        return SHORT_PATH;
    const enum reason of_b = reason_of_64(b, AT_THE_END);
    return of_b == SPECIAL ? SPECIAL : reason_of_64(a, of_b == SUBNORMAL ? DIVISOR : AT_THE_END);
}

static inline enum reason slow_rcp_64(double a)
{
    const uint32_t shifted = ((uint32_t)(exec_bits64(a) >> 32) + 0x300402) & 0x7fffffff;
    return shifted >= 0x00400402 ? SHORT_PATH : reason_of_64(a, AT_THE_END);
}

static inline enum reason slow_sqrt_64(double a)
{
    const uint32_t upper = (uint32_t)(exec_bits64(a) >> 32);
    return upper - 0x03500000 < 0x7ca00000 ? SHORT_PATH
           : upper >> 31                   ? SPECIAL
                                           : reason_of_64(a, AT_THE_END);
}

/* The lane with the dearest reason counts for the warp. */
#define SLOW_PATH(name, T, wide, operation, reason_of_lane)                 \
    EXEC_FN(name)                                                           \
    {                                                                       \
        const T *pa = SM_R(const T, w, i->a), *pb = SM_R(const T, w, i->b); \
        const slow_path *of = costs[wide][operation], *dearest = of;        \
        if (!w->worker->counting)                                           \
            return i + 1;                                                   \
        EXEC_EACH_LANE(w->mask) {                                           \
            const T a = pa[l], b = pb[l];                                   \
            (void)b;                                                        \
            const slow_path *path = &of[reason_of_lane];                    \
            dearest = path->issue > dearest->issue ? path : dearest;        \
        }                                                                   \
        w->worker->extra.v[CTR_slow_path_cycles] += dearest->issue;         \
        w->worker->extra.v[CTR_slow_path_chain] += dearest->chain;          \
        return i + 1;                                                       \
    }

SLOW_PATH(div_32, float, 0, OF_DIV, slow_div_32(a, b))
SLOW_PATH(rcp_32, float, 0, OF_RCP, slow_rcp_32(a))
SLOW_PATH(sqrt_32, float, 0, OF_SQRT, slow_sqrt_32(a))
SLOW_PATH(div_64, double, 1, OF_DIV, slow_div_64(a, b))
SLOW_PATH(rcp_64, double, 1, OF_RCP, slow_rcp_64(a))
SLOW_PATH(sqrt_64, double, 1, OF_SQRT, slow_sqrt_64(a))

sm_fn EXEC_FOR_ISA(exec_pick_slow_path)(const ptx_insn *in);
sm_fn EXEC_FOR_ISA(exec_pick_slow_path)(const ptx_insn *in)
{
    const bool wide = in->type_count && in->type[0] == PTX_f64;
    if ((!wide && !(in->type_count && in->type[0] == PTX_f32)) ||
        ptx_has_modifier(in, PTX_MOD_approx) || ptx_has_modifier(in, PTX_MOD_full))
        return NULL;
    switch (ptx_traits_of(in)->cost) {
    case PTX_COST_quotient: return wide ? div_64 : div_32;
    case PTX_COST_reciprocal: return wide ? rcp_64 : rcp_32;
    case PTX_COST_root: return wide ? sqrt_64 : sqrt_32;
    default: return NULL;
    }
}
