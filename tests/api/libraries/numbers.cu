// cuRAND's calls beside curand_kernel.h in a kernel of the program, which goes through the same
// sequences; streams; what this library does not have.
#include "check.h"

#include <cstring>
#include <vector>
#include <curand.h>
#include <curand_kernel.h>

#define GOES(call) CHECK((call) == CURAND_STATUS_SUCCESS)
enum { SEQUENCES = 64 };

template <typename state>
__global__ void by_header(unsigned *bits, float *uniform, float2 *normal, double *wide,
                          unsigned *poisson, curandDiscreteDistribution_t distribution)
{
    const int k = threadIdx.x;
    state s;
    curand_init(77, k, 0, &s);
    bits[k] = curand(&s);
    curand_init(77, k, 0, &s);
    uniform[k] = curand_uniform(&s);
    curand_init(77, k, 0, &s);
    normal[k] = curand_normal2(&s);
    curand_init(77, k, 0, &s);
    wide[k] = curand_uniform_double(&s);
    curand_init(77, k, 0, &s);
    poisson[k] = curand_discrete(&s, distribution);
}

static std::vector<void *> taken;
template <typename T> static T *managed(size_t count)
{
    T *p;
    OK(cudaMallocManaged(&p, count * sizeof *p));
    taken.push_back(p);
    return p;
}

static curandGenerator_t seeded(int type)
{
    curandGenerator_t g = nullptr;
    GOES(curandCreateGenerator(&g, (curandRngType_t)type));
    GOES(curandSetPseudoRandomGeneratorSeed(g, 77));
    return g;
}

/* The first number of each sequence, by a call in a stream and by the header. */
template <typename state> static void try_header(int type)
{
    unsigned *bits = managed<unsigned>(2 * SEQUENCES), *poisson = managed<unsigned>(2 * SEQUENCES);
    float *uniform = managed<float>(2 * SEQUENCES);
    float2 *normal = managed<float2>(2 * SEQUENCES);
    double *wide = managed<double>(2 * SEQUENCES);
    curandDiscreteDistribution_t distribution;
    cudaStream_t stream;
    OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    GOES(curandCreatePoissonDistribution(5.5, &distribution));
    by_header<state>
        <<<1, SEQUENCES, 0, stream>>>(bits, uniform, normal, wide, poisson, distribution);
    curandGenerator_t g = seeded(type);
    GOES(curandSetStream(g, stream));
    GOES(curandGenerate(g, bits + SEQUENCES, SEQUENCES));
    GOES(curandSetGeneratorOffset(g, 0));
    GOES(curandGenerateUniform(g, uniform + SEQUENCES, SEQUENCES));
    GOES(curandSetGeneratorOffset(g, 0));
    GOES(curandGenerateNormal(g, (float *)(normal + SEQUENCES), 2 * SEQUENCES, 0, 1));
    GOES(curandSetGeneratorOffset(g, 0));
    GOES(curandGenerateUniformDouble(g, wide + SEQUENCES, SEQUENCES));
    GOES(curandSetGeneratorOffset(g, 0));
    GOES(curandGeneratePoisson(g, poisson + SEQUENCES, SEQUENCES, 5.5));
    OK(cudaStreamSynchronize(stream));
    for (int k = 0, r = SEQUENCES; k < SEQUENCES; k++, r++) {
        CHECK(bits[k] == bits[r] && uniform[k] == uniform[r] && wide[k] == wide[r] &&
              poisson[k] == poisson[r]);
        CHECK(normal[k].x == normal[r].x && normal[k].y == normal[r].y);
    }
    GOES(curandDestroyGenerator(g));
    GOES(curandDestroyDistribution(distribution));
    OK(cudaStreamDestroy(stream));
}

/* Calls that begin and end anywhere go on as one call does. */
static void try_pieces(int type)
{
    enum { COUNT = 300001 };
    unsigned *whole = managed<unsigned>(COUNT), *pieces = managed<unsigned>(COUNT);
    curandGenerator_t a = seeded(type), b = seeded(type);
    GOES(curandGenerate(a, whole, COUNT));
    for (int from = 0, size = 1; from < COUNT; from += size, size = size * 3 + 1) {
        size = size < COUNT - from ? size : COUNT - from;
        GOES(curandGenerate(b, pieces + from, size));
    }
    OK(cudaDeviceSynchronize());
    CHECK(memcmp(whole, pieces, COUNT * sizeof *whole) == 0);
    GOES(curandDestroyGenerator(a));
    GOES(curandDestroyGenerator(b));
}

int main()
{
    curandGenerator_t g = nullptr;
    curandDirectionVectors32_t *vectors;
    unsigned *three = managed<unsigned>(3);
    try_header<curandStateXORWOW_t>(CURAND_RNG_PSEUDO_XORWOW);
    try_header<curandStateMRG32k3a_t>(CURAND_RNG_PSEUDO_MRG32K3A);
    for (int type :
         {CURAND_RNG_PSEUDO_XORWOW, CURAND_RNG_PSEUDO_MRG32K3A, CURAND_RNG_PSEUDO_PHILOX4_32_10})
        try_pieces(type);
    for (int time = 0; time < 2; time++) {
        CHECK(curandCreateGenerator(&g, CURAND_RNG_QUASI_SOBOL32) == CURAND_STATUS_TYPE_ERROR &&
              !g);
        CHECK(curandCreateGeneratorHost(&g, CURAND_RNG_PSEUDO_MTGP32) == CURAND_STATUS_TYPE_ERROR &&
              !g);
        CHECK(curandGetDirectionVectors32(&vectors, CURAND_DIRECTION_VECTORS_32_JOEKUO6) ==
              CURAND_STATUS_TYPE_ERROR);
    }
    g = seeded(CURAND_RNG_PSEUDO_DEFAULT);
    CHECK(curandGeneratePoissonMethod(g, three, 3, 5, CURAND_DEVICE_API) ==
          CURAND_STATUS_TYPE_ERROR);
    GOES(curandDestroyGenerator(g));
    for (void *p : taken)
        OK(cudaFree(p));
    return print_failures();
}
