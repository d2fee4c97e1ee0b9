/* Tests every form of inline PTX in the CUDA toolkit's headers for sm_75 to sm_90, and some invalid
 * forms (tests/ptx/forms.txt). Each form becomes a kernel of one instruction with matching
 * registers; the kernel must be translated, or be refused with the instruction's name. */
#include "emulator/compile/program.h"
#include "emulator/compile/ptxas/contract.h"
#include "emulator/core/sm.h"
#include "emulator/exec/level.h"
#include "emulator/memory/memory.h"
#include "emulator/ptx/names.h"
#include "emulator/ptx/sheet.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TEXT_BYTES 4096

typedef struct test_kernel {
    char regs[TEXT_BYTES];     /* PTX that declares the registers */
    char operands[TEXT_BYTES]; /* operands of the instruction */
    unsigned count;            /* number of registers declared so far */
} test_kernel;

static const char *register_type(ptx_type t)
{
    switch (ptx_type_bytes(t)) {
    case 1:
    case 2: return "b16";
    case 8: return t == PTX_f64 ? "f64" : "b64";
    case 16: return "b128";
    default: return t == PTX_pred ? "pred" : t == PTX_f32 ? "f32" : "b32";
    }
}

static void put_register(test_kernel *k, ptx_type t)
{
    const size_t at = strlen(k->regs), to = strlen(k->operands);
    snprintf(k->regs + at, TEXT_BYTES - at, ".reg .%s x%u;\n", register_type(t), k->count);
    snprintf(k->operands + to, TEXT_BYTES - to, "x%u", k->count++);
}

static void put_text(test_kernel *k, const char *text)
{
    strncat(k->operands, text, TEXT_BYTES - strlen(k->operands) - 1);
}

/* The parts of a mnemonic that determine its operands: types, vector size, and width. */
typedef struct mnemonic_parts {
    ptx_type type[PTX_MAX_TYPES]; /* types of the mnemonic */
    unsigned types, vec;          /* number of types; vector width */
    bool wide;                    /* has the modifier .wide */
} mnemonic_parts;

static mnemonic_parts read_mnemonic(const char *mnemonic)
{
    mnemonic_parts w = {.vec = 1};
    for (const char *p = mnemonic; p;) {
        const char *end = strchr(p, '.');
        const size_t len = end ? (size_t)(end - p) : strlen(p);
        unsigned value;
        const ptx_word_kind kind = ptx_word_find(p, len, &value);
        if (kind == PTX_WORD_TYPE && w.types < PTX_MAX_TYPES)
            w.type[w.types++] = (ptx_type)value;
        w.vec = kind == PTX_WORD_VEC ? value : w.vec;
        w.wide |= len == 4 && memcmp(p, "wide", 4) == 0;
        p = end ? end + 1 : NULL;
    }
    return w;
}

static ptx_type double_width_type(ptx_type t)
{
    return t == PTX_u32 ? PTX_u64 : t == PTX_s32 ? PTX_s64 : t == PTX_u16 ? PTX_u32 : PTX_s32;
}

static void put_operand(test_kernel *k, const ptx_operand_form *s, const mnemonic_parts *w,
                        bool number)
{
    ptx_type t = w->types ? w->type[0] : PTX_b32;
    if (s->role == PTX_ROLE_MEMORY) {
        put_text(k, "[ad]");
        return;
    }
    if (number) {
        put_text(k, "1");
        return;
    }
    if (s->want == PTX_WANT_TYPE)
        t = s->type;
    else if (s->want == PTX_WANT_NTH && s->nth < w->types)
        t = w->type[s->nth];
    else if (s->want == PTX_WANT_WIDE && w->wide)
        t = double_width_type(t);
    if (s->pair && s->want == PTX_WANT_ANY) {
        put_register(k, t);
        put_text(k, "|");
        put_register(k, PTX_pred);
        return;
    }
    if (w->vec == 1 || s->want == PTX_WANT_TYPE) {
        put_register(k, t);
        return;
    }
    put_text(k, "{");
    for (unsigned e = 0; e < w->vec; e++) {
        put_register(k, t);
        put_text(k, e + 1 < w->vec ? ", " : "}");
    }
}

/* A kernel with MNEMONIC and COUNT operands; NUMBER: the last one is an immediate. */
static ptx_module *build_module(const char *mnemonic, unsigned count, bool number, ptx_error *err)
{
    size_t used;
    const ptx_row *r = ptx_row_of_op(ptx_op_find(mnemonic, strlen(mnemonic), &used));
    const mnemonic_parts w = read_mnemonic(mnemonic);
    test_kernel *k = calloc(1, sizeof *k);
    char *text = malloc(4 * TEXT_BYTES);
    assert_non_null(k);
    assert_non_null(text);
    for (unsigned i = 0; i < count; i++) {
        put_text(k, i ? ", " : "");
        put_operand(k, &r->shape[i], &w, number && i + 1 == count);
    }
    const int n = snprintf(text, 4 * TEXT_BYTES,
                           ".version 9.0\n.target sm_90\n.address_size 64\n"
                           ".visible .entry f() {\n.reg .b64 ad;\n%s%s %s;\nret; }\n",
                           k->regs, mnemonic, k->operands);
    ptx_module *m = ptx_parse(text, (size_t)n, err);
    free(k);
    free(text);
    return m;
}

/* Return true if the module can be translated; else *ERR says why. */
static bool can_translate(ptx_module *m, ptx_error *err)
{
    const ptx_func *f = ptx_find_func(m, "f");
    if (!compile_contract_to_fma(m) || !ptx_check(m, f, err))
        return false;
    sm_program *p = compile_load_program(m, (const uint64_t[]){0}, NULL, exec_handlers());
    assert_non_null(p);
    compile_kernel_info info;
    sm_fault fault = {0};
    const bool good = compile_describe_kernel(p, f, &info, &fault);
    snprintf(err->text, sizeof err->text, "%.*s", (int)sizeof err->text - 1, fault.text);
    compile_unload_program(p);
    return good;
}

/* Return true if MNEMONIC can be translated with its required operands, with all operands, or with
 * an immediate as the last operand. */
static bool can_translate_somehow(const char *mnemonic, ptx_error *first)
{
    size_t used;
    const ptx_row *r = ptx_row_of_op(ptx_op_find(mnemonic, strlen(mnemonic), &used));
    for (unsigned count = r->required; count <= r->shape_count; count++) {
        for (unsigned number = 0; number < 2; number++) {
            ptx_error err = {0};
            ptx_module *m = build_module(mnemonic, count, number, &err);
            const bool good = m && can_translate(m, &err);
            ptx_free(m);
            if (good)
                return true;
            if (count == r->required && !number)
                *first = err;
        }
    }
    return false;
}

static unsigned form_count, wrong; /* forms tested; forms with a wrong result */

/* Test one form; a "!" before the form means that it must be refused. */
static void check_form(const char *form)
{
    const bool legal = *form != '!';
    const char *mnemonic = legal ? form : form + 1;
    ptx_error err = {0};
    const bool good = can_translate_somehow(mnemonic, &err);
    const bool named = legal || strstr(err.text, mnemonic);
    form_count++;
    if (good != legal || !named) {
        wrong++;
        print_message("%s: %s\n", form, good ? "it is translated, but must be refused" : err.text);
    }
}

/* Expand a line into forms: "a.{b c}.d" means a.b.d and a.c.d. */
static void check_forms_of_line(const char *line)
{
    const char *open = strchr(line, '{');
    if (!open) {
        check_form(line);
        return;
    }
    const char *close = strchr(open, '}');
    assert_non_null(close);
    for (const char *p = open + 1; p < close;) {
        const size_t len = strcspn(p, " }");
        char text[TEXT_BYTES];
        snprintf(text, sizeof text, "%.*s%.*s%s", (int)(open - line), line, (int)len, p, close + 1);
        check_forms_of_line(text);
        p += len + (p[len] == ' ');
    }
}

static void test_all_forms(void **state)
{
    (void)state;
    FILE *f = fopen("tests/ptx/forms.txt", "r");
    assert_non_null(f);
    char line[TEXT_BYTES];
    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        if (*line && *line != '#')
            check_forms_of_line(line);
    }
    fclose(f);
    print_message("%u forms\n", form_count);
    assert_true(form_count > 1000);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    mem_reserve_window(UINT64_C(1) << 30);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_forms)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
