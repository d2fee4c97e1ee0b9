# The symbols of libcudart.so.12 that are jumps to libcudart.so.13, as assembly for x86-64 or AArch64:
# awk -v machine=x86_64 -f jumps.awk ../cudart12/calls.def ../cudart/entry/calls.def
# Each symbol NAME of 13 has a local entry next_NAME, for calls.c and for the symbols here.
function jump(symbol)
{
    print "        .symver link_" symbol ", " symbol "@libcudart.so.13"
    print "        .globl next_" symbol "\n        .hidden next_" symbol
    print "        .type next_" symbol ", %function\n        .balign 16\nnext_" symbol ":"
    if (machine == "x86_64") print "        jmp *link_" symbol "@GOTPCREL(%rip)"
    else print "        adrp x16, :got:link_" symbol "\n        ldr x16, [x16, :got_lo12:link_" symbol "]\n        br x16"
    print "        .size next_" symbol ", . - next_" symbol
}
function name(symbol, next_symbol)
{
    print "        .globl " symbol "\n        .type " symbol ", %function\n        .set " symbol ", next_" next_symbol
}
BEGIN { print "        .text" }
match($0, /^(CALL|SAME|STUB|LINK|OTHER)\(/) {
    kind = substr($0, 1, RLENGTH - 1)
    split(substr($0, RLENGTH + 1), field, /, *|\)/)
    suffix = field[2] == "ptsz" || field[2] == "ptds" ? "_" field[2] : ""
    for (second = 0; second <= (suffix != ""); second++) {
        symbol = field[1] (second ? suffix : "")
        if (NR == FNR) {
            if (kind == "OTHER") other[symbol]
            if (kind == "SAME") name(symbol, field[3] (second ? suffix : ""))
        } else {
            jump(symbol)
            if (!(symbol in other)) name(symbol, symbol)
        }
    }
}
END { print "        .section .note.GNU-stack, \"\", %progbits" }
