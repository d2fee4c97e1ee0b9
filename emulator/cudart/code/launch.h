/* Launches of kernels: their configuration, arguments and limits. */
#pragma once

#include "../streams/op.h"
#include "kernel.h"

/* A launch whose configuration has been checked, with its arguments. */
typedef struct rt_launch {
    rt_kernel *kernel; /* the kernel to launch */
    dim3 grid, block;  /* blocks in the grid; threads in a block */
    dim3 cluster;      /* blocks in a cluster, as the launch requests; all 0: no clusters */
    size_t shared;     /* dynamic shared memory, bytes */
    bool cooperative;  /* launched with cudaLaunchCooperativeKernel */
    bool programmatic; /* may begin before the kernel before it in its stream ends */
    unsigned depth;    /* nesting depth of launches by kernels; 0: launched by the host */
    uint32_t range;  /* number of the range between cudaProfilerStart and cudaProfilerStop in which
                        it was issued, from 1; 0: outside of all */
    uint8_t *params; /* bytes of the kernel's arguments, laid out as in the PTX; owned */
} rt_launch;

/* Fill in *L: find the kernel of FUNCTION, check the launch configuration in *L against kernel and
 * device, and copy ARGS into newly allocated parameters, which the caller owns. LATER: the
 * arguments are not known yet, and the parameters become 0. */
cudaError_t rt_launch_prepare(const void *function, void **args, bool later, rt_launch *l);
/* Queue the launch. Takes ownership of its parameters, even on failure. */
cudaError_t rt_launch_queue(const rt_launch *l, rt_stream *s);

/* Maximum dynamic shared memory that a launch of K may request at present, bytes. */
uint64_t rt_max_dynamic_shared_bytes(const rt_kernel *k);
/* Can the kernel K run with this grid, block and dynamic shared memory; are all blocks of the
 * cooperative launch L resident at once? (launch_check.c) */
cudaError_t rt_check_launch_shape(const rt_kernel *k, dim3 grid, dim3 block, size_t shared);
cudaError_t rt_check_cooperative_launch(const rt_kernel *k, const rt_launch *l);
/* Number of blocks of K that fit on one SM at the same time. */
uint32_t rt_blocks_per_sm(const rt_kernel *k, uint64_t threads, uint64_t dynamic);
/* Maximum number of blocks of K, with THREADS threads and DYNAMIC bytes of dynamic shared memory
 * each, that are resident on the device at once. An estimated register count does not lower it. */
uint64_t rt_max_resident_blocks(const rt_kernel *k, uint64_t threads, uint64_t dynamic);
