#include "texture_record.h"

#include <string.h>

static uint64_t bits_of_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

void fill_texture_record(const mem_object *o, texture_record *to)
{
    const mem_image *i = &o->image;
    const mem_sampler *s = &o->sampler;
    const uint64_t image[] = {
        o->kind, i->kind,    i->format.number, i->format.bits, i->format.channels,
        i->dims, i->layered, i->cube,          i->levels,      i->base,
        i->bytes};
    const uint64_t sampler[] = {s->wrap[0],
                                s->wrap[1],
                                s->wrap[2],
                                s->linear,
                                s->mip_linear,
                                s->normalized,
                                s->to_float,
                                s->srgb,
                                s->seamless,
                                s->anisotropy,
                                bits_of_float(s->border[0]),
                                bits_of_float(s->border[1]),
                                bits_of_float(s->border[2]),
                                bits_of_float(s->border[3]),
                                bits_of_float(s->bias),
                                bits_of_float(s->min_level),
                                bits_of_float(s->max_level)};
    _Static_assert(sizeof image == sizeof to->image,
                   "texture_record.image has as many elements as this list");
    _Static_assert(sizeof sampler == sizeof to->sampler,
                   "texture_record.sampler has as many elements as this list");
    memcpy(to->image, image, sizeof image);
    memcpy(to->sampler, sampler, sizeof sampler);
    for (uint32_t k = 0; k < i->levels && k < MEM_MAX_LEVELS; k++) {
        const mem_mip_level *l = &i->level[k];
        const uint64_t of[] = {l->base, l->width, l->height, l->depth, l->pitch, l->slice};
        memcpy(to->level + 6 * k, of, sizeof of);
    }
    to->item = (rec_item){.kind = REC_texture,
                          .texture = {.handle = o->handle,
                                      .image = {sizeof image / sizeof *image, to->image},
                                      .levels = {6 * i->levels, to->level},
                                      .sampler = {sizeof sampler / sizeof *sampler, to->sampler}}};
}
