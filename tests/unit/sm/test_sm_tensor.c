/* Tests tensor copies and wgmma: messages for invalid requests, and tensor maps that kernels
 * change. Results are compared with a GPU in tests/hardware/programs. */
#include "sm_kernel.h"

#include "emulator/memory/tensor_map.h"

/* r0 = %tid.x, p: thread 0; d0: the buffer, whose first 128 bytes are the tensor map; the tensor
 * begins 4096 bytes after the start of the buffer. */
#define KERNEL_HEAD                                                                       \
    ".visible .entry k(.param .u64 a, .param .u64 b) {\n"                                 \
    ".reg .b32 r<8>; .reg .b64 d<4>; .reg .pred p;\n"                                     \
    ".shared .align 128 .b8 tile[2048]; .shared .align 8 .b64 bar;\n"                     \
    "ld.param.u64 d0, [a]; mov.u32 r0, %tid.x; setp.eq.u32 p, r0, 0; mov.u32 r2, tile;\n" \
    "add.u64 d1, d0, 4096; @!p exit;\n"                                                   \
    "tensormap.replace.tile.global_address.global.b1024.b64 [d0], d1;\n"                  \
    "mbarrier.init.shared.b64 [bar], 1;\n"
#define KERNEL_TAIL "exit; }\n"
#define LOAD_TILE(to, x, y)                                                                       \
    "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 512;\n"                                       \
    "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [" to "], " \
    "[d0, {" x ", " y "}], [bar];\n"
#define STORE_TILE(from, x, y)                                                                \
    "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [d0, {" x ", " y "}], [" from \
    "];\n"                                                                                    \
    "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n"
#define WAIT_FOR_TILE "W: mbarrier.try_wait.parity.shared.b64 p, [bar], 0; @!p bra W;\n"

/* A tensor of 32 x 16 words, copied in boxes of 16 x 8 words. */
static const mem_tensor_map default_map = {.mark = MEM_TENSOR_MAP_MARK,
                                           .stride = {128},
                                           .last = {31, 15},
                                           .box = {16, 8},
                                           .step = {1, 1},
                                           .rank = 2,
                                           .type = 2};

static bool launch_with_map(kernel_run *run, const char *text, const mem_tensor_map *map,
                            uint32_t threads)
{
    static uint8_t fill[KERNEL_BYTES];
    memset(fill, 0, sizeof fill);
    memcpy(fill, map, sizeof *map);
    for (uint32_t k = 0; k < 512; k++)
        memcpy(fill + 4096 + 4 * k, &(uint32_t){k + 1}, 4);
    const sm_launch l = {.grid = {1, 1, 1}, .block = {threads, 1, 1}};
    return run_grid(run, text, &l, fill, 0);
}

static void expect_fault(const char *text, const mem_tensor_map *map, sm_fault_kind kind,
                         const char *words)
{
    kernel_run run;
    assert_false(launch_with_map(&run, text, map, 128));
    if (run.result.fault.kind != kind || !strstr(run.result.fault.text, words)) {
        fail_msg("fault of kind %d: the message \"%s\" lacks \"%s\"", run.result.fault.kind,
                 run.result.fault.text, words);
    }
    free_kernel_run(&run);
}

static void mistakes_in_maps(void **state)
{
    (void)state;
    expect_fault(KERNEL_HEAD LOAD_TILE("r2+64", "0", "0") KERNEL_TAIL, &default_map,
                 SM_FAULT_MISALIGNED, "no multiple of 128");
    expect_fault(KERNEL_HEAD LOAD_TILE("r2", "2", "0") KERNEL_TAIL, &default_map, SM_FAULT_ILLEGAL,
                 "the first coordinate is 2: with elements of 4 bytes it must be a multiple of 4");
    expect_fault(KERNEL_HEAD STORE_TILE("r2", "0", "-1") KERNEL_TAIL, &default_map,
                 SM_FAULT_ILLEGAL,
                 "coordinate 1 is -1: a written box may extend past the tensor's end");
    expect_fault(KERNEL_HEAD LOAD_TILE("r2+1920", "0", "0") KERNEL_TAIL, &default_map,
                 SM_FAULT_ADDRESS, "writes 512 bytes");
    mem_tensor_map m = default_map;
    m.rank = 3;
    m.step[2] = 1;
    m.box[2] = 1;
    expect_fault(KERNEL_HEAD LOAD_TILE("r2", "0", "0") KERNEL_TAIL, &m, SM_FAULT_ILLEGAL,
                 "2 coordinates for a tensor map of 3 dimensions");
    m = default_map;
    m.mode = MEM_TENSOR_WIDE;
    expect_fault(KERNEL_HEAD LOAD_TILE("r2", "0", "0") KERNEL_TAIL, &m, SM_FAULT_ILLEGAL,
                 "there is no tensor map at");
    m = default_map;
    m.interleave = 1;
    expect_fault(KERNEL_HEAD LOAD_TILE("r2", "0", "0") KERNEL_TAIL, &m, SM_FAULT_UNSUPPORTED,
                 "interleaved layouts");
    m = default_map;
    m.last[1] = 1 << 20;
    expect_fault(KERNEL_HEAD LOAD_TILE("r2", "0", "600") KERNEL_TAIL, &m, SM_FAULT_ADDRESS,
                 "which belong to the tensor according to its map");
    m = default_map;
    m.mark = 0;
    expect_fault(KERNEL_HEAD LOAD_TILE("r2", "0", "0") KERNEL_TAIL, &m, SM_FAULT_ILLEGAL,
                 "tensormap.replace: there is no tensor map at this address");
    m = default_map;
    m.box[0] = 20; /* 128 bytes more than the barrier expects */
    expect_fault(KERNEL_HEAD LOAD_TILE("r2", "0", "0") WAIT_FOR_TILE KERNEL_TAIL, &m,
                 SM_FAULT_DEADLOCK, "received 128 bytes more than expect_tx announced");
    m.box[0] = 12;
    expect_fault(KERNEL_HEAD LOAD_TILE("r2", "0", "0") WAIT_FOR_TILE KERNEL_TAIL, &m,
                 SM_FAULT_DEADLOCK, "still waits for");
}

/* A kernel changes the address of a tensor map and doubles its stride. */
static void test_changed_map(void **state)
{
    (void)state;
    kernel_run run;
    assert_true(launch_with_map(
        &run,
        KERNEL_HEAD
        "tensormap.replace.tile.element_stride.global.b1024.b32 [d0], 1, 2;\n"
        "tensormap.replace.tile.box_dim.global.b1024.b32 [d0], 1, 16;\n" LOAD_TILE("r2", "4", "1")
            WAIT_FOR_TILE "ld.shared.b32 r3, [tile]; ld.shared.b32 r4, [tile+64];\n"
                          "ld.shared.b32 r5, [tile+508]; st.global.v2.b32 [d0+1024], {r3, r4};\n"
                          "st.global.b32 [d0+1032], r5;\n" KERNEL_TAIL,
        &default_map, 64));
    uint32_t got[3];
    memcpy(got, run.bytes + 1024, sizeof got);
    assert_int_equal(got[0], 1 * 32 + 4 + 1);
    assert_int_equal(got[1], 3 * 32 + 4 + 1);
    assert_int_equal(got[2], 15 * 32 + 19 + 1);
    free_kernel_run(&run);
}

#define WGMMA(shape, tail)                                          \
    ".visible .entry k(.param .u64 a, .param .u64 b) {\n"           \
    ".reg .b32 r<8>; .reg .b64 d<4>; .reg .pred p;\n"               \
    "mov.u32 r1, 0; mov.u32 r2, 0; mov.u32 r3, 0; mov.u32 r4, 0;\n" \
    "wgmma.mma_async.sync.aligned." shape " {r1, r2, r3, r4}, d1, d2, " tail ";\n" KERNEL_TAIL

static void warpgroups_share_a_copy(void **state)
{
    (void)state;
    kernel_run run;
    assert_false(
        launch_with_map(&run, WGMMA("m64n8k16.f32.f16.f16", "p, 1, 1, 0, 0"), &default_map, 96));
    assert_int_equal(run.result.fault.kind, SM_FAULT_SYNC);
    assert_non_null(strstr(run.result.fault.text, "a warpgroup is four warps, 128 threads"));
    free_kernel_run(&run);
    expect_fault(WGMMA("m64n8k16.f32.f16.f16", "p, 1, 1, 0, 0"), &default_map, SM_FAULT_ADDRESS,
                 "a matrix descriptor leads to 16 bytes at offset");
    expect_fault(WGMMA("m64n8k8.f32.f16.f16", "p, 1, 1, 0, 0"), &default_map, SM_FAULT_UNSUPPORTED,
                 "for this type k must be 16");
    expect_fault(WGMMA("m64n8k16.f32.f16.f16", "p, 1, 2, 0, 0"), &default_map, SM_FAULT_UNSUPPORTED,
                 "scale-d, -1 or 1 for each of the two matrices");
    expect_fault(WGMMA("m64n12k16.f32.f16.f16", "p, 1, 1, 0, 0"), &default_map,
                 SM_FAULT_UNSUPPORTED, "m64n12k16");
    expect_fault(WGMMA("m64n16k16.f32.f16.f16", "p, 1, 1, 0, 0"), &default_map,
                 SM_FAULT_UNSUPPORTED, "operand 1 has 4 registers, not 8");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(mistakes_in_maps),
                                       cmocka_unit_test(test_changed_map),
                                       cmocka_unit_test(warpgroups_share_a_copy)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
