/* Tests finding source variables in the debug information of nvcc -G: with a module as nvcc writes
 * it, and with damaged texts, which must not crash the reader. */
#include "emulator/debugger/step/dwarf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* nvcc -G -arch=sm_90 -ptx of
 *     __global__ void k(int *out, double by)
 *     {
 *         int t = threadIdx.x;
 *         for (int j = 0; j < 2; j++)
 *             out[t + j] = t * by;
 *     }
 * without comments, and with the bytes of several lines in one. */
/* clang-format off */
static const char module[] =
    ".version 9.0\n"
    ".target sm_90, debug\n"
    ".address_size 64\n"
    ".visible .entry _Z1kPid(\n"
    " .param .u64 _Z1kPid_param_0,\n"
    " .param .f64 _Z1kPid_param_1\n"
    ")\n"
    "{\n"
    " .reg .pred  %p<3>;\n"
    " .reg .b32  %r<10>;\n"
    " .reg .f64  %fd<4>;\n"
    " .reg .b64  %rd<5>;\n"
    " .loc 1 1 0\n"
    "$L__func_begin0:\n"
    " .loc 1 1 0\n"
    " ld.param.u64  %rd1, [_Z1kPid_param_0];\n"
    " ld.param.f64  %fd1, [_Z1kPid_param_1];\n"
    "$L__tmp0:\n"
    " .loc 1 3 5\n"
    " mov.u32  %r5, %tid.x;\n"
    " mov.b32  %r1, %r5;\n"
    "$L__tmp1:\n"
    " .loc 1 4 5\n"
    " mov.u32  %r6, 0;\n"
    " mov.b32  %r2, %r6;\n"
    "$L__tmp2:\n"
    " mov.u32  %r9, %r2;\n"
    "$L__tmp3:\n"
    " bra.uni  $L__BB0_1;\n"
    "$L__BB0_1:\n"
    " mov.u32  %r3, %r9;\n"
    "$L__tmp4:\n"
    " setp.lt.s32  %p1, %r3, 2;\n"
    " not.pred  %p2, %p1;\n"
    " @%p2 bra  $L__BB0_4;\n"
    " bra.uni  $L__BB0_2;\n"
    "$L__BB0_2:\n"
    "$L__tmp5:\n"
    " .loc 1 5 9\n"
    " cvt.rn.f64.s32  %fd2, %r1;\n"
    " mul.f64  %fd3, %fd2, %fd1;\n"
    " cvt.rzi.s32.f64  %r7, %fd3;\n"
    " add.s32  %r8, %r1, %r3;\n"
    " cvt.s64.s32  %rd2, %r8;\n"
    " shl.b64  %rd3, %rd2, 2;\n"
    " add.s64  %rd4, %rd1, %rd3;\n"
    " st.u32  [%rd4], %r7;\n"
    "$L__tmp6:\n"
    " .loc 1 4 28\n"
    " bra.uni  $L__BB0_3;\n"
    "$L__BB0_3:\n"
    " add.s32  %r4, %r3, 1;\n"
    "$L__tmp7:\n"
    " mov.u32  %r9, %r4;\n"
    "$L__tmp8:\n"
    " bra.uni  $L__BB0_1;\n"
    "$L__tmp9:\n"
    "$L__BB0_4:\n"
    " .loc 1 6 1\n"
    " ret;\n"
    "$L__tmp10:\n"
    "$L__func_end0:\n"
    "}\n"
    " .file 1 \"/stepw/h.cu\"\n"
    " .section .debug_loc\n"
    " {\n"
    ".b64 $L__tmp2\n"
    ".b64 $L__tmp3\n"
    ".b8 5,0,144,178,228,149,1\n"
    ".b64 $L__tmp3\n"
    ".b64 $L__tmp4\n"
    ".b8 5,0,144,185,228,149,1\n"
    ".b64 $L__tmp4\n"
    ".b64 $L__tmp7\n"
    ".b8 5,0,144,179,228,149,1\n"
    ".b64 $L__tmp7\n"
    ".b64 $L__tmp8\n"
    ".b8 5,0,144,180,228,149,1\n"
    ".b64 $L__tmp8\n"
    ".b64 $L__func_end0\n"
    ".b8 5,0,144,185,228,149,1\n"
    ".b64 0\n"
    ".b64 0\n"
    " }\n"
    " .section .debug_abbrev\n"
    " {\n"
    ".b8 1,17,1,37,8,19,5,3,8,16,6,27,8,17,1,0,0,2,46,1,17,1,18,1,64,10,135,64,8,3,8\n"
    ".b8 58,11,59,11,73,19,63,12,0,0,3,5,0,2,10,51,11,3,8,58,11,59,11,73,19,0,0,4,11\n"
    ".b8 1,17,1,18,1,0,0,5,52,0,2,10,51,11,3,8,58,11,59,11,73,19,0,0,6,52,0,2,6,3,8\n"
    ".b8 58,11,59,11,73,19,0,0,7,59,0,3,8,0,0,8,15,0,73,19,51,6,0,0,9,36,0,3,8,62,11\n"
    ".b8 11,11,0,0,0\n"
    " }\n"
    " .section .debug_info\n"
    " {\n"
    ".b32 229\n"
    ".b8 2,0\n"
    ".b32 .debug_abbrev\n"
    ".b8 8,1,108,103,101,110,102,101,58,32,69,68,71,32,54,46,54,0,4,0,104,46,99,117,0\n"
    ".b32 .debug_line\n"
    ".b8 47,116,109,112,47,115,116,101,112,119,0\n"
    ".b64 0\n"
    ".b8 2\n"
    ".b64 $L__func_begin0\n"
    ".b64 $L__func_end0\n"
    ".b8 1,156,95,90,49,107,80,105,100,0,107,0,1,1\n"
    ".b32 200\n"
    ".b8 1,3,9,3\n"
    ".b64 _Z1kPid_param_0\n"
    ".b8 7,111,117,116,0,1,1\n"
    ".b32 206\n"
    ".b8 3,6,144,177,200,153,171,2,2,98,121,0,1,1\n"
    ".b32 222\n"
    ".b8 4\n"
    ".b64 $L__tmp0\n"
    ".b64 $L__tmp10\n"
    ".b8 5,5,144,177,228,149,1,2,116,0,1,3\n"
    ".b32 215\n"
    ".b8 4\n"
    ".b64 $L__tmp1\n"
    ".b64 $L__tmp9\n"
    ".b8 6\n"
    ".b32 .debug_loc\n"
    ".b8 106,0,1,4\n"
    ".b32 215\n"
    ".b8 0,0,0,7,118,111,105,100,0,8\n"
    ".b32 215\n"
    ".b32 12\n"
    ".b8 9,105,110,116,0,5,4,9,100,111,117,98,108,101,0,4,8,0\n"
    " }\n";
/* clang-format on */

static const dwarf_variable *find_variable(const dwarf_table *t, const char *name)
{
    for (uint32_t k = 0; k < t->count; k++)
        if (strcmp(t->list[k].name, name) == 0)
            return &t->list[k];
    fail_msg("the debug information has no variable %s", name);
    return NULL;
}

static void test_variables(void **state)
{
    (void)state;
    dwarf_table *t = dwarf_read(module);
    assert_non_null(t);
    assert_int_equal(t->count, 4);
    const dwarf_variable *out = find_variable(t, "out"), *by = find_variable(t, "by"),
                         *tid = find_variable(t, "t");
    const dwarf_variable *j = find_variable(t, "j");
    assert_string_equal(out->function, "_Z1kPid");
    assert_string_equal(out->type, "pointer");
    assert_true(out->bytes == 8 && out->encoding == 0 && out->location_count == 1);
    assert_string_equal(out->locations[0].symbol, "_Z1kPid_param_0");
    assert_string_equal(by->type, "double");
    assert_true(by->bytes == 8 && by->encoding == DWARF_FLOAT);
    assert_string_equal(tid->type, "int");
    assert_true(tid->bytes == 4 && tid->encoding == DWARF_SIGNED && tid->location_count >= 1);
    assert_true(tid->locations[0].reg[0] == '%' && tid->locations[0].reg[1] == 'r');
    assert_true(j->from > tid->from && j->to <= tid->to && j->from < j->to);
    assert_true(j->location_count >= 1);
    for (uint32_t k = 0; k < j->location_count; k++)
        assert_true(j->locations[k].from < j->locations[k].to && j->locations[k].reg[0] == '%');
    dwarf_free(t);
}

static void test_modules_without_variables(void **state)
{
    (void)state;
    assert_null(dwarf_read(""));
    assert_null(dwarf_read(".version 8.0\n.visible .entry k()\n{\nret;\n}\n"));
    assert_null(dwarf_read(".section .debug_info\n{\n.b8 1,2,3\n}\n"));
    dwarf_free(NULL);
}

/* Read the text truncated at every length, and texts with one character changed. */
static void test_damaged_debug_information(void **state)
{
    (void)state;
    static char text[sizeof module];
    uint32_t seed = 1;
    for (size_t n = 0; n < sizeof module; n += 7) {
        memcpy(text, module, n);
        text[n] = '\0';
        dwarf_free(dwarf_read(text));
    }
    for (uint32_t k = 0; k < 2000; k++) {
        memcpy(text, module, sizeof module);
        for (uint32_t n = 0; n < 3; n++) {
            seed = seed * 1664525 + 1013904223;
            text[(seed >> 8) % (sizeof module - 1)] = "0123456789,.$ x"[seed % 15];
        }
        dwarf_free(dwarf_read(text));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_variables),
        cmocka_unit_test(test_modules_without_variables),
        cmocka_unit_test(test_damaged_debug_information),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
