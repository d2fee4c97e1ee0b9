/* Conversions between f32 and the 16-bit formats f16 and bf16 (PTX ISA 5.2.3). */
#ifndef WARPBOOK_EXEC_HALF_H
#define WARPBOOK_EXEC_HALF_H

#include "float.h"

#define EXEC_NAN_F16  UINT32_C(0x7fff) /* bits of the canonical NaN of f16 */
#define EXEC_NAN_BF16 UINT32_C(0x7fff) /* bits of the canonical NaN of bf16 */

/* Convert f16 to f32 exactly. A NaN becomes the canonical NaN. */
static inline float exec_from_f16(uint32_t h)
{
    const uint32_t sign = (h & 0x8000) << 16, rest = h & 0x7fff;
    /* Shift the exponent field into place, then correct it by a power of two. This is exact, and
     * correct for subnormals because the multiplication normalises them. */
    const float scaled = exec_f32(rest << 13) * 0x1p112f;
    uint32_t u = exec_bits32(scaled) | sign;
    u = rest >= 0x7c00 ? sign | 0x7f800000 : u;
    return exec_f32(rest > 0x7c00 ? EXEC_NAN_F32 : u);
}

static inline float exec_from_bf16(uint32_t h)
{
    return exec_f32((h & 0x7fff) > 0x7f80 ? EXEC_NAN_F32 : h << 16);
}

/* Convert f32 to f16, rounded to nearest even. */
static inline uint32_t exec_to_f16(float x)
{
    const uint32_t u = exec_bits32(x), sign = u >> 16 & 0x8000, m = u & 0x7fffffff;
    /* normal: round off bits 12 to 0; the carry may increase the exponent */
    const uint32_t normal = (m + 0xfff + (m >> 13 & 1) - 0x38000000) >> 13;
    /* subnormal: adding 0.5 leaves the rounded multiple of 2^-24 in the low bits */
    const uint32_t subnormal = exec_bits32(exec_f32(m) + 0.5f) - 0x3f000000;
    uint32_t h = m < 0x38800000 ? subnormal : normal;
    h = m >= 0x477ff000 ? 0x7c00 : h;
    return m > 0x7f800000 ? EXEC_NAN_F16 : h | sign;
}

/* Convert a finite f32 to f16, rounded toward zero. */
static inline uint32_t exec_to_f16_toward_zero(float x)
{
    const uint32_t h = exec_to_f16(x);
    return fabsf(exec_from_f16(h)) > fabsf(x) ? h - 1 : h;
}

static inline uint32_t exec_to_bf16(float x)
{
    const uint32_t u = exec_bits32(x);
    return (u & 0x7fffffff) > 0x7f800000 ? EXEC_NAN_BF16 : (u + 0x7fff + (u >> 16 & 1)) >> 16;
}

/* Replace a subnormal f16 by a zero with its sign. */
static inline uint16_t exec_flush_f16(uint16_t h)
{
    return h & 0x7c00 ? h : h & 0x8000;
}

#endif
