# NVIDIA Tesla T4. Sources: [DS] NVIDIA T4 data sheet; [WP] NVIDIA Turing architecture white paper;
# [PG] CUDA C++ Programming Guide, table "Technical Specifications per Compute Capability";
# [J] Jia, Maggioni, Smith, Scarpazza, "Dissecting the NVidia Turing T4 GPU via Microbenchmarking",
# arXiv:1903.07486; [GA] NVIDIA Ampere GA102 architecture white paper, which has Turing beside it; [D] derived as said; [H] taken over from the H200 that was measured.
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
l2_side_blocks 0               # one L2, as far as known
store_sectors_per_clock 1      # [H]
l2_gbs 1270                    # [J]: L2 load throughput
l1_sectors_per_clock 2         # [J]: 64 bytes a clock
shared_wavefronts_per_clock 0.5 # [GA]: 64 bytes a clock
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
wake_us 1.8                    # [H]: likewise
dram_latency_ns 267            # [D]: dram_load, below
l2_latency_ns 148              # [D]: l2_load, below
l1_latency_ns 20.1             # [D]: l1_load, below
shared_latency_ns 14.5         # [D]: shared_load, below
grid_barrier_ns 830            # [H]: by l2_latency_ns
passage_ns 290                 # [H]: by l2_latency_ns
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
turnover_ns 110                # [H]: by clock
warp_start_ns 2.37             # [H]: by clock
slowest_of_two 0.16            # [H]
slowest_at_barrier 0.45        # [H]
chain_cycles 2                 # [H]
barrier_cycles 20              # [H]
arrival_cycles 2               # [PG], "Synchronization Instruction": 16 threads a clock
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
# Characterization for NVIDIA GPGPUs", arXiv:1905.08778 (a TITAN RTX, the same SM); [J] as above, table 4.1, as others
# quote it; [F] sjfeng1999/gpu-arch-microbenchmark, README.md (an RTX 2070, the same SM); [T] throughput of arithmetic
# instructions by compute capability, CUDA C++ Programming Guide: 32 lanes over what a scheduler's quarter of the SM
# takes a clock; [U] Huerta et al., "Dissecting and Modeling the Architecture of Modern GPU Cores", arXiv:2503.20481,
# table 2; [D] derived as said; [H] as an H200, for want of a figure.
latency_alu 4                  # [A], [J]
pace_alu 2                     # [T] 64 lanes per SM
latency_add 4                  # [A], [J]
pace_add 2                     # [T] 64 lanes per SM
latency_product 5              # [J] IMAD
pace_product 2                 # [T] 64 lanes per SM
latency_product_wide 8         # [A] high half
pace_product_wide 4            # [D] two of pace_product
latency_fma 4                  # [A], [J]
pace_fma 2                     # [T] 64 lanes per SM
latency_half 6                 # [A], [J]
pace_half 1                    # [T] 128 results per SM
latency_double 40              # [A]
pace_double 64                 # [T] 2 lanes per SM
latency_special 15             # [J] MUFU
pace_special 8                 # [T] 16 lanes per SM
latency_bits 15                # [A]
pace_bits 8                    # [T] 16 lanes per SM
latency_convert 15             # [D] as bits: the same unit
pace_convert 8                 # [T] 16 lanes per SM
latency_convert_double 40      # [D] as double
pace_convert_double 64         # [T] 2 lanes per SM
latency_predicate 4            # [A], [J]
pace_predicate 2               # [T] 64 lanes per SM
latency_shuffle 24             # [H]
pace_shuffle 2                 # [H]
latency_vote 4                 # [D] as latency_predicate, which an H200's is
pace_vote 2                    # [H]
latency_match 49               # [H]
pace_match 8                   # [H]
latency_match_all 22           # [H]
pace_match_all 8               # [H]
latency_redux 44               # [H] not before compute capability 8.0
pace_redux 8                   # [H] not before compute capability 8.0
latency_tensor 32              # [D] its own 16 and tensor_latency_cycles
pace_tensor 16                 # [D] 2048 products, tensor_f16_fmas over 4
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
fence 218                      # [D] there and back to L2: 18 less than l2_load, as an H200
fence_system 978               # [H]
nanosleep 110                  # [H]
shared_load 23                 # [F]; [A] 21
shared_pass 2                  # [H]
shared_store 4                 # [H]
shared_atomic 27               # [H]
shared_atomic_swap 4           # [H]
shared_atomic_float 120        # [H]
shared_atomic_float_again 95   # [H]
l1_load 32                     # [F]; [A] 27
l1_lines 3                     # [H]
l2_load 236                    # [F]; [A] 234
dram_load 424                  # [A]
tlb_miss 0                     # [H]
tlb_pages 8192                 # [H]
tlb_page_kb 2048               # [H]
global_store 11                # [H]
global_red 6                   # [H]
atomic 264                     # [D] 28 more than l2_load, as an H200
atomic_again 2                 # [H]
constant_load 26               # [U] on Turing
constant_way 11                # [H]
constant_far 58                # [F] 62 where the first cache takes 4
constant_miss 120              # [H]
code_near_kb 32                # [H]
code_far_kb 128                # [H]
code_line 18                   # [H]
code_line_far 45               # [H]
texture_load 92                # [A]
block_start 1000               # [H]
block_next 24                  # [H]
warp_start 6                   # [H]
block_turnover 300             # [H]
