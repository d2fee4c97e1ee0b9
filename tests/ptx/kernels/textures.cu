// nvcc: -arch=sm_90
__global__ void sample(cudaTextureObject_t t, cudaSurfaceObject_t s, float4 *o, int n)
{
    float x = threadIdx.x * .1f, y = x + 1;
    o[0] = tex1D<float4>(t, x); o[1] = tex2D<float4>(t, x, y); o[2].x = tex3D<float>(t, x, y, x); o[3].x = tex1Dfetch<float>(t, n); o[4] = tex2DLayered<float4>(t, x, y, n); o[5] = tex2DLod<float4>(t, x, y, 1.f); o[6] = tex2DGrad<float4>(t, x, y, make_float2(x, y), make_float2(y, x)); o[7] = texCubemap<float4>(t, x, y, x); o[8].x = tex2D<int>(t, x, y) + tex2D<unsigned char>(t, x, y); o[9] = tex2Dgather<float4>(t, x, y, 1);
    int v; surf2Dread(&v, s, n * 4, n); surf2Dwrite(v + 1, s, n * 4, n + 1, cudaBoundaryModeClamp); float4 w; surf1Dread(&w, s, n * 16); surf3Dwrite(w, s, n * 16, n, n, cudaBoundaryModeZero); short2 h; surf2DLayeredread(&h, s, n * 4, n, 1); surf2Dwrite(h, s, 0, 0); o[10].x = v;
}
