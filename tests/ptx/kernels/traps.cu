// nvcc: -arch=sm_75
__global__ void __launch_bounds__(64) traps(int *o, float *f, double *d)
{
    int x; asm volatile("{ .reg .b32 t<3>; .reg .pred p, q; mov.b32 t0, (1<<3)+2; add.s32 t1, t0, 0x1F; setp.lt.s32 p|q, t0, t1; @!q bra SKIP; { .reg .b32 t0; mov.u32 t0, 017U; add.u32 t1, t1, t0; } SKIP: selp.b32 %0, t1, -5, p; }" : "=r"(x));
    asm volatile("{ .reg .pred p; setp.eq.and.s32 p, %1, 0b101, !p; @p exit; vote.sync.ballot.b32 %0, !p, 0xffffffff; }" : "=r"(o[1]) : "r"(x)); asm volatile("{ .reg .b16 l, h; mov.b32 {l, h}, %1; mov.b32 %0, {h, l}; .reg .b64 w; mov.b64 w, {%1, %1}; mov.b64 {_, %0}, w; }" : "=r"(x) : "r"(x)); asm volatile("{ .shared .align 4 .b32 here[4]; .reg .u64 a; mov.u64 a, here; st.shared.b32 [here+4], WARP_SZ; ld.volatile.shared.u32 %0, [here + 8]; }" : "=r"(x)); 
    o[0] = x; f[0] = 1e30f; d[0] = 1.0 / 3; f[1] = __int_as_float(0x7f800001); asm volatile("add.f32 %0, %1, 1.5; mul.f32 %0, %0, 0F40000000; fma.rn.f32 %0, %0, 0f3F000000, -2.25;" : "=f"(f[2]) : "f"(f[3])); asm volatile("pmevent 7; brkpt;");
}
