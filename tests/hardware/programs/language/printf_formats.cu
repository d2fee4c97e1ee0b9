// What device printf makes of conversions: flags, widths, precisions, sizes, special values. Left out
// is what prints memory that is not the call's: %hhd, more than 32 arguments, %b.
#include <cmath>
#include <cstdio>

// One a launch, so that each is whole before the next.
#define SHOW(kernel, ...)                  \
    __global__ void kernel(int n, char *s) \
    {                                      \
        __VA_ARGS__;                       \
    }
#define P(...) printf(__VA_ARGS__)

SHOW(halves, P("[%hd] [%hu] [%hi] [%hx] [%ho]\n", (short)-1, (unsigned short)65535, n * 1000,
               n * 100000, 65535 + n))
SHOW(longs, P("[%ld] [%lu] [%lx] [%lld] [%llu] [%llx] [%lo] [%li]\n", -5l, 1ul << 63, -1l,
              -1ll << 62, ~0ull, 0xdeadbeefcafeull, 8l, 9l))
SHOW(odd_sizes, P("[%zu] [%td] [%jd] [%qd] [%Lf] [%I64d]\n", (size_t)1, 2l, 3l, 4l, 5.0, 6l))
SHOW(stars, P("[%*d] [%-*d] [%*d] [%.*f] [%*.*f] [%.*d]\n", 6, n, 6, n, -6, n, 2, 3.14159, 9, 3,
              2.71828, 5, n))
SHOW(flags, P("[%-5d] [%+d] [%05d] [% d] [%#x] [%#o] [%-+5d] [%+-5d] [%0+5d] [%-05d] [% +d] [%+ d]\n",
              n, n, n, n, n, n, n, n, n, n, n, n))
SHOW(flags_of_floats, P("[%-9.2f] [%+.2f] [%09.2f] [% .2f] [%#.0f] [%-+9.2f] [%+09.2f] [%#g] [%g]\n",
                        2.5, 2.5, 2.5, 2.5, 3.0, 2.5, -2.5, 1.0, 1.0))
SHOW(pointers, P("[%p] [%20p] [%-20p] [%p]\n", (void *)0x1234, (void *)0xabcdef, (void *)1, (void *)0))
SHOW(letters, P("[%c] [%5c] [%-5c] [%c%c]\n", 'a', 'b', 'c', 300, 65))
SHOW(null_letter, P("[%c] after\n", 0))
SHOW(strings, P("[%s] [%10s] [%-10s] [%.3s] [%10.3s] [%.0s] [%s]\n", "abcdef", "abc", "abc",
                "abcdef", "abcdef", "abc", ""))
SHOW(null_string, P("[%s] [%10s] [%-10s] [%.3s]\n", (char *)0, (char *)0, (char *)0, (char *)0))
SHOW(widths, P("[%3d] [%10d] [%-10d] [%010d] [%.5d] [%10.5d] [%-10.5d] [%.0d] [%.d]\n", 12345, n, n,
               n, n, n, n, 0, 0))
SHOW(unsigneds, P("[%u] [%x] [%X] [%o] [%#X] [%08x] [%-8x] [%.4x]\n", -1, 255, 255, 8, 255, 255,
                  255, 255))
SHOW(floats, P("[%f] [%.0f] [%.1f] [%.10f] [%.20f] [%10.3f] [%F]\n", 1.0 / 3, 2.5, 0.25, 1e-5, 0.1,
               -3.14159, 1.5))
SHOW(exponents, P("[%e] [%.0e] [%.3e] [%E] [%12.4e] [%e] [%e] [%e]\n", 12345.678, 5.5, 1e-300,
                  1e300, -1.0, 0.0, -0.0, 4.9e-324))
SHOW(generals, P("[%g] [%g] [%g] [%g] [%G] [%.3g] [%.10g] [%g] [%g]\n", 1e5, 1e6, 1e-4, 1e-5, 1e-10,
                 1234.5, 0.1, 100000.0, 0.0))
SHOW(hexes, P("[%a] [%a] [%A] [%.2a] [%.0a] [%a] [%a] [%20a]\n", 1.0, 0.1, 255.5, 1.999, 1.5, 0.0,
              -0.0, 3.0))
SHOW(infinities, P("[%f] [%e] [%g] [%a] [%F] [%E] [%10f] [%-10f] [%010f] [%+f]\n", INFINITY,
                   -INFINITY, INFINITY, -INFINITY, INFINITY, INFINITY, INFINITY, -INFINITY,
                   INFINITY, INFINITY))
SHOW(nans, P("[%f] [%e] [%g] [%a] [%F] [%E] [%10f] [%010f] [%+f] [%f]\n", nan(""), nan(""), nan(""),
             nan(""), nan(""), nan(""), nan(""), nan(""), nan(""), -nan("")))
SHOW(percents, P("[%%] [%5%] [%-5%] 100%%\n"))
SHOW(unknown, P("[%q] [%y] [%k] [%d]\n", n))
SHOW(numbered, P("[%2$d] [%1$d]\n", 1, 2))
SHOW(tail, P("at the end %"))
SHOW(tail_flag, P(" and %-"))
SHOW(tail_size, P(" and %l"))
SHOW(newline, P("\n"))
SHOW(written, P("[%n] after\n", (int *)s))
SHOW(thirty_two, P("%d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d "
                   "%d %d %d\n", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19,
                   20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32))
SHOW(mixed, P("%d %f %c %lld %s %e %p %u %hd %g\n", n, 1.5, 'z', 1ll << 40, "text", 2.5, (void *)16,
              7u, (short)-3, 0.5))
SHOW(results, int a = printf("%d %d\n", 1, 2); int b = printf("none\n"); int c = printf("");
     int d = printf("%q %d\n", 1, 2); int e = printf("%*d\n", 4, 5); printf("%d %d %d %d %d\n", a, b, c, d, e))
SHOW(wide, P("[%40d] [%-40s] [%.30f]\n", n, "left", 1.0 / 7))
SHOW(many_flags, P("[%-+ #08d] [%+ +  +d] [%#-08x]\n", n, n, n))
SHOW(escapes, P("a\tb\\c\"d'e\?f\x41\101\n"))
SHOW(half_of_a_long, P("[%d] [%d]\n", 1ll << 33 | 5, n))
SHOW(float_as_int, P("[%d] [%x] [%f]\n", 1.0, 1.0, 2.0))

#define RUN(kernel)                            \
    do {                                       \
        printf(#kernel ": ");                  \
        fflush(stdout);                        \
        kernel<<<1, 1>>>(42, s);               \
        if (cudaDeviceSynchronize()) {         \
            printf("%s\n", cudaGetErrorName(cudaGetLastError())); \
        }                                      \
        fflush(stdout);                        \
    } while (0)

int main()
{
    char *s;
    cudaMalloc(&s, 64);
    cudaMemset(s, 0, 64);
    RUN(halves);
    RUN(longs);
    RUN(odd_sizes);
    RUN(stars);
    RUN(flags);
    RUN(flags_of_floats);
    RUN(pointers);
    RUN(letters);
    RUN(null_letter);
    RUN(strings);
    RUN(null_string);
    RUN(widths);
    RUN(unsigneds);
    RUN(floats);
    RUN(exponents);
    RUN(generals);
    RUN(hexes);
    RUN(infinities);
    RUN(nans);
    RUN(percents);
    RUN(unknown);
    RUN(numbered);
    RUN(tail);
    RUN(tail_flag);
    RUN(tail_size);
    RUN(newline);
    RUN(written);
    int back = 0;
    cudaMemcpy(&back, s, 4, cudaMemcpyDeviceToHost);
    printf("%%n wrote %d\n", back);
    RUN(thirty_two);
    RUN(mixed);
    RUN(results);
    RUN(wide);
    RUN(many_flags);
    RUN(escapes);
    RUN(half_of_a_long);
    RUN(float_as_int);
    return 0;
}
