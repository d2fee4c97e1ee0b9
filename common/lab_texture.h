/* A texture object and the memory from which it fetches, for the chapter about textures. */
#ifndef WARPBOOK_LAB_TEXTURE_H
#define WARPBOOK_LAB_TEXTURE_H

#include "lab.h"

struct lab_texture {
    cudaTextureObject_t object; /* the texture object that is passed to kernels */

    /* A texture on N floats in device memory, fetched by tex1Dfetch; fetches outside return 0. */
    lab_texture(float *from, long n)
    {
        const cudaTextureDesc how = {};
        what.resType = cudaResourceTypeLinear;
        what.res.linear = {from, cudaCreateChannelDesc<float>(), (size_t)n * sizeof(float)};
        CUDA_CHECK(cudaCreateTextureObject(&object, &what, &how, NULL));
    }

    /* A table of HIGH rows of WIDE floats in device memory, copied into a CUDA array and fetched by
     * tex2D; HOW describes addressing and filtering. */
    lab_texture(const float *from, long wide, long high, const cudaTextureDesc &how)
    {
        const cudaChannelFormatDesc one_float = cudaCreateChannelDesc<float>();
        const size_t row = (size_t)wide * sizeof(float);
        cudaArray_t &texels = what.res.array.array;
        what.resType = cudaResourceTypeArray;
        CUDA_CHECK(cudaMallocArray(&texels, &one_float, (size_t)wide, (size_t)high));
        CUDA_CHECK(cudaMemcpy2DToArray(texels, 0, 0, from, row, row, (size_t)high,
                                       cudaMemcpyDeviceToDevice));
        CUDA_CHECK(cudaCreateTextureObject(&object, &what, &how, NULL));
    }

    lab_texture(const lab_texture &) = delete;
    lab_texture &operator=(const lab_texture &) = delete;

    ~lab_texture(void)
    {
        CUDA_CHECK(cudaDestroyTextureObject(object));
        if (what.resType == cudaResourceTypeArray)
            CUDA_CHECK(cudaFreeArray(what.res.array.array));
    }

  private:
    cudaResourceDesc what = {}; /* the memory that the texture fetches from */
};

/* The value of a table at a position, computed on the host: 0 outside; the nearest texel, or linear
 * interpolation between texels, which lie at integer x and y. */
static inline double lab_texel(const lab_array<float> &table, long wide, long high, float2 at,
                               cudaTextureFilterMode filter)
{
    const bool nearest = filter == cudaFilterModePoint;
    const double moved_x = at.x + lab_texels_moved().x, moved_y = at.y + lab_texels_moved().y;
    const double x = nearest ? floor(moved_x + 0.5) : moved_x;
    const double y = nearest ? floor(moved_y + 0.5) : moved_y;
    const long left = (long)floor(x), top = (long)floor(y);
    double sum = 0;
    for (int k = 0; k < 4; k++) {
        const long column = left + k % 2, row = top + k / 2;
        const double weight = (1 - fabs(x - (double)column)) * (1 - fabs(y - (double)row));
        if (weight > 0 && column >= 0 && column < wide && row >= 0 && row < high)
            sum += weight * table[wide * row + column];
    }
    return sum;
}

/* A rotation about the middle of a table of SIDE x SIDE, as four numbers a, b, c, d: element (x, y)
 * maps to column a x - b y + c and row b x + a y + d. All four are rounded so that floats represent
 * the results exactly. */
static inline float4 lab_turn(int degrees, int side)
{
    const double angle = degrees * 3.14159265358979 / 180;
    const float a = (float)rint(64 * cos(angle)) / 64, b = (float)rint(64 * sin(angle)) / 64;
    const float middle = (float)(side / 2);
    return make_float4(a, b, middle - a * middle + b * middle, middle - b * middle - a * middle);
}

#endif
