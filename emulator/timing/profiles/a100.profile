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
dram_latency_ns 600            # [H]
l2_latency_ns 200              # [H]
l1_latency_ns 24               # [D]: 33 clocks
shared_latency_ns 16           # [D]: 23 clocks
grid_barrier_ns 1100           # [H]: by l2_latency_ns
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
# Cycles that kernels read: [J] near what Abdelkhalik et al. 2022, Ampere A100 report; [H] as an H200, where none is published;
# [D] derived from other figures here.
latency_alu 4                  # [J], or [H] scaled by it
pace_alu 2                     # [D] 32 lanes over the units of a scheduler
latency_add 4                  # [J], or [H] scaled by it
pace_add 2                     # [D] 32 lanes over the units of a scheduler
latency_product 4              # [J], or [H] scaled by it
pace_product 2                 # [D] 32 lanes over the units of a scheduler
latency_product_wide 4         # [J], or [H] scaled by it
pace_product_wide 4            # [D] 32 lanes over the units of a scheduler
latency_fma 4                  # [J], or [H] scaled by it
pace_fma 2                     # [D] 32 lanes over the units of a scheduler
latency_half 4                 # [J], or [H] scaled by it
pace_half 2                    # [D] 32 lanes over the units of a scheduler
latency_double 4               # [J], or [H] scaled by it
pace_double 4                  # [D] 32 lanes over the units of a scheduler
latency_special 18             # [J], or [H] scaled by it
pace_special 8                 # [D] 32 lanes over the units of a scheduler
latency_bits 17                # [J], or [H] scaled by it
pace_bits 8                    # [D] 32 lanes over the units of a scheduler
latency_convert 17             # [J], or [H] scaled by it
pace_convert 8                 # [D] 32 lanes over the units of a scheduler
latency_convert_double 17      # [J], or [H] scaled by it
pace_convert_double 8          # [D] 32 lanes over the units of a scheduler
latency_predicate 4            # [J], or [H] scaled by it
pace_predicate 2               # [D] 32 lanes over the units of a scheduler
latency_shuffle 23             # [J], or [H] scaled by it
pace_shuffle 2                 # [D] 32 lanes over the units of a scheduler
latency_vote 4                 # [J], or [H] scaled by it
pace_vote 2                    # [D] 32 lanes over the units of a scheduler
latency_match 27               # [J], or [H] scaled by it
pace_match 8                   # [D] 32 lanes over the units of a scheduler
latency_match_all 22           # [J], or [H] scaled by it
pace_match_all 8               # [D] 32 lanes over the units of a scheduler
latency_redux 40               # [J], or [H] scaled by it
pace_redux 8                   # [D] 32 lanes over the units of a scheduler
latency_tensor 25              # [J], or [H] scaled by it
pace_tensor 8                  # [D] 32 lanes over the units of a scheduler
other_unit 1                   # [H]
predicate_wait 9               # [H]
read_clock 2                   # [H]
read_clock32 8                 # [H]
read_timer 2                   # [H]
timer_step_ns 1000             # [J]
branch 12                      # [H]
branch_through 6               # [H]
call 38                        # [H]
barrier 12                     # [H]
barrier_warp 2                 # [H]
barrier_red 34                 # [H]
fence_block 8                  # [H]
fence 200                      # [D] there and back to L2
fence_system 978               # [H]
nanosleep 110                  # [H]
shared_load 23                 # [J]
shared_pass 2                  # [H]
shared_store 4                 # [H]
shared_atomic 27               # [H]
shared_atomic_swap 4           # [H]
shared_atomic_float 120        # [H]
shared_atomic_float_again 95   # [H]
l1_load 33                     # [J]
l1_lines 3                     # [H]
l2_load 200                    # [J]
dram_load 846                  # [D] dram_latency_ns
tlb_miss 0                     # [H]
tlb_pages 8192                 # [H]
tlb_page_kb 2048               # [H]
global_store 11                # [H]
global_red 5                   # [H]
atomic 228                     # [D] l2_load, and what an H200 takes beyond it
atomic_again 2                 # [H]
constant_load 28               # [H]
constant_way 11                # [H]
constant_far 69                # [H]
constant_miss 120              # [H]
texture_load 83                # [H]
block_start 1000               # [H]
block_next 24                  # [H]
warp_start 6                   # [H]
block_turnover 300             # [H]
