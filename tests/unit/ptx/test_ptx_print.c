/* Tests that printing a parsed module and parsing it again gives the same module, for a corpus of
 * PTX and for damaged parts of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "emulator/ptx/ptx.h"
#include "ptx_print.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

typedef struct text {
    char *s;    /* the text, which the owner frees */
    size_t len; /* length in bytes */
} text;

static text read_file(const char *path)
{
    text t = {malloc(1 << 20), 0};
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    assert_non_null(t.s);
    t.len = fread(t.s, 1, 1 << 20, f);
    fclose(f);
    return t;
}

static text print_module(const ptx_module *m)
{
    text t = {NULL, 0};
    FILE *f = open_memstream(&t.s, &t.len);
    assert_non_null(f);
    ptx_print(f, m);
    fclose(f);
    return t;
}

static ptx_module *parse_file(const char *path, const text *t)
{
    ptx_error err;
    ptx_module *m = ptx_parse(t->s, t->len, &err);
    if (!m)
        print_error("%s: %s\n", path, err.text);
    assert_non_null(m);
    return m;
}

/* Compare two values; names may change when scopes are flattened, but values may not. */
static void assert_same_value(const ptx_value *a, const ptx_value *b)
{
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->negate, b->negate);
    assert_int_equal(a->select, b->select);
    assert_int_equal(a->sreg, b->sreg);
    assert_int_equal(a->offset, b->offset);
    switch (a->kind) {
    case PTX_VAL_IMM: assert_int_equal(a->imm, b->imm); break;
    case PTX_VAL_REG: assert_int_equal(a->reg, b->reg); break;
    case PTX_VAL_LABEL: assert_int_equal(a->target, b->target); break;
    case PTX_VAL_FUNC: assert_string_equal(a->func->name, b->func->name); break;
    case PTX_VAL_PROTO:
        assert_int_equal(a->func->param_bytes, b->func->param_bytes);
        assert_int_equal(a->func->ret_bytes, b->func->ret_bytes);
        break;
    case PTX_VAL_VAR:
        assert_int_equal(a->var->space, b->var->space);
        assert_int_equal(a->var->size, b->var->size);
        assert_int_equal(a->var->align, b->var->align);
        assert_int_equal(a->var->scope == NULL, b->var->scope == NULL);
        break;
    default: break;
    }
}

static void assert_same_insn(const ptx_module *m, const ptx_insn *a, const ptx_module *n,
                             const ptx_insn *b)
{
    char where_a[80], where_b[80];
    assert_int_equal(a->op, b->op);
    assert_string_equal(a->text, b->text);
    assert_int_equal(a->guard, b->guard);
    assert_int_equal(a->guard_negate, b->guard_negate);
    assert_int_equal(a->type_count, b->type_count);
    assert_memory_equal(a->type, b->type, sizeof a->type);
    assert_int_equal(a->space, b->space);
    assert_int_equal(a->space2, b->space2);
    assert_int_equal(a->vec, b->vec);
    assert_memory_equal(a->mods, b->mods, sizeof a->mods);
    assert_int_equal(a->operand_count, b->operand_count);
    for (unsigned i = 0; i < a->operand_count; i++) {
        const ptx_operand *o = &a->opd[i], *q = &b->opd[i];
        assert_int_equal(o->memory, q->memory);
        assert_int_equal(o->vector, q->vector);
        assert_int_equal(o->lead, q->lead);
        assert_int_equal(o->count, q->count);
        for (unsigned k = 0; k < o->count; k++)
            assert_same_value(&o->v[k], &q->v[k]);
        assert_same_value(&o->second, &q->second);
    }
    assert_int_equal(a->target_count, b->target_count);
    for (unsigned i = 0; i < a->target_count; i++)
        assert_int_equal(a->targets[i], b->targets[i]);
    if (a->loc) {
        assert_string_equal(ptx_source_position(m, a, where_a, sizeof where_a),
                            ptx_source_position(n, b, where_b, sizeof where_b));
    }
}

static void assert_same_module(const ptx_module *m, const ptx_module *n)
{
    for (uint32_t i = 0; i < m->func_count; i++) {
        const ptx_func *f = m->funcs[i], *g = f->is_proto ? f : ptx_find_func(n, f->name);
        assert_non_null(g);
        assert_int_equal(f->insn_count, g->insn_count);
        assert_int_equal(f->reg_count, g->reg_count);
        assert_int_equal(f->param_bytes, g->param_bytes);
        assert_memory_equal(f->maxntid, g->maxntid, sizeof f->maxntid);
        for (uint32_t k = 0; k < f->insn_count; k++)
            assert_same_insn(m, &f->insns[k], n, &g->insns[k]);
    }
    for (uint32_t i = 0; i < m->var_count; i++) {
        const ptx_var *v = m->vars[i];
        if (v->scope)
            continue;
        const ptx_var *w = ptx_find_var(n, v->name);
        assert_non_null(w);
        assert_int_equal(v->size, w->size);
        assert_int_equal(v->is_managed, w->is_managed);
        assert_int_equal(v->init_size, w->init_size);
        if (v->init_size)
            assert_memory_equal(v->init, w->init, v->init_size);
        assert_int_equal(v->reloc_count, w->reloc_count);
    }
}

static void corpus_is_a_fixed_point(void **state)
{
    (void)state;
    glob_t files;
    assert_int_equal(glob("tests/ptx/corpus/*.ptx", 0, NULL, &files), 0);
    assert_true(files.gl_pathc >= 20);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        const char *path = files.gl_pathv[i];
        text source = read_file(path);
        ptx_module *m = parse_file(path, &source);
        text once = print_module(m);
        ptx_module *n = parse_file(path, &once);
        text twice = print_module(n);
        /* an unknown instruction has lost its operands */
        assert_same_module(m, n);
        assert_string_equal(once.s, twice.s);
        ptx_free(m);
        ptx_free(n);
        free(source.s);
        free(once.s);
        free(twice.s);
    }
    globfree(&files);
}

static void scopes_are_flattened(void **state)
{
    (void)state;
    static const char source[] =
        ".version 9.0 .target sm_90 .address_size 64\n.global .b32 x;\n"
        ".entry k() { .reg .b32 r; { .reg .b32 r; .shared .b32 x; mov.u32 r, x;"
        " { .reg .b32 r, r$1; mov.u32 r, r$1; } } mov.u64 r, x; }\n";
    ptx_error err;
    ptx_module *m = ptx_parse(source, sizeof source - 1, &err);
    assert_non_null(m);
    text t = print_module(m);
    assert_non_null(strstr(t.s, "    .reg .b32 r, r$2, r$3, r$1;\n"));
    assert_non_null(
        strstr(t.s, "    mov.u32 r$2, x$1;\n    mov.u32 r$3, r$1;\n    mov.u64 r, x;\n"));
    free(t.s);
    ptx_free(m);
}

static void test_one_instruction(void **state)
{
    (void)state;
    static const char *const insn[] = {
        "@!%p1 ld.global.nc.v2.f32 {%f1, _}, [%rd1-8];",
        "setp.lt.and.s32 %p1|%p2, %r1, -5, !%p3;",
        "add.rn.f32 %f1, %f2, 0fBFC00000;",
        "fma.rn.f16 %h1, %h1, %h1, 0f3F800000;",
        "mov.u32 %r1, %tid.x;",
        "mov.b64 {%r1, %r2}, %rd1;",
        "bar.sync 0;",
        "ret;",
    };
    for (size_t i = 0; i < sizeof insn / sizeof *insn; i++) {
        char source[512], *out = NULL;
        size_t len;
        snprintf(source, sizeof source,
                 ".version 9.0 .target sm_90 .entry k() { .reg .pred %%p<4>; .reg .b16 %%h<2>;"
                 " .reg .b32 %%r<4>; .reg .f32 %%f<4>; .reg .b64 %%rd<4>;\n%s }",
                 insn[i]);
        ptx_error err;
        ptx_module *m = ptx_parse(source, strlen(source), &err);
        if (!m)
            print_error("%s\n", err.text);
        assert_non_null(m);
        FILE *f = open_memstream(&out, &len);
        ptx_print_insn(f, m, m->funcs[0], m->funcs[0]->insns);
        fclose(f);
        assert_string_equal(out, insn[i]);
        free(out);
        ptx_free(m);
    }
}

/* A text truncated at any byte is parsed or refused with a message. */
static void test_truncated_text(void **state)
{
    (void)state;
    text t = read_file("tests/ptx/corpus/reduction.ptx");
    size_t refusals = 0;
    for (size_t n = 0; n <= t.len; n++) {
        /* An allocation of the exact size, so that a sanitizer detects overruns. */
        char *copy = malloc(n ? n : 1);
        assert_non_null(copy);
        memcpy(copy, t.s, n);
        ptx_error err;
        ptx_module *m = ptx_parse(copy, n, &err);
        if (!m) {
            assert_true(err.text[0] && err.kind);
            refusals++;
        }
        ptx_free(m);
        free(copy);
    }
    assert_true(refusals > t.len / 2);
    free(t.s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corpus_is_a_fixed_point),
        cmocka_unit_test(scopes_are_flattened),
        cmocka_unit_test(test_one_instruction),
        cmocka_unit_test(test_truncated_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
