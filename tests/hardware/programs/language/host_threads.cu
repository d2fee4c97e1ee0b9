// Many host threads, each with its default stream, events, pinned buffers; results summed.
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cuda_runtime.h>
#include <mutex>
#include <thread>
#include <vector>
__global__ void work(float *x, int n, int k)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float v = x[i];
        for (int j = 0; j < k; j++)
            v = v * 0.5f + i % 7;
        x[i] = v;
    }
}
__global__ void sum(const float *x, int n, double *out)
{
    __shared__ double s[256];
    double a = 0;
    for (int i = threadIdx.x; i < n; i += 256)
        a += x[i];
    s[threadIdx.x] = a;
    __syncthreads();
    for (int k = 128; k; k /= 2) {
        if (threadIdx.x < k)
            s[threadIdx.x] += s[threadIdx.x + k];
        __syncthreads();
    }
    if (!threadIdx.x)
        *out = s[0];
}
int main()
{
    const int T = 12, N = 20000;
    std::vector<double> r(T);
    std::vector<std::thread> th;
    std::vector<unsigned long long> ids(T);
    std::atomic<int> errs{0};
    for (int t = 0; t < T; t++)
        th.emplace_back([&, t] {
            float *h, *d;
            double *o;
            errs += cudaMallocHost(&h, N * 4) != 0;
            errs += cudaMalloc(&d, N * 4) != 0;
            errs += cudaMalloc(&o, 8) != 0;
            for (int i = 0; i < N; i++)
                h[i] = i % (t + 3);
            for (int rep = 0; rep < 3; rep++) {
                cudaMemcpyAsync(d, h, N * 4, cudaMemcpyHostToDevice, cudaStreamPerThread);
                work<<<8, 128, 0, cudaStreamPerThread>>>(d, N, 5 + t);
                sum<<<1, 256, 0, cudaStreamPerThread>>>(d, N, o);
                cudaMemcpyAsync(h, d, N * 4, cudaMemcpyDeviceToHost, cudaStreamPerThread);
            }
            cudaEvent_t e;
            cudaEventCreate(&e);
            cudaEventRecord(e, cudaStreamPerThread);
            errs += cudaEventSynchronize(e) != 0;
            errs += cudaStreamQuery(cudaStreamPerThread) != 0;
            cudaMemcpyAsync(&r[t], o, 8, cudaMemcpyDeviceToHost, cudaStreamPerThread);
            cudaStreamSynchronize(cudaStreamPerThread);
            cudaStreamGetId(cudaStreamPerThread, &ids[t]);
            cudaEventDestroy(e);
            cudaFree(d);
            cudaFree(o);
            cudaFreeHost(h);
        });
    for (auto &x : th)
        x.join();
    for (int t = 0; t < T; t++)
        printf("%d %.6f\n", t, r[t]);
    int same = 0;
    for (int i = 0; i < T; i++)
        for (int j = 0; j < i; j++)
            same += ids[i] == ids[j];
    printf("ids alike %d errors %d\n", same, errs.load());
    // a producer and consumers with events
    float *d;
    cudaMalloc(&d, N * 4);
    cudaMemset(d, 0, N * 4);
    cudaDeviceSynchronize();
    cudaEvent_t ready;
    cudaEventCreateWithFlags(&ready, cudaEventDisableTiming);
    std::mutex m;
    std::condition_variable cv;
    bool rec = false;
    double sums[3];
    std::thread p([&] {
        work<<<8, 128, 0, cudaStreamPerThread>>>(d, N, 20);
        cudaEventRecord(ready, cudaStreamPerThread);
        {
            std::lock_guard<std::mutex> l(m);
            rec = true;
        }
        cv.notify_all();
        cudaStreamSynchronize(cudaStreamPerThread);
    });
    std::vector<std::thread> c;
    for (int i = 0; i < 3; i++)
        c.emplace_back([&, i] {
            {
                std::unique_lock<std::mutex> l(m);
                cv.wait(l, [&] { return rec; });
            }
            cudaStreamWaitEvent(cudaStreamPerThread, ready, 0);
            double *o;
            cudaMallocManaged(&o, 8);
            sum<<<1, 256, 0, cudaStreamPerThread>>>(d, N, o);
            cudaStreamSynchronize(cudaStreamPerThread);
            sums[i] = *o;
            cudaFree(o);
        });
    p.join();
    for (auto &x : c)
        x.join();
    printf("%.3f %.3f %.3f\n", sums[0], sums[1], sums[2]);
    return 0;
}
