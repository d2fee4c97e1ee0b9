// Thrust: sort, scan, reduce by key, transforms, compaction, sets, searches.
#include <cstdio>
#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>
#include <thrust/unique.h>

struct square {
    __host__ __device__ double operator()(double x) const
    {
        return x * x;
    }
};

struct is_even {
    __host__ __device__ bool operator()(int x) const
    {
        return x % 2 == 0;
    }
};

static unsigned state = 12345;
static unsigned draw()
{
    return (state = state * 1664525u + 1013904223u) >> 8;
}

template <typename V> static void show(const char *what, const V &v, size_t n)
{
    thrust::host_vector<typename V::value_type> h(v.begin(), v.begin() + n);
    printf("%s:", what);
    for (size_t i = 0; i < h.size() && i < 10; i++)
        printf(" %lld", (long long)h[i]);
    long long hash = 0;
    for (size_t i = 0; i < h.size(); i++)
        hash = hash * 31 + (long long)h[i];
    printf(" ... (%zu) %llx\n", h.size(), hash);
}

int main()
{
    const int n = 20000;
    thrust::host_vector<int> h(n), k(n);
    for (int i = 0; i < n; i++)
        h[i] = draw() % 100000, k[i] = draw() % 97;
    thrust::device_vector<int> a = h, keys = k, b(n), c(n);
    printf("sum %d, most %d, even %d\n", thrust::reduce(a.begin(), a.end()),
           (int)*thrust::max_element(a.begin(), a.end()),
           (int)thrust::count_if(a.begin(), a.end(), is_even()));
    thrust::inclusive_scan(a.begin(), a.end(), b.begin());
    show("scan", b, n);
    thrust::exclusive_scan(a.begin(), a.end(), b.begin(), 5, thrust::maximum<int>());
    show("running maximum", b, n);
    thrust::sort(a.begin(), a.end());
    show("sorted", a, n);
    thrust::stable_sort(a.begin(), a.end(), thrust::greater<int>());
    show("sorted down", a, n);
    a = h;
    thrust::sort_by_key(keys.begin(), keys.end(), a.begin());
    show("by key", a, n);
    auto end = thrust::reduce_by_key(keys.begin(), keys.end(), a.begin(), b.begin(), c.begin());
    show("sums by key", c, end.second - c.begin());
    a = h;
    size_t left = thrust::copy_if(a.begin(), a.end(), b.begin(), is_even()) - b.begin();
    show("even", b, left);
    thrust::sort(b.begin(), b.begin() + left);
    size_t unique = thrust::unique(b.begin(), b.begin() + left) - b.begin();
    show("unique", b, unique);
    thrust::sequence(c.begin(), c.end(), 0, 3);
    size_t both =
        thrust::set_intersection(b.begin(), b.begin() + unique, c.begin(), c.end(), a.begin()) -
        a.begin();
    show("in both", a, both);
    thrust::lower_bound(b.begin(), b.begin() + unique, c.begin(), c.end(), a.begin());
    show("lower bounds", a, n);
    thrust::device_vector<double> d(n);
    thrust::transform(thrust::counting_iterator<int>(0), thrust::counting_iterator<int>(n),
                      d.begin(), square());
    printf("sum of squares %.0f\n", thrust::reduce(d.begin(), d.end()));
    printf("norm %.0f\n",
           thrust::transform_reduce(d.begin(), d.end(), square(), 0.0, thrust::maximum<double>()));
    return 0;
}
