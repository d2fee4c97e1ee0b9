// Shared by the programs that record texture results on a GPU: test cases, random seeds, arrays,
// and the kernel that fetches.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <functional>
#include <string>
#include <vector>

#define OK(call)                                                       \
    do {                                                               \
        cudaError_t code_ = (call);                                    \
        if (code_ != cudaSuccess)                                      \
            throw std::string(#call) + ": " + cudaGetErrorName(code_); \
    } while (0)

typedef std::vector<uint32_t> Words;

// A test case whose result is an array of words. Its name is the seed of its random numbers, so
// that other cases can be added or removed without changing its result.
struct Case {
    std::string name; // name of the case, seed of its random numbers
    std::function<Words()> make; // fetches the texels and returns the result
    double within; // how far a float may be from the recorded one
    size_t some; // number of words that may be off by up to `within`
};
void add(const std::string &name, std::function<Words()> make, double within = 0, // add a case
         size_t some = SIZE_MAX);

struct Random {
    uint64_t state; // state of the generator (splitmix64)
    explicit Random(const std::string &name)
    {
        state = 0xcbf29ce484222325;
        for (char c : name)
            state = (state ^ (unsigned char)c) * 0x100000001b3;
    }
    uint64_t next()
    {
        uint64_t z = (state += 0x9e3779b97f4a7c15);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    }
    float unit() { return (float)(next() >> 40) / 16777216.0f; } // [0, 1)
    float in(float a, float b) { return a + (b - a) * unit(); }
    int below(int n) { return (int)(next() % (uint64_t)n); }
};

enum Geometry { G1D, G2D, G3D, GA1D, GA2D, GCUBE, GACUBE }; // of a texture; GA..: layered
extern const char *const geometry_name[];

enum Op { PLAIN, LEVEL, GRAD, FETCH, GATHER }; // tex, texLod, texGrad, tex1Dfetch, tex2Dgather

// The coordinates of one texture fetch.
struct At {
    float x, y, z; // coordinates
    int layer; // layer of a layered texture
    float level; // mipmap level
    float gx[3], gy[3]; // GRAD: gradients dP/dx and dP/dy
    int index; // FETCH: index of the texel; GATHER: number of the channel
};

struct Format {
    cudaChannelFormatKind kind; // unsigned, signed or floating point
    int bits, channels; // bits of a channel; channels of a texel
    std::string name() const;
    int bytes() const { return bits / 8 * channels; }
    cudaChannelFormatDesc desc() const
    {
        return cudaCreateChannelDesc(bits, channels > 1 ? bits : 0, channels > 2 ? bits : 0,
                                     channels > 2 ? bits : 0, kind);
    }
};
extern const Format F32, U8, S8, U16, S16, F16, U32, S32; // formats with one channel
Format with(Format f, int channels); // format F, but with CHANNELS channels

// A function that makes the texels of one mipmap level of an array.
typedef std::function<void(Random &, std::vector<unsigned char> &, int level)> Fill;
Fill random_texels(Format f);
Fill float_texels(std::vector<float> values); // texels with these values, again and again
Fill byte_texels(std::vector<unsigned char> bytes); // texels with these bytes, again and again

struct Texture {
    Geometry geometry = G2D; // number of dimensions, layered or not, cube or not
    Format format = F32; // format of a texel
    int width = 16, height = 16, depth = 4; // depth: number of slices, layers or cubes
    int levels = 1; // mipmap levels
    unsigned flags = 0; // flags for cudaMalloc3DArray
    bool pitched = false, buffer = false; // pitched or linear memory instead of an array
    cudaTextureDesc sampler = {}; // address modes, filter, reading as floats
    cudaResourceViewDesc *view = nullptr; // another format for the texels; nullptr: none
    Fill fill; // makes the texels
    Texture &address(cudaTextureAddressMode m)
    {
        for (auto &a : sampler.addressMode)
            a = m;
        return *this;
    }
};

// Make texture T, fetch at every coordinate of AT, and return the first WORDS words of each result:
// integers if READ is 'i' or 'u', floats if READ is 'f'.
Words fetch(const std::string &name, const Texture &t, char read, Op op, const std::vector<At> &at,
            int words);

// A CUDA array filled with its texels.
struct Array {
    cudaArray_t array = nullptr; // the array, if it has one mipmap level
    cudaMipmappedArray_t mipmap = nullptr; // the array, if it has several
    void *memory = nullptr; // linear or pitched memory instead of an array
    size_t pitch = 0; // bytes from row to row of pitched memory
    cudaResourceDesc resource = {}; // describes which of these it is
};
Array make_array(const std::string &name, const Texture &t);
void free_array(Array &a);

struct Spot { // a position in a surface
    int x, y, z; // coordinates: column, row, slice or layer
};

template <class T>
static T *upload(const std::vector<T> &v)
{
    T *p;
    OK(cudaMalloc(&p, v.size() * sizeof(T)));
    OK(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
    return p;
}

Words words_of(const void *p, size_t bytes); // BYTES bytes of host memory as 32-bit words
Words array_words(cudaArray_t array, const Texture &t);

// Each function is in its own file, so that a device that cannot load one file's kernels still
// loads the others.
void add_texture_cases();
void add_filter_cases();
void add_surface_cases();
void add_formatted_cases();
void add_reduction_cases();
void add_texture_questions();
void add_surface_questions();
void add_whole_cases();
void add_limit_cases();
void add_edge_cases();
