/* cvt.pack (PTX ISA 9.7.9.22): saturate two integers and pack them; for bytes the upper half is the
 * lower half of c. */
#include "../lanes.h"

static uint32_t saturate_between(int32_t x, int32_t low, int32_t high)
{
    return (uint32_t)(x < low ? low : x > high ? high : x);
}

#define DEFINE_PACK(name, bits, low, high)                                                  \
    EXEC_FN(name)                                                                           \
    {                                                                                       \
        const int32_t *a = SM_R(const int32_t, w, i->a), *b = SM_R(const int32_t, w, i->b); \
        const uint32_t *c = SM_R(const uint32_t, w, i->c), ones = (1u << bits) - 1;         \
        EXEC_LANES_DO(w, uint32_t, SM_R(uint32_t, w, i->d),                                 \
                      (bits == 8 ? c[l] << 16 : 0) |                                        \
                          (saturate_between(a[l], low, high) & ones) << bits |              \
                          (saturate_between(b[l], low, high) & ones));                      \
        return i + 1;                                                                       \
    }
DEFINE_PACK(pack_u16, 16, 0, 0xffff)
DEFINE_PACK(pack_s16, 16, -0x8000, 0x7fff)
DEFINE_PACK(pack_u8, 8, 0, 0xff)
DEFINE_PACK(pack_s8, 8, -0x80, 0x7f)

EXEC_SELECT(cvt_pack)
{
    if (!ptx_has_modifier(in, PTX_MOD_sat))
        return NULL;
    switch (in->type[0]) {
    case PTX_u16: return pack_u16;
    case PTX_s16: return pack_s16;
    case PTX_u8: return pack_u8;
    case PTX_s8: return pack_s8;
    default: return NULL;
    }
}
