/* Runs a grid. Workers (host threads) take blocks in order until none is left; then the workers'
 * counters are summed.
 *
 * A block that only polls memory stays resident while its worker runs other blocks, so grids whose
 * blocks synchronise through global memory make progress. */
#include "../base/list.h"
#include "../clock/clock.h"
#include "../compile/program.h"
#include "../compile/ptxas/facts.h"
#include "../observe/observe.h"
#include "../profiler/collect.h"
#include "../profiler/handout.h"
#include "../profiler/l1.h"
#include "../profiler/l2.h"
#include "../profiler/passages.h"
#include "../profiler/source.h"
#include "../sm/cluster.h"
#include "../sm/effort.h"
#include "../sm/fault.h"
#include "../sm/heap.h"
#include "../sm/output.h"
#include "../sm/waits.h"
#include "../sm/windows.h"
#include "block.h"
#include "deadlock_watch.h"
#include "launch.h"
#include "patience.h"
#include "resident.h"
#include "threads.h"
#include "trial.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GRID_BARRIER_BYTES 4096 /* device memory for the grid barrier of a cooperative launch */

typedef struct launch_workers {
    sm_grid grid;                             /* what all blocks of the launch share */
    struct sm_fault_box box;                  /* the first fault of the launch */
    launch_deadlock_watch watch;              /* detects a grid that never ends */
    profiler_block_distribution distribution; /* assigns blocks to workers */
    launch_trial trial;                       /* whether one worker alone is faster */
    bool sleeps;                              /* only the first worker has been called so far */
    uint64_t blocks, clusters;                /* number of blocks; number of clusters */
    bool is_serial;        /* one host thread runs all blocks, in the order of their index */
    struct worker *worker; /* [workers] state of each host thread that takes part */
} launch_workers;

typedef struct worker {
    sm_worker k;
    launch_workers *launch;     /* the launch that the worker serves */
    profiler_grid_piece piece;  /* the part of the grid that the worker runs */
    launch_resident **resident; /* [resident_count] resident clusters of the worker */
    uint32_t resident_count;
    launch_watcher watcher;  /* this host thread's state of the deadlock check */
    uint64_t clusters_begun; /* number of clusters that the worker has begun */
    bool began; /* the worker is initialized: it has counts to add and memory to release */
} worker;

static void stop_out_of_memory(launch_workers *c)
{
    sm_stop_grid(&c->grid, NULL, SM_FAULT_MEMORY,
                 "The host is out of memory: the launch needs register windows, shared and local "
                 "memory for each resident block.");
}

static bool take_next_cluster(worker *me, uint64_t *index)
{
    const bool taken = profiler_next_cluster(&me->launch->distribution, &me->piece, index);
    me->clusters_begun += taken;
    return taken;
}

/* The first worker of a launch that began alone calls the others, once they are to run. */
static void wake_workers(launch_workers *c)
{
    if (c->sleeps && !launch_trial_runs_one(&c->trial)) {
        c->sleeps = false;
        launch_wake_threads(c);
    }
}

/* Like take_next_cluster, for a worker whose clusters have all ended: it may pause before. */
static bool take_cluster_in_turn(worker *me, uint64_t *index)
{
    launch_workers *c = me->launch;
    const uint32_t number = (uint32_t)(me - c->worker);
    if (launch_trial_looks(&c->trial, number, me->clusters_begun)) {
        const uint64_t work = me->k.work.all[WORK_ISSUE], ns = launch_thread_cpu_ns();
        while (!launch_trial_pass(&c->trial, number, work, ns)) {
            profiler_give_back(&c->distribution, &me->piece);
            launch_trial_pause(&c->trial, number);
        }
        wake_workers(c);
    }
    return take_next_cluster(me, index);
}

/* Is the device full of blocks that wait, so that no further block begins before one of them ends?
 * Only a launch on one host thread runs its blocks in the order in which a device begins them. */
static bool is_device_full(worker *me)
{
    launch_workers *c = me->launch;
    const uint64_t size = c->blocks / c->clusters, most = c->grid.launch->max_resident_blocks;
    const uint64_t waiting = c->blocks - me->clusters_begun * size;
    const bool full = c->is_serial && most && (me->resident_count + 1) * size > most;
    c->grid.blocks_without_place = full ? waiting : 0;
    return full && waiting;
}

/* Make cluster INDEX resident on worker ME. NULL: the host is out of memory. */
static launch_resident *add_resident(worker *me, uint64_t index)
{
    launch_resident **at = LIST_ADD(me->resident, me->resident_count);
    launch_resident *r = at ? launch_resident_new(&me->k) : NULL;
    if (r)
        launch_resident_begin(*at = r, index);
    else
        me->resident_count -= at != NULL;
    return r;
}

static void run_worker(worker *me)
{
    launch_workers *c = me->launch;
    uint64_t index;
    if (take_cluster_in_turn(me, &index) && !add_resident(me, index))
        stop_out_of_memory(c);
    uint32_t k = 0;
    while (me->resident_count && !sm_has_faulted(&c->grid)) {
        launch_resident *r = me->resident[k];
        switch (launch_resident_run(r)) {
        case LAUNCH_BLOCK_FAULT: break;
        case LAUNCH_BLOCK_DONE:
            launch_time_limit_reset(c->grid.patience);
            launch_restart_deadlock_watch(&me->watcher);
            /* Waiting blocks run first: their condition may be true now. */
            if (me->resident_count == 1 && take_cluster_in_turn(me, &index)) {
                launch_resident_begin(r, index);
                break;
            }
            launch_resident_free(r);
            me->resident[k] = me->resident[--me->resident_count];
            k = k < me->resident_count ? k : 0;
            break;
        case LAUNCH_BLOCK_POLLS:
            launch_trial_stop(&c->trial);
            wake_workers(c);
            if (++k < me->resident_count)
                break;
            k = 0;
            if (!is_device_full(me) && take_next_cluster(me, &index)) {
                k = me->resident_count;
                launch_restart_deadlock_watch(&me->watcher);
                if (!add_resident(me, index))
                    stop_out_of_memory(c);
            } else {
                launch_check_for_deadlock(&c->watch, &me->watcher, &me->k, me->resident,
                                          me->resident_count);
            }
            break;
        }
    }
}

/* --- adding up the counts of all host threads ------------------------------------------------- */

static bool open_worker(worker *me, launch_workers *c)
{
    const sm_unit *u = c->grid.unit;
    me->launch = c;
    me->k.grid = &c->grid;
    me->k.counting = !c->grid.launch->skip_memory_cost;
    me->k.sees = (uint8_t)c->grid.sees;
    me->k.site = calloc(u->site_count + 1u, sizeof *me->k.site);
    me->k.visits = calloc(u->visit_count + 1u, sizeof *me->k.visits);
    me->k.free_frames = calloc(u->code_count, sizeof(sm_frame *));
    const bool chains = me->k.counting && u->polls && c->is_serial;
    me->k.passages = chains ? profiler_passages_new(c->blocks) : NULL;
    if (chains && !me->k.passages)
        return false;
    return me->began = me->k.site && me->k.visits && me->k.free_frames &&
                       (!me->k.counting || mem_begin_marks(&me->k.touched));
}

static void close_worker(worker *me)
{
    for (uint32_t k = 0; k < me->resident_count; k++)
        launch_resident_free(me->resident[k]);
    free(me->resident);
    sm_frames_free(&me->k);
    sm_waits_free(&me->k);
    profiler_l2_free(&me->k);
    profiler_passages_free(me->k.passages);
    free(me->k.site);
    free(me->k.visits);
}

static void add_up_worker_counts(const sm_unit *u, worker *all, uint32_t count)
{
    sm_worker *sum = &all[0].k;
    for (uint32_t n = 1; n < count; n++) {
        const sm_worker *k = &all[n].k;
        profiler_add_insn_stats(sum->site, k->site, u->site_count);
        for (uint32_t v = 0; v < u->visit_count; v++) {
            sum->visits[v].times += k->visits[v].times;
            sum->visits[v].lanes += k->visits[v].lanes;
        }
        for (uint32_t v = 0; v < CTR_COUNT; v++)
            sum->extra.v[v] += k->extra.v[v];
        sm_effort_add_launch(&sum->work, &k->work);
        profiler_l2_add_worker(sum, k);
    }
}

void launch_count_touched(counters *out)
{
    mem_traffic traffic;
    mem_take_footprint(&traffic);
    out->v[CTR_dram_read_bytes] += traffic.read_bytes;
    out->v[CTR_dram_write_bytes] += traffic.write_bytes;
    out->v[CTR_dram_read_pairs] += traffic.read_pairs;
    out->v[CTR_dram_write_pairs] += traffic.write_pairs;
    out->v[CTR_dram_read_pages] += traffic.read_pages;
    out->v[CTR_dram_write_pages] += traffic.write_pages;
    out->v[CTR_dram_blind_bytes] += traffic.blind_bytes;
    out->v[CTR_footprint_bytes] += traffic.line_bytes;
    out->v[CTR_found_bytes] += traffic.found_bytes;
    out->v[CTR_found_side_bytes] += traffic.found_side_bytes;
}

static void collect_counters(const launch_workers *c, const sm_worker *sum, counters *out)
{
    const sm_unit *u = c->grid.unit;
    const uint32_t *dim = c->grid.launch->block;
    *out = sum->extra;
    for (uint32_t k = 0; k < u->code_count; k++) {
        const sm_code *code = u->code[k];
        profiler_collect_counters(code, sum->site + code->site_base, out);
        for (uint32_t n = 0; n < code->block_count; n++) {
            const struct sm_visits *v = &sum->visits[code->visit_base + n];
            sm_count_block(&code->block[n], v->times, v->lanes, out);
        }
    }
    const uint64_t threads = (uint64_t)dim[0] * dim[1] * dim[2];
    out->v[CTR_blocks] += c->blocks;
    out->v[CTR_warps] += c->blocks * ((threads + SM_LANES - 1) / SM_LANES);
    for (uint32_t k = 0; k < u->code_count; k++) {
        const insn_stats *site = sum->site + u->code[k]->site_base;
        compile_count_memory_waits(u->code[k], site, sum->work.waiting <= 1, out);
        compile_count_partial_stores(u->code[k], site, out);
        compile_count_merged_loads(u->code[k], site, out);
    }
    const launch_work *work = &sum->work;
    const float *longest = work->longest.of;
    out->v[CTR_warp_work] += work->all[WORK_CHAIN] + WORK_CYCLES_PER_WAIT * work->all[WORK_ROUNDS];
    out->v[CTR_warp_work_longest] +=
        work->warps * (uint64_t)(longest[WORK_CHAIN] + WORK_CYCLES_PER_WAIT * longest[WORK_ROUNDS]);
    profiler_l2_collect_counters(sum, out);
    out->v[CTR_passages] += profiler_longest_passages(sum->passages);
    launch_count_touched(out);
}

static void collect_line_counts(const sm_unit *u, const sm_worker *sum, sm_result *result)
{
    for (uint32_t k = 0; k < u->code_count; k++) {
        line_row *rows;
        const size_t count =
            profiler_line_rows(u->code[k], sum->site + u->code[k]->site_base, &rows);
        if (count == 0)
            continue;
        struct sm_line_part *parts =
            realloc(result->parts, (result->part_count + 1) * sizeof *parts);
        line_row *all = realloc(result->lines, (result->line_count + count) * sizeof *all);
        result->parts = parts ? parts : result->parts;
        result->lines = all ? all : result->lines;
        if (!parts || !all) {
            free(rows);
            return;
        }
        memcpy(all + result->line_count, rows, count * sizeof *rows);
        result->line_count += count;
        parts[result->part_count++].rows = rows;
    }
}

void launch_result_clear(sm_result *result)
{
    for (size_t k = 0; k < result->part_count; k++)
        free(result->parts[k].rows);
    free(result->parts);
    free(result->lines);
    free(result->source);
    free(result->source_text);
    free(result->work.block);
    observe_free_reports(result->reports);
    memset(result, 0, sizeof *result);
}

/* --- launching -------------------------------------------------------------------------------- */

static bool refuse_launch(sm_result *result, const char *text)
{
    result->fault.kind = SM_FAULT_RESOURCES;
    snprintf(result->fault.text, sizeof result->fault.text, "%s", text);
    return false;
}

bool launch_is_shape_possible(const uint32_t grid[3], const uint32_t block[3], char *why,
                              size_t size)
{
    enum { MAX_THREADS = 1024, MAX_THREADS_Z = 64, MAX_BLOCKS_YZ = 65535 };
    const uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
    if (!grid[0] || !grid[1] || !grid[2] || !threads)
        snprintf(why, size,
                 "the grid or the block is empty: %u x %u x %u blocks of %u x %u x %u threads",
                 grid[0], grid[1], grid[2], block[0], block[1], block[2]);
    else if (grid[0] > INT32_MAX || grid[1] > MAX_BLOCKS_YZ || grid[2] > MAX_BLOCKS_YZ)
        snprintf(why, size, "a grid has at most %d x %d x %d blocks, this one has %u x %u x %u",
                 INT32_MAX, MAX_BLOCKS_YZ, MAX_BLOCKS_YZ, grid[0], grid[1], grid[2]);
    else if (block[0] > MAX_THREADS || block[1] > MAX_THREADS || block[2] > MAX_THREADS_Z ||
             threads > MAX_THREADS)
        snprintf(why, size,
                 "a block has at most %d threads, and at most %d in z; this one has %u x %u x %u",
                 MAX_THREADS, MAX_THREADS_Z, block[0], block[1], block[2]);
    else
        return true;
    return false;
}

bool launch_is_cluster_possible(const uint32_t grid[3], const uint32_t cluster[3], uint64_t most,
                                char *why, size_t size)
{
    uint64_t blocks = 1;
    bool whole = true;
    for (uint32_t k = 0; k < 3; k++) {
        blocks *= cluster[k];
        whole = whole && cluster[k] && grid[k] % cluster[k] == 0;
    }
    if (whole && blocks <= most)
        return true;
    snprintf(why, size,
             "a cluster has at most %" PRIu64 " blocks and divides the grid; this one has %u x %u "
             "x %u in a grid of %u x %u x %u",
             most, cluster[0], cluster[1], cluster[2], grid[0], grid[1], grid[2]);
    return false;
}

/* Set CLUSTER to the blocks per cluster in each direction, from the launch or the kernel. */
static void cluster_shape(const sm_launch *l, uint32_t cluster[3])
{
    const uint32_t *says = l->cluster[0] ? l->cluster : l->kernel->cluster;
    for (uint32_t k = 0; k < 3; k++)
        cluster[k] = says[k] ? says[k] : 1;
}

/* Run blocks of a launch as worker INDEX, on one host thread. */
static void run_worker_thread(void *arg, uint32_t index)
{
    launch_workers *c = arg;
    worker *me = &c->worker[index];
    if (open_worker(me, c)) {
        launch_join_deadlock_watch(&c->watch, &me->watcher);
        run_worker(me);
        launch_leave_deadlock_watch(&c->watch, &me->watcher);
        mem_end_marks(&me->k.touched);
    } else {
        close_worker(me);
        stop_out_of_memory(c);
    }
    launch_trial_stop(&c->trial);
}

static void execute_blocks(launch_workers *c, uint32_t workers, sm_result *result)
{
    worker *all = c->worker = calloc(workers, sizeof *all);
    if (!all) {
        stop_out_of_memory(c);
        return;
    }
    c->sleeps = launch_trial_runs_one(&c->trial);
    launch_run_on_threads(workers, c->sleeps, run_worker_thread, c);
    uint32_t count = 0;
    for (uint32_t n = 0; n < workers; n++) {
        if (all[n].began) {
            sm_waits_end(&all[n].k);
            all[count++] = all[n];
        }
    }
    if (count) {
        add_up_worker_counts(c->grid.unit, all, count);
        collect_counters(c, &all[0].k, &result->total);
        result->work = all[0].k.work;
        if (c->grid.launch->want_lines)
            collect_line_counts(c->grid.unit, &all[0].k, result);
        if (c->grid.launch->want_source) {
            result->source = profiler_source_rows(c->grid.unit, &all[0].k, &result->source_text,
                                                  &result->source_count);
        }
    }
    for (uint32_t n = 0; n < count; n++)
        close_worker(&all[n]);
    free(all);
}

static uint32_t worker_count(const sm_launch *l, uint64_t clusters)
{
    uint64_t n = l->workers ? l->workers : launch_core_count();
    n = n < clusters ? n : clusters;
    n = n > 256 ? 256 : n;
    const uint32_t mark = l->skip_memory_cost ? (uint32_t)n : mem_prepare_marks((uint32_t)n);
    return mark ? mark : 1; /* which stops, as the host is out of memory */
}

bool launch_run(sm_program *p, const sm_launch *launch, sm_result *result)
{
    memset(result, 0, sizeof *result);
    char why[300];
    if (!launch_is_shape_possible(launch->grid, launch->block, why, sizeof why))
        return refuse_launch(result, why);
    const sm_unit *u = compile_kernel_unit(p, launch->kernel, &result->fault);
    if (!u)
        return false;
    launch_workers c = {.blocks = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2]};
    uint32_t cluster[3];
    cluster_shape(launch, cluster);
    if (!launch_is_cluster_possible(launch->grid, cluster, SM_MAX_CLUSTER_BLOCKS, why, sizeof why))
        return refuse_launch(result, why);
    c.clusters = c.blocks / (cluster[0] * cluster[1] * cluster[2]);
    pthread_mutex_init(&c.box.lock, NULL);
    const uint64_t written =
        (launch->dynamic_shared ? u->dynamic_offset : u->static_shared) + launch->dynamic_shared;
    const uint64_t own = launch_reserved_shared_bytes(u) ? (written + 15) / 16 * 16 : written;
    c.grid = (sm_grid){.launch = launch,
                       .unit = u,
                       .code = u->code[0],
                       .params = launch->params,
                       .reserved_at = own,
                       .shared_bytes = own + launch_reserved_shared_bytes(u),
                       .fault = &c.box,
                       .cluster = {cluster[0], cluster[1], cluster[2]},
                       .clusters = launch->cluster[0] || launch->kernel->cluster[0]};
    launch_time_limit patience = {.limit = launch->patience_ms * UINT64_C(1000000)};
    c.grid.patience = &patience;
    const bool waits = patience.limit && (u->polls || u->waits);
    const bool serial = u->sees_order || waits || observe_wants_serial(launch->observers);
    const uint32_t workers = serial ? 1 : worker_count(launch, c.clusters);
    c.is_serial = workers == 1;
    c.grid.l1 = l1_sms_create(c.blocks, launch->sm_count, launch->l1_bytes);
    const bool distribution = profiler_open_distribution(
        &c.distribution, c.clusters, launch->sm_count, workers, launch->cooperative);
    const bool tries = u->updates && !u->waits && !u->runtime && !launch->cooperative;
    launch_trial_begin(&c.trial, tries ? &u->habit[!launch->skip_memory_cost] : NULL, workers,
                       c.clusters);
    c.grid.work = c.blocks <= WORK_MAX_BLOCKS ? calloc(c.blocks, sizeof *c.grid.work) : NULL;
    c.grid.cycles = &p->cycles;
    c.grid.rollback = &profiler_l2_rollback;
    c.grid.clock_mhz = launch->clock_mhz > 0 ? launch->clock_mhz : 1000;
    c.grid.clocks = u->clock ? clock_new_all(&c.grid) : NULL;
    c.grid.output = sm_output_new();
    const bool observed = observe_launch_begins(&c.grid, launch->observers);
    if (launch->cooperative) {
        mem_mark_emulator_memory(true);
        c.grid.workspace = mem_alloc(GRID_BARRIER_BYTES, 256, MEM_DEVICE, "the grid's barrier");
        mem_mark_emulator_memory(false);
        void *space =
            c.grid.workspace ? mem_host_pointer(c.grid.workspace, GRID_BARRIER_BYTES) : NULL;
        if (space)
            memset(space, 0, GRID_BARRIER_BYTES);
    }
    const bool heap = !u->heap || sm_heap_open();
    c.grid.map = mem_take_kernel_snapshot();
    if (!distribution || !heap || !c.grid.output || !c.grid.l1 || !c.grid.map || !observed ||
        (u->clock && !c.grid.clocks)) {
        stop_out_of_memory(&c);
    } else {
        launch_init_deadlock_watch(&c.watch, &c.grid);
        execute_blocks(&c, workers, result);
        launch_destroy_deadlock_watch(&c.watch);
    }
    if (c.grid.map)
        mem_release_snapshot(c.grid.map);
    if (c.grid.l1)
        l1_sms_release(c.grid.l1);
    clock_free_all(c.grid.clocks);
    if (c.grid.workspace)
        mem_free_range(c.grid.workspace);
    if (c.grid.output) {
        result->printed = sm_output_printed(c.grid.output);
        sm_output_flush(c.grid.output, !launch->discard_output);
    }
    result->work.block = c.grid.work;
    if (sm_has_faulted(&c.grid)) {
        result->fault = c.box.fault;
        observe_launch_faults(&c.grid, &result->fault);
    }
    result->reports = observe_launch_ends(&c.grid);
    profiler_close_distribution(&c.distribution);
    launch_trial_end(&c.trial);
    pthread_mutex_destroy(&c.box.lock);
    return result->fault.kind == SM_OK;
}
