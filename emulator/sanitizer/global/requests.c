/* Work that the threads of a launch request of the device runtime: kernels, copies and fills. It
 * may run while the launch goes on, so it races with all accesses of the launch that are not
 * ordered before the request. */
#include "../../base/list.h"
#include "../../ptx/traits.h"

#include "actor.h"
#include "touched.h"

#include <stdlib.h>

/* Maximum numbers, in one launch, of requests that are checked and of shadow cells that are
 * compared for them; the rest of a launch is not checked, to save time. */
enum {
    MAX_REQUESTS_CHECKED = 512, /* most requests of a launch that are checked */
    MAX_CELLS_CHECKED = 1 << 26 /* most shadow cells that are compared for them */
};

void san_add_runtime_request(san_resident_block *at, const sm_warp *w, uint32_t lane,
                             uint32_t number)
{
    san_launch *l = at->launch;
    struct san_request *r =
        l->request_count < MAX_REQUESTS_CHECKED ? LIST_ADD(l->request, l->request_count) : NULL;
    if (!r)
        return;
    /* A launch includes a fence: nothing that the requested work reads comes from an old L1. */
    san_order_fence(at->block, w->index, 1u << lane, SAN_IN_GRID);
    *r = (struct san_request){number, san_order_known_accesses(at->block, w->index, 1u << lane)};
    san_order_advance_clock(at->block);
}

void san_add_touched_after_requests(const san_launch *l, san_touched *t)
{
    uint64_t left = MAX_CELLS_CHECKED;
    for (uint32_t k = 0; k < l->request_count && left; k++) {
        san_touched *later = san_touched_by_request(t, l->request[k].number);
        if (later) {
            san_touched_add_unordered(later, l->shadow, l->grid->unit->module, l->request[k].view,
                                      &left);
            san_touched_remove_range(later, l->heap_from, l->heap_to - l->heap_from);
        }
    }
}

bool san_note_grid_dependency(const san_launch *l, san_touched *t, const ptx_insn *in)
{
    if (ptx_traits_of(in)->sync == PTX_SYNC_admits) {
        if (t)
            t->admits_next = true;
        return true;
    }
    if (ptx_traits_of(in)->sync != PTX_SYNC_depends)
        return false;
    if (t && !t->early && (t->early = san_touched_new())) {
        san_touched_add_launch(t->early, l->shadow, l->grid->unit->module, l->heap_from,
                               l->heap_to);
    }
    return true;
}

void san_free_runtime_requests(san_launch *l)
{
    for (uint32_t k = 0; k < l->request_count; k++)
        san_view_drop(l->request[k].view);
    free(l->request);
}
