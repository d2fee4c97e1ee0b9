/* Reports elapsed times between events that enclose no work. The compiler removes the work of a
 * kernel whose results nobody can see, so the program times an empty launch. */
#include "../../ptx/traits.h"
#include "../core/state.h"
#include "checks.h"

#include <stdio.h>

/* Does a launch of F have no visible effect? A kernel without parameters does not count, since it
 * may be empty on purpose. */
static bool has_no_visible_effect(const ptx_func *f)
{
    bool empty = f->param_count;
    for (uint32_t k = 0; k < f->insn_count && empty; k++) {
        const ptx_traits *t = ptx_traits_of(&f->insns[k]);
        empty = !ptx_changes_memory(&f->insns[k]) && t->access <= PTX_ACCESS_load &&
                t->sync == PTX_SYNC__ && t->flow != PTX_FLOW_call && t->flow != PTX_FLOW_stop &&
                t->unit != PTX_UNIT_surface;
    }
    return empty;
}

void rt_note_issued_work(const rt_op *op)
{
    rt.checks.issued.real_works +=
        op->kind != RT_EVENT_RECORD && op->kind != RT_EVENT_WAIT && op->kind != RT_KERNEL;
}

void rt_note_issued_kernel(const rt_op *op, const ptx_func *f)
{
    const bool left_out =
        rt.skip_profiled && rt.profiled; /* in this run the kernel's time is not measured */
    if (!op->by || left_out || !has_no_visible_effect(f)) {
        rt.checks.issued.real_works++;
        return;
    }
    rt.checks.issued.empty_kernels++;
    rt.checks.last_empty = *op->by;
    snprintf(rt.checks.last_name, sizeof rt.checks.last_name, "%s", op->name ? op->name : f->name);
}

rt_work_counts rt_issued_work_counts(void)
{
    return rt.checks.issued;
}

void rt_check_work_between_events(const rt_work_counts *from, const rt_work_counts *to)
{
    if (!(rt.sanitize & SAN_HOST) || to->real_works != from->real_works ||
        to->empty_kernels == from->empty_kernels ||
        to->empty_kernels != rt.checks.issued.empty_kernels)
        return;
    san_finding f = {.kind = "host",
                     .other_did = "the elapsed time is requested here",
                     .fix = "store the kernel's result where the host reads it, so that the "
                            "compiler keeps the work",
                     .kernel = rt.checks.last_name,
                     .chapter = CHAPTER_EVENTS};
    san_call_position_of(&rt.checks.last_empty, &f.at);
    rt_name_call(&f.other);
    snprintf(f.sentence, sizeof f.sentence,
             "the events time an empty kernel: %s writes nothing, so the compiler removed its work",
             rt.checks.last_name);
    rt_report_finding(&f);
}
