/* What an instruction of a 64-bit Arm CPU does to memory: the signal handler's context does not say
 * it everywhere (Arm Architecture Reference Manual, C4.1, "A64 instruction set encoding"). */
#ifndef WARPBOOK_MEMORY_A64_H
#define WARPBOOK_MEMORY_A64_H

#include <stdbool.h>
#include <stdint.h>

/* Does INSN write, if it accesses memory? What is no load or store does: DC ZVA. */
static inline bool mem_a64_writes(uint32_t insn)
{
    const uint32_t opc = insn >> 22 & 3, low = insn >> 10 & 3;
    const bool vector = insn >> 26 & 1, indexed = insn >> 24 & 1, o1 = insn >> 21 & 1;
    if ((insn >> 25 & 15) == 2) /* SVE */
        return insn >> 29 == 7;
    if ((insn >> 25 & 5) != 4)
        return true;
    switch (insn >> 27 & 7) {
    case 1: /* exclusive, ordered, compare and swap; several structures */
        return !(opc & 1) || (!vector && o1 && (opc & 2 || !(insn >> 31)));
    case 3: /* literals; ordered with an offset */ return indexed && !opc;
    case 7: /* a register */
        if (!vector && !indexed && o1 && low != 2)
            return low == 0 && (insn >> 12 & 15) != 12; /* atomic; not LDAPR, not LDRAA */
        return !opc || (vector && !(insn >> 30) && opc == 2);
    default: /* pairs */ return !(opc & 1);
    }
}

#endif
