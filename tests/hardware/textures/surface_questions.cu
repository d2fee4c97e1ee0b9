// What a kernel can ask of a surface object.
#include "textures.h"

#define ASK(what)                                                                \
    do {                                                                         \
        uint32_t v_;                                                             \
        asm volatile("suq." what ".b32 %0, [%1];" : "=r"(v_) : "l"(object));    \
        *out++ = v_;                                                             \
    } while (0)

__global__ void ask_surface(unsigned long long object, uint32_t *out)
{
    ASK("width");
    ASK("height");
    ASK("depth");
    ASK("channel_data_type");
    ASK("channel_order");
    ASK("array_size");
}

void add_surface_questions()
{
    for (int g = G1D; g <= GA2D; g++) {
        const std::string name = std::string("suq ") + geometry_name[g];
        add(name, [=] {
            Texture t;
            t.geometry = (Geometry)g;
            t.format = with(U8, 4);
            t.width = 13;
            t.height = 7;
            t.depth = 5;
            t.flags = cudaArraySurfaceLoadStore;
            t.fill = random_texels(t.format);
            Array a = make_array(name, t);
            std::vector<uint32_t> answers(6);
            uint32_t *out = upload(answers);
            unsigned long long object;
            OK(cudaCreateSurfaceObject(&object, &a.resource));
            ask_surface<<<1, 1>>>(object, out);
            OK(cudaGetLastError());
            OK(cudaMemcpy(answers.data(), out, answers.size() * 4, cudaMemcpyDeviceToHost));
            OK(cudaDestroySurfaceObject(object));
            OK(cudaFree(out));
            free_array(a);
            return Words(answers);
        });
    }
}
