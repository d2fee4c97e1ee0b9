/* One lane's fetch in a texture unit: choose one or two mipmap levels and the position in each
 * level, and read the texels (texel.h). Levels are chosen as on an H200
 * (tests/hardware/textures/h200, compared by tests/hardware/textures/run-textures). */
#include "texel.h"

/* --- fetching from one level ------------------------------------------------------------------ */

typedef struct texel_position {
    exec_axis_position x, y, z; /* column; row; slice, layer, or 6 * layer + face */
} texel_position;

static texel_position find_footprint(const exec_fetch *f, const mem_mip_level *l, bool linear)
{
    const mem_sampler *s = &f->object->sampler;
    const uint32_t axes = exec_axis_count(f->geometry);
    const exec_axis_position none = {0, 0, 0};
    texel_position p = {none, none, none};
    float at[3] = {f->at[0], f->at[1], f->at[2]};
    uint32_t layer = f->layer, layers = l->depth;
    if (f->geometry == EXEC_TEX_CUBE || f->geometry == EXEC_TEX_ACUBE) {
        const uint32_t face = EXEC_FOR_ISA(exec_find_face)(f->at, at);
        const uint32_t cubes = layers / 6;
        layer = f->geometry == EXEC_TEX_CUBE ? 0 : layer < cubes ? layer : cubes - 1;
        p.z.low = p.z.high = (int32_t)(layer * 6 + face);
    } else if (exec_is_layered(f->geometry)) {
        p.z.low = p.z.high = (int32_t)(layer < layers ? layer : layers - 1);
    }
    if (f->whole) { /* integer coordinates have no address mode: texels outside the texture have
                     * the border colour */
        p.x.low = EXEC_FOR_ISA(exec_wrapped_texel_index)(f->cell[0], l->width, MEM_BORDER);
        p.y.low = axes > 1
                      ? EXEC_FOR_ISA(exec_wrapped_texel_index)(f->cell[1], l->height, MEM_BORDER)
                      : 0;
        p.z.low = f->geometry == EXEC_TEX_3D
                      ? EXEC_FOR_ISA(exec_wrapped_texel_index)(f->cell[2], l->depth, MEM_BORDER)
                      : p.z.low;
        return p;
    }
    if (exec_is_seamless(f, linear)) {
        p.x = EXEC_FOR_ISA(exec_find_seamless_position)(at[0], l->width, s);
        p.y = EXEC_FOR_ISA(exec_find_seamless_position)(at[1], l->height, s);
        return p;
    }
    EXEC_FOR_ISA(exec_find_axis_position)(at[0], l->width, s, s->wrap[0], linear, &p.x);
    /* A one-dimensional texture is one row at y = 0, whose neighbour is the border. */
    if (f->geometry != EXEC_TEX_A1D) {
        EXEC_FOR_ISA(exec_find_axis_position)
        (axes > 1 ? at[1] : 0, l->height, s, s->wrap[1], linear, &p.y);
    }
    if (f->geometry == EXEC_TEX_3D)
        EXEC_FOR_ISA(exec_find_axis_position)(at[2], l->depth, s, s->wrap[2], linear, &p.z);
    return p;
}

static exec_texel sample_level(const exec_fetch *f, uint32_t index)
{
    exec_texel texel;
    const mem_mip_level *l = &f->object->image.level[index];
    const bool linear = exec_is_filtered(f);
    const texel_position p = find_footprint(f, l, linear);
    if (!linear) {
        EXEC_FOR_ISA(exec_read_texel)(f, l, p.x.low, p.y.low, p.z.low, &texel);
        return texel;
    }
    const exec_slice part[2] = {{l, p.x, p.y, p.z.low, 256 - p.z.weight},
                                {l, p.x, p.y, p.z.high, p.z.weight}};
    return EXEC_FOR_ISA(exec_blend)(f, part, p.z.weight ? 2 : 1);
}

/* Blend two mipmap levels; the coarser level has WEIGHT. For a volume each level's share is
 * divided between two slices, and the lower slice's share is rounded. */
static exec_texel sample_between(const exec_fetch *f, uint32_t low, uint32_t weight)
{
    const bool linear = exec_is_filtered(f), volume = linear && f->geometry == EXEC_TEX_3D;
    exec_slice part[EXEC_SLICES];
    uint32_t count = 0;
    for (uint32_t k = 0; k < 2; k++) {
        const mem_mip_level *l = &f->object->image.level[low + k];
        const texel_position p = find_footprint(f, l, linear);
        const uint32_t whole = k ? weight : 256 - weight;
        const uint32_t below = volume ? exec_weight_product((256 - p.z.weight) * whole) : whole;
        part[count++] = (exec_slice){l, p.x, p.y, p.z.low, below};
        if (volume)
            part[count++] = (exec_slice){l, p.x, p.y, p.z.high, whole - below};
    }
    return EXEC_FOR_ISA(exec_blend)(f, part, count);
}

/* --- levels --- */

/* Approximate length of D in texels; the device does not compute a square root. */
static double approximate_length(const double d[3])
{
    double most = 0, middle = 0, least = 0;
    for (uint32_t a = 0; a < 3; a++) {
        const double x = fabs(d[a]);
        if (x > most) {
            least = middle;
            middle = most;
            most = x;
        } else if (x > middle) {
            least = middle;
            middle = x;
        } else {
            least = x > least ? x : least;
        }
    }
    return most + middle * 11 / 32 + least / 4;
}

/* log2 of the number of level-0 texels between neighbouring pixels, in the direction with the
 * most texels: along an axis or a diagonal. Within 2/256 of an H200. */
static float level_of_gradient(const exec_fetch *f)
{
    const mem_mip_level *l = &f->object->image.level[0];
    const double size[3] = {l->width, l->height, l->depth};
    double d[4][3] = {{0}};
    for (uint32_t a = 0; a < exec_axis_count(f->geometry); a++) {
        const double x = f->d[0][a] * size[a], y = f->d[1][a] * size[a];
        d[0][a] = x;
        d[1][a] = y;
        d[2][a] = (x + y) * 11 / 16;
        d[3][a] = (x - y) * 11 / 16;
    }
    double longest = 0;
    for (uint32_t k = 0; k < 4; k++) {
        const double length = approximate_length(d[k]);
        longest = length > longest ? length : longest;
    }
    return longest > 0 ? (float)log2(longest) : -INFINITY;
}

static exec_texel sample_mipmap(const exec_fetch *f)
{
    const mem_object *o = f->object;
    const mem_sampler *s = &o->sampler;
    const float last = (float)(o->image.levels - 1);
    float level = f->level_from == EXEC_LEVEL_GRADIENT ? level_of_gradient(f) + s->bias
                  : f->level_from == EXEC_LEVEL_GIVEN  ? f->level + s->bias
                                                       : 0;
    level = level > s->max_level ? s->max_level : level;
    level = level >= s->min_level ? level : s->min_level;
    level = level > last ? last : level;
    level = level >= 0 ? level : 0;
    if (!s->mip_linear || !exec_reads_floats(o))
        return sample_level(f, (uint32_t)floorf(level + 0.5f));
    const uint32_t q = (uint32_t)floorf(level * 256), low = q >> 8;
    int32_t weight = (int32_t)(q & 255);
    if (s->anisotropy > 1) /* with anisotropy, two levels are blended only amid the range */
        weight = weight < 64 ? 0 : weight > 192 ? 256 : 2 * weight - 128;
    return weight == 0     ? sample_level(f, low)
           : weight == 256 ? sample_level(f, low + 1)
                           : sample_between(f, low, (uint32_t)weight);
}

/* --- fetches from linear memory, and gathers -------------------------------------------------- */

/* Fetch from linear memory. Outside the texture all values are zero. */
static bool sample_linear_memory(const exec_fetch *f, exec_texel *t)
{
    const mem_image *image = &f->object->image;
    const mem_mip_level *l = &image->level[0];
    const int64_t i = f->whole ? f->cell[0]
                               : (int64_t)floor(EXEC_FOR_ISA(exec_coordinate_in_texels)(
                                     f->at[0], l->width, &f->object->sampler, MEM_BORDER));
    *t = (exec_texel){{0, 0, 0, 0}};
    if (i < 0 || i >= l->width)
        return true;
    if ((uint64_t)(i + 1) * mem_texel_bytes(image->format) > image->bytes)
        return false;
    EXEC_FOR_ISA(exec_read_texel)(f, l, (int32_t)i, 0, 0, t);
    return true;
}

/* tld4: one channel of the four texels that linear filtering would blend, counter-clockwise from
 * the lower left. */
static exec_texel gather_texels(const exec_fetch *f)
{
    const mem_mip_level *l = &f->object->image.level[0];
    const texel_position p = find_footprint(f, l, true);
    const int32_t x[4] = {p.x.low, p.x.high, p.x.high, p.x.low};
    const int32_t y[4] = {p.y.high, p.y.high, p.y.low, p.y.low};
    exec_texel out, one;
    for (uint32_t k = 0; k < 4; k++) {
        EXEC_FOR_ISA(exec_read_texel)(f, l, x[k], y[k], p.z.low, &one);
        out.v[k] = one.v[f->gather];
    }
    return out;
}

bool EXEC_FOR_ISA(exec_sample)(const exec_fetch *f, uint32_t out[4])
{
    const mem_image *image = &f->object->image;
    exec_texel t;
    if (image->kind == MEM_IMAGE_BUFFER && !f->whole) {
        if (f->object->sampler.noticed)
            atomic_fetch_or(f->object->sampler.noticed, MEM_NOTICE_NO_FILTER);
        t = (exec_texel){0};
    } else if (image->kind == MEM_IMAGE_BUFFER) {
        if (!sample_linear_memory(f, &t))
            return false;
    } else {
        t = f->gather >= 0                   ? gather_texels(f)
            : image->levels > 1 && !f->whole ? sample_mipmap(f)
                                             : sample_level(f, 0);
    }
    memcpy(out, t.v, sizeof t.v);
    return true;
}
