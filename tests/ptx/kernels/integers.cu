// nvcc: -arch=sm_80
__global__ void integers(int *o, unsigned *u, long long *l, unsigned long long *ul, short *s, signed char *c)
{
    int a = o[0], b = o[1]; unsigned x = u[0], y = u[1]; long long p = l[0], q = l[1];
    o[2] = a / b; o[3] = a % b; u[2] = x / y; u[3] = x % y; l[2] = p / q; ul[2] = ul[0] % ul[1]; l[3] = p * q;
    o[4] = __mulhi(a, b); u[4] = __umulhi(x, y); l[4] = __mul64hi(p, q); o[5] = abs(a); o[6] = min(a, b); u[5] = max(x, y);
    o[7] = a << b; o[8] = a >> b; u[6] = x >> y; l[5] = p >> a; s[0] = s[1] * s[2] + s[3]; c[0] = c[1] + c[2] >> 1;
    u[7] = __byte_perm(x, y, 0x1234); u[8] = __funnelshift_l(x, y, a); u[9] = __funnelshift_rc(x, y, a);
    o[9] = __sad(a, b, x); u[10] = __usad(x, y, x); o[10] = __dp4a(a, b, a); o[11] = __dp2a_lo(a, b, a); u[12] = __dp4a(x, y, x);
    o[12] = __mul24(a, b); u[13] = __umul24(x, y); o[13] = __hadd(a, b); o[14] = a & ~b ^ (a | b); u[14] = __vadd4(x, y); u[15] = __vabsdiffu4(x, y); u[16] = __vsadu4(x, y);
    u[17] = __vmaxs2(x, y); u[18] = __vcmpgtu4(x, y); l[6] = __popcll(p) + __clzll(p) + __ffsll(p); l[7] = __brevll(p); u[19] = __viaddmin_s32_relu(a, b, a); u[20] = __vibmax_s32(a,b,(bool*)c);
    unsigned long long lo, hi; asm("add.cc.u64 %0, %2, %3; addc.u64 %1, %2, 0;" : "=l"(lo), "=l"(hi) : "l"(ul[3]), "l"(ul[4])); ul[5] = lo + hi;
    asm("sub.cc.u32 %0, %1, %2; subc.u32 %0, %0, 0; mad.lo.cc.u32 %0, %1, %2, %0; madc.hi.u32 %0, %1, %2, %0;" : "=r"(x) : "r"(x), "r"(y)); u[21] = x;
    asm("bfe.u32 %0, %1, 3, 4; bfi.b32 %0, %0, %1, 8, 8; bfind.u32 %0, %1; bfind.shiftamt.s32 %0, %1; fns.b32 %0, %1, 0, 1; szext.wrap.s32 %0, %1, 5; bmsk.clamp.b32 %0, 1, 5;" : "=r"(x) : "r"(y)); u[22] = x;
    asm("lop3.b32 %0, %1, %2, %1, 0x96; cnot.b32 %0, %0; vadd.s32.u32.s32.sat %0, %1.b0, %2.h1, %1; vabsdiff4.u32.u32.u32.add %0, %1, %2, %1;" : "=r"(x) : "r"(x), "r"(y)); u[23] = x;
    __int128 w = (__int128)p * q; l[8] = w >> 64;
}
