// Surface stores that convert to the surface's format.
#include "textures.h"

// sust.p stores 32 bits a channel converted to the format of the surface.
__global__ void formatted(cudaSurfaceObject_t s, const uint4 *in, int n)
{
    for (int k = 0; k < n; k++) {
        asm volatile("sust.p.1d.v4.b32.clamp [%0, {%1}], {%2, %3, %4, %5};" ::"l"(s), "r"(k),
                     "r"(in[k].x), "r"(in[k].y), "r"(in[k].z), "r"(in[k].w)
                     : "memory");
    }
}

void add_formatted_cases()
{
    const Format all[] = {with(U8, 4), with(S8, 4), with(U16, 2), with(S16, 4), with(U32, 4),
                          with(F16, 4), with(F32, 4), with(F32, 1), with(U8, 1), with(S32, 1)};
    for (Format f : all) {
        const std::string name = "sust.p " + f.name();
        add(name, [=] {
            Texture t;
            t.geometry = G1D;
            t.format = f;
            t.width = 64;
            t.flags = cudaArraySurfaceLoadStore;
            t.fill = byte_texels({0x5a});
            Array a = make_array(name, t);
            cudaSurfaceObject_t s;
            OK(cudaCreateSurfaceObject(&s, &a.resource));
            Random r(name);
            std::vector<uint4> in(64);
            for (uint4 &v : in) {
                uint32_t c[4];
                for (uint32_t &x : c) {
                    float y = r.in(-300, 300);
                    x = (uint32_t)r.next() >> r.below(32);
                    if (f.kind == cudaChannelFormatKindSigned && r.below(2))
                        x = -x;
                    if (f.kind == cudaChannelFormatKindFloat)
                        memcpy(&x, &y, 4);
                }
                v = make_uint4(c[0], c[1], c[2], c[3]);
            }
            uint4 *p = upload(in);
            formatted<<<1, 1>>>(s, p, 64);
            OK(cudaGetLastError());
            Words w = array_words(a.array, t);
            OK(cudaDestroySurfaceObject(s));
            OK(cudaFree(p));
            free_array(a);
            return w;
        });
    }
}
