/* Runs the handler of one PTX instruction on 32 lanes, built for any vector instruction set of the
 * host, and compares the results with a reference function for a single lane. */
#ifndef TEST_LANES_H
#define TEST_LANES_H

#include "../../emulator/compile/build.h"
#include "../../emulator/compile/ptxas/facts.h"
#include "../../emulator/core/handlers.h"
#include "../../emulator/debugger/recording/mix.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

extern const sm_handlers exec_handlers_v1;
#ifdef EXEC_VECTOR_LEVELS
extern const sm_handlers exec_handlers_v3, exec_handlers_v4;
#endif

/* The instruction sets that this machine supports, NULL-terminated. */
static const sm_handlers *const *lanes_levels(void)
{
    static const sm_handlers *level[4];
    unsigned n = 0;
    level[n++] = &exec_handlers_v1;
#ifdef EXEC_VECTOR_LEVELS
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        level[n++] = &exec_handlers_v3;
        if (__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
            __builtin_cpu_supports("avx512bw"))
            level[n++] = &exec_handlers_v4;
    }
#endif
    return level;
}

/* A reference: the result of one lane for sources a, b, c. */
typedef uint64_t (*lanes_ref)(uint64_t a, uint64_t b, uint64_t c);
/* Returns one random source value. */
typedef uint64_t (*lanes_draw)(void);

static uint64_t lanes_random(void)
{
    static uint64_t state = 1;
    return rec_draw_random(&state);
}

/* A parsed instruction on registers %h0.. (16 bits), %r0.. (32), %d0.. (64), %p0.. (predicates). */
typedef struct lanes_insn {
    ptx_module *module;
    const ptx_func *func;
    sm_code code;        /* the translated code */
    compile_build build; /* state of the translation */
    compile_translation t;
    sm_insn run;     /* the instruction to run */
    uint8_t *window; /* register window */
} lanes_insn;

static void lanes_free(lanes_insn *x)
{
    while (x->code.owned) {
        struct sm_owned *next = x->code.owned->next;
        free(x->code.owned);
        x->code.owned = next;
    }
    free(x->build.reg_slot);
    free(x->build.local_offset);
    free(x->build.folded);
    free(x->build.fold_at);
    free(x->build.constant);
    free(x->code.fill);
    free(x->window);
    ptx_free(x->module);
}

/* Prepare the instruction TEXT; returns false if LEVEL has no handler for it. */
static bool lanes_prepare(lanes_insn *x, const sm_handlers *level, const char *text)
{
    char ptx[512];
    memset(x, 0, sizeof *x);
    snprintf(ptx, sizeof ptx,
             ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n"
             ".reg .b16 %%h<6>;\n.reg .b32 %%r<6>;\n.reg .b64 %%d<6>;\n.reg .pred %%p<6>;\n"
             "%s\nret;\n}\n",
             text);
    ptx_error err;
    x->module = ptx_parse(ptx, strlen(ptx), &err);
    if (!x->module)
        fail_msg("%s: %s", text, err.text);
    x->func = ptx_find_func(x->module, "k");
    if (!ptx_check(x->module, x->func, &err))
        fail_msg("%s: %s", text, err.text);
    x->code.func = x->func;
    x->t = (compile_translation){
        .module = x->module, .func = x->func, .code = &x->code, .build = &x->build};
    static const compile_facts none;
    x->code.facts = &none;
    bool *leader = compile_find_block_leaders(x->func);
    assert_true(compile_assign_reg_slots(&x->t, leader));
    free(leader);
    const ptx_insn *in = &x->func->insns[0];
    uint32_t *source[] = {&x->run.a, &x->run.b, &x->run.c, &x->run.e};
    for (uint32_t k = 0; k < in->operand_count && k < 5; k++) {
        if (in->opd[k].vector)
            continue;
        if (k == 0) {
            x->run.d = compile_slot_of_value(&x->t, &in->opd[0].v[0], 4);
            x->run.q = compile_slot_of_value(&x->t, &in->opd[0].second, 4);
        } else {
            *source[k - 1] =
                compile_slot_of_value(&x->t, &in->opd[k].v[0], ptx_type_bytes(in->type[0]));
        }
    }
    const sm_selector select = level->select[in->op];
    x->run.fn = select ? select(&x->t, in, &x->run) : NULL;
    if (!x->run.fn)
        return false;
    assert_true(compile_finish_reg_slots(&x->t));
    x->window = aligned_alloc(64, x->code.window_bytes);
    assert_non_null(x->window);
    memset(x->window, 0xa5, x->code.window_bytes);
    memcpy(x->window + x->code.const_offset, x->code.consts,
           x->code.window_bytes - x->code.const_offset);
    return true;
}

static uint32_t lanes_find_register(const lanes_insn *x, const char *name, uint32_t *bytes)
{
    for (uint32_t k = 0; k < x->func->reg_count; k++) {
        if (strcmp(x->func->regs[k].name, name) == 0) {
            *bytes = x->func->regs[k].type == PTX_pred            ? 0
                     : ptx_type_bytes(x->func->regs[k].type) == 8 ? 8
                                                                  : 4;
            return x->build.reg_slot[k];
        }
    }
    *bytes = 0;
    fail_msg("no register %s", name);
    return 0;
}

static void lanes_write_register(const lanes_insn *x, const char *name, const uint64_t v[SM_LANES])
{
    uint32_t bytes;
    const uint32_t slot = lanes_find_register(x, name, &bytes);
    uint32_t mask = 0;
    for (uint32_t l = 0; l < SM_LANES; l++) {
        mask |= (uint32_t)(v[l] & 1) << l;
        memcpy(x->window + slot + l * bytes, &v[l], bytes);
    }
    if (bytes == 0)
        memcpy(x->window + slot, &mask, 4);
}

static void lanes_read_register(const lanes_insn *x, const char *name, uint64_t v[SM_LANES])
{
    uint32_t bytes, mask;
    const uint32_t slot = lanes_find_register(x, name, &bytes);
    memcpy(&mask, x->window + slot, 4);
    for (uint32_t l = 0; l < SM_LANES; l++) {
        v[l] = bytes ? 0 : mask >> l & 1;
        memcpy(&v[l], x->window + slot + l * bytes, bytes);
    }
}

/* Execute the instruction in the lanes of MASK. *CARRY holds the carry flags of all lanes before
 * and after. */
static void lanes_run(lanes_insn *x, uint32_t mask, uint32_t *carry)
{
    static sm_warp w;
    memset(&w, 0, sizeof w);
    w.r = x->window;
    w.lanes = SM_FULL;
    w.carry = carry ? *carry : 0;
    sm_set_mask(&w, mask);
    const sm_insn code[2] = {x->run};
    assert_ptr_equal(code[0].fn(&w, &code[0]), &code[1]);
    if (carry)
        *carry = w.carry;
}

/* TEXT writes register D from A, B, C (NULL: absent). With every instruction set, with full and
 * partial masks, each active lane must have the result of REF, and every other lane its old
 * value. */
static void lanes_check(const char *text, const char *d, const char *a, const char *b,
                        const char *c, lanes_draw draw, lanes_ref ref)
{
    static const uint32_t masks[] = {SM_FULL, 0x00000001, 0x80000000, 0x0000ffff, 0x5a5a1234};
    for (const sm_handlers *const *level = lanes_levels(); *level; level++) {
        lanes_insn x;
        if (!lanes_prepare(&x, *level, text))
            fail_msg("%s: %s has no handler", text, (*level)->name);
        for (unsigned round = 0; round < 60; round++) {
            uint64_t v[3][SM_LANES], before[SM_LANES], got[SM_LANES];
            const char *name[3] = {a, b, c};
            const uint32_t mask = masks[round % 5];
            for (unsigned k = 0; k < 3; k++) {
                for (uint32_t l = 0; l < SM_LANES; l++) {
                    v[k][l] = draw();
                    v[k][l] &= name[k] && name[k][1] == 'h'   ? 0xffff
                               : name[k] && name[k][1] == 'd' ? UINT64_MAX
                               : name[k] && name[k][1] == 'p' ? 1
                                                              : 0xffffffff;
                }
                if (name[k])
                    lanes_write_register(&x, name[k], v[k]);
            }
            lanes_read_register(&x, d, before);
            lanes_run(&x, mask, NULL);
            lanes_read_register(&x, d, got);
            for (uint32_t l = 0; l < SM_LANES; l++) {
                const bool runs = mask >> l & 1;
                const uint64_t want = runs ? ref(v[0][l], v[1][l], v[2][l]) : before[l];
                if (got[l] != want) {
                    fail_msg("%s (%s, lane %u of 0x%08x): 0x%llx 0x%llx 0x%llx gave 0x%llx, "
                             "expected 0x%llx",
                             text, (*level)->name, l, mask, (unsigned long long)v[0][l],
                             (unsigned long long)v[1][l], (unsigned long long)v[2][l],
                             (unsigned long long)got[l], (unsigned long long)want);
                }
            }
        }
        lanes_free(&x);
    }
}

#endif
