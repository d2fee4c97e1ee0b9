# NVIDIA GeForce GTX 1050 Ti. CUDA 13 no longer builds for it: the profile shows how a small device
# would take the same program. Sources: [DS] NVIDIA's product page; [WP] NVIDIA GeForce GTX 1080
# white paper (same Pascal SM); [PG] CUDA C++ Programming Guide up to version 12, table "Technical
# Specifications per Compute Capability"; [D] derived as said; [H] taken over from the H200.
id gtx1050ti
name NVIDIA GeForce GTX 1050 Ti
compute_major 6                # [PG]
compute_minor 1                # [PG]
sm_count 6                     # [DS]: 768 cores, 128 an SM
clock_mhz 1392                 # [DS]: boost
memory_clock_mhz 3504          # [DS]: GDDR5, two bits a clock and pin as the runtime counts
memory_bus_bits 128            # [DS]: 3504 MHz x 2 x 128 / 8 = 112 GB/s
memory_bytes 4236312576        # deviceQuery's listing: 4040 MiB of 4 GB
l2_bytes 1048576               # deviceQuery's listing: 1 MB
l2_slices 8                    # [D]: two for each 32 bits of the bus
l1_bytes 147456                # [WP]: 48 KB of L1 beside 96 KB of shared memory
shared_per_sm 98304            # [PG]: 96 KB
shared_per_block 49152         # [PG]
shared_per_block_optin 49152   # [PG]
shared_reserved 0              # [PG]
registers_per_sm 65536         # [PG]
registers_per_block 65536      # [PG]
registers_per_thread 255       # [PG]
threads_per_sm 2048            # [PG]
blocks_per_sm 32               # [PG]
schedulers_per_sm 4            # [WP]
copy_engines 2                 # deviceQuery's listing
dram_gbs 93                    # [D]: 0.83 of 112
dram_read_gbs 98               # [D]: 5 % more without turning the bus around, as on the H200
dram_granule 32                # [D]: GDDR5, 32 bits x burst of 8
l2_gbs 230                     # [D]: 2 x 64 bytes a clock and memory controller pair, 0.64 of them
l1_sectors_per_clock 2         # [WP]: 64 bytes a clock from two texture units
shared_wavefronts_per_clock 1  # [PG]: 32 banks of 4 bytes
constant_addresses_per_clock 0.44 # [H]
issue_per_inst 1               # [H]
f64_fmas 4                     # [PG]
tensor_f16_fmas 128            # [D]: none: what its other units would do
tensor_f8_fmas 128             # [D]: none: what its other units would do
tensor_tf32_fmas 128           # [D]: none: what its other units would do
tensor_f64_fmas 4              # [D]: none: what its other units would do
tensor_i8_fmas 128             # [D]: none: what its other units would do
tensor_i4_fmas 128             # [D]: none: what its other units would do
tensor_b1_fmas 128             # [D]: none: what its other units would do
tensor_least_cycles 1.12       # [H]
tensor_latency_cycles 16       # [H]
blocks_per_ns 0.05             # [H]: by SMs and clock
launch_us 3                    # [H]: by clock
launch_gap_us 0.89             # [H]: by launch_us
graph_launch_us 1.7            # [H]: by launch_us
graph_gap_us 0.28              # [H]: likewise
graph_next_us 0.43             # [H]: likewise
record_us 0.7                  # [H]: by call_record_us
call_launch_us 2.1             # [H]: likewise
call_copy_us 0.78              # [H]: likewise
device_launch_us 4.9           # [H]: as it is
device_call_us 6.05            # [H]: likewise
device_apart_us 0.4            # [H]: likewise
call_record_us 0.53            # [H]: likewise
dram_latency_ns 450            # [D]: about 600 clocks
l2_latency_ns 155              # [D]: about 216 clocks
l1_latency_ns 59               # [D]: about 82 clocks
shared_latency_ns 17           # [D]: about 23 clocks
grid_barrier_ns 860            # [H]: by l2_latency_ns
cluster_barrier_ns 0           # [PG]: it has no clusters
atomic_ns 0.72                 # [D]: one a clock
atomic_float_ns 1.7            # [H]: by atomic_ns
red_sectors_per_clock 0.41     # [H]
atom_sectors_per_clock 0.26    # [H]
h2d_pinned_gbs 12              # [D]: PCIe 3.0 x16, 15.75 GB/s, less protocol
d2h_pinned_gbs 12              # [D]: likewise
h2d_pageable_gbs 6             # [D]: half of pinned: copied twice
d2h_pageable_gbs 6             # [D]: likewise
link_both_gbs 21.4             # estimate: 0.89 of the two directions, as the H200 reaches
copy_us 3                      # [H]
copy_out_us 2.3                # [H]: by copy_us
copy_gap_us 1.5                # [H]: by copy_us
context_ms 150                 # [H]
# Cycles that kernels read: [J] near what Jia et al. 2018, Pascal P4 report; [H] as an H200, where none is published;
# [D] derived from other figures here.
latency_alu 6                  # [J], or [H] scaled by it
pace_alu 1                     # [D] 32 lanes over the units of a scheduler
latency_add 6                  # [J], or [H] scaled by it
pace_add 1                     # [D] 32 lanes over the units of a scheduler
latency_product 18             # [J], or [H] scaled by it
pace_product 4                 # [D] 32 lanes over the units of a scheduler
latency_product_wide 36        # [J], or [H] scaled by it
pace_product_wide 8            # [D] 32 lanes over the units of a scheduler
latency_fma 6                  # [J], or [H] scaled by it
pace_fma 1                     # [D] 32 lanes over the units of a scheduler
latency_half 6                 # [J], or [H] scaled by it
pace_half 64                   # [D] 32 lanes over the units of a scheduler
latency_double 48              # [J], or [H] scaled by it
pace_double 32                 # [D] 32 lanes over the units of a scheduler
latency_special 22             # [J], or [H] scaled by it
pace_special 4                 # [D] 32 lanes over the units of a scheduler
latency_bits 14                # [J], or [H] scaled by it
pace_bits 4                    # [D] 32 lanes over the units of a scheduler
latency_convert 14             # [J], or [H] scaled by it
pace_convert 4                 # [D] 32 lanes over the units of a scheduler
latency_convert_double 50      # [J], or [H] scaled by it
pace_convert_double 32         # [D] 32 lanes over the units of a scheduler
latency_predicate 6            # [J], or [H] scaled by it
pace_predicate 2               # [D] 32 lanes over the units of a scheduler
latency_shuffle 33             # [J], or [H] scaled by it
pace_shuffle 2                 # [D] 32 lanes over the units of a scheduler
latency_vote 12                # [J], or [H] scaled by it
pace_vote 2                    # [D] 32 lanes over the units of a scheduler
latency_match 200              # [J], or [H] scaled by it
pace_match 8                   # [D] 32 lanes over the units of a scheduler
latency_match_all 200          # [J], or [H] scaled by it
pace_match_all 8               # [D] 32 lanes over the units of a scheduler
latency_redux 200              # [J], or [H] scaled by it
pace_redux 8                   # [D] 32 lanes over the units of a scheduler
latency_tensor 300             # [J], or [H] scaled by it
pace_tensor 8                  # [D] 32 lanes over the units of a scheduler
other_unit 0                   # [J]
predicate_wait 9               # [H]
read_clock 12                  # [J]
read_clock32 12                # [J]
read_timer 2                   # [H]
timer_step_ns 1000             # [J]
branch 12                      # [H]
branch_through 6               # [H]
call 38                        # [H]
barrier 12                     # [H]
barrier_warp 2                 # [H]
barrier_red 34                 # [H]
fence_block 8                  # [H]
fence 216                      # [D] there and back to L2
fence_system 978               # [H]
nanosleep 110                  # [H]
shared_load 23                 # [J]
shared_pass 2                  # [H]
shared_store 4                 # [H]
shared_atomic 90               # [J]
shared_atomic_swap 4           # [H]
shared_atomic_float 120        # [H]
shared_atomic_float_again 95   # [H]
l1_load 82                     # [J]
l1_lines 3                     # [H]
l2_load 216                    # [J]
dram_load 626                  # [D] dram_latency_ns
tlb_miss 100                   # [J]: about a hundred cycles
tlb_pages 8192                 # [H]
tlb_page_kb 2048               # [H]
global_store 11                # [H]
global_red 5                   # [H]
atomic 244                     # [D] l2_load, and what an H200 takes beyond it
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
