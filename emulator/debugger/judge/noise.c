#include "noise.h"

#include "../recording/mix.h"

#include <stdlib.h>
#include <string.h>

void fill_with_random_values(void *at, uint64_t bytes, rule_type type, uint64_t seed)
{
    const size_t size = rule_element_bytes(type);
    uint8_t *to = at;
    uint64_t state = seed;
    for (uint64_t done = 0; done + size <= bytes; done += size) {
        const uint64_t bits = rec_draw_random(&state);
        const double real = (double)(bits >> 11) / (double)(UINT64_C(1) << 52) - 1;
        const float f32 = (float)real;
        /* from 1/4 to 1 or from -1 to -1/4: any such f16 */
        const uint16_t f16 = (uint16_t)(0x3400 + (bits & 0x7ff) + (bits & 0x8000));
        const int64_t whole = (int64_t)(bits % 1000);
        switch (type) {
        case RULE_F16: memcpy(to + done, &f16, size); break;
        case RULE_F32: memcpy(to + done, &f32, size); break;
        case RULE_F64: memcpy(to + done, &real, size); break;
        case RULE_I8:
        case RULE_I32:
        case RULE_I64:
            memcpy(to + done, &whole,
                   size); /* the low bytes of `whole`, as the host is little endian */
            break;
        }
    }
}

/* Copying single elements takes several times as long as copying groups. */
enum {
    LONG_ARRAY_BYTES = 1 << 16, /* longer arrays are resampled in groups of elements */
    GROUP_ELEMENTS = 61         /* neighbouring elements that form a group */
};

bool resample_values(void *at, uint64_t bytes, rule_type type, uint64_t seed)
{
    const uint64_t size = rule_element_bytes(type), count = bytes / size;
    const uint64_t piece = count >= LONG_ARRAY_BYTES ? GROUP_ELEMENTS : 1;
    uint8_t *to = at, *old = count > 1 ? malloc(count * size) : NULL;
    uint64_t state = seed;
    if (count < 2)
        return true;
    if (!old)
        return false;
    memcpy(old, at, count * size);
    for (uint64_t done = 0; done < count; done += piece) {
        const uint64_t some = count - done < piece ? count - done : piece;
        memcpy(to + done * size, old + rec_draw_random(&state) % (count - some + 1) * size,
               some * size);
    }
    free(old);
    return true;
}

/* Map 32 bits to 32 bits one to one; the compiler can vectorise a loop of calls. */
static uint32_t scramble_bits(uint32_t x, uint32_t key)
{
    x = (x ^ key) * UINT32_C(0x9e3779b1);
    x = (x ^ x >> 15) * UINT32_C(0x85ebca77);
    return x ^ x >> 13;
}

void replace_values(void *at, uint64_t bytes, rule_type type, int64_t first, uint64_t seed)
{
    const size_t size = rule_element_bytes(type);
    const uint64_t key = rec_draw_random(&seed), count = bytes / size;
    const uint64_t step = first == NOISE_NO_POSITION ? 0 : 1;
    uint8_t *to = at;
    for (uint64_t k = 0; type == RULE_F32 && k < count; k++) {
        uint32_t bits;
        memcpy(&bits, to + 4 * k,
               sizeof bits); /* a constant size: a call takes four times as long */
        bits += (uint32_t)((uint64_t)first + k * step) * UINT32_C(0x9e3779b9);
        bits = UINT32_C(0x3f800000) | scramble_bits(bits, (uint32_t)key) >> 9; /* 1 to 2 */
        float value;
        memcpy(&value, &bits, sizeof value);
        value -= 1.5f;
        memcpy(to + 4 * k, &value, sizeof value);
    }
    for (uint64_t k = 0; type != RULE_F32 && k < count; k++) {
        uint64_t state = 0;
        memcpy(&state, to + k * size, size);
        state = rec_mix_bits(state + key) + (uint64_t)first + k * step;
        fill_with_random_values(to + k * size, size, type, rec_draw_random(&state));
    }
}

uint64_t noise_sample_index(uint64_t seed, uint64_t k, uint64_t count)
{
    uint64_t state = seed ^ k * UINT64_C(0xd1342543de82ef95);
    return rec_draw_random(&state) % count;
}
