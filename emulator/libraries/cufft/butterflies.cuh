/* Complex numbers, and transforms of a few of them in registers. */
#pragma once

template <typename C> struct real_of;
template <> struct real_of<float2> {
    typedef float type;
};
template <> struct real_of<double2> {
    typedef double type;
};

template <typename C> __device__ C make(typename real_of<C>::type x, typename real_of<C>::type y)
{
    C c;
    c.x = x, c.y = y;
    return c;
}
#define COMPLEX_OPERATORS(C)                                          \
    __device__ C operator+(C a, C b)                                  \
    {                                                                 \
        return make<C>(a.x + b.x, a.y + b.y);                         \
    }                                                                 \
    __device__ C operator-(C a, C b)                                  \
    {                                                                 \
        return make<C>(a.x - b.x, a.y - b.y);                         \
    }                                                                 \
    __device__ C operator*(C a, C b)                                  \
    {                                                                 \
        return make<C>(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); \
    }
COMPLEX_OPERATORS(float2)
COMPLEX_OPERATORS(double2)
template <typename C> __device__ C conj(C a)
{
    return make<C>(a.x, -a.y);
}
template <typename C> __device__ C swapped(C a)
{
    return make<C>(a.y, a.x);
}
template <typename C> __device__ C times_minus_i(C a)
{
    return make<C>(a.y, -a.x);
}

/* Cosine and sine of 2 pi i / R, 0 < i <= R / 2. */
template <int R> __device__ constexpr double cosine(int i)
{
    return R == 3   ? -0.5
           : R == 5 ? (i == 1 ? 0.30901699437494742410 : -0.80901699437494742410)
                    : (i == 1   ? 0.62348980185873353053
                       : i == 2 ? -0.22252093395631440429
                                : -0.90096886790241912624);
}
template <int R> __device__ constexpr double sine(int i)
{
    return R == 3   ? 0.86602540378443864676
           : R == 5 ? (i == 1 ? 0.95105651629515357212 : 0.58778525229247312917)
                    : (i == 1   ? 0.78183148246802980871
                       : i == 2 ? 0.97492791218182360702
                                : 0.43388373911755812048);
}

/* Of an odd R: pairs v[j], v[R - j] have one cosine and opposite sines. */
template <int R, typename C> struct butterfly {
    static __device__ void run(C *v)
    {
        typedef typename real_of<C>::type T;
        constexpr int HALF = R / 2;
        C sum[HALF], difference[HALF];
        const C first = v[0];
#pragma unroll
        for (int j = 1; j <= HALF; j++) {
            sum[j - 1] = v[j] + v[R - j];
            difference[j - 1] = v[j] - v[R - j];
            v[0] = v[0] + sum[j - 1];
        }
#pragma unroll
        for (int k = 1; k <= HALF; k++) {
            C even = first, odd = make<C>(0, 0);
#pragma unroll
            for (int j = 1; j <= HALF; j++) {
                const int i = j * k % R, near = i <= HALF ? i : R - i;
                const T c = (T)cosine<R>(near), s = (T)(i <= HALF ? sine<R>(near) : -sine<R>(near));
                even.x += c * sum[j - 1].x, even.y += c * sum[j - 1].y;
                odd.x += s * difference[j - 1].x, odd.y += s * difference[j - 1].y;
            }
            const C turned = times_minus_i(odd);
            v[k] = even + turned;
            v[R - k] = even - turned;
        }
    }
};

template <typename C> struct butterfly<2, C> {
    static __device__ void run(C *v)
    {
        const C d = v[0] - v[1];
        v[0] = v[0] + v[1];
        v[1] = d;
    }
};

template <typename C> struct butterfly<4, C> {
    static __device__ void run(C *v)
    {
        const C a = v[0] + v[2], b = v[0] - v[2], c = v[1] + v[3], d = times_minus_i(v[1] - v[3]);
        v[0] = a + c, v[1] = b + d, v[2] = a - c, v[3] = b - d;
    }
};

template <typename C> struct butterfly<8, C> {
    static __device__ void run(C *v)
    {
        typedef typename real_of<C>::type T;
        const T r = (T)0.70710678118654752440;
        C even[4] = {v[0], v[2], v[4], v[6]}, odd[4] = {v[1], v[3], v[5], v[7]};
        butterfly<4, C>::run(even);
        butterfly<4, C>::run(odd);
        odd[1] = make<C>(r * (odd[1].x + odd[1].y), r * (odd[1].y - odd[1].x));
        odd[2] = times_minus_i(odd[2]);
        odd[3] = make<C>(r * (odd[3].y - odd[3].x), -r * (odd[3].x + odd[3].y));
#pragma unroll
        for (int k = 0; k < 4; k++) {
            v[k] = even[k] + odd[k];
            v[k + 4] = even[k] - odd[k];
        }
    }
};
