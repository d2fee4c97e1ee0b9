/* Translates the instructions of a function. This file translates the entries of basic blocks,
 * guards and branches itself; for all others, the selector named in ops.def chooses the handler. */
#include "../../base/list.h"
#include "../../core/code.h"

#include "../../core/handlers.h"
#include "../../core/sched.h"
#include "../../ptx/sheet.h"
#include "../../ptx/traits.h"
#include "../build.h"
#include "../ptxas/facts.h"
#include "../ptxas/joins.h"
#include "counted.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Does the operation end a basic block of the emulator? Control flow, calls, and every operation at
 * which lanes wait for other lanes, since the active lanes may change there. */
static bool ends_block(ptx_op op)
{
    const ptx_traits *t = &ptx_traits_table[op];
    switch (t->sync) {
    case PTX_SYNC_lanes:
    case PTX_SYNC_block:
    case PTX_SYNC_aligned:
    case PTX_SYNC_cluster:
    case PTX_SYNC_try:
    case PTX_SYNC_sleep: return true;
    case PTX_SYNC__:
    case PTX_SYNC_arrive:
    case PTX_SYNC_fence:
    case PTX_SYNC_proxy:
    case PTX_SYNC_copies:
    case PTX_SYNC_group:
    case PTX_SYNC_commit:
    case PTX_SYNC_groups:
    case PTX_SYNC_test:
    case PTX_SYNC_admits:
    case PTX_SYNC_depends: break;
    }
    return t->flow != PTX_FLOW__;
}

bool *compile_find_block_leaders(const ptx_func *f)
{
    return ptx_find_block_starts(f, ends_block);
}

/* Size in bytes of the type of operand K; 8 if the instruction names no type. */
static uint32_t operand_bytes(const ptx_insn *in, uint32_t k)
{
    const ptx_type type = ptx_operand_type(in, k);
    return type == PTX_pred     ? COMPILE_BYTES_PREDICATE
           : type == PTX_NOTYPE ? 8
                                : ptx_type_bytes(type);
}

/* Fill in the slots of the scalar operands, in the order of ops.def. */
static void fill_operands(compile_translation *t, const ptx_insn *in, sm_insn *out)
{
    const ptx_row *row = ptx_row_of_op(in->op);
    uint32_t *source[] = {&out->a, &out->b, &out->c, &out->e};
    uint32_t sources = 0;
    for (uint32_t k = 0; k < in->operand_count && k < row->shape_count; k++) {
        const ptx_operand *o = &in->opd[k];
        const ptx_operand_role role = row->shape[k].role;
        const bool memory = role == PTX_ROLE_MEMORY;
        if (role != PTX_ROLE_VALUE && role != PTX_ROLE_MEMORY)
            continue;
        if (o->count == 0) {
            sources += k > 0 && sources < 4;
            continue;
        }
        if (k == 0 && row->shape[k].result && row->shape[k].result_with == PTX_MOD_COUNT) {
            out->d = compile_slot_of_value(t, &o->v[0], 8);
            out->q = compile_slot_of_value(t, &o->second, 4);
            continue;
        }
        if (sources == 4)
            break;
        const ptx_value *v = &o->v[0];
        const uint32_t bytes = memory ? 8 : operand_bytes(in, k);
        if (memory && v->kind == PTX_VAL_VAR && v->var->space != PTX_SPACE_PARAM) {
            ptx_value base = *v;
            base.offset = 0;
            *source[sources] = compile_slot_of_value(t, &base, 8);
            out->imm = (uint64_t)v->offset;
        } else if (memory && v->kind == PTX_VAL_VAR) {
            *source[sources] =
                0; /* no slot: exec/memory/param.c looks up the address of the parameter */
        } else {
            *source[sources] = compile_slot_of_typed_value(t, v, bytes);
            if (memory)
                out->imm = (uint64_t)v->offset;
        }
        if (v->kind == PTX_VAL_IMM || (v->kind == PTX_VAL_VAR && v->var->space != PTX_SPACE_LOCAL))
            out->flags |= sources < 3 ? (uint8_t)(SM_I_UNIFORM_A << sources) : 0;
        sources++;
    }
}

static bool report_unsupported_form(compile_translation *t, const ptx_insn *in)
{
    if (t->failed && !t->error[0])
        return false;
    char *text = NULL, where[160], why[sizeof t->error];
    size_t size;
    snprintf(why, sizeof why, "%s", t->error);
    FILE *to = open_memstream(&text, &size);
    if (to) {
        ptx_print_insn(to, t->module, t->func, in);
        fclose(to);
    }
    ptx_source_position(t->module, in, where, sizeof where);
    snprintf(t->build->refusal, sizeof t->build->refusal,
             "%s: the instruction `%.*s` (line %u of the PTX) is not supported here%s%s.", where,
             text ? (int)strcspn(text, "\n") : 1, text ? text + strspn(text, " \t") : "?", in->line,
             why[0] ? ": " : "", why);
    free(text);
    t->failed = true;
    return false;
}

/* Append an empty sm_insn for the PTX instruction with index SITE. */
static sm_insn *emit_insn(compile_translation *t, uint32_t site)
{
    compile_build *b = t->build;
    sm_insn *i = LIST_ADD(b->insn, b->insn_count);
    if (i)
        *i = (sm_insn){.site = t->code->site_base + site};
    t->failed |= !i;
    return i;
}

/* Append the entry of a basic block. LEADS: the block begins at the PTX instruction SITE; otherwise
 * after the branch that implements the guard of SITE. */
static bool emit_block_entry(compile_translation *t, uint32_t site, bool leads)
{
    sm_insn *i = emit_insn(t, site);
    if (!i)
        return false;
    const compile_reconvergence_points *joins = t->code->facts->joins;
    const compile_reconvergence *join = leads ? joins->at[joins->block[site]] : NULL;
    i->fn = t->program->handlers->enter;
    i->imm = t->code->visit_base + t->code->block_count++;
    i->mode = join ? SM_ENTRY_RECONVERGES : 0;
    i->extra = join;
    compile_forget_address_memos(t->build, PTX_NO_REGISTER);
    return true;
}

/* HIDDEN: a guard, as a branch over its instruction. OVER: it jumps over code that is too long for
 * a predicate. */
static bool emit_branch(compile_translation *t, uint32_t site, const ptx_insn *in, bool hidden,
                        bool over)
{
    sm_insn *i = emit_insn(t, site);
    if (!i)
        return false;
    const bool guarded = in->guard != PTX_NO_REGISTER;
    const uint32_t target = hidden ? site + 1 : in->opd[0].v[0].target;
    const bool back = target <= site;
    const uint16_t fact = hidden ? 0 : t->code->facts->of[site];
    const bool passed_over = fact & COMPILE_FACT_CLOCK && !t->build->plain;
    i->fn =
        t->program->handlers->pick_bra(guarded, over                        ? SM_BRA_OVER
                                                : !back                     ? SM_BRA_FORWARD
                                                : fact & COMPILE_FACT_WAITS ? SM_BRA_IN_WAIT_LOOP
                                                : passed_over               ? SM_BRA_WITH_CLOCK
                                                                            : SM_BRA_BACK);
    i->c = fact & COMPILE_FACT_WAITS ? compile_find_loop_carried(t, site) : 0;
    i->b = t->code->visit_base + t->code->block_count -
           1; /* index of the basic block that the branch ends */
    i->mode = hidden ? SM_BRANCH_FROM_GUARD : 0;
    i->flags = (fact & (COMPILE_FACT_WAITS | COMPILE_FACT_CLOCK) ? SM_I_IN_WAIT : 0) |
               (hidden ? SM_I_SKIPS : SM_I_PTX);
    i->a = guarded ? t->build->reg_slot[in->guard] : 0;
    /* a guard is a hidden branch: it skips the instruction for lanes whose guard is false */
    i->imm = in->guard_negate != hidden ? SM_FULL : 0;
    i->e = target; /* index of the target, replaced by a pointer in `extra` after all instructions
                      are translated */
    i->vec = COMPILE_VEC_PATCH_TARGET;
    return true;
}

static bool emit_warp_catch_up(compile_translation *t, uint32_t site)
{
    const uint16_t fact = t->code->facts->of[site];
    if (!(fact & (COMPILE_FACT_LATE_STORE | COMPILE_FACT_STEP_LOAD)))
        return true;
    sm_insn *i = emit_insn(t, site);
    if (i) {
        i->fn = fact & COMPILE_FACT_LATE_STORE ? t->program->handlers->late_store
                                               : t->program->handlers->reduction_load;
    }
    return i != NULL;
}

static bool emit_clock_reads(compile_translation *t, uint32_t site, const ptx_insn *in)
{
    for (uint32_t k = 0; k < in->operand_count; k++) {
        for (uint32_t n = 0; n < in->opd[k].count; n++) {
            const ptx_value *v = &in->opd[k].v[n];
            if (v->kind != PTX_VAL_SREG || !compile_special_reg_is_clock(v->sreg))
                continue;
            sm_insn *i = emit_insn(t, site);
            if (!i)
                return false;
            i->fn = t->program->handlers->read_clock;
            i->d = compile_slot_of_value(t, v, 8);
            i->mode = (uint16_t)v->sreg;
            i->vec = (uint8_t)compile_register_bytes(t, v);
        }
    }
    return true;
}

static bool is_in_clock_loop(const compile_facts *facts, uint32_t site)
{
    for (uint32_t n = 0; n < facts->loops; n++) {
        const compile_loop *l = &facts->loop[n];
        if (facts->of[l->last] & COMPILE_FACT_CLOCK && l->first <= site && site <= l->last)
            return true;
    }
    return false;
}

/* Append the clock pseudo-instruction for the next instruction, whose clock step is STEP. Called
 * only in units that read a clock. */
static bool emit_clock_step(compile_translation *t, uint32_t site, const sm_step *step,
                            bool guarded)
{
    sm_insn *i = step ? emit_insn(t, site) : NULL;
    if (!i)
        return false;
    i->fn = t->program->handlers->clock_step;
    i->extra = step;
    i->flags =
        (guarded ? SM_I_GUARDED : 0) | (is_in_clock_loop(t->code->facts, site) ? SM_I_IN_WAIT : 0);
    return true;
}

static bool unit_reads_clock(const compile_translation *t)
{
    return t->code->unit && t->code->unit->clock;
}

/* Emit the count of divisions that leave the short path. Behind a guard there is none: nvcc puts no
 * guard before a division. */
static bool emit_slow_path(compile_translation *t, uint32_t site, const ptx_insn *in)
{
    const sm_fn count =
        in->guard == PTX_NO_REGISTER ? t->program->handlers->pick_slow_path(in) : NULL;
    sm_insn *i = count ? emit_insn(t, site) : NULL;
    if (i) {
        fill_operands(t, in, i);
        i->fn = count;
    }
    return i || !count;
}

static bool emit_guarded_insn(compile_translation *t, uint32_t site, const ptx_insn *in)
{
    const sm_handlers *level = t->program->handlers;
    const sm_selector select = level->select[in->op];
    /* cppcheck-suppress legacyUninitvar ; cppcheck does not know the table */
    if (!select)
        return report_unsupported_form(t, in);
    const bool guarded = in->guard != PTX_NO_REGISTER && !ends_block(in->op);
    const bool timed = unit_reads_clock(t);
    const bool reads = timed && compile_reads_clock(in);
    if (!emit_warp_catch_up(t, site) ||
        (reads && !emit_clock_step(t, site, compile_new_step(t, in), false)) ||
        !emit_clock_reads(t, site, in) || !emit_slow_path(t, site, in) ||
        (timed && !reads && !emit_clock_step(t, site, compile_new_step(t, in), guarded)))
        return false;
    if (guarded) {
        sm_insn *g = emit_insn(t, site);
        if (!g)
            return false;
        g->fn = level->guard;
        g->a = t->build->reg_slot[in->guard];
        g->imm = in->guard_negate ? SM_FULL : 0;
    }
    sm_insn *i = emit_insn(t, site);
    if (!i)
        return false;
    const ptx_sync sync = ptx_traits_of(in)->sync;
    const bool sleeps = sync == PTX_SYNC_sleep || sync == PTX_SYNC_try;
    i->flags = (guarded ? SM_I_GUARDED : 0) |
               (sleeps && t->code->facts->of[site] & COMPILE_FACT_IN_WAIT ? SM_I_IN_WAIT : 0);
    fill_operands(t, in, i);
    t->error[0] = 0;
    i->fn = select(t, in, i);
    if (!i->fn || t->failed)
        return report_unsupported_form(t, in);
    if (t->build->plain && (ptx_is_per_lane_load(in) || ptx_is_per_lane_store(in)) &&
        in->space != PTX_SPACE_PARAM)
        i->mode |= SM_M_STRONG;
    i->flags |= ptx_traits_of(in)->flow == PTX_FLOW_ret && !in->text ? 0 : SM_I_PTX;
    i->memo = compile_address_memo_of(t->build, in, i);
    if (ptx_traits_of(in)->flow == PTX_FLOW_table) {
        i->e = site;
        i->vec = COMPILE_VEC_PATCH_TABLE;
    }
    return true;
}

static struct sm_block_info *current_block_info(compile_translation *t)
{
    sm_code *c = t->code;
    compile_build *b = t->build;
    if (c->block_count > b->info_cap) {
        const uint32_t cap = 2 * c->block_count + 16;
        struct sm_block_info *bigger = realloc(c->block, cap * sizeof *bigger);
        if (!bigger) {
            t->failed = true;
            return NULL;
        }
        memset(bigger + b->info_cap, 0, (cap - b->info_cap) * sizeof *bigger);
        c->block = bigger;
        b->info_cap = cap;
    }
    return &c->block[c->block_count - 1];
}

/* Does instruction K end a loop of one block that ptxas unrolls four times? Then most instructions
 * that count, compare and branch disappear. */
static bool ends_unrolled_loop(const ptx_func *f, const bool *leader, uint32_t k)
{
    enum { MAX_LOOP_LENGTH = 32 };
    const ptx_insn *in = &f->insns[k];
    const uint32_t to = ptx_branch_target(in);
    if (in->guard == PTX_NO_REGISTER || to == PTX_NO_TARGET || to + 3 > k ||
        k - to >= MAX_LOOP_LENGTH)
        return false;
    for (uint32_t n = to + 1; n <= k; n++)
        if (leader[n])
            return false;
    return true;
}

/* Add K's waits for memory to INFO, if facts->wait[*next] is about instruction K. */
static void count_waits(const compile_facts *facts, uint32_t *next, uint32_t k,
                        struct sm_block_info *info)
{
    for (; *next < facts->waits && facts->wait[*next].insn == k; ++*next) {
        const compile_wait *wait = &facts->wait[*next];
        if (wait->kind == COMPILE_WAIT_LOAD && !wait->once && !wait->overlapped) {
            const bool joined = wait->loop < facts->loops && facts->loop[wait->loop].unrolled;
            info->far_rounds += !wait->near;
            info->near_parts += !wait->near              ? 0
                                : joined && !wait->depth ? 1
                                                         : COMPILE_UNROLL_FACTOR;
        }
        info->once |= wait->once;
        info->requests += wait->kind != COMPILE_WAIT_BARRIER && !wait->near;
    }
}

/* Code that ptxas executes under a predicate: a warp issues it even if no lane executes it. So the
 * block of the branch has its cost, and the code's own block none. */
typedef struct predicated_code {
    uint32_t end;   /* the instruction after it */
    uint32_t block; /* the block of the branch, an index of sm_code.block */
} predicated_code;

/* Count the machine instructions of instruction K, which COST says and which belongs to INFO. */
static void charge_machine_insns(compile_translation *t, const predicated_code *p, uint32_t k,
                                 const struct sm_block_info *cost, struct sm_block_info *info)
{
    struct sm_block_info *pays = k < p->end ? &t->code->block[p->block] : info;
    info->chain_cycles += cost->chain_cycles;
    info->inst_folded += cost->inst_folded;
    if (pays != info) {
        /* INFO has counted the PTX instruction */
        const bool branch = ptx_is_branch(&t->func->insns[k]);
        const bool shared = ptx_space_of(&t->func->insns[k]) == PTX_SPACE_SHARED;
        pays->shared_predicated += shared;
        info->shared_taken += shared;
        pays->inst_more += 1u - (branch || cost->inst_folded);
        info->inst_folded += !cost->inst_folded;
    }
    pays->inst_more += cost->inst_more;
    pays->inst_alu += cost->inst_alu;
    pays->inst_fma += cost->inst_fma;
    pays->inst_special += cost->inst_special;
    pays->imul_cycles += cost->imul_cycles;
    pays->inst_f64 += cost->inst_f64;
}

static bool emit_all_insns(compile_translation *t, const bool *leader)
{
    const ptx_func *f = t->func;
    uint32_t waits = 0;
    predicated_code predicated = {0};
    for (uint32_t k = 0; k < f->insn_count; k++) {
        const ptx_insn *in = &f->insns[k];
        t->build->first_insn[k] = t->build->insn_count;
        if (leader[k] && !emit_block_entry(t, k, true))
            return false;
        struct sm_block_info *info = current_block_info(t);
        if (!info)
            return false;
        uint32_t moves;
        const uint32_t end = k < predicated.end ? k : compile_predicated_end(f, leader, k, &moves);
        const bool far = end == k && compile_may_diverge(f, k);
        info->inst++;
        compile_count_insn(f, k, t->code->facts->of[k] & COMPILE_FACT_UNROLLED_AWAY, far, info);
        info->inst_folded += ends_unrolled_loop(f, leader, k) ? 2 : 0;
        count_waits(t->code->facts, &waits, k, info);
        /* True at a label or after a branch. The other boundaries of the emulator's basic blocks do
         * not exist in the machine code. */
        const bool begins =
            k == 0 || (leader[k] && (!ends_block(in[-1].op) || ptx_is_branch(&in[-1])));
        struct sm_block_info cost = {0};
        if (!compile_tensor_cost(t, in, info) || !compile_issue_cost(t, in, begins, &cost))
            return false;
        charge_machine_insns(t, &predicated, k, &cost, info);
        if (end > k) {
            predicated = (predicated_code){end, t->code->block_count - 1};
            info->inst_folded++; /* the branch */
            info->inst_more += moves;
        }
        if (begins && unit_reads_clock(t) &&
            !emit_clock_step(t, k, compile_new_entry_step(t), false))
            return false;
        if (t->build->folded[k]) {
            if (unit_reads_clock(t) && !emit_clock_step(t, k, compile_new_step(t, in), false))
                return false;
            continue;
        }
        if (ptx_traits_of(in)->flow == PTX_FLOW_jump) {
            if (ptx_branch_target(in) == PTX_NO_TARGET)
                return report_unsupported_form(t, in);
            if ((unit_reads_clock(t) && !emit_clock_step(t, k, compile_new_step(t, in), false)) ||
                !emit_branch(t, k, in, false, far))
                return false;
            continue;
        }
        if (in->guard != PTX_NO_REGISTER && ends_block(in->op) &&
            !(emit_branch(t, k, in, true, false) && emit_block_entry(t, k, false) &&
              current_block_info(t)))
            return false;
        if (!emit_guarded_insn(t, k, in))
            return false;
    }
    t->build->first_insn[f->insn_count] = t->build->insn_count;
    if (f->insn_count && ptx_never_falls_through(&f->insns[f->insn_count - 1]) &&
        !leader[f->insn_count])
        return true;
    /* reaching the end of the function is a return */
    static const ptx_insn end = {.op = PTX_OP_ret, .guard = PTX_NO_REGISTER};
    const uint32_t last = f->insn_count ? f->insn_count - 1 : 0;
    return emit_block_entry(t, last, false) && current_block_info(t) &&
           emit_guarded_insn(t, last, &end);
}

static bool finish_code(compile_translation *t)
{
    compile_build *b = t->build;
    sm_code *c = t->code;
    c->insn_count = b->insn_count;
    c->insn = aligned_alloc(64, b->insn_count * sizeof *c->insn);
    if (!c->insn) {
        t->failed = true;
        return false;
    }
    memcpy(c->insn, b->insn, b->insn_count * sizeof *c->insn);
    for (uint32_t k = 0; k < c->insn_count; k++) {
        sm_insn *i = &c->insn[k];
        const ptx_insn *in = &t->func->insns[i->site - c->site_base];
        const ptx_flow flow = ptx_traits_of(in)->flow;
        if (flow == PTX_FLOW_table && i->vec == COMPILE_VEC_PATCH_TABLE &&
            i->e == i->site - c->site_base) {
            const sm_insn **table =
                compile_alloc_with_code(t, (in->target_count + 1u) * sizeof *table);
            if (!table)
                return false;
            for (uint32_t n = 0; n < in->target_count; n++)
                table[n] = &c->insn[b->first_insn[in->targets[n]]];
            i->extra = table;
        } else if (i->vec == COMPILE_VEC_PATCH_TARGET &&
                   (flow == PTX_FLOW_jump || i->mode == SM_BRANCH_FROM_GUARD) && !i->extra &&
                   i->fn != t->program->handlers->enter) {
            i->extra = &c->insn[b->first_insn[i->e]];
        }
    }
    compile_store_block_work(c, t->program);
    return true;
}

bool compile_translate_function(compile_translation *t)
{
    compile_build *b = t->build;
    bool *leader = compile_find_block_leaders(t->func);
    b->first_insn = calloc(t->func->insn_count + 1u, sizeof *b->first_insn);
    const bool good = leader && b->first_insn && compile_find_insn_facts(t, leader) &&
                      compile_assign_reg_slots(t, leader) && emit_all_insns(t, leader) &&
                      finish_code(t) && compile_finish_reg_slots(t);
    if (!good)
        t->failed = true;
    free(leader);
    free(b->first_insn);
    free(b->insn);
    b->first_insn = NULL;
    b->insn = NULL;
    return good;
}
