// Coordinates that are integers in geometries that tex1Dfetch has not.
#include "textures.h"

// Coordinates that are texels' numbers: tex.GEOMETRY with .s32 coordinates.
__global__ void whole(cudaTextureObject_t t, Geometry g, const Spot *p, float *out, int n)
{
    const int k = threadIdx.x;
    if (k >= n)
        return;
    float a, b, c, d;
    if (g == G2D)
        asm volatile("tex.2d.v4.f32.s32 {%0, %1, %2, %3}, [%4, {%5, %6}];"
                     : "=f"(a), "=f"(b), "=f"(c), "=f"(d)
                     : "l"(t), "r"(p[k].x), "r"(p[k].y));
    else
        asm volatile("tex.3d.v4.f32.s32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];"
                     : "=f"(a), "=f"(b), "=f"(c), "=f"(d)
                     : "l"(t), "r"(p[k].x), "r"(p[k].y), "r"(p[k].z));
    out[k] = a + 0 * (b + c + d);
}

void add_whole_cases()
{
    for (int g = G2D; g <= G3D; g++) {
        const std::string name = std::string("whole coordinates ") + geometry_name[g];
        add(name, [=] {
            Texture t;
            t.geometry = (Geometry)g;
            t.width = 13;
            t.height = 7;
            t.depth = 5;
            t.address(cudaAddressModeClamp);
            t.fill = random_texels(F32);
            Array a = make_array(name, t);
            cudaTextureObject_t object;
            OK(cudaCreateTextureObject(&object, &a.resource, &t.sampler, nullptr));
            Random r(name);
            std::vector<Spot> spots(64);
            for (Spot &p : spots)
                p = {r.below(18) - 3, r.below(12) - 3, r.below(10) - 3};
            std::vector<float> back(64);
            Spot *p = upload(spots);
            float *out = upload(back);
            whole<<<1, 64>>>(object, t.geometry, p, out, 64);
            OK(cudaGetLastError());
            OK(cudaMemcpy(back.data(), out, 256, cudaMemcpyDeviceToHost));
            OK(cudaDestroyTextureObject(object));
            OK(cudaFree(p));
            OK(cudaFree(out));
            free_array(a);
            return words_of(back.data(), 256);
        });
    }
}
