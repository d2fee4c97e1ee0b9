/* The debugger's worker, a process that runs the kernels. Its observer stops the run at the moments
 * that the controller requests, makes snapshots, and notes writes and mistakes. */
#include "worker.h"

#include "../../observe/observe.h"
#include "../../ptx/traits.h"
#include "process.h"
#include "step.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

step_state step_worker_state = {.fd = -1, .chosen = -1};

bool step_is_session(void)
{
    return step_worker_state.on;
}

/* --- messages to the controller --------------------------------------------------------------- */

/* Send the answer to the current order to the controller: the current moment and the moments that
 * met the goal. */
static void send_result(void)
{
    const step_state *s = &step_worker_state;
    const uint32_t kept = s->hits < s->order.times ? s->hits : s->order.times;
    const uint32_t asked = s->order.last ? s->hits - kept : s->order.times - 1;
    step_result r = {.tick = step_current_moment(),
                     .ended = s->ended,
                     .stopped = s->stopped,
                     .hits = kept,
                     .hit_lanes = s->hit_lanes,
                     .launch = s->launch_order ? s->launch_order - 1 : 0,
                     .insn_count = s->insn_count};
    if (kept) {
        r.hit = s->hit[asked % STEP_MAX_TIMES];
        r.last_hit = s->hit[(s->hits - 1) % STEP_MAX_TIMES];
        memcpy(r.wrote, s->wrote, sizeof r.wrote);
        memcpy(r.by, s->by, sizeof r.by);
    }
    if (s->slot && !s->ended) {
        r.launch = s->slot->launch->grid->launch->number;
        r.at = (step_warp_id){s->launch_order, s->slot->block->linear, s->w->index};
    }
    step_process_send(STEP_MSG_RESULT, &r, sizeof r);
}

/* Note that the moment TICK meets the goal in LANES. WROTE: the value written, or "". */
static void note_goal_hit(uint64_t tick, uint32_t lanes, const char *wrote)
{
    step_state *s = &step_worker_state;
    const step_order *o = &s->order;
    if (o->after != UINT64_MAX && tick <= o->after)
        return;
    /* several events of one instruction are one hit */
    if (!s->hits || s->hit[(s->hits - 1) % STEP_MAX_TIMES] != tick) {
        s->hit[s->hits++ % STEP_MAX_TIMES] = tick;
        s->hit_lanes = 0;
    }
    s->hit_lanes |= lanes;
    snprintf(s->wrote, sizeof s->wrote, "%s", wrote);
    s->by[0] = '\0';
}

/* Tell the controller that launch L has begun, or that it is OVER. */
static void send_launch_begin_or_end(const sm_launch *l, bool over)
{
    const step_state *s = &step_worker_state;
    step_launch_note n = {.order = s->launch_order,
                          .number = l->number,
                          .base = s->base,
                          .insn_count = over ? s->insn_count : UINT64_MAX};
    snprintf(n.kernel, sizeof n.kernel, "%s", l->name ? l->name : l->kernel->name);
    step_process_send(STEP_MSG_LAUNCH, &n, sizeof n);
}

/* --- orders ----------------------------------------------------------------------------------- */

/* Answer the question of the current order, and send the text to the controller. */
static void answer_controller_question(void)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (to) {
        step_answer(&step_worker_state.order, to);
        fclose(to);
        for (size_t at = 0; at < size; at += STEP_MAX_PACKET_BYTES / 2) {
            const size_t rest = size - at;
            step_process_send(STEP_MSG_TEXT, text + at,
                              rest < STEP_MAX_PACKET_BYTES / 2 ? rest : STEP_MAX_PACKET_BYTES / 2);
        }
        free(text);
    }
}

/* Execute the controller's orders until one of them lets the run continue. */
static void execute_orders(void)
{
    step_state *s = &step_worker_state;
    for (;;) {
        step_process_receive(&s->order);
        s->hits = s->hit_lanes = 0;
        s->wrote[0] = s->by[0] = '\0';
        s->is_if_value_known = false;
        if (s->order.kind == STEP_RUN && !s->ended)
            return;
        if (s->order.kind == STEP_QUERY)
            answer_controller_question();
        send_result();
    }
}

/* Stop here if the current order requires it; returns when the run continues. */
static void stop_if_ordered(const step_block_slot *slot, const sm_warp *w, const sm_insn *i,
                            uint32_t mask)
{
    step_state *s = &step_worker_state;
    for (;;) {
        const uint64_t tick = step_current_moment();
        const bool limit = tick >= s->order.until;
        s->stopped = *step_interrupt_requested && !limit;
        if (!limit && step_is_goal_met(&s->order.goal, slot, w, i, mask))
            note_goal_hit(tick, mask, "");
        if (!limit && !s->stopped && (s->order.last || s->hits < s->order.times))
            return;
        send_result();
        execute_orders();
        if (s->choices_made < s->order.choices && s->order.choice[s->choices_made].tick == tick)
            return;
    }
}

/* --- the observer: each instruction ----------------------------------------------------------- */

/* Has a choice of the warp that runs next been made at TICK? A process in this state is no snapshot
 * of TICK: what runs next would differ for an order with other choices. */
static bool was_warp_chosen_at_moment(uint64_t tick)
{
    const step_state *s = &step_worker_state;
    return s->choices_made && s->order.choice[s->choices_made - 1].tick == tick;
}

static bool on_insn_begin(void *state, const sm_warp *w, const sm_insn *i, uint32_t mask)
{
    step_state *s = &step_worker_state;
    step_block_slot *slot = state;
    s->slot = slot;
    s->w = w;
    s->i = i;
    s->mask = mask;
    if (!s->begin_sent) {
        s->begin_sent = true;
        send_launch_begin_or_end(slot->launch->grid->launch, false);
    }
    if (!was_warp_chosen_at_moment(step_current_moment()) &&
        step_process_snapshot_if_due(step_current_moment(), s->insn_count == 0))
        execute_orders(); /* this process has just been woken from a snapshot: wait for orders */
    for (;;) {
        /* skip choices of warps that are current anyway */
        while (s->choices_made < s->order.choices &&
               s->order.choice[s->choices_made].tick == step_current_moment()) {
            const uint32_t warp = s->order.choice[s->choices_made++].warp;
            if (warp != w->index) {
                s->chosen = warp;
                return false;
            }
        }
        stop_if_ordered(slot, w, i, mask);
        if (s->choices_made >= s->order.choices ||
            s->order.choice[s->choices_made].tick != step_current_moment())
            break;
    }
    s->executing = step_current_moment();
    s->insn_count++;
    slot->passed = false;
    return true;
}

/* Callback of the emulator: the warp that runs next, the user's choice or else NEXT. */
static uint32_t warp_to_run_next(void *state, uint32_t next)
{
    (void)state;
    const int64_t chosen = step_worker_state.chosen;
    step_worker_state.chosen = -1;
    return chosen < 0 ? next : (uint32_t)chosen;
}

/* The goal waits for register REG of CODE, whose registers are at WINDOW, which lanes MASK have
 * written. */
static void note_register_hit(const step_block_slot *slot, const sm_code *code,
                              const uint8_t *window, uint32_t reg, uint32_t mask)
{
    const step_goal *g = &step_worker_state.order.goal;
    char text[64] = "";
    uint64_t value[2];
    const uint32_t lane =
        g->place.lane >= 0 ? (uint32_t)g->place.lane : (uint32_t)__builtin_ctz(mask);
    if (dbg_register_value(code, window, reg, lane, value)) {
        dbg_value_text(slot->launch->forms[code->index][reg], dbg_register_bytes(code->func, reg),
                       value, text, sizeof text);
    }
    note_goal_hit(step_worker_state.executing, mask, text);
}

static void on_insn_end(void *state, const sm_warp *w, const sm_insn *i, uint32_t mask,
                        const uint8_t *window)
{
    step_state *s = &step_worker_state;
    step_block_slot *slot = state;
    step_warp_track *t = &slot->warp[w->index];
    const step_goal *g = &s->order.goal;
    t->ran = true;
    t->site = i->site;
    s->before = (step_warp_id){s->launch_order, slot->block->linear, w->index};
    s->any_before = true;
    if (g->kind == STEP_WRITES && g->place.kind == STEP_REGISTER && mask) {
        const sm_code *code;
        uint32_t pc;
        const ptx_insn *in = step_insn_at(slot, i->site, &code, &pc);
        const bool calls = ptx_traits_of(in)->flow == PTX_FLOW_call;
        PTX_EACH_WRITTEN(r, in)
            if (!calls && step_register_meets_goal(g, slot, w, code, r.reg, mask))
                note_register_hit(slot, code, window, r.reg, mask);
    }
}

/* --- memory ----------------------------------------------------------------------------------- */

/* The type of the values that the instruction of access A reads or writes. */
static step_type type_of_access(const step_block_slot *slot, const sm_access *a)
{
    const sm_code *code;
    uint32_t pc;
    const ptx_insn *in = step_insn_at(slot, a->site, &code, &pc);
    const bool load = a->effect == SM_READS && in->operand_count > 0;
    const uint32_t k = load ? 0 : 1;
    const ptx_value *v = in->operand_count > k && in->opd[k].count ? in->opd[k].v : NULL;
    if (!v || v->kind != PTX_VAL_REG || ptx_type_bytes(code->func->regs[v->reg].type) != 4)
        return STEP_ANY_TYPE;
    const dbg_form form = slot->launch->forms[code->index][v->reg];
    return form == DBG_FLOAT    ? STEP_F32
           : form == DBG_SIGNED ? STEP_S32
           : form == DBG_BITS   ? STEP_ANY_TYPE
                                : STEP_U32;
}

/* The value that lane LANE of A writes to the goal's place, as text; "": not known. */
static const char *text_of_written_value(const step_goal *g, const sm_access *a, uint32_t lane,
                                         char *out, size_t size)
{
    uint8_t bytes[64] = {0};
    const uint64_t skip = g->place.address - a->address[lane];
    out[0] = '\0';
    if (a->bytes <= sizeof bytes / 2 && skip + step_type_bytes(g->place.type) <= a->bytes &&
        observe_access_value(a, lane, bytes))
        step_value_text(g->place.type, bytes + skip, out, size);
    return out;
}

static void on_access(void *state, const sm_access *a)
{
    step_state *s = &step_worker_state;
    step_block_slot *slot = state;
    const step_goal *g = &s->order.goal;
    if (a->warp->block == slot->block) {
        step_request *r = &slot->warp[a->warp->index].request;
        *r = (step_request){.made = true,
                            .insn = s->executing - s->base,
                            .space = a->space,
                            .effect = a->effect,
                            .bytes = a->bytes,
                            .mask = a->mask,
                            .site = a->site};
        memcpy(r->address, a->address, sizeof r->address);
        if (a->space == PTX_SPACE_SHARED)
            slot->shared_type = type_of_access(slot, a);
    }
    if (g->kind == STEP_WRITES || g->kind == STEP_ACCESSES) {
        const uint32_t lanes = step_lanes_meeting_goal(g, slot, a);
        char text[64];
        if (lanes) {
            note_goal_hit(s->executing, lanes,
                          text_of_written_value(g, a, 31 - (uint32_t)__builtin_clz(lanes), text,
                                                sizeof text));
        }
    }
}

/* An asynchronous copy delivers while another instruction runs, perhaps of another warp. */
static void on_copy_complete(void *state, void *issued, const sm_access *a)
{
    (void)issued;
    step_state *s = &step_worker_state;
    step_block_slot *slot = state;
    const step_goal *g = &s->order.goal;
    const uint32_t lanes = g->kind == STEP_WRITES ? step_lanes_meeting_goal(g, slot, a) : 0;
    if (lanes) {
        const sm_warp *w = a->warp;
        const uint32_t l = (uint32_t)__builtin_ctz(lanes);
        char at[80];
        note_goal_hit(s->executing, lanes, "");
        snprintf(
            s->by, sizeof s->by,
            "the asynchronous copy that thread (%u,%u,%u) issued at %s, and that completes here",
            w->tid[0][l], w->tid[1][l], w->tid[2][l],
            ptx_source_position(slot->launch->grid->unit->module, a->insn, at, sizeof at));
    }
}

/* A store or reduction on a surface writes device memory like any other store. */
static void on_surface_write(void *state, const sm_access *a)
{
    const step_goal *g = &step_worker_state.order.goal;
    const uint32_t lanes = g->kind == STEP_WRITES ? step_lanes_meeting_goal(g, state, a) : 0;
    if (lanes)
        note_goal_hit(step_worker_state.executing, lanes, "");
}

static void on_block_barrier(void *state)
{
    ((step_block_slot *)state)->passed = true;
}

/* --- mistakes that the sanitizers find -------------------------------------------------------- */

/* Fill F with the report R of a sanitizer; DIM: grid dimensions. */
static void fill_mistake_from_report(step_mistake *f, const sm_report *r, const uint32_t dim[3])
{
    snprintf(f->kind, sizeof f->kind, "%s", r->kind ? r->kind : "");
    snprintf(f->path, sizeof f->path, "%s", r->at.path ? r->at.path : "");
    snprintf(f->other_path, sizeof f->other_path, "%s", r->other.path ? r->other.path : "");
    snprintf(f->who, sizeof f->who, "%s", r->at.thread_text);
    snprintf(f->other_who, sizeof f->other_who, "%s", r->other.thread_text);
    snprintf(f->did, sizeof f->did, "%s", r->at.access_name ? r->at.access_name : "");
    snprintf(f->other_did, sizeof f->other_did, "%s",
             r->other.access_name ? r->other.access_name : "");
    snprintf(f->missing, sizeof f->missing, "%s", r->missing ? r->missing : "");
    snprintf(f->fix, sizeof f->fix, "%s", r->remedy ? r->remedy : "");
    snprintf(f->text, sizeof f->text, "%s", r->text);
    f->line = r->at.line;
    f->other_line = r->other.line;
    f->address = r->address;
    f->offset = r->offset;
    f->block = r->block[0] + (uint64_t)dim[0] * (r->block[1] + (uint64_t)dim[1] * r->block[2]);
}

/* Callback of the sanitizers: pass mistake R on to the controller. */
static void on_report(void *state, const sm_report *r)
{
    (void)state;
    const step_state *s = &step_worker_state;
    static step_mistake f; /* static, because the struct is too large for the stack */
    f = (step_mistake){.tick = s->executing, .exact = true, .launch = s->launch_order};
    fill_mistake_from_report(&f, r, s->grid);
    step_process_send(STEP_MSG_MISTAKE, &f, sizeof f);
    if (s->order.goal.kind == STEP_REPORT)
        note_goal_hit(s->executing, 0, "");
}

void step_note_report(const sm_report *r)
{
    const step_state *s = &step_worker_state;
    if (!s->on || !s->launch_order)
        return;
    static step_mistake f;
    f = (step_mistake){.tick = step_current_moment(), .launch = s->launch_order};
    fill_mistake_from_report(&f, r, s->grid);
    step_process_send(STEP_MSG_MISTAKE, &f, sizeof f);
}

void step_note_wrong_value(uint64_t address, const char *text)
{
    if (!step_worker_state.on)
        return;
    step_wrong_value w = {.tick = step_current_moment(), .address = address};
    snprintf(w.text, sizeof w.text, "%s", text);
    w.is_written_by_host =
        step_find_write_outside_kernels(address, &w.host_tick, w.by, sizeof w.by);
    step_process_send(STEP_MSG_WRONG, &w, sizeof w);
}

/* Callback of the emulator: an error stops the launch; the controller lists it as a mistake. */
static void on_launch_fault(void *launch, const sm_fault *fault)
{
    const step_state *s = &step_worker_state;
    const uint32_t *grid = s->grid;
    (void)launch;
    static step_mistake f;
    f = (step_mistake){
        .tick = s->executing, .exact = true, .launch = s->launch_order, .fault = true};
    snprintf(f.kind, sizeof f.kind, "fault");
    snprintf(f.path, sizeof f.path, "%s", fault->path ? fault->path : "");
    snprintf(f.text, sizeof f.text, "%s", fault->text);
    f.line = fault->line;
    f.block = fault->block[0] +
              (uint64_t)grid[0] * (fault->block[1] + (uint64_t)grid[1] * fault->block[2]);
    step_process_send(STEP_MSG_MISTAKE, &f, sizeof f);
    if (s->order.goal.kind == STEP_FAULT)
        note_goal_hit(s->executing, 0, "");
}

/* --- launches and blocks ---------------------------------------------------------------------- */

static void free_step_launch(step_launch *l)
{
    for (uint32_t k = 0; l->forms && k < l->grid->unit->code_count; k++)
        free(l->forms[k]);
    free(l->forms);
    free(l->line);
    free(l);
}

static void *on_launch_begin(const sm_grid *g)
{
    step_state *s = &step_worker_state;
    const sm_unit *u = g->unit;
    step_launch *l = calloc(1, sizeof *l);
    if (!l)
        return NULL;
    l->grid = g;
    l->line = calloc(u->site_count + 1u, sizeof *l->line);
    l->forms = calloc(u->code_count + 1u, sizeof *l->forms);
    bool good = l->line && l->forms;
    for (uint32_t k = 0; good && k < u->code_count; k++) {
        const ptx_func *f = u->code[k]->func;
        l->forms[k] = dbg_find_register_forms(f);
        good = l->forms[k] != NULL;
        for (uint32_t n = 0; n < f->insn_count; n++) {
            step_line *at = &l->line[u->code[k]->site_base + n];
            at->path = ptx_source_file(u->module, &f->insns[n], &at->line);
        }
    }
    if (!good) {
        free_step_launch(l);
        return NULL;
    }
    /* the end of a launch and the beginning of the next one are two different moments */
    s->base += s->launch_order ? s->insn_count + 1 : 0;
    s->insn_count = 0;
    s->executing = UINT64_MAX;
    s->launch_order++;
    s->slot = NULL;
    s->begin_sent = false;
    memcpy(s->grid, g->launch->grid, sizeof s->grid);
    return l;
}

static sm_report *on_launch_end(void *launch)
{
    step_launch *l = launch;
    if (step_worker_state.begin_sent)
        send_launch_begin_or_end(l->grid->launch, true);
    free_step_launch(l);
    return NULL;
}

static void *on_block_open(void *launch, const sm_block *b)
{
    step_block_slot *r = calloc(1, sizeof *r);
    step_warp_track *warp = r ? calloc(b->warp_count, sizeof *warp) : NULL;
    if (!warp) {
        free(r);
        return NULL;
    }
    *r = (step_block_slot){.block = b, .launch = launch, .warp = warp};
    return r;
}

static void on_block_close(void *state)
{
    step_block_slot *r = state;
    step_worker_state.slot = step_worker_state.slot == r ? NULL : step_worker_state.slot;
    free(r->warp);
    free(r);
}

static void on_block_begin(void *state)
{
    step_block_slot *r = state;
    memset(r->warp, 0, r->block->warp_count * sizeof *r->warp);
    r->passed = false;
    r->shared_type = STEP_ANY_TYPE;
}

static const sm_observer step_observer = {.serial = true,
                                          .sees = SM_SEES_SHARED | SM_SEES_GLOBAL | SM_SEES_LOCAL,
                                          .launch_begins = on_launch_begin,
                                          .launch_faults = on_launch_fault,
                                          .launch_ends = on_launch_end,
                                          .block_opens = on_block_open,
                                          .block_closes = on_block_close,
                                          .block_begins = on_block_begin,
                                          .access = on_access,
                                          .copy_lands = on_copy_complete,
                                          .surface_writes = on_surface_write,
                                          .block_barrier = on_block_barrier,
                                          .insn_begins = on_insn_begin,
                                          .insn_ends = on_insn_end,
                                          .warp_chosen = warp_to_run_next,
                                          .other_report = on_report};

void step_add_observer(const sm_observer *list[SM_OBSERVERS + 1])
{
    if (step_is_session())
        sm_observer_append(list, &step_observer);
}

void step_end_process(void)
{
    if (step_worker_state.on && !step_worker_state.ended) {
        step_worker_state.ended = true;
        step_worker_state.stopped = false;
        send_result();
        execute_orders(); /* does not return: a run that has ended cannot go on */
    }
}
