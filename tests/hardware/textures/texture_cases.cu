// What is addressed: geometries, address modes, formats, levels, gathers, linear memory, views.
#include "textures.h"

#include <cmath>

static const char *const mode_name[] = {"wrap", "clamp", "mirror", "border"};

static int size_of(const Texture &t, int axis)
{
    return axis == 0 ? t.width : axis == 1 ? t.height : t.depth;
}

// A coordinate: anywhere, at an edge of a texel, at a middle, or a hair beside these.
static float coordinate(Random &r, int size, bool normalized)
{
    float x;
    switch (r.below(4)) {
    case 0:
        x = (float)(r.below(2 * size + 1) - size / 2);
        break;
    case 1:
        x = (float)(r.below(2 * size + 1) - size / 2) + 0.5f;
        break;
    default:
        x = r.in(-1.5f * size, 2.5f * size);
    }
    x = normalized ? x / (float)size : x;
    const int beside = r.below(6);
    return beside == 0   ? nextafterf(x, 1e9f)
           : beside == 1 ? nextafterf(x, -1e9f)
                         : x;
}

static std::vector<At> places(const std::string &name, const Texture &t, int n)
{
    Random r(name);
    std::vector<At> at(n);
    const bool cube = t.geometry == GCUBE || t.geometry == GACUBE;
    for (At &a : at) {
        a = {};
        const bool norm = t.sampler.normalizedCoords;
        a.x = cube ? r.in(-1, 1) : coordinate(r, size_of(t, 0), norm);
        a.y = cube ? r.in(-1, 1) : coordinate(r, size_of(t, 1), norm);
        a.z = cube ? r.in(-1, 1) : coordinate(r, size_of(t, 2), norm);
        a.layer = r.below(t.depth + 4) - 2;
        a.level = r.in(-1, (float)t.levels + 1);
        a.index = r.below(4);
    }
    return at;
}

static void geometries()
{
    for (int g = G1D; g <= GACUBE; g++)
        for (int norm = 0; norm < 2; norm++)
            for (int mode = 0; mode < 4; mode++)
                for (int linear = 0; linear < 2; linear++) {
                    if ((g >= GCUBE && (!norm || mode == cudaAddressModeMirror)) ||
                        (!norm && g > G2D && mode % 2 == 0))
                        continue;
                    const std::string name = std::string(geometry_name[g]) + " " +
                                             mode_name[mode] + (norm ? " normalized" : "") +
                                             (linear ? " linear" : " point");
                    // Of a cube's coordinates one in a thousand falls 1/256 of a texel beside.
                    const double beside = g >= GCUBE && linear ? 4.0 / 128 : 0;
                    add(name, [=] {
                        Texture t;
                        t.geometry = (Geometry)g;
                        t.width = g >= GCUBE ? 8 : 13;
                        t.height = g >= GCUBE ? 8 : 7;
                        t.depth = g == G3D ? 5 : 3;
                        t.address((cudaTextureAddressMode)mode);
                        t.sampler.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
                        t.sampler.normalizedCoords = norm;
                        t.sampler.borderColor[0] = 7.25f;
                        t.fill = random_texels(F32);
                        return fetch(name, t, 'f', PLAIN, places(name, t, 192), 1);
                    }, beside, 1);
                }
}

static const float strange[] = {NAN,       INFINITY, -INFINITY, 1e30f,     -1e30f,  16777216.0f,
                                -16777216.0f, 1e9f,  -1e9f,     3e9f,      -3e9f,   0.0f,
                                -0.0f,     1e-40f,   -1e-40f,   1e-30f,    -1e-30f, 0.49999997f,
                                0.5f,      -0.5f,    12.5f,     12.999999f, 13.0f,  1.0f,
                                0.99999994f, -1.0f,  2.0f,      65536.5f,  8388607.5f, 1.00000012f};

static void strangers()
{
    for (int norm = 0; norm < 2; norm++)
        for (int mode = 0; mode < 4; mode++)
            for (int linear = 0; linear < 2; linear++) {
                if (!norm && mode % 2 == 0)
                    continue;
                const std::string name = std::string("1d strange coordinates ") + mode_name[mode] +
                                         (norm ? " normalized" : "") +
                                         (linear ? " linear" : " point");
                add(name, [=] {
                    Texture t;
                    t.geometry = G1D;
                    t.width = 13;
                    t.address((cudaTextureAddressMode)mode);
                    t.sampler.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
                    t.sampler.normalizedCoords = norm;
                    t.sampler.borderColor[0] = 7.25f;
                    t.fill = random_texels(F32);
                    std::vector<At> at;
                    for (float x : strange) {
                        At a = {};
                        a.x = x;
                        at.push_back(a);
                    }
                    return fetch(name, t, 'f', PLAIN, at, 1);
                });
            }
    add("cube ties", [] {
        Texture t;
        t.geometry = GCUBE;
        t.width = t.height = 4;
        t.sampler.normalizedCoords = 1;
        t.address(cudaAddressModeClamp);
        t.fill = random_texels(F32);
        std::vector<At> at;
        for (int x = -1; x <= 1; x++)
            for (int y = -1; y <= 1; y++)
                for (int z = -1; z <= 1; z++) {
                    At a = {};
                    a.x = (float)x, a.y = (float)y, a.z = (float)z;
                    at.push_back(a);
                    a.x *= 3, a.y *= 3, a.z *= 3;
                    at.push_back(a);
                }
        return fetch("cube ties", t, 'f', PLAIN, at, 1);
    });
    add("cube seamless point", [] {
        const char *name = "cube seamless point";
        Texture t;
        t.geometry = GCUBE;
        t.width = t.height = 4;
        t.sampler.normalizedCoords = 1;
        t.sampler.seamlessCubemap = 1;
        t.address(cudaAddressModeClamp);
        t.fill = random_texels(F32);
        return fetch(name, t, 'f', PLAIN, places(name, t, 512), 1);
    });
}

static std::vector<At> within(const std::string &name, const Texture &t, int n)
{
    Random r(name);
    std::vector<At> at(n);
    for (At &a : at) {
        a = {};
        a.x = r.in(0, (float)t.width);
        a.y = r.in(0, (float)t.height);
        a.index = r.below(4);
    }
    return at;
}

static void formats()
{
    const Format all[] = {U8, S8, U16, S16, U32, S32, F16, F32};
    for (Format base : all)
        for (int channels = 1; channels <= 4; channels *= 2)
            for (int how = 0; how < 3; how++) { // element, normalized float, the same filtered
                const Format f = with(base, channels);
                const bool real = f.kind == cudaChannelFormatKindFloat;
                if ((real && how == 1) || (!real && f.bits == 32 && how))
                    continue;
                const std::string name =
                    "format " + f.name() + (how == 0   ? " element"
                                            : how == 1 ? " normalized float"
                                                       : " linear");
                add(name, [=] {
                    Texture t;
                    t.format = f;
                    t.address(cudaAddressModeClamp);
                    t.sampler.readMode =
                        how && !real ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
                    t.sampler.filterMode = how == 2 ? cudaFilterModeLinear : cudaFilterModePoint;
                    t.fill = random_texels(f);
                    const char read = real || how                                ? 'f'
                                      : f.kind == cudaChannelFormatKindSigned ? 'i'
                                                                              : 'u';
                    return fetch(name, t, read, PLAIN, within(name, t, 64), 4);
                });
            }
    // Every value of 8 bits, many of 16.
    const Format narrow[] = {U8, S8, U16, S16, F16};
    for (Format f : narrow)
        for (int srgb = 0; srgb < (f.bits == 8 && f.kind == cudaChannelFormatKindUnsigned ? 2 : 1);
             srgb++) {
            const std::string name = "values " + f.name() + (srgb ? " srgb" : "");
            add(name, [=] {
                Texture t;
                t.geometry = G1D;
                t.format = f;
                t.width = f.bits == 8 ? 256 : 4096;
                t.address(cudaAddressModeClamp);
                t.sampler.readMode = f.kind == cudaChannelFormatKindFloat
                                         ? cudaReadModeElementType
                                         : cudaReadModeNormalizedFloat;
                t.sampler.sRGB = srgb;
                t.fill = [=](Random &, std::vector<unsigned char> &to, int) {
                    for (int k = 0; k < t.width; k++) {
                        uint16_t v = (uint16_t)(f.bits == 8 ? k : k * 16 + k % 16);
                        memcpy(&to[k * f.bytes()], &v, f.bytes());
                    }
                };
                std::vector<At> at(t.width);
                for (int k = 0; k < t.width; k++) {
                    at[k] = {};
                    at[k].x = (float)k + 0.5f;
                }
                return fetch(name, t, 'f', PLAIN, at, 1);
            });
        }
    add("values u8x4 srgb", [] {
        Texture t;
        t.format = with(U8, 4);
        t.address(cudaAddressModeClamp);
        t.sampler.readMode = cudaReadModeNormalizedFloat;
        t.sampler.sRGB = 1;
        t.fill = random_texels(t.format);
        return fetch("values u8x4 srgb", t, 'f', PLAIN, within("values u8x4 srgb", t, 64), 4);
    });
}

static void borders()
{
    const Format all[] = {with(F32, 4), with(U8, 4), with(S16, 2), with(U32, 4), with(S32, 1),
                          with(F16, 1)};
    for (Format f : all)
        for (int how = 0; how < 3; how++) {
            const bool real = f.kind == cudaChannelFormatKindFloat;
            if ((real && how == 1) || (!real && f.bits == 32 && how))
                continue;
            const std::string name = "border " + f.name() + (how == 0   ? " element"
                                                             : how == 1 ? " normalized float"
                                                                        : " linear");
            add(name, [=] {
                Texture t;
                t.format = f;
                t.width = t.height = 4;
                t.address(cudaAddressModeBorder);
                t.sampler.readMode =
                    how && !real ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
                t.sampler.filterMode = how == 2 ? cudaFilterModeLinear : cudaFilterModePoint;
                const float colour[4] = {1.25f, -3.5f, 100.0f, 0.3f};
                memcpy(t.sampler.borderColor, colour, sizeof colour);
                t.fill = random_texels(f);
                Random r(name);
                std::vector<At> at(48);
                for (At &a : at) {
                    a = {};
                    a.x = r.in(-1, 5);
                    a.y = r.in(-1, 5);
                }
                const char read = real || how                             ? 'f'
                                  : f.kind == cudaChannelFormatKindSigned ? 'i'
                                                                          : 'u';
                return fetch(name, t, read, PLAIN, at, 4);
            });
        }
}

// How a colour becomes what a format holds.
static void border_values()
{
    const Format all[] = {U8, S8, U16, S16, F16};
    for (Format f : all) {
        const std::string name = "border values " + f.name();
        add(name, [=] {
            Random r(name + " colours");
            Words all;
            for (int k = 0; k < 24; k++) {
                Texture t;
                t.geometry = G2D;
                t.format = f;
                t.width = t.height = 1;
                t.address(cudaAddressModeBorder);
                t.sampler.readMode = f.kind == cudaChannelFormatKindFloat
                                         ? cudaReadModeElementType
                                         : cudaReadModeNormalizedFloat;
                t.sampler.borderColor[0] = r.in(-1.1f, 1.1f);
                t.fill = random_texels(f);
                At at = {};
                at.x = -5;
                const Words w = fetch(name, t, 'f', PLAIN, {at}, 1);
                all.insert(all.end(), w.begin(), w.end());
            }
            return all;
        }, 1.0 / 32767, 2); // where a colour lies nearly between two values
    }
}

static void linear_memory()
{
    const Format all[] = {F32, with(F32, 4), with(U8, 4), with(S16, 2), F16, U32};
    for (Format f : all)
        for (int how = 0; how < 2; how++) {
            if (how && (f.bits == 32 || f.kind == cudaChannelFormatKindFloat))
                continue;
            const std::string name =
                "tex1Dfetch " + f.name() + (how ? " normalized float" : " element");
            add(name, [=] {
                Texture t;
                t.geometry = G1D;
                t.format = f;
                t.width = 37;
                t.buffer = true;
                t.sampler.readMode = how ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
                t.fill = random_texels(f);
                std::vector<At> at;
                const int extreme[] = {INT32_MIN, INT32_MIN + 1, -1000000, INT32_MAX, 1 << 27,
                                       1 << 28};
                for (int k = -6; k < 45; k++) {
                    At a = {};
                    a.index = k < 0 ? extreme[k + 6] : k - 3;
                    at.push_back(a);
                }
                const char read = f.kind == cudaChannelFormatKindFloat || how ? 'f'
                                  : f.kind == cudaChannelFormatKindSigned     ? 'i'
                                                                              : 'u';
                return fetch(name, t, read, FETCH, at, 4);
            });
        }
    for (int mode = 0; mode < 4; mode++)
        for (int linear = 0; linear < 2; linear++) {
            const std::string name = std::string("pitched ") + mode_name[mode] +
                                     (linear ? " linear" : " point");
            add(name, [=] {
                Texture t;
                t.width = 13;
                t.height = 7;
                t.pitched = true;
                t.address((cudaTextureAddressMode)mode);
                t.sampler.normalizedCoords = mode % 2 == 0;
                t.sampler.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
                t.fill = random_texels(F32);
                return fetch(name, t, 'f', PLAIN, places(name, t, 128), 1);
            });
        }
}

static void gathers()
{
    const Format all[] = {F32, with(U8, 4), with(F16, 4), with(S32, 2)};
    for (Format f : all)
        for (int mode = 0; mode < 4; mode++) {
            const std::string name = "gather " + f.name() + " " + mode_name[mode];
            add(name, [=] {
                Texture t;
                t.format = f;
                t.width = 13;
                t.height = 7;
                t.flags = cudaArrayTextureGather;
                t.address((cudaTextureAddressMode)mode);
                t.sampler.normalizedCoords = mode % 2 == 0;
                t.sampler.borderColor[0] = 3;
                t.fill = random_texels(f);
                const char read = f.kind == cudaChannelFormatKindFloat    ? 'f'
                                  : f.kind == cudaChannelFormatKindSigned ? 'i'
                                                                          : 'u';
                return fetch(name, t, read, GATHER, places(name, t, 128), 4);
            });
        }
    add("gather u8x4 normalized float", [=] {
        Texture t;
        t.format = with(U8, 4);
        t.flags = cudaArrayTextureGather;
        t.address(cudaAddressModeClamp);
        t.sampler.readMode = cudaReadModeNormalizedFloat;
        t.fill = random_texels(t.format);
        const char *name = "gather u8x4 normalized float";
        return fetch(name, t, 'f', GATHER, within(name, t, 64), 4);
    });
}

static void views()
{
    add("view as it is", [] {
        Texture t;
        t.address(cudaAddressModeClamp);
        t.fill = random_texels(t.format);
        cudaResourceViewDesc v = {};
        v.format = cudaResViewFormatFloat1;
        v.width = v.height = 16;
        t.view = &v;
        return fetch("view as it is", t, 'f', PLAIN, within("view", t, 32), 1);
    });
    add("view u32x1 as f32x1", [] {
        Texture t;
        t.format = U32;
        t.address(cudaAddressModeClamp);
        t.fill = random_texels(F32);
        cudaResourceViewDesc v = {};
        v.format = cudaResViewFormatFloat1;
        v.width = v.height = 16;
        t.view = &v;
        return fetch("view u32x1 as f32x1", t, 'f', PLAIN, within("view", t, 32), 1);
    });
    add("view u32x1 as u8x4", [] {
        Texture t;
        t.format = U32;
        t.address(cudaAddressModeClamp);
        t.sampler.readMode = cudaReadModeNormalizedFloat;
        t.fill = random_texels(t.format);
        cudaResourceViewDesc v = {};
        v.format = cudaResViewFormatUnsignedChar4;
        v.width = v.height = 16;
        t.view = &v;
        return fetch("view u32x1 as u8x4", t, 'f', PLAIN, within("view", t, 32), 4);
    });
    add("view of layers 1 and 2", [] {
        Texture t;
        t.geometry = GA2D;
        t.depth = 4;
        t.address(cudaAddressModeClamp);
        t.fill = random_texels(t.format);
        cudaResourceViewDesc v = {};
        v.format = cudaResViewFormatFloat1;
        v.width = v.height = 16;
        v.depth = 2;
        v.firstLayer = 1;
        v.lastLayer = 2;
        t.view = &v;
        return fetch("view of layers 1 and 2", t, 'f', PLAIN,
                     places("view of layers 1 and 2", t, 64), 1);
    });
}

void add_texture_cases()
{
    geometries();
    strangers();
    formats();
    borders();
    border_values();
    linear_memory();
    gathers();
    views();
}
