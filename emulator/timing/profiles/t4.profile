# NVIDIA Tesla T4. Sources: [DS] NVIDIA T4 data sheet; [WP] NVIDIA Turing architecture white paper;
# [PG] CUDA C++ Programming Guide, table "Technical Specifications per Compute Capability";
# [J] Jia, Maggioni, Smith, Scarpazza, "Dissecting the NVidia Turing T4 GPU via Microbenchmarking",
# arXiv:1903.07486; [D] derived as said; [H] taken over from the H200 that was measured.
id t4
name Tesla T4
compute_major 7                # [WP]
compute_minor 5                # [WP]
sm_count 40                    # [DS]: 2560 cores, 64 an SM
clock_mhz 1590                 # [DS]: boost
memory_clock_mhz 5001          # [DS]: GDDR6, two bits a clock and pin as the runtime counts
memory_bus_bits 256            # [DS]: 5001 MHz x 2 x 256 / 8 = 320 GB/s
memory_bytes 15835660288       # deviceQuery's listing: 15102 MiB of 16 GB, ECC on
l2_bytes 4194304               # [J]: 4 MB
l2_slices 16                   # [D]: two for each 32 bits of the bus
l1_bytes 98304                 # [WP]: 96 KB
shared_per_sm 65536            # [PG]
shared_per_block 49152         # [PG]
shared_per_block_optin 65536   # [PG]
shared_reserved 0              # [PG]
registers_per_sm 65536         # [PG]
registers_per_block 65536      # [PG]
registers_per_thread 255       # [PG]
threads_per_sm 1024            # [PG]
blocks_per_sm 16               # [PG]
schedulers_per_sm 4            # [WP]
copy_engines 3                 # deviceQuery's listing
dram_gbs 236                   # [J]: 220 GiB/s reached of 320 GB/s
dram_read_gbs 248              # [D]: 5 % more without turning the bus around, as on the H200
dram_granule 32                # [D]: GDDR6, 16 bits x burst of 16
l2_gbs 1270                    # [J]: L2 load throughput
l1_sectors_per_clock 2         # [J]: 64 bytes a clock
shared_wavefronts_per_clock 1  # [PG]: 32 banks of 4 bytes
constant_addresses_per_clock 0.44 # [H]
issue_per_inst 1               # [H]
f64_fmas 2                     # [PG]
tensor_f16_fmas 512            # [WP]
tensor_f8_fmas 512             # [D]: as f16
tensor_tf32_fmas 64            # [D]: none: what its other units would do
tensor_f64_fmas 2              # [D]: as its other units
tensor_i8_fmas 1024            # [WP]
tensor_i4_fmas 2048            # [WP]
tensor_b1_fmas 8192            # [WP]
tensor_least_cycles 1.12       # [H]
tensor_latency_cycles 16       # [H]
blocks_per_ns 0.4              # [H]: by SMs and clock
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
dram_latency_ns 450            # [D]: [J]'s 296 ns to L2's far side and the DRAM behind it
l2_latency_ns 118              # [J]: 188 clocks
l1_latency_ns 20               # [J]: 32 clocks
shared_latency_ns 12           # [J]: 19 clocks
grid_barrier_ns 660            # [H]: by l2_latency_ns
cluster_barrier_ns 0           # [PG]: it has no clusters
atomic_ns 0.63                 # [D]: one a clock
atomic_float_ns 1.5            # [H]: by atomic_ns
red_sectors_per_clock 0.41     # [H]
atom_sectors_per_clock 0.26    # [H]
h2d_pinned_gbs 12              # [D]: PCIe 3.0 x16, 15.75 GB/s, less protocol
d2h_pinned_gbs 13              # [D]: likewise
h2d_pageable_gbs 6             # [D]: half of pinned: copied twice
d2h_pageable_gbs 6             # [D]: likewise
link_both_gbs 22.2             # estimate: 0.89 of the two directions, as the H200 reaches
copy_us 3                      # [H]
copy_out_us 2.3                # [H]: by copy_us
copy_gap_us 1.5                # [H]: by copy_us
context_ms 200                 # [H]
# Cycles that kernels read: [J] near what Jia et al. 2019, Turing T4 report; [H] as an H200, where none is published;
# [D] derived from other figures here.
latency_alu 4                  # [J], or [H] scaled by it
pace_alu 2                     # [D] 32 lanes over the units of a scheduler
latency_add 4                  # [J], or [H] scaled by it
pace_add 2                     # [D] 32 lanes over the units of a scheduler
latency_product 4              # [J], or [H] scaled by it
pace_product 2                 # [D] 32 lanes over the units of a scheduler
latency_product_wide 8         # [J], or [H] scaled by it
pace_product_wide 4            # [D] 32 lanes over the units of a scheduler
latency_fma 4                  # [J], or [H] scaled by it
pace_fma 2                     # [D] 32 lanes over the units of a scheduler
latency_half 5                 # [J], or [H] scaled by it
pace_half 2                    # [D] 32 lanes over the units of a scheduler
latency_double 48              # [J], or [H] scaled by it
pace_double 64                 # [D] 32 lanes over the units of a scheduler
latency_special 16             # [J], or [H] scaled by it
pace_special 8                 # [D] 32 lanes over the units of a scheduler
latency_bits 15                # [J], or [H] scaled by it
pace_bits 8                    # [D] 32 lanes over the units of a scheduler
latency_convert 16             # [J], or [H] scaled by it
pace_convert 8                 # [D] 32 lanes over the units of a scheduler
latency_convert_double 50      # [J], or [H] scaled by it
pace_convert_double 64         # [D] 32 lanes over the units of a scheduler
latency_predicate 5            # [J], or [H] scaled by it
pace_predicate 2               # [D] 32 lanes over the units of a scheduler
latency_shuffle 23             # [J], or [H] scaled by it
pace_shuffle 2                 # [D] 32 lanes over the units of a scheduler
latency_vote 5                 # [J], or [H] scaled by it
pace_vote 2                    # [D] 32 lanes over the units of a scheduler
latency_match 27               # [J], or [H] scaled by it
pace_match 8                   # [D] 32 lanes over the units of a scheduler
latency_match_all 22           # [J], or [H] scaled by it
pace_match_all 8               # [D] 32 lanes over the units of a scheduler
latency_redux 100              # [J], or [H] scaled by it
pace_redux 8                   # [D] 32 lanes over the units of a scheduler
latency_tensor 14              # [J], or [H] scaled by it
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
fence 188                      # [D] there and back to L2
fence_system 978               # [H]
nanosleep 110                  # [H]
shared_load 19                 # [J]
shared_pass 2                  # [H]
shared_store 4                 # [H]
shared_atomic 27               # [H]
shared_atomic_swap 4           # [H]
shared_atomic_float 120        # [H]
shared_atomic_float_again 95   # [H]
l1_load 32                     # [J]
l1_lines 3                     # [H]
l2_load 188                    # [J]
dram_load 716                  # [D] dram_latency_ns
tlb_miss 0                     # [H]
tlb_pages 8192                 # [H]
tlb_page_kb 2048               # [H]
global_store 11                # [H]
global_red 5                   # [H]
atomic 216                     # [D] l2_load, and what an H200 takes beyond it
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
