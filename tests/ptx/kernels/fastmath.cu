// nvcc: -arch=sm_80 -use_fast_math
__global__ void fast(float *f)
{
    float a = f[0], b = f[1];
    f[2] = a / b; f[3] = sqrtf(a); f[4] = sinf(a); f[5] = expf(a); f[6] = logf(a); f[7] = powf(a, b); f[8] = a * b + a; f[9] = fmaxf(a, 0.f); f[10] = tanhf(a); f[11] = 1.f / a; f[12] = (float)(int)a; f[13] = a < b ? a : b; f[14] = fabsf(a);
}
