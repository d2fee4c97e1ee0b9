// nvcc: -arch=sm_90
__global__ void mma(unsigned *u, float *f, double *d, int *i)
{
    unsigned a = u[0], b = u[1], s = threadIdx.x * 16; float x = f[0], y = f[1], z = f[2], w = f[3];
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%4,%5,%5}, {%4,%5}, {%0,%1,%2,%3};" : "+f"(x), "+f"(y), "+f"(z), "+f"(w) : "r"(a), "r"(b));
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%4,%5,%5}, {%4,%5}, {%0,%1,%2,%3};" : "+f"(x), "+f"(y), "+f"(z), "+f"(w) : "r"(a), "r"(b));
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%4,%5,%5}, {%4,%5}, {%0,%1,%2,%3};" : "+f"(x), "+f"(y), "+f"(z), "+f"(w) : "r"(a), "r"(b));
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%0,%0,%1,%1}, {%0,%1}, {%0,%1};" : "+r"(a), "+r"(b));
    int p = i[0], q = i[1]; asm volatile("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32 {%0,%1,%0,%1}, {%0,%0,%1,%1}, {%0,%1}, {%0,%1,%0,%1};" : "+r"(p), "+r"(q));
    asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0,%1}, {%0}, {%1}, {%0,%1};" : "+r"(p), "+r"(q));
    asm volatile("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%0,%1,%0,%1}, {%0,%0,%1,%1}, {%0,%1}, {%0,%1,%0,%1};" : "+r"(p), "+r"(q));
    double g = d[0], h = d[1]; asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%0}, {%1}, {%0,%1};" : "+d"(g), "+d"(h));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%0,%1}, [%2];" : "=r"(a), "=r"(b) : "r"(s)); asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared::cta.b16 {%0}, [%1];" : "=r"(a) : "r"(s));
    asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1,%2};" ::"r"(s), "r"(a), "r"(b)); asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(a) : "r"(b));
    u[0] = a + b; f[0] = x + y + z + w; d[0] = g + h; i[0] = p + q;
}
