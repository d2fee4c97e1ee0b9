// What tests/book/course/run-diagnoses runs: wrong results of known shapes, and what the failed
// check says of each. The line after "// says:" or "// never:" is an ERE that the message of the
// check below it matches, or does not.
#include "lab_texture.h"

// Check that elements AS(i) in an array NAMED as the student's are compared with WANT.
template <class T, class A, class W> static void compare(int n, A as, W want, double tolerance = 0)
{
    lab_array<T> sums(n, LAB_POISON);
    T *values = (T *)malloc((size_t)n * sizeof(T));
    for (int i = 0; i < n; i++)
        values[i] = (T)as(i);
    CUDA_CHECK(cudaMemcpy(sums.device, values, (size_t)n * sizeof(T), cudaMemcpyHostToDevice));
    lab_expect(sums, want, tolerance, "a few roundings");
    free(values);
}

static int mixed(long i) // as good as random, from -1000 to 999
{
    return (int)((unsigned)(i + 7) * 2654435761u >> 16) % 2000 - 1000;
}

static double real(long i)
{
    return mixed(i) / 1024.0;
}

int main(void)
{
    lab_begin("diagnoses");

    // says: sums\[0\] is -?[0-9]+, expected -?[0-9]+: that is twice the right value\. Is it added
    // twice\? 100 of 100 wrong
    LAB_CHECK_AT("twice", 100)
    compare<int>(
        100, [](int i) { return 2 * mixed(i); }, mixed);
    // says: twice the right value
    LAB_CHECK_AT("twice as floats, but for one", 100)
    compare<float>(
        100, [](int i) { return i == 7 ? 3 : 2 * real(i); }, real, 1e-6);
    // never: twice|added
    LAB_CHECK_AT("twice once, and otherwise anything", 100)
    compare<int>(
        100, [](int i) { return i ? mixed(i + 50) : 2 * mixed(i); }, mixed);
    // says: half the right value
    LAB_CHECK_AT("half", 100)
    compare<float>(
        100, [](int i) { return real(i) / 2; }, real, 1e-6);
    // says: n = 50, block = 64: .*: that is 64 times the right value, and block is 64\. Is it added
    // 64 times\?
    LAB_CHECK_AT("as many times as the block", 50)
    {
        lab_case("block", 64);
        compare<int>(
            50, [](int i) { return 64 * mixed(i); }, mixed);
    }
    // says: that is 256 times the right value\. Is it added 256 times\?
    LAB_CHECK_AT("some other number of times", 50)
    compare<int>(
        50, [](int i) { return 256 * mixed(i); }, mixed);
    // never: times the right
    LAB_CHECK_AT("seven times, of one element", 1)
    compare<int>(
        1, [](int) { return 7; }, [](long) { return 1; });
    // says: : one too many\. Is something counted once too often
    LAB_CHECK_AT("one too many", 100)
    compare<int>(
        100, [](int i) { return mixed(i) + (i % 3 == 0); }, mixed);
    // says: : one too few\. Is something left out
    LAB_CHECK_AT("one too few", 100)
    compare<int>(
        100, [](int i) { return mixed(i) - (i > 90); }, mixed);
    // never: too many|too few
    LAB_CHECK_AT("one more or less", 100)
    compare<int>(
        100, [](int i) { return mixed(i) + (i % 2 ? 1 : -1); }, mixed);
    // never: too many
    LAB_CHECK_AT("one too many of floats", 100)
    compare<float>(
        100, [](int i) { return real(i) + 1; }, real, 1e-6);
    // says: : the right size with the wrong sign\.
    LAB_CHECK_AT("sign", 100)
    compare<int>(
        100, [](int i) { return -mixed(i); }, mixed);
    // never: sign
    LAB_CHECK_AT("sign of the first alone", 100)
    compare<int>(
        100, [](int i) { return i ? mixed(i + 30) : -mixed(i); }, mixed);
    // says: sums\[0\] .*: that is what belongs in sums\[3\]\. Is the index right\?
    LAB_CHECK_AT("neighbour", 100)
    compare<int>(
        100, [](int i) { return mixed(i + 3); }, mixed);
    // says: that is what belongs in sums\[[0-9]+\]
    LAB_CHECK_AT("neighbours changed over", 100)
    compare<int>(
        100, [](int i) { return mixed(i ^ 4); }, mixed);
    // never: belongs in
    LAB_CHECK_AT("the neighbour's of the first alone", 100)
    compare<int>(
        100, [](int i) { return i ? mixed(i + 40) : mixed(1); }, mixed);
    // never: belongs in|too many
    LAB_CHECK_AT("flags", 100)
    compare<int>(
        100, [](int i) { return mixed(i) <= 0; }, [](long i) { return mixed(i) > 0; });
    // never: belongs in|too many
    LAB_CHECK_AT("one flag", 100)
    compare<int>(
        100, [](int i) { return i == 30 || mixed(i) > 900; },
        [](long i) { return mixed(i) > 900; });
    // says: sums\[0\] is 0, expected -?[0-9]+: nothing was added or copied there\.
    LAB_CHECK_AT("zero", 100)
    compare<int>(
        100, [](int) { return 0; }, mixed);
    // says: expected -?[0-9]+\. 100 of 100 wrong
    LAB_CHECK_AT("no shape", 100)
    compare<int>(
        100, [](int i) { return mixed(i + 300); }, mixed);

    lab_array<float> table(40 * 30);
    auto texel = [&](long i, double off, cudaTextureFilterMode filter) {
        const float2 at = {(float)(0.75 * (i % 20) + 2.25 + off), (float)(i / 20 + 1.5 + off)};
        return lab_texel(table, 40, 30, at, filter);
    };
    for (auto filter : {cudaFilterModePoint, cudaFilterModeLinear}) {
        const bool point = filter == cudaFilterModePoint;
        // says: : that is half a texel to the left and above\. The middle of texel x is at x \+
        // 0\.5
        LAB_CHECK_AT(point ? "half a texel, nearest" : "half a texel, linear", 400)
        compare<float>(
            400, [&](int i) { return texel(i, -0.5, filter); },
            [&](long i) { return texel(i, 0, filter); }, 4e-3);
        // never: texel
        LAB_CHECK_AT(point ? "a texel, nearest" : "a texel, linear", 400)
        compare<float>(
            400, [&](int i) { return texel(i, 3.25, filter); },
            [&](long i) { return texel(i, 0, filter); }, 4e-3);
    }
    // never: twice|times|half|texel|belongs|too
    LAB_CHECK_AT("one wrong value", 1000)
    compare<float>(
        1000, [](int i) { return i == 500 ? 0.123 : real(i); }, real, 1e-6);
    return lab_end();
}
