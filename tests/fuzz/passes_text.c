#include "passes_text.h"

#include "fuzz.h"

#include <stdbool.h>

static FILE *ptx_output;
static unsigned label_count; /* labels written so far: makes their names unique */
static bool inside; /* the code being written is in a branch or loop: lanes may have diverged */

#define say(...) fprintf(ptx_output, __VA_ARGS__)

static bool random_percent(unsigned percent)
{
    return fuzz_random_below(100) < percent;
}

static unsigned random_below(unsigned n)
{
    return (unsigned)fuzz_random_below(n);
}

static const char *random_choice(const char *const *list, size_t count)
{
    return list[fuzz_random_below(count)];
}
#define ONE_OF(...)                                   \
    random_choice((const char *const[]){__VA_ARGS__}, \
                  sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *))

/* How many registers of each kind: R of %r (32 bits), D of %d (64 bits), H of %h (16 bits), F of %f
 * (single precision), P of %p (predicates), A of %a (addresses). */
enum { R = 12, D = 4, H = 4, F = 4, P = 4, A = 5, DEPTH = 3 };

static void write_guard(unsigned percent)
{
    if (random_percent(percent))
        say("@%s%%p%u ", random_percent(50) ? "!" : "", random_below(P));
}

static void write_source32(void)
{
    switch (random_below(6)) {
    case 0: say("%d", (int)fuzz_random() >> random_below(32)); break;
    case 1: say("%s", ONE_OF("%tid.x", "%ctaid.x", "%ntid.x", "%laneid", "WARP_SZ")); break;
    default: say("%%r%u", random_below(R));
    }
}

static void write_arithmetic(void)
{
    write_guard(25);
    switch (random_below(14)) {
    case 0:
        say("mov.b32 %%r%u, ", random_below(R));
        write_source32();
        break;
    case 1:
        say("mad.lo.u32 %%r%u, %%r%u, %%r%u, %%r%u", random_below(R), random_below(R),
            random_below(R), random_below(R));
        break;
    case 2:
        say("%s %%r%u, %%r%u, %u", ONE_OF("shl.b32", "shr.u32", "shr.s32"), random_below(R),
            random_below(R), random_below(33));
        break;
    case 3:
        say("selp.b32 %%r%u, %%r%u, %%r%u, %%p%u", random_below(R), random_below(R),
            random_below(R), random_below(P));
        break;
    case 4:
        say("mov.b64 %%d%u, {%%r%u, %%r%u}", random_below(D), random_below(R), random_below(R));
        break;
    case 5:
        say("mov.b64 {%%r%u, %%r%u}, %%d%u", random_below(R / 2), R / 2 + random_below(R / 2),
            random_below(D));
        break;
    case 6:
        say("%s %%d%u, %%d%u, %%d%u", ONE_OF("add.s64", "mul.lo.u64", "xor.b64", "max.s64"),
            random_below(D), random_below(D), random_below(D));
        break;
    case 7:
        say("mul.wide.%s %%d%u, %%r%u, %%r%u", ONE_OF("u32", "s32"), random_below(D),
            random_below(R), random_below(R));
        break;
    case 8:
        say("%s %%h%u, %%h%u, %%h%u", ONE_OF("add.u16", "mul.lo.s16", "and.b16"), random_below(H),
            random_below(H), random_below(H));
        break;
    case 9:
        say("%s %%f%u, %%f%u, %%f%u", ONE_OF("add.rn.f32", "mul.rn.f32", "min.f32"),
            random_below(F), random_below(F), random_below(F));
        break;
    case 10:
        say("cvt.%s %%r%u, %%h%u", ONE_OF("u32.u16", "s32.s16"), random_below(R), random_below(H));
        break;
    case 11:
        switch (random_below(4)) {
        case 0: say("cvt.u16.u32 %%h%u, %%r%u", random_below(H), random_below(R)); break;
        case 1: say("cvt.rn.f32.s32 %%f%u, %%r%u", random_below(F), random_below(R)); break;
        case 2: say("mov.u64 %%d%u, tile", random_below(D)); break;
        default: say("ld.param.u32 %%r%u, [k_2+%u]", random_below(R), 4 * random_below(2));
        }
        break;
    case 12:
        say("%s %%r%u, %%r%u", ONE_OF("not.b32", "popc.b32", "neg.s32", "brev.b32"),
            random_below(R), random_below(R));
        break;
    default:
        say("%s %%r%u, %%r%u, ",
            ONE_OF("add.s32", "sub.s32", "mul.lo.s32", "mul.hi.u32", "and.b32", "or.b32", "xor.b32",
                   "min.s32", "max.u32"),
            random_below(R), random_below(R));
        write_source32();
    }
    say(";\n");
}

static void write_predicate(void)
{
    write_guard(15);
    switch (random_below(4)) {
    case 0:
        say("setp.%s.u32 %%p%u|%%p%u, %%r%u, ", ONE_OF("lt", "eq"), 0u, 1 + random_below(P - 1),
            random_below(R));
        break;
    case 1:
        say("setp.%s.and.s32 %%p%u, %%r%u, ", ONE_OF("lt", "ne"), random_below(P), random_below(R));
        write_source32();
        say(", %%p%u;\n", random_below(P));
        return;
    case 2: /* different for each lane */
        say("setp.%s.u32 %%p%u, %%lane, %u;\n", ONE_OF("lt", "ge", "eq"), random_below(P),
            random_below(33));
        return;
    default:
        say("setp.%s.s32 %%p%u, %%r%u, ", ONE_OF("lt", "ge", "eq", "ne"), random_below(P),
            random_below(R));
    }
    write_source32();
    say(";\n");
}

/* Alignment of the addresses in the %a and %g registers. */
static const unsigned address_alignment[A] = {4, 4, 16, 1, 8};

/* Write code that stores each lane's offset in %t0: in a pattern for which the emulator has a fast
 * path, or in another pattern. */
static void write_access_pattern(unsigned align)
{
    const unsigned step = align << random_below(3);
    switch (random_below(9)) {
    case 0:
    case 1: say("mul.lo.u32 %%t0, %%lane, %u;\n", align); break;
    case 2: say("mul.lo.u32 %%t0, %%lane, %u;\n", step); break;
    case 3: say("mov.u32 %%t0, %u;\n", random_below(64) * align); break;
    case 4: /* rows of eight contiguous lanes */
        say("shr.u32 %%t0, %%lane, 3;\nand.b32 %%t1, %%lane, 7;\nmul.lo.u32 %%t1, %%t1, %u;\n"
            "mad.lo.u32 %%t0, %%t0, %u, %%t1;\n",
            align, align * (8 + random_below(40)));
        break;
    case 5: /* rows of eight lanes with the same address */
        say("shr.u32 %%t0, %%lane, 3;\nmul.lo.u32 %%t0, %%t0, %u;\n", align * random_below(40));
        break;
    case 6: /* descending */
        say("sub.u32 %%t0, 31, %%lane;\nmul.lo.u32 %%t0, %%t0, %u;\n", step);
        break;
    case 7:
        say("and.b32 %%t0, %%lane, %u;\nmul.lo.u32 %%t0, %%t0, %u;\n", random_below(32), align);
        break;
    default: say("mul.lo.u32 %%t0, %%r%u, %u;\n", random_below(R), align);
    }
    if (random_percent(20))
        say("xor.b32 %%t0, %%t0, %u;\n", align * random_below(64));
}

/* Write code that stores a new address in %a, in %w (the address of %a minus 4096) or in %g. */
static void write_address_change(void)
{
    const unsigned k = random_below(A), align = address_alignment[k];
    write_access_pattern(align);
    if (random_percent(50)) {
        say("and.b32 %%t0, %%t0, %u;\n", 2047 & ~(align - 1));
        write_guard(20);
        say("add.u32 %%a%u, %%t0, 512;\n", k);
        if (k == 0)
            say("sub.u32 %%w, %%a0, 4096;\n");
        return;
    }
    say("and.b32 %%t0, %%t0, %u;\n", 16383 & ~(align - 1));
    if (random_percent(15) && k == 0) { /* some lanes use another allocation */
        say("and.b32 %%t0, %%t0, 2047;\nld.param.u64 %%e0, [k_1];\nadd.s64 %%e0, %%e0, 4096;\n"
            "selp.b64 %%e0, %%e0, %%base, %%p%u;\n",
            random_below(P));
    } else {
        say("mov.b64 %%e0, %%base;\n");
    }
    say("cvt.u64.u32 %%e1, %%t0;\n");
    write_guard(20);
    say("add.s64 %%g%u, %%e0, %%e1;\n", k);
}

/* Write code that advances an address by a small step: the compiler's passes must not merge loads
 * and stores across this step. */
static void write_address_step(void)
{
    const unsigned k = random_below(A);
    write_guard(25);
    switch (random_below(4)) {
    case 0: say("xor.b32 %%a%u, %%a%u, %u;\n", k, k, 16u << random_below(5)); break;
    case 1: say("xor.b64 %%g%u, %%g%u, %u;\n", k, k, 16u << random_below(5)); break;
    case 2: say("mov.b32 %%a1, %%a0;\n"); break;
    default: say("mov.b64 {%%a0, %%a1}, %%both;\n");
    }
}

typedef struct element {
    const char *type, *reg; /* PTX type; letter of its registers */
    unsigned bytes, regs;   /* bytes of an element; number of such registers */
} element;

static const element elements[] = {
    {"u32", "r", 4, R}, {"b32", "r", 4, R}, {"f32", "f", 4, F}, {"u64", "d", 8, D},
    {"u16", "h", 2, H}, {"s16", "r", 2, R}, {"u8", "r", 1, R},  {"s8", "h", 1, H},
    {"s32", "d", 4, D}, {"b64", "d", 8, D},
};

static void write_operand(const element *e, unsigned vec)
{
    if (vec == 1) {
        say("%%%s%u", e->reg, random_below(e->regs));
        return;
    }
    const unsigned first = random_below(e->regs);
    say("{");
    for (unsigned k = 0; k < vec; k++)
        say("%s%%%s%u", k ? ", " : "", e->reg, (first + k) % e->regs);
    say("}");
}

/* Some consecutive loads and stores, mostly with the same address register. */
static void write_accesses(void)
{
    unsigned k = random_below(A);
    bool shared = random_percent(50);
    for (unsigned n = 1 + random_below(4); n; n--) {
        if (random_percent(20)) {
            k = random_below(A);
            shared = random_percent(50);
        }
        const element *e = &elements[k == 3 ? 6 + random_below(2)
                                            : random_below(sizeof elements / sizeof *elements)];
        if (e->bytes > address_alignment[k])
            e = &elements[random_below(3)];
        unsigned vec = 1u << random_below(3);
        vec = e->bytes * vec > address_alignment[k] || e->regs < vec ? 1 : vec;
        const unsigned bytes = e->bytes * vec;
        const int at = ((int)random_below(1024) - 512) / (int)bytes * (int)bytes;
        const bool load = random_percent(55);
        const char *base = "a", *space = ".shared";
        char reg[16];
        if (!shared) {
            base = "g";
            space = random_percent(20) ? "" : ".global";
        }
        snprintf(reg, sizeof reg, "%%%s%u", base, k);
        int bias = 0;
        if (shared && k == 0 && random_percent(20)) {
            snprintf(reg, sizeof reg, "%%w");
            bias = 4096;
            /* Access shared memory by a generic address, with some lanes in global memory. */
        } else if (shared && random_percent(15)) {
            say("cvt.u64.u32 %%e0, %%a%u;\ncvta.shared.u64 %%e0, %%e0;\n", k);
            if (random_percent(50))
                say("selp.b64 %%e0, %%e0, %%g%u, %%p%u;\n", k, random_below(P));
            snprintf(reg, sizeof reg, "%%e0");
            space = "";
        } else if (shared && random_percent(15)) {
            snprintf(reg, sizeof reg, "tile");
            bias = 1024;
        }
        const char *how = random_percent(8)                                 ? ".volatile"
                          : !shared && load && *space && random_percent(15) ? ".nc"
                          : !shared && load && *space && random_percent(10) ? ".cg"
                                                                            : "";
        write_guard(15);
        say("%s", load ? "ld" : "st");
        if (how[1] == 'v')
            say("%s%s", how, space);
        else
            say("%s%s", space, how);
        if (vec > 1)
            say(".v%u", vec);
        say(".%s ", e->type);
        if (load) {
            write_operand(e, vec);
            say(", ");
        }
        say("[%s+%d]", reg, at + bias);
        if (!load) {
            say(", ");
            write_operand(e, vec);
        }
        say(";\n");
        if (random_percent(15))
            write_address_step();
    }
}

static void write_atomic(void)
{
    const char *op = ONE_OF("add.u32", "min.s32", "exch.b32", "or.b32", "inc.u32");
    const bool shared = random_percent(50), red = random_percent(40) && op[0] != 'e';
    write_guard(20);
    say("%s%s.%s ", red ? "red" : "atom", shared ? ".shared" : ".global", op);
    if (!red)
        say("%%r%u, ", random_below(R));
    say("[%%%s%u+%u], ", shared ? "a" : "g", random_below(2), 4 * random_below(32));
    write_source32();
    say(";\n");
}

static void write_shared_accesses(void)
{
    switch (random_below(5)) {
    case 0:
        write_guard(15);
        say("st.local.u32 [own+%u], %%r%u;\n", 4 * random_below(32), random_below(R));
        break;
    case 1:
        say("and.b32 %%t0, %%r%u, 124;\nmov.u32 %%t1, own;\nadd.u32 %%t1, %%t1, %%t0;\n",
            random_below(R));
        write_guard(15);
        say("%s", random_percent(50) ? "ld.local.u32 %r2, [%t1];\n" : "st.local.u32 [%t1], %r3;\n");
        break;
    case 2:
        write_guard(15);
        say("ld.const.u32 %%r%u, [table+%u];\n", random_below(R), 4 * random_below(64));
        break;
    case 3:
        say("and.b32 %%t0, %%r%u, 252;\ncvt.u64.u32 %%e0, %%t0;\nmov.u64 %%e1, table;\n"
            "add.s64 %%e0, %%e0, %%e1;\n",
            random_below(R));
        write_guard(15);
        say("ld.const.u32 %%r%u, [%%e0];\n", random_below(R));
        break;
    default:
        write_guard(15);
        say("ld.local.u32 %%r%u, [own+%u];\n", random_below(R), 4 * random_below(32));
    }
}

static void write_call(void)
{
    if (random_percent(50)) {
        say("{\n.param .b32 got;\n.param .b32 arg;\nst.param.b32 [arg], %%r%u;\n"
            "call (got), f, (arg);\nld.param.b32 %%r%u, [got];\n}\n",
            random_below(R), random_below(R));
        return;
    }
    write_guard(25);
    say("call (%%r%u), g, (%%r%u, %%r%u);\n", random_below(R), random_below(R), random_below(R));
}

/* Write code that all threads of the block execute. */
static void write_block_wide_code(void)
{
    switch (random_below(4)) {
    case 0: say("bar.sync 0;\n"); break;
    case 1:
        say("shfl.sync.%s.b32 %%r%u|%%p%u, %%r%u, %u, 31, -1;\n", ONE_OF("bfly", "idx"),
            random_below(R), random_below(P), random_below(R), random_below(32));
        break;
    case 2:
        say("vote.sync.ballot.b32 %%r%u, %%p%u, -1;\n", random_below(R), random_below(P));
        break;
    default: say("setp.eq.u32 %%p0, %%lane, %u;\n@%%p0 exit;\n", random_below(64));
    }
}

static void write_statements(unsigned depth, unsigned count);

static void write_branch(unsigned depth)
{
    const unsigned l = label_count++;
    const bool was = inside;
    inside = true;
    if (random_percent(20)) {
        say("and.b32 %%t0, %%r%u, 3;\nL%ua: .branchtargets L%ub, L%uc, L%ud, L%uc;\n"
            "brx.idx %%t0, L%ua;\n",
            random_below(R), l, l, l, l, l, l);
        say("L%ub:\n", l);
        write_statements(depth + 1, 2);
        say("bra L%ud;\nL%uc:\n", l, l);
        write_statements(depth + 1, 2);
        say("L%ud:\n", l);
    } else {
        say("@%s%%p%u bra L%ub;\n", random_percent(50) ? "!" : "", random_below(P), l);
        write_statements(depth + 1, 1 + random_below(4));
        if (random_percent(60)) {
            say("bra%s L%uc;\nL%ub:\n", random_percent(30) ? ".uni" : "", l, l);
            write_statements(depth + 1, 1 + random_below(4));
            say("L%uc:\n", l);
        } else {
            say("L%ub:\n", l);
        }
    }
    inside = was;
}

static void write_loop(unsigned depth)
{
    const unsigned l = label_count++;
    const bool was = inside, even = random_percent(50);
    inside = inside || !even;
    say("mov.u32 %%n%u, 0;\n", depth);
    if (even)
        say("mov.u32 %%m%u, %u;\n", depth, 1 + random_below(4));
    else
        say("and.b32 %%m%u, %%r%u, 3;\n", depth, random_below(R));
    say("L%ua:\n", l);
    write_statements(depth + 1, 1 + random_below(5));
    say("add.u32 %%n%u, %%n%u, 1;\nsetp.lt.u32 %%p%u, %%n%u, %%m%u;\n@%%p%u bra L%ua;\n", depth,
        depth, depth % P, depth, depth, depth % P, l);
    inside = was;
}

/* Wait until a clock has advanced far enough, for each lane or for all lanes. */
static void write_spin_loop(void)
{
    const unsigned l = label_count++, to = random_below(D),
                   from = (to + 1 + random_below(D - 1)) % D;
    const bool wide = random_percent(50);
    say("mov.u64 %%e0, %%%s;\nand.b32 %%t0, %s, 31;\nmad.lo.u32 %%t0, %%t0, %u, %u;\n",
        wide ? "clock64" : "globaltimer", ONE_OF("%lane", "%ctaid.x", "4"), random_below(300),
        random_below(60000));
    say("cvt.u64.u32 %%d%u, %%t0;\nL%ua:\nmov.u64 %%e1, %%%s;\nsub.s64 %%d%u, %%e1, %%e0;\n", from,
        l, wide ? "clock64" : "globaltimer", to);
    if (random_percent(30))
        say("and.b64 %%d%u, %%d%u, 0xffffffff;\n", to, to);
    say("setp.%s %%p0, %%d%u, %%d%u;\n@%%p0 bra L%ua;\n", random_percent(50) ? "lt.s64" : "le.u64",
        to, from, l);
}

static void write_statements(unsigned depth, unsigned count)
{
    while (count--) {
        switch (random_below(21)) {
        case 0:
        case 1:
        case 2:
        case 3: write_arithmetic(); break;
        case 4:
        case 5: write_predicate(); break;
        case 6:
        case 7:
        case 8:
            write_address_change();
            write_accesses();
            break;
        case 9:
        case 10:
        case 11: write_accesses(); break;
        case 12: write_address_step(); break;
        case 13: write_atomic(); break;
        case 14: write_shared_accesses(); break;
        case 15: write_call(); break;
        case 16:
            if (!inside)
                write_block_wide_code();
            break;
        case 17:
            if (random_percent(20))
                write_spin_loop();
            break;
        case 18:
        case 19:
            if (depth < DEPTH)
                write_branch(depth);
            break;
        default:
            if (depth < DEPTH)
                write_loop(depth);
        }
    }
}

static void write_functions(void)
{
    say(".func (.param .b32 got) f(.param .b32 arg)\n{\n.reg .b32 %%r<4>;\n.reg .pred %%p;\n"
        ".local .align 4 .b8 own[16];\nld.param.b32 %%r0, [arg];\nand.b32 %%r1, %%r0, 7;\n"
        "st.local.b32 [own+4], %%r0;\nL:\nmad.lo.u32 %%r0, %%r0, %u, %u;\nsub.s32 %%r1, %%r1, 1;\n"
        "setp.gt.s32 %%p, %%r1, 0;\n@%%p bra L;\nld.local.b32 %%r2, [own+4];\n"
        "xor.b32 %%r0, %%r0, %%r2;\nst.param.b32 [got], %%r0;\nret;\n}\n",
        1 + random_below(9), random_below(1000));
    say(".func (.reg .b32 %%o) g(.reg .b32 %%i, .reg .b32 %%j)\n{\n.reg .pred %%p;\n"
        "setp.lt.s32 %%p, %%i, %%j;\nadd.s32 %%o, %%i, %u;\n@%%p ret;\nmov.b32 %%o, %%j;\n"
        "add.s32 %%j, %%j, 1;\nxor.b32 %%o, %%o, %%j;\nret;\n}\n",
        random_below(1000));
}

/* Write a digest of all registers of the thread to the second half of the buffer. */
static void write_result_stores(void)
{
    say("mov.u64 %%e0, 0;\n");
    for (unsigned k = 0; k < R + H + F + P; k++) {
        if (k < R)
            say("cvt.u64.u32 %%e1, %%r%u;\n", k);
        else if (k < R + H)
            say("cvt.u64.u16 %%e1, %%h%u;\n", k - R);
        else if (k < R + H + F)
            say("mov.b32 %%t0, %%f%u;\ncvt.u64.u32 %%e1, %%t0;\n", k - R - H);
        else
            say("selp.b64 %%e1, 1, 0, %%p%u;\n", k - R - H - F);
        say("mad.lo.u64 %%e0, %%e0, 1000003, %%e1;\n");
    }
    for (unsigned k = 0; k < D; k++)
        say("mad.lo.u64 %%e0, %%e0, 1000003, %%d%u;\n", k);
    say("mov.u32 %%t0, %%ctaid.x;\nmov.u32 %%t1, %%ntid.x;\nmul.lo.u32 %%t0, %%t0, 1024;\n"
        "mov.u32 %%t2, %%tid.y;\nmad.lo.u32 %%t1, %%t1, %%t2, %%t0;\nmov.u32 %%t2, %%tid.x;\n"
        "add.u32 %%t1, %%t1, %%t2;\nmul.wide.u32 %%e1, %%t1, 8;\nld.param.u64 %%e2, [k_0];\n"
        "add.s64 %%e2, %%e2, %%e1;\nst.global.u64 [%%e2+%u], %%e0;\nret;\n}\n",
        PASSES_BUFFER / 2);
}

void passes_write(FILE *to)
{
    ptx_output = to;
    label_count = 0;
    inside = false;
    say(".version 8.0\n.target sm_90\n.address_size 64\n.const .align 4 .b32 table[64] = {1");
    for (unsigned k = 1; k < 64; k++)
        say(", %u", (unsigned)(fuzz_random() >> 40));
    say("};\n");
    write_functions();
    say(".visible .entry k(.param .u64 k_0, .param .u64 k_1, .param .align 4 .b8 k_2[8])\n{\n.reg "
        ".b32 %%r<%d>, %%a<%d>, %%t<3>, "
        "%%n<%d>, %%m<%d>, %%w, %%lane;\n.reg .b64 %%d<%d>, %%g<%d>, %%e<3>, %%base, %%both;\n"
        ".reg .b16 %%h<%d>;\n.reg .f32 %%f<%d>;\n.reg .pred %%p<%d>;\n"
        ".shared .align 16 .b8 tile[2048];\n.local .align 16 .b8 own[128];\n",
        R, A, DEPTH, DEPTH, D, A, H, F, P);
    say("mov.u32 %%lane, %%laneid;\nmov.u32 %%r0, tile;\nmov.u32 %%r1, %%tid.x;\n"
        "ld.param.u64 %%base, [k_0];\nadd.s64 %%base, %%base, 4096;\n");
    if (random_percent(50))
        say("cvta.to.global.u64 %%base, %%base;\n");
    say("mul.lo.u32 %%t0, %%lane, 16;\nadd.u32 %%t0, %%t0, 512;\ncvt.u64.u32 %%e0, %%t0;\n"
        "mov.b64 %%both, {%%t0, %%t0};\n");
    for (unsigned k = 0; k < A; k++)
        say("mov.u32 %%a%u, %%t0;\nadd.s64 %%g%u, %%base, %%e0;\n", k, k);
    say("sub.u32 %%w, %%a0, 4096;\n");
    write_statements(0, 6 + random_below(20));
    write_result_stores();
}
