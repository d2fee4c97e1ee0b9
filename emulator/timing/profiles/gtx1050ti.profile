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
l2_side_blocks 0               # one L2, as far as known
store_sectors_per_clock 1      # [H]
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
wake_us 1.8                    # [H]: likewise
dram_latency_ns 346            # [D]: dram_load, below
l2_latency_ns 181              # [D]: l2_load, below
l1_latency_ns 58.2             # [D]: l1_load, below
shared_latency_ns 18           # [D]: shared_load, below
grid_barrier_ns 1010           # [H]: by l2_latency_ns
passage_ns 360                 # [H]: by l2_latency_ns
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
turnover_ns 125                # [H]: by clock
warp_start_ns 2.7              # [H]: by clock
slowest_of_two 0.16            # [H]
slowest_at_barrier 0.45        # [H]
chain_cycles 1                 # [D]: as pace_fma and pace_add
barrier_cycles 20              # [H]
arrival_cycles 0.5             # [PG], "Synchronization Instruction": 64 threads a clock
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
# Characterization for NVIDIA GPGPUs", arXiv:1905.08778 (a P100; a Maxwell for double precision, of
# which it has as few units); [T] throughput of arithmetic instructions by compute capability, CUDA C++ Programming Guide: 32
# lanes over what a scheduler's quarter of the SM takes a clock; [D] derived as said; [H] as an H200, for want of a
# figure.
latency_alu 6                  # [A]
pace_alu 1                     # [T] 128 lanes per SM
latency_add 6                  # [A]
pace_add 1                     # [T] 128 lanes per SM
latency_product 13             # [A]
pace_product 4                 # [D] by multiple instructions [T]: in proportion to latency_product
latency_product_wide 18        # [A] high half
pace_product_wide 8            # [D] two of pace_product
latency_fma 6                  # [A]
pace_fma 1                     # [T] 128 lanes per SM
latency_half 6                 # [A]
pace_half 64                   # [T] 2 lanes per SM
latency_double 48              # [A] Maxwell
pace_double 32                 # [T] 4 lanes per SM
latency_special 15             # [A] sin
pace_special 4                 # [T] 32 lanes per SM
latency_bits 13                # [A]
pace_bits 4                    # [T] 32 lanes per SM
latency_convert 13             # [D] as bits: the same unit
pace_convert 4                 # [T] 32 lanes per SM
latency_convert_double 48      # [D] as double
pace_convert_double 32         # [T] 4 lanes per SM
latency_predicate 6            # [A]
pace_predicate 2               # [T] 64 lanes per SM
latency_shuffle 24             # [H]
pace_shuffle 2                 # [H]
latency_vote 6                 # [D] as latency_predicate, which an H200's is
pace_vote 2                    # [H]
latency_match 49               # [H] not before compute capability 7.0
pace_match 8                   # [H] not before compute capability 7.0
latency_match_all 22           # [H] not before compute capability 7.0
pace_match_all 8               # [H] not before compute capability 7.0
latency_redux 44               # [H] not before compute capability 8.0
pace_redux 8                   # [H] not before compute capability 8.0
latency_tensor 33              # [H] it has no tensor cores
pace_tensor 8                  # [H] it has no tensor cores
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
fence 234                      # [D] there and back to L2: 18 less than l2_load, as an H200
fence_system 978               # [H]
nanosleep 110                  # [H]
shared_load 25                 # [A]
shared_pass 2                  # [H]
shared_store 4                 # [H]
shared_atomic 27               # [H]
shared_atomic_swap 4           # [H]
shared_atomic_float 120        # [H]
shared_atomic_float_again 95   # [H]
l1_load 81                     # [A]
l1_lines 3                     # [H]
l2_load 252                    # [A]
dram_load 482                  # [A]
tlb_miss 0                     # [H]
tlb_pages 8192                 # [H]
tlb_page_kb 2048               # [H]
global_store 11                # [H]
global_red 6                   # [H]
atomic 280                     # [D] 28 more than l2_load, as an H200
atomic_again 2                 # [H]
constant_load 28               # [H]
constant_way 11                # [H]
constant_far 69                # [H]
constant_miss 120              # [H]
code_near_kb 32                # [H]
code_far_kb 128                # [H]
code_line 18                   # [H]
code_line_far 45               # [H]
texture_load 87                # [A]
block_start 1000               # [H]
block_next 24                  # [H]
warp_start 6                   # [H]
block_turnover 300             # [H]
