// nvcc: -arch=sm_90
__global__ void jump(float *out, int n)
{
    float v = out[n];
    switch (n) {
    case 0: out[1] = v; break;
    case 1: out[2] = v * 2; break;
    case 2: out[3] = __sinf(v); break;
    case 3: out[5] = v + 2; break;
    case 4: out[9] = __expf(v); break;
    case 5: out[7] = sqrtf(v); break;
    case 6: out[8] = v * v; break;
    case 7: out[11] = 1 / v; break;
    case 8: out[12] = fabsf(v); break;
    case 9: out[13] = -v; break;
    }
}
