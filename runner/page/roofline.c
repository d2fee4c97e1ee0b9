/* The roofline of a run: its kernels under the two roofs of the modelled device. */
#include "page.h"

#include <math.h>

static double roof_at(double flops_per_byte, double memory_gbs, double most_gflops)
{
    return fmin(flops_per_byte * memory_gbs, most_gflops);
}

static json_t *place(double flops_per_byte, double memory_gbs, double most_gflops)
{
    return json_pack("[o, o]", number_json(flops_per_byte),
                     number_json(roof_at(flops_per_byte, memory_gbs, most_gflops)));
}

void page_add_roofline(json_t *run, double memory_gbs, double most_gflops)
{
    if (!(memory_gbs > 0 && most_gflops > 0))
        return;
    const double ridge = most_gflops / memory_gbs;
    double least = ridge / 16, most = ridge * 4;
    json_t *points = json_array(), *kernel;
    size_t i;
    json_array_foreach(json_object_get(run, "kernels"), i, kernel) {
        const double x = json_number_value(json_object_get(kernel, "flops_per_byte"));
        const double y = json_number_value(json_object_get(kernel, "gflops"));
        if (!(x > 0 && y > 0) || json_array_size(points) >= PAGE_MAX_ROWS)
            continue;
        least = fmin(least, x / 2);
        most = fmax(most, x * 2);
        json_array_append_new(
            points, json_pack("{s:O, s:o, s:o, s:o}", "kernel", json_object_get(kernel, "name"),
                              "flops_per_byte", number_json(x), "gflops", number_json(y), "share",
                              number_json(y / roof_at(x, memory_gbs, most_gflops))));
    }
    json_object_set_new(
        run, "roofline",
        json_pack("{s:o, s:o, s:o, s:[o, o, o], s:o}", "memory_gbs", number_json(memory_gbs),
                  "most_gflops", number_json(most_gflops), "ridge", number_json(ridge), "roof",
                  place(least, memory_gbs, most_gflops), place(ridge, memory_gbs, most_gflops),
                  place(most, memory_gbs, most_gflops), "points", points));
}
