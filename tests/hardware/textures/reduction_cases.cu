// Reductions on surfaces.
#include "textures.h"

#define REDUCE(form, type, reg)                                                                \
    __global__ void reduce_##type##_##form(cudaSurfaceObject_t s, const Spot *p, int n)        \
    {                                                                                          \
        for (int k = 0; k < n; k++)                                                            \
            asm volatile("sured.b." #form ".2d." #type ".clamp [%0, {%1, %2}], %3;" ::"l"(s),  \
                         "r"(p[k].x), "r"(p[k].y), reg(p[k].z)                                 \
                         : "memory");                                                          \
    }
REDUCE(add, u32, "r")
REDUCE(min, u32, "r")
REDUCE(max, u32, "r")
REDUCE(min, s32, "r")
REDUCE(max, s32, "r")
REDUCE(and, b32, "r")
REDUCE(or, b32, "r")

__global__ void reduce_formatted(cudaSurfaceObject_t s, const Spot *p, int n)
{
    for (int k = 0; k < n; k++)
        asm volatile("sured.p.add.2d.b32.clamp [%0, {%1, %2}], %3;" ::"l"(s), "r"(p[k].x / 4),
                     "r"(p[k].y), "r"(p[k].z)
                     : "memory");
}

void add_reduction_cases()
{
    typedef void (*Kernel)(cudaSurfaceObject_t, const Spot *, int);
    const struct {
        const char *name;
        Kernel kernel;
        Format format;
    } all[] = {{"sured.b.add.u32", reduce_u32_add, U32}, {"sured.b.min.u32", reduce_u32_min, U32},
               {"sured.b.max.u32", reduce_u32_max, U32}, {"sured.b.min.s32", reduce_s32_min, S32},
               {"sured.b.max.s32", reduce_s32_max, S32}, {"sured.b.and.b32", reduce_b32_and, U32},
               {"sured.b.or.b32", reduce_b32_or, U32},   {"sured.p.add.b32", reduce_formatted, U32}};
    for (auto one : all) {
        const std::string name = one.name;
        const Kernel kernel = one.kernel;
        const Format format = one.format;
        add(name, [=] {
            Texture t;
            t.format = format;
            t.width = t.height = 8;
            t.flags = cudaArraySurfaceLoadStore;
            t.fill = random_texels(format);
            Array a = make_array(name, t);
            cudaSurfaceObject_t s;
            OK(cudaCreateSurfaceObject(&s, &a.resource));
            Random r(name);
            std::vector<Spot> spots(48);
            for (Spot &p : spots)
                p = {(r.below(12) - 2) * 4, r.below(12) - 2, (int)r.next()};
            Spot *p = upload(spots);
            kernel<<<1, 1>>>(s, p, 48);
            OK(cudaGetLastError());
            Words w = array_words(a.array, t);
            OK(cudaDestroySurfaceObject(s));
            OK(cudaFree(p));
            free_array(a);
            return w;
        });
    }
}
