// Filters that reach beyond one level or one face: seams of cubes, volumes between levels.
#include "textures.h"

static Texture sampler(Geometry g, Format f, int side, int levels)
{
    Texture t;
    t.geometry = g;
    t.format = f;
    t.width = t.height = t.depth = side;
    t.levels = levels;
    t.sampler.filterMode = cudaFilterModeLinear;
    t.sampler.mipmapFilterMode = cudaFilterModeLinear;
    t.sampler.maxMipmapLevelClamp = 16;
    t.sampler.readMode = f.kind == cudaChannelFormatKindFloat ? cudaReadModeElementType
                                                              : cudaReadModeNormalizedFloat;
    t.sampler.normalizedCoords = 1;
    t.address(cudaAddressModeClamp);
    t.fill = random_texels(f);
    return t;
}

// Directions; those NEAR an edge or a corner lie within so many texels of it.
static std::vector<At> directions(const std::string &name, int n, int side, int near)
{
    Random r(name);
    std::vector<At> at(n);
    for (At &a : at) {
        float c[3];
        const int axis = r.below(3);
        for (int k = 0; k < 3; k++) {
            c[k] = r.in(-1, 1);
            if (near > 1 || (near && k == (axis + 1) % 3))
                c[k] = (r.below(2) ? 1 : -1) * (1 - 2.0f * r.unit() / side);
        }
        c[axis] = r.below(2) ? 1 : -1;
        a = {};
        a.x = c[0];
        a.y = c[1];
        a.z = c[2];
        a.layer = r.below(2);
    }
    return at;
}

// Four channels: the texel with number 4 * NUMBER + channel, counted through all levels, is one.
static Fill single(int number)
{
    return [number](Random &, std::vector<unsigned char> &to, int level) {
        static int before;
        before = level ? before : 0;
        const int n = (int)to.size() / 16;
        for (int k = 0; k < n; k++)
            for (int c = 0; c < 4; c++) {
                float x = before + k == 4 * number + c;
                memcpy(&to[16 * k + 4 * c], &x, 4);
            }
        before += n;
    };
}

static void seams()
{
    for (int side : {1, 2, 3, 4, 8})
        for (int near = 0; near < 3; near++)
            for (int f = 0; f < 3; f++) {
                const Format format = with(f == 0 ? F32 : f == 1 ? U8 : F16, 4);
                const std::string name = "seam " + std::to_string(side) + " " +
                                         std::to_string(near) + " " + format.name();
                add(name, [=] {
                    Texture t = sampler(GCUBE, format, side, 1);
                    t.sampler.seamlessCubemap = 1;
                    return fetch(name, t, 'f', PLAIN, directions(name, 128, side, near), 4);
                });
            }
    for (int k = 0; k < 6; k++) {
        const std::string name = "seam texel " + std::to_string(k);
        add(name, [=] {
            Texture t = sampler(GCUBE, with(F32, 4), 2, 1);
            t.sampler.seamlessCubemap = 1;
            t.fill = single(k);
            return fetch(name, t, 'f', PLAIN, directions("seam texel", 256, 2, 2), 4);
        });
    }
    add("seam layered", [] {
        Texture t = sampler(GACUBE, F32, 4, 1);
        t.depth = 2;
        t.sampler.seamlessCubemap = 1;
        return fetch("seam layered", t, 'f', PLAIN, directions("seam layered", 128, 4, 1), 1);
    });
    add("seam between levels", [] {
        Texture t = sampler(GCUBE, F32, 8, 3);
        t.sampler.seamlessCubemap = 1;
        std::vector<At> at = directions("seam between levels", 128, 8, 1);
        for (size_t k = 0; k < at.size(); k++)
            at[k].level = (float)k / 60;
        return fetch("seam between levels", t, 'f', LEVEL, at, 1);
    });
}

static void volumes()
{
    std::vector<At> inner(128), any(256);
    Random r("volumes");
    for (At &a : inner) {
        a = {};
        a.x = r.in(0.375f, 0.625f);
        a.y = r.in(0.375f, 0.625f);
        a.z = r.in(0.375f, 0.625f);
        a.level = r.unit();
    }
    for (At &a : any) {
        a = {};
        a.x = r.in(-0.2f, 1.2f);
        a.y = r.in(-0.2f, 1.2f);
        a.z = r.in(-0.2f, 1.2f);
        a.level = r.in(-0.2f, 2.4f);
    }
    for (int k = 0; k < 18; k++) {
        const std::string name = "volume levels texel " + std::to_string(k);
        add(name, [=] {
            Texture t = sampler(G3D, with(F32, 4), 4, 2);
            t.fill = single(k);
            return fetch(name, t, 'f', LEVEL, inner, 4);
        });
    }
    for (int f = 0; f < 4; f++) {
        const Format format = with(f == 0 ? F32 : f == 1 ? U8 : f == 2 ? F16 : S16, 4);
        const std::string name = "volume levels " + format.name();
        add(name, [=] {
            Texture t = sampler(G3D, format, 8, 3);
            return fetch(name, t, 'f', LEVEL, any, 4);
        });
    }
}

// What has no gradient is filtered alike, whatever maxAnisotropy.
static void anisotropy()
{
    for (int op : {PLAIN, LEVEL})
        for (int levels : {1, 7}) {
            const std::string name =
                "anisotropy without gradients " + std::to_string(op) + " " + std::to_string(levels);
            add(name, [=] {
                Texture t = sampler(G2D, F32, 64, levels);
                t.sampler.maxAnisotropy = 16;
                std::vector<At> at;
                Random r(name);
                for (int k = 0; k < 64; k++) {
                    At a = {};
                    a.x = r.unit();
                    a.y = r.unit();
                    a.level = r.in(0, 4);
                    at.push_back(a);
                }
                return fetch(name, t, 'f', (Op)op, at, 1);
            });
        }
}

void add_edge_cases()
{
    seams();
    volumes();
    anisotropy();
}
