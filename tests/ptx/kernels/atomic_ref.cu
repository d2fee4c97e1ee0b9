// nvcc: -arch=sm_80
#include <cuda/atomic>
__global__ void orders(int *p, unsigned long long *q, float *f)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> a(*p); cuda::atomic_ref<unsigned long long, cuda::thread_scope_block> b(*q); cuda::atomic_ref<float, cuda::thread_scope_system> c(*f);
    a.store(1, cuda::memory_order_release); *f = a.load(cuda::memory_order_acquire); a.fetch_add(1, cuda::memory_order_acq_rel); a.fetch_add(2, cuda::memory_order_relaxed); a.exchange(3); int e = 3; a.compare_exchange_strong(e, 4); b.fetch_max(7); b.load(); b.store(9); c.fetch_add(1.5f); cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device); cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_block); a.fetch_xor(3); a.fetch_min(2);
}
