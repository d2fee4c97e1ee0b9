// Mistakes of host code, one an argument. A line that is to be named bears "BUG case kind", the
// other side of it "SEE case kind". Cases "fine_..." are right and are told nothing.
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void fill(int *out, int value, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = value;
}

static int *buffer(int n)
{
    int *p;
    cudaMalloc(&p, n * sizeof *p); // BUG leak_in_function leak
    return p;
}

static void leak_device()
{
    int *p;
    cudaMalloc(&p, 1000); // BUG leak_device leak
}

static void leak_many()
{
    for (int k = 0; k < 3; k++) {
        void *p;
        cudaMallocHost(&p, 100); // BUG leak_many leak
    }
}

static void leak_array()
{
    cudaArray_t a;
    cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
    cudaMallocArray(&a, &d, 64, 64); // BUG leak_array leak
}

static void leak_async()
{
    void *p;
    cudaMallocAsync(&p, 256, 0); // BUG leak_async leak
    cudaDeviceSynchronize();
}

static void leak_event()
{
    cudaEvent_t e;
    cudaEventCreate(&e); // BUG leak_event leak
}

static void leak_streams()
{
    for (int k = 0; k < 3; k++) {
        cudaStream_t s;
        cudaStreamCreate(&s); // BUG leak_streams leak
    }
}

static cudaGraph_t captured()
{
    cudaGraph_t g;
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    cudaStreamEndCapture(s, &g); // BUG leak_graph leak
    cudaStreamDestroy(s);
    return g;
}

static void leak_graph() { captured(); }

static void leak_executable_graph()
{
    cudaGraphExec_t x;
    cudaGraph_t g = captured();
    cudaGraphInstantiate(&x, g, 0); // BUG leak_executable_graph leak
    cudaGraphDestroy(g);
}

static cudaResourceDesc image(cudaArray_t *a)
{
    cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
    cudaMallocArray(a, &d, 64, 64, cudaArraySurfaceLoadStore);
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = *a;
    return r;
}

static void leak_texture()
{
    cudaArray_t a;
    cudaTextureObject_t t;
    cudaTextureDesc how = {};
    cudaResourceDesc r = image(&a);
    cudaCreateTextureObject(&t, &r, &how, NULL); // BUG leak_texture leak
    cudaFreeArray(a);
}

static void leak_surface()
{
    cudaArray_t a;
    cudaSurfaceObject_t s;
    cudaResourceDesc r = image(&a);
    cudaCreateSurfaceObject(&s, &r); // BUG leak_surface leak
    cudaFreeArray(a);
}

static void leak_pool()
{
    cudaMemPool_t p;
    cudaMemPoolProps props = {};
    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeDevice;
    cudaMemPoolCreate(&p, &props); // BUG leak_pool leak
}

static struct kept_event { // a destructor may come late
    cudaEvent_t e = NULL;
    ~kept_event() { if (e) cudaEventDestroy(e); }
} kept;

static void fine_objects_destroyed()
{
    cudaArray_t a;
    cudaTextureObject_t t;
    cudaSurfaceObject_t s;
    cudaGraphExec_t x;
    cudaTextureDesc how = {};
    cudaResourceDesc r = image(&a);
    cudaGraph_t g = captured();
    cudaGraphInstantiate(&x, g, 0);
    cudaGraphExecDestroy(x);
    cudaGraphDestroy(g);
    cudaCreateTextureObject(&t, &r, &how, NULL);
    cudaCreateSurfaceObject(&s, &r);
    cudaDestroyTextureObject(t);
    cudaDestroySurfaceObject(s);
    cudaFreeArray(a);
    cudaEventCreate(&kept.e);
}

static void leak_before_reset()
{
    int *p;
    cudaMallocManaged(&p, 4096); // BUG leak_before_reset leak
    cudaDeviceReset();
}

static void leak_in_function() { buffer(10); }

static void leak_overwritten()
{
    int *p;
    cudaMalloc(&p, 400); // BUG leak_overwritten leak
    cudaMalloc(&p, 400);
    cudaFree(p);
}

static void free_twice()
{
    int *p = buffer(4);
    cudaFree(p); // SEE free_twice memory
    cudaFree(p); // BUG free_twice memory
}

static void free_twice_async()
{
    int *p;
    cudaMallocAsync(&p, 16, 0);
    cudaFreeAsync(p, 0); // SEE free_twice_async memory
    cudaFreeAsync(p, 0); // BUG free_twice_async memory
    cudaDeviceSynchronize();
}

static void free_inside()
{
    int *p = buffer(4);
    cudaFree(p + 1); // BUG free_inside memory
    cudaFree(p);
}

static void free_host_pointer()
{
    int x;
    cudaFree(&x); // BUG free_host_pointer memory
}

static void free_pinned_as_device()
{
    int *p;
    cudaMallocHost(&p, 64); // SEE free_pinned_as_device memory
    cudaFree(p);            // BUG free_pinned_as_device memory
    cudaFreeHost(p);
}

static void copy_too_much()
{
    int host[64] = {0}, *p;
    cudaMalloc(&p, 32 * sizeof(int));                         // SEE copy_too_much memory
    cudaMemcpy(p, host, sizeof host, cudaMemcpyHostToDevice); // BUG copy_too_much memory
    cudaFree(p);
}

static void copy_back_too_much()
{
    int host[64], *p = buffer(60);
    cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost); // BUG copy_back_too_much memory
    cudaFree(p);
}

static void copy_elements_for_bytes()
{
    int *p = buffer(64);
    cudaMemset(p + 1, 0, 64 * sizeof(int)); // BUG copy_elements_for_bytes memory
    cudaFree(p);
}

static void copy_freed()
{
    int host[4], *p = buffer(4);
    cudaFree(p);                                               // SEE copy_freed memory
    cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost); // BUG copy_freed memory
}

static void copy_wrong_way()
{
    int host[4] = {0}, *p = buffer(4);
    cudaMemcpy(p, host, sizeof host, cudaMemcpyDeviceToHost); // BUG copy_wrong_way memory
    cudaFree(p);
}

__constant__ int weights[16];

static void symbol_too_much()
{
    double host[16] = {0};
    cudaMemcpyToSymbol(weights, host, sizeof host); // BUG symbol_too_much memory
}

static void array_too_much()
{
    static float host[64 * 64];
    cudaArray_t a;
    cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
    cudaMallocArray(&a, &d, 64, 32);
    cudaMemcpy2DToArray(a, 0, 0, host, 256, 256, 64, cudaMemcpyHostToDevice); // BUG array_too_much memory
    cudaFreeArray(a);
}

static void host_reads_device()
{
    volatile int *p = buffer(4);
    printf("%d\n", p[1]); // BUG host_reads_device host
}

static void host_frees_device()
{
    free(buffer(4)); // BUG host_frees_device host
}

// Kernels that are stopped: the call that allocated or freed the memory is named, too.
__global__ void add_one(int *p)
{
    p[threadIdx.x]++; // BUG used_after_free fault // BUG used_after_queued_free fault // BUG allocated_bytes fault // BUG used_after_reuse fault
}

static void used_after_free()
{
    int *p = buffer(32);
    fill<<<1, 32>>>(p, 1, 32);
    cudaFree(p); // SEE used_after_free fault
    add_one<<<1, 32>>>(p);
    cudaDeviceSynchronize();
}

static void used_after_reuse()
{
    int *p = buffer(32), *q;
    fill<<<1, 32>>>(p, 1, 32);
    cudaFree(p); // SEE used_after_reuse fault
    q = buffer(32);
    fill<<<1, 32>>>(q, 1, 32);
    add_one<<<1, 32>>>(p);
    cudaDeviceSynchronize();
}

static void used_after_queued_free()
{
    int *p;
    cudaMallocAsync(&p, 128, 0);
    cudaFreeAsync(p, 0); // SEE used_after_queued_free fault
    add_one<<<1, 32>>>(p);
    cudaDeviceSynchronize();
}

static void allocated_bytes()
{
    int *p;
    cudaMalloc(&p, 32); // SEE allocated_bytes fault
    cudaMemset(p, 0, 32);
    add_one<<<1, 32>>>(p);
    cudaDeviceSynchronize();
}

static void fill_host_memory()
{
    int host[4];
    cudaMemset(host, 0, sizeof host); // BUG fill_host_memory memory
}

static void error_of_launch()
{
    int *p = buffer(4);
    fill<<<1, 2048>>>(p, 1, 4); // BUG error_of_launch host
    cudaDeviceSynchronize();
    cudaFree(p);
}

static void error_of_shared()
{
    int *p = buffer(4);
    fill<<<1, 32, 1 << 20>>>(p, 1, 4); // BUG error_of_shared host
    cudaDeviceSynchronize();
    cudaFree(p);
}

static void error_of_grid()
{
    int *p = buffer(4);
    int n = 0;
    fill<<<n / 32, 32>>>(p, 1, n); // BUG error_of_grid host
    cudaDeviceSynchronize();
    cudaFree(p);
}

static void error_of_call()
{
    int *p = buffer(4), host[4] = {0};
    cudaMemcpy2D(p, 4, host, 4, 16, 2, cudaMemcpyHostToDevice); // BUG error_of_call host
    cudaFree(p);
}

static void error_of_stream()
{
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaStreamDestroy(s);
    cudaStreamSynchronize(s); // BUG error_of_stream host
}

static void unwaited_kernel()
{
    int *p = buffer(4);
    cudaFree(0);
    fill<<<1, 32>>>(p, 1, 4); // BUG unwaited_kernel host
}

static void unwaited_copy()
{
    int *p, *q = buffer(64);
    cudaMallocHost(&p, 256);
    cudaMemset(q, 0, 256);
    cudaDeviceSynchronize();
    cudaMemcpyAsync(p, q, 256, cudaMemcpyDeviceToHost); // BUG unwaited_copy host
}

// Buffers for work that overlaps: pinned, managed and device memory of N numbers each.
enum { N = 5000 };
struct buffers {
    int *pinned, *managed, *device;
    cudaStream_t s, t;
    cudaEvent_t done;
    buffers()
    {
        cudaMallocHost(&pinned, N * sizeof(int));
        cudaMallocManaged(&managed, N * sizeof(int));
        cudaMalloc(&device, N * sizeof(int));
        memset(pinned, 0, N * sizeof(int));
        memset(managed, 0, N * sizeof(int));
        cudaStreamCreate(&s);
        cudaStreamCreate(&t);
        cudaEventCreate(&done);
        fill<<<(N + 255) / 256, 256>>>(device, 3, N);
        cudaDeviceSynchronize();
    }
    ~buffers()
    {
        cudaDeviceSynchronize();
        cudaFreeHost(pinned);
        cudaFree(managed);
        cudaFree(device);
        cudaStreamDestroy(s);
        cudaStreamDestroy(t);
        cudaEventDestroy(done);
    }
    void fetch() { cudaMemcpyAsync(pinned, device, N * sizeof(int), cudaMemcpyDeviceToHost, s); }
};
static volatile int sink;

static void read_before_copy()
{
    buffers b;
    cudaMemcpyAsync(b.pinned, b.device, N * sizeof(int), cudaMemcpyDeviceToHost, b.s); // SEE read_before_copy host
    sink = b.pinned[N - 1]; // BUG read_before_copy host
}

static void read_by_library()
{
    buffers b;
    int mine[N];
    cudaMemcpyAsync(b.pinned, b.device, N * sizeof(int), cudaMemcpyDeviceToHost, b.s); // SEE read_by_library host
    memcpy(mine, b.pinned, sizeof mine); // BUG read_by_library host
    sink = mine[rand() % N];
}

static void waited_for_other_stream()
{
    buffers b;
    cudaMemcpyAsync(b.pinned, b.device, N * sizeof(int), cudaMemcpyDeviceToHost, b.s); // SEE waited_for_other_stream host
    cudaStreamSynchronize(b.t);
    for (int i = 0; i < N; i++)
        sink = b.pinned[i]; // BUG waited_for_other_stream host
}

// Both halves lie on one page: touching the one that has been waited for must not end the search.
static void waited_for_first_half()
{
    buffers b;
    int sum = 0;
    cudaMemcpyAsync(b.pinned, b.device, 128, cudaMemcpyDeviceToHost, b.s);
    cudaMemcpyAsync(b.pinned + 32, b.device + 32, 128, cudaMemcpyDeviceToHost, b.t); // SEE waited_for_first_half host
    cudaStreamSynchronize(b.s);
    for (int i = 0; i < 64; i++)
        sum += b.pinned[i]; // BUG waited_for_first_half host
    sink = sum;
}

static void fine_beside_copied_bytes()
{
    buffers b;
    cudaMemcpyAsync(b.pinned + 1, b.device, 128, cudaMemcpyDeviceToHost, b.s);
    for (int i = 33; i < 64; i++)
        b.pinned[i] = b.pinned[0] = i;
    cudaStreamSynchronize(b.s);
    memset(b.pinned, 0, 256);
}

static void event_before_copy()
{
    buffers b;
    cudaEventRecord(b.done, b.s);
    cudaMemcpyAsync(b.pinned, b.device, N * sizeof(int), cudaMemcpyDeviceToHost, b.s); // SEE event_before_copy host
    cudaEventSynchronize(b.done);
    sink = b.pinned[0]; // BUG event_before_copy host
}

static void event_in_other_stream()
{
    buffers b;
    cudaMemcpyAsync(b.pinned, b.device, N * sizeof(int), cudaMemcpyDeviceToHost, b.s); // SEE event_in_other_stream host
    cudaEventRecord(b.done, b.t);
    cudaEventSynchronize(b.done);
    sink = b.pinned[0]; // BUG event_in_other_stream host
}

static void changed_while_copied()
{
    buffers b;
    cudaMemcpyAsync(b.device, b.pinned, N * sizeof(int), cudaMemcpyHostToDevice, b.s); // SEE changed_while_copied host
    b.pinned[7] = 1; // BUG changed_while_copied host
}

static void reused_while_copied()
{
    buffers b;
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < N / 2; i++)
            b.pinned[i] = k; // BUG reused_while_copied host
        cudaMemcpyAsync(b.device + k * (N / 2), b.pinned, N / 2 * sizeof(int), cudaMemcpyHostToDevice, b.s); // SEE reused_while_copied host
    }
}

// Memory of the program's own, pinned where it is.
struct registered_buffer {
    int *own, *device;
    cudaStream_t s;
    registered_buffer() : own((int *)calloc(16 * N, sizeof(int)))
    {
        cudaHostRegister(own, 16 * N * sizeof(int), cudaHostRegisterDefault);
        cudaMalloc(&device, 16 * N * sizeof(int));
        cudaMemset(device, 0, 16 * N * sizeof(int));
        cudaStreamCreate(&s);
    }
    ~registered_buffer()
    {
        cudaDeviceSynchronize();
        cudaHostUnregister(own);
        cudaFree(device);
        cudaStreamDestroy(s);
        free(own);
    }
};

static void registered_read_early()
{
    registered_buffer b;
    cudaMemcpyAsync(b.own, b.device, 16 * N * sizeof(int), cudaMemcpyDeviceToHost, b.s); // SEE registered_read_early host
    sink = b.own[8 * N]; // BUG registered_read_early host
}

static void registered_changed_early()
{
    registered_buffer b;
    cudaMemcpyAsync(b.device, b.own, 16 * N * sizeof(int), cudaMemcpyHostToDevice, b.s); // SEE registered_changed_early host
    b.own[8 * N] = 1; // BUG registered_changed_early host
}

static void fine_registered_halves()
{
    registered_buffer b;
    cudaMemcpyAsync(b.device, b.own, 8 * N * sizeof(int), cudaMemcpyHostToDevice, b.s);
    FILE *zero = fopen("/dev/zero", "r");
    if (!zero || fread(b.own + 8 * N, sizeof(int), 8 * N, zero) != 8 * N)
        abort(); // the other half is free, and a system call may fill it
    fclose(zero);
    cudaStreamSynchronize(b.s);
    b.own[0] = 1;
}

static void managed_read_early()
{
    buffers b;
    fill<<<(N + 255) / 256, 256>>>(b.managed, 9, N); // SEE managed_read_early host
    sink = b.managed[100]; // BUG managed_read_early host
}

static void managed_wrong_stream()
{
    buffers b;
    fill<<<(N + 255) / 256, 256, 0, b.s>>>(b.managed, 9, N); // SEE managed_wrong_stream host
    cudaStreamSynchronize(b.t);
    for (int i = 0; i < N; i++)
        sink = b.managed[i]; // BUG managed_wrong_stream host
}

// The host writes what a kernel still has to use.
__global__ void sum_up(int *out, const int *in, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += in[i];
    *out = sum;
}

static void managed_written_early()
{
    buffers b;
    fill<<<(N + 255) / 256, 256>>>(b.managed, 9, N); // SEE managed_written_early host
    b.managed[100] = 1; // BUG managed_written_early host
}

static void managed_input_changed()
{
    buffers b;
    sum_up<<<1, 1>>>(b.device, b.managed, N); // SEE managed_input_changed host
    for (int i = 0; i < N; i++)
        b.managed[i] = i; // BUG managed_input_changed host
}

static void managed_next_input()
{
    buffers b;
    for (int k = 0; k < 3; k++) {
        b.managed[k] = k; // BUG managed_next_input host
        sum_up<<<1, 1, 0, b.s>>>(b.device, b.managed, N); // SEE managed_next_input host
    }
}

static void mapped_input_changed()
{
    buffers b;
    for (int i = 0; i < N; i++)
        b.pinned[i] = 1;
    sum_up<<<1, 1, 0, b.s>>>(b.device, b.pinned, N); // SEE mapped_input_changed host
    b.pinned[5] = 2; // BUG mapped_input_changed host
}

static void fine_managed_written_beside() // other elements than those that the kernel uses
{
    buffers b;
    sum_up<<<1, 1>>>(b.device, b.managed, N / 2);
    b.managed[N - 1] = 7;
}

static void fine_managed_read_beside() // the host reads such an element first
{
    buffers b;
    sum_up<<<1, 1>>>(b.device, b.managed, N / 2);
    sink = b.managed[N - 1];
    b.managed[N - 1] = 7;
}

static void fine_managed_input_waited()
{
    buffers b;
    for (int k = 0; k < 3; k++) {
        b.managed[k] = k;
        sum_up<<<1, 1, 0, b.s>>>(b.device, b.managed, N);
        cudaStreamSynchronize(b.s);
    }
}

// The kernel waits for a flag of the host, which writes the data first.
__global__ void sum_when_told(int *out, int *in, int n)
{
    volatile int *flag = in + n;
    while (!*flag)
        ;
    __threadfence_system();
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += in[i];
    *out = sum;
}

static void fine_managed_handed_over()
{
    buffers b;
    sum_when_told<<<1, 1, 0, b.s>>>(b.device, b.managed, N - 1);
    for (int i = 0; i < N - 1; i++)
        b.managed[i] = i;
    __sync_synchronize();
    *(volatile int *)&b.managed[N - 1] = 1;
    cudaStreamSynchronize(b.s);
}

// Pinned memory that kernels write themselves.
static void mapped_read_early()
{
    buffers b;
    fill<<<(N + 255) / 256, 256>>>(b.pinned, 9, N); // SEE mapped_read_early host
    sink = b.pinned[100]; // BUG mapped_read_early host
}

static void mapped_wrong_stream()
{
    buffers b;
    fill<<<(N + 255) / 256, 256, 0, b.s>>>(b.pinned, 9, N); // SEE mapped_wrong_stream host
    cudaStreamSynchronize(0);
    for (int i = 0; i < N; i++)
        sink = b.pinned[i]; // BUG mapped_wrong_stream host
}

static void fine_mapped_waited()
{
    buffers b;
    fill<<<(N + 255) / 256, 256, 0, b.s>>>(b.pinned, 9, N);
    cudaStreamSynchronize(b.s);
    sink = b.pinned[100];
}

static void fine_mapped_polled() // the host spins until the kernel has written
{
    buffers b;
    volatile int *flag = b.pinned;
    flag[0] = 0;
    fill<<<1, 1, 0, b.s>>>(b.pinned, 9, 1);
    while (flag[0] != 9)
        ;
}

__global__ void fill_and_tell(int *out, volatile int *flag)
{
    out[threadIdx.x] = 7;
    __syncthreads();
    __threadfence_system();
    if (threadIdx.x == 0)
        *flag = 1;
}

static void fine_mapped_polled_by_query() // each iteration looks at the flag and at the stream
{
    buffers b;
    volatile int *flag = b.pinned + N - 1;
    *flag = 0;
    fill_and_tell<<<1, 64, 0, b.s>>>(b.pinned, b.pinned + N - 1);
    while (!*flag && cudaStreamQuery(b.s) == cudaErrorNotReady)
        ;
    sink = b.pinned[3];
}

static void fine_pinned_filled_by_system_call() // while a kernel uses another buffer
{
    buffers b;
    fill<<<(N + 255) / 256, 256, 0, b.s>>>(b.device, 9, N);
    FILE *zeros = fopen("/dev/zero", "r");
    setvbuf(zeros, NULL, _IONBF, 0);
    if (fread(b.pinned, 1, N * sizeof(int), zeros) != N * sizeof(int))
        puts("fread failed");
    fclose(zeros);
    sink = b.pinned[7];
}

__managed__ int counter;
__global__ void count() { atomicAdd(&counter, 1); }

static void managed_variable_early()
{
    counter = 0;
    count<<<1, 64>>>(); // SEE managed_variable_early host
    printf("%d\n", counter); // BUG managed_variable_early host
    cudaDeviceSynchronize();
}

__global__ void sums_for_nobody(const int *in, int n)
{
    int sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        sum += in[i];
}

static void timed_nothing()
{
    buffers b;
    cudaEvent_t from;
    float ms;
    cudaEventCreate(&from);
    cudaEventRecord(from);
    sums_for_nobody<<<1, 256>>>(b.device, N); // BUG timed_nothing host
    cudaEventRecord(b.done);
    cudaEventSynchronize(b.done);
    cudaEventElapsedTime(&ms, from, b.done); // SEE timed_nothing host
    cudaEventDestroy(from);
}

__global__ void empty() {}

static void fine_timed()
{
    buffers b;
    cudaEvent_t from, to;
    float ms;
    cudaEventCreate(&from);
    cudaEventCreate(&to);
    sums_for_nobody<<<1, 256>>>(b.device, N);
    cudaEventRecord(from);
    fill<<<1, 256>>>(b.device, 3, N);
    cudaEventRecord(to);
    cudaEventSynchronize(to);
    cudaEventElapsedTime(&ms, from, to);
    cudaEventRecord(from);
    empty<<<1, 1>>>(); // how long does a launch take?
    cudaEventRecord(to);
    cudaEventSynchronize(to);
    cudaEventElapsedTime(&ms, from, to);
    cudaEventDestroy(from);
    cudaEventDestroy(to);
}

static void fine_waited_by_stream()
{
    buffers b;
    b.fetch();
    cudaStreamSynchronize(b.s);
    sink = b.pinned[5];
}

static void fine_waited_by_event()
{
    buffers b;
    b.fetch();
    cudaEventRecord(b.done, b.s);
    cudaStreamWaitEvent(b.t, b.done);
    cudaEventRecord(b.done, b.t);
    cudaEventSynchronize(b.done);
    sink = b.pinned[5];
}

static void fine_waited_by_query()
{
    buffers b;
    b.fetch();
    while (cudaStreamQuery(b.s) == cudaErrorNotReady)
        ;
    sink = b.pinned[5];
}

static void fine_waited_by_copy()
{
    buffers b;
    int one;
    b.fetch();
    cudaMemcpy(&one, b.device, sizeof one, cudaMemcpyDeviceToHost); // waits for s as well
    sink = b.pinned[5];
}

static void fine_chunks()
{
    buffers b;
    const int half = N / 2;
    cudaMemcpyAsync(b.pinned, b.device, half * sizeof(int), cudaMemcpyDeviceToHost, b.s);
    cudaMemcpyAsync(b.pinned + half, b.device + half, half * sizeof(int), cudaMemcpyDeviceToHost, b.t);
    cudaStreamSynchronize(b.s);
    for (int i = 0; i < half; i++)
        sink = b.pinned[i];
    cudaStreamSynchronize(b.t);
    for (int i = half; i < 2 * half; i++)
        sink = b.pinned[i];
}

static void fine_read_while_copied_up()
{
    buffers b;
    cudaMemcpyAsync(b.device, b.pinned, N * sizeof(int), cudaMemcpyHostToDevice, b.s);
    sink = b.pinned[7];
}

static void fine_other_managed()
{
    buffers b;
    int *more;
    cudaMallocManaged(&more, 400);
    fill<<<1, 32, 0, b.s>>>(b.managed, 1, 32);
    for (int i = 0; i < 100; i++)
        more[i] = i; // another buffer
    sink = more[3] + b.managed[N - 1]; // an element that the kernel leaves alone
    cudaStreamSynchronize(b.s);
    cudaFree(more);
}

static void CUDART_CB hand_over(void *data) { sink = ((int *)data)[3]; }

static void fine_host_function()
{
    buffers b;
    b.fetch();
    cudaLaunchHostFunc(b.s, hand_over, b.pinned);
    cudaStreamSynchronize(b.s);
}

static void fine_pageable()
{
    buffers b;
    int mine[N];
    cudaMemcpyAsync(mine, b.device, sizeof mine, cudaMemcpyDeviceToHost, b.s); // returns when it is done
    sink = mine[1];
    cudaMemcpyAsync(b.device, mine, sizeof mine, cudaMemcpyHostToDevice, b.s); // was read when it returns
    mine[1] = 5;
}

static void fine_all_freed()
{
    int *p = buffer(100), *q, *r, host[100];
    cudaMallocHost(&q, 400);
    cudaMallocManaged(&r, 400);
    fill<<<4, 32>>>(p, 7, 100);
    cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(p);
    cudaFreeHost(q);
    cudaFree(r);
    cudaFree(NULL);
    printf("%d\n", host[99]);
}

static void fine_same_address_again()
{
    for (int k = 0; k < 3; k++) {
        int *p;
        cudaMallocAsync(&p, 512, 0);
        cudaFreeAsync(p, 0);
    }
    cudaDeviceSynchronize();
    for (int k = 0; k < 3; k++)
        cudaFree(buffer(10));
}

static void fine_error_asked()
{
    int *p = buffer(4), host[4] = {0};
    fill<<<1, 2048>>>(p, 1, 4);
    if (cudaGetLastError() != cudaSuccess)
        puts("asked");
    if (cudaMemcpy2D(p, 4, host, 4, 16, 2, cudaMemcpyHostToDevice) != cudaSuccess)
        printf("%s\n", cudaGetErrorString(cudaPeekAtLastError()));
    cudaFree(p);
}

static void fine_too_much_asked_for()
{
    void *p;
    if (cudaMalloc(&p, (size_t)1 << 60) != cudaSuccess)
        puts("less then");
    cudaStream_t s;
    cudaStreamCreate(&s);
    while (cudaStreamQuery(s) == cudaErrorNotReady)
        ;
    cudaStreamDestroy(s);
}

struct holder {
    int *p = NULL;
    ~holder() { cudaFree(p); }
} global;

static void fine_freed_by_destructor() { cudaMalloc(&global.p, 100); }

static void fine_exit_with_error()
{
    buffer(4);
    exit(1);
}

#define CASES(X)                                                                                   \
    X(symbol_too_much) X(array_too_much) X(host_reads_device) X(host_frees_device)                 \
    X(used_after_free) X(used_after_queued_free) X(allocated_bytes) X(used_after_reuse)            \
    X(leak_device) X(leak_many) X(leak_array) X(leak_async) X(leak_before_reset)                   \
    X(leak_event) X(leak_streams) X(leak_graph) X(leak_executable_graph) X(leak_texture)           \
    X(leak_surface) X(leak_pool) X(fine_objects_destroyed)                                         \
    X(leak_in_function) X(leak_overwritten) X(free_twice) X(free_twice_async) X(free_inside)       \
    X(free_host_pointer) X(free_pinned_as_device) X(copy_too_much) X(copy_back_too_much)           \
    X(copy_elements_for_bytes) X(copy_freed) X(copy_wrong_way) X(fill_host_memory) X(error_of_launch) X(error_of_shared)                 \
    X(error_of_grid) X(error_of_call) X(error_of_stream) X(unwaited_kernel) X(unwaited_copy)       \
    X(read_before_copy) X(read_by_library) X(waited_for_other_stream) X(event_before_copy)         \
    X(waited_for_first_half) X(fine_beside_copied_bytes)                                           \
    X(event_in_other_stream) X(changed_while_copied) X(reused_while_copied) X(managed_read_early)  \
    X(managed_wrong_stream) X(managed_variable_early) X(timed_nothing) X(fine_timed) X(fine_waited_by_stream)                     \
    X(fine_waited_by_event) X(fine_waited_by_query) X(fine_waited_by_copy) X(fine_chunks)          \
    X(fine_read_while_copied_up) X(fine_other_managed) X(fine_host_function) X(fine_pageable)      \
    X(fine_all_freed) X(fine_same_address_again) X(fine_error_asked) X(fine_too_much_asked_for)    \
    X(fine_freed_by_destructor) X(fine_exit_with_error) X(mapped_read_early)                       \
    X(mapped_wrong_stream) X(fine_mapped_waited) X(fine_mapped_polled)                             \
    X(fine_mapped_polled_by_query)                                                                 \
    X(fine_pinned_filled_by_system_call) X(registered_read_early) X(registered_changed_early)       \
    X(fine_registered_halves) X(managed_written_early) X(managed_input_changed)                     \
    X(managed_next_input) X(mapped_input_changed) X(fine_managed_written_beside)                    \
    X(fine_managed_read_beside)                                                                    \
    X(fine_managed_input_waited) X(fine_managed_handed_over)

int main(int argc, char **argv)
{
    for (int k = 1; k < argc; k++) {
#define RUN(name) if (strcmp(argv[k], #name) == 0) name();
        CASES(RUN)
    }
    return 0;
}
