// nvcc: -arch=sm_90
__global__ void floats(float *f, double *d, int *i, unsigned long long *u)
{
    float a = f[0], b = f[1], c = f[2]; double x = d[0], y = d[1], z = d[2];
    f[3] = a / b; f[4] = __fdividef(a, b); f[5] = sqrtf(a); f[6] = rsqrtf(a); f[7] = __fsqrt_rz(a); f[8] = __frcp_ru(a); f[9] = fmaf(a, b, c);
    f[10] = __fadd_rd(a, b); f[11] = __fmul_ru(a, b); f[12] = __saturatef(a); f[13] = fminf(a, b); f[14] = fmaxf(a, b); f[15] = fabsf(a); f[16] = copysignf(a, b);
    f[17] = __sinf(a); f[18] = __cosf(a); f[19] = __log2f(a); f[20] = exp2f(a); f[21] = tanhf(a); f[22] = floorf(a); f[23] = ceilf(a); f[24] = rintf(a); f[25] = truncf(a); f[26] = roundf(a);
    d[3] = x / y; d[4] = sqrt(x); d[5] = fma(x, y, z); d[6] = __dadd_rz(x, y); d[7] = fmin(x, y); d[8] = fabs(x); d[9] = rsqrt(x); d[10] = floor(x); d[11] = 1 / x;
    i[0] = (int)a; i[1] = __float2int_rn(a); i[2] = __float2uint_ru(a); i[3] = (int)x; u[0] = (unsigned long long)a; u[1] = __double2ull_rd(x); f[27] = (float)x; d[12] = a; f[28] = i[4]; d[13] = i[5]; f[29] = u[3]; d[14] = u[4]; f[30] = __uint2float_rz(i[6]);
    i[7] = isnan(a) + isinf(x) + isfinite(b) + signbit(c); i[8] = a < b; i[9] = !(x >= y); i[10] = a != b; f[31] = i[11] ? a : b; f[32] = __int_as_float(i[12]); u[5] = __double_as_longlong(x); d[15] = __hiloint2double(i[13], i[14]);
    char *k = (char *)i; f[33] = k[0]; k[1] = (char)a; ((unsigned char *)k)[2] = (unsigned char)x; ((short *)i)[40] = (short)a;
}
