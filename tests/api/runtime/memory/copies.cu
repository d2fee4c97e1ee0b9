// Copies and fills of rows, planes and volumes; in both directions, and within the device.
#include "check.h"

#include <cstring>

int main()
{
    const int w = 37, h = 11;
    static unsigned char host[h][64], back[h][64];
    for (int y = 0; y < h; y++) {
        for (int x = 0; x < 64; x++) {
            host[y][x] = (unsigned char)(y * 64 + x);
        }
    }
    unsigned char *d;
    size_t pitch;
    OK(cudaMallocPitch(&d, &pitch, w, h));
    CHECK(pitch >= w && pitch % 32 == 0);
    OK(cudaMemset2D(d, pitch, 0xee, w, h));
    OK(cudaMemcpy2D(d, pitch, host, 64, w, h, cudaMemcpyHostToDevice));
    memset(back, 0x11, sizeof back);
    OK(cudaMemcpy2D(back, 64, d, pitch, w, h, cudaMemcpyDeviceToHost));
    for (int y = 0; y < h; y++) {
        CHECK(!memcmp(back[y], host[y], w));
        CHECK(back[y][w] == 0x11); // nothing beside the rows is touched
    }
    EXPECT(cudaErrorInvalidPitchValue,
           cudaMemcpy2D(d, w - 1, host, 64, w, h, cudaMemcpyHostToDevice));

    // a plane on the device to another one, asynchronously
    unsigned char *e;
    OK(cudaMalloc(&e, w * h));
    OK(cudaMemset(e, 0, w * h));
    OK(cudaMemcpy2DAsync(e, w, d, pitch, w, h, cudaMemcpyDeviceToDevice, 0));
    unsigned char flat[h * w];
    OK(cudaMemcpy(flat, e, sizeof flat, cudaMemcpyDefault));
    for (int y = 0; y < h; y++) {
        CHECK(!memcmp(flat + y * w, host[y], w));
    }

    // a box out of a volume
    cudaExtent whole = make_cudaExtent(16, 5, 3);
    cudaPitchedPtr v;
    OK(cudaMalloc3D(&v, whole));
    OK(cudaMemset3D(v, 7, whole));
    unsigned char part[2][2][4];
    memset(part, 1, sizeof part);
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(part, 4, 4, 2);
    p.dstPtr = v;
    p.dstPos = make_cudaPos(3, 1, 1);
    p.extent = make_cudaExtent(4, 2, 2);
    p.kind = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3D(&p));
    unsigned char all[3][5][16];
    cudaMemcpy3DParms q = {};
    q.srcPtr = v;
    q.dstPtr = make_cudaPitchedPtr(all, 16, 16, 5);
    q.extent = whole;
    q.kind = cudaMemcpyDeviceToHost;
    OK(cudaMemcpy3D(&q));
    for (int z = 0; z < 3; z++) {
        for (int y = 0; y < 5; y++) {
            for (int x = 0; x < 16; x++) {
                bool in = z >= 1 && y >= 1 && y < 3 && x >= 3 && x < 7;
                CHECK(all[z][y][x] == (in ? 1 : 7));
            }
        }
    }

    // large pageable copies, and one on host memory alone
    const size_t n = (size_t)5 << 20;
    char *a = (char *)malloc(n), *b = (char *)malloc(n);
    char *g;
    OK(cudaMalloc(&g, n));
    for (size_t i = 0; i < n; i++) {
        a[i] = (char)(i * 31);
    }
    OK(cudaMemcpyAsync(g, a, n, cudaMemcpyHostToDevice));
    OK(cudaMemcpyAsync(b, g, n, cudaMemcpyDeviceToHost)); // pageable: done when it returns
    CHECK(!memcmp(a, b, n));
    memset(b, 0, n);
    OK(cudaMemcpy(b, a, n, cudaMemcpyHostToHost));
    CHECK(!memcmp(a, b, n));
    OK(cudaFree(g));
    OK(cudaFree(d));
    OK(cudaFree(e));
    OK(cudaFree(v.ptr));
    free(a);
    free(b);
    return print_failures();
}
