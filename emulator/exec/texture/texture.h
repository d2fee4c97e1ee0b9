/* What the handlers of textures and surfaces share: from a handle to an image that may be read, and
 * the counting of what was. Inside the SM: texture.c and surface.c; object.c does
 * it. */
#ifndef WARPBOOK_TEXTURE_H
#define WARPBOOK_TEXTURE_H

#include "sample.h"

/* The object that LANE names with HANDLE, a texture or a surface as KIND says, if its image is of
 * GEOMETRY and its memory is still there. *DELTA turns its addresses into the host's. NULL: the
 * launch has been stopped. */
const mem_object *SM_LEVEL(sm_object)(sm_warp *w, const sm_insn *i, uint32_t lane, uint64_t handle,
                                      int kind, sm_geometry geometry, intptr_t *delta);

/* Any object of KIND, for questions; NULL likewise. */
const mem_object *SM_LEVEL(sm_object_asked)(sm_warp *w, const sm_insn *i, uint32_t lane,
                                            uint64_t handle, int kind);

/* How a device takes a warp's access apart, as tests/hardware/counters/h200/patterns/textures.tsv
 * has it. */
typedef struct sm_served {
    uint32_t request; /* neighbouring lanes that make one request */
    uint32_t sectors; /* neighbouring lanes whose common sectors count once */
    uint32_t passes;  /* how often they count */
    bool writes;
} sm_served;

/* Count an access of the lanes of w->mask to the sectors of TAPS. */
void SM_LEVEL(sm_count_taps)(sm_warp *w, const sm_insn *i, const sm_taps *taps, sm_served how);

/* Slots of [object, {coordinates}], as they are written. False: another form, with t->error. */
typedef struct sm_place {
    sm_geometry geometry;
    uint32_t handle;  /* 8 bytes a lane */
    uint32_t count;   /* coordinates, the layer among them */
    uint32_t slot[4]; /* 4 bytes a lane */
} sm_place;
bool SM_LEVEL(sm_place_of)(sm_translation *t, const ptx_insn *in, const ptx_operand *o,
                           sm_place *out);

#endif
