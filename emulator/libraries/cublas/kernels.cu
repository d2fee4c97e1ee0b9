/* The kernels of libcublas, compiled to PTX when warpbook is built. Names end in the type: _f32,
 * _f64, _f16. */
#include "kernel_args.h"

#include <cuda_fp16.h>

template <typename T> __device__ T scalar_value(const blas_scalar &s)
{
    if (s.type == BLAS_F64)
        return (T)(s.at ? *(const double *)s.at : __longlong_as_double((long long)s.bytes));
    if (s.type == BLAS_F32)
        return (T)(s.at ? *(const float *)s.at : __uint_as_float((unsigned)s.bytes));
    return (T)__half2float(s.at ? *(const __half *)s.at
                                : __ushort_as_half((unsigned short)s.bytes));
}

template <typename T> __device__ T from(T v) { return v; }
__device__ float from(__half v) { return __half2float(v); }
__device__ void store(float *to, float v) { *to = v; }
__device__ void store(double *to, double v) { *to = v; }
__device__ void store(__half *to, float v) { *to = __float2half_rn(v); }

template <typename T> __device__ T *element(const blas_vector &v, long long i, long long n)
{
    return (T *)v.at + (v.step < 0 ? i - (n - 1) : i) * v.step;
}

/* --- C = alpha op(A) op(B) + beta C --- */

template <typename T> __device__ T *matrix_at(const blas_matrix &m, long long z)
{
    return (T *)m.at + z * m.next;
}

/* A tile of LONG elements along a side of C and BLAS_SIDE along k. Lanes walk along what is
 * contiguous in memory. */
template <int LONG, typename In, typename Acc>
__device__ void load_tile(Acc (*tile)[LONG + 1], const In *from_here, long long along,
                          long long along_k, long long first, long long end, long long first_k,
                          long long end_k, int thread)
{
#pragma unroll 1
    for (int e = thread; e < LONG * BLAS_SIDE; e += BLAS_THREADS) {
        const int i = along == 1 ? e % LONG : e / BLAS_SIDE,
                  k = along == 1 ? e / LONG : e % BLAS_SIDE;
        const bool inside = first + i < end && first_k + k < end_k;
        tile[k][i] =
            inside ? from(from_here[(first + i) * along + (first_k + k) * along_k]) : Acc(0);
    }
}

template <int PER, typename In, typename Out, typename Acc>
__device__ void gemm(const blas_product &p)
{
    constexpr int TILE = BLAS_SIDE * PER;
    __shared__ Acc tile_a[BLAS_SIDE][TILE + 1], tile_b[BLAS_SIDE][TILE + 1];
    const Acc alpha = scalar_value<Acc>(p.alpha), beta = scalar_value<Acc>(p.beta);
    const long long k_end = alpha == Acc(0) ? 0 : p.k;
    const unsigned tiles = (unsigned)((p.m + TILE - 1) / TILE); /* in a column of C */
    const long long row = blockIdx.x % tiles * (long long)TILE,
                    column = blockIdx.x / tiles * (long long)TILE;
    const int x = threadIdx.x, y = threadIdx.y, thread = y * BLAS_SIDE + x;
#pragma unroll 1
    for (long long z = blockIdx.z; z < p.count; z += gridDim.z) {
        Acc sum[PER][PER] = {};
#pragma unroll 1
        for (long long k = 0; k < k_end; k += BLAS_SIDE) {
            load_tile<TILE>(tile_a, matrix_at<const In>(p.a, z), p.a.row, p.a.column, row, p.m, k,
                            k_end, thread);
            load_tile<TILE>(tile_b, matrix_at<const In>(p.b, z), p.b.column, p.b.row, column, p.n,
                            k, k_end, thread);
            __syncthreads();
#pragma unroll 4
            for (int d = 0; d < BLAS_SIDE; d++)
#pragma unroll
                for (int j = 0; j < PER; j++)
#pragma unroll
                    for (int i = 0; i < PER; i++)
                        sum[i][j] += tile_a[d][x + i * BLAS_SIDE] * tile_b[d][y + j * BLAS_SIDE];
            __syncthreads();
        }
        Out *c = matrix_at<Out>(p.c, z);
        for (int j = 0; j < PER; j++)
            for (int i = 0; i < PER; i++) {
                const long long r = row + x + i * BLAS_SIDE, s = column + y + j * BLAS_SIDE;
                if (r < p.m && s < p.n) {
                    Out *to = c + r + s * p.c.column;
                    store(to, beta == Acc(0) ? alpha * sum[i][j]
                                             : alpha * sum[i][j] + beta * from(*to));
                }
            }
    }
}

#define GEMM(name, In, Out, Acc)                                                                \
    extern "C" __global__ void __launch_bounds__(BLAS_THREADS) gemm_##name(blas_product p)      \
    {                                                                                           \
        gemm<1, In, Out, Acc>(p);                                                               \
    }                                                                                           \
    extern "C" __global__ void __launch_bounds__(BLAS_THREADS) gemm_wide_##name(blas_product p) \
    {                                                                                           \
        gemm<BLAS_PER, In, Out, Acc>(p);                                                        \
    }
GEMM(f32, float, float, float)
GEMM(f64, double, double, double)
GEMM(f16, __half, __half, float)
GEMM(f16_to_f32, __half, float, float)

/* --- y = alpha op(A) x + beta y --- */

template <typename T> __device__ void scale_add(T *y, T alpha, T sum, T beta)
{
    *y = beta == T(0) ? alpha * sum : alpha * sum + beta * *y;
}

/* op(A) has its rows beside one another: a thread has a row. */
template <typename T> __device__ void gemv_n(const blas_matrix_vector &p)
{
    const T alpha = scalar_value<T>(p.alpha), beta = scalar_value<T>(p.beta);
    const long long row = blockIdx.x * (long long)BLAS_THREADS + threadIdx.x;
    if (row >= p.rows)
        return;
    T sum = 0;
#pragma unroll 1
    for (long long j = 0; alpha != T(0) && j < p.columns; j++)
        sum += ((const T *)p.a.at)[row + j * p.a.column] * *element<const T>(p.x, j, p.columns);
    scale_add(element<T>(p.y, row, p.rows), alpha, sum, beta);
}

template <typename T> __device__ T block_sum(T mine)
{
    __shared__ T part[BLAS_THREADS];
    part[threadIdx.x] = mine;
    _Pragma("unroll 1") for (int half = BLAS_THREADS / 2; half; half /= 2)
    {
        __syncthreads();
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
    }
    return part[0]; /* of thread 0 */
}

/* op(A) has a row's elements beside one another: a block has a row. */
template <typename T> __device__ void gemv_t(const blas_matrix_vector &p)
{
    const T alpha = scalar_value<T>(p.alpha), beta = scalar_value<T>(p.beta);
    const long long row = blockIdx.x;
    T sum = 0;
#pragma unroll 1
    for (long long j = threadIdx.x; alpha != T(0) && j < p.columns; j += BLAS_THREADS)
        sum += ((const T *)p.a.at)[row * p.a.row + j] * *element<const T>(p.x, j, p.columns);
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        scale_add(element<T>(p.y, row, p.rows), alpha, sum, beta);
}

/* --- vectors --- */

#define EACH(i, n)                                                                             \
    _Pragma("unroll 1") for (long long i = blockIdx.x * (long long)BLAS_THREADS + threadIdx.x; \
                             i < n; i += gridDim.x * (long long)BLAS_THREADS)

template <typename T>
__device__ void axpy(long long n, const blas_scalar &alpha, const blas_vector &x,
                     const blas_vector &y)
{
    const T a = scalar_value<T>(alpha);
    if (a == T(0))
        return;
    EACH(i, n) * element<T>(y, i, n) += a * *element<const T>(x, i, n);
}

template <typename T>
__device__ void scal(long long n, const blas_scalar &alpha, const blas_vector &x)
{
    const T a = scalar_value<T>(alpha);
    EACH(i, n) * element<T>(x, i, n) *= a;
}

/* A reduction: what a thread gathers, how two are joined, and the result. */
template <typename T> struct dot_of {
    typedef T element_type;
    T sum = 0;
    __device__ void add(T x, T y, long long) { sum += x * y; }
    __device__ void join(const dot_of &o) { sum += o.sum; }
    __device__ void result(void *to, bool) const { *(T *)to = sum; }
};

template <typename T> struct asum_of : dot_of<T> {
    __device__ void add(T x, T, long long) { this->sum += fabs(x); }
};

/* The root of scale^2 squares: squares themselves would overflow, or vanish. */
template <typename T> struct nrm2_of {
    typedef T element_type;
    T scale = 0, squares = 0;
    __device__ void join(const nrm2_of &o)
    {
        if (o.squares == T(0))
            return;
        const bool less = scale < o.scale;
        const T big = less ? o.scale : scale, small = less ? scale : o.scale,
                ratio = big == small ? T(1) : small / big;
        squares = less ? o.squares + squares * ratio * ratio : squares + o.squares * ratio * ratio;
        scale = big;
    }
    __device__ void add(T x, T, long long)
    {
        nrm2_of one;
        one.scale = fabs(x), one.squares = 1;
        join(one);
    }
    __device__ void result(void *to, bool) const { *(T *)to = scale * sqrt(squares); }
};

/* The first index, from 1, of the greatest magnitude (SIGN 1) or the least (-1). */
template <typename T, int SIGN> struct index_of {
    typedef T element_type;
    T value = 0;
    long long index = 0; /* 0: none yet */
    __device__ void join(const index_of &o)
    {
        const T d = SIGN * (o.value - value);
        if (o.index && (!index || d > T(0) || (o.value == value && o.index < index)))
            *this = o;
    }
    __device__ void add(T x, T, long long i)
    {
        index_of one;
        one.value = fabs(x), one.index = i + 1;
        join(one);
    }
    __device__ void result(void *to, bool wide) const
    {
        if (wide)
            *(long long *)to = index;
        else
            *(int *)to = (int)index;
    }
};

template <typename Of> __device__ void leave(Of mine, void *parts, void *result, bool wide)
{
    static_assert(sizeof(Of) <= BLAS_STATE, "a state fits the memory that the host asks for");
    __shared__ alignas(16) char room[BLAS_THREADS * sizeof(Of)];
    Of *part = (Of *)room;
    part[threadIdx.x] = mine;
    _Pragma("unroll 1") for (int half = BLAS_THREADS / 2; half; half /= 2)
    {
        __syncthreads();
        if (threadIdx.x < half)
            part[threadIdx.x].join(part[threadIdx.x + half]);
    }
    if (threadIdx.x != 0)
        return;
    if (gridDim.x == 1)
        part[0].result(result, wide);
    else
        ((Of *)parts)[blockIdx.x] = part[0];
}

template <typename Of>
__device__ void reduce(long long n, const blas_vector &x, const blas_vector &y, void *parts,
                       void *result, bool wide)
{
    typedef typename Of::element_type T;
    Of mine;
    EACH(i, n)
    {
        const T v = *element<const T>(x, i, n);
        mine.add(v, y.at ? *element<const T>(y, i, n) : v, i);
    }
    leave(mine, parts, result, wide);
}

/* What the blocks have left, by one block. */
template <typename Of> __device__ void join(int blocks, void *parts, void *result, bool wide)
{
    Of mine;
    if (threadIdx.x < blocks)
        mine = ((const Of *)parts)[threadIdx.x];
    leave(mine, parts, result, wide);
}
static_assert(BLAS_PARTIALS <= BLAS_THREADS, "a thread of the last block for each");

#define KERNEL extern "C" __global__ void __launch_bounds__(BLAS_THREADS)
#define REDUCTION(name, type, Of)                                                              \
    KERNEL name##_##type(long long n, blas_vector x, blas_vector y, void *parts, void *result, \
                         int wide)                                                             \
    {                                                                                          \
        reduce<Of>(n, x, y, parts, result, wide);                                              \
    }                                                                                          \
    KERNEL name##_join_##type(int blocks, void *parts, void *result, int wide)                 \
    {                                                                                          \
        join<Of>(blocks, parts, result, wide);                                                 \
    }
#define LESSER(type, T)                                                                         \
    KERNEL gemv_n_##type(blas_matrix_vector p) { gemv_n<T>(p); }                                \
    KERNEL gemv_t_##type(blas_matrix_vector p) { gemv_t<T>(p); }                                \
    KERNEL axpy_##type(long long n, blas_scalar alpha, blas_vector x, blas_vector y)            \
    {                                                                                           \
        axpy<T>(n, alpha, x, y);                                                                \
    }                                                                                           \
    KERNEL scal_##type(long long n, blas_scalar alpha, blas_vector x) { scal<T>(n, alpha, x); } \
    REDUCTION(dot, type, dot_of<T>)                                                             \
    REDUCTION(asum, type, asum_of<T>)                                                           \
    REDUCTION(nrm2, type, nrm2_of<T>)
LESSER(f32, float)
LESSER(f64, double)
#define COMMA ,
REDUCTION(iamax, f32, index_of<float COMMA 1>)
REDUCTION(iamax, f64, index_of<double COMMA 1>)
REDUCTION(iamin, f32, index_of<float COMMA - 1>)
REDUCTION(iamin, f64, index_of<double COMMA - 1>)
