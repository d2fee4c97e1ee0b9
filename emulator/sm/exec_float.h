/* Single precision as the hardware rounds it off: canonical NaN, flushed subnormals, saturation. */
#ifndef WARPBOOK_EXEC_FLOAT_H
#define WARPBOOK_EXEC_FLOAT_H

#include "exec_lanes.h"

#define SM_NAN_F32 UINT32_C(0x7fffffff)

/* Every NaN result is this one (PTX ISA 9.7.3). */
static inline float sm_canonical(float x)
{
    return x == x ? x : sm_f32(SM_NAN_F32);
}

/* .ftz: a subnormal becomes a zero of its sign. */
static inline float sm_flush(float x)
{
    const uint32_t u = sm_bits32(x);
    return sm_f32(u & 0x7f800000 ? u : u & 0x80000000);
}

/* .sat: to [0, 1]; NaN and -0 become +0. */
static inline float sm_saturate(float x)
{
    return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;
}

/* Is a rounding other than to nearest asked for? */
static inline bool sm_is_directed(const ptx_insn *in)
{
    return ptx_has(in, PTX_MOD_rz) || ptx_has(in, PTX_MOD_rm) || ptx_has(in, PTX_MOD_rp);
}

static inline sm_fn sm_float_variant(const ptx_insn *in, sm_fn plain, sm_fn ftz, sm_fn sat,
                                     sm_fn ftz_sat)
{
    if (ptx_has(in, PTX_MOD_sat)) {
        return ptx_has(in, PTX_MOD_ftz) ? ftz_sat : sat;
    }
    return ptx_has(in, PTX_MOD_ftz) ? ftz : plain;
}

#endif
