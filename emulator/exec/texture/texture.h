/* Helpers for textures and surfaces: find the image of a handle, and count accesses. Implemented
 * in object.c, used by texture.c and surface.c. */
#ifndef WARPBOOK_TEXTURE_H
#define WARPBOOK_TEXTURE_H

#include "sample.h"

/* The texture or surface (KIND) with HANDLE, which LANE names. It must have the geometry GEOMETRY
 * and allocated memory. *delta: host minus device address. NULL: the launch is stopped. */
const mem_object *EXEC_FOR_ISA(exec_object)(sm_warp *w, const sm_insn *i, uint32_t lane,
                                            uint64_t handle, int kind, exec_geometry geometry,
                                            intptr_t *delta);

/* The texture or surface (KIND) with HANDLE, for queries. NULL: the launch is stopped. */
const mem_object *EXEC_FOR_ISA(exec_object_for_query)(sm_warp *w, const sm_insn *i, uint32_t lane,
                                                      uint64_t handle, int kind);

/* How a GPU divides a texture access (tests/hardware/counters/h200/patterns/textures.tsv). */
typedef struct exec_texture_cost {
    uint32_t request; /* number of neighbouring lanes that form one request */
    uint32_t sectors; /* number of neighbouring lanes whose common sectors are counted once */
    uint32_t passes;  /* number of times that the sectors are counted */
    bool writes;      /* the access writes (surface store) */
} exec_texture_cost;

/* Count an access of the lanes in w->mask to the sectors in TAPS. */
void EXEC_FOR_ISA(exec_count_taps)(sm_warp *w, const sm_insn *i, const exec_texture_sectors *taps,
                                   exec_texture_cost how);

/* Window slots of the operands [object, {coordinates}]. False: another form; see t->error. */
typedef struct exec_texture_operand {
    exec_geometry geometry; /* geometry of the instruction: 1d, 2d and so on */
    uint32_t handle;        /* window slot of the handle, 8 bytes per lane */
    uint32_t count;         /* number of coordinates, including the layer */
    uint32_t slot[4];       /* window slots of the coordinates, 4 bytes per lane */
} exec_texture_operand;
bool EXEC_FOR_ISA(exec_place_of)(compile_translation *t, const ptx_insn *in, const ptx_operand *o,
                                 exec_texture_operand *out);

#endif
