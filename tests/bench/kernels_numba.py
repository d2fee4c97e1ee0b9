"""The kernels of kernels.cu on numba's CUDA simulator: prints "kernel seconds-a-thread" for each.

The simulator makes a host thread of every thread of a block, so blocks are few."""
import math
import time

import numpy as np
from numba import cuda, float32, int32

WEIGHTS = (0.05, 0.1, 0.12, 0.14, 0.18, 0.14, 0.12, 0.1, 0.05)


@cuda.jit
def stencil(src, out, n):
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if i < n:
        total = 0.0
        for k in range(9):
            total += WEIGHTS[k] * src[i + k]
        out[i] = total


@cuda.jit
def fma_loop(src, out, n):
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if i < n:
        a = src[i]
        b, c, d = a + 1, a + 2, a + 3
        for _ in range(0, 256, 4):
            a = a * 0.999 + 0.5
            b = b * 0.999 + 0.5
            c = c * 0.999 + 0.5
            d = d * 0.999 + 0.5
        out[i] = a + b + c + d


@cuda.jit
def reduce(src, out, n):
    part = cuda.shared.array(256, int32)
    t = cuda.threadIdx.x
    i = cuda.blockIdx.x * cuda.blockDim.x + t
    part[t] = src[i] if i < n else 0
    cuda.syncthreads()
    s = cuda.blockDim.x // 2
    while s > 0:
        if t < s:
            part[t] += part[t + s]
        cuda.syncthreads()
        s //= 2
    if t == 0:
        out[cuda.blockIdx.x] = part[0]


@cuda.jit
def matmul(a, b, c, n):
    ta = cuda.shared.array((16, 16), float32)
    tb = cuda.shared.array((16, 16), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    row, col = cuda.blockIdx.y * 16 + y, cuda.blockIdx.x * 16 + x
    total = 0.0
    for k in range(0, n, 16):
        ta[y, x] = a[row * n + k + x]
        tb[y, x] = b[(k + y) * n + col]
        cuda.syncthreads()
        for j in range(16):
            total += ta[y, j] * tb[j, x]
        cuda.syncthreads()
    c[row * n + col] = total


@cuda.jit
def transpose(src, out, side):
    tile = cuda.shared.array((32, 33), float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    x, y = cuda.blockIdx.x * 32 + tx, cuda.blockIdx.y * 32 + ty
    for j in range(0, 32, 8):
        tile[ty + j, tx] = src[(y + j) * side + x]
    cuda.syncthreads()
    x, y = cuda.blockIdx.y * 32 + tx, cuda.blockIdx.x * 32 + ty
    for j in range(0, 32, 8):
        out[(y + j) * side + x] = tile[tx, ty + j]


@cuda.jit
def histogram(src, out, n):
    bins = cuda.shared.array(256, int32)
    t = cuda.threadIdx.x
    bins[t] = 0
    cuda.syncthreads()
    i = cuda.blockIdx.x * cuda.blockDim.x + t
    while i < n:
        cuda.atomic.add(bins, ((int(src[i]) + i * 2654435761) & 0xFFFFFFFF) >> 24, 1)
        i += cuda.gridDim.x * cuda.blockDim.x
    cuda.syncthreads()
    cuda.atomic.add(out, t, bins[t])


@cuda.jit
def nbody(body, out, n):
    part = cuda.shared.array((256, 4), float32)
    t = cuda.threadIdx.x
    i = cuda.blockIdx.x * cuda.blockDim.x + t
    mx, my, mz = body[i, 0], body[i, 1], body[i, 2]
    ax = ay = az = 0.0
    for start in range(0, n, 256):
        for k in range(4):
            part[t, k] = body[start + t, k]
        cuda.syncthreads()
        for j in range(256):
            dx, dy, dz = part[j, 0] - mx, part[j, 1] - my, part[j, 2] - mz
            r = 1 / math.sqrt(dx * dx + dy * dy + dz * dz + 0.01)
            s = part[j, 3] * r * r * r
            ax += dx * s
            ay += dy * s
            az += dz * s
        cuda.syncthreads()
    out[i, 0], out[i, 1], out[i, 2] = ax, ay, az


@cuda.jit
def mandelbrot(unused, out, width):
    x = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    y = cuda.blockIdx.y * cuda.blockDim.y + cuda.threadIdx.y
    cx, cy = x * 3.0 / width - 2.25, y * 2.5 / width - 1.25
    zx = zy = 0.0
    k = 0
    while k < 256 and zx * zx + zy * zy < 4:
        zx, zy = zx * zx - zy * zy + cx, 2 * zx * zy + cy
        k += 1
    out[y * width + x] = k


def floats(*shape):
    return np.zeros(shape, np.float32)


def ints(n):
    return np.zeros(n, np.int32)


RUNS = (
    (stencil, (1, 1), (256, 1), (floats(264), floats(256), 256), 1),
    (fma_loop, (1, 1), (256, 1), (floats(256), floats(256), 256), 1),
    (reduce, (1, 1), (256, 1), (ints(256), ints(1), 256), 1),
    # A quarter of the tiles of 256 x 256, and an eighth of 2048 bodies: their time is scaled.
    (matmul, (1, 1), (16, 16), (floats(4096), floats(4096), floats(4096), 64), 4),
    (transpose, (1, 1), (32, 8), (floats(1024), floats(1024), 32), 1),
    (histogram, (1, 1), (256, 1), (ints(4096), ints(256), 4096), 1),
    (nbody, (1, 1), (256, 1), (floats(256, 4), floats(256, 4), 256), 8),
    (mandelbrot, (1, 1), (16, 16), (ints(1), ints(256), 16), 1),
)

for kernel, grid, block, arguments, scale in RUNS:
    begin = time.perf_counter()
    kernel[grid, block](*arguments)
    took = time.perf_counter() - begin
    threads = grid[0] * grid[1] * block[0] * block[1]
    print(kernel.py_func.__name__ if hasattr(kernel, "py_func") else kernel.fn.__name__,
          f"{took * scale / threads:.3e}", flush=True)
