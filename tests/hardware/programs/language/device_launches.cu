// flags: -rdc=true -lcudadevrt
// Kernels that launch kernels: order, streams, memory and errors as device code sees them.
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t e_ = (call);                                                                   \
        if (e_ != cudaSuccess) {                                                                   \
            printf("%d: %s\n", __LINE__, cudaGetErrorName(e_));                                    \
        }                                                                                          \
    } while (0)

// --- one in the other ---

__global__ void hello(int size, int depth)
{
    printf("depth %d: thread %d of %d\n", depth, threadIdx.x, blockDim.x);
    if (size > 1 && threadIdx.x == 0) {
        hello<<<1, size / 2>>>(size / 2, depth + 1);
    }
}

// --- what comes after what ---

__device__ int log_of[32], logged;

__global__ void note(int what)
{
    log_of[atomicAdd(&logged, 1)] = what;
}

__global__ void after_all(int what)
{
    log_of[atomicAdd(&logged, 1)] = what;
    note<<<1, 1, 0, cudaStreamTailLaunch>>>(what + 2);
    note<<<1, 1>>>(what + 1);
}

__global__ void ordered()
{
    after_all<<<1, 1, 0, cudaStreamTailLaunch>>>(80);
    note<<<1, 1, 0, cudaStreamTailLaunch>>>(90);
    for (int k = 0; k < 4; k++) {
        note<<<1, 1>>>(10 + k);
    }
    after_all<<<1, 1>>>(20);
    note<<<1, 1>>>(30);
}

__global__ void with_events()
{
    cudaStream_t a, b;
    cudaEvent_t e;
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
    note<<<1, 1, 0, b>>>(1);
    cudaEventRecord(e, b);
    cudaStreamWaitEvent(a, e, 0);
    note<<<1, 1, 0, a>>>(2);
    note<<<1, 1, 0, a>>>(3);
    cudaEventDestroy(e);
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
}

__global__ void by_turns(int left, int *sum)
{
    *sum += left;
    if (left > 1) {
        by_turns<<<1, 1, 0, cudaStreamTailLaunch>>>(left - 1, sum);
    }
}

// --- sorting ---

__global__ void quicksort(int *data, int left, int right, int depth)
{
    if (depth >= 16 || right - left <= 16) {
        for (int i = left; i <= right; i++) {
            for (int j = i + 1; j <= right; j++) {
                if (data[j] < data[i]) {
                    int t = data[i];
                    data[i] = data[j];
                    data[j] = t;
                }
            }
        }
        return;
    }
    int l = left, r = right, pivot = data[(left + right) / 2];
    while (l <= r) {
        while (data[l] < pivot) {
            l++;
        }
        while (data[r] > pivot) {
            r--;
        }
        if (l <= r) {
            int t = data[l];
            data[l++] = data[r];
            data[r--] = t;
        }
    }
    cudaStream_t s;
    if (left < r) {
        cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
        quicksort<<<1, 1, 0, s>>>(data, left, r, depth + 1);
        cudaStreamDestroy(s);
    }
    if (l < right) {
        cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
        quicksort<<<1, 1, 0, s>>>(data, l, right, depth + 1);
        cudaStreamDestroy(s);
    }
}

// --- as much work as each element needs ---

__global__ void expand_row(const int *column, int first, int count, int *hits)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        atomicAdd(&hits[column[first + i]], 1);
    }
}

__global__ void expand(const int *row, const int *column, int n, int *hits)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n && row[v + 1] > row[v]) {
        int count = row[v + 1] - row[v];
        if (count > 8) {
            expand_row<<<(count + 31) / 32, 32>>>(column, row[v], count, hits);
        } else {
            for (int i = row[v]; i < row[v + 1]; i++) {
                atomicAdd(&hits[column[i]], 1);
            }
        }
    }
}

struct Setup {
    double scale;
    char tag;
    short pad[3];
    int *out;
};

template <class T> __global__ void scale_all(Setup s, T factor, unsigned n)
{
    extern __shared__ int part[];
    part[threadIdx.x] = (int)(s.scale * threadIdx.x * factor);
    __syncthreads();
    s.out[blockIdx.x * blockDim.x + threadIdx.x] = part[n - 1 - threadIdx.x] + s.tag + s.pad[2];
}

__global__ void arguments(int *out)
{
    Setup s = {2.5, 'A', {1, 2, 3}, out};
    scale_all<float><<<2, 8, 8 * sizeof(int)>>>(s, 2.0f, 8u);
    s.out = out + 16;
    scale_all<double><<<dim3(1, 1, 1), dim3(8, 1, 1), 32>>>(s, 0.5, 8u);
}

// --- memory ---

__device__ int *kept;

__global__ void use(int *p, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        p[i] += i;
    }
}

__global__ void memory(int *to)
{
    int *p = NULL;
    printf("cudaMalloc %s\n", cudaGetErrorName(cudaMalloc(&p, 64 * sizeof *p)));
    printf("cudaMemsetAsync %s\n", cudaGetErrorName(cudaMemsetAsync(p, 0, 64 * sizeof *p, 0)));
    use<<<1, 32>>>(p, 64);
    printf("cudaMemcpyAsync %s\n",
           cudaGetErrorName(cudaMemcpyAsync(to, p, 64 * sizeof *p, cudaMemcpyDeviceToDevice, 0)));
    kept = p;
}

__global__ void give_back()
{
    printf("cudaFree %s\n", cudaGetErrorName(cudaFree(kept)));
}

// --- errors belong to threads ---

__global__ void nothing() {}

__global__ void wrong()
{
    if (threadIdx.x == 0) {
        nothing<<<1, 2048>>>();
    }
    if (threadIdx.x == 1) {
        nothing<<<0, 1>>>();
    }
    __syncthreads();
    cudaError_t seen = cudaPeekAtLastError(), first = cudaGetLastError(),
                then = cudaGetLastError();
    printf("thread %d: %s, %s, then %s\n", threadIdx.x, cudaGetErrorName(seen),
           cudaGetErrorString(first), cudaGetErrorName(then));
}

// --- the pool of launches that have not ended ---

__device__ int deepest, failed, refused;

__global__ void deeper(int depth)
{
    deepest = depth;
    deeper<<<1, 1>>>(depth + 1);
    cudaError_t e = cudaGetLastError();
    if (e != cudaSuccess) {
        failed = e;
    }
}

__global__ void tails(int n)
{
    for (int k = 0; k < n; k++) {
        nothing<<<1, 1, 0, cudaStreamTailLaunch>>>();
        refused += cudaGetLastError() == cudaErrorLaunchPendingCountExceeded;
    }
}

static void show_log(const char *what)
{
    int n = 0, all[32];
    CHECK(cudaDeviceSynchronize());
    cudaMemcpyFromSymbol(&n, logged, sizeof n);
    cudaMemcpyFromSymbol(all, log_of, sizeof all);
    printf("%s:", what);
    for (int i = 0; i < n; i++) {
        printf(" %d", all[i]);
    }
    printf("\n");
    n = 0;
    cudaMemcpyToSymbol(logged, &n, sizeof n);
}

int main()
{
    hello<<<1, 4>>>(4, 0);
    CHECK(cudaDeviceSynchronize());

    ordered<<<1, 1>>>();
    show_log("ordered");
    with_events<<<1, 1>>>();
    show_log("events");

    int *d, h[64] = {};
    cudaMalloc(&d, 4096 * sizeof *d);
    cudaMemset(d, 0, 4);
    by_turns<<<1, 1>>>(100, d);
    cudaMemcpy(h, d, 4, cudaMemcpyDeviceToHost);
    printf("by turns %d\n", h[0]);

    static int values[4096];
    unsigned seed = 1;
    for (int &v : values) {
        seed = seed * 1664525 + 1013904223;
        v = (int)(seed >> 8) % 100000;
    }
    cudaMemcpy(d, values, sizeof values, cudaMemcpyHostToDevice);
    quicksort<<<1, 1>>>(d, 0, 4095, 0);
    CHECK(cudaDeviceSynchronize());
    cudaMemcpy(values, d, sizeof values, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 1; i < 4096; i++) {
        bad += values[i] < values[i - 1];
    }
    printf("sorted, %d out of order, %d to %d\n", bad, values[0], values[4095]);

    static int row[301], column[20000];
    for (int v = 0; v < 300; v++) {
        row[v + 1] = row[v] + (v * 7) % 60;
        for (int i = row[v]; i < row[v + 1]; i++) {
            column[i] = (i * 13 + v) % 300;
        }
    }
    int *r, *c, *hits, total = 0, most = 0;
    cudaMalloc(&r, sizeof row);
    cudaMalloc(&c, sizeof column);
    cudaMalloc(&hits, 300 * sizeof *hits);
    cudaMemcpy(r, row, sizeof row, cudaMemcpyHostToDevice);
    cudaMemcpy(c, column, sizeof column, cudaMemcpyHostToDevice);
    cudaMemset(hits, 0, 300 * sizeof *hits);
    expand<<<3, 128>>>(r, c, 300, hits);
    cudaMemcpy(values, hits, 300 * sizeof *hits, cudaMemcpyDeviceToHost);
    for (int v = 0; v < 300; v++) {
        total += values[v];
        most = values[v] > most ? values[v] : most;
    }
    printf("edges %d of %d, most %d\n", total, row[300], most);

    arguments<<<1, 1>>>(d);
    cudaMemcpy(h, d, 24 * sizeof *h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 24; i++) {
        printf("%d%c", h[i], i == 23 ? '\n' : ' ');
    }

    memory<<<1, 1>>>(d);
    give_back<<<1, 1>>>();
    CHECK(cudaDeviceSynchronize());
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    printf("memory %d %d %d\n", h[0], h[1], h[63]);

    wrong<<<1, 3>>>();
    CHECK(cudaDeviceSynchronize());
    deeper<<<1, 1>>>(0);
    CHECK(cudaDeviceSynchronize());
    cudaMemcpyFromSymbol(h, deepest, 4);
    cudaMemcpyFromSymbol(h + 1, failed, 4);
    printf("deepest %d, then %s\n", h[0], cudaGetErrorName((cudaError_t)h[1]));
    tails<<<1, 1>>>(2060);
    CHECK(cudaDeviceSynchronize());
    cudaMemcpyFromSymbol(h, refused, 4);
    printf("of 2060 tail launches %d refused\n", h[0]);
    return 0;
}
