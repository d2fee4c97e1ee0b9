#pragma once

#include <cstddef>

/* A hash of N bytes (FNV-1a). */
static unsigned hash_(const void *p, size_t n)
{
    unsigned h = 2166136261u;
    for (size_t i = 0; i < n; i++)
        h = (h ^ ((const unsigned char *)p)[i]) * 16777619u;
    return h;
}
