// What cuRAND's generators give, as text: on a GPU with NVIDIA's library record-random keeps it,
// and what the emulator's gives is compared with that.
//   random PART ... [host] [brief] [/DIR]   PART: values, settings, statuses, distributions,
//   orders; host: generators
//                                           of the CPU; brief: what a test has time for; DIR: raw
//                                           numbers of orders, and tables of Poisson distributions,
//                                           as files
#include <cuda_runtime.h>
#include <curand.h>
#include <curand_discrete.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

static bool host, brief;
static std::string dir;
static unsigned long long *room; /* where numbers are generated */
enum { MOST = 1000000 };

/* KIND of number, and what comes of COUNT of them. */
struct call {
    char kind;
    size_t count;
    double lambda;
};

static size_t size_of(char kind)
{
    return strchr("lUNE", kind) ? 8 : 4;
}

static curandStatus_t generate(curandGenerator_t g, const call &c, double mean, double deviation)
{
    void *out = room;
    switch (c.kind) {
    case 'g':
        return curandGenerate(g, (unsigned *)out, c.count);
    case 'l':
        return curandGenerateLongLong(g, (unsigned long long *)out, c.count);
    case 'u':
        return curandGenerateUniform(g, (float *)out, c.count);
    case 'U':
        return curandGenerateUniformDouble(g, (double *)out, c.count);
    case 'n':
        return curandGenerateNormal(g, (float *)out, c.count, (float)mean, (float)deviation);
    case 'N':
        return curandGenerateNormalDouble(g, (double *)out, c.count, mean, deviation);
    case 'e':
        return curandGenerateLogNormal(g, (float *)out, c.count, (float)mean, (float)deviation);
    case 'E':
        return curandGenerateLogNormalDouble(g, (double *)out, c.count, mean, deviation);
    default:
        return curandGeneratePoisson(g, (unsigned *)out, c.count, c.lambda);
    }
}

static std::vector<unsigned char> taken(const void *from, size_t size)
{
    std::vector<unsigned char> v(size);
    if (host)
        memcpy(v.data(), from, size);
    else
        cudaMemcpy(v.data(), from, size, cudaMemcpyDefault);
    return v;
}

static unsigned long long hash_of(const std::vector<unsigned char> &v)
{
    unsigned long long h = 0xcbf29ce484222325;
    for (unsigned char c : v)
        h = (h ^ c) * 0x100000001b3;
    return h;
}

static void keep(const std::string &name, const std::vector<unsigned char> &v)
{
    if (FILE *f = dir.empty() ? nullptr : fopen((dir + "/" + name).c_str(), "wb")) {
        fwrite(v.data(), 1, v.size(), f);
        fclose(f);
    }
}

static void clear()
{
    if (host)
        memset(room, 0, 8 * MOST);
    else
        cudaMemset(room, 0, 8 * MOST);
}

/* The hash of all, and the first and last ones as bits. */
static void show(const call &c, const std::vector<unsigned char> &v)
{
    const size_t size = size_of(c.kind);
    printf(" %016llx", hash_of(v));
    for (size_t i = 0; i < c.count; i++) {
        if (i == 4 && c.count > 6) {
            printf(" ..");
            i = c.count - 2;
        }
        unsigned long long bits = 0;
        memcpy(&bits, &v[i * size], size);
        printf(" %0*llx", (int)(2 * size), bits);
    }
    puts("");
}

static curandGenerator_t made(int type, int order, unsigned long long seed,
                              unsigned long long offset)
{
    curandGenerator_t g = nullptr;
    curandStatus_t s =
        (host ? curandCreateGeneratorHost : curandCreateGenerator)(&g, (curandRngType_t)type);
    if (!s && order)
        s = curandSetGeneratorOrdering(g, (curandOrdering_t)order);
    if (!s && seed)
        s = curandSetPseudoRandomGeneratorSeed(g, seed);
    if (!s && offset)
        s = curandSetGeneratorOffset(g, offset);
    if (!s)
        return g;
    printf("type %d order %d seed %llx offset %llu: status %d\n", type, order, seed, offset, s);
    if (g)
        curandDestroyGenerator(g);
    return nullptr;
}

static void run(int type, int order, unsigned long long seed, unsigned long long offset,
                const std::vector<call> &calls)
{
    curandGenerator_t g = made(type, order, seed, offset);
    if (!g)
        return;
    for (const call &c : calls) {
        clear();
        const curandStatus_t s = generate(g, c, 0.25, 1.5);
        printf("type %d order %d seed %llx offset %llu: %c", type, order, seed, offset, c.kind);
        if (c.kind == 'p')
            printf("(%g)", c.lambda);
        printf(" x %zu: %d", c.count, s);
        if (!host)
            cudaDeviceSynchronize();
        show(c, taken(room, c.count * size_of(c.kind)));
    }
    curandDestroyGenerator(g);
}

static void try_sequences(int type, int order, unsigned long long seed, unsigned long long offset)
{
    run(type, order, seed, offset, {{'g', 1}, {'g', 5}, {'g', 1000}, {'g', 100000}});
    run(type, order, seed, offset, {{'u', 1}, {'u', 5}, {'u', 30001}});
    run(type, order, seed, offset, {{'U', 1}, {'U', 5}, {'U', 10001}});
    run(type, order, seed, offset, {{'n', 2}, {'n', 1000}, {'n', 20000}});
    run(type, order, seed, offset, {{'N', 2}, {'N', 1000}, {'N', 10000}});
    run(type, order, seed, offset, {{'e', 6}, {'e', 1000}, {'E', 6}, {'E', 1000}});
    run(type, order, seed, offset,
        {{'p', 5, 5}, {'p', 1001, 500}, {'p', 6, 3000}, {'p', 10000, 1e5}, {'p', 1000, 0.1}});
    run(type, order, seed, offset,
        {{'U', 5},
         {'n', 6},
         {'g', 1000},
         {'p', 3, 5},
         {'N', 4},
         {'g', 5000},
         {'p', 7, 4000},
         {'u', 2},
         {'U', 3},
         {'g', 9}});
    if (!brief) {
        run(type, order, seed, offset, {{'u', MOST}, {'n', 99999}, {'N', 7}, {'e', 3}});
        run(type, order, seed, offset,
            {{'n', 300000}, {'g', 9}, {'N', 300000}, {'g', 9}, {'U', 300000}, {'g', 9}});
        run(type, order, seed, offset,
            {{'p', 300000, 5000}, {'g', 9}, {'p', 300000, 64}, {'g', 9}});
        run(type, order, seed, offset, {{'l', 4}, {'g', MOST}, {'g', 3}});
    }
}

/* Orders: the same numbers in another place. */
static void keep_orders()
{
    for (int type : {101, 121, 161})
        for (int order : {100, 101, 102, 103, 104})
            for (char kind : {'g', 'n', 'N', 'U', 'p'}) {
                curandGenerator_t g = made(type, order, 0, 0);
                const call c = {kind, (size_t)(kind == 'g' ? MOST : 400000), 5000};
                if (!g)
                    continue;
                clear();
                generate(g, c, 0, 1);
                keep("order-" + std::to_string(type) + "-" + std::to_string(order) + "-" + kind,
                     taken(room, c.count * size_of(kind)));
                curandDestroyGenerator(g);
            }
}

static void try_distributions()
{
    for (double lambda : {0.01, 0.5, 5.0, 64.0, 500.0, 1500.0, 1999.0, 2000.0, 5000.0, 400000.0,
                          400001.0, 0.0, -1.0}) {
        curandDiscreteDistribution_t at = nullptr;
        curandDiscreteDistribution_st d;
        curandDistributionM2Shift_st m;
        curandHistogramM2_st h;
        const curandStatus_t s = curandCreatePoissonDistribution(lambda, &at);
        printf("distribution %g: %d", lambda, s);
        if (!s && !cudaMemcpy(&d, at, sizeof d, cudaMemcpyDefault)) {
            printf(" method %d mean %a deviation %a", d.method, d.mean, d.stddev);
            if (d.M2 && !cudaMemcpy(&m, d.M2, sizeof m, cudaMemcpyDefault) && m.histogram &&
                !cudaMemcpy(&h, m.histogram, sizeof h, cudaMemcpyDefault)) {
                const auto v = taken(h.V, m.length * 8), k = taken(h.K, m.length * 4);
                printf(" from %u length %u V %016llx K %016llx", m.shift, m.length, hash_of(v),
                       hash_of(k));
                char name[32];
                snprintf(name, sizeof name, "poisson-%g", lambda);
                keep(std::string(name) + "-V", v);
                keep(std::string(name) + "-K", k);
            }
        }
        puts("");
        if (!s)
            curandDestroyDistribution(at);
    }
}

#define STATUS(call) printf("%s: %d\n", #call, (int)(call))

/* Settings of a generator of TYPE, and of none. */
static void try_statuses(int type)
{
    curandGenerator_t g = nullptr;
    unsigned *out = (unsigned *)room;
    printf("type %d\n", type);
    STATUS((host ? curandCreateGeneratorHost : curandCreateGenerator)(&g, (curandRngType_t)type));
    for (int order = 99; order <= 105; order++)
        STATUS(curandSetGeneratorOrdering(g, (curandOrdering_t)order));
    for (int order = 200; order <= 202; order++)
        STATUS(curandSetGeneratorOrdering(g, (curandOrdering_t)order));
    STATUS(curandSetPseudoRandomGeneratorSeed(g, 7));
    STATUS(curandSetGeneratorOffset(g, 7));
    for (unsigned dimensions : {0, 1, 2, 20000, 20001})
        STATUS(curandSetQuasiRandomGeneratorDimensions(g, dimensions));
    STATUS(curandSetQuasiRandomGeneratorDimensions(g, 1));
    STATUS(curandSetStream(g, 0));
    STATUS(curandGenerateSeeds(g));
    STATUS(curandGenerate(g, out, 0));
    STATUS(curandGenerate(g, out, 3));
    STATUS(curandGenerateLongLong(g, room, 0));
    STATUS(curandGenerateLongLong(g, room, 3));
    STATUS(curandGenerateUniform(g, (float *)out, 3));
    STATUS(curandGenerateUniformDouble(g, (double *)out, 3));
    STATUS(curandGenerateNormal(g, (float *)out, 0, 0, 1));
    STATUS(curandGenerateNormal(g, (float *)out, 3, 0, 1));
    STATUS(curandGenerateNormal(g, (float *)out, 4, 0, -1));
    STATUS(curandGenerateNormalDouble(g, (double *)out, 3, 0, 1));
    STATUS(curandGenerateLogNormal(g, (float *)out, 3, 0, 1));
    STATUS(curandGenerateLogNormalDouble(g, (double *)out, 3, 0, 1));
    for (double lambda : {-1.0, 0.0, 1e-9, 400000.0, 400001.0, 1e9})
        STATUS(curandGeneratePoisson(g, out, 3, lambda));
    STATUS(curandGeneratePoisson(g, out, 0, 1));
    for (int method = 0; method <= 14 && !brief; method++)
        STATUS(curandGeneratePoissonMethod(g, out, 3, 10, (curandMethod_t)method));
    STATUS(curandSetGeneratorOrdering(g, CURAND_ORDERING_PSEUDO_LEGACY));
    STATUS(curandDestroyGenerator(g));
}

static void try_alone()
{
    int value = -1;
    STATUS(curandGetVersion(&value));
    printf("version %d\n", value);
    for (int part = -1; part <= 3; part++) {
        STATUS(curandGetProperty((libraryPropertyType)part, &value));
        printf("part %d: %d\n", part, value);
    }
    STATUS(curandDestroyDistribution(nullptr));
    if (brief)
        return;
    curandDirectionVectors32_t *v32;
    curandDirectionVectors64_t *v64;
    unsigned *c32;
    unsigned long long *c64;
    for (int set = 100; set <= 105; set++) {
        STATUS(curandGetDirectionVectors32(&v32, (curandDirectionVectorSet_t)set));
        STATUS(curandGetDirectionVectors64(&v64, (curandDirectionVectorSet_t)set));
    }
    STATUS(curandGetScrambleConstants32(&c32));
    STATUS(curandGetScrambleConstants64(&c64));
}

/* A generator's settings between calls: what starts again and what goes on. */
static void try_settings(int type)
{
    curandGenerator_t g = made(type, 0, 0, 0);
    const call five = {'g', 5};
    auto five_more = [&](const char *what, int status) {
        generate(g, five, 0, 1);
        printf("type %d after %s: %d", type, what, status);
        show(five, taken(room, 20));
    };
    five_more("nothing", 0);
    five_more("five", 0);
    five_more("another seed", curandSetPseudoRandomGeneratorSeed(g, 99));
    five_more("that", 0);
    five_more("the same seed", curandSetPseudoRandomGeneratorSeed(g, 99));
    five_more("offset 7", curandSetGeneratorOffset(g, 7));
    five_more("that", 0);
    five_more("offset 7 again", curandSetGeneratorOffset(g, 7));
    five_more("seed 99 again", curandSetPseudoRandomGeneratorSeed(g, 99));
    five_more("another order", curandSetGeneratorOrdering(g, CURAND_ORDERING_PSEUDO_LEGACY));
    five_more("that", 0);
    five_more("the same order", curandSetGeneratorOrdering(g, CURAND_ORDERING_PSEUDO_LEGACY));
    five_more("offset 2^40 + 3", curandSetGeneratorOffset(g, (1ull << 40) + 3));
    five_more("seed 2^64 - 1", curandSetPseudoRandomGeneratorSeed(g, ~0ull));
    five_more("offset 2^64 - 1", curandSetGeneratorOffset(g, ~0ull));
    five_more("seeds", (curandSetGeneratorOffset(g, 5), curandGenerateSeeds(g)));
    five_more("seeds", curandGenerateSeeds(g));
    if (!host) {
        cudaStream_t stream;
        cudaStreamCreate(&stream);
        five_more("a stream", curandSetStream(g, stream));
        cudaStreamSynchronize(stream);
    }
    curandDestroyGenerator(g);
}

static void try_values()
{
    for (int type : {101, 121, 161})
        for (int order : {0, 100, 101, 102, 103, 104}) {
            if (brief && order > 0 && order < 102)
                continue;
            try_sequences(type, order, 0, 0);
            if (!brief || order == 0 || order == CURAND_ORDERING_PSEUDO_DYNAMIC)
                try_sequences(type, order, 0x123456789abcdef0, 5003);
        }
    if (!host && !brief)
        for (int type : {100, 141, 142, 200, 201, 202, 203, 204}) {
            run(type, 0, 0, 0, {{'g', 1000}, {'u', 1000}, {'n', 1000}, {'U', 1000}});
            run(type, 0, 0, 0, {{'l', 1000}, {'U', 1000}});
        }
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "host"))
            host = true;
        else if (!strcmp(argv[i], "brief"))
            brief = true;
        else if (argv[i][0] == '/')
            dir = argv[i];
    if (host)
        room = (unsigned long long *)malloc(8 * MOST);
    else if (cudaMalloc(&room, 8 * MOST))
        return 2;
    setvbuf(stdout, nullptr, _IOLBF, 0);
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "values"))
            try_values();
        else if (!strcmp(argv[i], "settings"))
            for (int type : {100, 101, 121, 161})
                try_settings(type);
        else if (!strcmp(argv[i], "statuses")) {
            for (int type : {100, 101, 121, 161, 99, 102, 205})
                try_statuses(type);
            if (!brief)
                for (int type : {0, 141, 142, 200, 201, 202, 203, 204})
                    try_statuses(type);
            try_alone();
        } else if (!strcmp(argv[i], "distributions"))
            try_distributions();
        else if (!strcmp(argv[i], "orders"))
            keep_orders();
}
