/* Arrays of 16-bit floating-point numbers, __half, for lab_array and lab_expect. Include it after
 * lab.h. */
#ifndef WARPBOOK_LAB_HALF_H
#define WARPBOOK_LAB_HALF_H

#include <cuda_fp16.h>

#include "lab_check.h"

static const uint16_t LAB_POISON_HALF = 0x7EADu, LAB_GUARD_HALF = 0x7E9Cu; /* NaNs */

static inline void lab_half_from_bits(uint16_t bits, __half *value)
{
    memcpy(value, &bits, sizeof *value);
}

static inline void lab_poison(__half *value)
{
    lab_half_from_bits(LAB_POISON_HALF, value);
}

static inline void lab_guard_value(__half *value, uint32_t change = 0)
{
    lab_half_from_bits((uint16_t)(LAB_GUARD_HALF ^ change), value);
}

/* A random multiple of 1/1024 in [low, high); so both should be small. */
static inline void lab_random_value(__half *value, double low, double high)
{
    double steps = floor((high - low) * 1024 * ((double)(lab_bits() >> 40) / (double)(1 << 24)));
    *value = __half((float)(low + steps / 1024));
}

static inline double lab_default_range(__half *)
{
    return 1;
}

static inline double lab_number(__half value)
{
    return (double)__half2float(value);
}

#endif
