/* Tests clusters and asynchronous copies: which errors stop a launch, and their messages. Results
 * are compared with a GPU in tests/hardware/programs. */
#include "sm_kernel.h"

#define KERNEL_HEAD                                                               \
    ".visible .entry k(.param .u64 a, .param .u64 b)\n"                           \
    "{ .reg .pred p, q; .reg .b32 r<16>; .reg .b64 d<8>;\n"                       \
    "  .shared .align 128 .b8 m[1024]; .shared .align 8 .b64 bar;\n"              \
    "  ld.param.u64 d0, [a]; mov.u32 r0, %tid.x; mov.u32 r1, %cluster_ctarank;\n" \
    "  setp.eq.u32 p, r0, 0; mov.u32 r2, m; mov.u32 r3, bar;\n"
#define CLUSTER_SYNC  "barrier.cluster.arrive; barrier.cluster.wait;\n"
#define KERNEL_TAIL   "ret; }"
#define INIT_MBARRIER "@p mbarrier.init.shared.b64 [bar], 1; bar.sync 0;\n"
#define BULK_COPY_IN \
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [r2], [d0], 256, [bar];\n"
#define WAIT_FOR_PHASE(label, parity) \
    label ": mbarrier.try_wait.parity.shared.b64 q, [bar], " parity "; @!q bra " label ";\n"

typedef struct shape {
    uint32_t blocks, cluster, threads,
        workers; /* blocks of the grid and of a cluster, threads of a block; host threads */
    bool race;   /* run with the race detector */
} shape;

static bool launch_clusters(kernel_run *run, const char *text, shape s, const void *fill)
{
    const sm_launch l = {.grid = {s.blocks, 1, 1},
                         .block = {s.threads, 1, 1},
                         .cluster = {s.cluster, s.cluster ? 1 : 0, s.cluster ? 1 : 0},
                         .workers = s.workers ? s.workers : 1,
                         .observers = s.race ? san_race_observers : NULL};
    return run_grid(run, text, &l, fill, 0);
}

static void expect_fault(const char *text, shape s, sm_fault_kind kind, const char *words)
{
    kernel_run run;
    assert_false(launch_clusters(&run, text, s, NULL));
    if (run.result.fault.kind != kind || !strstr(run.result.fault.text, words)) {
        fail_msg("fault of kind %d: the message \"%s\" lacks \"%s\"", run.result.fault.kind,
                 run.result.fault.text, words);
    }
    free_kernel_run(&run);
}

static void expect_race(const char *text, shape s, const char *words)
{
    kernel_run run;
    s.race = true;
    launch_clusters(&run, text, s, NULL);
    expect_ok(&run);
    if (words ? !strstr(reports_text(&run), words) : run.result.reports != NULL)
        fail_msg("the race detector reports \"%s\"", reports_text(&run));
    free_kernel_run(&run);
}

static void fill_pattern(uint8_t *fill)
{
    for (uint32_t k = 0; k < KERNEL_BYTES; k++)
        fill[k] = (uint8_t)(k * 7 + 1);
}

/* --- shapes ----------------------------------------------------------------------------------- */

/* The registers %clusterid and %cluster_ctaid of all blocks of a three-dimensional grid. */
static void test_ranks_and_ids(void **state)
{
    (void)state;
    kernel_run run;
    const sm_launch l = {
        .grid = {6, 4, 2}, .block = {32, 1, 1}, .cluster = {3, 2, 1}, .workers = 3};
    assert_true(run_grid(
        &run,
        KERNEL_HEAD
        "mov.u32 r4, %clusterid.x; mov.u32 r5, %clusterid.y; mov.u32 r6, %clusterid.z;\n"
        "mov.u32 r7, %cluster_ctaid.x; mov.u32 r8, %cluster_ctaid.y;\n"
        "mov.u32 r9, %ctaid.x; mov.u32 r10, %ctaid.y; mov.u32 r11, %ctaid.z;\n"
        "mad.lo.u32 r12, r11, 4, r10; mad.lo.u32 r12, r12, 6, r9; mul.wide.u32 d1, r12, 32;\n"
        "add.u64 d0, d0, d1; @!p exit; st.global.v4.b32 [d0], {r4, r5, r6, r7};\n"
        "mov.u32 r4, %cluster_nctarank; st.global.v4.b32 [d0+16], {r8, r1, r4, r4};\n" KERNEL_TAIL,
        &l, NULL, 0));
    for (uint32_t b = 0; b < 48; b++) {
        const uint32_t x = b % 6, y = b / 6 % 4, z = b / 24,
                       *w = (uint32_t *)(void *)run.bytes + 8 * b;
        assert_int_equal(w[0], x / 3);
        assert_int_equal(w[1], y / 2);
        assert_int_equal(w[2], z);
        assert_int_equal(w[3], x % 3);
        assert_int_equal(w[4], y % 2);
        assert_int_equal(w[5], x % 3 + y % 2 * 3);
        assert_int_equal(w[6], 6);
    }
    assert_int_equal(C(run, blocks), 48);
    free_kernel_run(&run);
}

static void test_shapes(void **state)
{
    (void)state;
    expect_fault(KERNEL_HEAD KERNEL_TAIL, (shape){.blocks = 5, .cluster = 2, .threads = 32},
                 SM_FAULT_RESOURCES, "this one has 2 x 1 x 1 in a grid of 5 x 1 x 1");
    expect_fault(KERNEL_HEAD KERNEL_TAIL, (shape){.blocks = 17, .cluster = 17, .threads = 32},
                 SM_FAULT_RESOURCES, "a cluster has at most 16 blocks");
    /* The kernel itself requires the cluster. */
    kernel_run run;
    assert_false(launch_clusters(
        &run,
        ".visible .entry k(.param .u64 a, .param .u64 b) .reqnctapercluster 2, 1, 1\n"
        "{ ret; }",
        (shape){.blocks = 3, .threads = 32}, NULL));
    free_kernel_run(&run);
}

/* --- blocks that access each other's memory --------------------------------------------------- */

#define PEER_ADDRESS "xor.b32 r4, r1, 1; mapa.shared::cluster.u32 r5, r2, r4;\n"

static void test_wrong_addresses(void **state)
{
    (void)state;
    const shape two = {.blocks = 2, .cluster = 2, .threads = 32};
    expect_fault(KERNEL_HEAD "mov.u32 r4, 2; mapa.shared::cluster.u32 r5, r2, r4;\n"
                             "ld.shared::cluster.u32 r6, [r5];\n" KERNEL_TAIL,
                 two, SM_FAULT_GONE,
                 "which is in the shared memory of none of the cluster's 2 blocks");
    expect_fault(KERNEL_HEAD CLUSTER_SYNC PEER_ADDRESS
                 "ld.shared::cluster.u32 r6, [r5+100000];\n" CLUSTER_SYNC KERNEL_TAIL,
                 two, SM_FAULT_ADDRESS,
                 "past the end of bar: the shared memory of the block with rank");
    expect_fault(KERNEL_HEAD CLUSTER_SYNC PEER_ADDRESS
                 "ld.shared::cluster.u32 r6, [r5+2];\n" CLUSTER_SYNC KERNEL_TAIL,
                 two, SM_FAULT_MISALIGNED, "misaligned address");
    expect_fault(KERNEL_HEAD CLUSTER_SYNC PEER_ADDRESS
                 "ld.shared.u32 r6, [r5];\n" CLUSTER_SYNC KERNEL_TAIL,
                 two, SM_FAULT_ADDRESS, "only .shared::cluster instructions can access it");
    /* An error in the block's own memory has the same message as without clusters. */
    expect_fault(KERNEL_HEAD "ld.shared.u32 r6, [r2+2000];\n" KERNEL_TAIL, two, SM_FAULT_ADDRESS,
                 "bytes past the end of the block's shared memory");
    /* Computing the address in a block with an invalid rank is no error unless the address is
     * used. */
    kernel_run run;
    assert_true(launch_clusters(
        &run, KERNEL_HEAD "mov.u32 r4, -1; mapa.shared::cluster.u32 r5, r2, r4;\n" KERNEL_TAIL, two,
        NULL));
    free_kernel_run(&run);
}

static void test_exited_peer(void **state)
{
    (void)state;
    expect_fault(
        KERNEL_HEAD
        "setp.eq.u32 q, r1, 1; @q exit;\n"
        "mov.u32 r6, 0;\nL: add.u32 r6, r6, 1; setp.lt.u32 q, r6, 100000; @q bra L;\n" PEER_ADDRESS
        "ld.shared::cluster.u32 r6, [r5];\n" KERNEL_TAIL,
        (shape){.blocks = 2, .cluster = 2, .threads = 32}, SM_FAULT_GONE,
        "all of whose threads have exited");
}

/* --- the barrier of the cluster --------------------------------------------------------------- */

static void a_block_that_misses_the_barrier(void **state)
{
    (void)state;
    const shape two = {.blocks = 4, .cluster = 2, .threads = 64, .workers = 2};
    expect_fault(
        KERNEL_HEAD INIT_MBARRIER
        "setp.eq.u32 q, r1, 0; @q bra OTHER;\n" CLUSTER_SYNC "OTHER:\n"
        "mbarrier.try_wait.parity.shared.b64 q, [bar], 0; @!q bra OTHER;\n" KERNEL_TAIL,
        two, SM_FAULT_DEADLOCK,
        "the mbarrier at byte 0 of bar (its phase, of parity 0, still waits for 1 arrival)");
    expect_fault(KERNEL_HEAD "setp.eq.u32 q, r1, 0; @q bra OTHER;\n" CLUSTER_SYNC
                             "ret; OTHER: bar.sync 1, 96;\n" KERNEL_TAIL,
                 two, SM_FAULT_DEADLOCK, "wait in the barrier of the cluster");
    /* A cluster barrier does not wait for exited threads. */
    kernel_run run;
    assert_true(launch_clusters(
        &run, KERNEL_HEAD "setp.lt.u32 q, r0, 40; @q exit;\n" CLUSTER_SYNC CLUSTER_SYNC KERNEL_TAIL,
        two, NULL));
    free_kernel_run(&run);
    expect_fault(KERNEL_HEAD "barrier.cluster.wait;\n" KERNEL_TAIL, two, SM_FAULT_SYNC,
                 "without having arrived there");
    expect_fault(KERNEL_HEAD "barrier.cluster.arrive; barrier.cluster.arrive;\n" KERNEL_TAIL, two,
                 SM_FAULT_SYNC, "again without having waited there");
}

static void test_races(void **state)
{
    (void)state;
    const shape two = {.blocks = 2, .cluster = 2, .threads = 64};
#define STORE_MINE  "mad.lo.u32 r6, r0, 4, r2; st.shared.u32 [r6], r0;\n"
#define LOAD_THEIRS PEER_ADDRESS "mad.lo.u32 r6, r0, 4, r5; ld.shared::cluster.u32 r7, [r6];\n"
    expect_race(KERNEL_HEAD STORE_MINE CLUSTER_SYNC LOAD_THEIRS CLUSTER_SYNC KERNEL_TAIL, two,
                NULL);
    expect_race(KERNEL_HEAD CLUSTER_SYNC STORE_MINE LOAD_THEIRS CLUSTER_SYNC KERNEL_TAIL, two,
                "with no cluster.sync() between");
    /* A barrier of one block does not order two blocks. */
    expect_race(KERNEL_HEAD CLUSTER_SYNC STORE_MINE "bar.sync 0;\n" LOAD_THEIRS
                                                    "bar.sync 0;\n" CLUSTER_SYNC KERNEL_TAIL,
                two, "with no cluster.sync() between");
    /* A block barrier orders the threads of one block, even for memory of another block. */
    expect_race(
        KERNEL_HEAD CLUSTER_SYNC PEER_ADDRESS
        "@p st.shared::cluster.u32 [r5], r0; bar.sync 0;\n"
        "setp.eq.u32 q, r0, 40; @q st.shared::cluster.u32 [r5], r0;\n" CLUSTER_SYNC KERNEL_TAIL,
        two, NULL);
}

/* --- copies ----------------------------------------------------------------------------------- */

/* A kernel that does not wait for a copy reads the old data; after waiting, it reads the new
 * data. */
static void test_late_arrival(void **state)
{
    (void)state;
    static uint8_t fill[KERNEL_BYTES];
    fill_pattern(fill);
    kernel_run run;
    const char *text = KERNEL_HEAD INIT_MBARRIER
        "@!p bra W; mbarrier.arrive.expect_tx.shared.b64 _, [bar], 256;\n" BULK_COPY_IN
        "ld.shared.u32 r4, [m]; st.global.u32 [d0+1024], r4;\n" WAIT_FOR_PHASE(
            "W", "0") "ld.shared.u32 r4, [m]; @p st.global.u32 [d0+1028], r4;\n" KERNEL_TAIL;
    assert_true(launch_clusters(&run, text, (shape){.blocks = 1, .threads = 64}, fill));
    assert_int_equal(((uint32_t *)(void *)run.bytes)[256], UINT32_MAX);
    assert_memory_equal(run.bytes + 1028, fill, 4);
    assert_int_equal(C(run, bulk_copies), 1);
    assert_int_equal(C(run, bulk_ld_sectors), 8);
    assert_int_equal(C(run, ld_requests), 0);
    free_kernel_run(&run);
}

static void expect_phases(const char *text, uint64_t phases, uint64_t ahead)
{
    kernel_run run;
    assert_true(launch_clusters(&run, text, (shape){.blocks = 1, .threads = 64}, NULL));
    assert_int_equal(C(run, bulk_phases), phases);
    assert_int_equal(C(run, bulk_phases_ahead), ahead);
    free_kernel_run(&run);
}

/* Phases that a warp fills are counted once, with the other phases that it has not waited for; two
 * copies of one phase are one phase, and a phase after a wait is another one. */
static void test_phases_in_flight(void **state)
{
    (void)state;
#define TWO_MBARRIERS \
    ".shared .align 8 .b64 bar2;\n@p mbarrier.init.shared.b64 [bar2], 1;\n" INIT_MBARRIER
#define FILL(name)                                                                           \
    "@p mbarrier.arrive.expect_tx.shared.b64 _, [" name "], 256;\n"                          \
    "@p cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [r2], [d0], 128, " \
    "[" name "];\n@p cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "     \
    "[r2+128], [d0], 128, [" name "];\n"
#define WAIT_AT(name, label, parity)                                           \
    label ": mbarrier.try_wait.parity.shared.b64 q, [" name "], " parity ";\n" \
          "@!q bra " label ";\nbar.sync 0;\n"
    expect_phases(KERNEL_HEAD TWO_MBARRIERS FILL("bar") WAIT_AT("bar", "A", "0") FILL("bar")
                      WAIT_AT("bar", "B", "1") KERNEL_TAIL,
                  2, 0);
    expect_phases(KERNEL_HEAD TWO_MBARRIERS FILL("bar") FILL("bar2") WAIT_AT("bar", "A", "0")
                      FILL("bar") WAIT_AT("bar2", "B", "0") WAIT_AT("bar", "C", "1") KERNEL_TAIL,
                  3, 2);
}

/* Bulk groups of a thread: groups that the thread does not wait for stay pending, and complete at
 * the end. */
static void test_bulk_groups(void **state)
{
    (void)state;
    kernel_run run;
#define BULK_COPY_OUT(at)                                                  \
    "cp.async.bulk.global.shared::cta.bulk_group [d0+" at "], [r2], 16;\n" \
    "cp.async.bulk.commit_group;\n"
    assert_true(launch_clusters(
        &run,
        KERNEL_HEAD "@!p exit; mov.u32 r4, 1; st.shared.u32 [m], r4;\n" BULK_COPY_OUT(
            "0") "cp.async.bulk.wait_group 0; mov.u32 r4, 2; st.shared.u32 [m], "
                 "r4;\n" BULK_COPY_OUT("16")
                     BULK_COPY_OUT("32") "cp.async.bulk.wait_group.read 1; mov.u32 r4, "
                                         "3; st.shared.u32 [m], r4;\n" KERNEL_TAIL,
        (shape){.blocks = 1, .threads = 32}, NULL));
    const uint32_t *w = words(&run);
    assert_int_equal(w[0], 1);
    assert_int_equal(w[4], 2);
    assert_int_equal(w[8], 3); /* the source was overwritten before the copy was waited for */
    assert_int_equal(C(run, bulk_st_sectors), 3);
    free_kernel_run(&run);
}

static void test_bad_copies(void **state)
{
    (void)state;
    const shape one = {.blocks = 1, .threads = 32};
#define BULK_COPY_FROM(from, size)                                                 \
    KERNEL_HEAD INIT_MBARRIER                                                      \
        "@!p exit; mov.u32 r4, " size ";\n"                                        \
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [r2], " \
        "[d0+" from "], r4, [bar];\n" KERNEL_TAIL
    expect_fault(BULK_COPY_FROM("8", "64"), one, SM_FAULT_MISALIGNED,
                 "the address that it reads from is 0x");
    expect_fault(BULK_COPY_FROM("0", "24"), one, SM_FAULT_MISALIGNED,
                 "the number of bytes is 0x18");
    expect_fault(BULK_COPY_FROM("0", "2048"), one, SM_FAULT_ADDRESS,
                 "writes 2048 bytes at byte 0 of m: the block's shared memory has 1032 bytes");
    expect_fault(BULK_COPY_FROM("65536", "64"), one, SM_FAULT_ADDRESS,
                 "cp.async.bulk: reads 64 bytes");
    expect_fault(KERNEL_HEAD "@!p exit; mbarrier.inval.shared.b64 [bar];\n" BULK_COPY_IN
                             "cp.async.bulk.wait_group 0; bra.uni E; E:\n" KERNEL_TAIL,
                 one, SM_FAULT_SYNC, "no mbarrier was initialised");
    expect_fault(KERNEL_HEAD INIT_MBARRIER
                 "@!p exit;\n"
                 "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes "
                 "[r2], [r2+256], 256, [bar];\n" KERNEL_TAIL,
                 one, SM_FAULT_ILLEGAL, "only in launches with clusters");
    expect_fault(KERNEL_HEAD
                 "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[r2], [d0, {r0}], [bar];\n" KERNEL_TAIL,
                 one, SM_FAULT_ILLEGAL, "there is no tensor map at");
    expect_fault(
        KERNEL_HEAD
        "cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4."
        "mbarrier::complete_tx::bytes [r2], [d0, {r0, r0, r0, r0, r0}], [bar];\n" KERNEL_TAIL,
        one, SM_FAULT_UNSUPPORTED, "cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4");
}

static void test_racing_copies(void **state)
{
    (void)state;
    const shape one = {.blocks = 1, .threads = 64};
#define FETCH_TILE \
    "@!p bra G; mbarrier.arrive.expect_tx.shared.b64 _, [bar], 256;\n" BULK_COPY_IN "G:\n"
#define READ_TILE "mad.lo.u32 r6, r0, 4, r2; ld.shared.u32 r7, [r6];\n"
    expect_race(KERNEL_HEAD INIT_MBARRIER FETCH_TILE WAIT_FOR_PHASE("W", "0") READ_TILE KERNEL_TAIL,
                one, NULL);
    expect_race(KERNEL_HEAD INIT_MBARRIER FETCH_TILE READ_TILE WAIT_FOR_PHASE("W", "0") KERNEL_TAIL,
                one, "an asynchronous copy wrote");
    /* A block barrier between the readers and the next copy is enough. */
    expect_race(KERNEL_HEAD INIT_MBARRIER FETCH_TILE WAIT_FOR_PHASE("W", "0") READ_TILE
                "bar.sync 0;\n"
                "@!p bra H; mbarrier.arrive.expect_tx.shared.b64 _, [bar], 256;\n" BULK_COPY_IN
                "H:\n" WAIT_FOR_PHASE("V", "1") READ_TILE KERNEL_TAIL,
                one, NULL);
    /* A barrier of the readers and the copying warp is enough too, if the readers arrive after
     * reading. */
#define WARP_0_READS(...)                                                                 \
    KERNEL_HEAD INIT_MBARRIER                                                             \
        "mov.u32 r4, 256; setp.ge.u32 q, r0, 32; @q bra R;\nbar.sync 1, 64;\n" FETCH_TILE \
        "bra F;\nR:\n" __VA_ARGS__ "F:\n" KERNEL_TAIL
    expect_race(WARP_0_READS(READ_TILE "bar.arrive 1, 64;\n"), one, NULL);
    expect_race(WARP_0_READS("bar.arrive 1, 64;\n" READ_TILE), one, "an asynchronous copy wrote");
}

/* A bulk copy sees writes of threads only after a proxy fence. */
static void bulk_copies_need_a_proxy_fence(void **state)
{
    (void)state;
    const shape one = {.blocks = 3, .threads = 64, .workers = 1};
#define PROXY_FENCE  "fence.proxy.async.shared::cta;\n"
#define WRITE_SHARED "mad.lo.u32 r6, r0, 4, r2; st.shared.u32 [r6], r0;\n"
#define COPY_OUT                                                     \
    "cp.async.bulk.global.shared::cta.bulk_group [d0], [r2], 256;\n" \
    "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n"
#define BLOCK_BARRIER    "bar.sync 0;\n"
#define ISSUE_COPY       "@!p exit;\n" COPY_OUT
#define NO_FENCE_MESSAGE "with no fence.proxy.async between"
    expect_race(KERNEL_HEAD WRITE_SHARED PROXY_FENCE BLOCK_BARRIER ISSUE_COPY KERNEL_TAIL, one,
                NULL);
    expect_race(KERNEL_HEAD WRITE_SHARED
                "fence.proxy.async;\n" BLOCK_BARRIER ISSUE_COPY KERNEL_TAIL,
                one, NULL);
    expect_race(KERNEL_HEAD WRITE_SHARED BLOCK_BARRIER
                "@!p exit;\n" PROXY_FENCE COPY_OUT KERNEL_TAIL,
                one, NULL);
    expect_race(KERNEL_HEAD WRITE_SHARED BLOCK_BARRIER PROXY_FENCE ISSUE_COPY KERNEL_TAIL, one,
                NULL);
    /* A fence by a third thread between them also counts. */
    expect_race(KERNEL_HEAD WRITE_SHARED BLOCK_BARRIER
                "setp.eq.u32 q, r0, 40; @!q bra N;\n" PROXY_FENCE
                "N:\n" BLOCK_BARRIER ISSUE_COPY KERNEL_TAIL,
                one, NULL);
    expect_race(KERNEL_HEAD WRITE_SHARED PROXY_FENCE "bar.sync 1, 64;\n" ISSUE_COPY KERNEL_TAIL,
                one, NULL);
    expect_race(KERNEL_HEAD "@!p exit; st.shared.u32 [m], r0;\n" PROXY_FENCE COPY_OUT KERNEL_TAIL,
                one, NULL);
    /* Errors: no fence; a fence of another kind; a fence for global memory. */
    expect_race(KERNEL_HEAD WRITE_SHARED BLOCK_BARRIER ISSUE_COPY KERNEL_TAIL, one,
                NO_FENCE_MESSAGE);
    expect_race(KERNEL_HEAD WRITE_SHARED
                "membar.cta; fence.acq_rel.cta;\n" BLOCK_BARRIER ISSUE_COPY KERNEL_TAIL,
                one, NO_FENCE_MESSAGE);
    expect_race(KERNEL_HEAD WRITE_SHARED
                "fence.proxy.async.global;\n" BLOCK_BARRIER ISSUE_COPY KERNEL_TAIL,
                one, NO_FENCE_MESSAGE);
    expect_race(KERNEL_HEAD "@!p exit; st.shared.u32 [m], r0;\n" COPY_OUT KERNEL_TAIL, one,
                NO_FENCE_MESSAGE);
    /* Errors: a fence before the write; before the barrier, a fence by a thread that does not
     * write; after the barrier, a fence by a thread that does not issue the copy. */
    expect_race(KERNEL_HEAD PROXY_FENCE WRITE_SHARED BLOCK_BARRIER ISSUE_COPY KERNEL_TAIL, one,
                NO_FENCE_MESSAGE);
    expect_race(KERNEL_HEAD WRITE_SHARED "@!p bra N;\n" PROXY_FENCE
                                         "N:\n" BLOCK_BARRIER ISSUE_COPY KERNEL_TAIL,
                one, "of thread 0 at PTX line ");
    expect_race(KERNEL_HEAD WRITE_SHARED BLOCK_BARRIER "@p bra N;\n" PROXY_FENCE
                                                       "N:\n" ISSUE_COPY KERNEL_TAIL,
                one, NO_FENCE_MESSAGE);
    /* The data is written again after the fence. */
    expect_race(KERNEL_HEAD WRITE_SHARED PROXY_FENCE BLOCK_BARRIER WRITE_SHARED BLOCK_BARRIER
                    ISSUE_COPY KERNEL_TAIL,
                one, NO_FENCE_MESSAGE);
    /* Bulk reductions need the fence too. */
    expect_race(KERNEL_HEAD WRITE_SHARED BLOCK_BARRIER
                "@!p exit; cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [d0], [r2], "
                "256;\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n" KERNEL_TAIL,
                one, NO_FENCE_MESSAGE);
    /* A copy may read data written by another copy without a fence. A missing barrier is reported
     * as a race. */
    expect_race(KERNEL_HEAD INIT_MBARRIER FETCH_TILE WAIT_FOR_PHASE("W", "0")
                    ISSUE_COPY KERNEL_TAIL,
                one, NULL);
    expect_race(KERNEL_HEAD WRITE_SHARED PROXY_FENCE ISSUE_COPY KERNEL_TAIL, one,
                "race on shared memory: thread ");
}

/* --- kernels that wait forever --------------------------------------------------------------- */

static void test_wait_that_never_ends(void **state)
{
    (void)state;
    const shape one = {.blocks = 3, .threads = 64, .workers = 2};
    expect_fault(KERNEL_HEAD INIT_MBARRIER WAIT_FOR_PHASE("W", "0") KERNEL_TAIL, one,
                 SM_FAULT_DEADLOCK, "phase, of parity 0, still waits for 1 arrival)");
    expect_fault(KERNEL_HEAD INIT_MBARRIER
                 "@p mbarrier.arrive.expect_tx.shared.b64 _, [bar], 64;\n" WAIT_FOR_PHASE("W", "0")
                     KERNEL_TAIL,
                 one, SM_FAULT_DEADLOCK, "phase, of parity 0, still waits for 64 bytes)");
    /* A wait loop that also reads a clock, as in libcu++. */
    expect_fault(KERNEL_HEAD INIT_MBARRIER
                 "mov.u64 d1, %globaltimer;\n"
                 "W: mbarrier.try_wait.parity.shared.b64 q, [bar], 0; @q bra E;\n"
                 "mov.u64 d2, %globaltimer; sub.s64 d2, d2, d1; nanosleep.u32 1000000; bra W;\n"
                 "E:\n" KERNEL_TAIL,
                 one, SM_FAULT_DEADLOCK, "waits for the mbarrier at byte 0 of bar");
    /* A wait with a time limit ends. */
    kernel_run run;
    assert_true(launch_clusters(&run,
                                KERNEL_HEAD INIT_MBARRIER
                                "mov.u64 d1, %globaltimer;\n"
                                "W: mbarrier.try_wait.parity.shared.b64 q, [bar], 0; @q bra E;\n"
                                "mov.u64 d2, %globaltimer; sub.s64 d2, d2, d1;\n"
                                "setp.lt.s64 q, d2, 5000000; @q bra W;\nE:\n" KERNEL_TAIL,
                                one, NULL));
    free_kernel_run(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranks_and_ids),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_wrong_addresses),
        cmocka_unit_test(test_exited_peer),
        cmocka_unit_test(a_block_that_misses_the_barrier),
        cmocka_unit_test(test_races),
        cmocka_unit_test(test_late_arrival),
        cmocka_unit_test(test_phases_in_flight),
        cmocka_unit_test(test_bulk_groups),
        cmocka_unit_test(test_bad_copies),
        cmocka_unit_test(test_racing_copies),
        cmocka_unit_test(bulk_copies_need_a_proxy_fence),
        cmocka_unit_test(test_wait_that_never_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
