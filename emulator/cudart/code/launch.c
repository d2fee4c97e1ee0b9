/* Kernel launches. A launch is checked and queued at the call, and runs when the program waits. */
#include "../../launch/launch.h"
#include "../../accesses/accesses.h"
#include "../../accesses/seen.h"
#include "../../coverage/coverage.h"
#include "../../debugger/step/step.h"
#include "../../debugger/trace/trace.h"
#include "../../memory/memory.h"
#include "../../sanitizer/reports.h"
#include "../../sanitizer/watch.h"
#include "../../sm/heap.h"
#include "../../timing/timing.h"
#include "../checks/checks.h"
#include "../core/recorder.h"
#include "../core/repeat.h"
#include "../core/state.h"
#include "../device_side/nested.h"
#include "../graphs/capture.h"
#include "../streams/event.h"
#include "../streams/idle.h"
#include "../streams/op_times.h"
#include "cluster.h"
#include "launch.h"
#include "module.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define RESERVED_LAUNCH_ATTRIBUTE 15 /* the launch attribute number for which CUDA has no name */
/* Maximum nesting of launch configurations: an argument of a launch may itself launch a kernel. */
#define MAX_PUSHED_CONFIGS 16

RT_API unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared,
                                            struct CUstream_st *stream);
RT_API cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared,
                                              void *stream);
RT_API cudaError_t __cudaGetKernel(cudaKernel_t *handle, const void *host);
RT_API cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args,
                                      size_t shared, cudaStream_t stream);

/* What <<<...>>> specifies. */
typedef struct launch_config {
    dim3 grid, block;    /* blocks in the grid; threads in a block */
    size_t shared;       /* bytes of dynamic shared memory */
    cudaStream_t stream; /* stream of the launch */
} launch_config;

/* The launch configurations of this thread: <<<...>>> pushes one, and the kernel's stub pops it
 * after the arguments have been evaluated. */
static __thread launch_config pushed_configs[MAX_PUSHED_CONFIGS];
static __thread int pushed_count; /* number of configurations in pushed_configs */

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared,
                                     struct CUstream_st *stream)
{
    if (pushed_count == MAX_PUSHED_CONFIGS)
        return rt_set_last_error(cudaErrorInvalidConfiguration);
    pushed_configs[pushed_count++] = (launch_config){grid, block, shared, stream};
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
    if (!pushed_count)
        return rt_set_last_error(cudaErrorMissingConfiguration);
    launch_config *c = &pushed_configs[--pushed_count];
    *grid = c->grid;
    *block = c->block;
    *shared = c->shared;
    *(cudaStream_t *)stream = c->stream;
    return cudaSuccess;
}

/* --- running ---------------------------------------------------------------------------------- */

/* The data of an operation that runs a kernel. */
typedef struct kernel_work {
    rt_launch launch;  /* kernel, launch configuration and parameters */
    uint64_t number;   /* number of the launch: counted from 0 in order of issue, as in ncu */
    rt_nested *nested; /* collects calls of the device runtime; NULL: the kernel makes none */
    bool left_out;     /* the kernel is skipped, because of WARPBOOK_SKIP_PROFILED */
} kernel_work;

/* A launch that makes no progress for this much CPU time is stopped while a checker
 * (WARPBOOK_SANITIZE) is active, or where reports are kept (WARPBOOK_REPORTS). */
#define RT_NO_PROGRESS_LIMIT_MS 2000

static void dispose_kernel_work(rt_op *op)
{
    free(((kernel_work *)op->data)->launch.params);
}

static void describe_launch(const rt_op *op, rt_op_info *to)
{
    const kernel_work *w = op->data;
    *to = (rt_op_info){.action = RT_ACTION_LAUNCH, .launch = &w->launch, .number = w->number};
}

static void write_launch_tables(const kernel_work *w, const char *name, const sm_launch *l,
                                const sm_result *r)
{
    const char *unwritten = acc_failed_path();
    if (unwritten)
        rt_print_message("cannot write %s: %s", unwritten, strerror(errno));
    if (rt.counters &&
        !counters_write_launch(rt.counters, w->number, name, l->grid, l->block, &r->total)) {
        rt_print_message("WARPBOOK_COUNTERS: cannot write %s", rt.counters);
        rt.counters = NULL;
    }
    if (rt.lines && !line_rows_append(rt.lines, w->number, name, r->lines, r->line_count)) {
        rt_print_message("WARPBOOK_LINES: cannot write %s", rt.lines);
        rt.lines = NULL;
    }
}

static void write_source_table(const kernel_work *w, const char *name, const sm_launch *l,
                               sm_result *r, const launch_time *t)
{
    timing_fill_shares(&rt.profile, t, r->source, r->source_count);
    const source_launch s = {.number = w->number,
                             .kernel = name,
                             .grid = l->grid,
                             .block = l->block,
                             .limit = t->bound,
                             .work = &r->work,
                             .memory_gbs = rt.profile.dram_gbs,
                             .most_f32_gflops = timing_most_f32_gflops(&rt.profile)};
    if (!source_append_launch(rt.source, &s, r->source, r->source_count)) {
        rt_print_message("WARPBOOK_SOURCE: cannot write %s", rt.source);
        rt.source = NULL;
    }
}

/* The fraction of the device that a kernel occupies: by its blocks or by its memory traffic,
 * whichever is larger. */
static double device_share_of_kernel(const rt_launch *w, const launch_time *t)
{
    uint64_t threads = (uint64_t)w->block.x * w->block.y * w->block.z;
    double blocks = (double)w->grid.x * w->grid.y * w->grid.z;
    double cap =
        (double)rt_blocks_per_sm(w->kernel, threads, w->shared) * (double)rt.profile.sm_count;
    double share = cap > 0 ? blocks / cap : 1;
    double busy = t->dram > t->l2 ? t->dram : t->l2;
    if (t->total > 0 && busy / t->total > share)
        share = busy / t->total;
    return share > 1 ? 1 : share;
}

/* L1 capacity that remains on an SM besides the shared memory of its resident blocks, bytes. */
static uint64_t l1_bytes_beside_shared(const rt_launch *w)
{
    uint64_t threads = (uint64_t)w->block.x * w->block.y * w->block.z;
    return timing_l1_bytes(&rt.profile, rt_blocks_per_sm(w->kernel, threads, w->shared),
                           w->kernel->info.static_shared + w->shared);
}

static const sm_observer *extra_observer; /* of rt_set_extra_observer; NULL: none */

void rt_set_extra_observer(const sm_observer *observer)
{
    extra_observer = observer;
}

bool rt_observes_each_insn(void)
{
    return trace_is_on() || cov_is_on() || step_is_session() ||
           (extra_observer && (extra_observer->insn_begins || extra_observer->insn_ends));
}

static void run_kernel(rt_op *op)
{
    const kernel_work *work = op->data;
    const rt_launch *w = &work->launch;
    rt_kernel *k = w->kernel;
    const uint64_t threads = (uint64_t)w->block.x * w->block.y * w->block.z;
    if (work->left_out)
        return;
    rt_resident_kernel seat = {.name = op->name};
    const sm_observer *watch[SM_OBSERVERS + 1];
    san_list_observers(rt.skip_races ? rt.sanitize & ~(unsigned)SAN_RACE : rt.sanitize, watch);
    if (rt_current_recorder)
        sm_heap_keep_layout();
    sm_launch l = {.kernel = k->func,
                   .grid = {w->grid.x, w->grid.y, w->grid.z},
                   .block = {w->block.x, w->block.y, w->block.z},
                   .dynamic_shared = w->shared,
                   .stack_bytes = rt.state.stack_bytes,
                   .params = w->params,
                   .workers = rt.workers,
                   .cooperative = w->cooperative,
                   .want_lines = rt.lines != NULL,
                   .discard_output = rt.ends,
                   .name = op->name,
                   .number = work->number,
                   .stream = op->stream,
                   .skip_memory_cost = rt.uncounted,
                   .sm_count = (uint32_t)rt.profile.sm_count,
                   .l1_bytes = l1_bytes_beside_shared(w),
                   .l2_slices = (uint32_t)rt.profile.l2_slices,
                   .clock_base = (uint64_t)rt_clock_now(),
                   .clock_mhz = rt.profile.clock_mhz,
                   .blocks_per_ns = rt.profile.blocks_per_ns,
                   .schedulers = (uint32_t)rt.profile.schedulers_per_sm,
                   .blocks_per_sm = rt_blocks_per_sm(k, threads, w->shared),
                   .max_resident_blocks = rt_max_resident_blocks(k, threads, w->shared),
                   .l2_bytes = rt.profile.l2_bytes,
                   .patience_ms = (rt.sanitize || getenv("WARPBOOK_REPORTS")) && !step_is_session()
                                      ? RT_NO_PROGRESS_LIMIT_MS
                                      : 0,
                   .runtime_call = work->nested ? rt_run_device_runtime_call : NULL,
                   .runtime = work->nested,
                   .host_waits = rt_all_host_threads_wait,
                   .run_other_grids = rt_run_other_kernels,
                   .other_grids_context = &seat};
    dim3 cluster;
    if (rt_is_clustered(k, w->cluster) && !rt_cluster_shape(k, w->grid, w->cluster, &cluster))
        memcpy(l.cluster, (uint32_t[]){cluster.x, cluster.y, cluster.z}, sizeof l.cluster);
    acc_add_observer(watch, &l, op->name);
    l.want_source = rt.source && acc_is_first_launch(&rt.in_source_table, &l);
    step_add_observer(watch);
    trace_add_observer(watch);
    cov_add_observer(watch);
    if (extra_observer)
        sm_observer_append(watch, extra_observer);
    l.observers = watch[0] ? watch : NULL;
    sm_result r = {0};
    mem_clear_stop_request();
    launch_run(rt_kernel_program(k), &l, &r);
    r.total.v[CTR_profiled_range] = work->launch.range;
    RT_CALL_RECORDER(counted, op, &r.total);
    rt_check_printed(op, k->module->ptx, &r.printed);
    char site[500];
    for (sm_report *found = r.reports; found; found = found->next) {
        if (rt_launch_site_text(found->at.path, op->by, site, sizeof site))
            san_report_add_line(found, site);
        if (rt_report_kernel_finding(found, op->name))
            step_note_report(found);
    }
    for (uint32_t n = 0; n < CTR_COUNT; n++)
        r.total.v[n] += seat.before.v[n];
    if (r.fault.kind != SM_OK) {
        if (r.fault.text[0])
            rt_report_fault(op->name, &r.fault, op->by, w->params, k->func->param_bytes);
        op->fault = rt_error_of_fault(r.fault.kind);
    } else {
        launch_shape shape = {.grid = {l.grid[0], l.grid[1], l.grid[2]},
                              .block = {l.block[0], l.block[1], l.block[2]},
                              .registers = k->info.registers,
                              .shared_bytes = k->info.static_shared + w->shared,
                              .local_bytes = k->info.local_bytes,
                              .spilled = k->spilled_bytes,
                              .kept_bytes = k->kept_in_registers,
                              .of_graph = op->node};
        launch_time t = timing_of_kernel(&rt.profile, &rt.state.timing, &shape, &r.total, &r.work);
        op->ns = t.total;
        op->share = device_share_of_kernel(w, &t);
        write_launch_tables(work, op->name, &l, &r);
        if (l.want_source && rt.source)
            write_source_table(work, op->name, &l, &r, &t);
    }
    launch_result_clear(&r);
}

/* --- issuing ---------------------------------------------------------------------------------- */

uint64_t rt_max_dynamic_shared_bytes(const rt_kernel *k)
{
    uint64_t plain = rt.profile.shared_per_block > k->info.static_shared
                         ? rt.profile.shared_per_block - k->info.static_shared
                         : 0;
    return k->max_dynamic > 0 && (uint64_t)k->max_dynamic > plain ? (uint64_t)k->max_dynamic
                                                                  : plain;
}

uint32_t rt_blocks_per_sm(const rt_kernel *k, uint64_t threads, uint64_t dynamic)
{
    if (!threads || threads > RT_BLOCK_THREADS)
        return 0;
    return timing_blocks_per_sm(&rt.profile, (uint32_t)threads, k->info.registers,
                                k->info.static_shared + dynamic);
}

uint64_t rt_max_resident_blocks(const rt_kernel *k, uint64_t threads, uint64_t dynamic)
{
    return timing_blocks_per_sm(&rt.profile, (uint32_t)threads,
                                k->knows_registers ? k->info.registers : 1,
                                k->info.static_shared + dynamic) *
           (uint64_t)rt.profile.sm_count;
}

static uint8_t *gather_parameters(const ptx_func *f, void **args)
{
    uint8_t *p = calloc(1, f->param_bytes ? f->param_bytes : 1);
    for (uint32_t i = 0; p && args && i < f->param_count; i++)
        memcpy(p + f->params[i].offset, args[i], f->params[i].size);
    return p;
}

cudaError_t rt_launch_prepare(const void *function, void **args, bool later, rt_launch *l)
{
    rt_kernel *k = function ? rt_find_kernel(function) : NULL;
    if (!k)
        return function ? cudaErrorInvalidResourceHandle : cudaErrorInvalidDeviceFunction;
    cudaError_t e = rt_kernel_load_once(k);
    dim3 cluster;
    e = e ? e : rt_check_launch_shape(k, l->grid, l->block, l->shared);
    e = e ? e : rt_cluster_shape(k, l->grid, l->cluster, &cluster);
    if (!e && k->func->param_count && !args && !later) {
        e = rt_error_because(cudaErrorInvalidValue,
                             "the kernel has %u parameters, and the array of "
                             "arguments is a null pointer",
                             k->func->param_count);
    }
    e = e || !l->cooperative ? e : rt_check_cooperative_launch(k, l);
    if (!e) {
        l->kernel = k;
        l->params = gather_parameters(k->func, args);
        e = l->params ? cudaSuccess : cudaErrorMemoryAllocation;
    }
    return e;
}

cudaError_t rt_launch_queue(const rt_launch *l, rt_stream *s)
{
    const bool nests = l->kernel->info.calls_runtime;
    rt_nested *nested = nests ? rt_nested_new(l) : NULL;
    rt_op *op = nests && !nested ? NULL : rt_queue_op(s, RT_KERNEL, sizeof(kernel_work), NULL);
    if (!op) {
        free(nested);
        free(l->params);
        return cudaErrorMemoryAllocation;
    }
    kernel_work *work = op->data;
    *work = (kernel_work){.launch = *l,
                          .number = rt.modules.launches++,
                          .nested = nested,
                          .left_out = rt.skip_profiled && rt.profiled};
    work->launch.range = rt.profiled ? rt.profiled_ranges : 0;
    op->name = rt_kernel_display_name(l->kernel);
    rt_check_shadow_variables();
    rt_guard_kernel(op, l->params, l->kernel->func->param_bytes);
    rt_note_issued_kernel(op, l->kernel->func);
    if (l->programmatic)
        rt_note_programmatic_launch(op);
    op->run = run_kernel;
    op->describe = describe_launch;
    op->dispose = dispose_kernel_work;
    if (nests && !rt_nested_queue(nested, op, s)) {
        op->run = NULL;
        free(nested);
        return cudaErrorMemoryAllocation;
    }
    return cudaSuccess;
}

/* --- replaying a recording (core/repeat.h) ---------------------------------------------------- */

cudaError_t rt_replay_check_launch(rt_module *m, const char *name, rt_launch *l, uint64_t *bytes)
{
    rt_kernel *k;
    cudaError_t e = rt_module_kernel(m, name, &k);
    e = e ? e : rt_kernel_load_once(k);
    if (!e && l->shared <= rt.profile.shared_per_block_optin) {
        k->max_dynamic =
            (int)l->shared; /* the limit that the recorded program had set before this launch */
    }
    e = e ? e : rt_launch_prepare(k, NULL, true, l);
    *bytes = e ? 0 : k->func->param_bytes;
    return e;
}

cudaError_t rt_replay_launch(rt_op *op, const rt_op_info *t)
{
    const bool nests = t->launch->kernel->info.calls_runtime;
    kernel_work *work = calloc(1, sizeof *work);
    rt_nested *nested = nests ? rt_nested_new(t->launch) : NULL;
    if (!work || (nests && !nested)) {
        free(work);
        free(nested);
        free(t->launch->params);
        return cudaErrorMemoryAllocation;
    }
    *work = (kernel_work){.launch = *t->launch, .number = t->number, .nested = nested};
    op->data = work;
    op->name = rt_kernel_display_name(t->launch->kernel);
    op->run = run_kernel;
    op->describe = describe_launch;
    op->dispose = dispose_kernel_work;
    return cudaSuccess;
}

void rt_replay_nested_done(rt_op *op)
{
    kernel_work *work = op->run == run_kernel ? op->data : NULL;
    if (work && work->nested) {
        rt_nested_free(work->nested);
        work->nested = NULL;
    }
}

/* --- calls ------------------------------------------------------------------------------------ */

/* Launch attributes that a launch sets in addition to grid, block and shared memory. */
typedef struct launch_extras {
    bool cooperative;  /* cudaLaunchAttributeCooperative */
    bool programmatic; /* cudaLaunchAttributeProgrammaticStreamSerialization */
    dim3 cluster;      /* blocks in a cluster; all 0: no clusters */
} launch_extras;

static cudaError_t launch_or_capture(const void *function, dim3 grid, dim3 block, void **args,
                                     size_t shared, cudaStream_t stream, launch_extras extra)
{
    cudaError_t e = rt_lock();
    rt_stream *s = rt_stream_of(stream);
    rt_launch l = {.grid = grid,
                   .block = block,
                   .cluster = extra.cluster,
                   .shared = shared,
                   .cooperative = extra.cooperative,
                   .programmatic = extra.programmatic};
    e = RT_ERROR_IF(e, !s, cudaErrorInvalidResourceHandle);
    const rt_kernel *k = rt_find_kernel(function);
    rt_set_kernel_being_launched(k ? k->host : NULL);
    e = e ? e : rt_launch_prepare(function, args, false, &l);
    if (e && s && rt_is_capturing(s))
        rt_capture_invalidate(s);
    const bool made = !e;
    e = e ? e : rt_capture_check_work(s);
    if (e && made) {
        free(l.params);
    } else if (e) {
        /* the launch failed without creating an operation */
    } else if (rt_is_capturing(s)) {
        rt_node_work work;
        e = rt_make_launch_work(&l, &work);
        e = e ? e : rt_capture_add_node(s, &work);
    } else {
        e = rt_launch_queue(&l, s);
    }
    e = rt_unlock(e);
    rt_set_kernel_being_launched(NULL);
    return e;
}

cudaError_t __cudaGetKernel(cudaKernel_t *handle, const void *host)
{
    /* If the kernel cannot be loaded, its launch reports the error. */
    rt_take_lock_again();
    rt_kernel *k = rt_find_kernel(host);
    rt_release_lock();
    *handle = (cudaKernel_t)k;
    return k ? cudaSuccess : rt_set_last_error(cudaErrorInvalidDeviceFunction);
}

cudaError_t cudaGetKernel(cudaKernel_t *handle, const void *host)
{
    return handle ? __cudaGetKernel(handle, host) : rt_set_last_error(cudaErrorInvalidValue);
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args,
                               size_t shared, cudaStream_t stream)
{
    return launch_or_capture(kernel, grid, block, args, shared, stream, (launch_extras){0});
}

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **args,
                             size_t shared, cudaStream_t stream)
{
    return launch_or_capture(function, grid, block, args, shared, stream, (launch_extras){0});
}

cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **args,
                                        size_t shared, cudaStream_t stream)
{
    return launch_or_capture(function, grid, block, args, shared, stream,
                             (launch_extras){.cooperative = true});
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function, void **args)
{
    if (!config || (config->numAttrs && !config->attrs))
        return rt_set_last_error(cudaErrorInvalidValue);
    launch_extras extra = {0};
    cudaEvent_t done = NULL;
    cudaError_t wrong = cudaSuccess;
    unsigned percent;
    for (unsigned i = 0; i < config->numAttrs && !wrong; i++) {
        const cudaLaunchAttribute *a = &config->attrs[i];
        switch (a->id) {
        case cudaLaunchAttributeCooperative: extra.cooperative = a->val.cooperative; break;
        case cudaLaunchAttributeClusterDimension:
            extra.cluster = (dim3){a->val.clusterDim.x, a->val.clusterDim.y, a->val.clusterDim.z};
            break;
        case cudaLaunchAttributeProgrammaticStreamSerialization:
            extra.programmatic = a->val.programmaticStreamSerializationAllowed;
            break;
        case cudaLaunchAttributeProgrammaticEvent:
            done = a->val.programmaticEvent.event;
            wrong = done ? cudaSuccess : cudaErrorInvalidResourceHandle;
            break;
        case cudaLaunchAttributeLaunchCompletionEvent:
            done = a->val.launchCompletionEvent.event;
            wrong = done ? cudaSuccess : cudaErrorInvalidResourceHandle;
            break;
        case cudaLaunchAttributePreferredSharedMemoryCarveout:
            memcpy(&percent, &a->val, sizeof percent);
            wrong = percent > 100 ? cudaErrorInvalidValue : cudaSuccess;
            break;
        case cudaLaunchAttributeSynchronizationPolicy: /* valid for streams only */
            wrong = cudaErrorInvalidValue;
            break;
        case cudaLaunchAttributeDeviceUpdatableKernelNode: /* valid for graphs only */
            wrong = cudaErrorNotSupported;
            break;
        default: /* all other attributes affect speed, not results */
            if ((unsigned)a->id > cudaLaunchAttributeNvlinkUtilCentricScheduling ||
                a->id == RESERVED_LAUNCH_ATTRIBUTE)
                wrong = cudaErrorInvalidValue;
        }
    }
    if (wrong)
        return rt_set_last_error(wrong);
    if (done) { /* an event with timing is rejected: it would not measure the kernel alone */
        rt_take_lock_again();
        const bool refused = rt_is_event(done) && !rt_event_has_no_timing(done);
        rt_release_lock();
        if (refused)
            return rt_set_last_error(cudaErrorNotSupported);
    }
    cudaError_t e = launch_or_capture(function, config->gridDim, config->blockDim, args,
                                      config->dynamicSmemBytes, config->stream, extra);
    /* A GPU may signal the event earlier; the emulator records it when the kernel is done. */
    return e || !done ? e : cudaEventRecord(done, config->stream);
}
