# NVIDIA H200 SXM, 141 GB. Sources: [DS] NVIDIA H200 data sheet; [WP] NVIDIA H100 architecture white
# paper (same GH100 chip); [PG] CUDA C++ Programming Guide, table "Technical Specifications per
# Compute Capability"; [RT] what the runtime reports on one H200 (driver 580, CUDA 13.0);
# [M] measured on one H200 with CUDA events: rows of tests/hardware/timings/h200, less the shortest launch.
id h200
name NVIDIA H200
compute_major 9                # [RT]
compute_minor 0                # [RT]
sm_count 132                   # [RT]
clock_mhz 1980                 # [RT]
memory_clock_mhz 3201          # [RT]: HBM3e, two bits a clock and pin
memory_bus_bits 6144           # [RT]: 3201 MHz x 2 x 6144 / 8 = 4917 GB/s; [DS] says 4.8 TB/s
memory_bytes 150754820096      # [RT]: 143771 MiB of the 141 GB
l2_bytes 62914560              # [RT]: 60 MiB
l2_slices 94                   # [M] ncu: lts__cycles_elapsed.sum over .max
l1_bytes 262144                # [WP]: 256 KB
shared_per_sm 233472           # [PG]: 228 KB
shared_per_block 49152         # [PG]
shared_per_block_optin 232448  # [PG]: 227 KB
shared_reserved 1024           # [PG]
registers_per_sm 65536         # [PG]
registers_per_block 65536      # [PG]
registers_per_thread 255       # [PG]
threads_per_sm 2048            # [PG]
blocks_per_sm 32               # [PG]
schedulers_per_sm 4            # [WP]
copy_engines 3                 # [RT]
dram_gbs 4290                  # [M] copy_float4, 2^28: 4246 with its launch
dram_read_gbs 4700             # [M] read_float4, 2^28: 4591 with its launch
dram_granule 64                # [M] copy_stride: 16 takes twice as long as 8
l2_side_blocks 8               # [M] few.tsv: reads of 32 MB in all by 1 to 8 blocks miss, those by 16 do not
store_sectors_per_clock 1      # [M] few.tsv: writes, 63 GB/s of one SM
l2_gbs 8700                    # [M] read_passes, 16 and 32 MiB
l1_sectors_per_clock 4         # [WP] 128 bytes a clock
shared_wavefronts_per_clock 1  # [PG] 32 banks of 4 bytes; [M] shared_stride
constant_addresses_per_clock 0.5 # [M] constant_near, 1 to 32 addresses
issue_per_inst 1               # [M] fma_chains_4, read_only_near: one for one
f64_fmas 61.5                  # [M] fma_f64, 32 warps; 64 units [WP]
tensor_f16_fmas 1250           # [M] mma_f16_f32, mma_bf16; what mma reaches, wgmma has more
tensor_f8_fmas 2600            # [M] mma_e4m3
tensor_tf32_fmas 625           # [M] mma_tf32, m16n8k8
tensor_f64_fmas 127            # [M] mma_f64_k16
tensor_i8_fmas 2480            # [M] mma_s8
tensor_i4_fmas 145             # [M] mma_s4: not in the tensor cores any more
tensor_b1_fmas 19800           # [M] mma_b1
tensor_least_cycles 1.12       # [M] mma_f16_f32_k8
tensor_latency_cycles 16       # [M] chains_1, one warp
blocks_per_ns 1.655            # [M] dispatch_32 to dispatch_512
launch_us 5.4                  # [M] copies and fills of 2^16: 5.6 to 6.1
launch_gap_us 1.6              # [M] behind_kernels
graph_launch_us 3.1            # [M] graph_chain, 1 kernel
graph_gap_us 0.5               # [M] graph_chain, 2 to 128
graph_next_us 0.77             # [M] graph_fan, 4 to 128
record_us 1.5                  # [M] queued_records 1.65, behind_records 1.26
call_launch_us 3.7             # [M] host_launch
call_copy_us 1.4               # [M] host_h2d_pinned, host_d2h_pinned
device_launch_us 4.9           # [M] nested_depth
device_call_us 6.05            # [M] nested_forget
device_apart_us 0.4            # [M] nested_blocks
call_record_us 0.95            # [M] host_record
wake_us 3.3                    # [M] host_launch_synchronize 8.7, less launch_us; host_memcpy_waits likewise
dram_latency_ns 318            # [M] chase_ns, 512 MiB: 323, less two instructions for the address
l2_latency_ns 140              # [M] chase_ns, 1 to 48 MiB: 145, likewise
l1_latency_ns 16               # [M] chase_ns, 16 KiB: 20.8, likewise
shared_latency_ns 10           # [M] chase_shared_ns: 14.6, likewise
grid_barrier_ns 780            # [M] in_step, 2 blocks; 0.97 us for 132, with their arrivals
passage_ns 282                 # [M] passages: 275 to 289 for each block, of 1,000 to 16,000 blocks; with a fence 600, acquire and release 660
cluster_barrier_ns 205         # [M] cluster_barriers: 0.20 to 0.22 us each
atomic_ns 0.75                 # [M] sum_atomic, one a warp; red_add_u32_one_lane
atomic_float_ns 1.755          # [M] red_add_f32_one_lane and words_1, one line
red_sectors_per_clock 0.41     # [M] red_add_u32_words_32 and _anywhere, lines and words enough for all slices
atom_sectors_per_clock 0.26    # [M] atom_add_u32 likewise
h2d_pinned_gbs 55.3            # [M]
d2h_pinned_gbs 55.3            # [M]
h2d_pageable_gbs 16            # [M] wait_in, 1 and 4 MiB: 14.1 and 16.3; 8 MiB 13.8, 256 MiB 7
d2h_pageable_gbs 14            # [M] wait_out, 1 and 4 MiB: 12.4 and 15.8; 256 MiB 14.5
link_both_gbs 98.7             # [M] link_both and both_ways, 16 MiB each way: a link has less than twice one way
copy_us 4.5                    # [M] h2d_pinned 4.1; 4.5 each between copies the other way: pieces_both
copy_out_us 3.1                # [M] d2h_pinned, likewise
copy_gap_us 2.3                # [M] queued_h2d 2.6, queued_d2h 2.0, 4 KiB each
context_ms 100                 # [M] chapter 21, first_call and one_more_context: 88 to 111; context_host_clock, 210, has the driver starting up in it
turnover_ns 88                 # [M] fitted to timings
warp_start_ns 1.9              # [M] likewise
slowest_of_two 0.16            # [M] likewise
slowest_at_barrier 0.45        # [M] likewise
chain_cycles 2                 # [M] likewise: 16 lanes a unit
barrier_cycles 20              # [M] likewise
arrival_cycles 2               # [PG] 16 threads a clock; [M] likewise
request_gap_cycles 0.15        # [M] products of matrices whose loads all hit
atomic_again_cycles 2          # [M] words_1 to words_8 on 4096 lines
constant_miss_cycles 17        # [M] gathers from tables larger than it
constant_far_miss_cycles 25    # [M] likewise
diverge_cycles 2               # [M] predicated, fallen_through, and likewise of_launch: BSSY and BSYNC
fetch_cycles 1                 # [M] predicated, jumped, split_by_16; chapter 9, many_ways of whole warps
dshared_cycles 3.4             # [M] bulk, cluster_read: clusters of 4 and of 8; of 2 it is two thirds
local_write_cost 1.9           # [M] local_stores: 6.9 us a million sectors
local_line_cost 1              # [M] local_stores: 3.7 us a million lines
local_part_cost 1.8            # [M] local_stores: 6.5 us a million lines
l2_request_share 0.227         # [M] gathers from tables that L2 holds
queue_growth 0.95              # [M] fitted to timings
l2_keeps 0.7                   # [M] footprints: reads of 42 MiB, 33 read and copied, 36 summed
l2_loses 0.85                  # [M] footprints: 51, 41, 44
l2_written_weighs 1.5          # [M] footprints: copies and sums beside reads
sparse_read 0.85               # [M] partial, 1 GiB
sparse_read_power 2.5          # [M] likewise
sparse_write 1.7               # [M] likewise
sparse_write_power 1.2         # [M] likewise
copy_pageable_in 1.4           # [M] link: the host fills a buffer of the driver first
copy_staged_in 0.55            # [M] likewise
copy_pageable_out 1.85         # [M] likewise: by way of a pinned buffer
fill_least 0.5                 # [M] memset, 2 KB
fill_bytes 4096                # [M] memset, 2 KB and 16 KB
staged_bytes 65536             # [M] link
staged_gbs 8                   # [M] link
# Cycles that kernels read: [C] tests/hardware/clocks/h200, arithmetic.tsv where no file is named.
latency_alu 4                  # [C] shr_s32, shf, prmt .chain
pace_alu 2                     # [C] shr_s32: .four and .warps
latency_add 4                  # [C] abs_s32 beside xor_b32; add_s32 has two sums per step .chain
pace_add 2                     # [C] abs_s32 beside xor_b32; add_s32 has two sums per step: .four and .warps
latency_product 4              # [C] mul_s32 .chain
pace_product 2                 # [C] mul_s32: .four and .warps
latency_product_wide 4         # [C] wide, mul_s64 .chain
pace_product_wide 2            # [C] wide: .four and .warps
latency_fma 4                  # [C] fma_f32 .chain
pace_fma 1                     # [C] fma_f32: .four and .warps
latency_half 8                 # [C] half_fma, half_add .chain
pace_half 1                    # [C] half_fma: .four and .warps
latency_double 8               # [C] fma_f64 .chain
pace_double 2                  # [C] fma_f64: .four and .warps
latency_special 17             # [C] ex2, lg2 .chain
pace_special 8                 # [C] ex2: .four and .warps
latency_bits 17                # [C] popc, bfind .chain
pace_bits 8                    # [C] popc: .four and .warps
latency_convert 17             # [C] to_f32, less the way back .chain
pace_convert 8                 # [C] to_f32: .four and .warps
latency_convert_double 17      # [C] to_f64, less the sum .chain
pace_convert_double 11         # [C] to_f64: .four and .warps
latency_predicate 4            # [C] select .chain
pace_predicate 2               # [C] select: .four and .warps
latency_shuffle 24             # [C] shfl_down, less the sum .chain
pace_shuffle 2                 # [C] shfl_down: .four and .warps
latency_vote 4                 # [C] ballot, less the comparison .chain
pace_vote 2                    # [C] ballot: .four and .warps
latency_match 49               # [C] match_any .chain
pace_match 8                   # [C] match_any: .four and .warps
latency_match_all 22           # [C] match_all, less what is done with its predicate .chain
pace_match_all 8               # [C] match_all: .four and .warps
latency_redux 44               # [C] redux .chain
pace_redux 8                   # [C] redux: .four and .warps
latency_tensor 33              # [C] [T] timings/tensor.tsv, chains_1: 16 beyond its own time
pace_tensor 8                  # [C] [T] timings/tensor.tsv: .four and .warps
other_unit 1                   # [C] xor_b32, sin, clz: 10 and 23 where two units take turns
predicate_wait 9               # [C] ballot, any
read_clock 2                   # [C] add_s32: 256 cycles for 64 instructions
read_clock32 8                 # [C] waits.tsv clock.two
read_timer 2                   # [C] waits.tsv globaltimer.four
timer_step_ns 32               # [C] waits.tsv globaltimer.step_ns
branch 12                      # [C] loops: mul_s32.loop, waits.tsv loop.add
branch_through 6               # [C] half of that; derived
call 38                        # [C] waits.tsv call
barrier 12                     # [C] waits.tsv barrier, 1 warp
barrier_warp 2                 # [C] waits.tsv barrier, 2 to 32 warps
barrier_red 34                 # [C] waits.tsv barrier_count
fence_block 8                  # [C] waits.tsv fence_block
fence 266                      # [C] waits.tsv fence
fence_system 978               # [C] waits.tsv fence_system
nanosleep 92                   # [C] waits.tsv nanosleep, 0
shared_load 23                 # [C] shared.tsv shared_one, less an instruction for the address
shared_pass 2                  # [C] shared.tsv shared_stride
shared_store 4                 # [C] shared.tsv shared_stores
shared_atomic 27               # [C] shared.tsv shared_atomic_exch
shared_atomic_swap 4           # [C] shared.tsv shared_atomic_cas
shared_atomic_float 120        # [C] shared.tsv shared_atomic_float
shared_atomic_float_again 95   # [C] likewise
l1_load 32                     # [C] memory.tsv chase.128, 4 to 128 KiB
l1_lines 3                     # [C] memory.tsv warp_stride.l1: 33
l2_load 284                    # [C] memory.tsv chase.128, 1 to 64 MiB
dram_load 663                  # [C] memory.tsv chase_dram
tlb_miss 570                   # [C] cold.tsv fresh, 2 to 32 MiB: what each 32 MiB adds
tlb_pages 8192                 # [C] cold.tsv cold.page: 104 GiB at least
tlb_page_kb 32768              # [C] cold.tsv fresh: no more for a stride of 64 to 512 MiB
global_store 11                # [C] memory.tsv store
global_red 6                   # [C] shared.tsv reductions
atomic 312                     # [C] shared.tsv atomic_add, one lane
atomic_again 2                 # [C] shared.tsv atomic_add.0
constant_load 28               # [C] shared.tsv constant.64, to 2 KiB, less the address
constant_way 11                # [C] shared.tsv constant_ways
constant_far 69                # [C] shared.tsv constant.64, from 4 KiB on
constant_miss 120              # [C] shared.tsv constant_cold
code_near_kb 32                # [C] code.tsv: 30 KB at full rate, 36 KB not
code_far_kb 128                # [C] code.tsv: 120 KB and 144 KB
code_line 18                   # [C] code.tsv: 2.2 cycles per instruction from 48 to 120 KB
code_line_far 45               # [C] code.tsv: 5.64 cycles per instruction from 144 KB on
texture_load 83                # [C] shared.tsv texture, 4 and 64 KiB
block_start 3100               # [C] waits.tsv nanosleep: sleeps end at multiples of 2^n ns, of which so much has passed
block_next 24                  # [C] waits.tsv starts.on_one_sm, 32 threads
warp_start 6                   # [C] likewise, 1024 threads
block_turnover 240             # [C] waits.tsv starts.gap, less the reads
