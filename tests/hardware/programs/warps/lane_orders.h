/* Shared by the programs that record the order in which diverged lanes execute. A kernel with
 * divergent branches prints which lane reaches which point; consecutive lanes with the same point
 * are printed as one mask. */
#ifndef LANE_ORDERS_H
#define LANE_ORDERS_H

#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <unistd.h>

/* A kernel's body: lane t of its one warp has the value v. */
#define KERNEL(name)                                                                \
    static __device__ __forceinline__ void name##_body(const int *, int, int, int); \
    __global__ void name(const int *p, int n)                                       \
    {                                                                               \
        name##_body(p, n, threadIdx.x, p[threadIdx.x]);                             \
    }                                                                               \
    static __device__ __forceinline__ void name##_body(const int *p, int n, int t, int v)
/* Print that the lane has reached point WHAT. */
#define SAY(what) printf("%d %d\n", (what), threadIdx.x)
#define ROLLED    _Pragma("unroll 1")

struct shape {
    const char *name;                      /* name of the kernel */
    void (*run)(const int *values, int n); /* launches it: a value for each lane, a loop limit */
};
#define SHAPE(name) \
    {               \
#name, name \
    }

/* Print the lines "what lane" of the file FROM in short form, as "what:lanes". */
static void print_short(FILE *from)
{
    int what, lane, last = -1;
    unsigned lanes = 0;
    while (fscanf(from, "%d %d", &what, &lane) == 2) {
        if (lanes && (what != last || lanes >> lane)) {
            printf(" %d:%x", last, lanes);
            lanes = 0;
        }
        last = what;
        lanes |= 1u << lane;
    }
    if (lanes) {
        printf(" %d:%x", last, lanes);
    }
    printf("\n");
}

/* Run each kernel shape (a branch, a loop ...) with several inputs and loop limits, and print the
 * order of its lanes, one line a run. */
template <size_t count> static int print_orders(const shape (&shapes)[count])
{
    static const int limits[] = {5, 16};
    int values[3][32], *p;
    for (int t = 0; t < 32; t++) {
        values[0][t] = t;
        values[1][t] = (int)((t * 2654435761u) >> 27);
        values[2][t] = (int)((t * 2246822519u + 77u) >> 13) & 15;
    }
    cudaMalloc(&p, sizeof values[0]);
    cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 8 << 20);
    const int out = dup(1);
    for (const shape &s : shapes) {
        for (int d = 0; d < 3; d++) {
            for (int n : limits) {
                printf("%s %d %d:", s.name, d, n);
                fflush(stdout);
                FILE *lines = tmpfile();
                dup2(fileno(lines), 1);
                cudaMemcpy(p, values[d], sizeof values[d], cudaMemcpyHostToDevice);
                s.run<<<1, 32>>>(p, n);
                const cudaError_t e = cudaDeviceSynchronize();
                fflush(stdout);
                dup2(out, 1);
                rewind(lines);
                print_short(lines);
                fclose(lines);
                if (e) {
                    printf("%s\n", cudaGetErrorName(e));
                    return 1;
                }
            }
        }
    }
    return 0;
}

#endif
