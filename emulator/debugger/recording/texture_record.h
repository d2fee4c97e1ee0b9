/* The record of a texture or surface object. */
#pragma once

#include "../../memory/image.h"
#include "recording.h"

/* A record of a texture object, and the lists that it points to: not to be copied. */
typedef struct texture_record {
    rec_item item;                      /* the record; its lists are the arrays below */
    uint64_t image[11];                 /* the record's list `image` */
    uint64_t sampler[17];               /* the record's list `sampler` */
    uint64_t level[MEM_MAX_LEVELS * 6]; /* the record's list `levels` */
} texture_record;

void fill_texture_record(const mem_object *o, texture_record *to);
