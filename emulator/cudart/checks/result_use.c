/* Finds out whether the program looks at what a CUDA call returns, from the instructions that
 * follow the call: the result is in eax, and the program either reads it, overwrites it or returns
 * it to its own caller (Intel SDM, volume 2; System V ABI for x86-64, "Parameter Passing"). */
#include "result_use.h"

#include <string.h>

#ifdef __x86_64__

enum { MAX_INSTRUCTIONS = 40, MAX_BRANCHES = 3 };

/* What an instruction does with its operands: with the register or memory operand RM, and with the
 * register operand REG of its ModRM byte. */
typedef enum operand_use {
    NOT_DECODED,
    NO_MODRM,   /* no ModRM byte, and eax is neither read nor written */
    READS_EAX,  /* no ModRM byte; eax is read */
    READS_BOTH, /* RM and REG are read */
    READS_RM,   /* RM is read and REG, if it is a register at all, is an opcode */
    LOADS,      /* RM is read, REG written */
    STORES,     /* REG is read, RM written */
    SETS_RM,    /* RM is written */
    ADDRESS,    /* lea: REG is written */
    VECTOR      /* REG and RM are vector registers; RM may be memory */
} operand_use;

/* An instruction, as far as it matters here. */
typedef struct instruction {
    const uint8_t *next; /* the instruction that follows it */
    uint8_t opcode;      /* the last opcode byte */
    bool two_byte;       /* the opcode is 0f OPCODE */
    bool eax_read, eax_written;
    uint8_t digit; /* REG field of the ModRM byte */
    operand_use use;
} instruction;

/* Opcodes of one byte: how their operands are used, and the bytes of their immediate; *IMMEDIATE is
 * 4 where the operand size decides. */
static operand_use one_byte_opcode(uint8_t op, size_t *immediate)
{
    *immediate = 0;
    if (op < 0x40) { /* add, or, adc, sbb, and, sub, xor, cmp in six forms each */
        const uint8_t form = op & 7;
        *immediate = form == 4 ? 1 : form == 5 ? 4 : 0;
        return form < 4 ? READS_BOTH : form < 6 ? READS_EAX : NOT_DECODED;
    }
    switch (op) {
    case 0x63: /* movslq */
    case 0x8a:
    case 0x8b: return LOADS;
    case 0x69:
    case 0x6b: *immediate = op == 0x69 ? 4 : 1; return LOADS;
    case 0x80:
    case 0x83:
    case 0xc0:
    case 0xc1: *immediate = 1; return READS_RM;
    case 0x81: *immediate = 4; return READS_RM;
    case 0x84:
    case 0x85:
    case 0x86:
    case 0x87: return READS_BOTH;
    case 0x88:
    case 0x89: return STORES;
    case 0x8d: return ADDRESS;
    case 0x90:
    case 0xc9: /* leave */
    case 0xc3: /* ret */ return NO_MODRM;
    case 0x98:
    case 0x99: return READS_EAX;
    case 0xa8:
    case 0xa9: *immediate = op == 0xa8 ? 1 : 4; return READS_EAX;
    case 0xc6:
    case 0xc7: *immediate = op == 0xc6 ? 1 : 4; return SETS_RM;
    case 0xd0:
    case 0xd1:
    case 0xd2:
    case 0xd3:
    case 0xf6: /* the immediate of test depends on the digit: decode_operands */
    case 0xf7:
    case 0xfe:
    case 0xff: return READS_RM;
    case 0xe8:
    case 0xe9: *immediate = 4; return NO_MODRM;
    case 0xeb: *immediate = 1; return NO_MODRM;
    default:
        if (op >= 0x50 && op < 0x60)
            return NO_MODRM;
        *immediate = op >= 0x70 && op < 0x80 ? 1 : op >= 0xb8 && op < 0xc0 ? 4 : 0;
        return *immediate ? NO_MODRM : NOT_DECODED;
    }
}

static operand_use two_byte_opcode(uint8_t op, size_t *immediate)
{
    *immediate = 0;
    if (op >= 0x80 && op < 0x90) { /* conditional jumps */
        *immediate = 4;
        return NO_MODRM;
    }
    if (op >= 0x90 && op < 0xa0)
        return SETS_RM;
    if (op == 0x70 || op == 0xc6 || op == 0xc2) {
        *immediate = 1;
        return VECTOR;
    }
    switch (op) {
    case 0x1e: /* endbr64, nop */
    case 0x1f: return VECTOR;
    case 0x2a: /* conversions of general registers */
    case 0x6e: return READS_RM;
    case 0x2c:
    case 0x2d:
    case 0xb6:
    case 0xb7:
    case 0xbe:
    case 0xbf: return LOADS;
    case 0x7e: /* movd to a general register; movq between vector registers */ return SETS_RM;
    case 0xaf: return READS_BOTH;
    default:
        return op >= 0x40 && op < 0x50 ? READS_BOTH
               : (op >= 0x10 && op < 0x18) || (op >= 0x28 && op < 0x30) ||
                       (op >= 0x50 && op < 0x80) || op >= 0xd0
                   ? VECTOR
                   : NOT_DECODED;
    }
}

/* Read the ModRM byte at P and what belongs to it. Returns the byte after it. */
static const uint8_t *decode_operands(instruction *in, const uint8_t *p, uint8_t rex)
{
    const uint8_t mod = *p >> 6, rm = *p & 7;
    const bool rm_is_eax = mod == 3 && !rm && !(rex & 1), reg_is_eax = !(*p & 0x38) && !(rex & 4);
    const bool same = mod == 3 && (*p >> 3 & 7) == rm && !(rex & 4) == !(rex & 1);
    bool address_uses_eax = false;
    in->digit = *p >> 3 & 7;
    const uint8_t *next = p + 1;
    if (mod != 3 && rm == 4) { /* SIB: scale, index, base */
        const uint8_t base = *next & 7, index = *next >> 3 & 7;
        address_uses_eax = (!base && !(rex & 1)) || (!index && !(rex & 2));
        next += 1 + (base == 5 && mod == 0 ? 4 : 0);
    } else {
        address_uses_eax = mod != 3 && !rm && !(rex & 1);
        next += mod == 0 && rm == 5 ? 4 : 0;
    }
    next += mod == 1 ? 1 : mod == 2 ? 4 : 0;
    const bool clears = !in->two_byte && same && rm_is_eax &&
                        (in->opcode == 0x31 || in->opcode == 0x33 || in->opcode == 0x29);
    const operand_use u = in->use;
    in->eax_read = address_uses_eax ||
                   (rm_is_eax && (u == READS_BOTH || u == READS_RM || u == LOADS)) ||
                   (reg_is_eax && (u == READS_BOTH || u == STORES));
    in->eax_read = in->eax_read && !clears;
    in->eax_written = clears || (reg_is_eax && (u == LOADS || u == ADDRESS)) ||
                      (rm_is_eax && (u == SETS_RM || u == STORES));
    if (!in->two_byte && (in->opcode & 0xfe) == 0xf6 && in->digit < 2)
        next += in->opcode == 0xf6 ? 1 : 4;
    return next;
}

static bool decode_instruction(const uint8_t *p, instruction *in)
{
    uint8_t rex = 0;
    bool short_operand = false;
    size_t immediate;
    for (; *p == 0x66 || *p == 0xf2 || *p == 0xf3 || *p == 0x64 || *p == 0x2e; p++)
        short_operand |= *p == 0x66;
    if ((*p & 0xf0) == 0x40)
        rex = *p++;
    *in = (instruction){.two_byte = *p == 0x0f};
    p += in->two_byte;
    in->opcode = *p++;
    in->use = in->two_byte ? two_byte_opcode(in->opcode, &immediate)
                           : one_byte_opcode(in->opcode, &immediate);
    if (in->use == NOT_DECODED)
        return false;
    const bool moves_constant = !in->two_byte && in->opcode >= 0xb8 && in->opcode < 0xc0;
    const bool pops = !in->two_byte && in->opcode >= 0x58 && in->opcode < 0x60;
    if (in->use == READS_EAX) {
        in->eax_read = true;
    } else if (in->use != NO_MODRM) {
        p = decode_operands(in, p, rex);
    } else if (moves_constant || pops) {
        in->eax_written = !(in->opcode & 7) && !(rex & 1);
        immediate = moves_constant && rex & 8 ? 8 : immediate;
    } else if (!in->two_byte && in->opcode == 0x50) {
        in->eax_read = !(rex & 1);
    }
    in->next = p + (immediate == 4 && short_operand ? 2 : immediate);
    return true;
}

static int32_t jump_distance(const instruction *in)
{
    int32_t far;
    if (!in->two_byte && in->opcode != 0xe9)
        return (int8_t)in->next[-1];
    memcpy(&far, in->next - sizeof far, sizeof far);
    return far;
}

static rt_result_use use_after(const uint8_t *p, int branches)
{
    instruction in;
    for (int n = 0; n < MAX_INSTRUCTIONS; n++, p = in.next) {
        if (!decode_instruction(p, &in))
            return RT_RESULT_UNKNOWN;
        if (in.eax_read || in.eax_written)
            return in.eax_read ? RT_RESULT_READ : RT_RESULT_IGNORED;
        const bool calls = in.opcode == 0xe8 || (in.opcode == 0xff && (in.digit & 6) == 2);
        if (!in.two_byte && (in.opcode == 0xc3 || calls))
            return in.opcode == 0xc3 ? RT_RESULT_RETURNED : RT_RESULT_IGNORED;
        if (!in.two_byte && (in.opcode == 0xe9 || in.opcode == 0xeb)) {
            in.next += jump_distance(&in);
        } else if (in.use == NO_MODRM && (in.opcode & 0xf0) == (in.two_byte ? 0x80 : 0x70)) {
            if (branches == MAX_BRANCHES)
                return RT_RESULT_UNKNOWN;
            const rt_result_use jump = use_after(in.next + jump_distance(&in), branches + 1);
            const rt_result_use fall = use_after(in.next, branches + 1);
            return jump > fall ? jump : fall;
        }
    }
    return RT_RESULT_UNKNOWN;
}

#else

static rt_result_use use_after(const uint8_t *p, int branches)
{
    (void)p, (void)branches;
    return RT_RESULT_UNKNOWN;
}

#endif

rt_result_use rt_use_of_result(const san_caller *c)
{
    rt_result_use use = RT_RESULT_RETURNED;
    for (uint32_t k = 0; k < c->depth && use == RT_RESULT_RETURNED; k++)
        use = use_after((const uint8_t *)(uintptr_t)c->frame[k], 0);
    return use;
}
