/* The recorder's versions of kernel launches, host functions in streams, and calls that wait
 * (cudaDeviceSynchronize). */
#include "../../cudart/core/name.h"
#include "interposer.h"

#include <stdlib.h>

typedef struct launch_call {
    const void
        *key; /* identifies the kernel: the address of its host function, or a cudaKernel_t */
    dim3 grid, block, cluster; /* shape of the launch; cluster 0: none */
    void **args;               /* addresses of the kernel's arguments */
    size_t shared;             /* bytes of dynamic shared memory */
    cudaStream_t stream;       /* stream that runs the kernel */
    bool cooperative;          /* launched with cudaLaunchCooperativeKernel */
} launch_call;

static uint64_t launch_count; /* number of launches recorded so far */

/* Append the record of launch L of kernel K: operation OP on stream number STREAM, with BYTES bytes
 * of parameters. */
static void record_launch(const launch_call *l, const interposer_kernel *k, uint64_t op,
                          uint64_t stream, const void *params, uint64_t bytes)
{
    const uint64_t grid[] = {l->grid.x, l->grid.y, l->grid.z},
                   block[] = {l->block.x, l->block.y, l->block.z},
                   cluster[] = {l->cluster.x, l->cluster.y, l->cluster.z};
    interposer_write_record(&(rec_item){
        .kind = REC_launch,
        .launch = {.op = op,
                   .stream = stream,
                   .number = launch_count++,
                   .module = interposer_module_number_of_kernel(k),
                   .kernel = interposer_kernel_name(k),
                   .grid = {3, grid},
                   .block = {3, block},
                   .cluster = {3, cluster},
                   .shared = l->shared,
                   .cooperative = l->cooperative,
                   .params = rec_store_data(interposer_recorder.writer, params, bytes)}});
}

/* Data about a launch that the recorder keeps from begin_launch to end_launch. */
typedef struct launch_record {
    const interposer_kernel *kernel; /* the launched kernel */
    void *params;     /* the kernel's parameters as laid out in the PTX; NULL: it is not recorded */
    uint64_t bytes;   /* size of params */
    interposer_op op; /* the operation in the recording */
} launch_record;

/* Begin to record launch L. If it is recorded, the lock is held until end_launch. */
static launch_record begin_launch(const launch_call *l)
{
    launch_record s = {0};
    if (!interposer_begin_recording())
        return s;
    s.kernel = interposer_is_stream_capturing(l->stream) ? NULL : interposer_find_kernel(l->key);
    s.params = s.kernel ? interposer_kernel_params(s.kernel, l->args, &s.bytes) : NULL;
    if (s.params)
        s.op = interposer_begin_op(l->stream);
    else
        interposer_release_recorder_lock();
    return s;
}

/* Record launch L, whose real call has returned E, and wait until the kernel ends. */
static cudaError_t end_launch(const launch_call *l, launch_record *s, cudaError_t e)
{
    if (!s->params)
        return e;
    if (e) {
        interposer_drop_op(&s->op);
    } else {
        cudaError_t fault;
        record_launch(l, s->kernel, s->op.id, s->op.stream, s->params, s->bytes);
        const double ns = interposer_wait_for_op(&s->op, &fault);
        if (fault == cudaErrorNotReady) {
            char *name = name_of_kernel(interposer_kernel_name(s->kernel));
            interposer_warn(
                "kernel %s has run for more than %d s: it may wait for what the host writes "
                "while it runs, or for later work",
                name ? name : interposer_kernel_name(s->kernel), INTERPOSER_MAX_WAIT_SECONDS);
            free(name);
            fault = cudaSuccess;
        }
        interposer_end_op(&s->op, ns, fault, 0, true);
    }
    free(s->params);
    interposer_release_recorder_lock();
    return e;
}

INTERPOSER_API cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block,
                                              void **args, size_t shared, cudaStream_t stream);

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args,
                               size_t shared, cudaStream_t stream)
{
    const launch_call l = {kernel, grid, block, {0, 0, 0}, args, shared, stream, false};
    launch_record s = begin_launch(&l);
    return end_launch(&l, &s,
                      CALL_REAL(__cudaLaunchKernel, kernel, grid, block, args, shared, stream));
}

INTERPOSER_API cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block,
                                            void **args, size_t shared, cudaStream_t stream)
{
    const launch_call l = {function, grid, block, {0, 0, 0}, args, shared, stream, false};
    launch_record s = begin_launch(&l);
    return end_launch(&l, &s,
                      CALL_REAL(cudaLaunchKernel, function, grid, block, args, shared, stream));
}

INTERPOSER_API cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block,
                                                       void **args, size_t shared,
                                                       cudaStream_t stream)
{
    const launch_call l = {function, grid, block, {0, 0, 0}, args, shared, stream, true};
    launch_record s = begin_launch(&l);
    return end_launch(
        &l, &s,
        CALL_REAL(cudaLaunchCooperativeKernel, function, grid, block, args, shared, stream));
}

INTERPOSER_API cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *c, const void *function,
                                               void **args)
{
    launch_call l = {.key = function, .args = args};
    if (c) {
        l.grid = c->gridDim;
        l.block = c->blockDim;
        l.shared = c->dynamicSmemBytes;
        l.stream = c->stream;
        l.cluster = (dim3){0, 0, 0};
    }
    for (unsigned k = 0; c && k < c->numAttrs; k++) {
        const cudaLaunchAttribute *a = &c->attrs[k];
        if (a->id == cudaLaunchAttributeClusterDimension)
            l.cluster = (dim3){a->val.clusterDim.x, a->val.clusterDim.y, a->val.clusterDim.z};
        l.cooperative =
            l.cooperative || (a->id == cudaLaunchAttributeCooperative && a->val.cooperative);
    }
    launch_record s = c ? begin_launch(&l) : (launch_record){0};
    return end_launch(&l, &s, CALL_REAL(cudaLaunchKernelExC, c, function, args));
}

/* --- host functions in streams: the recording contains that one ran, but not what it did --- */

/* Begin to record a host function in STREAM. Returns true with the lock held, or false if the
 * function is not recorded. */
static bool begin_host_function(cudaStream_t stream, interposer_op *o)
{
    if (!interposer_begin_recording())
        return false;
    if (interposer_is_stream_capturing(stream)) {
        interposer_release_recorder_lock();
        return false;
    }
    *o = interposer_begin_op(stream);
    return true;
}

/* Record host function O, whose real call has returned E, and wait until it has run. NULL: it is
 * not recorded. */
static cudaError_t end_host_function(interposer_op *o, cudaError_t e)
{
    if (!o)
        return e;
    if (e) {
        interposer_drop_op(o);
    } else {
        cudaError_t fault;
        interposer_write_record(&(rec_item){.kind = REC_host, .host = {o->id, o->stream, 0}});
        const double ns = interposer_wait_for_op(o, &fault);
        interposer_end_op(o, ns, fault == cudaErrorNotReady ? cudaSuccess : fault, 0, false);
    }
    interposer_release_recorder_lock();
    return e;
}

INTERPOSER_API cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function,
                                              void *data)
{
    interposer_op o;
    const bool recorded = begin_host_function(stream, &o);
    return end_host_function(recorded ? &o : NULL,
                             CALL_REAL(cudaLaunchHostFunc, stream, function, data));
}

INTERPOSER_API cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function,
                                                 void *data, unsigned flags)
{
    interposer_op o;
    const bool recorded = begin_host_function(stream, &o);
    return end_host_function(recorded ? &o : NULL,
                             CALL_REAL(cudaStreamAddCallback, stream, function, data, flags));
}

/* --- synchronisation calls: the recording is flushed after each --- */

/* Write the recording so far to the file. Returns E, the result of the synchronisation call. */
static cudaError_t flush_after_wait(cudaError_t e)
{
    if (interposer_begin_recording()) {
        rec_flush_frame(interposer_recorder.writer);
        interposer_release_recorder_lock();
    }
    return e;
}

INTERPOSER_API cudaError_t cudaDeviceSynchronize(void)
{
    return flush_after_wait(CALL_REAL(cudaDeviceSynchronize));
}

INTERPOSER_API cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    return flush_after_wait(CALL_REAL(cudaStreamSynchronize, stream));
}

INTERPOSER_API cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    return flush_after_wait(CALL_REAL(cudaEventSynchronize, event));
}

/* --- calls that concern the whole device ------------------------------------------------------ */

INTERPOSER_API cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
    const cudaError_t e = CALL_REAL(cudaDeviceSetLimit, limit, value);
    const bool stack = limit == cudaLimitStackSize, heap = limit == cudaLimitMallocHeapSize;
    if (!e && (stack || heap) && interposer_begin_recording()) {
        interposer_recorder.stack = stack ? value : interposer_recorder.stack;
        interposer_write_record(&(rec_item){
            .kind = REC_limits, .limits = {interposer_recorder.stack, heap ? value : 0, 0}});
        interposer_release_recorder_lock();
    }
    return e;
}

INTERPOSER_API cudaError_t cudaDeviceReset(void)
{
    if (interposer_begin_recording()) {
        interposer_forget_modules();
        interposer_forget_allocations();
        interposer_recorder.stack = 0;
        interposer_write_record(&(rec_item){.kind = REC_reset});
        interposer_release_recorder_lock();
    }
    return CALL_REAL(cudaDeviceReset);
}
