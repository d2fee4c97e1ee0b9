// Fetches from a texture whose array has been freed, and from an object that was destroyed.
// stderr: ^warpbook: texture_gone.cu:[0-9]+: thread .*: the memory of texture object 0x[0-9a-f]+
// has been freed\. warpbook: texture_gone.cu:[0-9]+: thread .*: there is no texture object
// 0x[0-9a-f]+: it was never created, or destroyed before the kernel ran\. $
#include "check.h"

#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

__global__ void fetch(cudaTextureObject_t t, float *out)
{
    *out = tex2D<float>(t, 0, 0);
}

static cudaTextureObject_t make(cudaArray_t *a)
{
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    OK(cudaMallocArray(a, &f, 16, 16));
    cudaResourceDesc r;
    cudaTextureDesc t;
    memset(&r, 0, sizeof r);
    memset(&t, 0, sizeof t);
    r.resType = cudaResourceTypeArray;
    r.res.array.array = *a;
    cudaTextureObject_t o;
    OK(cudaCreateTextureObject(&o, &r, &t, NULL));
    return o;
}

/* The array goes, or the object. */
static int gone(bool array)
{
    cudaArray_t a;
    cudaTextureObject_t t = make(&a);
    float *out;
    OK(cudaMalloc(&out, 4));
    if (array) {
        OK(cudaFreeArray(a));
    } else {
        OK(cudaDestroyTextureObject(t));
    }
    fetch<<<1, 1>>>(t, out);
    CHECK(cudaDeviceSynchronize() != cudaSuccess);
    return print_failures();
}

int main()
{
    // Each in a process of its own: the fault loses the device to it.
    for (bool array : {true, false}) {
        const pid_t child = fork();
        if (!child) {
            exit(gone(array));
        }
        int status = 1;
        waitpid(child, &status, 0);
        CHECK(status == 0);
    }
    return print_failures();
}
