// Pi by throwing darts, with three generators of curand's device library; normal and Poisson draws.
#include <cstdio>
#include <curand_kernel.h>

#define THREADS 1024
#define DRAWS   200

template <typename State> __global__ void throw_darts(unsigned seed, unsigned *inside, double *sums)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    State state;
    curand_init(seed, id, 0, &state);
    unsigned in = 0;
    for (int i = 0; i < DRAWS; i++) {
        float x = curand_uniform(&state), y = curand_uniform(&state);
        in += x * x + y * y <= 1.0f;
    }
    inside[id] = in;
    double s = 0;
    for (int i = 0; i < 8; i++)
        s += curand_normal(&state) + curand_log_normal(&state, 0.0f, 0.5f) +
             curand_poisson(&state, 4.0) + curand_uniform_double(&state) +
             curand_normal_double(&state);
    sums[id] = s;
}

template <typename State> static void run(const char *name)
{
    unsigned *inside;
    double *sums;
    cudaMallocManaged(&inside, THREADS * sizeof *inside);
    cudaMallocManaged(&sums, THREADS * sizeof *sums);
    throw_darts<State><<<THREADS / 128, 128>>>(1234, inside, sums);
    cudaError_t error = cudaDeviceSynchronize();
    unsigned long long in = 0, hash = 0;
    double sum = 0;
    for (int i = 0; i < THREADS; i++)
        in += inside[i], hash = hash * 31 + inside[i], sum += sums[i];
    printf("%s: %s pi %.6f, %016llx, sums %.8f\n", name, cudaGetErrorName(error),
           4.0 * in / THREADS / DRAWS, hash, sum);
}

int main()
{
    run<curandStateXORWOW>("XORWOW");
    run<curandStatePhilox4_32_10>("Philox");
    run<curandStateMRG32k3a>("MRG32k3a");
    return 0;
}
