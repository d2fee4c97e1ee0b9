// How a device rounds: where it thinks a coordinate is, what weights it gives, how it adds up.
#include "textures.h"

#include <cmath>

static Texture line(Format f, int width, bool linear, bool normalized, Fill fill)
{
    Texture t;
    t.geometry = G1D;
    t.format = f;
    t.width = width;
    t.sampler.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
    t.sampler.readMode = f.kind == cudaChannelFormatKindFloat ? cudaReadModeElementType
                                                              : cudaReadModeNormalizedFloat;
    t.sampler.normalizedCoords = normalized;
    t.address(normalized ? cudaAddressModeWrap : cudaAddressModeClamp);
    t.fill = fill;
    return t;
}

static Texture plane(Format f, int side, Fill fill)
{
    Texture t = line(f, side, true, false, fill);
    t.geometry = G2D;
    t.height = side;
    return t;
}

static Texture volume(Format f, int side, Fill fill)
{
    Texture t = plane(f, side, fill);
    t.geometry = G3D;
    t.depth = side;
    return t;
}

static std::vector<At> random_places(const std::string &name, int n, float low, float high)
{
    Random r(name);
    std::vector<At> at(n);
    for (At &a : at) {
        a = {};
        a.x = r.in(low, high);
        a.y = r.in(low, high);
        a.z = r.in(low, high);
    }
    return at;
}

static std::vector<At> steps(int n, double first, double step)
{
    std::vector<At> at(n);
    for (int k = 0; k < n; k++) {
        at[k] = {};
        at[k].x = (float)(first + k * step);
        at[k].y = at[k].z = 0.5f;
    }
    return at;
}

static void add_fetch(const std::string &name, const Texture &t, const std::vector<At> &at,
                      double within = 0, size_t some = SIZE_MAX)
{
    add(name, [=] { return fetch(name, t, 'f', PLAIN, at, 1); }, within, some);
}

static Fill ramp()
{
    return [](Random &, std::vector<unsigned char> &to, int) {
        for (size_t k = 0; k < to.size() / 4; k++) {
            float x = (float)k;
            memcpy(&to[4 * k], &x, 4);
        }
    };
}

// Floats of one exponent, of many, or positive.
static Fill floats(int how)
{
    return [how](Random &r, std::vector<unsigned char> &to, int) {
        for (size_t k = 0; k < to.size(); k += 4) {
            const int exponent = how ? r.below(how == 1 ? 40 : 6) - 3 : 0;
            float x = ldexpf(r.in(1, 2), exponent);
            x = how && r.below(2) ? -x : x;
            memcpy(&to[k], &x, 4);
        }
    };
}

static void positions()
{
    add_fetch("weights 1d steps of 1/2048", line(F32, 2, true, false, float_texels({0, 1})),
              steps(2200, 0.5 - 76 / 2048.0, 1 / 2048.0));
    add_fetch("weights 1d anywhere", line(F32, 2, true, false, float_texels({0, 1})),
              random_places("weights 1d anywhere", 512, 0.4f, 1.6f));
    const int sizes[] = {37, 64, 1000, 4099};
    for (int n : sizes) {
        const std::string s = std::to_string(n);
        add_fetch("position of " + s, line(F32, n, true, false, ramp()),
                  random_places("position of " + s, 512, 0, (float)n));
        add_fetch("position of " + s + " normalized", line(F32, n, true, true, ramp()),
                  random_places("position of " + s + " normalized", 1024, -1, 2));
        add_fetch("nearest of " + s + " normalized", line(F32, n, false, true, ramp()),
                  random_places("nearest of " + s + " normalized", 512, -1, 2));
        Texture clamp = line(F32, n, true, true, ramp());
        clamp.address(cudaAddressModeClamp);
        add_fetch("position of " + s + " normalized clamp", clamp,
                  random_places("position of " + s + " normalized clamp", 512, 0, 1));
        Texture mirror = line(F32, n, true, true, ramp());
        mirror.address(cudaAddressModeMirror);
        add_fetch("position of " + s + " normalized mirror", mirror,
                  random_places("position of " + s + " normalized mirror", 512, -3, 3));
        // Beside the edges of texels.
        for (int linear = 0; linear < 2; linear++)
            for (int norm = 0; norm < 2; norm++) {
                const std::string name = "edges of " + s + (norm ? " normalized" : "") +
                                         (linear ? " linear" : " point");
                Random r(name);
                std::vector<At> at(512);
                for (At &a : at) {
                    a = {};
                    float x = (float)r.below(n) + (linear ? 0.5f : 0.0f) +
                              (linear ? (float)r.below(256) / 256 : 0.0f);
                    x = norm ? x / (float)n : x;
                    for (int k = r.below(7) - 3; k; k += k < 0 ? 1 : -1)
                        x = nextafterf(x, k < 0 ? -1.0f : 1e9f);
                    a.x = x;
                }
                add_fetch(name, line(F32, n, linear, norm, ramp()), at);
            }
    }
}

static void blends()
{
    static const char *const kind[] = {"one exponent", "many exponents", "near exponents"};
    for (int how = 0; how < 3; how++) {
        const std::string s = kind[how];
        add_fetch("blend 1d " + s, line(F32, 64, true, false, floats(how)),
                  random_places("blend 1d " + s, 1024, 0.5f, 63.5f));
        add_fetch("blend 2d " + s, plane(F32, 32, floats(how)),
                  random_places("blend 2d " + s, 1024, 0.5f, 31.5f));
        // Where exponents lie far apart, two sums in a thousand are rounded another way.
        add_fetch("blend 3d " + s, volume(F32, 12, floats(how)),
                  random_places("blend 3d " + s, 1024, 0.5f, 11.5f), how == 1 ? 0.25 : 0, 2);
    }
    for (int k = 0; k < 4; k++) {
        std::vector<float> v(4, 0.0f);
        v[k] = 1;
        const std::string name = "weights 2d of texel " + std::to_string(k);
        add_fetch(name, plane(F32, 2, float_texels(v)), random_places(name, 512, 0.5f, 1.5f));
    }
    for (int k = 0; k < 8; k++) {
        std::vector<float> v(8, 0.0f);
        v[k] = 1;
        const std::string name = "weights 3d of texel " + std::to_string(k);
        add_fetch(name, volume(F32, 2, float_texels(v)), random_places(name, 512, 0.5f, 1.5f));
    }
    const Format narrow[] = {U8, S8, U16, S16, F16};
    for (Format f : narrow) {
        add_fetch("blend 1d " + f.name(), line(f, 64, true, false, random_texels(f)),
                  random_places("blend 1d " + f.name(), 1024, 0.5f, 63.5f));
        add_fetch("blend 2d " + f.name(), plane(f, 32, random_texels(f)),
                  random_places("blend 2d " + f.name(), 1024, 0.5f, 31.5f));
        add_fetch("blend 3d " + f.name(), volume(f, 12, random_texels(f)),
                  random_places("blend 3d " + f.name(), 512, 0.5f, 11.5f));
    }
    Texture colour = plane(with(U8, 4), 32, random_texels(with(U8, 4)));
    colour.sampler.sRGB = 1;
    add("blend 2d u8x4 srgb", [=] {
        return fetch("blend 2d u8x4 srgb", colour, 'f', PLAIN,
                     random_places("blend 2d u8x4 srgb", 256, 0.5f, 31.5f), 4);
    }, 0.006); // how a device sums these is not known
    add_fetch("weights u8 0 255", line(U8, 2, true, false, byte_texels({0, 255})),
              steps(257, 0.5, 1 / 256.0));
    add_fetch("weights u8 0 1", line(U8, 2, true, false, byte_texels({0, 1})),
              steps(257, 0.5, 1 / 256.0));
    add_fetch("weights s8 -128 127", line(S8, 2, true, false, byte_texels({128, 127})),
              steps(257, 0.5, 1 / 256.0));
    add_fetch("weights u16 0 65535", line(U16, 2, true, false, byte_texels({0, 0, 255, 255})),
              steps(257, 0.5, 1 / 256.0));
    add_fetch("blend of infinity", line(F32, 2, true, false, float_texels({1, INFINITY})),
              steps(65, 0.0, 1 / 32.0));
    add_fetch("blend of both infinities",
              line(F32, 2, true, false, float_texels({-INFINITY, INFINITY})),
              steps(65, 0.0, 1 / 32.0));
    add_fetch("blend of NaN", line(F32, 2, true, false, float_texels({NAN, 1})),
              steps(65, 0.0, 1 / 32.0));
    add_fetch("blend of denormals", line(F32, 2, true, false, float_texels({1e-40f, 3e-39f})),
              steps(65, 0.0, 1 / 32.0));
    add_fetch("blend of the largest", line(F32, 2, true, false, float_texels({3e38f, 3.4e38f})),
              steps(65, 0.0, 1 / 32.0));
    add_fetch("nearest of denormals", line(F32, 2, false, false, float_texels({1e-40f, -3e-39f})),
              steps(16, 0.0, 1 / 8.0));
}

// Every texel of a level holds its number: what comes back is the level.
static Texture mipmap(bool constant, bool linear, bool mip_linear)
{
    Texture t;
    t.width = t.height = 16;
    t.levels = 5;
    t.sampler.normalizedCoords = 1;
    t.sampler.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
    t.sampler.mipmapFilterMode = mip_linear ? cudaFilterModeLinear : cudaFilterModePoint;
    t.sampler.maxMipmapLevelClamp = 100;
    t.fill = constant ? Fill([](Random &, std::vector<unsigned char> &to, int level) {
        for (size_t k = 0; k < to.size(); k += 4) {
            float x = (float)level;
            memcpy(&to[k], &x, 4);
        }
    })
                      : random_texels(F32);
    return t;
}

static void mipmaps()
{
    const double gradient = 2.0 / 256; // the logarithm that a device takes is a rough one
    for (int linear = 0; linear < 2; linear++)
        for (int mip = 0; mip < 2; mip++)
            for (int constant = 0; constant < 2; constant++) {
                const std::string name = std::string("mipmap ") + (linear ? "linear " : "point ") +
                                         (mip ? "linear" : "point") +
                                         (constant ? " levels" : " texels");
                add(name, [=] {
                    std::vector<At> at = random_places(name, 512, -0.5f, 1.5f);
                    Random r(name + " levels");
                    for (At &a : at) {
                        a.level = r.in(-1, 6);
                        a.level = r.below(4) ? a.level : roundf(a.level * 2) / 2;
                    }
                    return fetch(name, mipmap(constant, linear, mip), 'f', LEVEL, at, 1);
                });
            }
    add("mipmap level steps", [] {
        std::vector<At> at = steps(1100, 0.25, 0);
        for (int k = 0; k < 1100; k++)
            at[k].level = 1 + (k - 38) / 1024.0f;
        return fetch("mipmap level steps", mipmap(true, false, true), 'f', LEVEL, at, 1);
    });
    add("mipmap clamped and biased", [] {
        Texture t = mipmap(true, true, true);
        t.sampler.minMipmapLevelClamp = 0.75f;
        t.sampler.maxMipmapLevelClamp = 2.5f;
        t.sampler.mipmapLevelBias = 0.3f;
        std::vector<At> at = steps(128, 0.25, 0);
        for (int k = 0; k < 128; k++)
            at[k].level = (float)k / 32;
        return fetch("mipmap clamped and biased", t, 'f', LEVEL, at, 1);
    });
    for (int bias = 0; bias < 2; bias++) {
        const std::string name = std::string("mipmap without a level") + (bias ? " biased" : "");
        add(name, [=] {
            Texture t = mipmap(true, true, true);
            t.sampler.mipmapLevelBias = bias ? 1.5f : 0.0f;
            t.sampler.minMipmapLevelClamp = bias ? 0.0f : 0.5f;
            return fetch(name, t, 'f', PLAIN, random_places(name, 64, 0, 1), 1);
        });
    }
    for (int g = G1D; g <= GA2D; g++) {
        const std::string name = std::string("mipmap gradients ") + geometry_name[g];
        add(name, [=] {
            Texture t = mipmap(true, false, true);
            t.geometry = (Geometry)g;
            t.depth = g == G3D ? 16 : 3;
            std::vector<At> at = random_places(name, 384, 0, 1);
            Random r(name + " gradients");
            for (At &a : at)
                for (int k = 0; k < 3; k++) {
                    a.gx[k] = ldexpf(r.in(-1, 1), -r.below(6));
                    a.gy[k] = r.below(3) ? ldexpf(r.in(-1, 1), -r.below(6)) : 0.0f;
                }
            return fetch(name, t, 'f', GRAD, at, 1);
        }, gradient);
    }
    for (int both = 0; both < 2; both++) {
        const std::string name =
            std::string("mipmap gradients ") + (both ? "of two axes" : "of one axis");
        add(name, [=] {
            Texture t = mipmap(true, false, true);
            t.width = t.height = 256;
            t.levels = 9;
            std::vector<At> at = random_places(name, 512, 0, 1);
            Random r(name + " gradients");
            for (At &a : at)
                for (int k = 0; k < 2; k++) {
                    a.gx[k] = ldexpf(r.in(-1, 1), -r.below(3));
                    a.gy[k] = both ? ldexpf(r.in(-1, 1), -r.below(3)) : 0;
                }
            return fetch(name, t, 'f', GRAD, at, 1);
        }, gradient);
    }
    add("mipmap gradients along x", [] {
        Texture t = mipmap(true, false, true);
        std::vector<At> at = steps(512, 0.25, 0);
        for (int k = 0; k < 512; k++)
            at[k].gx[0] = exp2f(-4 + (float)k / 128);
        return fetch("mipmap gradients along x", t, 'f', GRAD, at, 1);
    }, gradient);
}

void add_filter_cases()
{
    positions();
    blends();
    mipmaps();
}
