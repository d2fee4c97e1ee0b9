#include "around.h"

#include "../compile/ptxas/facts.h"
#include "../ptx/traits.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static uint32_t insn_index(const sm_code *code, const sm_insn *pc)
{
    return pc->site - code->site_base;
}

/* The innermost loop of CODE that contains both instruction K and the loop INNER. NULL: none. */
static const compile_loop *loop_around(const sm_code *code, uint32_t k, const compile_loop *inner)
{
    const compile_facts *facts = code->facts;
    const uint32_t least = inner ? inner->last - inner->first + 1 : 0;
    const compile_loop *best = NULL;
    for (uint32_t n = 0; n < facts->loops; n++) {
        const compile_loop *l = &facts->loop[n];
        const uint32_t size = l->last - l->first + 1;
        if (k >= l->first && k <= l->last && size > least &&
            (!best || size < best->last - best->first + 1))
            best = l;
    }
    return best;
}

launch_loop_position launch_innermost_loop(const sm_fragment *f)
{
    const sm_code *code = f->frame->code;
    return (launch_loop_position){f->frame, loop_around(code, insn_index(code, f->pc), NULL)};
}

launch_loop_position launch_outermost_loop(const sm_fragment *f)
{
    launch_loop_position found[LAUNCH_MAX_NEST] = {{f->frame, NULL}};
    launch_loops_around(f, found);
    return found[0];
}

uint32_t launch_loops_around(const sm_fragment *f, launch_loop_position loop[LAUNCH_MAX_NEST])
{
    uint32_t count = 0;
    const sm_insn *pc = f->pc;
    for (const sm_frame *at = f->frame; at; pc = at->site, at = at->caller) {
        const uint32_t k = insn_index(at->code, pc);
        for (const compile_loop *l = NULL; (l = loop_around(at->code, k, l)) != NULL;) {
            const uint32_t moved = count < LAUNCH_MAX_NEST ? count : LAUNCH_MAX_NEST - 1;
            memmove(loop + 1, loop, moved * sizeof *loop);
            loop[0] = (launch_loop_position){at, l};
            count = moved + 1;
        }
    }
    return count;
}

/* --- exits ------------------------------------------------------------------------------------ */

static bool is_inside_loop(const compile_loop *l, uint32_t k)
{
    return k >= l->first && k <= l->last;
}

/* Can instruction K of loop L be followed by an instruction outside the loop? */
static bool may_leave_loop(const ptx_insn *in, const compile_loop *l, uint32_t k)
{
    switch (ptx_traits_of(in)->flow) {
    case PTX_FLOW_jump:
        return !is_inside_loop(l, ptx_branch_target(in)) ||
               (k == l->last && in->guard != PTX_NO_REGISTER);
    case PTX_FLOW_table:
    case PTX_FLOW_call: /* the called function may end the thread */
    case PTX_FLOW_ret:
    case PTX_FLOW_exit:
    case PTX_FLOW_stop: return true;
    default: return false;
    }
}

bool launch_loop_has_exit(const launch_loop_position *a)
{
    const ptx_func *f = a->frame->code->func;
    for (uint32_t k = a->loop->first; k <= a->loop->last; k++)
        if (may_leave_loop(&f->insns[k], a->loop, k))
            return true;
    return false;
}

static const sm_insn *translated_insn(const sm_code *code, uint32_t index)
{
    const sm_fn enter = code->program->handlers->enter;
    for (uint32_t n = 0; n < code->insn_count; n++) {
        const sm_insn *i = &code->insn[n];
        if (i->fn != enter && i->site == code->site_base + index)
            return i;
    }
    return NULL;
}

static bool read_operand(const sm_frame *f, uint32_t slot, ptx_type type, uint32_t lane,
                         double *value)
{
    const uint8_t *at = f->window + slot;
    const char class = ptx_type_class(type);
    if (ptx_type_bytes(type) == 8) {
        uint64_t v;
        memcpy(&v, at + 8 * lane, sizeof v);
        double d;
        memcpy(&d, &v, sizeof d);
        *value = class == 'F' ? d : class == 'U' ? (double)v : (double)(int64_t)v;
        return true;
    }
    if (ptx_type_bytes(type) != 4)
        return false;
    uint32_t v;
    memcpy(&v, at + 4 * lane, sizeof v);
    float s;
    memcpy(&s, &v, sizeof s);
    *value = class == 'F' ? s : class == 'U' ? v : (double)(int32_t)v;
    return true;
}

static bool read_exit_test(const launch_loop_position *a, uint32_t index, uint32_t lane,
                           launch_exit_test *test)
{
    const sm_code *code = a->frame->code;
    const sm_insn *i = translated_insn(code, index);
    const ptx_type type = code->func->insns[index].type[0];
    if (!i || !read_operand(a->frame, i->a, type, lane, &test->left) ||
        !read_operand(a->frame, i->b, type, lane, &test->right))
        return false;
    test->at = i;
    test->distance = fabs(test->left - test->right);
    snprintf(test->text, sizeof test->text, "%.17g with %.17g", test->left, test->right);
    return true;
}

/* Add the comparisons on which predicate REG depends at instruction K: the comparison that sets it,
 * or those whose results are joined by and, or, not. Returns the new number of tests. */
static uint32_t add_exit_tests(const launch_loop_position *a, uint32_t k, uint32_t reg,
                               uint32_t lane, launch_exit_test test[LAUNCH_MAX_EXIT_TESTS],
                               uint32_t count)
{
    const ptx_insn *in = ptx_writer_before(a->frame->code->func, a->loop->first, k, reg);
    if (!in || count == LAUNCH_MAX_EXIT_TESTS)
        return count;
    const uint32_t n = (uint32_t)(in - a->frame->code->func->insns);
    if (ptx_traits_of(in)->means == PTX_MEANS_comparison)
        count += read_exit_test(a, n, lane, &test[count]);
    for (uint32_t o = 1; o < in->operand_count; o++) {
        const ptx_value *v = &in->opd[o].v[0];
        if (in->opd[o].count == 1 && v->kind == PTX_VAL_REG &&
            ptx_type_class(a->frame->code->func->regs[v->reg].type) == 'P')
            count = add_exit_tests(a, n, v->reg, lane, test, count);
    }
    return count;
}

uint32_t launch_exit_tests(const launch_loop_position *a, uint32_t lane,
                           launch_exit_test test[LAUNCH_MAX_EXIT_TESTS])
{
    const ptx_func *f = a->frame->code->func;
    uint32_t count = 0;
    for (uint32_t k = a->loop->last + 1; k-- > a->loop->first;) {
        const ptx_insn *in = &f->insns[k];
        if (in->guard != PTX_NO_REGISTER && may_leave_loop(in, a->loop, k))
            count = add_exit_tests(a, k, in->guard, lane, test, count);
    }
    return count;
}

uint64_t launch_loop_iterations(const sm_worker *k, const launch_loop_position *a)
{
    const sm_code *code = a->frame->code;
    const sm_fn enter = code->program->handlers->enter;
    const sm_insn *block = NULL;
    for (uint32_t n = 0; n < code->insn_count; n++) {
        const sm_insn *i = &code->insn[n];
        block = i->fn == enter ? i : block;
        if (i->fn != enter && i->site == code->site_base + a->loop->last)
            break;
    }
    return block ? k->visits[block->imm].times : 0;
}

/* --- conditions as text ----------------------------------------------------------------------- */

/* Set *FIRST and *LAST to the first and the last source line of loop A. False: not known. */
static bool loop_source_lines(const launch_loop_position *a, uint32_t *first, uint32_t *last)
{
    const sm_code *code = a->frame->code;
    const ptx_module *m = code->unit->module;
    const char *file = NULL;
    for (uint32_t k = a->loop->first; k <= a->loop->last; k++) {
        uint32_t line;
        const char *path = ptx_source_file(m, &code->func->insns[k], &line);
        if (!path || !line || (file && strcmp(file, path) != 0))
            continue;
        *first = !file || line < *first ? line : *first;
        *last = !file || line > *last ? line : *last;
        file = path;
    }
    return file != NULL;
}

/* Is fragment F in loop A, directly or in a function called from the loop? */
static bool is_in_loop(const sm_fragment *f, const launch_loop_position *a)
{
    const sm_insn *pc = f->pc;
    for (const sm_frame *at = f->frame; at; pc = at->site, at = at->caller)
        if (at->code == a->frame->code && is_inside_loop(a->loop, insn_index(at->code, pc)))
            return true;
    return false;
}

static void append_text(char *out, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void append_text(char *out, size_t size, const char *format, ...)
{
    const size_t used = strlen(out);
    va_list args;
    va_start(args, format);
    vsnprintf(out + used, size - used, format, args);
    va_end(args);
}

void launch_describe_loop(const sm_block *b, const launch_loop_position *a, char *out, size_t size)
{
    uint32_t in = 0, barrier = 0, after = 0, elsewhere = 0, gone = 0, first = 0, last = 0;
    const sm_fragment *waiting = NULL;
    const sm_warp *of = NULL;
    for (uint32_t n = 0; n < b->warp_count; n++) {
        const struct sm_sched *s = b->warp[n].sched;
        gone += (uint32_t)__builtin_popcount(b->warp[n].exited);
        for (uint32_t k = 0; k < s->count; k++) {
            const sm_fragment *f = &s->frag[k];
            uint32_t *to = is_in_loop(f, a)            ? &in
                           : f->wait_state != SM_READY ? &barrier
                           : f->waits                  ? &after
                                                       : &elsewhere;
            *to += (uint32_t)__builtin_popcount(f->mask);
            waiting = to == &barrier && !waiting ? f : waiting;
            of = waiting == f ? &b->warp[n] : of;
        }
    }
    snprintf(out, size, "%u of the block's %u threads %s in the loop", in, b->thread_count,
             in == 1 ? "is" : "are");
    if (loop_source_lines(a, &first, &last))
        append_text(out, size, first == last ? " of line %u" : " of lines %u to %u", first, last);
    if (barrier) {
        char where[160];
        ptx_source_position(b->grid->unit->module, sm_site_insn(of, waiting->pc), where,
                            sizeof where);
        append_text(out, size, "; %u %s for others at %s", barrier, barrier == 1 ? "waits" : "wait",
                    where);
    }
    if (after) {
        append_text(out, size, "; %u %s to reconverge with threads in the loop", after,
                    after == 1 ? "waits" : "wait");
    }
    if (elsewhere) {
        append_text(out, size, "; %u %s elsewhere in the kernel", elsewhere,
                    elsewhere == 1 ? "is" : "are");
    }
    if (gone)
        append_text(out, size, "; %u %s left the kernel", gone, gone == 1 ? "has" : "have");
    append_text(out, size, ".");
}
