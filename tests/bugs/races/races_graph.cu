// Races in irregular graph kernels: push, pull, worklists, path compression, colouring, by threads, warps
// and blocks. Vertex v has in[v] % 4 neighbours. As races.cu.
#include "race_cases.h"

enum { VERTICES = BLOCKS * THREADS, NONE = 1 << 20 };

__device__ int tail, head, changed, levels;

__device__ int degree(const int *in, int v)
{
    return in[v] % 4;
}
__device__ int next_to(const int *in, int v, int k)
{
    return (v + 1 + in[v] * (k + 3) * 5) % VERTICES;
}

// --- push and pull
__global__ void fine_push_min(const int *in, int *out)
{
    for (int k = 0; k < degree(in, ME); k++)
        atomicMin(&out[next_to(in, ME, k)], in[ME] - 200);
}
__global__ void bug_push_min(const int *in, int *out)
{
    for (int k = 0; k < degree(in, ME); k++) {
        const int v = next_to(in, ME, k);
        if (out[v] > in[ME] - 200)
            out[v] = in[ME] - 200; // BUG bug_push_min
    }
}
__global__ void bug_push_min_guarded(const int *in, int *out)
{
    for (int k = 0; k < degree(in, ME); k++) {
        const int v = next_to(in, ME, k);
        if (out[v] > in[ME] - 200) // BUG bug_push_min_guarded
            atomicMin(&out[v], in[ME] - 200);
    }
}
__global__ void bug_push_block_scope(const int *in, int *out)
{
    for (int k = 0; k < degree(in, ME); k++)
        atomicMin_block(&out[next_to(in, ME, k)], in[ME] - 200); // BUG bug_push_block_scope
}
__global__ void fine_pull_two_arrays(const int *in, int *out)
{
    int most = in[ME];
    for (int k = 0; k < degree(in, ME); k++)
        most = max(most, out[next_to(in, ME, k)]);
    out[N + ME] = most;
}
__global__ void bug_pull_in_place(const int *in, int *out)
{
    int most = in[ME];
    for (int k = 0; k < degree(in, ME); k++)
        most = max(most, out[next_to(in, ME, k)]); // BUG bug_pull_in_place
    out[ME] = most; // BUG bug_pull_in_place
}
__global__ void bug_pull_stops_early(const int *in, int *out)
{
    for (int k = 0; k < degree(in, ME); k++)
        if (out[next_to(in, ME, k)] == 0) { // BUG bug_pull_stops_early
            out[ME] = k + 1; // BUG bug_pull_stops_early
            break;
        }
}

// --- persistent threads: each takes vertex after vertex
__global__ void fine_persistent(const int *in, int *out)
{
    for (int v = ME; v < N; v += gridDim.x * blockDim.x)
        if (degree(in, v) == 3)
            atomicAdd(&out[0], 1);
}
__global__ void bug_persistent(const int *in, int *out)
{
    for (int v = ME; v < N; v += gridDim.x * blockDim.x)
        if (degree(in, v) == 3)
            out[0]++; // BUG bug_persistent
}
__global__ void bug_persistent_overlaps(const int *in, int *out)
{
    for (int v = ME; v < N - 1; v += gridDim.x * blockDim.x)
        out[v + (in[v] & 1)] = v; // BUG bug_persistent_overlaps
}
__global__ void fine_tickets(const int *in, int *out)
{
    for (int v; (v = atomicAdd(&head, 1)) < N;)
        out[v] = in[v] + 1;
}
__global__ void bug_tickets(const int *in, int *out)
{
    for (int v; (v = head++) < N;) // BUG bug_tickets
        out[v] = in[v] + 1; // BUG bug_tickets
}

// --- worklists
__global__ void fine_fill_list(const int *in, int *out)
{
    if (degree(in, ME) > 1)
        out[atomicAdd(&tail, 1)] = ME;
}
__global__ void bug_fill_list_block_scope(const int *in, int *out)
{
    if (degree(in, ME) > 1)
        out[atomicAdd_block(&tail, 1)] = ME; // BUG bug_fill_list_block_scope
}
__global__ void fine_fill_list_once(const int *in, int *out) // each vertex is claimed by one thread
{
    for (int k = 0; k < degree(in, ME); k++) {
        const int v = next_to(in, ME, k);
        if (atomicCAS(&out[v], 0, 1) == 0)
            out[N + atomicAdd(&tail, 1)] = v;
    }
}
__global__ void bug_fill_list_twice(const int *in, int *out)
{
    for (int k = 0; k < degree(in, ME); k++) {
        const int v = next_to(in, ME, k);
        if (out[v] == 0) { // BUG bug_fill_list_twice
            out[v] = 1; // BUG bug_fill_list_twice
            out[N + atomicAdd(&tail, 1)] = v;
        }
    }
}
__global__ void bug_list_is_read_at_once(const int *in, int *out)
{
    out[atomicAdd(&tail, 1)] = ME;
    if (threadIdx.x == 0)
        out[N + blockIdx.x] = out[5]; // BUG bug_list_is_read_at_once
}

// --- levels of a breadth-first search
__global__ void fine_level(const int *in, int *out) // reads one level, writes the next one's marks
{
    if (in[ME] & 1)
        for (int k = 0; k < degree(in, ME); k++)
            out[next_to(in, ME, k)] = 7;
}
__global__ void bug_level(const int *in, int *out)
{
    for (int k = 0; out[ME] == 0 && k < degree(in, ME); k++) // BUG bug_level
        out[next_to(in, ME, k)] = 7; // BUG bug_level
}
__global__ void bug_level_parent(const int *in, int *out)
{
    for (int k = 0; k < degree(in, ME); k++)
        out[next_to(in, ME, k)] = ME; // BUG bug_level_parent
}
__global__ void bug_changed_is_reset(const int *in, int *out)
{
    if (ME == 0)
        changed = 0; // BUG bug_changed_is_reset
    if (degree(in, ME))
        changed = 1; // BUG bug_changed_is_reset
}

// --- shortest paths
__global__ void fine_relax(const int *in, int *out)
{
    const int mine = atomicAdd(&out[ME], 0);
    for (int k = 0; k < degree(in, ME); k++)
        if (atomicMax(&out[next_to(in, ME, k)], mine + 1) < mine + 1)
            changed = 1;
}
__global__ void bug_relax(const int *in, int *out)
{
    const int mine = out[ME]; // BUG bug_relax
    for (int k = 0; k < degree(in, ME); k++)
        if (atomicMax(&out[next_to(in, ME, k)], mine + 1) < mine + 1)
            changed = 1;
}
__global__ void bug_relax_volatile(const int *in, int *out)
{
    volatile int *far = out;
    for (int k = 0; k < degree(in, ME); k++)
        if (far[next_to(in, ME, k)] < in[ME])
            far[next_to(in, ME, k)] = in[ME]; // BUG bug_relax_volatile
}

// --- components
__device__ int root_of(int *parent, int v)
{
    for (int p; (p = atomicAdd(&parent[v], 0)) && p - 1 != v;)
        v = p - 1;
    return v;
}
__global__ void fine_hook(const int *in, int *out) // roots are joined by compare-and-swap
{
    for (int k = 0; k < degree(in, ME); k++) {
        int a = root_of(out, ME), b = root_of(out, next_to(in, ME, k));
        while (a != b) {
            const int low = min(a, b), high = max(a, b);
            if (atomicCAS(&out[high], 0, low + 1) == 0)
                break;
            a = root_of(out, a);
            b = root_of(out, b);
        }
    }
}
__global__ void bug_hook(const int *in, int *out)
{
    for (int k = 0; k < degree(in, ME); k++) {
        int a = ME, b = next_to(in, ME, k);
        while (out[a]) // BUG bug_hook
            a = out[a] - 1; // BUG bug_hook
        while (out[b]) // BUG bug_hook
            b = out[b] - 1; // BUG bug_hook
        if (a > b)
            out[a] = b + 1; // BUG bug_hook
    }
}
__global__ void fine_traverse(const int *in, int *out)
{
    int v = ME;
    while (v % 8)
        v -= in[v] % 2 + 1 > v % 8 ? v % 8 : in[v] % 2 + 1;
    out[ME] = v;
}
__global__ void bug_compress(const int *in, int *out)
{
    int v = ME;
    for (int k = 0; k < 4 && out[v]; k++) { // BUG bug_compress
        const int p = (out[v] + in[v]) % VERTICES; // BUG bug_compress
        out[v] = p + 1; // BUG bug_compress
        v = p;
    }
    out[(ME + 1) % VERTICES] = v + 1; // BUG bug_compress
}

// --- independent sets: each vertex waits until its neighbours are decided
__global__ void fine_status(const int *in, int *out)
{
    volatile int *status = out;
    const int v = ME;
    if (v == 0)
        status[0] = 1;
    while (!status[v])
        if (status[v - 1])
            status[v] = 3 - status[v - 1];
}

// --- by warps and by blocks
__global__ void fine_by_warps(const int *in, int *out)
{
    const int lane = threadIdx.x % 32;
    int most = in[ME];
    for (int d = 16; d; d /= 2)
        most = max(most, __shfl_xor_sync(~0u, most, d));
    if (lane == 0)
        atomicMax(&out[0], most);
}
__global__ void bug_by_warps(const int *in, int *out)
{
    const int lane = threadIdx.x % 32;
    int most = in[ME];
    for (int d = 16; d; d /= 2)
        most = max(most, __shfl_xor_sync(~0u, most, d));
    if (lane == 0 && out[0] < most)
        out[0] = most; // BUG bug_by_warps
}
template <bool first, bool last> __device__ void by_blocks(const int *in, int *out)
{
    __shared__ int most;
    for (int round = 0; round < 2; round++) {
        if (threadIdx.x == 0)
            most = 0; // BUG bug_by_blocks_no_last
        if (first)
            __syncthreads();
        atomicMax(&most, in[(ME + round) % N]); // BUG bug_by_blocks_no_first
        __syncthreads();
        if (threadIdx.x == THREADS - 1)
            atomicMax(&out[round], most); // BUG bug_by_blocks_no_last
        if (last)
            __syncthreads();
    }
}
__global__ void fine_by_blocks(const int *in, int *out)
{
    by_blocks<true, true>(in, out);
}
__global__ void bug_by_blocks_no_first(const int *in, int *out)
{
    by_blocks<false, true>(in, out);
}
__global__ void bug_by_blocks_no_last(const int *in, int *out)
{
    by_blocks<true, false>(in, out);
}
__global__ void bug_warps_share_without_barrier(const int *in, int *out)
{
    __shared__ int part[THREADS / 32];
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = in[ME]; // BUG bug_warps_share_without_barrier
    if (threadIdx.x == 0)
        atomicAdd(&out[0], part[0] + part[1]); // BUG bug_warps_share_without_barrier
}

#define CASES(CASE)                                                                                \
    CASE(fine_push_min) CASE(bug_push_min) CASE(bug_push_min_guarded) CASE(bug_push_block_scope)   \
    CASE(fine_pull_two_arrays) CASE(bug_pull_in_place) CASE(bug_pull_stops_early)                  \
    CASE(fine_persistent) CASE(bug_persistent) CASE(bug_persistent_overlaps) CASE(fine_tickets)    \
    CASE(bug_tickets) CASE(fine_fill_list) CASE(bug_fill_list_block_scope)                         \
    CASE(fine_fill_list_once) CASE(bug_fill_list_twice) CASE(bug_list_is_read_at_once)             \
    CASE(fine_level) CASE(bug_level) CASE(bug_level_parent) CASE(bug_changed_is_reset)             \
    CASE(fine_relax) CASE(bug_relax) CASE(bug_relax_volatile) CASE(fine_hook) CASE(bug_hook)       \
    CASE(fine_traverse) CASE(bug_compress) CASE(fine_status) CASE(fine_by_warps)                   \
    CASE(bug_by_warps) CASE(fine_by_blocks) CASE(bug_by_blocks_no_first)                           \
    CASE(bug_by_blocks_no_last) CASE(bug_warps_share_without_barrier)
RACE_CASES(CASES)
