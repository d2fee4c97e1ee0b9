# NVIDIA A100 SXM4, 40 GB. Sources: [WP] NVIDIA A100 architecture white paper; [PG] CUDA C++
# Programming Guide, table "Technical Specifications per Compute Capability"; [D] derived as said;
# [H] taken over from the H200 that was measured, for want of a figure.
id a100
name NVIDIA A100-SXM4-40GB
compute_major 8                # [WP]
compute_minor 0                # [WP]
sm_count 108                   # [WP]
clock_mhz 1410                 # [WP]: boost
memory_clock_mhz 1215          # [WP]: HBM2, two bits a clock and pin
memory_bus_bits 5120           # [WP]: 1215 MHz x 2 x 5120 / 8 = 1555 GB/s
memory_bytes 42505273344       # deviceQuery's listing: 40536 MiB
l2_bytes 41943040              # [WP]: 40 MB
l2_slices 80                   # [WP]
l1_bytes 196608                # [WP]: 192 KB
shared_per_sm 167936           # [PG]: 164 KB
shared_per_block 49152         # [PG]
shared_per_block_optin 166912  # [PG]: 163 KB
shared_reserved 1024           # [PG]
registers_per_sm 65536         # [PG]
registers_per_block 65536      # [PG]
registers_per_thread 255       # [PG]
threads_per_sm 2048            # [PG]
blocks_per_sm 32               # [PG]
schedulers_per_sm 4            # [WP]
copy_engines 3                 # deviceQuery's listing
dram_gbs 1370                  # [D]: 0.88 of 1555, the H200's share
dram_read_gbs 1430             # [D]: 0.92 of 1555, likewise
dram_granule 64                # [PG]: cudaLimitMaxL2FetchGranularity's default
l2_side_blocks 8               # [H]
store_sectors_per_clock 1      # [H]
l2_gbs 4600                    # [D]: 0.64 of 5120 bytes a clock [WP], the H200's share
l1_sectors_per_clock 4         # [WP]: 128 bytes a clock
shared_wavefronts_per_clock 1  # [PG]: 32 banks of 4 bytes
constant_addresses_per_clock 0.44 # [H]
issue_per_inst 1               # [H]
f64_fmas 32                    # [WP]
tensor_f16_fmas 1024           # [WP]
tensor_f8_fmas 1024            # [D]: as f16
tensor_tf32_fmas 512           # [WP]
tensor_f64_fmas 64             # [WP]
tensor_i8_fmas 2048            # [WP]
tensor_i4_fmas 4096            # [WP]
tensor_b1_fmas 16384           # [WP]
tensor_least_cycles 1.12       # [H]
tensor_latency_cycles 16       # [H]
blocks_per_ns 0.96             # [H]: by SMs and clock
launch_us 2.5                  # [H]: by clock
launch_gap_us 0.74             # [H]: by launch_us
graph_launch_us 1.4            # [H]: by launch_us
graph_gap_us 0.23              # [H]: likewise
graph_next_us 0.36             # [H]: likewise
record_us 0.58                 # [H]: by call_record_us
call_launch_us 1.7             # [H]: likewise
call_copy_us 0.65              # [H]: likewise
device_launch_us 4.9           # [H]: as it is
device_call_us 6.05            # [H]: likewise
device_apart_us 0.4            # [H]: likewise
call_record_us 0.44            # [H]: likewise
wake_us 1.5                    # [H]: likewise
dram_latency_ns 330            # [D]: dram_load, below
l2_latency_ns 186              # [D]: l2_load, below
l1_latency_ns 23.4             # [D]: l1_load, below
shared_latency_ns 16.3         # [D]: shared_load, below
grid_barrier_ns 1040           # [H]: by l2_latency_ns
passage_ns 370                 # [H]: by l2_latency_ns
cluster_barrier_ns 0           # [PG]: it has no clusters
atomic_ns 0.7                  # [D]: one a clock
atomic_float_ns 1.6            # [H]: by atomic_ns
red_sectors_per_clock 0.41     # [H]
atom_sectors_per_clock 0.26    # [H]
h2d_pinned_gbs 25              # [D]: PCIe 4.0 x16, 32 GB/s, less protocol
d2h_pinned_gbs 26              # [D]: likewise
h2d_pageable_gbs 10            # [H]: bound by the host's own copy
d2h_pageable_gbs 10            # [H]: likewise
link_both_gbs 45.4             # estimate: 0.89 of the two directions, as the H200 reaches
copy_us 2                      # [H]
copy_out_us 1.5                # [H]: by copy_us
copy_gap_us 1                  # [H]: by copy_us
context_ms 200                 # [H]
turnover_ns 124                # [H]: by clock
warp_start_ns 2.67             # [H]: by clock
slowest_of_two 0.16            # [H]
slowest_at_barrier 0.45        # [H]
chain_cycles 2                 # [H]
barrier_cycles 20              # [H]
arrival_cycles 2               # [D]: as compute capability 7.x
request_gap_cycles 0.15        # [H]
atomic_again_cycles 2          # [H]
constant_miss_cycles 17        # [H]
constant_far_miss_cycles 25    # [H]
diverge_cycles 2               # [H]
fetch_cycles 1                 # [H]
dshared_cycles 0               # [PG]: it has no clusters
local_write_cost 1.9           # [H]
local_line_cost 1              # [H]
local_part_cost 1.8            # [H]
l2_request_share 0.227         # [H]
queue_growth 0.95              # [H]
l2_keeps 0.7                   # [H]
l2_loses 0.85                  # [H]
l2_written_weighs 1.5          # [H]
sparse_read 0.85               # [H]
sparse_read_power 2.5          # [H]
sparse_write 1.7               # [H]
sparse_write_power 1.2         # [H]
copy_pageable_in 1.4           # [H]
copy_staged_in 0.55            # [H]
copy_pageable_out 1.85         # [H]
fill_least 0.5                 # [H]
fill_bytes 4096                # [H]
staged_bytes 65536             # [H]
staged_gbs 8                   # [H]
# Cycles that kernels read. [A] Arafa, Badawy, Chennupati, Santhi, Eidenbenz, "Instructions' Latencies
# Characterization for NVIDIA GPGPUs", arXiv:1905.08778 (a V100, the same SM but for its tensor cores); [B]
# Abdelkhalik, Arafa, Santhi, Badawy, "Demystifying the Nvidia Ampere Architecture through Microbenchmarking and
# Instruction-level Analysis", arXiv:2208.11174; [L] Luo et al., "Benchmarking and Dissecting the Nvidia Hopper GPU
# Architecture", arXiv:2402.13499; [P] their authors' figures for PPT-GPU, hardware/ISA/Ampere.py; [U] Huerta et al.,
# "Dissecting and Modeling the Architecture of Modern GPU Cores", arXiv:2503.20481, table 2; [T] throughput of
# arithmetic instructions by compute capability, CUDA C++ Programming Guide and Best Practices Guide: 32 lanes over
# what a scheduler's quarter of the SM takes a clock; [D] derived as said; [H] as an H200, for want of a figure.
latency_alu 4                  # [A], [B]
pace_alu 2                     # [T] 64 lanes per SM
latency_add 4                  # [A], [B]
pace_add 2                     # [T] 64 lanes per SM
latency_product 4              # [A], [P]
pace_product 2                 # [T] 64 lanes per SM
latency_product_wide 5         # [H] 4, and one more: CuAsmRL, arXiv:2501.08071, table 1, has 5 for IMAD.WIDE
pace_product_wide 4            # [D] two of pace_product
latency_fma 4                  # [A], [B]
pace_fma 2                     # [T] 64 lanes per SM
latency_half 4                 # [P]
pace_half 1                    # [T] 256 results per SM, two a lane
latency_double 8               # [A]
pace_double 4                  # [T] 32 lanes per SM
latency_special 18             # [P] rsqrt and sqrt without refinement
pace_special 8                 # [T] 16 lanes per SM
latency_bits 15                # [A]
pace_bits 8                    # [T] 16 lanes per SM, as 7.x
latency_convert 15             # [D] as bits: the same unit
pace_convert 8                 # [T] 16 lanes per SM, as 7.x
latency_convert_double 15      # [D] likewise
pace_convert_double 8          # [T] 16 lanes per SM
latency_predicate 4            # [A]
pace_predicate 2               # [T] 64 lanes per SM
latency_shuffle 24             # [H]
pace_shuffle 2                 # [H]
latency_vote 4                 # [D] as latency_predicate, which an H200's is
pace_vote 2                    # [H]
latency_match 49               # [H]
pace_match 8                   # [H]
latency_match_all 22           # [H]
pace_match_all 8               # [H]
latency_redux 44               # [H]
pace_redux 8                   # [H]
latency_tensor 24              # [D] its own 8 and tensor_latency_cycles
pace_tensor 8                  # [D] 2048 products, tensor_f16_fmas over 4
other_unit 1                   # [H]
predicate_wait 9               # [H]
read_clock 2                   # [H]
read_clock32 8                 # [H]
read_timer 2                   # [H]
timer_step_ns 32               # [H]
branch 12                      # [H]
branch_through 6               # [H]
call 38                        # [H]
barrier 12                     # [H]
barrier_warp 2                 # [H]
barrier_red 34                 # [H]
fence_block 8                  # [H]
fence 244                      # [D] there and back to L2: 18 less than l2_load, as an H200
fence_system 978               # [H]
nanosleep 110                  # [H]
shared_load 23                 # [B]
shared_pass 2                  # [H]
shared_store 4                 # [H]
shared_atomic 27               # [H]
shared_atomic_swap 4           # [H]
shared_atomic_float 120        # [H]
shared_atomic_float_again 95   # [H]
l1_load 33                     # [B]
l1_lines 3                     # [H]
l2_load 262                    # [L] 261.5
dram_load 466                  # [L] 466.3
tlb_miss 0                     # [H]
tlb_pages 8192                 # [H]
tlb_page_kb 2048               # [H]
global_store 11                # [H]
global_red 6                   # [H]
atomic 290                     # [D] 28 more than l2_load, as an H200
atomic_again 2                 # [H]
constant_load 29               # [U] on Ampere
constant_way 11                # [H]
constant_far 69                # [H]
constant_miss 120              # [H]
code_near_kb 32                # [H]
code_far_kb 128                # [H]
code_line 18                   # [H]
code_line_far 45               # [H]
texture_load 86                # [P]
block_start 1000               # [H]
block_next 24                  # [H]
warp_start 6                   # [H]
block_turnover 300             # [H]
