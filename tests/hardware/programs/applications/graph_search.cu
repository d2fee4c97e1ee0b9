// Graphs in CSR form: breadth first by levels and by queues, shortest paths, components, PageRank.
// one thread: level and relax read what other blocks write: the results stay, the counters vary
#include <cstdio>
#include <vector>

__global__ void level(const int *row, const int *col, int *dist, int n, int now, int *changed)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n && dist[v] == now)
        for (int e = row[v]; e < row[v + 1]; e++)
            if (dist[col[e]] < 0) {
                dist[col[e]] = now + 1;
                *changed = 1;
            }
}

__global__ void queues(const int *row, const int *col, int *dist, const int *in, int count,
                       int *out, int *size, int now)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    int v = in[i];
    for (int e = row[v]; e < row[v + 1]; e++)
        if (atomicCAS(&dist[col[e]], -1, now) == -1)
            out[atomicAdd(size, 1)] = col[e];
}

__global__ void relax(const int *row, const int *col, const int *weight, int *dist, int n,
                      int *changed)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n && dist[v] < 1000000000)
        for (int e = row[v]; e < row[v + 1]; e++)
            if (atomicMin(&dist[col[e]], dist[v] + weight[e]) > dist[v] + weight[e])
                *changed = 1;
}

__global__ void floyd(int *d, int n, int k)
{
    int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && j < n)
        d[i * n + j] = min(d[i * n + j], d[i * n + k] + d[k * n + j]);
}

__global__ void rank_step(const int *row, const int *col, const float *rank, float *next, int n)
{
    int v = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (v >= n)
        return;
    float sum = 0;
    for (int e = row[v] + lane; e < row[v + 1]; e += 32)
        sum += rank[col[e]] / (row[col[e] + 1] - row[col[e]]);
    for (int d = 16; d; d /= 2)
        sum += __shfl_down_sync(~0u, sum, d);
    if (lane == 0)
        next[v] = 0.15f / n + 0.85f * sum;
}

template <typename T> static T *device(const std::vector<T> &h)
{
    T *p;
    cudaMalloc(&p, h.size() * sizeof(T));
    cudaMemcpy(p, h.data(), h.size() * sizeof(T), cudaMemcpyHostToDevice);
    return p;
}

template <typename T> static std::vector<T> host(const T *p, int n)
{
    std::vector<T> h(n);
    cudaMemcpy(h.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost);
    return h;
}

static unsigned hash(const std::vector<int> &v)
{
    unsigned h = 0;
    for (int x : v)
        h = h * 31 + x;
    return h;
}

int main()
{
    const int n = 3000;
    std::vector<int> row(1, 0), col, weight;
    for (int v = 0; v < n; v++) {
        for (int k = 0; k < 1 + v * 7 % 6; k++) {
            col.push_back((v * 13 + k * 577 + 1) % n);
            weight.push_back(1 + (v + k * 11) % 29);
        }
        row.push_back(col.size());
    }
    int *r = device(row), *c = device(col), *w = device(weight);
    std::vector<int> start(n, -1);
    start[0] = 0;
    int *dist = device(start), *changed, rounds = 0, flag;
    cudaMalloc(&changed, sizeof(int));
    do {
        cudaMemset(changed, 0, sizeof(int));
        level<<<(n + 255) / 256, 256>>>(r, c, dist, n, rounds++, changed);
        cudaMemcpy(&flag, changed, sizeof flag, cudaMemcpyDeviceToHost);
    } while (flag);
    std::vector<int> levels = host(dist, n);
    printf("levels %d, %08x\n", rounds, hash(levels));
    cudaMemcpy(dist, start.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    int *in, *out, count = 1, now = 0;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&out, n * sizeof(int));
    cudaMemset(in, 0, sizeof(int));
    while (count) {
        cudaMemset(changed, 0, sizeof(int));
        queues<<<(count + 127) / 128, 128>>>(r, c, dist, in, count, out, changed, ++now);
        cudaMemcpy(&count, changed, sizeof count, cudaMemcpyDeviceToHost);
        std::swap(in, out);
    }
    printf("queues %s\n", host(dist, n) == levels ? "agree" : "differ");
    std::vector<int> far(n, 1000000000);
    far[0] = 0;
    cudaMemcpy(dist, far.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    do {
        cudaMemset(changed, 0, sizeof(int));
        relax<<<(n + 255) / 256, 256>>>(r, c, w, dist, n, changed);
        cudaMemcpy(&flag, changed, sizeof flag, cudaMemcpyDeviceToHost);
    } while (flag);
    printf("shortest %08x\n", hash(host(dist, n)));
    const int m = 60;
    std::vector<int> all(m * m);
    for (int i = 0; i < m * m; i++)
        all[i] = i / m == i % m ? 0 : 1 + i * 37 % 101;
    int *d = device(all);
    for (int k = 0; k < m; k++)
        floyd<<<dim3(4, 4), dim3(16, 16)>>>(d, m, k);
    printf("floyd %08x\n", hash(host(d, m * m)));
    std::vector<float> ranks(n, 1.0f / n);
    float *a = device(ranks), *b = device(ranks);
    for (int i = 0; i < 20; i++) {
        rank_step<<<(n * 32 + 255) / 256, 256>>>(r, c, a, b, n);
        std::swap(a, b);
    }
    ranks = host(a, n);
    printf("rank %.9g %.9g %.9g\n", ranks[0], ranks[77], ranks[2999]);
    return 0;
}
